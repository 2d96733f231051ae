"""What every registry promises: released versions never change, and what was altered is told."""

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from contract_core.errors import ContractAlteredError, ContractCoreError, InvalidContractError, WrongUsageError
from contract_core.releases.folder_registry import FolderRegistry
from contract_core.releases.registry import open_registry, verify
from contract_core.releases.table_registry import TableRegistry
from tests.releases.samples import BREAKING, KINDS, day, registry_of, release

FIRST, SECOND = release("1.0.0"), release("1.1.0", "2026-10-02", replaces="1.0.0")

each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_a_place_that_is_not_there_holds_no_release(kind, tmp_path):
    registry = registry_of(kind, tmp_path / "nowhere")
    assert (registry.releases(), registry.versions(), registry.problems()) == ((), {}, ())
    assert not (tmp_path / "nowhere").exists()


@each_kind
def test_a_release_comes_back_as_it_was_added(kind, tmp_path):
    """[S4-017, S4-020]"""
    whole = release(
        "2.0.0",
        "2026-11-03",
        more="sunset: 2030-01-01\n",
        changes=(BREAKING,),
        required_version="2.0.0",
        supported_until={"1": day("2027-01-31")},
        approvals=({"by": "finance", "at": "2026-11-01"},),
        announcement="Ünïcode, «quotes»\nand lines",
        note="agreed",
    )
    registry = registry_of(kind, tmp_path, whole)
    assert registry.releases() == (whole,)
    assert open_registry(tmp_path).releases("orders") == (whole,)


@each_kind
def test_the_text_is_kept_to_the_letter(kind, tmp_path):
    odd = "\ufeff# é\r\n" + FIRST.text.replace("\n", "\r\n") + "# no newline at the end"
    registry = registry_of(kind, tmp_path, FIRST.model_copy(update={"text": odd}))
    assert registry.releases()[0].text == odd


@each_kind
def test_releases_are_sorted_by_name_and_by_number(kind, tmp_path):
    registry = registry_of(kind, tmp_path, release("1.10.0"), release("1.9.0"), release("1.0.0", name="bills"))
    assert [(each.name, each.version) for each in registry.releases()] == [
        ("bills", "1.0.0"),
        ("orders", "1.9.0"),
        ("orders", "1.10.0"),
    ]
    assert [each.version for each in registry.releases("orders")] == ["1.9.0", "1.10.0"]
    assert registry.versions() == {"bills": ("1.0.0",), "orders": ("1.9.0", "1.10.0")}


@each_kind
def test_the_same_release_again_is_the_one_that_is_there(kind, tmp_path):
    """[S4-018] The moment, the person and the comments of the first one stay."""
    registry = registry_of(kind, tmp_path, FIRST)
    again = release("1.0.0", "2026-10-09", released_by="bert").model_copy(update={"text": FIRST.text + "# more\n"})
    assert registry.add(again) == FIRST
    assert registry.releases() == (FIRST,)


@each_kind
def test_another_contract_under_a_released_version_is_refused_with_both_digests(kind, tmp_path):
    """[S4-018]"""
    registry = registry_of(kind, tmp_path, FIRST)
    edited = release("1.0.0", more="description: edited\n")
    with pytest.raises(ContractAlteredError) as refused:
        registry.add(edited)
    (problem,) = refused.value.problems
    assert problem.what == (
        f"contract 'orders' 1.0.0 was released with digest {FIRST.digest[:12]}…, "
        f"what is to be released has {edited.digest[:12]}…"
    )
    assert problem.hint == "released versions never change: release your edit under a new version"
    assert registry.releases() == (FIRST,)


