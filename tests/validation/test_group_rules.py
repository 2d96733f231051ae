"""Promises about groups of rows: how each aggregate counts and adds up, what is unknown, and what the report says of it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from contract_core.contract.group_sql import parse_group_sql
from contract_core.publication.decision import Verdict, decide
from contract_core.rendering.reports import message
from contract_core.validation.group_rules import answers, judged_groups
from contract_core.validation.obligations import obligations_of
from contract_core.validation.promise_kinds import GroupsHold
from contract_core.validation.report import Outcome
from contract_core.validation.schema_match import Columns
from tests.validation.judged import breaches, contract_of, finding, frame_of, outcomes, report_on, report_on_files

DAY = date(2026, 10, 1)
BIG = 2**63 - 1
TOTALS = """\
fields: [{name: day, type: date}, {name: region, type: string}, {name: n, type: integer}]
groups:
  - {name: total, by: [day], sql: "sum(n) FILTER (WHERE region = 'NL') = sum(n) FILTER (WHERE region <> 'NL')"}
"""
TOTALS_SCHEMA = {"day": pl.Date, "region": pl.String, "n": pl.Int64}


def answer(sql: str, *columns: pl.Series, by: str = "g") -> Any:
    """The answer for the one group that all rows are of."""
    frame = pl.DataFrame([pl.repeat("x", len(columns[0]), eager=True).alias("g"), *columns])
    promise = GroupsHold("r", (by,), parse_group_sql(sql, (by,)), keeps_unknown=False)
    found = answers(frame.lazy(), {"r": promise}, Columns(frame.schema, is_text=False)).collect(engine="streaming")
    return found.get_column("__answer.r").item()


def by_key(sql: str, keys: Sequence[Any], dtype: Any, values: Sequence[int]) -> dict[Any, Any]:
    frame = pl.DataFrame([pl.Series("g", keys, dtype=dtype), pl.Series("i", values, dtype=pl.Int64)])
    promise = GroupsHold("r", ("g",), parse_group_sql(sql, ("g",)), keeps_unknown=False)
    found = answers(frame.lazy(), {"r": promise}, Columns(frame.schema, is_text=False)).collect(engine="streaming")
    return {str(key): told for key, told, _ in found.rows()}


def ints(*values: int | None) -> pl.Series:
    return pl.Series("i", values, dtype=pl.Int64)


def floats(*values: float | None) -> pl.Series:
    return pl.Series("f", values, dtype=pl.Float64)


def texts(*values: str | None) -> pl.Series:
    return pl.Series("s", values, dtype=pl.String)


def flags(*values: bool | None) -> pl.Series:
    return pl.Series("b", values, dtype=pl.Boolean)


def test_a_total_that_is_the_sum_of_its_parts_is_kept(tmp_path: Path) -> None:
    frame = frame_of(TOTALS_SCHEMA, (DAY, "NL", 5), (DAY, "NH", 2), (DAY, "ZH", 3))
    assert breaches(report_on(TOTALS, frame, tmp_path)) == {}


def test_each_group_that_does_not_add_up_is_one_breach(tmp_path: Path) -> None:
    days = [DAY + timedelta(days=number) for number in range(3)]
    rows = [(day, region, n) for day in days for region, n in (("NL", 5), ("NH", 2), ("ZH", 3))]
    frame = frame_of(TOTALS_SCHEMA, *rows[:-1], (days[2], "ZH", 4))
    report = report_on(TOTALS, frame, tmp_path)
    assert breaches(report) == {"total.group": 1}
    assert finding(report, "total.group").details == {"groups": 3, "unknown": 0}


def test_a_group_whose_condition_is_unknown_is_a_breach_unless_it_is_kept(tmp_path: Path) -> None:
    frame = frame_of(TOTALS_SCHEMA, (DAY, "NL", 5))
    report = report_on(TOTALS, frame, tmp_path / "strict")
    assert breaches(report) == {"total.group": 1}
    assert finding(report, "total.group").details == {"groups": 1, "unknown": 1}
    lenient = TOTALS.replace("'NL')\"}", "'NL')\", on_null: keep}")
    assert breaches(report_on(lenient, frame, tmp_path / "lenient")) == {}


def test_what_only_warns_holds_nothing_back(tmp_path: Path) -> None:
    text = TOTALS.replace("by: [day]", "by: [day], severity: warn")
    report = report_on(text, frame_of(TOTALS_SCHEMA, (DAY, "NL", 5)), tmp_path)
    decision = decide(report, contract_of(text))
    assert (decision.verdict, decision.warnings) == (Verdict.PUBLISH, ("total.group",))


def test_a_breach_refuses_the_delivery_and_under_warn_is_told_as_row_rules_are(tmp_path: Path) -> None:
    report = report_on(TOTALS, frame_of(TOTALS_SCHEMA, (DAY, "NL", 5)), tmp_path)
    assert decide(report, contract_of(TOTALS)).verdict is Verdict.REFUSE
    told = decide(report, contract_of(TOTALS + "enforcement: {on_breach: warn}\n"))
    assert (told.verdict, told.warnings) == (Verdict.PUBLISH, ("total.group",))


def test_no_row_makes_no_group(tmp_path: Path) -> None:
    report = report_on(TOTALS + "rows: {min: 0}\n", frame_of(TOTALS_SCHEMA), tmp_path)
    assert breaches(report) == {}
    assert finding(report, "total.group").details == {"groups": 0, "unknown": 0}


def test_every_day_has_all_its_regions(tmp_path: Path) -> None:
    text = TOTALS.partition("groups:")[0] + 'groups: [{name: all, by: [day], sql: "count(DISTINCT region) = 2"}]\n'
    next_day = DAY + timedelta(days=1)
    frame = frame_of(TOTALS_SCHEMA, (DAY, "NH", 1), (DAY, "ZH", 1), (next_day, "NH", 1), (next_day, "NH", 1))
    assert breaches(report_on(text, frame, tmp_path)) == {"all.group": 1}


def test_a_message_says_how_many_groups_and_no_value(tmp_path: Path) -> None:
    frame = frame_of(TOTALS_SCHEMA, (DAY, "NL", 74_205), (DAY, "secret", 1))
    told = message(finding(report_on(TOTALS, frame, tmp_path), "total.group"))
    assert told.startswith('broken: for each (day): SUM("n") FILTER(WHERE "region" = \'NL\') = SUM')
    assert told.endswith("; 1 of 1 group breaks it")
    assert "74" not in told
    assert "secret" not in told
    assert "2026" not in told


def test_a_missing_column_or_one_of_another_type_leaves_the_rule_unjudged(tmp_path: Path) -> None:
    without = frame_of({"day": pl.Date, "region": pl.String}, (DAY, "NL"))
    found = finding(report_on(TOTALS, without, tmp_path / "without"), "total.group")
    assert (found.outcome, found.reason) == (Outcome.UNJUDGED, "the delivery has no column 'n'")
    other = frame_of({**TOTALS_SCHEMA, "n": pl.String}, (DAY, "NL", "5"))
    found = finding(report_on(TOTALS, other, tmp_path / "other"), "total.group")
    assert (found.outcome, found.reason) == (Outcome.UNJUDGED, "column 'n' has the type String, promised is integer")
    key = frame_of({"region": pl.String, "n": pl.Int64}, ("NL", 5))
    assert finding(report_on(TOTALS, key, tmp_path / "key"), "total.group").outcome is Outcome.UNJUDGED


def test_an_optional_field_that_is_left_out_is_null_in_every_row(tmp_path: Path) -> None:
    text = """\
