"""A contract as a flat list of obligations: their order, their ids, their layers."""

import pytest

from contract_core.contract.promises import Severity
from contract_core.validation.obligations import Layer, obligations_of
from contract_core.validation.promise_kinds import Between
from tests.validation.judged import contract_of

FIELDS = "fields:\n  - {name: day, type: date}\n  - {name: text, type: string, enum: [a], pattern: a, max_length: 1, not_blank: true, trimmed: true}\n  - {name: n, type: number, min: 0, unit: ms}\n"
SCHEMA = ["unreadable", "extra_field"]
OF_FIELDS = [
    "day.missing", "day.null", "day.type", "text.missing", "text.null", "text.type", "text.enum", "text.pattern", "text.length", "text.blank",
    "text.untrimmed", "n.missing", "n.null", "n.type", "n.not_finite", "n.range",
]  # fmt: skip


def ids(text: str) -> list[str]:
    return [obligation.id for obligation in obligations_of(contract_of(text))]


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        pytest.param("", [*SCHEMA, *OF_FIELDS, "row_count"], id="S3-013 fields in their order"),
        pytest.param("extra_fields: ignore\n", ["unreadable", *OF_FIELDS, "row_count"], id="S3-005 open to other fields"),
        pytest.param("extra_fields: keep\n", [*SCHEMA, *OF_FIELDS, "row_count"], id="S1-101 keeps other fields, where it can"),
        pytest.param("key: [day]\n", [*SCHEMA, *OF_FIELDS, "key", "row_count"], id="key"),
        pytest.param(
            "key: [day]\nrules: [{name: r, sql: n > 0}]\nunique: [{name: u, fields: [n]}]\nduplicate_rows: warn\nfreshness: {column: day, max_age: 1d}\n",
            [*SCHEMA, *OF_FIELDS, "r.row_rule", "key", "u.unique", "duplicate_rows", "row_count", "freshness"],
            id="all that rows can break",
        ),
        pytest.param("delivery: {format: {type: jsonl}}\n", ["unreadable", "not_object", "extra_field", *OF_FIELDS, "row_count"], id="S3-014 records"),
        pytest.param("delivery: {partition: {column: text}}\n", [*SCHEMA, *OF_FIELDS, "row_count", "partition"], id="partition"),
        pytest.param("delivery: {manifest: optional}\n", [*SCHEMA, *OF_FIELDS, "row_count", "contract", "unit", "completeness"], id="manifest"),
        pytest.param("delivery: {parts: {from: file, required: [a]}}\n", [*SCHEMA, *OF_FIELDS, "row_count", "coverage.missing", "coverage.unexpected"], id="parts"),
        pytest.param(
            "delivery: {format: {type: envelope}, partition: {column: day, every: day, start: 2026-10-01}, parts: {from: envelope, required: [a]}}\n",
            ["unreadable", "not_object", "extra_field", *OF_FIELDS, "row_count", "partition", "partition.declared", "contract", "unit", "coverage.missing", "coverage.unexpected", "completeness"],
            id="envelope",
        ),
    ],
)  # fmt: skip
def test_obligations_come_in_the_contract_s_order(addition: str, expected: list[str]) -> None:
    """S1-002."""
    assert ids(FIELDS + addition) == expected


def test_every_layer_has_its_obligations() -> None:
    """S1-002, S1-015."""
    found = obligations_of(contract_of(FIELDS + "key: [day]\nfreshness: {column: day, max_age: 1d}\n"))
    by_layer = {layer: [item.id for item in found if item.layer is layer] for layer in Layer}
    assert by_layer[Layer.OPERATIONS] == ["row_count", "freshness"]
    assert by_layer[Layer.SCHEMA] == [
        "unreadable",
        "extra_field",
        *(name for name in OF_FIELDS if name.endswith((".missing", ".type"))),
    ]
    assert "key" in by_layer[Layer.ROWS]


@pytest.mark.parametrize(
    ("text", "name", "severity"),
    [
        pytest.param(FIELDS, "n.range", Severity.ERROR, id="error by default"),
        pytest.param(FIELDS.replace("min: 0", "min: 0, severity: {range: warn}"), "n.range", Severity.WARN, id="rule of a field"),
        pytest.param(FIELDS.replace("min: 0", "min: 0, severity: {range: warn}"), "n.null", Severity.ERROR, id="and no other"),
        pytest.param(FIELDS.replace("min: 0", "min: 0, required: false, severity: warn"), "n.type", Severity.WARN, id="all rules of an optional field"),
        pytest.param(FIELDS + "rows: {min: 1, severity: warn}\n", "row_count", Severity.WARN, id="row count"),
        pytest.param(FIELDS + "rules: [{name: r, sql: n > 0, severity: warn}]\n", "r.row_rule", Severity.WARN, id="row rule"),
        pytest.param(FIELDS + "unique: [{name: u, fields: [n], severity: warn}]\n", "u.unique", Severity.WARN, id="uniqueness"),
        pytest.param(FIELDS + "freshness: {column: day, max_age: 1d, severity: warn}\n", "freshness", Severity.WARN, id="freshness"),
    ],
)  # fmt: skip
def test_a_severity_is_that_of_its_rule_alone(text: str, name: str, severity: Severity) -> None:
    """S1-005."""
    (found,) = [item for item in obligations_of(contract_of(text)) if item.id == name]
    assert found.severity is severity


@pytest.mark.parametrize(
    ("attributes", "judges_nan"),
    [
        pytest.param("type: number, min: 0", False, id="not_finite judges it"),
        pytest.param("type: number, min: 0, allow_nan: true", True, id="nothing else judges it"),
        pytest.param("type: number, min: 0, severity: {not_finite: warn}", True, id="not_finite only warns"),
    ],
)
def test_nan_never_passes_a_bound_in_silence(attributes: str, judges_nan: bool) -> None:
    """P02."""
    (found,) = [
        item for item in obligations_of(contract_of(f"fields: [{{name: a, {attributes}}}]\n")) if item.rule == "range"
    ]
    assert found.promise == Between("a", 0, None, judges_nan)
