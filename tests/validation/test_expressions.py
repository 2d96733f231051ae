"""What each construct of a row rule means for rows: one small table for each promise."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import inf, nan
from typing import Any

import polars as pl
import pytest

from contract_core.contract.row_sql import RowSqlError, parse_row_sql
from contract_core.validation.expressions import compile_expression

INTS = pl.Series("a", [1, 0, None], dtype=pl.Int64)


def answers(sql: str, *columns: pl.Series) -> list[Any]:
    frame = pl.DataFrame(columns)
    found = frame.lazy().select(compile_expression(parse_row_sql(sql), frame.schema)).collect().to_series()
    assert found.dtype == pl.Boolean
    return found.to_list()


def ints(name: str, *values: int | None, dtype: type[pl.DataType] = pl.Int64) -> pl.Series:
    return pl.Series(name, values, dtype=dtype)


def floats(name: str, *values: float | None) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Float64)


def texts(name: str, *values: str | None) -> pl.Series:
    return pl.Series(name, values, dtype=pl.String)


def flags(name: str, *values: bool | None) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Boolean)


def test_and_or_not_are_three_valued() -> None:
    a = flags("a", True, True, True, False, False, False, None, None, None)
    b = flags("b", True, False, None, True, False, None, True, False, None)
    assert answers("a AND b", a, b) == [True, False, None, False, False, False, None, False, None]
    assert answers("a OR b", a, b) == [True, True, True, True, False, None, True, None, None]
    assert answers("NOT a", a, b) == [False, False, False, True, True, True, None, None, None]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("a = 1", [True, False, None]),
        ("a <> 1", [False, True, None]),
        ("a < 1", [False, True, None]),
        ("a IS NULL", [False, False, True]),
        ("a IS NOT NULL", [True, True, False]),
        ("(a = 1) IS TRUE", [True, False, False]),
        ("(a = 1) IS NOT TRUE", [False, True, True]),
        ("(a = 1) IS FALSE", [False, True, False]),
        ("a IS DISTINCT FROM 1", [False, True, True]),
        ("a IS NOT DISTINCT FROM NULL", [False, False, True]),
        ("a IN (1, 2)", [True, False, None]),
        ("a IN (1, NULL)", [True, None, None]),
        ("a NOT IN (1, NULL)", [False, None, None]),
        ("a IN (1.0, 0.5)", [True, False, None]),
        ("a IN (1e0)", [True, False, None]),
        ("a IN (99999999999999999999, NULL)", [None, None, None]),
        ("a BETWEEN 0 AND 0", [False, True, None]),
        ("a NOT BETWEEN 0 AND 0", [True, False, None]),
        ("a BETWEEN 2 AND a", [False, False, None]),
        ("CASE WHEN a = 1 THEN TRUE END", [True, None, None]),
        ("CASE a WHEN 1 THEN FALSE WHEN 0 THEN TRUE ELSE FALSE END", [False, True, False]),
        ("COALESCE(a, 1) = 1", [True, False, True]),
        ("NULLIF(a, 0) = 1", [True, None, None]),
        ("LEAST(a, 1) = 1", [True, False, True]),
        ("GREATEST(a, 1) = 1", [True, True, True]),
        ("TRUE", [True, True, True]),
        ("1 = 2", [False, False, False]),
        ("TRUE AND NULL", [None, None, None]),
    ],
)
def test_logic_over_one_integer(sql: str, expected: list[bool | None]) -> None:
    assert answers(sql, INTS) == expected


def test_between_with_an_unknown_bound_may_still_be_false() -> None:
    assert answers("a BETWEEN b AND 3", ints("a", 5, 2), ints("b", None, None)) == [False, None]


def test_division_is_true_division() -> None:
    assert answers("a / b = 0.5", ints("a", 1), ints("b", 2)) == [True]


@pytest.mark.parametrize("zero", [ints("b", 0), floats("b", 0.0), floats("b", -0.0), pl.Series("b", [Decimal(0)])])
def test_division_by_zero_is_unknown(zero: pl.Series) -> None:
    assert answers("a / b IS NULL", ints("a", 1), zero) == [True]


def test_remainder_has_the_sign_of_the_dividend_and_by_zero_is_unknown() -> None:
    assert answers("a % b = -1", ints("a", -7, -7, 7, 7, 1), ints("b", 3, -3, 3, -3, 0)) == [
        True,
        True,
        False,
        False,
        None,
    ]
    assert answers("a % 3 = -2", ints("a", -(2**63))) == [True]


def test_integers_do_not_wrap() -> None:
    top, low = ints("a", 2**63 - 1), ints("a", -(2**63))
    assert answers("a + 1 > a AND a * a > a AND a * 2 = 18446744073709551614", top) == [True]
    assert answers("a - 1 < a AND -a > 0 AND ABS(a) = 9223372036854775808", low) == [True]
    assert answers("a - b < 0", ints("a", 1, dtype=pl.UInt64), ints("b", 2, dtype=pl.UInt64)) == [True]
    assert answers("a + a = 254", ints("a", 127, dtype=pl.Int8)) == [True]


def test_what_int128_cannot_hold_is_unknown() -> None:
    assert answers("a * a * a > 0", ints("a", 2**63 - 1, 2**40, 3)) == [None, True, True]
    assert answers("a * a * a * a * a * a > 0", ints("a", 2**62, 2)) == [None, True]
    assert answers("a > 0.00000000000000000001", ints("a", 2**63 - 1, 1)) == [None, True]


def test_integers_against_decimal_literals_are_exact() -> None:
    top = ints("a", 2**63 - 1, 5, 6)
    assert answers("a < 9223372036854775807.5", top) == [True, True, True]
    assert answers("a = 5.5", top) == [False, False, False]
    assert answers("a < 5.5", top) == [False, True, False]
    assert answers("a = 5.0", top) == [False, True, False]
    assert answers("a + 0.1 = 5.1", top) == [False, True, False]


def test_unsigned_and_signed_integers_compare_by_value() -> None:
    assert answers("a > b", ints("a", 2**64 - 1, dtype=pl.UInt64), ints("b", -1)) == [True]


def test_decimal_columns_are_exact() -> None:
    m = pl.Series("m", [Decimal("0.10"), Decimal("-2.50"), None], dtype=pl.Decimal(12, 2))
    assert answers("m = 0.1", m) == [True, False, None]
    assert answers("m + 0.2 = 0.3", m) == [True, False, None]
    assert answers("m * m = 6.25", m) == [False, True, None]
    assert answers("m IN (0.1, 7)", m) == [True, False, None]
    assert answers("m < 0.1001", m) == [True, True, None]
    assert answers("ROUND(m) = -3", m) == [False, True, None]
    assert answers("ROUND(m, 1) = 0.1", m) == [True, False, None]
    assert answers("FLOOR(m) = -3 AND CEIL(m) = -2", m) == [False, True, None]
    assert answers("CAST(m AS BIGINT) % 2 = -1", m) == [False, True, None]


def test_doubles_compare_with_the_nearest_double_of_a_literal() -> None:
    assert answers("f = 0.1", floats("f", 0.1)) == [True]
    assert answers("f + 0.2 = 0.3", floats("f", 0.1)) == [False]
    assert answers(
        "ABS(f - a * 100000 / b) < 0.001", floats("f", 50.0001, 51.0), ints("a", 5, 5), ints("b", 10_000, 10_000)
    ) == [True, False]


def test_nan_counts_as_null() -> None:
    f = floats("f", nan, 1.0)
    assert answers("f >= 0", f) == [None, True]
    assert answers("f <> 0", f) == [None, True]
    assert answers("f = f", f) == [None, True]
    assert answers("f IS NULL", f) == [True, False]
    assert answers("f - f = 0", floats("f", inf, 2.0)) == [None, True]
    assert answers("f IN (1)", f) == [None, True]


def test_infinities_are_numbers() -> None:
    assert answers("f > 1e308 AND f = f", floats("f", inf)) == [True]


def test_negative_zero_is_zero() -> None:
    f = floats("f", -0.0)
    assert answers("f = 0 AND f IN (0) AND f >= 0 AND NULLIF(f, 0) IS NULL AND f IS NOT DISTINCT FROM 0.0", f) == [True]


def test_rounding_is_half_away_from_zero() -> None:
    assert answers("ROUND(f) = a", floats("f", 0.5, 1.5, -0.5, -2.5), ints("a", 1, 2, -1, -3)) == [True] * 4
    assert answers("ROUND(f, 2) = 0.13", floats("f", 0.125)) == [True]


def test_texts_compare_by_bytes() -> None:
    assert answers("s < 'a'", texts("s", "Z", "é", "")) == [True, False, True]
    assert answers("LEAST(s, 'b') = 'b'", texts("s", "é", None, "a")) == [True, True, False]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("'a%'", "abc", True), ("'a%'", "Abc", False), ("'a_'", "a👍", True), ("'a_'", "a", False), ("'a%b'", "a\n\nb", True),
        ("'a_b'", "a\nb", True), ("'a'", "a\n", False), ("'.'", "x", False), ("'a.c'", "a.c", True), ("'[a]'", "[a]", True),
        (r"'\%'", "\\x", True), ("'!%' ESCAPE '!'", "%", True), ("'!%' ESCAPE '!'", "x", False), ("'!!_' ESCAPE '!'", "!x", True),
        ("''", "", True), ("'%'", "", True),
    ],
)  # fmt: skip
def test_like_looks_at_the_whole_text(pattern: str, text: str, expected: bool) -> None:
    assert answers(f"s LIKE {pattern} AND TRUE", texts("s", text, None)) == [expected, None]
    assert answers(f"s NOT LIKE {pattern}", texts("s", text, None)) == [not expected, None]


def test_regexp_like_searches() -> None:
    assert answers("REGEXP_LIKE(s, 'b')", texts("s", "abc", "ac", None)) == [True, False, None]
    assert answers("REGEXP_LIKE(s, '^b$')", texts("s", "b", "b\n")) == [True, False]


@pytest.mark.parametrize(
    "sql",
    [
        "TRIM(s) = CONCAT('\t', 'Ab é')",
        "LENGTH(s) = 7 AND CHAR_LENGTH(TRIM(s)) = 5",
        "LOWER(TRIM(s)) = '\tab é' AND UPPER(TRIM(s)) = '\tAB É'",
        "LTRIM(s) = '\tAb é ' AND RTRIM(s) = ' \tAb é'",
        "SUBSTRING(s, 3, 2) = 'Ab' AND SUBSTRING(s, 6) = 'é ' AND SUBSTRING(s, 99) = ''",
        "STARTS_WITH(s, ' ') AND ENDS_WITH(s, 'é ') AND NOT STARTS_WITH(s, 'A')",
        "s || 'x' = ' \tAb é x'",
        "CONCAT(s, NULL, 'x') = ' \tAb é x' AND (s || NULL) IS NULL",
    ],
)
def test_text_functions(sql: str) -> None:
    assert answers(sql, texts("s", " \tAb é ")) == [True]


def test_length_counts_code_points() -> None:
    assert answers("LENGTH(s) = 2", texts("s", "👍🏽")) == [True]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("d = DATE '2026-10-01'", [True, None]),
        ("d IN (DATE '2026-10-01', NULL)", [True, None]),
        ("EXTRACT(YEAR FROM d) = 2026 AND MONTH(d) = 10 AND DAY(d) = 1", [True, None]),
        ("EXTRACT(DOW FROM d) = 4", [True, None]),
        ("d - DATE '2026-09-01' = 30", [True, None]),
        ("d + 30 = DATE '2026-10-31' AND d - 1 = DATE '2026-09-30'", [True, None]),
        ("d + 9999999 IS NULL", [True, True]),
        ("CAST(d AS VARCHAR) = '2026-10-01'", [True, None]),
        ("GREATEST(d, DATE '2026-01-01') > DATE '2026-01-01'", [True, False]),
    ],
)
def test_dates(sql: str, expected: list[bool | None]) -> None:
    assert answers(sql, pl.Series("d", [date(2026, 10, 1), None])) == expected


def test_sunday_is_day_zero() -> None:
    assert answers("EXTRACT(DOW FROM d) = 0", pl.Series("d", [date(2026, 10, 4)])) == [True]


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_timestamps_of_every_unit_compare_exactly(unit: Any) -> None:
    at = pl.Series("at", [datetime(2026, 10, 1, 9, 30)]).cast(pl.Datetime(unit))
    assert answers("at = TIMESTAMP '2026-10-01 09:30:00' AND at < TIMESTAMP '2026-10-01 09:30:00.000001'", at) == [True]
    assert answers("at IN (TIMESTAMP '2026-10-01 09:30:00')", at) == [True]
    assert answers("COALESCE(at, TIMESTAMP '2026-10-01 00:00:00') = at AND HOUR(at) = 9 AND MINUTE(at) = 30", at) == [
        True
    ]


def test_nanoseconds_are_not_cut_off() -> None:
    at = pl.Series("at", [1], dtype=pl.Int64).cast(pl.Datetime("ns"))
    other = pl.Series("other", [0], dtype=pl.Int64).cast(pl.Datetime("us"))
    assert answers("at > other AND at > TIMESTAMP '1970-01-01 00:00:00'", at, other) == [True]


def test_a_timestamp_without_zone_is_compared_as_utc() -> None:
    at = (
        pl.Series("at", [datetime(2026, 10, 1, 9, 30)])
        .dt.replace_time_zone("UTC")
        .dt.convert_time_zone("Europe/Amsterdam")
    )
    assert answers("at = TIMESTAMP '2026-10-01 09:30:00' AND at = TIMESTAMPTZ '2026-10-01 11:30:00+02:00'", at) == [
        True
    ]
    assert answers("HOUR(at) = 11 AND CAST(at AS DATE) = DATE '2026-10-01'", at) == [True]
    assert answers("COALESCE(NULL, TIMESTAMP '2026-10-01 09:30:00', at) = at", at) == [True]


def test_times_durations_and_binaries_compare_with_their_like() -> None:
    assert answers("t = u AND HOUR(t) = 9", pl.Series("t", [time(9, 5)]), pl.Series("u", [time(9, 5)])) == [True]
    short, long = (
        pl.Series("a", [timedelta(seconds=1)]).cast(pl.Duration("ms")),
        pl.Series("b", [timedelta(microseconds=1_000_001)]),
    )
    assert answers("a < b", short, long) == [True]
    assert answers("a = b", pl.Series("a", [b"\x00"]), pl.Series("b", [b"\x00"])) == [True]


@pytest.mark.parametrize(
    ("text", "integer", "double", "day"),
    [
        ("12", 12, 12.0, None), ("+5", 5, 5.0, None), (" 5", None, None, None), ("5.0", None, 5.0, None), (".5", None, 0.5, None),
        ("1e2", None, 100.0, None), ("nan", None, None, None), ("inf", None, None, None), ("1e999", None, None, None),
        ("9223372036854775808", None, 9.223372036854775808e18, None), ("2026-02-28", None, None, date(2026, 2, 28)),
        ("2026-02-30", None, None, None), ("2026-2-3", None, None, None), (" 2026-02-03", None, None, None), ("", None, None, None),
    ],
)  # fmt: skip
def test_a_cast_that_fails_is_unknown(text: str, integer: int | None, double: float | None, day: date | None) -> None:
    columns = (texts("s", text), ints("i", integer), floats("f", double), pl.Series("d", [day], dtype=pl.Date))
    assert answers("TRY_CAST(s AS BIGINT) IS NOT DISTINCT FROM i", *columns) == [True]
    assert answers("CAST(s AS DOUBLE) IS NOT DISTINCT FROM f", *columns) == [True]
    assert answers("CAST(s AS DATE) IS NOT DISTINCT FROM d", *columns) == [True]


def test_casts_between_the_other_families() -> None:
    assert answers("CAST(f AS BIGINT) = 3", floats("f", 2.5, inf, 9.3e18)) == [True, None, None]
    assert answers("CAST(b AS BIGINT) = 1 AND CAST(b AS VARCHAR) = 'true'", flags("b", True, None)) == [True, None]
    assert answers("CAST(a AS VARCHAR) = '1' AND CAST(a AS DOUBLE) / 2 = 0.5", INTS) == [True, False, None]


def test_a_null_literal_may_stand_anywhere() -> None:
    sql = "COALESCE(LOWER(NULL), s) = s AND COALESCE(NULL + 1, 2) = 2 AND EXTRACT(DAY FROM NULL) IS NULL AND NULLIF(NULL, 1) IS NULL"
    assert answers(sql, texts("s", "a")) == [True]
    assert answers("NULL IN (1, 2) OR CAST(NULL AS DATE) IS NULL AND LENGTH(s) = 1", texts("s", "a")) == [True]


def test_categories_are_texts() -> None:
    assert answers("s = 'a' AND LENGTH(s) = 1", pl.Series("s", ["a"], dtype=pl.Categorical)) == [True]


def test_objects_and_arrays_know_null_only() -> None:
    assert answers("a IS NOT NULL", pl.Series("a", [[1], None])) == [True, False]
    with pytest.raises(RowSqlError, match="array cannot be compared"):
        answers("a = a", pl.Series("a", [[1]]))


def test_a_qualified_column_is_found_under_its_qualified_name() -> None:
    rule = parse_row_sql("a >= 0.8 * previous.a", frozenset({"previous"}))
    frame = pl.DataFrame({"a": [8, 7, 1], "previous.a": [10, 10, None]})
    assert frame.select(compile_expression(rule, frame.schema)).to_series().to_list() == [True, False, None]


def test_a_missing_column_or_an_unfit_type_is_found_before_rows_are_read() -> None:
    with pytest.raises(RowSqlError, match="no column 'b'"):
        compile_expression(parse_row_sql("b > 1"), {"a": pl.Int64()})
    with pytest.raises(RowSqlError, match="string and integer do not compare"):
        compile_expression(parse_row_sql("a > 1"), {"a": pl.String()})


def test_a_rule_that_would_grow_without_bound_is_refused() -> None:
    sql = "NULLIF(" * 15 + "a" + ", 1)" * 15 + " = 2"
    with pytest.raises(RowSqlError, match="too large"):
        compile_expression(parse_row_sql(sql), {"a": pl.Int64()})


def test_a_long_chain_is_judged() -> None:
    assert answers(" OR ".join(f"a = {number}" for number in range(900)), ints("a", 899, 900)) == [True, False]
    assert answers(f"a IN ({', '.join(map(str, range(1500)))})", ints("a", 1499, 1500)) == [True, False]
    assert answers("s LIKE '" + "_" * 9_000 + "'", texts("s", "x" * 9_000, "x")) == [True, False]


def test_an_empty_frame_has_no_answers() -> None:
    assert answers("a > 1 OR TRUE", ints("a")) == []
    assert answers("TRUE", ints("a")) == []
