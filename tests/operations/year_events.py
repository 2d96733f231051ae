"""What the gate must say and do about each offer of a script: told by the script alone, and never by asking the product."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from tests.operations.year_calendar import midnight
from tests.operations.year_rows import Offered, Row, difference
from tests.operations.year_script import End, Offer
from tests.operations.year_terms import REGIONS, SEVERITIES, Terms

Submission = tuple[date, tuple[Row, ...]]
REFUSE, PUBLISH, APART = "refuse", "publish", "publish_with_quarantine"


@dataclass(frozen=True, slots=True)
class Told:
    """One event: a submission was decided about, published or not published, under the last decision about it; or `committed`,
    which is published and not recorded.

    `held` is what holds rows or all of it back, `broken` what is not kept and how often, `shown` the rows that consumers get,
    and `restated` what they change of those that consumers saw when it was decided.
    """

    kind: str
    at: datetime
    day: date
    submission: Submission
    received: datetime
    verdict: str
    held: tuple[str, ...]
    broken: dict[str, int]
    shown: tuple[Row, ...]
    apart: int = 0
    restated: dict[str, int] = field(default_factory=dict)
    reason: str | None = None


@dataclass(slots=True)
class _Gate:
    """What is known while a script is gone through."""

    terms: Terms
    received: dict[Submission, datetime] = field(default_factory=dict)
    last: dict[date, Told] = field(default_factory=dict)
    visible: dict[date, Told] = field(default_factory=dict)
    unrecorded: dict[date, Told] = field(default_factory=dict)
    published: dict[Submission, Told] = field(default_factory=dict)


def events_of(terms: Terms, script: tuple[Offer, ...]) -> tuple[Told, ...]:
    """Every event of a script that is recorded, in order."""
    return tuple(event for event in story_of(terms, script) if event.kind != "committed")


def story_of(terms: Terms, script: tuple[Offer, ...]) -> tuple[Told, ...]:
    """Every event of a script, recorded or not, in order."""
    gate = _Gate(terms)
    return tuple(event for offer in script for event in _of_offer(gate, offer))


def _of_offer(gate: _Gate, offer: Offer) -> Iterator[Told]:
    gate.received.setdefault(offer.submission, offer.at)
    if offer.end is End.KILLED_WHEN_TAKEN:
        return
    decided = _decided(gate, offer)
    if not _says_the_same(gate.last.get(offer.day), decided):
        yield decided
    gate.last[offer.day] = decided
    if decided.verdict != REFUSE and offer.end is not End.KILLED_WHEN_DECIDED:
        yield from _published(gate, offer, decided)


def _published(gate: _Gate, offer: Offer, decided: Told) -> Iterator[Told]:
    at = offer.at + offer.takes
    if (unrecorded := gate.unrecorded.pop(offer.day, None)) is not None:
        yield _recorded(gate, _turned(unrecorded, "published", at))
    if offer.submission in gate.published:
        return
    shown = gate.visible.get(offer.day)
    if shown is not None and gate.received[offer.submission] < gate.received[shown.submission]:
        yield _turned(decided, "failed", at, "OlderSubmissionError")
    elif offer.end is End.NOT_WRITTEN:
        yield _turned(decided, "failed", at, "PublicationError")
    else:
        gate.visible[offer.day] = decided
        if offer.end is End.KILLED_WHEN_COMMITTED:
            gate.unrecorded[offer.day] = decided
            yield _turned(decided, "committed", at)
        else:
            yield _recorded(gate, _turned(decided, "published", at))


def _recorded(gate: _Gate, event: Told) -> Told:
    gate.published[event.submission] = event
    return event


def _turned(event: Told, kind: str, at: datetime, reason: str | None = None) -> Told:
    return replace(event, kind=kind, at=at, reason=reason)


def _says_the_same(last: Told | None, now: Told) -> bool:
    return last is not None and (last.submission, last.verdict, last.broken) == (
        now.submission,
        now.verdict,
        now.broken,
    )


def _decided(gate: _Gate, offer: Offer) -> Told:
    terms, offered, day = gate.terms, offer.offered, offer.day
    broken = offered.broken | _emptied(terms, offered) | _untimely(gate, offer)
    errors = tuple(name for name in broken if SEVERITIES[name] == "error")
    verdict, more, apart = _weighed(terms, offered, errors)
    shown = offered.rows if not apart else offered.good
    return Told(
        "decided",
        offer.at,
        day,
        offer.submission,
        gate.received[offer.submission],
        verdict,
        (*errors, *more),
        broken,
        shown,
        apart,
        _restated(gate.visible.get(day), offer.submission, shown) if verdict != REFUSE else {},
    )


def _restated(before: Told | None, submission: Submission, rows: tuple[Row, ...]) -> dict[str, int]:
    """What another submission's rows would change of those that are visible, recorded or not."""
    return {} if before is None or before.submission == submission else difference(before.shown, rows)


def _weighed(terms: Terms, offered: Offered, errors: tuple[str, ...]) -> tuple[str, tuple[str, ...], int]:
    if not errors:
        return PUBLISH, (), 0
    if terms.apart is None or offered.apart is None:
        return REFUSE, (), 0
    if offered.apart > terms.apart:
        return REFUSE, ("quarantine.max_rows",), 0
    return (REFUSE, (), 0) if "coverage.missing" in errors else (APART, (), offered.apart)


def _emptied(terms: Terms, offered: Offered) -> dict[str, int]:
    """Where rows are kept apart, a region of which none stays is missing."""
    there = {row[0] for row in offered.good}
    is_told = terms.apart is not None and bool(offered.apart) and not set(REGIONS) <= there
    return {"coverage.missing": len(set(REGIONS) - there)} if is_told else {}


def _untimely(gate: _Gate, offer: Offer) -> dict[str, int]:
    """Late is what was first received after its deadline; a correction is as late as what it corrects. Old is
    the newest event of all that would be published."""
    arrivals = [event.received for event in gate.published.values() if event.day == offer.day]
    arrived = min([gate.received[offer.submission], *arrivals])
    found = {"deadline": 1} if arrived > gate.terms.due(offer.day) else {}
    stays = [event.day for event in gate.published.values() if event.day != offer.day]
    days = [*stays, offer.day] if offer.offered.rows else stays
    is_old = bool(days) and offer.at - midnight(max(days)) > gate.terms.max_age
    return found | ({"freshness": 1} if is_old else {})
