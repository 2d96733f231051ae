"""Which rows break which promises: what goes to quarantine and with which reasons, and that all others stay."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from contract_core.candidate.columns import FILE_INDEX, ROW_NUMBER
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.validation.breaking_rows import RULE, RULES, breaking_rows, conforming_rows
from contract_core.validation.past import Past
from contract_core.validation.plan import validate
from tests.validation.judged import AS_OF, breaches, contract_of, outcomes

QUARANTINE = "enforcement: {on_breach: quarantine}\n"
PARQUET = "delivery: {format: {type: parquet}}\n"
JSON = "delivery: {format: {type: jsonl}}\n"
Rules = list[str]


def taken(text: str, folder: Path, files: Mapping[str, bytes | str | pl.DataFrame]) -> tuple[Contract, Candidate]:
    """The candidate of these files; a frame is delivered as Parquet."""
    landing = folder / "landing"
    landing.mkdir(parents=True)
    for name, content in files.items():
        if isinstance(content, pl.DataFrame):
            content.write_parquet(landing / name)
        else:
            (landing / name).write_bytes(content.encode() if isinstance(content, str) else content)
    contract = contract_of(text + QUARANTINE)
    delivery = collect_delivery(contract, [landing], None)
    return contract, take_candidate(contract, delivery, folder / "candidates", AS_OF)


def reasons(contract: Contract, candidate: Candidate, published: pl.LazyFrame | None = None) -> list[Rules]:
    """For each row of the candidate, in order, all that it breaks; nothing for one that stays."""
    gone = breaking_rows(contract, candidate, published).select(FILE_INDEX, ROW_NUMBER, RULE, RULES).collect()
    stay = conforming_rows(contract, candidate, published).select(FILE_INDEX, ROW_NUMBER).collect()
    broken = {(file, row): rules for file, row, _, rules in gone.rows()}
    assert [rules[0] for rules in broken.values()] == gone[RULE].to_list(), "the first of the rules is no reason"
    everyone = pl.scan_parquet(candidate.path, glob=False).select(FILE_INDEX, ROW_NUMBER).collect().rows()
    assert sorted([*broken, *stay.rows()]) == sorted(everyone), "a row is lost, or stands on both sides"
    return [broken.get(place, []) for place in everyone]


def reasons_of(text: str, folder: Path, **files: bytes | str | pl.DataFrame) -> list[Rules]:
    return reasons(*taken(text, folder, {name.replace("_", "."): content for name, content in files.items()}))


def of(*rules: str) -> Rules:
    return [f"v.{rule}" for rule in rules]


KINDS = {
    "null": ("type: integer", pl.Int64, [(1, of()), (None, of("null"))]),
    "a null that is allowed": ("type: integer, nullable: true", pl.Int64, [(1, of()), (None, of())]),
    "not_finite": (
        "type: number, nullable: true",
        pl.Float64,
        [(-0.0, of()), (nan, of("not_finite")), (inf, of("not_finite")), (-inf, of("not_finite")), (None, of())],
    ),
    "a NaN that is allowed breaks a bound": (
        "type: number, nullable: true, allow_nan: true, min: 0, max: 1",
        pl.Float64,
        [(nan, of("range")), (inf, of("range")), (-0.0, of()), (1.0, of()), (None, of())],
    ),
    "enum": (
        "type: string, nullable: true, enum: [a, b]",
        pl.String,
        [("a", of()), ("A", of("enum")), ("", of("enum")), (None, of())],
    ),
    "enum of numbers": (
        "type: integer, nullable: true, enum: [1, 2]",
        pl.Int64,
        [(1, of()), (3, of("enum")), (None, of())],
    ),
    "pattern": (
        'type: string, nullable: true, pattern: "[A-Z]{2}"',
        pl.String,
        [("NL", of()), ("NLD", of("pattern")), ("NL\n", of("pattern")), (None, of())],
    ),
    "range": (
        "type: integer, nullable: true, min: 0, max: 9",
        pl.Int64,
        [(0, of()), (9, of()), (-1, of("range")), (10, of("range")), (None, of())],
    ),
    "range of days": (
        "type: date, nullable: true, min: 2026-10-01",
        pl.Date,
        [(date(2026, 10, 1), of()), (date(2026, 9, 30), of("range")), (None, of())],
    ),
    "range of decimals": (
        'type: "decimal(10,2)", nullable: true, max: 0.5',
        pl.Decimal(10, 2),
        [(Decimal("0.50"), of()), (Decimal("0.51"), of("range")), (None, of())],
    ),
    "length": (
        "type: string, nullable: true, min_length: 1, max_length: 2",
        pl.String,
        [("é👍", of()), ("", of("length")), ("abc", of("length")), (None, of())],
    ),
    "blank": (
        "type: string, nullable: true, not_blank: true",
        pl.String,
        [("a", of()), ("", of("blank")), ("\u00a0", of("blank")), (None, of())],
    ),
    "untrimmed": (
        "type: string, nullable: true, trimmed: true",
        pl.String,
        [("a", of()), (" a", of("untrimmed")), ("", of()), (None, of())],
    ),
    "several at once, in the order in which a value is judged": (
        'type: string, enum: [a], pattern: "[a-z]", max_length: 1, not_blank: true, trimmed: true',
        pl.String,
        [
            ("a", of()),
            ("  ", of("enum", "pattern", "length", "blank", "untrimmed")),
            ("b", of("enum")),
            (None, of("null")),
        ],
    ),
    "categories": ("type: string, enum: [a]", pl.Categorical, [("a", of()), ("b", of("enum")), (None, of("null"))]),
    "a list": ("type: array", pl.List(pl.Int64), [([1], of()), ([], of()), (None, of("null"))]),
    "a record": (
        "type: object",
        pl.Struct({"x": pl.Int64}),
        [({"x": 1}, of()), ({"x": None}, of()), (None, of("null"))],
    ),
    "bytes": ("type: binary", pl.Binary, [(b"\xff", of()), (None, of("null"))]),
}


@pytest.mark.parametrize(("field", "dtype", "rows"), KINDS.values(), ids=KINDS)
def test_a_row_goes_for_each_rule_of_a_field_that_it_breaks(tmp_path, field, dtype, rows):
    """[S3-019] Kept, broken, null and boundary rows of each rule."""
    frame = pl.DataFrame({"v": pl.Series([value for value, _ in rows], dtype=dtype)})
    text = f"fields: [{{name: v, {field}}}]\n{PARQUET}"
    assert reasons_of(text, tmp_path, a_parquet=frame) == [expected for _, expected in rows]


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        pytest.param('severity: {"null": warn}', None, "v.null", id="null"),
        pytest.param("severity: {not_finite: warn}", nan, "v.not_finite", id="not_finite"),
        pytest.param("min: 0, severity: {range: warn}", -1.0, "v.range", id="range"),
        pytest.param("enum: [1], severity: {enum: warn}", 2.0, "v.enum", id="enum"),
    ],
)
def test_a_rule_that_only_warns_sends_no_row_away(tmp_path, field, value, rule):
    text = f"fields: [{{name: v, type: number, {field}}}]\n{PARQUET}"
    contract, candidate = taken(
        text, tmp_path, {"a.parquet": pl.DataFrame({"v": [value, 1.0]}, schema={"v": pl.Float64})}
    )
    report = validate(contract, candidate, AS_OF)
    assert reasons(contract, candidate) == [[], []]
    assert (breaches(report), report.broken_rows) == ({rule: 1}, 0)


@pytest.mark.parametrize(
    ("section", "rule"),
    [
        pytest.param('rules: [{name: r, sql: "v > 1", severity: warn}]', "r.row_rule", id="row rule"),
        pytest.param("unique: [{name: u, fields: [v], severity: warn}]", "u.unique", id="unique"),
        pytest.param("duplicate_rows: warn", "duplicate_rows", id="duplicate rows"),
    ],
)
def test_a_rule_about_rows_that_only_warns_sends_no_row_away(tmp_path, section, rule):
    text = f"fields: [{{name: v, type: integer}}]\n{section}\n{PARQUET}"
    contract, candidate = taken(text, tmp_path, {"a.parquet": pl.DataFrame({"v": [1, 1]})})
    assert reasons(contract, candidate) == [[], []]
    assert rule in breaches(validate(contract, candidate, AS_OF))


def test_a_row_that_breaks_a_warning_and_an_error_goes_for_the_error_alone(tmp_path):
    text = f"fields: [{{name: v, type: integer, enum: [1], min: 0, severity: {{enum: warn}}}}]\n{PARQUET}"
    assert reasons_of(text, tmp_path, a_parquet=pl.DataFrame({"v": [-1, 2, 1]})) == [["v.range"], [], []]


ROW_RULES = {
    "unknown is a breach": ("", [[], ["r.row_rule"], ["r.row_rule"]]),
    "unknown is kept where that is said": (", on_null: keep", [[], ["r.row_rule"], []]),
}


@pytest.mark.parametrize(("more", "expected"), ROW_RULES.values(), ids=ROW_RULES)
def test_a_row_goes_for_a_condition_that_is_not_true(tmp_path, more, expected):
    text = f"fields: [{{name: v, type: integer, nullable: true}}]\nrules: [{{name: r, sql: v > 0{more}}}]\n{PARQUET}"
    assert reasons_of(text, tmp_path, a_parquet=pl.DataFrame({"v": [1, 0, None]})) == expected


def test_reasons_stand_in_the_contracts_order_and_the_first_is_the_rule(tmp_path):
    """The schema of records, then fields as they are declared, then row rules, keys, and duplicates."""
    text = f"""\