fields: [{name: a, type: string}, {name: b, type: integer, required: false, nullable: true}]
groups: [{name: empty, by: [b], sql: count(*) = 2}, {name: sum, by: [a], sql: sum(b) > 0}, {name: none, by: [a], sql: count(b) = 0}]
"""
    report = report_on(text, frame_of({"a": pl.String}, ("x",), ("y",)), tmp_path)
    assert breaches(report) == {"sum.group": 2}


def test_a_text_that_did_not_decode_is_judged_by_its_type_alone(tmp_path: Path) -> None:
    csv = "day,region,n\n2026-10-01,NL,5\n2026-10-01,NH,many\n2026-10-02,NL,5\n2026-10-02,NH,4\nsoon,NL,1\n"
    report = report_on_files(TOTALS, {"a.csv": csv}, tmp_path)
    assert breaches(report) == {"day.type": 1, "n.type": 1, "total.group": 1}
    assert finding(report, "total.group").details == {"groups": 3, "unknown": 0}


def test_under_quarantine_groups_are_judged_on_the_rows_that_stay(tmp_path: Path) -> None:
    text = TOTALS.replace("type: integer}", "type: integer, min: 0}") + "enforcement: {on_breach: quarantine}\n"
    whole = frame_of(TOTALS_SCHEMA, (DAY, "NL", 5), (DAY, "NH", 5), (DAY, "ZH", -1))
    assert outcomes(report_on(text, whole, tmp_path / "whole")) == {"n.range": ("breached", 1)}
    torn = frame_of(TOTALS_SCHEMA, (DAY, "NL", 4), (DAY, "NH", 5), (DAY, "ZH", -1))
    report = report_on(text, torn, tmp_path / "torn")
    assert outcomes(report) == {"n.range": ("breached", 1), "total.group": ("breached", 1)}
    assert finding(report, "total.group").in_rows is False
    assert decide(report, contract_of(text)).verdict is Verdict.REFUSE


@pytest.mark.parametrize(
    ("sql", "values", "expected"),
    [
        pytest.param("count(*) = 3 AND count(i) = 2", (1, None, 1), True, id="COUNT(x) leaves nulls out"),
        pytest.param("count(DISTINCT i) = 1", (1, None, 1), True, id="DISTINCT leaves nulls out"),
        pytest.param("count(DISTINCT i) = 0", (None, None), True, id="DISTINCT of nulls alone"),
        pytest.param("count(i) = 0", (None,), True, id="COUNT of nulls alone"),
        pytest.param("sum(i) = 3", (1, None, 2), True, id="SUM leaves nulls out"),
        pytest.param("sum(i) = 0", (None, None), None, id="SUM of nulls alone is NULL"),
        pytest.param("sum(i) FILTER (WHERE i > 5) = 0", (1, 2), None, id="SUM of no rows is NULL"),
        pytest.param("count(*) FILTER (WHERE i > 5) = 0", (1, 2, None), True, id="COUNT of no rows is 0"),
        pytest.param("coalesce(sum(i) FILTER (WHERE i > 5), 0) = 0", (1, 2), True, id="COALESCE"),
        pytest.param("avg(i) = 1.5", (1, None, 2), True, id="AVG of integers is a double"),
        pytest.param("avg(i) IS NULL AND min(i) IS NULL AND max(i) IS NULL", (None,), True, id="of nothing"),
        pytest.param("min(i) = 1 AND max(i) = 3", (3, None, 1), True, id="MIN and MAX"),
        pytest.param("sum(i) = 18446744073709551614", (BIG, BIG), True, id="a sum beyond 64 bits"),
        pytest.param("sum(i) < 0", (BIG, BIG), False, id="does not wrap"),
        pytest.param("sum(i) = -18446744073709551616", (-BIG - 1, -BIG - 1), True, id="on either side"),
        pytest.param("sum(i * 3) = 27670116110564327421", (BIG,), True, id="nor does what is added up"),
        pytest.param("sum(i) > 9223372036854775806.5", (BIG,), True, id="compared exactly"),
        pytest.param("avg(i) > 9e18", (BIG, BIG), True, id="a mean of large numbers"),
        pytest.param("sum(i) / count(*) = 1.5", (1, 2), True, id="true division"),
        pytest.param("count(*) / count(*) FILTER (WHERE i > 5) = 0", (1,), None, id="by zero it is unknown"),
        pytest.param("sum(1) = 2 AND count(1) = 2 AND max(7) = 7", (1, None), True, id="literals count each row"),
        pytest.param("sum(NULL) IS NULL AND count(NULL) = 0 AND max(NULL) IS NULL", (1, 2), True, id="NULL as a value"),
        pytest.param("sum(coalesce(i, 1)) = 2", (None, None), True, id="a value made of nulls alone"),
        pytest.param("sum(CASE WHEN i > 1 THEN i END) = 5", (1, 2, 3), True, id="CASE inside"),
        pytest.param("CASE WHEN count(*) > 1 THEN max(i) ELSE 0 END = 2", (1, 2), True, id="CASE outside"),
        pytest.param("count(*) = 1 OR sum(i) > 0", (None,), True, id="one known side settles OR"),
        pytest.param("count(*) = 2 AND sum(i) > 0", (None,), False, id="one known side settles AND"),
    ],
)  # fmt: skip
def test_integers(sql: str, values: tuple[int | None, ...], expected: bool | None) -> None:
    assert answer(sql, ints(*values)) is expected


@pytest.mark.parametrize(
    ("sql", "values", "expected"),
    [
        pytest.param("sum(f) = 1.5", (1.0, None, 0.5), True, id="sum"),
        pytest.param("sum(f) > 0", (1.0, nan), None, id="NaN makes a sum unknown"),
        pytest.param("sum(f) FILTER (WHERE f < 5) > 0", (1.0, nan), True, id="not where it is left out"),
        pytest.param("max(f) < 9", (1.0, nan), None, id="and a maximum"),
        pytest.param("min(f) > 0", (1.0, nan), None, id="and a minimum"),
        pytest.param("avg(f) = 1", (1.0, nan), None, id="and a mean"),
        pytest.param("sum(coalesce(f, 0)) = 1", (1.0, nan), True, id="not where COALESCE stands in for it"),
        pytest.param("bool_and(f > 0)", (1.0, nan), None, id="BOOL_AND is unknown"),
        pytest.param("bool_and(f > 0)", (-1.0, nan), False, id="unless one is false"),
        pytest.param("bool_or(f > 0)", (1.0, nan), True, id="BOOL_OR is settled by one that is true"),
        pytest.param("bool_or(f > 0)", (-1.0, nan), None, id="and else unknown"),
        pytest.param("bool_and(f > 0)", (nan,), None, id="NaN alone"),
        pytest.param("count(f) = 1 AND count(DISTINCT f) = 1 AND count(*) = 2", (1.0, nan), True, id="NaN is not counted"),
        pytest.param("count(DISTINCT f) = 1", (0.0, -0.0), True, id="-0.0 is 0"),
        pytest.param("sum(f) = 0", (inf, -inf), None, id="infinities that meet"),
        pytest.param("sum(f) > 1e300", (inf, 1.0), True, id="an infinite sum"),
        pytest.param("abs(sum(f) - 0.3) < 0.000001", (0.1, 0.1, 0.1), True, id="a margin"),
    ],
)  # fmt: skip
def test_doubles(sql: str, values: tuple[float | None, ...], expected: bool | None) -> None:
    assert answer(sql, floats(*values)) is expected


def test_decimals_are_exact() -> None:
    tenths = pl.Series("m", [Decimal("0.1"), Decimal("0.2")], dtype=pl.Decimal(5, 1))
    assert answer("sum(m) = 0.3 AND avg(m) = 0.15 AND max(m) = 0.20", tenths) is True
    large = pl.Series("m", [Decimal(10**37), Decimal(10**37)], dtype=pl.Decimal(38, 0))
    assert answer(f"sum(m) = {2 * 10**37}", large) is True


def test_a_sum_that_int128_cannot_hold_is_unknown() -> None:
    widest = pl.Series("m", [Decimal(9 * 10**37)] * 3, dtype=pl.Decimal(38, 0))
    assert answer("sum(m) > 0", widest) is None
    assert answer("avg(m) > 0", widest) is None
    assert answer("max(m) > 0", widest) is True


def test_unsigned_and_128_bit_integers() -> None:
    assert answer(f"sum(i) = {2 * (2**64 - 1)}", pl.Series("i", [2**64 - 1] * 2, dtype=pl.UInt64)) is True
    assert answer("sum(i) > 0", pl.Series("i", [2**126, 2**126], dtype=pl.Int128)) is None


def test_texts_are_compared_by_code_point_and_counted_as_they_are() -> None:
    assert answer("min(s) = 'B' AND max(s) = 'é' AND count(DISTINCT s) = 3", texts("é", "a", "B", None)) is True
    assert answer("count(DISTINCT s) = 2", texts("é", "e\u0301")) is True
    assert answer("max(s) = 'b'", pl.Series("s", ["b", "a"], dtype=pl.Categorical)) is True


def test_flags() -> None:
    assert answer("bool_and(b) AND bool_or(b) AND min(b) AND every(b)", flags(True, None)) is True
    assert answer("bool_and(b)", flags(None)) is None
    assert answer("NOT max(b)", flags(False)) is True


def test_moments_keep_their_kind() -> None:
    days = pl.Series("d", [DAY, DAY + timedelta(days=3), None])
    assert answer("max(d) - min(d) = 3 AND year(max(d)) = 2026", days) is True
    at = pl.Series("at", [datetime(2026, 10, 1, 22, tzinfo=UTC)]).dt.convert_time_zone("Europe/Rome")
    assert answer("hour(max(at)) = 0 AND max(at) = TIMESTAMP '2026-10-01 22:00:00'", at) is True
    fine = pl.Series("at", [1, 2], dtype=pl.Int64).cast(pl.Datetime("ns"))
    assert answer("max(at) > min(at) AND count(DISTINCT at) = 2", fine) is True
    assert answer("max(t) = min(t)", pl.Series("t", [time(9), time(9)])) is True
    assert answer("max(x) = max(x)", pl.Series("x", [b"a", b"b"])) is True
    assert answer("min(x) = max(x)", pl.Series("x", [timedelta(1), timedelta(2)])) is False


def test_nested_values_can_be_counted() -> None:
    assert answer("count(l) = 1", pl.Series("l", [[1], None])) is True
    assert answer("count(o) FILTER (WHERE o IS NULL) = 0", pl.Series("o", [{"x": 1}, None])) is True


def test_null_keys_are_one_group() -> None:
    assert by_key("sum(i) = 3", [None, None, "a"], pl.String, [1, 2, 4]) == {"None": True, "a": False}


def test_zeros_of_either_sign_are_one_group_and_so_is_nan() -> None:
    assert by_key("count(*) = 2", [0.0, -0.0, nan, nan, None], pl.Float64, [1] * 5) == {
        "0.0": True,
        "nan": True,
        "None": False,
    }


def test_the_key_may_stand_in_the_condition() -> None:
    found = by_key("g <> 'a' OR count(*) = 1", ["a", "a", "b", "b", None], pl.String, [1] * 5)
    assert found == {"a": False, "b": True, "None": True}


def test_rules_about_the_same_groups_are_asked_in_one_reading(tmp_path: Path) -> None:
    text = """\
