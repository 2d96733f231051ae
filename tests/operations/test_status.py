"""What consumers see now: the last accepted partition, its age, and refusals that nothing has settled."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contract_core.contract.model import Contract
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