fields:
  - {{name: b, type: integer, nullable: true, min: 0}}
  - {{name: a, type: string, enum: [x], max_length: 1}}
key: [a]
rules: [{{name: z, sql: "b > 5"}}, {{name: c, sql: "b > 6"}}]
unique: [{{name: u, fields: [b]}}]
duplicate_rows: error
{PARQUET}"""
    frame = pl.DataFrame({"b": [-1, -1, 7, 6], "a": ["yy", "yy", "x", "y"]})
    every = ["b.range", "a.enum", "a.length", "z.row_rule", "c.row_rule", "key", "u.unique", "duplicate_rows"]
    assert reasons_of(text, tmp_path, a_parquet=frame) == [every, every, [], ["a.enum", "c.row_rule"]]


KEYS = {
    "numbers": (pl.Int64, [1, 2, 1, 3], [0, 2]),
    "two nulls are equal": (pl.Int64, [None, 1, None], [0, 2]),
    "one null repeats nothing": (pl.Int64, [None, 1, 2], []),
    "zero is zero, whatever its sign": (pl.Float64, [0.0, -0.0, 1.0], [0, 1]),
    "NaN is NaN": (pl.Float64, [nan, 1.0, nan], [0, 2]),
    "infinities differ": (pl.Float64, [inf, -inf], []),
    "texts are compared exactly": (pl.String, ["a", "A", "a ", "a", "é", "e\u0301"], [0, 3]),
    "bytes": (pl.Binary, [b"\x00", b"\x00\x00", b"\x00"], [0, 2]),
    "decimals": (pl.Decimal(5, 2), [Decimal("1.10"), Decimal("1.1"), Decimal("1.11")], [0, 1]),
    "categories": (pl.Categorical, ["a", "b", "a"], [0, 2]),
    "records": (pl.Struct({"x": pl.Int64}), [{"x": 1}, {"x": None}, {"x": 1}, {"x": None}, None], [0, 1, 2, 3]),
    "lists": (pl.List(pl.Float64), [[0.0], [-0.0], [], None, [nan], [nan]], [0, 1, 4, 5]),
    "more than two": (pl.Int64, [1, 1, 1, 2], [0, 1, 2]),
}
FAMILIES = {
    pl.Int64: "integer",
    pl.Float64: "number",
    pl.String: "string",
    pl.Binary: "binary",
    pl.Categorical: "string",
}


def _family(dtype: Any) -> str:
    match dtype:
        case pl.Decimal():
            return '"decimal(5,2)"'
        case pl.Struct():
            return "object"
        case pl.List():
            return "array"
    return FAMILIES[dtype]


@pytest.mark.parametrize(("dtype", "values", "repeated"), KEYS.values(), ids=KEYS)
@pytest.mark.parametrize(
    ("section", "rule"),
    [
        pytest.param("key: [v, w]", "key", id="key of two"),
        pytest.param("key: [v]", "key", id="key"),
        pytest.param("unique: [{name: u, fields: [v]}]", "u.unique", id="unique"),
        pytest.param("duplicate_rows: error", "duplicate_rows", id="duplicate rows"),
    ],
)
def test_every_row_of_a_repeated_value_goes(tmp_path, section, rule, dtype, values, repeated):
    """[S2-004] Nothing here can tell which of them is right."""
    nan_is_fine = ", allow_nan: true" if dtype == pl.Float64 else ""
    text = f"""\
