"""`infer` and `import` on the command line: the contract on standard output, what is told beside it on standard error."""

import json
from pathlib import Path

import polars as pl
import pytest

from contract_core.contract.parsing import parse_contract
from tests.commands import Run

ODCS = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: draft
schema:
  - name: orders
    logicalType: object
    properties:
      - {name: order_id, logicalType: string, required: true}
  - name: returns
    logicalType: object
    properties:
      - {name: order_id, logicalType: string, required: true}
"""


def test_infer_prints_a_contract_that_lint_and_check_take(run: Run, tmp_path: Path) -> None:
    """[S4-025]"""
    code, out, err = run("infer", "good.csv", "--name", "cases")
    assert (code, parse_contract(out, "x").contract) == (0, "cases")
    assert "2 rows keep all" in err
    (tmp_path / "first.yaml").write_text(out)
    assert run("lint", "first.yaml")[0] == 0
    assert run("check", "first.yaml", "good.csv")[0] == 0


def test_infer_writes_a_file_once(run: Run, tmp_path: Path) -> None:
    assert run("infer", "good.csv", "--name", "cases", "--out", "first.yaml")[:2] == (0, "")
    before = (tmp_path / "first.yaml").read_text()
    code, out, err = run("infer", "bad.csv", "--name", "cases", "--out", "first.yaml")
    assert (code, out) == (2, "")
    assert err.startswith("first.yaml: is there already")
    assert (tmp_path / "first.yaml").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["good.csv", "--name", "No Name"], "--name: is no contract name", id="no name"),
        pytest.param(["nowhere.csv", "--name", "cases"], "delivery nowhere.csv: is not there", id="no file"),
        pytest.param(["good.csv", "--name", "cases", "--out", "good.csv/x.yaml"], "good.csv/x.yaml: cannot be written: File exists", id="no folder"),
        pytest.param(["good.csv", "--name", "cases", "--partition-column", "x"], "--partition-column: is no field of what was found", id="no column"),
    ],
)  # fmt: skip
def test_infer_says_what_is_wrong(run: Run, arguments: list[str], told: str) -> None:
    code, out, err = run("infer", *arguments)
    assert (code, out, err.splitlines()[0]) == (2, "", told)


def test_infer_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    run("infer", "good.csv", "--name", "cases")
    assert sorted(tmp_path.rglob("*")) == before


def test_import_takes_its_name_from_the_file(run: Run, tmp_path: Path) -> None:
    pl.DataFrame({"a": [1], "o": [{"k": 1}]}).write_parquet(tmp_path / "WebOrders-2026.parquet")
    code, out, err = run("import", "WebOrders-2026.parquet", "--from", "parquet")
    assert (code, parse_contract(out, "x").contract) == (0, "web_orders_2026")
    assert err == "note: `o`: what stands inside Struct(1 fields) is not promised\n"


def test_import_reads_json_schema(run: Run, tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer", "multipleOf": 2}},
        "additionalProperties": False,
    }
    (tmp_path / "s.json").write_text(json.dumps(schema))
    code, out, err = run("import", "s.json", "--from", "json-schema", "--name", "cases", "--out", "x.yaml")
    assert (code, out, err) == (0, "", "note: `a.multipleOf`: a contract has no such rule\n")
    assert run("lint", "x.yaml")[0] == 0


def test_import_chooses_a_table_of_the_standard(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(ODCS)
    code, out, _ = run("import", "shop.yaml", "--from", "odcs", "--table", "returns")
    assert (code, parse_contract(out, "x").contract) == (0, "returns")
    code, out, err = run("import", "shop.yaml", "--from", "odcs")
    assert (code, out) == (2, "")
    assert err == "shop.yaml: holds several tables\n    name one with --table: orders, returns\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["nowhere.json", "--from", "json-schema"], "nowhere.json: cannot be read: No such file or directory", id="no file"),
        pytest.param(["nowhere.yaml", "--from", "odcs"], "nowhere.yaml: cannot be read: No such file or directory", id="no document"),
        pytest.param(["no_module:x", "--from", "pandera"], "no_module:x: cannot be imported: ModuleNotFoundError", id="no module"),
        pytest.param(["1.parquet", "--from", "parquet"], "--name: is needed: the source's own name makes none", id="no name"),
        pytest.param(["x.parquet", "--from", "parquet", "--table", "a"], "--table: parquet describes one table", id="one table"),
    ],
)  # fmt: skip
def test_import_says_what_is_wrong(run: Run, arguments: list[str], told: str) -> None:
    code, out, err = run("import", *arguments)
    assert (code, out, err.splitlines()[0]) == (2, "", told)


def test_status_tells_how_quiet_a_warning_contract_is(run: Run, tmp_path: Path) -> None:
    """[S4-026]"""
    (tmp_path / "data/contracts").mkdir(parents=True)
    out = run("infer", "good.csv", "--name", "cases")[1]
    (tmp_path / "data/contracts/cases.yaml").write_text(out)
    assert run("publish", "cases", "good.csv")[0] == 0
    assert "on_breach: warn; quiet for 1 submission" in run("status")[1]
    assert json.loads(run("status", "--json")[1])[0]["quiet"]["submissions"] == 1
