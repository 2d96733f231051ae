"""A year of daily operation, simulated with a fixed seed: the product says of it what a model says that knows the script alone.

The script (`year_script`) knows what was offered when and what was wrong with it; the model (`year_events`, `year_views`,
`year_metrics`) works out from that what must have happened, and never asks the product.
"""

from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from contract_core.operations.deadlines import deadlines_of
from contract_core.operations.incidents import Incident, incidents_of
from contract_core.operations.metrics import metrics_of
from contract_core.operations.reconciliation import reconcile_contract
from contract_core.operations.status import status_of
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.history import decisions
from contract_core.rendering.metrics import metrics_document
from tests.operations import year_views as views
from tests.operations.year_calendar import day_of, days, evening, midnight, moment
from tests.operations.year_events import Told, events_of, story_of
from tests.operations.year_metrics import expected_metrics
from tests.operations.year_rows import whole
from tests.operations.year_run import Ran, run
from tests.operations.year_script import End, Offer, nights_script, sales_script
from tests.operations.year_terms import AUTUMN, SALES, SPRING, Terms

pytestmark = pytest.mark.slow
SEED = 2026
SCRIPTS: dict[str, tuple[Terms, tuple[Offer, ...]]] = {
    "sales": (SALES, sales_script(SEED)),
    "nights of spring": (SPRING, nights_script(SPRING, SEED)),
    "nights of autumn": (AUTUMN, nights_script(AUTUMN, SEED)),
}
Both = tuple[Ran, views.Year]


def once(name: str) -> Any:
    """A year takes minutes: one worker lives through it and runs all tests about it (see `YEARS` in conftest)."""
    return pytest.param(name, id=name.replace(" ", "-"))


@pytest.fixture(scope="module", params=map(once, SCRIPTS))
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """What the product did, and what the model says."""
    terms, script = SCRIPTS[request.param]
    ran = run(terms, script, tmp_path_factory.mktemp("year") / "root")
    return ran, views.Year(terms, events_of(terms, script))


def evenings(year: views.Year) -> list[datetime]:
    return [evening(day) for day in days(year.terms.first, year.terms.last)]


def told(entry: LedgerEntry) -> tuple[object, ...]:
    """An entry without what only the product knows: digests, versions and numbers of its own."""
    counts = dict(entry.counts)
    return (
        entry.event.value,
        entry.at,
        entry.partition,
        entry.received_at,
        entry.verdict.value,
        sorted(entry.held_back),
        counts,
        entry.rows,
        entry.quarantined,
        dict(entry.restated),
        entry.reason,
    )


def expected(event: Told) -> tuple[object, ...]:
    return (
        event.kind,
        event.at,
        event.day.isoformat(),
        event.received,
        event.verdict,
        sorted(event.held),
        event.broken,
        len(event.submission[1]),
        event.apart,
        event.restated,
        event.reason,
    )


def plain(incident: Incident) -> views.Incident:
    return incident.kind.value, incident.partition, incident.opened_at, incident.resolved_at


def test_the_ledger_holds_every_event_of_the_year_and_no_other(both: Both) -> None:
    """[S1-016] Each delivery, refusal, retry, crash and correction in its order, with its moments, rules and counts."""
    ran, year = both
    assert [told(entry) for entry in ran.entries] == [expected(event) for event in year.events]


def test_consumers_see_each_day_just_as_it_was_published_last(both: Both) -> None:
    """Also on the first evening of every month: what was refused, kept apart or superseded is in no row."""
    ran, year = both
    story = story_of(year.terms, dict(SCRIPTS.values())[year.terms])
    shown = {
        day: frozenset((*row[:3], int(str(row[3])), row[4]) for row in seen.rows) for day, seen in ran.seen.items()
    }
    assert shown == {day: views.rows(story, evening(day)) for day in ran.seen}


