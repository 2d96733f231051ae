"""Coverage over time: what became of each of the last partitions, with deadlines and without."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contract_core.operations.coverage import Coverage, PartitionState, coverage_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from tests.operations.test_deadlines import (
    DAILY,
    DUE,
    EARLY,
    FIRST,
    FRIDAY,
    LATE,
    contract_of,
    event,
    published,
    refused,
)

MONDAY = FRIDAY + timedelta(days=3)


def states(found: Coverage | None) -> dict[str, PartitionState]:
    """What became of each partition, the newest first."""
    assert found is not None
    return {item.partition: item.state for item in found.partitions}


@pytest.mark.parametrize(
    ("entries", "state", "is_shown"),
    [
        pytest.param((), PartitionState.MISSING, False, id="nothing"),
        pytest.param(published("a", EARLY), PartitionState.PUBLISHED, True, id="in time"),
        pytest.param(published("a", LATE), PartitionState.LATE, True, id="late"),
        pytest.param(refused("a", EARLY), PartitionState.REFUSED, False, id="refused"),
        pytest.param((*published("a", EARLY), *refused("b", LATE)), PartitionState.REFUSED, True, id="a correction that was refused"),
        pytest.param((*published("a", EARLY), *refused("a", LATE)), PartitionState.REFUSED, True, id="refused when it was judged again"),
        pytest.param((*published("a", EARLY), *refused("b", LATE), event(Event.DECIDED, "a", LATE)), PartitionState.PUBLISHED, True, id="what is shown was offered again"),
        pytest.param((*refused("a", EARLY), *published("b", LATE)), PartitionState.LATE, True, id="refused in time, corrected late"),
        pytest.param((*published("a", EARLY), *published("b", LATE)), PartitionState.PUBLISHED, True, id="a late correction"),
        pytest.param((event(Event.DECIDED, "a", EARLY),), PartitionState.UNPUBLISHED, False, id="accepted"),
        pytest.param((*published("a", EARLY), event(Event.DECIDED, "b", LATE)), PartitionState.UNPUBLISHED, True, id="an accepted correction"),
        pytest.param((event(Event.DECIDED, "a", EARLY), event(Event.FAILED, "a", EARLY)), PartitionState.UNPUBLISHED, False, id="its publication failed"),
        pytest.param((event(Event.NOTIFIED, "", EARLY, Verdict.REFUSE),), PartitionState.MISSING, False, id="somebody was told"),
        pytest.param((*published("a", EARLY), event(Event.REQUESTED, "a", LATE, Verdict.REFUSE)), PartitionState.PUBLISHED, True, id="a correction was asked for"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("due", [DUE, None], ids=["due", "without a deadline"])
def test_the_last_attempt_makes_the_state(
    entries: tuple[LedgerEntry, ...], state: PartitionState, is_shown: bool, due: Any
) -> None:
    """[S1-016] With something older still shown, or with nothing."""
    found = coverage_of(contract_of(due=due), entries, FRIDAY)
    assert found is not None
    first = found.partitions[-1]
    never_late = PartitionState.PUBLISHED if due is None and state is PartitionState.LATE else state
    assert (first.partition, first.state, first.is_shown) == (FIRST, never_late, is_shown)


def test_without_a_deadline_what_has_ended_is_missing_and_what_runs_is_waited_for() -> None:
    assert states(coverage_of(contract_of(due=None), (), datetime(2026, 10, 1, 23, 59, tzinfo=UTC))) == {
        "2026-10-01": PartitionState.WAITING,
        "2026-09-30": PartitionState.MISSING,
    }


@pytest.mark.parametrize(
    ("at", "state"),
    [
        pytest.param(datetime(2026, 10, 2, 20, tzinfo=UTC), PartitionState.WAITING, id="Friday evening, it runs"),
        pytest.param(datetime(2026, 10, 3, 12, tzinfo=UTC), PartitionState.NOT_EXPECTED, id="Saturday"),
        pytest.param(datetime(2026, 10, 4, 23, 59, tzinfo=UTC), PartitionState.NOT_EXPECTED, id="Sunday night"),
        pytest.param(datetime(2026, 10, 5, 8, 59, tzinfo=UTC), PartitionState.NOT_EXPECTED, id="Monday is a holiday"),
        pytest.param(datetime(2026, 10, 6, 8, 59, tzinfo=UTC), PartitionState.WAITING, id="Tuesday, not due yet"),
        pytest.param(datetime(2026, 10, 6, 9, 1, tzinfo=UTC), PartitionState.MISSING, id="Tuesday, overdue"),
        pytest.param(datetime(2026, 10, 10, 12, tzinfo=UTC), PartitionState.MISSING, id="overdue on the next Saturday"),
    ],
)
def test_while_a_day_off_lasts_nothing_is_expected(at: datetime, state: PartitionState) -> None:
    """[S2-041] Friday's partition, which is due on the next working day at nine."""
    contract = contract_of(due=DUE | {"holidays": ["2026-10-05"]})
    assert states(coverage_of(contract, (), at))["2026-10-02"] is state


