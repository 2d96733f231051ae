"""What people must see of a simulated year at any moment: partitions, incidents, breaches, status; from the model's events alone."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from tests.operations.year_calendar import days, midnight
from tests.operations.year_events import REFUSE, Told
from tests.operations.year_rows import Row
from tests.operations.year_terms import Terms

Events = tuple[Told, ...]
Incident = tuple[str, str | None, datetime, datetime | None]
Breach = tuple[str, str, datetime, datetime | None]


@dataclass(frozen=True, slots=True)
class Year:
    """A contract and all that happens under it."""

    terms: Terms
    events: Events

    def until(self, at: datetime) -> Events:
        return tuple(event for event in self.events if event.at <= at)

    def begun(self, at: datetime) -> list[date]:
        """The partitions that have begun at a moment: the day that is running too."""
        return [day for day in days(self.terms.first, self.terms.last) if midnight(day) <= at]


def by_day(events: Iterable[Told]) -> dict[date, list[Told]]:
    found: dict[date, list[Told]] = defaultdict(list)
    for event in events:
        found[event.day].append(event)
    return found


def arrival(own: Iterable[Told]) -> datetime | None:
    """The first receipt of what was published of a partition."""
    return min((event.received for event in own if event.kind == "published"), default=None)


def states(year: Year, at: datetime) -> dict[str, str]:
    """How each partition stands."""
    own = by_day(year.until(at))
    return {day.isoformat(): _state(year.terms.due(day), own.get(day, []), at) for day in year.begun(at)}


def _state(due: datetime, own: list[Told], at: datetime) -> str:
    arrived = arrival(own)
    if arrived is not None:
        return "late" if arrived > due else "published"
    verdicts = [event.verdict for event in own if event.kind == "decided"]
    if verdicts:
        return "refused" if verdicts[-1] == REFUSE else "unpublished"
    return "missing" if at > due else "waiting"


def incidents(year: Year, at: datetime) -> list[Incident]:
    """Every incident: what it is about, from when, and until when."""
    known = year.until(at)
    found = [incident for day, own in by_day(known).items() for incident in _of_partition(day, own)]
    found += _overdue(year, known, at)
    found += _stale(year, known, at)
    return sorted(found, key=lambda item: (item[2], item[1] or "", item[0]))


def _of_partition(day: date, own: list[Told]) -> Iterator[Incident]:
    """From a refusal or a failure until consumers see what the last delivery says."""
    since: Told | None = None
    shown = None
    for event in own:
        if event.kind == "failed" or (event.kind == "decided" and event.verdict == REFUSE):
            since = since or event
        elif since is not None and (event.kind == "published" or event.submission == shown):
            yield _kind(since), day.isoformat(), since.at, event.at
            since = None
        shown = event.submission if event.kind == "published" else shown
    if since is not None:
        yield _kind(since), day.isoformat(), since.at, None


def _kind(event: Told) -> str:
    return "failed" if event.kind == "failed" else "refused"


def _overdue(year: Year, known: Events, at: datetime) -> Iterator[Incident]:
    """From the deadline until consumers have the partition."""
    own = by_day(known)
    for day in year.begun(at):
        due = year.terms.due(day)
        first = min((event.at for event in own.get(day, []) if event.kind == "published"), default=None)
        if due < (first or at):
            yield "overdue", day.isoformat(), due, first


def _stale(year: Year, known: Events, at: datetime) -> Iterator[Incident]:
    """The times in which the newest day that consumers see is too old."""
    published = [event for event in known if event.kind == "published"]
    endings = [*(event.at for event in published[1:]), at]
    newest, since = date.min, None
    for event, following in zip(published, endings, strict=False):
        newest = max(newest, event.day)
        limit = midnight(newest) + year.terms.max_age
        if since is not None and limit >= event.at:
            yield "stale", None, since, event.at
            since = None
        if since is None and following > limit:
            since = max(limit, event.at)
    if since is not None:
        yield "stale", None, since, None


def breaches(events: Events) -> list[Breach]:
    """What held a partition back, since when, and until consumers see what it does not hold back."""
    found: list[Breach] = []
    for day, own in by_day(events).items():
        names = dict.fromkeys(name for event in own for name in event.held)
        found += [(day.isoformat(), name, *span) for name in names for span in _spans(name, own)]
    return found


def _spans(name: str, own: list[Told]) -> Iterator[tuple[datetime, datetime | None]]:
    since: datetime | None = None
    visible = None
    for event in own:
        is_there = event.kind == "published" or (event.submission == visible and event.verdict != REFUSE)
        visible = event.submission if event.kind == "published" else visible
        if event.kind == "decided" and name in event.held:
            since = since or event.at
        elif is_there and name not in event.held and since is not None:
            yield since, event.at
            since = None
    if since is not None:
        yield since, None


def shown(events: Events) -> dict[date, Told]:
    """What consumers see of each partition, as far as it is recorded."""
    return {event.day: event for event in events if event.kind == "published"}


def rows(story: Events, at: datetime) -> frozenset[tuple[object, ...]]:
    """All rows that consumers see at a moment, whether anybody has recorded it or not."""
    seen = {event.day: event for event in story if event.kind in ("published", "committed") and event.at <= at}
    return frozenset(row for event in seen.values() for row in event.shown)


def last_decisions(events: Events) -> dict[tuple[date, tuple[Row, ...]], Told]:
    """Of each submission what was decided last, in the order of the first decisions."""
    return {event.submission: event for event in events if event.kind == "decided"}


def unsettled(events: Events) -> list[tuple[str, datetime]]:
    """Refusals and failures after which nothing more was decided about their partition: its day, and when that was decided."""
    last = {event.day: event for event in events if event.kind == "decided"}
    published = {event.submission for event in events if event.kind == "published"}
    failed = {(event.submission, event.at) for event in events if event.kind == "failed"}
    return [
        (day.isoformat(), event.at)
        for day, event in last.items()
        if event.submission not in published
        and (event.verdict == REFUSE or any(name == event.submission and at > event.at for name, at in failed))
    ]


def smooth(year: Year) -> set[str]:
    """The partitions of which all that happened is one decision in time and its publication."""
    return {
        day.isoformat()
        for day, own in by_day(year.events).items()
        if [event.kind for event in own] == ["decided", "published"]
        and not own[0].broken
        and own[1].at <= year.terms.due(day)
    }