def test_what_a_killed_run_has_published_is_seen_though_nobody_recorded_it(tmp_path: Path) -> None:
    wednesday, thursday = date(2026, 1, 28), date(2026, 1, 29)
    script = (
        Offer(moment(date(2026, 1, 30), time(7)), thursday, whole(thursday)),
        Offer(moment(date(2026, 1, 30), time(8)), wednesday, whole(wednesday), End.KILLED_WHEN_COMMITTED),
    )
    seen = run(SALES, script, tmp_path / "root").seen[date(2026, 2, 1)]
    assert seen.rows == views.rows(story_of(SALES, script), evening(date(2026, 2, 1)))
    assert {row[2] for row in seen.rows} == {"2026-01-28", "2026-01-29"}
    assert [entry.partition for entry in seen.entries] == ["2026-01-29", "2026-01-29", "2026-01-28"]


def test_nothing_that_was_seen_on_an_evening_is_changed_afterwards(both: Both) -> None:
    ran, _ = both
    assert {day: seen.entries for day, seen in ran.seen.items()} == {day: ran.until(evening(day)) for day in ran.seen}


def test_every_evening_each_partition_is_called_what_it_is(both: Both) -> None:
    """[S2-041] Published, late, unpublished, refused, missing or waiting."""
    ran, year = both
    for at in evenings(year):
        found = deadlines_of(ran.contract, ran.until(at), at)
        assert found is not None
        assert {item.partition: item.state.value for item in found.partitions} == views.states(year, at)


def test_every_evening_the_incidents_are_those_of_the_script(both: Both) -> None:
    """[S1-035] From when until when something was refused, failed, overdue, stale or silent."""
    ran, year = both
    for at in evenings(year):
        assert [plain(item) for item in incidents_of(ran.contract, ran.until(at), at)] == views.incidents(year, at)


def test_the_status_tells_what_consumers_see_and_what_was_refused_since(both: Both) -> None:
    """[S1-016] [S1-034]"""
    ran, year = both
    for day, seen in ran.seen.items():
        at = evening(day)
        found, known = status_of(ran.contract, seen.entries, at), year.until(at)
        shown = views.shown(known)
        assert found.newest is not None
        assert (found.newest.partition, found.partitions) == (max(shown).isoformat(), len(shown))
        assert found.age == at - midnight(max(shown))
        assert found.is_stale == (found.age > year.terms.max_age)
        assert found.quarantined == sum(event.apart for event in shown.values())
        refused = [(record.partition, record.decided_at) for record in found.refused_since]
        assert sorted(refused) == sorted(views.unsettled(known))


def test_the_metrics_are_those_of_the_script(both: Both) -> None:
    """[S1-032] [S1-033] [S1-034] [S1-035] On the first evening of each month and on the last one, every number."""
    ran, year = both
    for day, seen in ran.seen.items():
        at = evening(day)
        (found,) = metrics_document([metrics_of(ran.contract, seen.entries, at)], at)["contracts"]
        numbers = expected_metrics(year, at)
        assert {name: found[name] for name in numbers} == numbers


def test_each_submission_has_one_record_with_its_last_decision(both: Both) -> None:
    ran, year = both
    found = [(record.partition, record.decided_at, record.decision.value) for record in decisions(ran.entries)]
    last = views.last_decisions(year.events).values()
    assert found == [(event.day.isoformat(), event.at, event.verdict) for event in last]


def test_the_year_ends_without_anything_to_reconcile(both: Both) -> None:
    """After every crash the next run has completed what was missing."""
    ran, _ = both
    found = reconcile_contract(ran.contract, ran.environment, evening(max(ran.seen)))
    assert (found.missing, found.differences) == ((), ())


def test_no_day_off_raises_an_alarm(both: Both) -> None:
    """No false alarm on quiet days: what is neither due nor delivered on a weekend or a holiday is not missed there."""
    ran, year = both
    at = evening(year.terms.last)
    opened = {day_of(item.opened_at) for item in incidents_of(ran.contract, ran.until(at), at)}
    assert opened & year.terms.days_off == set()


def test_what_came_in_time_and_was_good_is_in_no_incident(both: Both) -> None:
    ran, year = both
    at = evening(year.terms.last)
    disturbed = {item.partition for item in incidents_of(ran.contract, ran.until(at), at)}
    assert disturbed & views.smooth(year) == set()
