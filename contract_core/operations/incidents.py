"""Incidents: what stands between consumers and what they were promised, from when until when, read from the ledger alone."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from contract_core.contract.elapsed import elapsed
from contract_core.contract.model import Contract
from contract_core.operations.deadlines import Deadlines, deadlines_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import REPLACE, Event, LedgerEntry, by_partition
from contract_core.publication.freshness import newest_event, promised_freshness
from contract_core.publication.history import makes_visible


class IncidentKind(StrEnum):
    """What went wrong: a delivery was refused, could not be published or did not come; the published data grew too old, or nothing new
    was published for too long.
    """

    REFUSED = "refused"
    FAILED = "failed"
    OVERDUE = "overdue"
    STALE = "stale"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident; it is open while `resolved_at` is None. `partition` is None for a table without partitions and for its age.

    `rules` are what held the partition back, those of the last refusal first, since what an earlier one broke may be mended.
    `attempts` are the submissions that did not get through, and `error` the class of the last failure of a
    publication.
    """

    contract: str
    kind: IncidentKind
    partition: str | None
    opened_at: datetime
    resolved_at: datetime | None = None
    rules: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()
    error: str | None = None

    @property
    def is_open(self) -> bool:
        """True while nothing has resolved it."""
        return self.resolved_at is None

    @property
    def identity(self) -> str:
        """SHA-256 that tells it from all others of its contract; the same however long it lasts and whatever is tried."""
        about = [self.contract, self.kind, self.partition, self.opened_at.isoformat()]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()

    def lasting(self, at: datetime) -> timedelta:
        """How long it took, or how long it has lasted at a moment."""
        return elapsed(self.opened_at, self.resolved_at or at)


def incidents_of(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime) -> tuple[Incident, ...]:
    """All incidents of a contract until a moment, by the ledger's entries about it: in the order in which they began."""
    known = tuple(entry for entry in entries if entry.at <= at)
    return _in_order(contract, known, deadlines_of(contract, known, at), at)


def open_incidents(
    contract: Contract, entries: tuple[LedgerEntry, ...], due: Deadlines | None, at: datetime
) -> tuple[Incident, ...]:
    """Those that nothing has resolved, the newest first; `due` is how the partitions stand at `at`.

    As in the rest of a status, an entry counts whenever it was recorded: a moment in the past asks for ages, not for a history.
    """
    found = _in_order(contract, entries, due, at)
    return tuple(item for item in reversed(found) if item.is_open)


def _in_order(
    contract: Contract, entries: tuple[LedgerEntry, ...], due: Deadlines | None, at: datetime
) -> tuple[Incident, ...]:
    found = [item for own in by_partition(entries).values() for item in _held_back(own)]
    found += [*_overdue(contract, due), *_stale(contract, entries, at), *_silent(contract, entries, at)]
    return tuple(sorted(found, key=lambda item: (item.opened_at, item.partition or "", item.kind)))


def _held_back(entries: Iterable[LedgerEntry]) -> Iterator[Incident]:
    """Those of one partition: from the first refusal or failure to the publication that ends it.

    A delivery that is published already and is judged again ends it too: consumers see what it says.
    """
    first: LedgerEntry | None = None
    rules: dict[str, None] = {}
    attempts: dict[str, None] = {}
    error, shown = None, None
    for entry in entries:
        if _goes_wrong(entry):
            first = first or entry
            rules = dict.fromkeys(entry.held_back) | rules
            attempts[entry.submission] = None
            error = entry.reason if entry.event is Event.FAILED else error
        elif first is not None and makes_visible(entry, shown):
            yield _incident(first, tuple(rules), tuple(attempts), error, entry.at)
            first, rules, attempts, error = None, {}, {}, None
        shown = entry.submission if entry.event is Event.PUBLISHED else shown
    if first is not None:
        yield _incident(first, tuple(rules), tuple(attempts), error, None)


def _goes_wrong(entry: LedgerEntry) -> bool:
    is_refused = entry.event is Event.DECIDED and entry.verdict is Verdict.REFUSE
    return is_refused or entry.event is Event.FAILED


def _incident(
    first: LedgerEntry, rules: tuple[str, ...], attempts: tuple[str, ...], error: str | None, end: datetime | None
) -> Incident:
    kind = IncidentKind.FAILED if first.event is Event.FAILED else IncidentKind.REFUSED
    return Incident(first.contract, kind, first.partition, first.at, end, rules, attempts, error)


def _overdue(contract: Contract, found: Deadlines | None) -> Iterator[Incident]:
    """One for each partition that was not published when it was due, until it is.

    Not until it arrived: what came in time and could be published only later was overdue all the same, and what people were told
    of never turns out to have been nothing.
    """
    for item in found.partitions if found is not None else ():
        if item.due_at is not None and item.due_at < (item.published_at or item.at):
            yield Incident(contract.name, IncidentKind.OVERDUE, item.partition, item.due_at, item.published_at)


def _stale(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime) -> Iterator[Incident]:
    """One for each time in which the newest published event was older than promised."""
    promise = promised_freshness(contract)
    if promise is not None:
        for begin, end in _exceeded([*_newest_events(contract, entries)], promise.max_age, at):
            yield Incident(contract.name, IncidentKind.STALE, None, begin, end)


def _newest_events(contract: Contract, entries: tuple[LedgerEntry, ...]) -> Iterator[tuple[datetime, datetime]]:
    """After each publication its moment, and the newest event in what consumers saw from then on."""
    shown: dict[str | None, datetime] = {}
    newest: datetime | None = None
    for entry in entries:
        if entry.event is not Event.PUBLISHED:
            continue
        event, before = newest_event(contract, entry), shown.get(entry.partition)
        shown[entry.partition] = event if before is None or entry.mode == REPLACE else max(before, event)
        if newest is None or event >= newest:
            newest = event
        elif before == newest:  # a correction may take the newest away
            newest = max(shown.values())
        yield entry.at, newest


def _silent(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime) -> Iterator[Incident]:
    """One for each time in which nothing had been published for longer than promised."""
    promise = promised_freshness(contract)
    if promise is not None and promise.max_silence is not None:
        moments = [(entry.at, entry.at) for entry in entries if entry.event is Event.PUBLISHED]
        for begin, end in _exceeded(moments, promise.max_silence, at):
            yield Incident(contract.name, IncidentKind.SILENT, None, begin, end)


def _exceeded(
    steps: list[tuple[datetime, datetime]], allowed: timedelta, at: datetime
) -> Iterator[tuple[datetime, datetime | None]]:
    """The times in which something lay further back than allowed; each step says since when, and how far back it lay from then on.

    A step that brings something newer which is still too old ends nothing.
    """
    begin: datetime | None = None
    for place, (since, moment) in enumerate(steps):
        until = steps[place + 1][0] if place + 1 < len(steps) else at
        limit = moment + allowed
        if begin is not None and limit >= since:
            yield begin, since
            begin = None
        if begin is None and until > max(limit, since):
            begin = max(limit, since)
    if begin is not None:
        yield begin, None
