"""A year of a real shop: with its calendar in the contract no quiet day raises an alarm, and without it each of them does."""

import json
from datetime import UTC, date, datetime, time, timedelta

import pytest

from contract_core.contract.deadlines import due_at
from contract_core.contract.model import Contract
from contract_core.contract.registry import read_contract
from contract_core.operations.deadlines import State, deadlines_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from tests.examples.offering import SHARED
from tests.real_data.test_expected_verdicts import CONTRACTS

FILE = SHARED / "online_retail_dec2010" / "delivery_calendar.json"
pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="the independent data sets are not beside the repository")
STATED = json.loads(FILE.read_text("utf-8")) if FILE.is_file() else {"missing_other": [], "missing_saturdays": []}
DUE = {"by": "09:00", "timezone": "Europe/London", "days_after": 1}
EVENING = datetime(2011, 12, 11, 20, 0, tzinfo=UTC)


def contract_with(**due: object) -> Contract:
    """The shop's contract with a deadline, up to the last day of the calendar."""
    contract = read_contract(CONTRACTS / "order_lines@1.0.0.yaml")
    stated = contract.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    stated["delivery"]["due"] = DUE | due
    return Contract.model_validate(stated)


def days() -> list[date]:
    first, last = (date.fromisoformat(STATED[name]) for name in ("first", "last"))
    return [first + timedelta(days=offset) for offset in range((last - first).days + 1)]


def delivered() -> list[date]:
    quiet = {*STATED["missing_saturdays"], *STATED["missing_other"]}
    return [day for day in days() if day.isoformat() not in quiet]


def published(contract: Contract, day: date, at: datetime) -> LedgerEntry:
    name, key = contract.name, day.isoformat()
    return LedgerEntry(
        Event.PUBLISHED, name, "1.0.0", "c", key, key, "d", Verdict.PUBLISH, "r", 1, at, at, received_at=at
    )  # fmt: skip


def story(contract: Contract) -> tuple[LedgerEntry, ...]:
    """Each trading day's file, received at six the next morning."""
    morning = time(6, tzinfo=UTC)
    return tuple(published(contract, day, datetime.combine(day + timedelta(days=1), morning)) for day in delivered())


def alarms(contract: Contract, at: datetime) -> set[str]:
    found = deadlines_of(contract, story(contract), at)
    assert found is not None
    last = STATED["last"]
    return {item.partition for item in found.overdue if item.partition <= last}


QUIET = ["saturday", *STATED["missing_other"]]


def test_the_calendar_has_the_days_that_it_counts() -> None:
    assert (len(delivered()), len(days())) == (STATED["delivered_days"], 305 + 53 + 16)
    assert {date.fromisoformat(day).weekday() for day in STATED["missing_saturdays"]} == {5}
    assert [day for day in delivered() if day.weekday() == 5] == STATED["delivered_saturdays"]


def test_no_day_without_a_file_raises_an_alarm() -> None:
    """[S2-041] Neither at the end, nor on the evening of any day of the year."""
    contract = contract_with(not_for=QUIET)
    evenings = [datetime.combine(day, time(20), UTC) for day in days()]
    assert alarms(contract, EVENING) == set()
    assert [at for at in evenings if alarms_by(contract, at)] == []


def alarms_by(contract: Contract, at: datetime) -> set[str]:
    """The alarms at a moment, when later deliveries are not there yet."""
    entries = tuple(entry for entry in story(contract) if entry.at <= at)
    found = deadlines_of(contract, entries, at, most=14)
    return {item.partition for item in found.overdue} if found is not None else set()


def test_without_the_calendar_each_of_the_69_days_raises_one() -> None:
    """What the data set says of a daily rule; working days and holidays only move a deadline, and change nothing of it."""
    quiet = {*STATED["missing_saturdays"], *STATED["missing_other"]}
    assert len(quiet) == 69
    assert alarms(contract_with(), EVENING) == quiet
    assert alarms(contract_with(calendar="weekdays", holidays=STATED["missing_other"]), EVENING) == quiet


def test_a_day_that_the_calendar_expects_is_still_missed() -> None:
    contract = contract_with(not_for=QUIET)
    entries = tuple(entry for entry in story(contract) if entry.partition != "2011-01-04")
    found = deadlines_of(contract, entries, EVENING)
    assert found is not None
    assert {item.partition: item.state for item in found.overdue if item.partition <= STATED["last"]} == {
        "2011-01-04": State.MISSING
    }


def test_every_file_that_came_was_due() -> None:
    contract = contract_with(not_for=QUIET)
    terms, due = contract.delivery.partition, contract.delivery.due
    assert terms is not None
    assert due is not None
    assert [day for day in delivered() if due_at(terms, due, day.isoformat()) is None] == []
