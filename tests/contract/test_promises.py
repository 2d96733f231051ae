"""The small values that promises are written with: durations, shares, changes, clocks, days and zones."""

from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from contract_core.contract.scalars import Change, Clock, Day, Duration, NamedText, Share, Whole, YesNo, ZoneName


@pytest.mark.parametrize(
    ("kind", "written", "expected"),
    [
        pytest.param(Duration, "90s", timedelta(seconds=90), id="seconds"),
        pytest.param(Duration, "15m", timedelta(minutes=15), id="minutes"),
        pytest.param(Duration, "6 h", timedelta(hours=6), id="hours"),
        pytest.param(Duration, "2d", timedelta(days=2), id="days"),
        pytest.param(Duration, "1w", timedelta(days=7), id="weeks"),
        pytest.param(Share, "25%", Decimal("0.25"), id="share"),
        pytest.param(Share, "0.5 %", Decimal("0.005"), id="share below one percent"),
        pytest.param(Share, Decimal("0.25"), Decimal("0.25"), id="share as a fraction"),
        pytest.param(Change, "150%", Decimal("1.5"), id="change"),
        pytest.param(Clock, "09:00", time(9), id="clock"),
        pytest.param(Clock, "23:59", time(23, 59), id="last minute"),
        pytest.param(Day, date(2026, 10, 1), date(2026, 10, 1), id="day"),
        pytest.param(Day, "2026-10-01", date(2026, 10, 1), id="day in quotes"),
        pytest.param(ZoneName, "Europe/Amsterdam", "Europe/Amsterdam", id="zone"),
        pytest.param(NamedText, " x ", " x ", id="text"),
        pytest.param(Whole, 10**15, 10**15, id="largest whole number"),
        pytest.param(YesNo, True, True, id="true"),
    ],
)
def test_what_is_written_well_is_read(kind: Any, written: object, expected: object) -> None:
    assert TypeAdapter(kind).validate_python(written) == expected


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        pytest.param(Duration, "2 days", id="a duration in words"),
        pytest.param(Duration, "-2d", id="a negative duration"),
        pytest.param(Duration, "1.5h", id="a fraction of an hour"),
        pytest.param(Duration, 90, id="a duration without unit"),
        pytest.param(Duration, "9999999d", id="a duration beyond reason"),
        pytest.param(Duration, "١d", id="a digit that is not ASCII"),
        pytest.param(Share, "101%", id="more than everything"),
        pytest.param(Share, Decimal("1.01"), id="more than one"),
        pytest.param(Share, "-1%", id="less than nothing"),
        pytest.param(Share, 1, id="a whole number as share"),
        pytest.param(Share, True, id="true as share"),
        pytest.param(Change, "50", id="a change without percent"),
        pytest.param(Change, Decimal("0.5"), id="a change as fraction"),
        pytest.param(Clock, "24:00", id="24 o'clock"),
        pytest.param(Clock, "9:00", id="one digit"),
        pytest.param(Clock, 540, id="sexagesimal"),
        pytest.param(Day, "2026-02-30", id="a day that is none"),
        pytest.param(Day, "tomorrow", id="a word"),
        pytest.param(Day, 20261001, id="a number as day"),
        pytest.param(ZoneName, "Amsterdam", id="no IANA name"),
        pytest.param(ZoneName, "+02:00", id="an offset"),
        pytest.param(NamedText, "\u00a0\n", id="white space"),
        pytest.param(NamedText, None, id="nothing"),
        pytest.param(Whole, 10**15 + 1, id="beyond the largest whole number"),
        pytest.param(Whole, True, id="S2-024 true as whole number"),
        pytest.param(Whole, Decimal(1), id="a decimal as whole number"),
        pytest.param(YesNo, 1, id="1 as true"),
        pytest.param(YesNo, "true", id="S2-023 text as true"),
    ],
)
def test_anything_else_is_refused(kind: Any, written: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(written)
