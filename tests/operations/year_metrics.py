"""The model's numbers of a simulated year, as the document that `contract-gate metrics --json` prints of one contract."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from math import fsum
from statistics import median
from typing import Any

from contract_core.operations.incidents import IncidentKind
from tests.operations.year_calendar import midnight
from tests.operations.year_events import REFUSE, Told
from tests.operations.year_terms import FIELDS, SEVERITIES
from tests.operations.year_views import Breach, Events, Year, breaches, incidents, last_decisions, shown, states

_STATES = ("published", "late", "unpublished", "refused", "missing", "waiting")
_VERDICTS = ("publish", "publish_with_quarantine", "refuse")


def expected_metrics(year: Year, at: datetime) -> dict[str, Any]:
    """Every number that follows from the script; the order of ids in the lists is told by no promise."""
    known = year.until(at)
    decided, now = last_decisions(known), shown(known)
    stood = Counter((kind, end is None) for kind, _, _, end in incidents(year, at))
    return {
        "submissions": _submissions(known),
        "refused_by_rule": dict(_count(name for event in decided.values() for name in _refused(event))),
        "breaches": _breaches(decided.values()),
        "receipt_to_publication_seconds": _spread(_waits(known)),
        "newest_event_age_seconds": (at - midnight(max(now))).total_seconds() if now else None,
        "newest_publication_age_seconds": (at - max(event.at for event in now.values())).total_seconds()
        if now
        else None,
        "stale": bool(stood["stale", True]) if now else None,
        "resolution": _resolution(breaches(known)),
        "incidents": {kind.value: {"open": stood[kind, True], "resolved": stood[kind, False]} for kind in IncidentKind},
        "quarantined_rows": sum(event.apart for event in now.values()),
        "partitions": {name: list(states(year, at).values()).count(name) for name in _STATES},
        "requests": {"open": 0, "settled": 0},
    }


def _count(names: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(names).items())


def _refused(event: Told) -> tuple[str, ...]:
    return event.held if event.verdict == REFUSE else ()


def _submissions(known: Events) -> dict[str, int]:
    """Each submission by its last decision; one that was let through and whose publication failed last is a failed one."""
    published = {event.submission for event in known if event.kind == "published"}
    last = {event.submission: event for event in known if event.kind != "published"}
    stood = Counter(
        "failed" if event.kind == "failed" and name not in published else event.verdict for name, event in last.items()
    )
    return {name: stood[name] for name in (*_VERDICTS, "failed")}


def _breaches(decided: Iterable[Told]) -> list[dict[str, Any]]:
    broken = [event.broken for event in decided]
    return [
        {
            "id": name,
            "rule": name.split(".")[0 if name.startswith("coverage") else -1],
            "field": FIELDS.get(name),
            "severity": SEVERITIES[name],
            "submissions": sum(name in each for each in broken),
            "breaches": sum(each.get(name, 0) for each in broken),
        }
        for name in SEVERITIES
        if any(name in each for each in broken)
    ]


def _waits(known: Events) -> list[float]:
    """From the first receipt of each submission to the first record of its publication."""
    first = {event.submission: event for event in reversed(known) if event.kind == "published"}
    return [(event.at - event.received).total_seconds() for event in first.values()]


def _resolution(found: list[Breach]) -> dict[str, Any]:
    names = sorted({name for _, name, _, _ in found})
    by_rule = {name: _resolved([breach for breach in found if breach[1] == name]) for name in names}
    return {**_resolved(found), "by_rule": by_rule}


def _resolved(found: list[Breach]) -> dict[str, Any]:
    took = [(end - since).total_seconds() for _, _, since, end in found if end is not None]
    return {"open": len(found) - len(took), "resolved": len(took), "seconds": _spread(took)}


def _spread(numbers: Iterable[float]) -> dict[str, float | int | None]:
    known = sorted(numbers)
    if not known:
        return {"count": 0, "sum": 0.0, "min": None, "median": None, "max": None}
    return {"count": len(known), "sum": fsum(known), "min": known[0], "median": median(known), "max": known[-1]}
