"""When a partition is due: counted from its last day, by the clocks of a zone and the days of a calendar."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from contract_core.contract.deadlines import deadline, due_at
from contract_core.contract.delivery_terms import Due, PartitionTerms
from contract_core.contract.model import Contract


def terms(every: str = "day", zone: str = "UTC") -> PartitionTerms:
    return PartitionTerms.model_validate({"column": "at", "every": every, "start": "2020-01-01", "timezone": zone})


def due(by: str = "09:00", zone: str = "UTC", days: int = 1, **more: Any) -> Due:
    return Due.model_validate({"by": by, "timezone": zone, "days_after": days, **more})


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("partition", "key", "days", "moment"),
    [
        pytest.param(terms("day"), "2026-10-01", 1, "2026-10-02T09:00", id="the day after a day"),
        pytest.param(terms("day"), "2026-10-01", 2, "2026-10-03T09:00", id="two days after a day"),
        pytest.param(terms("day"), "2026-10-01", 0, "2026-10-02T09:00", id="a day is not due while it lasts"),
        pytest.param(terms("week"), "2026-09-27", 1, "2026-10-04T09:00", id="a week ends on a Saturday"),
        pytest.param(terms("month"), "2026-10-01", 5, "2026-11-05T09:00", id="the fifth after a month"),
        pytest.param(terms("month"), "2024-02-01", 1, "2024-03-01T09:00", id="February of a leap year"),
        pytest.param(terms("hour"), "2026-10-01-07:00", 0, "2026-10-01T09:00", id="an hour of the morning, the same day"),
        pytest.param(terms("hour"), "2026-10-01-08:00", 0, "2026-10-01T09:00", id="an hour that ends just then"),
        pytest.param(terms("hour"), "2026-10-01-09:00", 0, "2026-10-02T09:00", id="an hour that lasts until later"),
        pytest.param(terms("hour"), "2026-10-01-23:00", 1, "2026-10-02T09:00", id="the last hour counts from its own day"),
    ],
)  # fmt: skip
def test_days_are_counted_from_the_last_day_of_the_partition(
    partition: PartitionTerms, key: str, days: int, moment: str
) -> None:
    """[S2-041]"""
    assert due_at(partition, due(days=days), key) == at(moment)


@pytest.mark.parametrize(
    ("partition", "zone", "days", "moment"),
    [
        pytest.param("UTC", "Europe/Amsterdam", 1, "2026-10-02T07:00", id="clocks ahead of the partition's"),
        pytest.param("Europe/Amsterdam", "UTC", 1, "2026-10-02T09:00", id="clocks behind it"),
        pytest.param("Pacific/Auckland", "America/New_York", 0, "2026-10-01T13:00", id="a day that ends before the clocks of the deadline begin it"),
        pytest.param("America/New_York", "Pacific/Auckland", 1, "2026-10-02T20:00", id="a day that has not ended when the clocks show that time first"),
        pytest.param("America/New_York", "Pacific/Auckland", 2, "2026-10-02T20:00", id="and so is the same as a day later"),
    ],
)  # fmt: skip
def test_the_day_is_the_partitions_and_the_clock_the_deadlines(
    partition: str, zone: str, days: int, moment: str
) -> None:
    assert due_at(terms("day", partition), due("09:00", zone, days), "2026-10-01") == at(moment)


CHRISTMAS = {"calendar": "weekdays", "holidays": ["2026-12-25", "2026-12-28"]}


@pytest.mark.parametrize(
    ("key", "calendar", "moment"),
    [
        pytest.param("2026-10-01", {"calendar": "weekdays"}, "2026-10-02T09:00", id="Thursday, due on Friday"),
        pytest.param("2026-10-02", {"calendar": "weekdays"}, "2026-10-05T09:00", id="Friday, due on Monday"),
        pytest.param("2026-10-03", {"calendar": "weekdays"}, "2026-10-05T09:00", id="Saturday, due on Monday"),
        pytest.param("2026-10-04", {"calendar": "weekdays"}, "2026-10-05T09:00", id="Sunday, due on Monday"),
        pytest.param("2026-10-02", {}, "2026-10-03T09:00", id="every day is a working day"),
        pytest.param("2026-12-24", CHRISTMAS, "2026-12-29T09:00", id="over a holiday, a weekend and a holiday"),
        pytest.param("2026-12-24", {"holidays": ["2026-12-25"]}, "2026-12-26T09:00", id="a holiday where weekends are worked"),
    ],
)  # fmt: skip
def test_a_deadline_on_a_day_off_moves_to_the_next_working_day(key: str, calendar: dict[str, Any], moment: str) -> None:
    """[S2-041] A weekend raises no false alarm."""
    assert due_at(terms(), due(**calendar), key) == at(moment)


@pytest.mark.parametrize(
    ("zone", "by", "key", "moment"),
    [
        pytest.param("Europe/Amsterdam", "09:00", "2026-03-28", "2026-03-29T07:00", id="Amsterdam, the morning after clocks went forward"),
        pytest.param("Europe/Amsterdam", "01:59", "2026-03-28", "2026-03-29T00:59", id="Amsterdam, the last minute before"),
        pytest.param("Europe/Amsterdam", "02:00", "2026-03-28", "2026-03-29T01:00", id="Amsterdam, the first minute that is skipped"),
        pytest.param("Europe/Amsterdam", "02:30", "2026-03-28", "2026-03-29T01:30", id="Amsterdam, a skipped time is an hour later"),
        pytest.param("Europe/Amsterdam", "03:00", "2026-03-28", "2026-03-29T01:00", id="Amsterdam, the first minute after"),
        pytest.param("Europe/Amsterdam", "02:30", "2026-10-24", "2026-10-25T01:30", id="Amsterdam, the second of two"),
        pytest.param("Europe/Amsterdam", "03:00", "2026-10-24", "2026-10-25T02:00", id="Amsterdam, the first time that comes once"),
        pytest.param("America/New_York", "02:30", "2026-03-07", "2026-03-08T07:30", id="New York, a skipped time is an hour later"),
        pytest.param("America/New_York", "09:00", "2026-03-07", "2026-03-08T13:00", id="New York, the morning after clocks went forward"),
        pytest.param("America/New_York", "01:30", "2026-10-31", "2026-11-01T06:30", id="New York, the second of two"),
        pytest.param("America/New_York", "02:00", "2026-10-31", "2026-11-01T07:00", id="New York, the first time that comes once"),
        pytest.param("Australia/Lord_Howe", "01:45", "2026-04-04", "2026-04-04T15:15", id="Lord Howe, half an hour twice"),
        pytest.param("Pacific/Apia", "09:00", "2011-12-29", "2011-12-30T19:00", id="Samoa, a day that there was not"),
    ],
)  # fmt: skip
def test_a_clock_time_means_one_moment_on_days_when_clocks_change(zone: str, by: str, key: str, moment: str) -> None:
    """[S2-041] Of two moments it is the later one, so that nobody is late while clocks still show the time."""
    assert due_at(terms("day", zone), due(by, zone, 1), key) == at(moment)


@pytest.mark.parametrize(
    ("key", "days"),
    [
        pytest.param("9999-12-30", 2, id="past the last day"),
        pytest.param("9999-12-30", 366, id="far past it"),
    ],
)
def test_a_deadline_beyond_the_calendar_never_comes(key: str, days: int) -> None:
    assert due_at(terms(), due(days=days), key) is None


@pytest.mark.parametrize(
    ("delivery", "key", "moment"),
    [
        pytest.param({"partition": terms(), "due": due()}, "2026-10-01", at("2026-10-02T09:00"), id="promised"),
        pytest.param({"partition": terms()}, "2026-10-01", None, id="no deadline"),
        pytest.param({}, None, None, id="no partitions"),
        pytest.param({"partition": PartitionTerms(column="text"), "due": due()}, "NL", None, id="partitions by value"),
    ],
)
def test_a_contract_has_a_deadline_where_it_promises_one(
    delivery: Any, key: str | None, moment: datetime | None
) -> None:
    contract = Contract.model_validate(
        {"contract": "cases", "version": "1.0.0", "fields": [{"name": "at", "type": "date"}], "delivery": delivery}
    )
    assert deadline(contract, key) == moment


def test_a_deadline_only_warns_unless_the_contract_says_otherwise() -> None:
    """[S1-015]"""
    assert (due().severity, due(severity="error").severity) == ("warn", "error")
    assert due(holidays=["2026-12-25"]).holidays == (date(2026, 12, 25),)
