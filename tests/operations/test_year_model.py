"""The model that a year is held to, against numbers worked out by hand; and the year's script against what it should hold."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.operations import year_rows as rows
from tests.operations import year_views as views
from tests.operations.year_calendar import day_of, days, evening, midnight, moment, working_day
from tests.operations.year_events import Told, events_of
from tests.operations.year_metrics import expected_metrics
from tests.operations.year_script import End, Offer, nights_script, sales_script
from tests.operations.year_terms import AUTUMN, SALES, SPRING, Terms

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
TUESDAY, WEDNESDAY = date(2026, 1, 6), date(2026, 1, 7)
MINUTE = timedelta(minutes=1)


def utc(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 1, day, hour, minute, tzinfo=UTC)


def year_of(*offers: Offer, terms: Terms = SALES) -> views.Year:
    return views.Year(terms, events_of(terms, offers))


def kinds(events: tuple[Told, ...]) -> list[tuple[str, str]]:
    return [(event.kind, event.verdict) for event in events]


@pytest.mark.parametrize("clock", [time(0), time(2, 59, 59), time(9), time(18)])
def test_the_clocks_of_the_year_are_those_of_the_time_zone(clock: time) -> None:
    """Of the hour that the clocks show twice the second one counts."""
    ours = [moment(day, clock) for day in days(SALES.first, SALES.last)]
    theirs = [
        datetime.combine(day, clock.replace(fold=1), AMSTERDAM).astimezone(UTC)
        for day in days(SALES.first, SALES.last)
        if (day, clock) != (date(2026, 3, 29), time(2, 59, 59))
    ]
    skipped = [] if clock != time(2, 59, 59) else [datetime(2026, 3, 29, 1, 59, 59, tzinfo=UTC)]
    assert sorted(ours) == sorted(theirs + skipped)


def test_deadlines_by_hand() -> None:
    assert SALES.due(date(2026, 1, 2)) == utc(5, 8)
    assert SALES.due(date(2026, 4, 2)) == datetime(2026, 4, 7, 7, tzinfo=UTC)
    assert SPRING.due(date(2026, 3, 28)) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert AUTUMN.due(date(2026, 10, 24)) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert working_day(date(2026, 12, 24), 1) == date(2026, 12, 28)
    assert day_of(datetime(2026, 7, 1, 22, tzinfo=UTC)) == date(2026, 7, 2)


def test_a_refusal_and_its_correction_by_hand() -> None:
    """Refused at 08:30, due at 09:00 Dutch time, published at 10:01 by the delivery of 10:00."""
    year = year_of(
        Offer(utc(7, 7, 30), TUESDAY, rows.negative(TUESDAY, 2)),
        Offer(utc(7, 9), TUESDAY, rows.whole(TUESDAY)),
    )
    assert kinds(year.events) == [("decided", "refuse"), ("decided", "publish"), ("published", "publish")]
    found = [incident for incident in views.incidents(year, utc(7, 10)) if incident[1] == TUESDAY.isoformat()]
    assert found == [
        ("refused", "2026-01-06", utc(7, 7, 30), utc(7, 9, 1)),
        ("overdue", "2026-01-06", utc(7, 8), utc(7, 9, 1)),
    ]
    numbers = expected_metrics(year, utc(7, 10))
    assert numbers["submissions"] == {"publish": 1, "publish_with_quarantine": 0, "refuse": 1, "failed": 0}
    assert numbers["refused_by_rule"] == {"count.range": 1}
    assert numbers["breaches"] == [
        {"id": "count.range", "rule": "range", "field": "count", "severity": "error", "submissions": 1, "breaches": 2},
        {"id": "deadline", "rule": "deadline", "field": None, "severity": "warn", "submissions": 1, "breaches": 1},
    ]
    assert numbers["resolution"]["by_rule"]["count.range"]["seconds"]["sum"] == 91 * 60
    assert numbers["receipt_to_publication_seconds"]["sum"] == 60
    assert numbers["newest_event_age_seconds"] == 35 * 3600
    assert (numbers["partitions"]["late"], numbers["partitions"]["missing"]) == (1, 5)


def test_a_run_that_is_killed_before_its_record_by_hand() -> None:
    """Received in time, and recorded by the next run: not late, and overdue until then."""
    year = year_of(
        Offer(utc(7, 7), TUESDAY, rows.whole(TUESDAY), End.KILLED_WHEN_COMMITTED),
        Offer(utc(7, 11), TUESDAY, rows.whole(TUESDAY)),
    )
    assert kinds(year.events) == [("decided", "publish"), ("published", "publish")]
    assert views.states(year, utc(7, 9))["2026-01-06"] == "unpublished"
    assert views.states(year, utc(7, 12))["2026-01-06"] == "published"
    assert ("overdue", "2026-01-06", utc(7, 8), utc(7, 11, 1)) in views.incidents(year, utc(7, 12))


def test_rows_that_are_kept_apart_by_hand() -> None:
    night = date(2026, 3, 10)
    at = midnight(date(2026, 3, 11)) + 20 * MINUTE
    year = year_of(Offer(at, night, rows.repeated(night)), terms=SPRING)
    (_, published) = year.events
    assert (published.verdict, published.apart, len(published.shown)) == ("publish_with_quarantine", 2, 8)
    numbers = expected_metrics(year, at + 3 * MINUTE)
    assert numbers["quarantined_rows"] == 2
    assert (numbers["resolution"]["open"], numbers["resolution"]["resolved"]) == (1, 0)


def test_a_correction_is_counted_by_hand() -> None:
    year = year_of(
        Offer(utc(7, 7), TUESDAY, rows.provisional(TUESDAY, 3)),
        Offer(utc(9, 9), TUESDAY, rows.whole(TUESDAY)),
    )
    assert year.events[2].restated == {
        "rows_before": 9,
        "rows_after": 9,
        "keys_added": 1,
        "keys_removed": 1,
        "keys_restated": 2,
        "field:count": 2,
        "field:cumulative": 2,
        "touched:region": 2,
        "touched:product": 1,
        "touched:day": 1,
    }


def test_the_year_holds_every_kind_of_trouble() -> None:
    """A seed that left one out would prove less."""
    script = sales_script(2026)
    events = events_of(SALES, script)
    assert {offer.end for offer in script} == set(End)
    assert {event.reason for event in events} == {None, "OlderSubmissionError", "PublicationError"}
    broken = {name for event in events for name in event.broken}
    assert broken == set(rows_of_trouble())
    year = views.Year(SALES, events)
    seen = Counter(
        state for day in days(SALES.first, SALES.last) for state in views.states(year, evening(day)).values()
    )
    assert min(seen[name] for name in ("published", "late", "unpublished", "refused", "missing", "waiting")) > 0
    ended = Counter((kind, end is None) for kind, _, _, end in views.incidents(year, evening(SALES.last)))
    assert min(ended[kind, False] for kind in ("refused", "failed", "overdue", "stale")) > 0
    assert min(ended[kind, True] for kind in ("refused", "overdue")) > 0


def rows_of_trouble() -> set[str]:
    """What deliveries of the first contract can break."""
    return {
        "product.enum",
        "count.type",
        "count.range",
        "key",
        "row_count",
        "partition",
        "coverage.missing",
        "coverage.unexpected",
        "deadline",
    }


@pytest.mark.parametrize("terms", [SPRING, AUTUMN], ids=["spring", "autumn"])
def test_the_nights_hold_quarantine_and_its_limit(terms: Terms) -> None:
    events = events_of(terms, nights_script(terms, 2026))
    assert {event.verdict for event in events} == {"publish", "publish_with_quarantine", "refuse"}
    assert any("quarantine.max_rows" in event.held for event in events)


@pytest.mark.parametrize("terms", [SPRING, AUTUMN], ids=["spring", "autumn"])
def test_the_night_in_which_clocks_change_is_met_to_the_second(terms: Terms) -> None:
    """In spring the last moment is in time, in autumn the second after it is late."""
    changed = {SPRING: date(2026, 3, 28), AUTUMN: date(2026, 10, 24)}[terms]
    year = views.Year(terms, events_of(terms, nights_script(terms, 2026)))
    state = views.states(year, evening(terms.last))[changed.isoformat()]
    assert state == {SPRING: "published", AUTUMN: "late"}[terms]