def test_a_day_off_is_one_on_the_clocks_of_the_deadline() -> None:
    """Thursday's partition is due in Auckland on Monday at nine, where Saturday has begun on our Friday noon."""
    contract = contract_of(due=DUE | {"timezone": "Pacific/Auckland"})
    moments = (FRIDAY, datetime(2026, 10, 4, 12, tzinfo=UTC), datetime(2026, 10, 4, 21, tzinfo=UTC))
    assert [states(coverage_of(contract, (), at))["2026-10-01"] for at in moments] == [
        PartitionState.NOT_EXPECTED,
        PartitionState.WAITING,
        PartitionState.MISSING,
    ]


@pytest.mark.parametrize(
    ("at", "today"),
    [
        pytest.param(datetime(2026, 10, 24, 21, 59, tzinfo=UTC), "2026-10-24", id="before midnight, clocks are put back that night"),
        pytest.param(datetime(2026, 10, 25, 22, 59, tzinfo=UTC), "2026-10-25", id="the day of 25 hours lasts an hour longer"),
        pytest.param(datetime(2026, 10, 25, 23, 0, tzinfo=UTC), "2026-10-26", id="and ends with it"),
        pytest.param(datetime(2026, 3, 29, 21, 59, tzinfo=UTC), "2026-03-29", id="the day of 23 hours"),
        pytest.param(datetime(2026, 3, 29, 22, 0, tzinfo=UTC), "2026-03-30", id="ends an hour earlier"),
    ],
)  # fmt: skip
def test_a_day_ends_on_its_own_clocks(at: datetime, today: str) -> None:
    terms = DAILY | {"timezone": "Europe/Amsterdam", "start": "2026-03-01"}
    found = states(coverage_of(contract_of(terms, due=None), (), at))
    assert [key for key, state in found.items() if state is PartitionState.WAITING] == [today]
    assert set(found.values()) == {PartitionState.WAITING, PartitionState.MISSING}


def test_of_partitions_by_value_those_are_known_that_were_delivered_the_last_first() -> None:
    contract = contract_of({"column": "day"}, due=None)
    entries = (*published("a", EARLY, "NL"), *refused("c", LATE), *published("b", EARLY, "BE"))
    numbered = tuple(replace(entry, sequence=number) for number, entry in enumerate(entries))
    assert list(states(coverage_of(contract, numbered, FRIDAY)).items()) == [
        ("BE", PartitionState.PUBLISHED),
        (FIRST, PartitionState.REFUSED),
        ("NL", PartitionState.PUBLISHED),
    ]


def test_a_retired_contract_waits_for_nothing_and_misses_nothing() -> None:
    found = coverage_of(contract_of(status="retired"), published("a", LATE), FRIDAY)
    assert set(states(found).values()) == {PartitionState.NOT_EXPECTED, PartitionState.PUBLISHED}


def test_a_table_without_partitions_has_no_coverage_over_time() -> None:
    assert coverage_of(contract_of(partition=None, due=None), (), FRIDAY) is None


def test_as_many_are_looked_at_as_are_asked_for() -> None:
    found = coverage_of(contract_of(), (), MONDAY, most=2)
    assert (list(states(found)), found and found.is_all) == (["2026-10-05", "2026-10-04"], False)


def test_a_contract_that_has_not_begun_has_no_partition_yet() -> None:
    assert coverage_of(contract_of(), (), datetime(2026, 9, 1, tzinfo=UTC)) == Coverage("cases", (), is_all=True)


def test_the_last_day_of_the_calendar_never_ends() -> None:
    terms = DAILY | {"start": "9999-12-30"}
    found = states(coverage_of(contract_of(terms, due=None), (), datetime(9999, 12, 31, 23, tzinfo=UTC)))
    assert found == {"9999-12-31": PartitionState.WAITING, "9999-12-30": PartitionState.MISSING}


def test_states_are_counted() -> None:
    found = coverage_of(contract_of(), (*published("a", EARLY), *published("b", LATE, "2026-10-01")), FRIDAY)
    assert found is not None
    assert {state: found.count(state) for state in PartitionState if found.count(state)} == {
        PartitionState.PUBLISHED: 2,
        PartitionState.WAITING: 1,
    }


def test_a_day_of_which_no_partition_ever_comes_is_none_to_wait_for() -> None:
    contract = contract_of(due={"by": "09:00", "days_after": 1, "not_for": ["saturday", "2026-10-05"]})
    found = states(coverage_of(contract, (), datetime(2026, 10, 8, tzinfo=UTC)))
    assert [day for day, state in found.items() if state is PartitionState.NOT_EXPECTED] == ["2026-10-05", "2026-10-03"]
