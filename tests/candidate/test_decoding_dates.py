"""Dates, times and durations: in stated formats, tried in order, or ISO 8601; the whole text or nothing."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from contract_core.errors import NotYetSupportedError
from tests.candidate.test_decoding import values_of

ROME = ZoneInfo("Europe/Rome")


@pytest.mark.parametrize(
    ("promised", "text", "value"),
    [
        ("date", "2026-10-01", date(2026, 10, 1)),
        ("date", "0001-01-01", date(1, 1, 1)),
        ("date", "9999-12-31", date(9999, 12, 31)),
        ("date", "0000-01-01", None),
        ("date", "2026-2-1", None),
        ("date", "2023-02-29", None),
        ("date", " 2026-10-01", None),
        ("date", "2026-10-01 ", None),
        ("date", "06/03/2026", None),
        ("date", "2026-10-01T00:00:00", None),
        ("date", "20261001", None),
        ("timestamp", "2026-10-01T12:00:00", datetime(2026, 10, 1, 12)),
        ("timestamp", "2026-10-01 12:00:00", datetime(2026, 10, 1, 12)),
        ("timestamp", "2026-10-01T12:00:00.000001", datetime(2026, 10, 1, 12, 0, 0, 1)),
        ("timestamp", "2026-10-01T12:00:00.0000001", None),
        ("timestamp", "2026-10-01T12:00:00Z", None),
        ("timestamp", "2026-10-01T12:00:00+02:00", None),
        ("timestamp", "2026-10-01T12:00:60", None),
        ("timestamp", "2026-10-01T24:00:00", None),
        ("timestamp", "2026-10-01", None),
        ("timestamp[us,UTC]", "2026-10-01T12:00:00Z", datetime(2026, 10, 1, 12, tzinfo=UTC)),
        ("timestamp[us,UTC]", "2026-10-01T12:00:00.5+02:00", datetime(2026, 10, 1, 10, 0, 0, 500_000, tzinfo=UTC)),
        ("timestamp[us,UTC]", "2026-10-01 12:00:00-0230", datetime(2026, 10, 1, 14, 30, tzinfo=UTC)),
        ("timestamp[us,UTC]", "2026-10-01T12:00:00", None),
        ("timestamp[us,UTC]", "0001-01-01T00:00:00+01:00", None),
        (
            "timestamp[ms,Europe/Rome]",
            "2026-10-01T12:00:00.123Z",
            datetime(2026, 10, 1, 14, 0, 0, 123_000, tzinfo=ROME),
        ),
        ("timestamp[ms,Europe/Rome]", "2026-10-01T12:00:00.1234Z", None),
        ("timestamp[ns]", "2026-10-01T12:00:00.123456", datetime(2026, 10, 1, 12, 0, 0, 123_456)),
        ("timestamp[ns]", "1500-01-01T00:00:00", None),
        ("timestamp[ns]", "2300-01-01T00:00:00", None),
        ("time", "12:30:00", time(12, 30)),
        ("time", "12:30:00.25", time(12, 30, 0, 250_000)),
        ("time", "24:00:00", None),
        ("time", "12:30", None),
        ("duration", "P1DT2H3M4.5S", timedelta(days=1, hours=2, minutes=3, seconds=4.5)),
        ("duration", "PT36H", timedelta(hours=36)),
        ("duration", "-PT1S", timedelta(seconds=-1)),
        ("duration", "PT0.000001S", timedelta(microseconds=1)),
        ("duration", "PT0.0000001S", None),
        ("duration", "P", None),
        ("duration", "PT", None),
        ("duration", "P1DT", None),
        ("duration", "P1M", None),
        ("duration", "P1W", None),
        ("duration", "1D", None),
        ("duration", "P99999999999999999999D", None),
    ],
)
def test_iso_8601_is_the_default(promised, text, value):
    assert values_of(promised, [text, None]) == [value, None]


@pytest.mark.parametrize(
    ("promised", "formats", "text", "value"),
    [
        ("date", ("%d-%m-%Y",), "06-03-2020", date(2020, 3, 6)),
        ("date", ("%d-%m-%Y",), "6-3-2020", date(2020, 3, 6)),
        ("date", ("%d-%m-%Y",), " 6-3-2020", None),
        ("date", ("%d-%m-%Y",), "06-03-2020x", None),
        ("date", ("%d-%m-%Y",), "2020-03-06", None),
        ("date", ("%d-%m-%Y", "%m/%d/%Y"), "03/06/2020", date(2020, 3, 6)),
        ("date", ("%d/%m/%Y", "%m/%d/%Y"), "03/06/2020", date(2020, 6, 3)),
        ("date", ("%d/%m/%Y", "%m/%d/%Y"), "03/26/2020", date(2020, 3, 26)),
        ("date", ("%d %b %Y",), "6 Mar 2020", date(2020, 3, 6)),
        ("date", ("%Y%m%d",), "20200306", date(2020, 3, 6)),
        ("date", ("%Y%m%d",), "2026111", None),
        ("date", ("%d%m%Y",), "01102026", date(2026, 10, 1)),
        ("date", ("%d%m%Y",), "1102026", None),
        ("date", ("%d1%m/%Y",), "11/10/2026", None),
        ("date", ("%d/%m/%Y",), "6/3/2020", date(2020, 3, 6)),
        ("date", ("%d%b%Y",), "6MAR2020", date(2020, 3, 6)),
        ("date", ("%d %B %Y",), "6 Mar 2020", None),
        ("date", ("%a %d %m %Y",), "Mon 06 03 2020", None),
        ("date", ("%Y%j",), "202066", None),
        ("date", ("%% %F",), "% 2020-03-06", date(2020, 3, 6)),
        ("time", ("%H%M%S",), "10203", None),
        ("time", ("%I%p %M",), "5PM 07", time(17, 7)),
        ("date", ("(%Y) %j",), "(2020) 66", date(2020, 3, 6)),
        ("timestamp", ("%d.%m.%Y %H:%M:%S",), "26.02.2020 00:00:00", datetime(2020, 2, 26)),
        ("timestamp", ("%d.%m.%Y %H:%M:%S",), "26.02.2020 00:00:60", None),
        ("timestamp", ("%m.%d.%Y %H:%M:%S",), "26.02.2020 00:00:00", None),
        ("timestamp", ("%Y-%m-%d %H:%M:%S.%f",), "2020-03-06 17:00:00.12", datetime(2020, 3, 6, 17, 0, 0, 120_000)),
        ("timestamp", ("%Y-%m-%d %H:%M:%S.%f",), "2020-03-06 17:00:00.1234567", None),
        ("timestamp", ("%d/%m/%Y %I:%M %p",), "06/03/2020 05:00 PM", datetime(2020, 3, 6, 17)),
        ("timestamp", ("%Y-%m-%dT%H:%M:%S%z",), "2020-03-06T17:00:00+01:00", None),
        ("timestamp[us,UTC]", ("%F %T %z",), "2020-03-06 17:00:00 +0100", datetime(2020, 3, 6, 16, tzinfo=UTC)),
        ("timestamp[us,UTC]", ("%F %T %z",), "2020-03-06 17:00:00 Z", datetime(2020, 3, 6, 17, tzinfo=UTC)),
        ("timestamp[us,UTC]", ("%F %T",), "2020-03-06 17:00:00", None),
        ("time", ("%H.%M",), "5.07", time(5, 7)),
    ],
)
def test_formats_are_tried_in_order_and_take_the_whole_text(promised, formats, text, value):
    assert values_of(promised, [text], formats=formats) == [value]


@pytest.mark.parametrize(
    "stated",
    [
        "%H",
        "%I:%M",
        "%Q",
        "%f",
        "%",
        "%Y-%m-%d %s",
        "%d%d %m %Y",
        "%Y %y-%m-%d",
        "%Y-%m-%d %j",
        "%d %b %m %Y",
        "%a %F %A",
    ],
)
def test_a_format_that_nothing_can_be_read_with_is_refused(stated):
    with pytest.raises(NotYetSupportedError):
        values_of("timestamp", ["x"], formats=(stated,))
