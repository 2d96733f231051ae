"""A root may have any name: everything is published below it, judged by it and read back from it, or the name is refused at once."""

import os
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable

from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.errors import ContractCoreError, WrongUsageError
from contract_core.operations.reconciled import reconcile
from contract_core.publication.ledger import Ledger
from contract_core.publication.store import Store
from contract_core.publication.tables import location, open_table
from tests.commands import Run, runner

CONTRACT = """\
contract: cases
version: "1.0.0"
fields:
  - {name: region, type: string}
  - {name: n, type: integer}
delivery: {path: "x/{partition}/*.csv", partition: {column: region}}
"""
NAMES = [
    "plain", "my data", " outer ", "ü", "e\u0301", "日本", "😀", "a#b", "a?b", "a%b", "50%", "%", "a*b", "{a}", "a<b>", "`a`", "'a'",
    '"a"', "a$HOME", "a+b&c", "region=eu", "env=prod", "cases=1", "a;b,c", "a:b", "~", "~root", "~x", "s3:", "s3:/bucket", "file:",
    "file:/x", "https:/x", "C:", "-", "...", ".hidden", "_x", "\u00a0", "\x85",
]  # fmt: skip
REFUSED = [
    "a%20b",
    "%2F",
    "%C3%BC",
    "a\\b",
    "a[b]",
    "a]",
    "a^b",
    "a|b",
    "a\tb",
    "a\nb",
    "a\x7fb",
    os.fsdecode(b"a\xffb"),
]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(CONTRACT)
    for name, number in (("first", 1), ("second", 2)):
        Path(f"{name}.csv").write_text(f"region,n\neu,{number}\n")
    Path("other.csv").write_text("region,n\na b/é=%?,3\n".replace("/", ""))
    return runner(capfd)


@pytest.mark.parametrize(
    "name, is_relative",
    [(name, True) for name in NAMES] + [(name, False) for name in ("my data", "ü", "a%b", "n=1", "~x")],
)
def test_the_whole_path_works_below_any_folder(run: Run, tmp_path: Path, name: str, is_relative: bool):
    root = f"./{name}" if is_relative else str(tmp_path / name)
    root = name if is_relative and not name.startswith("-") else root
    for delivery, key in (("first", "eu"), ("second", "eu"), ("other", "a bé=%?"), ("second", "eu")):
        code, _, err = run("publish", "c.yaml", f"{delivery}.csv", "--partition", key, f"--root={root}")
        assert (code, err) == (0, "")
    code, out, err = run("decisions", f"--root={root}")
    assert (code, len(out.splitlines()), err) == (0, 3, "")
    places = Environment.at(tmp_path / name)
    assert places.published.is_dir()
    assert len(Ledger(places.ledger).entries()) == 6
    rows = Store(places.published).rows("cases").collect()
    assert (rows.columns, sorted(rows.rows())) == (["region", "n"], [("a bé=%?", 3), ("eu", 2)])
    assert Store(places.published).rows("cases").filter(pl.col("region") == "eu", pl.col("n") > 1).collect().rows() == [
        ("eu", 2)
    ]
    contract = parse_contract(CONTRACT, "c.yaml")
    assert [
        reconcile(contract, key, Environment.of({}, Path(root))).differences for key in ("eu", "a bé=%?", "none")
    ] == [(), (), ()]
    assert {path.name for path in tmp_path.iterdir()} == {
        "c.yaml",
        "first.csv",
        "second.csv",
        "other.csv",
        Path(name).parts[0],
    }


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_delta_takes_for_another_is_refused_before_anything_is_recorded(
    run: Run, tmp_path: Path, name: str
):
    (tmp_path / name).mkdir()
    for command in (["publish", "c.yaml", "first.csv", "--partition", "eu"], ["decisions"]):
        code, out, err = run(*command, f"--root={name}")
        assert (code, out) == (2, "")
        assert "a Delta table cannot lie in a folder with this name" in err
    assert not any((tmp_path / name / folder).exists() for folder in ("ledger", "published"))
    assert {path.name for path in tmp_path.iterdir()} == {"c.yaml", "first.csv", "second.csv", "other.csv", name}


@pytest.mark.parametrize("name", ["my data", "a%b"])
def test_a_link_is_followed_to_where_the_table_is(run: Run, tmp_path: Path, name: str):
    (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(name)
    assert run("publish", "c.yaml", "first.csv", "--partition", "eu", "--root", "link")[0] == 0
    assert Store(tmp_path / name / "published").rows("cases").collect().rows() == [("eu", 1)]
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a%20b").mkdir()
    (tmp_path / "short").symlink_to("bad/a%20b")
    with pytest.raises(WrongUsageError):
        location(tmp_path / "short" / "ledger")


def test_what_hides_a_table_is_never_taken_for_its_absence(tmp_path: Path):
    (tmp_path / "ledger").write_text("a file")
    with pytest.raises(ContractCoreError, match="Not a directory"):
        Ledger(tmp_path / "ledger").entries()
    with pytest.raises(ContractCoreError, match="Not a directory"):
        Store(tmp_path / "ledger").rows("cases")
    assert open_table(tmp_path / "none") is None


def test_a_table_with_features_of_other_engines_is_not_read_wrongly(tmp_path: Path):
    pl.DataFrame({"a": [1]}).write_delta(str(tmp_path / "cases"))
    log = tmp_path / "cases" / "_delta_log" / f"{0:020d}.json"
    protocol = '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}'
    lines = [protocol if '"protocol"' in line else line for line in log.read_text().splitlines()]
    log.write_text("\n".join(lines))
    assert DeltaTable(tmp_path / "cases").protocol().reader_features == ["deletionVectors"]
    with pytest.raises(ContractCoreError, match="cannot be read: DeltaProtocolError"):
        Store(tmp_path).rows("cases")