fields: [{{name: v, type: {_family(dtype)}, nullable: true{nan_is_fine}}}, {{name: w, type: string}}]
{section}
{PARQUET}"""
    frame = pl.DataFrame({"v": pl.Series(values, dtype=dtype), "w": ["same"] * len(values)})
    expected = [[rule] if place in repeated else [] for place in range(len(values))]
    assert reasons_of(text, tmp_path, a_parquet=frame) == expected


def test_a_row_that_breaks_its_own_rules_takes_the_other_of_its_key_along(tmp_path):
    """The repeated key is judged on all rows that came, not on those that are right otherwise."""
    text = f"fields: [{{name: k, type: integer}}, {{name: n, type: integer, min: 0}}]\nkey: [k]\n{PARQUET}"
    frame = pl.DataFrame({"k": [1, 1, 2], "n": [1, -1, 1]})
    assert reasons_of(text, tmp_path, a_parquet=frame) == [["key"], ["n.range", "key"], []]


def test_a_key_is_repeated_across_files(tmp_path):
    frames = {f"{name}.parquet": pl.DataFrame({"k": [1, place]}) for place, name in enumerate("ab", start=2)}
    contract, candidate = taken(f"fields: [{{name: k, type: integer}}]\nkey: [k]\n{PARQUET}", tmp_path, frames)
    assert reasons(contract, candidate) == [["key"], [], ["key"], []]


def test_unique_judges_the_rows_of_its_condition_alone(tmp_path):
    """A condition that is false or unknown for a row leaves the row and its partner in peace."""
    text = f"""\