fields: [{name: a, type: string}, {name: b, type: string}, {name: n, type: integer}]
groups:
  - {name: one, by: [a], sql: sum(n) = 3}
  - {name: two, by: [b], sql: sum(n) = 3}
  - {name: three, by: [a], sql: count(*) = 2 AND sum(n) = 3}
  - {name: four, by: [a], sql: sum(n) > 9, on_null: keep}
"""
    frame = frame_of({"a": pl.String, "b": pl.String, "n": pl.Int64}, ("x", "u", 1), ("x", "u", 2), ("y", "v", 3))
    assert breaches(report_on(text, frame, tmp_path)) == {"three.group": 1, "four.group": 2}
    rules = {
        item.id: item.promise for item in obligations_of(contract_of(text)) if item.id in ("one.group", "three.group")
    }
    query = judged_groups(frame.lazy(), rules, Columns(frame.schema, is_text=False))
    assert query.explain().count("AGGREGATE") == 1


def test_a_rule_that_would_grow_without_bound_is_unjudged(tmp_path: Path) -> None:
    nested = "NULLIF(" * 15 + "sum(n)" + ", 1)" * 15
    text = f"fields: [{{name: a, type: string}}, {{name: n, type: integer}}]\ngroups: [{{name: r, by: [a], sql: '{nested} = 2'}}]\n"
    found = finding(report_on(text, frame_of({"a": pl.String, "n": pl.Int64}, ("x", 1)), tmp_path), "r.group")
    assert found.outcome is Outcome.UNJUDGED
    assert "too large" in found.reason
