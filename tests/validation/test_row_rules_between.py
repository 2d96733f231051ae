"""Bounds: both included, exact for every physical type, and of timestamps in the column's own zone."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from math import inf, nan
from typing import Any

import polars as pl
import pytest

from contract_core.validation.promise_kinds import Between
from tests.validation.test_row_rules import NO, YES, kept_rows, series


def between(low: Any, high: Any, values: pl.Series, *, judges_nan: bool = False) -> list[bool | None]:
    return kept_rows(Between("a", low, high, judges_nan), values)


INT64 = series(pl.Int64, -(2**63), -1, 0, 2**63 - 1, None)
FLOATS = series(pl.Float64, -0.0, 0.5, inf, nan, None)
DAYS = series(pl.Date, date(2026, 10, 1), date(2026, 10, 2), date(2026, 10, 3), None)


@pytest.mark.parametrize(
    ("values", "low", "high", "expected"),
    [
        pytest.param(INT64, 0, None, [NO, NO, YES, YES, YES], id="S1-025 at least"),
        pytest.param(INT64, None, -1, [YES, YES, NO, NO, YES], id="at most"),
        pytest.param(INT64, -(2**63), 2**63 - 1, [YES] * 5, id="bounds of Int64"),
        pytest.param(INT64, -(2**63) + 1, 2**63, [NO, YES, YES, YES, YES], id="one bound beyond Int64"),
        pytest.param(INT64, 2**63, None, [NO, NO, NO, NO, YES], id="beyond Int64"),
        pytest.param(INT64, -(10**40), 10**40, [YES] * 5, id="around Int128"),
        pytest.param(INT64, 10**40, None, [NO, NO, NO, NO, YES], id="beyond Int128"),
        pytest.param(series(pl.Int64, 0, 1, 2, None), Decimal("0.5"), Decimal("1.5"), [NO, YES, NO, YES], id="fractions on integers"),
        pytest.param(series(pl.Int64, -2, -1, 0), Decimal("-1.5"), Decimal("-0.5"), [NO, YES, NO], id="negative fractions on integers"),
        pytest.param(series(pl.Int8, -128, 127), -300, 126, [YES, NO], id="bounds beyond Int8"),
        pytest.param(series(pl.UInt8, 0, 255), -1, 254, [YES, NO], id="negative bound of unsigned"),
        pytest.param(series(pl.UInt64, 0, 2**64 - 1, None), 1, 2**64 - 1, [NO, YES, YES], id="UInt64"),
        pytest.param(series(pl.UInt64, 2**63, 2**64 - 1), None, 2**64 - 2, [YES, NO], id="UInt64 below its end"),
        pytest.param(FLOATS, 0, None, [YES, YES, YES, YES, YES], id="P02 -0.0 is 0, NaN is judged by not_finite"),
        pytest.param(FLOATS, None, Decimal("0.5"), [YES, YES, NO, YES, YES], id="inclusive"),
        pytest.param(FLOATS, None, 10**390, [YES, YES, NO, YES, YES], id="a bound beyond Float64 keeps infinity out"),
        pytest.param(series(pl.Float64, -inf, 0.0), -(10**390), None, [NO, YES], id="and minus infinity"),
        pytest.param(series(pl.Float64, inf, 0.0), 10**390, None, [YES, NO], id="a lower bound beyond Float64"),
        pytest.param(series(pl.Float32, 0.1, 0.2, 3e38), None, Decimal("0.1"), [YES, NO, NO], id="Float32 holds the bound in its own digits"),
        pytest.param(series(pl.Float32, 3e38, inf), None, 10**39, [YES, NO], id="a bound beyond Float32"),
        pytest.param(series(pl.Decimal(10, 2), Decimal("0.49"), Decimal("0.50"), Decimal("0.51"), None), Decimal("0.495"), Decimal("0.505"), [NO, YES, NO, YES], id="decimal"),
        pytest.param(series(pl.Decimal(38, 0), Decimal(10**37), Decimal(0)), Decimal("0.5"), Decimal("1E+37"), [YES, NO], id="fraction on 38 digits"),
        pytest.param(series(pl.Decimal(38, 38), Decimal("0.5"), Decimal(0)), Decimal("1E-50"), 5, [YES, NO], id="38 digits behind the point"),
        pytest.param(series(pl.Decimal(10, 2), Decimal("1.50"), None), -(10**40), 10**40, [YES, YES], id="bounds beyond decimals"),
        pytest.param(series(pl.Decimal(10, 2), Decimal("1.50"), None), 10**40, None, [NO, YES], id="a lower bound beyond decimals"),
        pytest.param(DAYS, date(2026, 10, 2), date(2026, 10, 2), [NO, YES, NO, YES], id="days"),
        pytest.param(DAYS, None, date.max, [YES] * 4, id="the last day of all"),
    ],
)  # fmt: skip
def test_between_includes_its_bounds(values: pl.Series, low: Any, high: Any, expected: list[bool]) -> None:
    """S3-010."""
    assert between(low, high, values) == expected


def test_nan_breaks_a_range_where_nothing_else_judges_it() -> None:
    """P02."""
    assert between(0, None, FLOATS, judges_nan=True) == [YES, YES, YES, NO, YES]
    assert between(None, 1, FLOATS, judges_nan=True) == [YES, YES, NO, NO, YES]


def moments(dtype: pl.Datetime, *values: str | None) -> pl.Series:
    plain = pl.Series("a", values, dtype=pl.String).str.to_datetime(time_unit=dtype.time_unit)
    return plain.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone) if dtype.time_zone else plain


NAIVE, BERLIN, UTC_US = pl.Datetime("us"), pl.Datetime("us", "Europe/Berlin"), pl.Datetime("us", "UTC")
SAO_PAULO = pl.Datetime("us", "America/Sao_Paulo")
PLUS_2 = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("values", "low", "high", "expected"),
    [
        pytest.param(moments(NAIVE, "2026-09-30T23:59:59.999999", "2026-10-01T00:00:00", "2026-10-01T23:59:59.999999", "2026-10-02T00:00:00", None), date(2026, 10, 1), date(2026, 10, 1), [NO, YES, YES, NO, YES], id="a day is all of its moments"),
        pytest.param(moments(pl.Datetime("ns"), "2026-10-01T23:59:59.999999999", "2026-10-02T00:00:00"), None, date(2026, 10, 1), [YES, NO], id="to the last nanosecond"),
        pytest.param(moments(pl.Datetime("ms"), "2026-10-01T00:00:00", "2026-10-01T00:00:00.001"), datetime(2026, 10, 1, 0, 0, 0, 500), None, [NO, YES], id="a bound between two milliseconds"),
        pytest.param(moments(NAIVE, "2026-10-01T00:00:00", "2026-10-01T00:00:00.000001"), None, datetime(2026, 10, 1), [YES, NO], id="a moment is one moment"),
        pytest.param(moments(NAIVE, "2026-10-01T00:00:00", None), date(1, 1, 1), date.max, [YES, YES], id="from the first day to the last"),
        pytest.param(moments(pl.Datetime("ns"), "2026-10-01T00:00:00"), datetime(1, 1, 1), datetime.max, [YES], id="beyond nanoseconds"),
        pytest.param(moments(BERLIN, "2026-10-01T21:59:59", "2026-10-01T22:00:00", "2026-10-02T21:59:59", "2026-10-02T22:00:00"), date(2026, 10, 2), date(2026, 10, 2), [NO, YES, YES, NO], id="a day in the column's zone"),
        pytest.param(moments(BERLIN, "2026-03-29T00:59:59", "2026-03-29T01:30:00"), datetime(2026, 3, 29, 2, 30), None, [NO, YES], id="a bound that no clock shows"),
        pytest.param(moments(BERLIN, "2026-10-25T00:29:59", "2026-10-25T00:30:00", "2026-10-25T01:30:00", "2026-10-25T01:30:01"), datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 2, 30), [NO, YES, YES, NO], id="a bound that clocks show twice"),
        pytest.param(moments(SAO_PAULO, "2018-11-04T02:59:59", "2018-11-04T03:00:00"), date(2018, 11, 4), None, [NO, YES], id="a day without a midnight"),
        pytest.param(moments(UTC_US, "2026-10-01T00:00:00", "2026-10-01T02:00:00"), datetime(2026, 10, 1, 1, tzinfo=UTC), None, [NO, YES], id="a bound in UTC"),
        pytest.param(moments(BERLIN, "2026-10-01T00:00:00", "2026-10-01T02:00:00"), datetime(2026, 10, 1, 1, tzinfo=UTC), None, [NO, YES], id="a bound in UTC for another zone"),
        pytest.param(moments(UTC_US, "2026-10-01T00:00:00", "2026-10-01T02:00:00"), datetime(2026, 10, 1, 3, tzinfo=PLUS_2), None, [NO, YES], id="a bound with an offset"),
    ],
)  # fmt: skip
def test_a_bound_of_timestamps(values: pl.Series, low: Any, high: Any, expected: list[bool]) -> None:
    assert between(low, high, values) == expected