fields: [{{name: k, type: integer}}, {{name: s, type: string, nullable: true}}]
unique: [{{name: one_final, fields: [k], where: "s = 'final'"}}]
{PARQUET}"""
    frame = pl.DataFrame(
        {"k": [1, 1, 1, 2, 2, 3, 3], "s": ["final", "final", "draft", "final", "draft", "final", None]}
    )
    assert reasons_of(text, tmp_path, a_parquet=frame) == [["one_final.unique"]] * 2 + [[]] * 5


def test_duplicates_are_rows_whose_declared_fields_all_agree(tmp_path):
    """An undeclared column that is kept tells no rows apart, and an optional field left out is null in all of them."""
    text = f"""\
fields: [{{name: a, type: integer}}, {{name: b, type: string, required: false, nullable: true}}]
extra_fields: keep
duplicate_rows: error
{PARQUET}"""
    frame = pl.DataFrame({"a": [1, 1, 2], "other": ["x", "y", "z"]})
    assert reasons_of(text, tmp_path, a_parquet=frame) == [["duplicate_rows"], ["duplicate_rows"], []]


def test_texts_that_do_not_decode_are_told_apart_by_their_text(tmp_path):
    """A key that did not decode is no null: two different ones are two keys, two equal ones are one."""
    text = "fields: [{name: k, type: integer, nullable: true}]\nkey: [k]\n"
    csv = 'k\nx\ny\nx\n""\n1\n'
    assert reasons_of(text, tmp_path, a_csv=csv) == [["k.type", "key"], ["k.type"], ["k.type", "key"], [], []]


def test_a_text_that_does_not_decode_breaks_its_type_and_nothing_else(tmp_path):
    text = 'fields: [{name: v, type: integer, min: 0, enum: [1]}]\nrules: [{name: r, sql: "v > 0"}]\n'
    assert reasons_of(text, tmp_path, a_csv="v\none\n1\n-5\n") == [
        ["v.type"],
        [],
        ["v.enum", "v.range", "r.row_rule"],
    ]


def test_a_record_that_is_no_object_breaks_that_alone(tmp_path):
    """It has no field that could be missing or null, and it repeats no other one."""
    text = f"fields: [{{name: k, type: integer}}]\nkey: [k]\nduplicate_rows: error\n{JSON}"
    lines = '5\n{"k": 1}\n[1]\nnull\n"x"\n'
    assert reasons_of(text, tmp_path, a_jsonl=lines) == [
        ["not_object"],
        [],
        ["not_object"],
        ["not_object"],
        ["not_object"],
    ]


def test_in_json_lines_a_record_without_a_required_field_goes(tmp_path):
    """A null is there; a key that is absent is not."""
    text = f"fields: [{{name: a, type: integer}}, {{name: b, type: integer, nullable: true}}]\n{JSON}"
    lines = '{"a": 1, "b": 1}\n{"a": null, "b": null}\n{"b": 2}\n{"a": 3}\n{}\n'
    assert reasons_of(text, tmp_path, a_jsonl=lines) == [
        [],
        ["a.null"],
        ["a.missing"],
        ["b.missing"],
        ["a.missing", "b.missing"],
    ]


def test_in_json_lines_an_optional_field_may_be_absent_from_some_records(tmp_path):
    text = f"fields: [{{name: a, type: integer}}, {{name: b, type: integer, required: false, min: 0}}]\n{JSON}"
    lines = '{"a": 1}\n{"a": 1, "b": -1}\n{"a": 1, "b": null}\n'
    assert reasons_of(text, tmp_path, a_jsonl=lines) == [[], ["b.range"], ["b.null"]]


def test_a_column_that_a_file_lacks_is_about_the_whole_delivery(tmp_path):
    """[S3-019] No row of it is at fault, so none goes."""
    text = "fields: [{name: a, type: integer, min: 0}, {name: b, type: integer}]\nkey: [b]\n"
    contract, candidate = taken(text, tmp_path, {"a.csv": "a\n1\n-1\n"})
    report = validate(contract, candidate, AS_OF)
    assert reasons(contract, candidate) == [[], ["a.range"]]
    found = {finding.id: finding.in_rows for finding in report.breached()}
    assert (found["b.missing"], found["a.range"], outcomes(report)["key"][0]) == (False, True, "unjudged")


def test_a_column_of_another_type_is_about_the_whole_delivery(tmp_path):
    text = f"fields: [{{name: a, type: integer, min: 0}}, {{name: b, type: integer, min: 0}}]\n{PARQUET}"
    contract, candidate = taken(text, tmp_path, {"a.parquet": pl.DataFrame({"a": [1, -1], "b": ["x", "y"]})})
    report = validate(contract, candidate, AS_OF)
    assert reasons(contract, candidate) == [[], ["a.range"]]
    assert {finding.id: finding.in_rows for finding in report.breached() if finding.rule == "type"} == {"b.type": False}


def test_files_that_disagree_about_a_type_are_about_the_whole_delivery(tmp_path):
    text = f"fields: [{{name: a, type: integer, min: 0}}]\n{PARQUET}"
    files = {"a.parquet": pl.DataFrame({"a": [1, -1]}), "b.parquet": pl.DataFrame({"a": ["x", "y"]})}
    contract, candidate = taken(text, tmp_path, files)
    report = validate(contract, candidate, AS_OF)
    found = {finding.id: finding.in_rows for finding in report.breached()}
    assert found["a.type"] is False
    assert not any("a.type" in rules for rules in reasons(contract, candidate))


def test_an_optional_field_that_is_left_out_holds_nothing_against_any_row(tmp_path):
    """And conditions across it see a null."""
    text = f"""\
