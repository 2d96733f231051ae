"""No value from the data stands in anything that the command line says, whatever is wrong with a delivery."""

import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.commands import Run, written

TEXT, NUMBER, DAY, KEY = "s3cret", 987654321, "2033-03-03", "hidden_key"
MARKERS = (TEXT, str(NUMBER), f"{NUMBER:,}", DAY, KEY)
FIELDS = """\
contract: cases
version: "1.0.0"
key: [id]
duplicate_rows: warn
fields:
  - {name: id, type: string, pattern: "[a-z]", max_length: 1, trimmed: true, not_blank: true}
  - {name: day, type: date, max: 2026-12-31}
  - {name: n, type: integer, min: 0, max: 9, enum: [1, 2]}
  - {name: x, type: number, max: 1, nullable: true, required: false}
rules: [{name: small, sql: "n < 5 AND id <> 'q'"}]
unique: [{name: once, fields: [n], where: n > 5}]
freshness: {column: day, max_age: 1d}
"""


def contract(format_: str, parts: str = "", partition: str = "{column: day, every: day, start: 2026-10-01}") -> str:
    return (
        f'{FIELDS}delivery:\n  path: "{{partition}}"\n  format: {{type: {format_}}}\n  partition: {partition}\n{parts}'
    )


def parquet(columns: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


COLUMN_PARTS = "  parts: {from: column, column: id, required: [a]}\n"
MANIFEST_PARTS = "  manifest: required\n  parts: {from: manifest, required: [a]}\n"
ENVELOPE_PARTS = "  parts: {from: envelope, required: [a]}\n"
RECORD = {"id": TEXT, "day": DAY, "n": NUMBER, "x": NUMBER, KEY: TEXT}
TORN = {"id": [TEXT], "day": {"k": DAY}, "n": TEXT, "x": TEXT}
ROWS = f"id,day,n,x\n{TEXT},{DAY},{NUMBER},{NUMBER}\n{TEXT},{DAY},{NUMBER},{NUMBER}\n"


def envelope(**terms: Any) -> str:
    return json.dumps(
        {
            "contract": TEXT,
            "day": DAY,
            "unit": TEXT,
            KEY: TEXT,
            "partitions": {
                "a": {"complete": TEXT, "rows": [RECORD, TORN, TEXT], KEY: TEXT},
                TEXT: {"complete": True, "rows": [RECORD]},
            },
        }
        | terms
    )


MANIFEST = json.dumps(
    {
        "contract": TEXT,
        "version": TEXT,
        "partition": DAY,
        "units": {KEY: TEXT, "n": TEXT},
        KEY: TEXT,
        "parts": {
            TEXT: {"complete": TEXT, "rows": TEXT, "sha256": TEXT, "file": TEXT},
            "a": {"complete": True, "rows": NUMBER, KEY: TEXT},
        },
    }
)
DELIVERIES = [
    pytest.param(contract("csv"), {"d_csv": ROWS}, id="values that break rules"),
    pytest.param(contract("csv"), {"d_csv": f"id,day,n,x\n{DAY},{TEXT},{TEXT},{TEXT}\n"}, id="values that do not decode"),
    pytest.param(contract("csv"), {"d_csv": f"{TEXT},{DAY},{NUMBER},{KEY}\n1,2,3,4\n"}, id="undeclared columns"),
    pytest.param(contract("csv"), {"d_csv": f"{TEXT},{TEXT}\n1,2\n"}, id="P17 a column twice"),
    pytest.param(contract("csv"), {"d_csv": f'id,day,n,x\n"{TEXT},{DAY}\n'}, id="an open quote"),
    pytest.param(contract("csv"), {"d_csv": f"id,day,n,x\n{TEXT},{DAY},{NUMBER},{NUMBER},{TEXT},{KEY}\n"}, id="a row too wide"),
    pytest.param(contract("csv"), {"d_csv": f"id,day,n,x\n{TEXT}".encode() + b"\xff\n"}, id="bytes that are no text"),
    pytest.param(contract("csv", COLUMN_PARTS), {"d_csv": ROWS}, id="unexpected parts"),
    pytest.param(contract("csv", MANIFEST_PARTS), {"d_csv": ROWS, "_manifest_json": MANIFEST}, id="a manifest full of mistakes"),
    pytest.param(contract("csv", MANIFEST_PARTS), {"d_csv": ROWS, "_manifest_json": f'{{"contract": "{TEXT}", {TEXT}'}, id="a torn manifest"),
    pytest.param(contract("csv", MANIFEST_PARTS), {"d_csv": ROWS, "_manifest_json": f'["{TEXT}"]'}, id="a manifest that is a list"),
    pytest.param(contract("jsonl"), {"d_jsonl": "\n".join(json.dumps(item) for item in (RECORD, RECORD, TORN, TEXT, [TEXT], NUMBER))}, id="records of every kind"),
    pytest.param(contract("jsonl"), {"d_jsonl": f'{{"id": "{TEXT}", "id": "{TEXT}"}}\n'}, id="a key twice"),
    pytest.param(contract("jsonl"), {"d_jsonl": f'{{"id": "{TEXT}", {KEY}\n'}, id="torn JSON"),
    pytest.param(contract("envelope", ENVELOPE_PARTS), {"d_json": envelope()}, id="an envelope full of mistakes"),
    pytest.param(contract("envelope", ENVELOPE_PARTS), {"d_json": envelope(partitions=TEXT)}, id="S2-044 an envelope without parts"),
    pytest.param(contract("envelope", ENVELOPE_PARTS), {"d_json": envelope(partitions={TEXT: TEXT, "a": [TEXT]})}, id="S2-044 parts that are none"),
    pytest.param(contract("envelope", ENVELOPE_PARTS), {"d_json": f'["{TEXT}"]'}, id="S2-044 an envelope that is a list"),
    pytest.param(contract("envelope", ENVELOPE_PARTS), {"d_json": envelope()[:-20]}, id="a torn envelope"),
    pytest.param(contract("parquet"), {"d_parquet": parquet({"id": [TEXT] * 2, "day": [date(2033, 3, 3)] * 2, "n": [NUMBER] * 2, "x": [float(NUMBER)] * 2, KEY: [TEXT] * 2})}, id="Parquet that breaks rules"),
    pytest.param(contract("parquet"), {"d_parquet": parquet({"id": [NUMBER], "day": [TEXT], "n": [TEXT], "x": [TEXT]})}, id="Parquet of other types"),
    pytest.param(contract("parquet"), {"d_parquet": TEXT.encode() * 100}, id="no Parquet"),
    pytest.param(contract("parquet", partition="{column: id}"), {"d_parquet": parquet({"id": [TEXT], "day": [date(2033, 3, 3)], "n": [NUMBER]})}, id="rows of another partition"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "files"), DELIVERIES)
def test_a_failing_delivery_is_told_without_its_values(
    run: Run, tmp_path: Path, text: str, files: dict[str, str | bytes]
) -> None:
    """S1-063, S1-064, S1-092, S3-015, S3-016."""
    landing, contracts = tmp_path / "landing", tmp_path / "data" / "contracts"
    landing.mkdir()
    contracts.mkdir(parents=True)
    written(landing, **files)
    written(contracts, cases_yaml=text)
    key = "2026-10-01" if "every: day" in text else "a"
    codes, said = [], []
    for command in ("check", "publish"):
        for options in ([], ["--json"]):
            code, out, err = run(command, "cases", landing, "--partition", key, *options)
            codes.append(code)
            said.append(out + err)
    said += [
        output
        for command in ("decisions", "status")
        for options in ([], ["--json"])
        for output in run(command, *options)[1:]
    ]
    assert codes == [1, 1, 1, 1]
    assert [marker for marker in MARKERS if marker in "".join(said)] == []


def test_the_ledger_and_the_names_of_stored_files_hold_no_value(run: Run, tmp_path: Path) -> None:
    """S1-092."""
    landing = tmp_path / "landing"
    landing.mkdir()
    written(landing, d_csv=ROWS)
    written(tmp_path, secret_yaml=contract("csv"))
    run("publish", "secret.yaml", landing, "--partition", "2026-10-01")
    table = tmp_path / "data" / "ledger"
    log = b"".join(path.read_bytes() for path in table.rglob("*.json"))
    rows = str(pl.read_delta(str(table)).rows())
    assert [marker for marker in MARKERS if marker.encode() in log or marker in rows] == []
    assert [path for path in (tmp_path / "data").rglob("*") if any(marker in path.name for marker in MARKERS)] == []
