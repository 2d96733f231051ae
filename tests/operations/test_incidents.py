"""Incidents: when they begin, what ends them, and what tells one from another."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.operations.incidents import Incident, IncidentKind, incidents_of, open_incidents
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
QUIET = parse_contract(TEXT.replace("MORE", "") + "freshness: {column: day, max_age: 90d, max_silence: 1d}\n", "c.yaml")
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


def seen(entry: LedgerEntry, newest: datetime) -> LedgerEntry:
    """The entry of a delivery whose newest event was then."""
    return replace(entry, event_age=int((entry.as_of - newest).total_seconds()))


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
    assert (set(found.rules), found.attempts) == ({"key", "row_count"}, ("a" * 64, "b" * 64))


def test_what_the_last_refusal_broke_is_named_first() -> None:
    """[S2-030] The third file of that day lacked zeros; that the first had its numbers beside other regions was mended by then."""
    second = replace(refused(HOUR, "b"), reasons=("region.pattern", "coverage.missing"))
    third = replace(refused(2 * HOUR, "c"), reasons=("coverage.missing",))
    (found,) = incidents_of(PLAIN, (refused(0 * HOUR), second, third), NOON + 9 * HOUR)
    assert found.rules == ("coverage.missing", "region.pattern", "key")


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


def test_what_was_too_old_when_it_was_published_is_stale_from_then_on() -> None:
    story = (published(20 * HOUR),)
    assert spans(incidents_of(FRESH, story, NOON + 30 * HOUR)) == [(IncidentKind.STALE, 20 * HOUR, None)]


def test_something_newer_that_is_too_old_itself_ends_nothing() -> None:
    """Catching up day by day is one incident, which ends with the first day that is new enough."""
    behind = tuple(
        replace(published((96 + n) * HOUR, "c"), partition=f"2026-10-0{2 + n}", submission=f"{n}" * 64)
        for n in range(4)
    )
    story = (published(0 * HOUR), *behind)
    assert spans(incidents_of(FRESH, story, NOON + 99 * HOUR)) == [(IncidentKind.STALE, 12 * HOUR, 99 * HOUR)]


def test_a_correction_that_takes_the_newest_events_away_makes_stale() -> None:
    """[S1-034] The age is that of what consumers see, and not of what they once saw."""
    wrong = seen(published(0 * HOUR), NOON + 400 * HOUR)
    corrected = seen(published(20 * HOUR, "c"), NOON - 40 * HOUR)
    assert spans(incidents_of(FRESH, (wrong, corrected), NOON + 30 * HOUR)) == [(IncidentKind.STALE, 20 * HOUR, None)]


def test_an_event_that_was_read_counts_and_not_the_beginning_of_its_partition() -> None:
    """[S1-034]"""
    read = seen(published(0 * HOUR), NOON - 2 * HOUR)
    assert spans(incidents_of(FRESH, (read,), NOON + 50 * HOUR)) == [(IncidentKind.STALE, 46 * HOUR, None)]


def test_a_table_is_silent_from_the_promised_pause_until_something_is_published() -> None:
    """[S1-016] Whatever the events say: an old day that is published again ends it."""
    again = seen(published(30 * HOUR, "c"), NOON - 900 * HOUR)
    found = spans(incidents_of(QUIET, (published(0 * HOUR), refused(26 * HOUR), again), NOON + 60 * HOUR))
    assert [item for item in found if item[0] is IncidentKind.SILENT] == [
        (IncidentKind.SILENT, 24 * HOUR, 30 * HOUR),
        (IncidentKind.SILENT, 54 * HOUR, None),
    ]


def test_a_retired_contract_promises_no_freshness() -> None:
    retired = QUIET.model_copy(update={"status": "retired"})
    assert incidents_of(retired, (published(0 * HOUR),), NOON + 9000 * HOUR) == ()


def test_what_is_open_is_told_newest_first_whenever_it_was_recorded() -> None:
    """A moment in the past asks how old the data were then, and hides no refusal."""
    story = (published(0 * HOUR), replace(refused(HOUR, "c"), partition="2026-10-02"))
    found = open_incidents(FRESH, story, None, NOON + 13 * HOUR)
    assert [item.kind for item in found] == [IncidentKind.STALE, IncidentKind.REFUSED]
    assert [item.kind for item in open_incidents(FRESH, story, None, NOON - HOUR)] == [IncidentKind.REFUSED]


def test_an_incident_keeps_its_identity_while_it_lasts_and_when_it_ends() -> None:
    story = (refused(0 * HOUR), refused(HOUR, "b"), published(2 * HOUR, "c"), refused(3 * HOUR, "d"))
    (early,) = incidents_of(PLAIN, story, NOON)
    (first, second) = incidents_of(PLAIN, story, NOON + 9 * HOUR)
    assert early.identity == first.identity != second.identity


def test_what_arrived_in_time_and_is_published_late_was_overdue_until_then() -> None:
    """Consumers had nothing; and an incident that people were told of is never found to have been none."""
    story = (accepted(-3 * HOUR), replace(published(HOUR), received_at=NOON - 3 * HOUR, as_of=NOON - 3 * HOUR))
    open_then = spans(incidents_of(DUE, story, NOON))
    assert open_then == [(IncidentKind.OVERDUE, -2 * HOUR, None)]
    assert spans(incidents_of(DUE, story, NOON + 5 * HOUR)) == [(IncidentKind.OVERDUE, -2 * HOUR, HOUR)]


def test_a_day_of_the_past_that_is_judged_for_its_time_was_not_overdue() -> None:
    past = replace(published(10 * HOUR), as_of=NOON - 3 * HOUR)
    assert spans(incidents_of(DUE, (past,), NOON + 20 * HOUR)) == []
