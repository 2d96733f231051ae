"""`docs/exports.md` says for each format and each kind of promise what the export itself says."""

import re
from functools import cache
from pathlib import Path

import pytest

from contract_core.exports.formats import FORMATS
from contract_core.validation.obligations import obligations_of
from tests.exports.judging import contract_of

TEXT = (Path(__file__).parents[2] / "docs" / "exports.md").read_text("utf-8")
HEADER, *LINES = [
    [cell.strip(" `") for cell in line.strip("|").split("|")]
    for line in TEXT.partition("## What each format carries")[2].splitlines()
    if line.startswith("|") and not line.startswith("|---")
]
CELLS = {(row[0], name): cell for row in LINES for name, cell in zip(HEADER[1:], row[1:], strict=True)}
FIELDS = """\
  - {name: a, type: string, pattern: "[a-z]+", min_length: 1, not_blank: true, trimmed: true, enum: [x, y]}
  - {name: b, type: string, pattern: '\\d', max_length: 1, not_blank: true, trimmed: true, enum: ["-"], nullable: true,
     severity: {length: warn, blank: warn, untrimmed: warn}}
  - {name: c, type: int64, min: 0, enum: [1]}
  - {name: d, type: float64, max: 1, required: false}
  - {name: e, type: "decimal(38,38)", min: 0, enum: [0.5]}
  - {name: f, type: date, min: 2026-01-01, enum: [2026-01-01]}
  - {name: g, type: "timestamp[ns,Europe/Rome]", max: 2026-01-01}
  - {name: h, type: number, severity: {not_finite: warn, "null": warn}}
  - {name: i, type: object}
  - {name: j, type: uint8}
  - {name: k, type: timestamp, min: 2026-01-01}
  - {name: l, type: float32, min: 0, enum: [0.5]}
"""
RULES = """\
rules: [{name: r, sql: c > 0}, {name: s, sql: LOWER(a) = 'x'}]
unique: [{name: u, fields: [a]}, {name: v, fields: [a], where: c > 1, severity: warn}]
duplicate_rows: error
groups: [{name: x, by: [a], sql: SUM(c) > 0}, {name: z, by: [a], sql: COUNT(*) > 0, severity: warn}]
history: [{name: y, sql: c > previous.c}, {name: w, vanished: true, severity: warn}]
"""
CONTRACTS = [
    contract_of(f"key: [c]\n{RULES}delivery: {{format: {{type: parquet}}}}\nfields:\n{FIELDS}"),
    contract_of(
        "key: [c]\npublication: {mode: append}\nfreshness: {column: f, max_age: 2d}\n"
        "monitors: {volume: {max_change: 50%}, fields: {c: {mean_change: 50%}, a: {null_rate: 5%}}}\nfields:\n"
        f"{FIELDS}{RULES}"
        "delivery:\n  format: {type: envelope}\n  partition: {column: f, every: day, start: 2026-10-01}\n"
        "  due: {by: '09:00'}\n  parts: {from: envelope, required: [p]}\n"
    ),
    contract_of(
        f"{RULES}key: [c]\ndelivery: {{partition: {{column: f, every: day, start: 2026-10-01}}}}\nfields:\n{FIELDS}"
    ),
]
LABELS = list(dict.fromkeys(item.rule for contract in CONTRACTS for item in obligations_of(contract)))
WHOLE = ("canonical", "odcs")


@cache
def named(format_name, index):
    """The obligations that an export says it does not carry, or carries in part."""
    contract = CONTRACTS[index]
    sentences = FORMATS[format_name].write(contract).not_carried
    paths = {path for sentence in sentences for path in re.findall(r"`([^`]+)`", sentence.partition("`: ")[0] + "`")}
    return {item.id for item in obligations_of(contract) if item.id in paths or f"*.{item.rule}" in paths}


def extent(format_name, label):
    """Whether the obligations of a kind are carried: all, some, or none of them."""
    asked = [
        (index, item.id)
        for index, contract in enumerate(CONTRACTS)
        for item in obligations_of(contract)
        if item.rule == label
    ]
    missing = [name for index, name in asked if name in named(format_name, index)]
    return "yes" if not missing else "no" if len(missing) == len(asked) else "part"


@pytest.mark.parametrize("format_name", [name for name in FORMATS if name not in WHOLE])
def test_the_table_says_what_the_export_says(format_name):
    found = {label: extent(format_name, label) for label in LABELS}
    assert {label: CELLS[label, format_name] for label in LABELS} == found


def test_the_table_has_every_kind_of_promise_and_every_format():
    assert [row[0] for row in LINES] == LABELS
    assert HEADER[1:] == [name for name in FORMATS if name not in WHOLE]


def test_every_format_is_described():
    assert [name for name in FORMATS if f"| `{name}` |" not in TEXT] == []


def test_the_canonical_form_carries_everything():
    assert [FORMATS["canonical"].write(contract).not_carried for contract in CONTRACTS] == [(), (), ()]
