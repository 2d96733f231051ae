"""Row obligations as SQL predicates: what is covered, how it is written and named, and what says why it is not."""

from collections.abc import Mapping

import polars as pl
import pytest

from contract_core.validation.sql import target_rules
from contract_core.validation.target_rule import RULE_NAME, TargetRule, not_null_fields
from tests.validation.judged import contract_of

TYPES: Mapping[str, pl.DataType] = {
    "i": pl.Int64(), "k": pl.Int8(), "m": pl.Decimal(12, 2), "f": pl.Float64(), "g": pl.Float32(), "s": pl.String(), "t": pl.String(),
    "d": pl.Date(), "at": pl.Datetime("us"), "utc": pl.Datetime("us", "UTC"), "b": pl.Boolean(), "u": pl.Decimal(20, 0),
    "clock": pl.String(), "x y": pl.Int64(), "null": pl.Int64(), "List": pl.String(),
}  # fmt: skip
OPEN = "nullable: true"


def rules_of(text: str, types: Mapping[str, pl.DataType] = TYPES) -> dict[str, TargetRule]:
    return {rule.obligation.id: rule for rule in target_rules(contract_of(text), types)}


def field(name: str, type_: str, rules: str, more: str = "") -> dict[str, TargetRule]:
    return rules_of(f'fields: [{{name: "{name}", type: "{type_}", {OPEN}, {rules}}}]\n{more}')


PREDICATES = {
    "integer bounds are whole": ("i", "integer", "min: 5.5, max: 100.5", '"i" IS NULL OR ("i" >= 6 AND "i" <= 100)'),
    "a bound beyond the type is open": ("k", "int8", "min: -1000, max: 5", '"k" IS NULL OR (NOT "k" IS NULL AND "k" <= 5)'),
    "a bound that nothing reaches": ("k", "int8", "min: 1000", '"k" IS NULL OR FALSE'),
    "decimals by their smallest steps": (
        "m", "decimal(12,2)", "max: 5.555",
        "\"m\" IS NULL OR round(\"m\" * CAST('100' AS DECIMAL(3, 0))) <= CAST('555' AS DECIMAL(3, 0))",
    ),
    "a wide integer": ("u", "uint64", "max: 18446744073709551614", "\"u\" IS NULL OR \"u\" <= CAST('18446744073709551614' AS DECIMAL(20, 0))"),
    "NaN passes no bound": ("f", "float64", "min: 0, allow_nan: true", '"f" IS NULL OR (NOT isnan("f") AND "f" >= 0.0)'),
    "NaN is left to not_finite where that holds it back": ("f", "float64", "min: 0", '"f" IS NULL OR (isnan("f") OR "f" >= 0.0)'),
    "a single is compared as a double": ("g", "float32", "max: 0.1", '"g" IS NULL OR (isnan("g") OR CAST("g" AS DOUBLE) <= 0.10000000149011612)'),
    "zero in a list is -0.0 too": ("f", "float64", "enum: [0, 1.5]", '"f" IS NULL OR (abs("f") = 0.0 OR "f" = 1.5)'),
    "a family keeps what its narrowest type keeps": (
        "f", "number", "max: 0.1", '"f" IS NULL OR (isnan("f") OR ("f" <= 0.1 OR "f" = 0.10000000149011612))',
    ),
    "a day": ("d", "date", "min: 2026-01-01", "\"d\" IS NULL OR \"d\" >= CAST('2026-01-01' AS DATE)"),
    "a day as upper bound of moments": ("at", "timestamp", "max: 2026-01-01", "\"at\" IS NULL OR \"at\" <= '2026-01-01T23:59:59.999999'"),
    "a day in its own zone": (
        "utc", "timestamp[us,Europe/Amsterdam]", "max: 2026-10-25", "\"utc\" IS NULL OR \"utc\" <= '2026-10-25T22:59:59.999999Z'",
    ),
    "lengths in code points": ("s", "string", "min_length: 1, max_length: 3", '"s" IS NULL OR (character_length("s") >= 1 AND character_length("s") <= 3)'),
    "white space by name": ("s", "string", "not_blank: ascii", "\"s\" IS NULL OR btrim(\"s\", ' \t\n\v\f\r') <> ''"),
    "the whole value matches": ("s", "string", 'pattern: "a|b"', "\"s\" IS NULL OR regexp_like(\"s\", '\\A(?:a|b)\\z')"),
    "a list of texts": ("s", "string", 'enum: [a, "it\'s"]', "\"s\" IS NULL OR \"s\" IN ('a', 'it''s')"),
    "a list behind a name in quotes": ("List", "string", "enum: [a, b.c]", "\"List\" IS NULL OR regexp_like(\"List\", '\\A(?:a|b\\.c)\\z')"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "type_", "rules", "predicate"), PREDICATES.values(), ids=PREDICATES)
