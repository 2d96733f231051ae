"""Contracts in every kind of trouble, for what is said of them."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from contract_core.contract.parsing import parse_contract
from contract_core.operations.standing import Standing, standing_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry

NOW = datetime(2026, 10, 7, 20, tzinfo=UTC)
TEXT = """\
contract: cases
version: "1.2.0"
key: [day]
fields: [{name: day, type: date}, {name: n, type: integer, min: 0}]
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
"""
OWNED = TEXT + 'owners: {producer: {name: onboarding, contact: "team:onboarding"}}\n'
DUE = OWNED.replace("2026-10-01}", '2026-10-01}, due: {by: "09:00", days_after: 1, calendar: weekdays}')
FRESH = OWNED + "freshness: {column: day, max_age: 2d, max_silence: 3d}\n"
VALUES = TEXT.replace("column: day, every: day, start: 2026-10-01", "column: n")
WHOLE = TEXT.replace("delivery: {partition: {column: day, every: day, start: 2026-10-01}}\n", "")


def event(
    kind: Event, day: str | None, hours: float, *, verdict: Verdict = Verdict.PUBLISH, submission: str = "a"
) -> LedgerEntry:
    """Something that happened so many hours before now."""
    at = NOW - timedelta(hours=hours)
    return LedgerEntry(
        kind, "cases", "1.2.0", "d", day, submission * 64, "c", verdict, "r", 9, at, at, received_at=at,
        sequence=int(10_000 - 10 * hours) + (kind is Event.PUBLISHED),
    )  # fmt: skip


def published(day: str | None, hours: float, submission: str = "a") -> tuple[LedgerEntry, ...]:
    kinds = (Event.DECIDED, Event.PUBLISHED)
    return tuple(event(kind, day, hours, submission=submission) for kind in kinds)


def refused(day: str | None, hours: float, *rules: str, submission: str = "b") -> LedgerEntry:
    return replace(
        event(Event.DECIDED, day, hours, verdict=Verdict.REFUSE, submission=submission), reasons=rules, breached=rules
    )


def failed(day: str, hours: float) -> tuple[LedgerEntry, ...]:
    told = replace(event(Event.FAILED, day, hours, submission="f"), reason="PublicationError")
    return event(Event.DECIDED, day, hours, submission="f"), told


def standing(text: str, entries: Iterable[LedgerEntry], most: int = 30) -> Standing:
    return standing_of(parse_contract(text, "c.yaml"), tuple(entries), NOW, most)
