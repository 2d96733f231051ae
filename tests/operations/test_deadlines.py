"""How partitions stand at a moment: there in time, late, refused, missing or not due yet, with nothing arrived too."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contract_core.contract.model import Contract
from contract_core.operations.deadlines import Deadlines, State, deadlines_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry

DAILY = {"column": "day", "every": "day", "start": "2026-09-30"}
DUE = {"by": "09:00", "days_after": 1, "calendar": "weekdays"}
FRIDAY, MONDAY = datetime(2026, 10, 2, 12, tzinfo=UTC), datetime(2026, 10, 5, 12, tzinfo=UTC)
EARLY, LATE = datetime(2026, 10, 1, 8, tzinfo=UTC), datetime(2026, 10, 1, 11, tzinfo=UTC)
FIRST = "2026-09-30"


def contract_of(partition: Any = DAILY, due: Any = DUE, **more: Any) -> Contract:
    stated = {"partition": partition, "due": due} if due else {"partition": partition}
    fields = [{"name": "day", "type": "timestamp"}]
    return Contract.model_validate(
        {"contract": "cases", "version": "1.0.0", "fields": fields, "delivery": stated, **more}
    )


def event(
    kind: Event, submission: str, at: datetime, verdict: Verdict = Verdict.PUBLISH, partition: str = FIRST
) -> LedgerEntry:
    return LedgerEntry(
        kind, "cases", "1.0.0", "c", partition, submission, "d", verdict, "r", 1, at, at, received_at=at
    )  # fmt: skip


def published(submission: str, at: datetime, partition: str = FIRST) -> tuple[LedgerEntry, ...]:
    return event(Event.DECIDED, submission, at, partition=partition), event(
        Event.PUBLISHED, submission, at, partition=partition
    )


def refused(submission: str, at: datetime) -> tuple[LedgerEntry, ...]:
    return (event(Event.DECIDED, submission, at, Verdict.REFUSE),)


def states(found: Deadlines | None) -> dict[str, State]:
    assert found is not None
    return {item.partition: item.state for item in found.partitions}


def test_a_partition_of_which_nothing_came_is_missing_once_it_is_due() -> None:
    """[S2-041] Judged although nothing arrived at all."""
    assert states(deadlines_of(contract_of(), (), FRIDAY)) == {
        "2026-10-02": State.WAITING,
        "2026-10-01": State.MISSING,
        "2026-09-30": State.MISSING,
    }


def test_a_weekend_raises_no_false_alarm() -> None:
    """[S2-041] On Sunday evening nothing is overdue that was not on Friday; on Monday noon all three days are."""
    delivered = (*published("a", EARLY), *published("b", FRIDAY - timedelta(hours=4), "2026-10-01"))
    found = [deadlines_of(contract_of(), delivered, MONDAY - timedelta(hours=hours)) for hours in (66, 42, 18, 3, 0)]
    overdue = [[item.partition for item in each.overdue] for each in found if each is not None]
    assert overdue == [[], [], [], [], ["2026-10-04", "2026-10-03", "2026-10-02"]]


@pytest.mark.parametrize(
    ("entries", "state", "is_overdue", "delay"),
    [
        pytest.param((), State.MISSING, True, timedelta(hours=27), id="nothing"),
        pytest.param(published("a", EARLY), State.PUBLISHED, False, timedelta(0), id="in time"),
        pytest.param(published("a", LATE), State.LATE, False, timedelta(hours=2), id="late"),
        pytest.param(refused("a", EARLY), State.REFUSED, True, timedelta(hours=27), id="refused in time"),
        pytest.param(refused("a", LATE), State.REFUSED, True, timedelta(hours=27), id="refused late"),
        pytest.param((*refused("a", EARLY), *published("b", LATE)), State.LATE, False, timedelta(hours=2), id="refused in time, corrected late"),
        pytest.param((*published("a", EARLY), *refused("b", LATE)), State.PUBLISHED, False, timedelta(0), id="a correction that was refused"),
        pytest.param((*published("a", EARLY), *published("b", LATE)), State.PUBLISHED, False, timedelta(0), id="a late correction"),
        pytest.param((event(Event.DECIDED, "a", EARLY),), State.UNPUBLISHED, True, timedelta(hours=27), id="accepted"),
        pytest.param((event(Event.DECIDED, "a", EARLY), event(Event.FAILED, "a", EARLY)), State.UNPUBLISHED, True, timedelta(hours=27), id="its publication failed"),
        pytest.param(published("a", EARLY, "2026-10-01"), State.MISSING, True, timedelta(hours=27), id="another partition"),
    ],
)  # fmt: skip
def test_what_arrived_makes_the_state(
    entries: tuple[LedgerEntry, ...], state: State, is_overdue: bool, delay: timedelta
) -> None:
    """[S2-041]"""
    found = deadlines_of(contract_of(), entries, FRIDAY)
    assert found is not None
    first = found.partitions[-1]
    assert (first.partition, first.state, first.is_overdue, first.delay) == (FIRST, state, is_overdue, delay)


@pytest.mark.parametrize(
    ("entries", "state"),
    [
        pytest.param((), State.WAITING, id="nothing"),
        pytest.param(refused("a", EARLY), State.REFUSED, id="refused, with time left"),
        pytest.param(published("a", EARLY), State.PUBLISHED, id="there"),
    ],
)
def test_before_it_is_due_nothing_is_overdue(entries: tuple[LedgerEntry, ...], state: State) -> None:
    found = deadlines_of(contract_of(), entries, datetime(2026, 10, 1, 9, tzinfo=UTC))
    assert found is not None
    assert (states(found)[FIRST], found.overdue) == (state, ())


def test_the_next_due_is_the_oldest_that_is_waited_for() -> None:
    found = deadlines_of(contract_of(), published("a", EARLY), MONDAY - timedelta(hours=4))
    assert found is not None
    assert found.next_due is not None
    assert (found.next_due.partition, found.next_due.due_at) == ("2026-10-02", datetime(2026, 10, 5, 9, tzinfo=UTC))


@pytest.mark.parametrize(
    ("every", "start", "keys"),
    [
        pytest.param("hour", "2026-10-02", [f"2026-10-02-{hour:02}:00" for hour in range(12, -1, -1)], id="hours"),
        pytest.param("week", "2026-09-15", ["2026-09-27", "2026-09-20"], id="weeks"),
        pytest.param("month", "2026-07-31", ["2026-10-01", "2026-09-01", "2026-08-01"], id="months"),
    ],
)
def test_every_partition_since_the_start_that_has_begun_is_looked_at(every: str, start: str, keys: list[str]) -> None:
    found = deadlines_of(contract_of({"column": "day", "every": every, "start": start}), (), FRIDAY)
    assert (list(states(found)), found and found.is_all) == (keys, True)


def test_of_very_many_partitions_the_newest_are_looked_at_and_that_is_said() -> None:
    found = deadlines_of(contract_of(), (), MONDAY, most=2)
    assert (list(states(found)), found and found.is_all) == (["2026-10-05", "2026-10-04"], False)


@pytest.mark.parametrize(
    "contract",
    [
        pytest.param(contract_of(due=None), id="no deadline"),
        pytest.param(contract_of(partition=None, due=None), id="no partitions"),
        pytest.param(contract_of(status="retired"), id="retired"),
    ],
)
def test_a_contract_without_deadlines_has_none_to_tell(contract: Contract) -> None:
    assert deadlines_of(contract, (), FRIDAY) is None