def test_a_field_rule_is_written_for_the_published_type(name: str, type_: str, rules: str, predicate: str) -> None:
    """S1-050: bounds in the type's own steps, missing values let through, NaN never."""
    found = [rule.predicate for rule in field(name, type_, rules).values() if rule.obligation.rule != "not_finite"]
    assert found == [predicate]


def row_rule(sql: str, on_null: str = "breach") -> TargetRule:
    names = {"i": "integer", "f": "float64", "s": "string", "b": "boolean", "clock": "time", "m": '"decimal(12,2)"'}
    fields = ", ".join(f"{{name: {name}, type: {type_}, {OPEN}}}" for name, type_ in names.items())
    return rules_of(f'fields: [{fields}]\nrules: [{{name: r, sql: "{sql}", on_null: {on_null}}}]\n')["r.row_rule"]


CONDITIONS = {
    "unknown breaks it": ("i > 1.5", "breach", '"i" >= 2'),
    "unknown keeps it": ("i > 1.5", "keep", '"i" IS NULL OR "i" >= 2'),
    "NOT is carried inwards": ("NOT (i > 1 OR b)", "breach", '"i" <= 1 AND NOT "b"'),
    "and lets unknown through where asked": ("NOT (i > 1 OR b)", "keep", '("i" IS NULL OR "i" <= 1) AND ("b" IS NULL OR NOT "b")'),
    "NaN is unknown": ("f <> 1", "breach", 'NOT isnan("f") AND "f" <> 1.0'),
    "NaN is unknown, which keeps it": ("f <> 1", "keep", '"f" IS NULL OR isnan("f") OR "f" <> 1.0'),
    "NaN is null": ("f IS NULL", "breach", '"f" IS NULL OR isnan("f")'),
    "IS TRUE knows no unknown": ("(i > 1) IS NOT TRUE", "breach", '"i" IS NULL OR "i" <= 1'),
    "distinct from a literal": ("i IS DISTINCT FROM 1", "breach", '"i" IS NULL OR "i" <> 1'),
    "a sum is exact": ("i + 1 > i", "breach", "(CAST(\"i\" AS DECIMAL(19, 0))) + (CAST('1' AS DECIMAL(1, 0))) > CAST(\"i\" AS DECIMAL(19, 0))"),
    "two conditions alike": ("(i > 1) = (s IS NULL)", "breach", '("i" >= 2 AND "s" IS NULL) OR ("i" <= 1 AND NOT "s" IS NULL)'),
    "two conditions alike or unknown": (
        "b = (i > 1)", "keep",
        '(("b" IS NULL OR NOT "b") OR ("i" IS NULL OR "i" >= 2)) AND (("b" IS NULL OR "b") OR ("i" IS NULL OR "i" <= 1))',
    ),
    "LIKE": ("s LIKE 'a%'", "breach", "regexp_like(\"s\", '(?s)\\Aa.*\\z')"),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "on_null", "predicate"), CONDITIONS.values(), ids=CONDITIONS)
def test_a_row_rule_is_written_without_three_valued_logic(sql: str, on_null: str, predicate: str) -> None:
    assert row_rule(sql, on_null).predicate == predicate


NOT_COVERED = {
    "CASE": ("CASE WHEN b THEN TRUE ELSE FALSE END", "it uses CASE"),
    "COALESCE": ("COALESCE(i, 0) = 1", "it uses COALESCE"),
    "LOWER": ("LOWER(s) = 'a'", "it uses LOWER"),
    "division": ("i / 2 > 1", "it uses DIV"),
    "float sums": ("f + 1 > 2", "it calculates with other than whole numbers"),
    "a product beyond 38 digits": ("i * i > 1", "a result may have more than 38 digits there"),
    "a time": ("clock IS NULL", "the published table has no column 'clock' of the promised kind"),
    "two kinds": ("i = m", "it compares Int64 with Decimal(precision=12, scale=2)"),
    "a double literal": ("i > 1e3", "it compares exact numbers with a number in exponent notation, which is a double"),
    "NULL in a list": ("i IN (1, NULL)", "it looks for a value in a list with NULL"),
}