fields: [{{name: a, type: integer}}, {{name: b, type: integer, required: false, min: 5}}]
rules: [{{name: r, sql: "b > a", on_null: keep}}, {{name: s, sql: "b IS NULL AND a > 1"}}]
{PARQUET}"""
    contract, candidate = taken(text, tmp_path, {"a.parquet": pl.DataFrame({"a": [1, 2]})})
    assert reasons(contract, candidate) == [["s.row_rule"], []]
    assert conforming_rows(contract, candidate, None).collect_schema().names()[-1] != "b"


def test_the_rows_that_stay_have_the_candidates_columns_and_values(tmp_path):
    """Among them those of nested types, of undeclared columns, and with names of our own making."""
    frame = pl.DataFrame(
        {
            "rule": ["a", "b"],
            "rules": [[1], []],
            "n": [1, -1],
            "__row": ["x", "y"],
            "o": [{"x": 1}, {"x": None}],
        }
    )
    text = f"""\
fields: [{{name: rule, type: string}}, {{name: rules, type: array}}, {{name: n, type: integer, min: 0}}, {{name: o, type: object}}]
extra_fields: keep
{PARQUET}"""
    contract, candidate = taken(text, tmp_path, {"a.parquet": frame})
    stored = pl.scan_parquet(candidate.path, glob=False)
    stay = conforming_rows(contract, candidate, None)
    assert stay.collect_schema() == stored.collect_schema()
    assert stay.collect().equals(stored.head(1).collect())
    gone = breaking_rows(contract, candidate, None)
    assert gone.drop(RULE, RULES).collect().equals(stored.tail(1).collect())


def test_a_key_that_is_published_already_goes_where_rows_are_appended(tmp_path):
    text = f"fields: [{{name: k, type: integer}}]\nkey: [k]\npublication: {{mode: append}}\n{PARQUET}"
    contract, candidate = taken(text, tmp_path, {"a.parquet": pl.DataFrame({"k": [1, 2, 3, 3]})})
    place = pl.scan_parquet(candidate.path, glob=False).filter(pl.col("k").is_in([2, 3])).select(FILE_INDEX, ROW_NUMBER)
    assert reasons(contract, candidate, place) == [
        [],
        ["key.published"],
        ["key", "key.published"],
        ["key", "key.published"],
    ]
    report = validate(contract, candidate, AS_OF, Past(taken=place))
    assert (breaches(report), report.broken_rows) == ({"key": 1, "key.published": 3}, 3)


def test_a_contract_without_any_rule_about_rows_sends_none_away(tmp_path):
    text = f"fields: [{{name: v, type: integer, nullable: true}}]\n{PARQUET}"
    assert reasons_of(text, tmp_path, a_parquet=pl.DataFrame({"v": [1, None]})) == [[], []]


def test_a_delivery_without_rows_has_none_that_breaks_anything(tmp_path):
    text = f"fields: [{{name: v, type: integer, min: 0}}]\nkey: [v]\n{PARQUET}"
    contract, candidate = taken(text, tmp_path, {"a.parquet": pl.DataFrame({"v": []}, schema={"v": pl.Int64})})
    assert reasons(contract, candidate) == []
    assert validate(contract, candidate, AS_OF).broken_rows == 0


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        pytest.param("fail", None, id="fail"),
        pytest.param("warn", None, id="warn"),
        pytest.param("quarantine", 2, id="quarantine"),
    ],
)
def test_rows_that_break_something_are_counted_once_each_where_they_are_kept_apart(tmp_path, policy, expected):
    """[S3-020] However many rules each of them breaks; and nobody asks where nobody needs to know."""
    landing = tmp_path / "a.csv"
    landing.write_text("v,w\n-1,x\n-5,y\n1,a\n")
    fields = "fields: [{name: v, type: integer, min: 0, enum: [1]}, {name: w, type: string, enum: [a]}]\n"
    contract = contract_of(f"{fields}enforcement: {{on_breach: {policy}}}\n")
    candidate = take_candidate(contract, collect_delivery(contract, [landing], None), tmp_path / "c", AS_OF)
    report = validate(contract, candidate, AS_OF)
    assert (breaches(report), report.broken_rows) == ({"v.enum": 2, "v.range": 2, "w.enum": 2}, expected)
