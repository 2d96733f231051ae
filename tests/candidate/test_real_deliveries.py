"""Every real delivery is decoded as its contract says: rows, columns, nulls and undecoded values as an independent oracle counts."""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.contract.model import Contract
from tests.candidate.offers import RECEIVED, rows

HERE = Path(__file__).resolve()
DATA = next(
    (path for folder in HERE.parents if (path := folder / "shared" / "data").is_dir()), HERE.parents[2] / "data"
)
TYPES = {"datetime": "timestamp", "integral_number": "integer"}


def real_cases() -> list:
    return [
        pytest.param(folder.parent, case, id=f"{case['delivery']}-{case['contract']}")
        for folder in sorted(DATA.glob("*/expected.json"))
        for case in json.loads(folder.read_text())
    ]


def contract_like(draft: dict) -> Contract:
    """The decoding half of a draft contract, in our words."""
    columns, dialect = draft["columns"], draft["dialect"]
    tokens = {column["name"]: column["tokens"] for column in columns if "tokens" in column}
    stated = {
        "type": "csv",
        "delimiter": dialect["delimiter"],
        "encoding": dialect["encoding"],
        "decimal": dialect.get("decimal", "."),
        "null_values": dialect["null_tokens"],
        "dates": {column["name"]: column["format"] for column in columns if "format" in column},
        "integral": [column["name"] for column in columns if column["type"] == "integral_number"],
        "true_values": {name: [text for text, value in pairs.items() if value] for name, pairs in tokens.items()},
        "false_values": {name: [text for text, value in pairs.items() if not value] for name, pairs in tokens.items()},
    }
    fields = [
        {"name": column["name"], "type": TYPES.get(column["type"], column["type"]), "nullable": True}
        for column in columns
    ]
    delivery = {"format": {key: value for key, value in stated.items() if value}}
    return Contract.model_validate(
        {"contract": draft["id"], "version": draft["version"], "fields": fields, "delivery": delivery}
    )


def draft_of(folder: Path, name: str) -> dict:
    return next(
        draft
        for draft in yaml.safe_load_all((folder / "contracts_draft.yaml").read_text())
        if draft["contract"] == name
    )


def expected(case: dict, *rules: str) -> dict[str, int | None]:
    stated = [found for found in case["violations"] if found["rule"] in rules and not found.get("derived")]
    return {found["column"]: found.get("count") for found in stated}


@pytest.mark.parametrize(("folder", "case"), real_cases())
def test_a_real_delivery_is_decoded_as_its_contract_says(tmp_path, folder, case):
    contract = contract_like(draft_of(folder, case["contract"]))
    candidate = take_candidate(contract, collect_delivery(contract, [folder / case["file"]], None), tmp_path, RECEIVED)
    frame = rows(candidate)
    (file,) = candidate.facts.files
    assert (file.unreadable, file.rows, len(file.columns)) == (None, case["facts"]["rows"], case["facts"]["n_columns"])
    assert file.sha256 == case["facts"]["sha256"]
    assert {extra.name: None for extra in candidate.facts.extra_columns} == expected(case, "schema.unexpected_column")
    assert dict.fromkeys(candidate.facts.missing) == expected(case, "schema.missing_column")
    declared = [name for name in contract.field_names if name in frame.columns]
    undecoded = {name: frame[f"__raw.{name}"].count() for name in declared}
    assert {name: count for name, count in undecoded.items() if count} == expected(case, "type")
    nulls = {name: frame.filter(pl.col(name).is_null() & pl.col(f"__raw.{name}").is_null()).height for name in declared}
    counted = {name: count for name, count in case["facts"]["null_counts"].items() if name in declared}
    assert {name: count for name, count in nulls.items() if count} == counted
