"""What consumers see now: the last accepted partition, its age, and refusals that nothing has settled."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contract_core.contract.model import Contract
from contract_core.contract.promises import Freshness
from contract_core.operations.status import Status, status_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry

FIELDS = [{"name": "day", "type": "date"}, {"name": "region", "type": "string"}]


def contract_of(partition: dict[str, Any] | None, max_age: str | None = None) -> Contract:
    terms = {"freshness": {"column": "day", "max_age": max_age}} if max_age else {}
    return Contract.model_validate(
        {
            "contract": "cases",
            "version": "1.0.0",
            "fields": FIELDS,
            "delivery": {"partition": partition} if partition else {},
            **terms,
        }
    )


BY_DAY = {"column": "day", "every": "day", "start": "2026-09-01", "timezone": "Europe/Amsterdam"}


def at(hour: int) -> datetime:
    return datetime(2026, 10, 3, hour, tzinfo=UTC)


def event(
    kind: Event, submission: str, partition: str | None, hour: int, verdict: Verdict = Verdict.PUBLISH
) -> LedgerEntry:
    return LedgerEntry(
        kind, "cases", "1.0.0", "c", partition, submission, "d", verdict, "r", 1, at(hour), at(hour),
        table_version=hour if kind is Event.PUBLISHED else None, sequence=hour, identity=f"{kind}{submission}{hour}",
    )  # fmt: skip


def published(submission: str, partition: str | None, hour: int) -> tuple[LedgerEntry, ...]:
    return event(Event.DECIDED, submission, partition, hour), event(Event.PUBLISHED, submission, partition, hour + 1)


def refused(submission: str, partition: str | None, hour: int) -> tuple[LedgerEntry, ...]:
    return (event(Event.DECIDED, submission, partition, hour, Verdict.REFUSE),)


def status(partition: dict[str, Any] | None, *entries: LedgerEntry, max_age: str | None = None) -> Status:
    return status_of(contract_of(partition, max_age), entries, at(20))


@pytest.mark.parametrize(
    ("partition", "entries", "shown", "newest", "age"),
    [
        pytest.param(BY_DAY, (), 0, None, None, id="nothing yet"),
        pytest.param(BY_DAY, published("a", "2026-10-01", 1), 1, "a", timedelta(hours=70), id="a day ages from its beginning in its zone"),
        pytest.param(BY_DAY, (*published("a", "2026-10-02", 1), *published("b", "2026-10-01", 3)), 2, "a", timedelta(hours=46), id="the newest day, not the last published"),
        pytest.param(BY_DAY, (*published("a", "2026-10-01", 1), *published("b", "2026-10-01", 3)), 1, "b", timedelta(hours=70), id="a correction replaces"),
        pytest.param(BY_DAY, (*published("a", "2026-10-01", 1), *refused("b", "2026-10-02", 3)), 1, "a", timedelta(hours=70), id="S1-013 a refusal shows nothing"),
        pytest.param({"column": "region"}, published("a", "NL", 1), 1, "a", timedelta(hours=18), id="a value ages from its publication"),
        pytest.param({"column": "region"}, (*published("a", "NL", 1), *published("b", "BE", 3)), 2, "b", timedelta(hours=16), id="the value published last"),
        pytest.param(BY_DAY, (*published("a", "2026-10-01-13:00", 1), *published("b", "2026-10-01", 3)), 2, "a", timedelta(hours=18), id="a key of an earlier version ages from its publication"),
        pytest.param(None, published("a", None, 1), 1, "a", timedelta(hours=18), id="no partitions"),
        pytest.param(BY_DAY, (event(Event.DECIDED, "a", "2026-10-01", 1), event(Event.FAILED, "a", "2026-10-01", 2)), 0, None, None, id="S1-091 a failed publication shows nothing"),
    ],
)  # fmt: skip
def test_the_newest_of_what_is_shown_has_an_age(
    partition: Any, entries: tuple[LedgerEntry, ...], shown: int, newest: str | None, age: timedelta | None
) -> None:
    found = status(partition, *entries)
    assert (found.partitions, found.newest and found.newest.submission, found.age) == (shown, newest, age)


def seen(entry: LedgerEntry, newest: datetime) -> LedgerEntry:
    """The entry of a delivery whose newest event was then."""
    return replace(entry, event_age=int((entry.as_of - newest).total_seconds()))


def test_rows_in_quarantine_are_counted_for_what_consumers_see_alone() -> None:
    """S3-033: those of a superseded delivery and of a refused one are not about what is shown."""
    apart = tuple(replace(entry, rows=9, quarantined=4) for entry in published("a", "2026-10-01", 1))
    fewer = tuple(replace(entry, rows=9, quarantined=2) for entry in published("b", "2026-10-01", 3))
    other = tuple(replace(entry, rows=9, quarantined=1) for entry in published("c", "2026-10-02", 5))
    refusal = tuple(replace(entry, rows=9) for entry in refused("d", "2026-10-03", 7))
    assert status(BY_DAY, *apart).quarantined == 4
    assert status(BY_DAY, *apart, *fewer, *other, *refusal).quarantined == 3


@pytest.mark.parametrize(
    ("max_age", "is_stale"),
    [
        pytest.param(None, None, id="no age promised"),
        pytest.param("70h", False, id="just as old as promised"),
        pytest.param("69h", True, id="older"),
    ],
)
def test_old_data_is_stale_where_the_contract_promises_an_age(max_age: str | None, is_stale: bool | None) -> None:
    assert status(BY_DAY, *published("a", "2026-10-01", 1), max_age=max_age).is_stale is is_stale


def test_the_age_is_that_of_the_newest_event_in_whatever_partition_it_stands() -> None:
    """[S1-034] As it was read at the judgement; the newest partition is named all the same."""
    corrected = tuple(seen(entry, at(10)) for entry in published("a", "2026-10-01", 1))
    found = status(BY_DAY, *corrected, *published("b", "2026-10-02", 3))
    assert (found.newest and found.newest.partition, found.age) == ("2026-10-02", timedelta(hours=10))


def test_events_that_are_not_shown_any_more_have_no_age() -> None:
    """[S1-034]"""
    wrong = tuple(seen(entry, at(19)) for entry in published("a", "2026-10-01", 1))
    assert status(BY_DAY, *wrong, *published("b", "2026-10-01", 3)).age == timedelta(hours=70)


@pytest.mark.parametrize(
    ("terms", "too_old", "silent", "stale"),
    [
        pytest.param({"max_age": "80h"}, False, None, False, id="fresh, and no pause is promised"),
        pytest.param({"max_age": "80h", "max_silence": "24h"}, False, False, False, id="both kept"),
        pytest.param({"max_age": "80h", "max_silence": "17h"}, False, True, True, id="silent, with events that are new enough"),
        pytest.param({"max_age": "60h", "max_silence": "24h"}, True, False, True, id="an old day was published just now"),
        pytest.param({"max_age": "60h", "max_silence": "17h"}, True, True, True, id="both broken"),
        pytest.param({"max_age": "80h", "max_silence": "18h"}, False, False, False, id="just as long as promised"),
    ],
)  # fmt: skip
def test_age_and_silence_are_told_apart(
    terms: dict[str, str], too_old: bool | None, silent: bool | None, stale: bool | None
) -> None:
    """[S1-016] Consumers can read the age of what they see and since when nothing came."""
    contract = contract_of({"column": "region"}).model_copy(
        update={"freshness": Freshness.model_validate({"column": "day", **terms})}
    )
    events = tuple(seen(entry, at(20) - timedelta(hours=70)) for entry in published("a", "NL", 1))
    found = status_of(contract, events, at(20))
    assert (found.age, found.silence) == (timedelta(hours=70), timedelta(hours=18))
    assert (found.is_too_old, found.is_silent, found.is_stale) == (too_old, silent, stale)


def test_a_refused_delivery_ends_no_silence() -> None:
    """[S1-016] Silence is a defect: what was refused made nothing visible."""
    assert status(BY_DAY, *published("a", "2026-10-01", 1), *refused("b", "2026-10-02", 15)).silence == timedelta(
        hours=18
    )


def test_a_retired_contract_is_never_stale() -> None:
    contract = contract_of(BY_DAY, "1h").model_copy(update={"status": "retired"})
    assert status_of(contract, published("a", "2026-10-01", 1), at(20)).is_stale is None


def test_nothing_published_has_no_age_to_be_stale() -> None:
    assert status(BY_DAY, max_age="1d").is_stale is None


@pytest.mark.parametrize(
    ("entries", "still_open"),
    [
        pytest.param(refused("a", "2026-10-01", 1), ["a"], id="refused"),
        pytest.param((*refused("a", "2026-10-01", 1), *published("b", "2026-10-01", 3)), [], id="settled by a correction"),
        pytest.param((*refused("a", "2026-10-01", 1), *published("b", "2026-10-02", 3)), ["a"], id="not by another partition"),
        pytest.param((*refused("a", "2026-10-01", 1), *refused("b", "2026-10-01", 3)), ["b"], id="the last refusal of a partition"),
        pytest.param((*published("a", "2026-10-01", 1), *refused("b", "2026-10-01", 3)), ["b"], id="a refused correction"),
        pytest.param((*refused("a", None, 1), *published("b", None, 3)), [], id="without partitions"),
        pytest.param((event(Event.DECIDED, "a", "2026-10-01", 1), event(Event.FAILED, "a", "2026-10-01", 2)), ["a"], id="S1-091 a failed publication"),
    ],
)  # fmt: skip
def test_a_refusal_stays_until_the_same_partition_is_decided_again(
    entries: tuple[LedgerEntry, ...], still_open: list[str]
) -> None:
    assert [record.submission for record in status(BY_DAY, *entries).refused_since] == still_open