@each_kind
@pytest.mark.parametrize(
    "changes",
    [
        {"digest": "0" * 64},
        {"version": "1.0.1"},
        {"name": "returns"},
        {"name": "../returns"},
        {"status": "retired"},
        {"sunset": day("2027-01-01")},
        {"replaces": "0.9.0"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_release_that_does_not_hold_together_is_refused(kind, changes, tmp_path):
    with pytest.raises(WrongUsageError, match="nothing was released"):
        KINDS[kind](tmp_path / "registry").add(FIRST.model_copy(update=changes))
    assert [path.name for path in tmp_path.rglob("*") if path.suffix in (".yaml", ".json") and "1.0" in path.name] == []


@each_kind
def test_a_text_that_is_no_contract_is_refused(kind, tmp_path):
    with pytest.raises(InvalidContractError):
        KINDS[kind](tmp_path / "registry").add(FIRST.model_copy(update={"text": "["}))
    assert not (tmp_path / "registry").exists()


@each_kind
@pytest.mark.parametrize("name", ["../x", "", ".", "..", "/etc", "Orders", "a\x00b", "orders/1.0.0", "x" * 300])
def test_a_hostile_name_has_no_releases(kind, name, tmp_path):
    (tmp_path / "x").mkdir()
    assert registry_of(kind, tmp_path / "registry", FIRST).releases(name) == ()


@each_kind
def test_a_version_that_was_taken_out_is_missed_by_the_one_that_replaced_it(kind, tmp_path):
    """[S4-018]"""
    other = registry_of(kind, tmp_path / "other", SECOND.model_copy(update={"replaces": None}))
    assert other.problems() == ()
    registry = registry_of(kind, tmp_path / "registry", FIRST, SECOND)
    without(registry, "1.0.0")
    with pytest.raises(ContractAlteredError) as altered:
        registry.releases("orders")
    (problem,) = altered.value.problems
    assert (problem.what, problem.hint) == (
        f"contract 'orders' 1.0.0 is missing: 1.1.0 with digest {SECOND.digest[:12]}… was released to replace it",
        "released versions never change and never go: restore its text and its record",
    )


def without(registry: FolderRegistry | TableRegistry, version: str) -> None:
    """Takes a version out by force."""
    if isinstance(registry, FolderRegistry):
        for path in (registry.root / "orders").glob(f"{version}.*"):
            path.unlink()
        return
    kept = pl.read_delta(str(registry.root)).filter(pl.col("version") != version)
    DeltaTable(registry.root).alter.set_table_properties({"delta.appendOnly": "false"})
    write_deltalake(registry.root, kept, mode="overwrite")


@each_kind
def test_a_text_that_is_read_otherwise_today_is_told_from_one_that_was_altered(kind, tmp_path, monkeypatch):
    registry = registry_of(kind, tmp_path, FIRST)
    monkeypatch.setattr("contract_core.contract.model.Contract.digest", "d" * 64)
    (problem,) = verify(registry)
    assert problem.what == (
        f"contract 'orders' 1.0.0 was released with digest {FIRST.digest[:12]}…, its unchanged text is read here with dddddddddddd…"
    )
    assert registry.releases() == (FIRST,)


@each_kind
def test_releases_that_are_as_they_were_have_no_problem(kind, tmp_path):
    assert verify(registry_of(kind, tmp_path, FIRST, SECOND)) == ()


def test_a_place_is_a_table_where_it_is_one_or_is_said_to_be_one(tmp_path):
    registry_of("table", tmp_path / "table", FIRST)
    assert isinstance(open_registry(tmp_path / "table"), TableRegistry)
    assert isinstance(open_registry(f"delta:{tmp_path}/new"), TableRegistry)
    assert isinstance(open_registry(tmp_path / "new"), FolderRegistry)
    assert isinstance(open_registry(str(tmp_path)), FolderRegistry)


@pytest.mark.parametrize(
    ("place", "folder"),
    [
        ("delta:/srv/registry", "/srv/registry"),
        ("delta:some/registry", "some/registry"),
        ("/here/delta:/srv/registry", "/srv/registry"),
        ("/here/delta:some/registry", "/here/some/registry"),
    ],
)
def test_the_prefix_may_stand_where_a_configured_place_was_made_absolute(place, folder):
    assert str(open_registry(place).root) == folder


def test_a_prefix_before_nothing_is_refused():
    with pytest.raises(WrongUsageError, match="names no folder"):
        open_registry("delta:")


def test_a_folder_of_releases_never_becomes_a_table_too(tmp_path):
    registry_of("folder", tmp_path, FIRST)
    with pytest.raises(WrongUsageError, match="holds releases as files"):
        open_registry(f"delta:{tmp_path}")


@each_kind
def test_a_file_in_the_place_of_the_registry_is_an_error_and_no_empty_registry(kind, tmp_path):
    (tmp_path / "file").touch()
    for act in (lambda: KINDS[kind](tmp_path / "file").releases(), lambda: KINDS[kind](tmp_path / "file").add(FIRST)):
        with pytest.raises(ContractCoreError, match=r"registry .*file: .*(Not a directory|File exists)"):
            act()
