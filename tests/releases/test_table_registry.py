"""The registry as a Delta table: one commit for each release, and what is told of one that was tampered with."""

import shutil

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError

from contract_core.errors import ContractAlteredError, ContractCoreError
from contract_core.releases.registry import open_registry
from contract_core.releases.table_registry import TableRegistry
from tests.publication.test_refused_writes import no_byte_can_be_written
from tests.releases.samples import registry_of, release

FIRST, SECOND = release("1.0.0"), release("1.1.0", "2026-10-02", replaces="1.0.0")


@pytest.fixture
def registry(tmp_path) -> TableRegistry:
    found = registry_of("table", tmp_path / "registry", FIRST, SECOND)
    assert isinstance(found, TableRegistry)
    return found


def test_a_release_is_one_commit_with_one_row(registry):
    """[S4-017]"""
    registry.add(SECOND)
    assert DeltaTable(registry.root).version() == 2
    rows = pl.read_delta(str(registry.root)).sort("version")
    assert rows["version"].to_list() == ["1.0.0", "1.1.0"]
    assert rows["text"].to_list() == [FIRST.text, SECOND.text]


def test_nothing_can_be_taken_out(registry):
    """[S4-018]"""
    with pytest.raises(CommitFailedError):
        DeltaTable(registry.root).delete("version = '1.0.0'")


ALTERED = {
    "text": (pl.lit("fields: []"), "contract 'orders' 1.0.0 was released with digest "),
    "record": (pl.lit("{"), "the record of contract 'orders' 1.0.0 is cut short or no record"),
    "digest": (pl.lit("0" * 64), "contract 'orders' 1.0.0 has another digest in its row than in its record"),
    "status": (pl.lit("draft"), "contract 'orders' 1.0.0 has another status in its row than in its record"),
    "released_by": (pl.lit(None, pl.String), "contract 'orders' 1.0.0 has another released_by in its row than in its record"),
    "version": (pl.lit("3.0.0"), "the record of contract 'orders' 3.0.0 is that of another version"),
}  # fmt: skip


@pytest.mark.parametrize(("column", "alteration"), ALTERED.items(), ids=ALTERED)
def test_an_altered_row_is_told(registry, column, alteration):
    value, what = alteration
    rows = pl.read_delta(str(registry.root)).filter(version="1.0.0").with_columns(value.alias(column))
    shutil.rmtree(registry.root)
    write_deltalake(registry.root, rows)
    with pytest.raises(ContractAlteredError) as altered:
        registry.releases()
    assert altered.value.problems == registry.problems()
    assert [problem.what.startswith(what) for problem in altered.value.problems] == [True]


def test_a_release_that_stands_twice_is_told(registry):
    write_deltalake(registry.root, pl.read_delta(str(registry.root)).filter(version="1.0.0"), mode="append")
    (problem,) = registry.problems()
    assert problem.what == "contract 'orders' 1.0.0 stands in the registry twice"


DAMAGES = {
    "no log": lambda root: shutil.rmtree(root / "_delta_log"),
    "a gap in the log": lambda root: (root / "_delta_log" / f"{1:020d}.json").unlink(),
    "a broken log": lambda root: (root / "_delta_log" / f"{1:020d}.json").write_text('{"add": {broken secret-value'),
    "a lost file": lambda root: next(root.rglob("*.parquet")).unlink(),
    "a scrambled file": lambda root: next(root.rglob("*.parquet")).write_bytes(b"PAR1" + b"secret-value" * 99 + b"PAR1"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_table_says_so_and_is_never_empty(registry, damage):
    damage(registry.root)
    for act in (
        lambda: open_registry(registry.root).releases(),
        lambda: open_registry(registry.root).versions(),
        lambda: open_registry(registry.root).add(release("1.2.0")),
    ):
        with pytest.raises(ContractCoreError, match=r"cannot be read|its log is not") as damaged:
            act()
        assert "secret-value" not in str(damaged.value)
        assert damaged.value.__context__ is None


@pytest.mark.parametrize(
    "column", [pl.lit("../x").alias("name"), pl.lit("1").alias("version"), pl.lit(None, pl.String).alias("text")]
)
def test_a_row_that_is_no_release_is_told(registry, column):
    write_deltalake(registry.root, pl.read_delta(str(registry.root)).with_columns(column), mode="append")
    with pytest.raises(ContractCoreError, match="a row is no release"):
        registry.releases()


def test_a_table_of_something_else_is_told(tmp_path):
    write_deltalake(tmp_path / "other", pl.DataFrame({"a": [1]}))
    with pytest.raises(ContractCoreError, match="its rows cannot be read"):
        open_registry(tmp_path / "other").releases()


@pytest.mark.parametrize("is_first", [True, False], ids=["first release", "later release"])
def test_a_full_disk_is_told_and_nothing_is_released(tmp_path, is_first):
    registry = registry_of("table", tmp_path / "registry", *([] if is_first else [FIRST]))
    with (
        no_byte_can_be_written(),
        pytest.raises(ContractCoreError, match=r"cannot be (written|created): File too large"),
    ):
        registry.add(release("2.0.0"))
    assert len(registry.releases()) == (0 if is_first else 1)
    registry.add(release("2.0.0"))
    assert registry.problems() == ()
