"""Incidents: when they begin, what ends them, and what tells one from another."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.operations.incidents import Incident, IncidentKind, incidents_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry

TEXT = """\
contract: cases
version: "1.0.0"
fields: [{name: day, type: date}]
delivery: {partition: {column: day, every: day, start: 2026-10-01}MORE}
"""
NOON = datetime(2026, 10, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PLAIN = parse_contract(TEXT.replace("MORE", ""), "c.yaml")
DUE = parse_contract(TEXT.replace("MORE", ', due: {by: "10:00", days_after: 1}'), "c.yaml")
FRESH = parse_contract(TEXT.replace("MORE", "") + "freshness: {column: day, max_age: 2d}\n", "c.yaml")


def entry(event: Event, after: timedelta, *, verdict: Verdict = Verdict.PUBLISH, submission: str = "a") -> LedgerEntry:
    return LedgerEntry(
        event=event,
        contract="cases",
        version="1.0.0",
        contract_digest="d",
        partition="2026-10-01",
        submission=submission * 64,
        candidate_digest="c",
        verdict=verdict,
        report_digest="r",
        rows=1,
        as_of=NOON + after,
        at=NOON + after,
        received_at=NOON + after,
        reasons=("key",) if verdict is Verdict.REFUSE else (),
        sequence=int(after.total_seconds()) + 1,
    )


def refused(after: timedelta, submission: str = "a") -> LedgerEntry:
    return entry(Event.DECIDED, after, verdict=Verdict.REFUSE, submission=submission)


def accepted(after: timedelta, submission: str = "b") -> LedgerEntry:
    return entry(Event.DECIDED, after, submission=submission)


def published(after: timedelta, submission: str = "b") -> LedgerEntry:
    return entry(Event.PUBLISHED, after, submission=submission)


def spans(found: tuple[Incident, ...]) -> list[tuple[IncidentKind, timedelta, timedelta | None]]:
    """Kind, beginning and end of each, from noon."""
    return [
        (item.kind, item.opened_at - NOON, None if item.resolved_at is None else item.resolved_at - NOON)
        for item in found
    ]


def test_a_refusal_is_open_until_its_partition_is_published() -> None:
    """[S1-035]"""
    story = (refused(0 * HOUR), accepted(HOUR), published(2 * HOUR))
    assert spans(incidents_of(PLAIN, story, NOON + HOUR)) == [(IncidentKind.REFUSED, 0 * HOUR, None)]
    assert spans(incidents_of(PLAIN, story, NOON + 9 * HOUR)) == [(IncidentKind.REFUSED, 0 * HOUR, 2 * HOUR)]


def test_refusals_in_a_row_are_one_incident_with_all_their_rules() -> None:
    second = replace(refused(HOUR, "b"), reasons=("row_count", "key"))
    (found,) = incidents_of(PLAIN, (refused(0 * HOUR), second), NOON + 9 * HOUR)
    assert (found.rules, found.attempts) == (("key", "row_count"), ("a" * 64, "b" * 64))


def test_a_refusal_after_a_publication_is_another_incident() -> None:
    story = (refused(0 * HOUR), published(HOUR), refused(2 * HOUR, "c"))
    assert spans(incidents_of(PLAIN, story, NOON + 9 * HOUR)) == [
        (IncidentKind.REFUSED, 0 * HOUR, HOUR),
        (IncidentKind.REFUSED, 2 * HOUR, None),
    ]


def test_delivering_again_what_is_published_ends_a_refusal() -> None:
    story = (published(0 * HOUR), refused(HOUR), accepted(2 * HOUR))
    assert spans(incidents_of(PLAIN, story, NOON + 9 * HOUR)) == [(IncidentKind.REFUSED, HOUR, 2 * HOUR)]


def test_what_was_accepted_and_is_not_published_ends_nothing() -> None:
    story = (refused(0 * HOUR), accepted(HOUR))
    assert spans(incidents_of(PLAIN, story, NOON + 9 * HOUR)) == [(IncidentKind.REFUSED, 0 * HOUR, None)]


def test_a_failed_publication_is_an_incident_with_the_class_of_its_error() -> None:
    failed = replace(entry(Event.FAILED, HOUR), reason="PublicationError")
    (found,) = incidents_of(PLAIN, (accepted(0 * HOUR, "a"), failed), NOON + 9 * HOUR)
    assert (found.kind, found.error, found.opened_at) == (IncidentKind.FAILED, "PublicationError", NOON + HOUR)


@pytest.mark.parametrize(
    ("arrives", "at", "expected"),
    [
        pytest.param(-3 * HOUR, NOON, [], id="in time"),
        pytest.param(HOUR, NOON + 5 * HOUR, [(IncidentKind.OVERDUE, -2 * HOUR, HOUR)], id="late"),
        pytest.param(9 * HOUR, NOON, [(IncidentKind.OVERDUE, -2 * HOUR, None)], id="not yet there"),
    ],
)
def test_a_partition_is_overdue_from_its_deadline_until_it_arrives(
    arrives: timedelta, at: datetime, expected: list[object]
) -> None:
    """[S2-041]"""
    assert spans(incidents_of(DUE, (published(arrives),), at)) == expected


def test_published_data_are_stale_from_their_promised_age_until_newer_ones_are_published() -> None:
    """[S1-016]"""
    newer = replace(published(50 * HOUR, "c"), partition="2026-10-04")
    story = (published(0 * HOUR), newer)
    assert spans(incidents_of(FRESH, story, NOON + 60 * HOUR)) == [(IncidentKind.STALE, 12 * HOUR, 50 * HOUR)]
    assert spans(incidents_of(FRESH, story, NOON + 12 * HOUR)) == []


def test_an_older_partition_that_is_corrected_makes_nothing_fresh() -> None:
    older = replace(published(20 * HOUR, "c"), partition="2026-09-30")
    assert spans(incidents_of(FRESH, (published(0 * HOUR), older), NOON + 30 * HOUR)) == [
        (IncidentKind.STALE, 12 * HOUR, None)
    ]


def test_an_incident_keeps_its_identity_while_it_lasts_and_when_it_ends() -> None:
    story = (refused(0 * HOUR), refused(HOUR, "b"), published(2 * HOUR, "c"), refused(3 * HOUR, "d"))
    (early,) = incidents_of(PLAIN, story, NOON)
    (first, second) = incidents_of(PLAIN, story, NOON + 9 * HOUR)
    assert early.identity == first.identity != second.identity
