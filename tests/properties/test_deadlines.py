"""Laws of deadlines: none before its partition has ended, none on a day off, and a later partition is never due earlier."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from contract_core.contract.deadlines import due_at
from contract_core.contract.delivery_terms import Due, PartitionTerms
from contract_core.contract.model import Contract
from contract_core.contract.partition import begun, window
from contract_core.operations.deadlines import State, deadlines_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry

ZONES = (
    "UTC",
    "Europe/Amsterdam",
    "America/New_York",
    "Pacific/Auckland",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "Africa/Cairo",
)
DAYS = st.dates(date(2005, 1, 1), date(2035, 12, 31))


@st.composite
def partitions(draw: st.DrawFn) -> PartitionTerms:
    every = draw(st.sampled_from(["hour", "day", "week", "month"]))
    zone = "UTC" if every == "hour" else draw(st.sampled_from(ZONES))
    return PartitionTerms(column="at", every=every, timezone=zone, start=date(2000, 1, 1))


@st.composite
def dues(draw: st.DrawFn) -> Due:
    holidays = draw(st.lists(DAYS, max_size=5))
    return Due(
        by=time(draw(st.integers(0, 23)), draw(st.integers(0, 59))),
        timezone=draw(st.sampled_from(ZONES)),
        days_after=draw(st.integers(0, 40)),
        calendar=draw(st.sampled_from(["all", "weekdays"])),
        holidays=tuple({day + timedelta(days=n) for day in holidays for n in range(draw(st.integers(1, 6)))}),
    )


def keys_before(terms: PartitionTerms, day: date, most: int) -> list[str]:
    """Some partitions one after another, the oldest first."""
    return list(islice(begun(terms, datetime.combine(day, time(), UTC)), most))[::-1]


@given(partitions(), dues(), DAYS)
def test_no_partition_is_due_before_it_has_ended(terms: PartitionTerms, due: Due, day: date) -> None:
    (key,) = keys_before(terms, day, 1)
    assert due_at(terms, due, key) >= window(terms, key)[1]


@given(partitions(), dues(), DAYS)
def test_no_partition_is_due_on_a_day_off(terms: PartitionTerms, due: Due, day: date) -> None:
    """A time that the clocks skip may only lie within the day that it was asked for."""
    (key,) = keys_before(terms, day, 1)
    local = due_at(terms, due, key).astimezone(ZoneInfo(due.timezone))
    is_apia = due.timezone == "Pacific/Apia" and local.date() == date(
        2011, 12, 31
    )  # the day before was skipped as a whole
    assert is_apia or (local.date() not in due.holidays and (due.calendar == "all" or local.isoweekday() < 6))


@given(partitions(), dues(), DAYS)
def test_a_later_partition_is_never_due_earlier(terms: PartitionTerms, due: Due, day: date) -> None:
    moments = [due_at(terms, due, key) for key in keys_before(terms, day, 30)]
    assert all(one <= other for one, other in pairwise(moments))


@given(partitions(), DAYS)
def test_the_partitions_that_have_begun_follow_each_other_without_a_gap(terms: PartitionTerms, day: date) -> None:
    spans = [window(terms, key) for key in keys_before(terms, day, 30)]
    assert all(one[1] == other[0] for one, other in pairwise(spans))
    assert spans[-1][0] <= datetime.combine(day, time(), UTC) < spans[-1][1]


def contract_of(terms: PartitionTerms, due: Due) -> Contract:
    fields = [{"name": "at", "type": "timestamp"}]
    delivery = {"partition": terms, "due": due}
    return Contract.model_validate({"contract": "c", "version": "1.0.0", "fields": fields, "delivery": delivery})


def published(key: str, at: datetime) -> LedgerEntry:
    return LedgerEntry(
        Event.PUBLISHED, "c", "1.0.0", "d", key, key, "d", Verdict.PUBLISH, "r", 1, at, at, received_at=at
    )  # fmt: skip


@given(partitions(), dues(), DAYS)
def test_a_producer_who_delivers_at_the_last_moment_never_raises_an_alarm(
    terms: PartitionTerms, due: Due, day: date
) -> None:
    """[S2-041] No false alarm on quiet days: weekends, holidays and days when clocks change among them."""
    at = datetime.combine(day, time(), UTC)
    moments = {key: due_at(terms, due, key) for key in keys_before(terms, day, 30)}
    entries = tuple(published(key, moment) for key, moment in moments.items() if moment <= at)
    found = deadlines_of(contract_of(terms, due), entries, at, most=30)
    assert (found.overdue, {item.state for item in found.partitions} - {State.PUBLISHED, State.WAITING}) == ((), set())


@given(partitions(), dues(), DAYS)
def test_a_partition_that_does_not_come_is_overdue_from_its_deadline_on(
    terms: PartitionTerms, due: Due, day: date
) -> None:
    """[S2-041]"""
    at = datetime.combine(day, time(), UTC)
    found = deadlines_of(contract_of(terms, due), (), at, most=30)
    due_by_now = {key for key in keys_before(terms, day, 30) if due_at(terms, due, key) < at}
    assert {item.partition for item in found.overdue} == due_by_now