@pytest.mark.parametrize(("sql", "why_not"), NOT_COVERED.values(), ids=NOT_COVERED)
def test_a_row_rule_that_is_left_to_the_gate_says_why(sql: str, why_not: str) -> None:
    rule = row_rule(sql)
    assert (rule.predicate, rule.why_not) == (None, why_not)


def test_what_the_stored_text_would_change_is_left_to_the_gate() -> None:
    """Names that lose their quotes, and texts whose quotes would be counted twice."""
    assert "without quotes" in field("null", "integer", "min: 1")["null.range"].why_not
    assert "without the quotes" in field("x y", "integer", "enum: [1, 2, 3, 4]")["x y.enum"].why_not
    assert "as another text" in field("s", "string", "enum: [\"''\"]")["s.enum"].why_not
    assert "as another one" in field("s", "string", "pattern: \"'.'\"")["s.pattern"].why_not
    assert "time zone of each delivery" in field("utc", "timestamp", "min: 2026-01-01")["utc.range"].why_not
    assert (
        "more than 38 digits"
        in rules_of(f'fields: [{{name: z, type: "decimal(38,10)", {OPEN}, min: 1}}]\n', {"z": pl.Decimal(38, 10)})[
            "z.range"
        ].why_not
    )


def test_uniqueness_is_the_gates_alone() -> None:
    """S1-008, S1-055."""
    rules = rules_of(
        "fields: [{name: i, type: integer}]\nkey: [i]\nunique: [{name: u, fields: [i]}]\nduplicate_rows: error\n"
        "publication: {mode: append}\n"
    )
    about_keys = [rule for name, rule in rules.items() if name != "i.null"]
    assert {rule.predicate for rule in about_keys} == {None}
    assert {rule.why_not for rule in about_keys} == {"Delta enforces no uniqueness; the gate itself does"}
    assert {"key", "u.unique", "duplicate_rows"} <= set(rules)


def test_null_is_enforced_where_a_field_is_always_there() -> None:
    contract = contract_of(
        "fields:\n  - {name: i, type: integer}\n  - {name: k, type: int8, required: false}\n  - {name: s, type: string, nullable: true}\n"
        '  - {name: t, type: string, severity: {"null": warn}}\n'
    )
    rules = {rule.obligation.id: rule for rule in target_rules(contract, TYPES)}
    assert not_null_fields(contract) == ("i",)
    assert rules["i.null"].predicate == 'NOT "i" IS NULL'
    assert rules["k.null"].why_not == "where the field is absent, its column is published as null"
    assert set(rules) == {"i.null", "k.null"}


def test_a_policy_that_warns_leaves_every_rule_to_the_gate() -> None:
    contract = contract_of("fields: [{name: i, type: integer, min: 1}]\nenforcement: {on_breach: warn}\n")
    assert not_null_fields(contract) == ()
    assert {rule.predicate for rule in target_rules(contract, TYPES)} == {None}


def test_a_name_follows_the_predicate_and_the_nullability_of_its_columns() -> None:
    first, again, other = (field("i", "integer", f"min: {low}")["i.range"].name for low in (1, 1, 2))
    strict = rules_of("fields: [{name: i, type: integer, min: 1}]\n")["i.range"]
    assert first == again
    assert len({first, other, strict.name}) == 3
    assert strict.predicate == field("i", "integer", "min: 1")["i.range"].predicate


def test_names_are_bounded_distinct_and_plain() -> None:
    names = ["a b", "a.b", "é", "x" * 255, "x" * 254 + "y"]
    fields = ", ".join(f'{{name: "{name}", type: integer, min: 1}}' for name in names)
    rules = rules_of(f"fields: [{fields}]\n", dict.fromkeys(names, pl.Int64()))
    assert len({rule.name for rule in rules.values()}) == len(rules) == 10
    assert all(RULE_NAME.fullmatch(rule.name) for rule in rules.values())
