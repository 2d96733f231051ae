"""Incidents: what stands between consumers and what they were promised, from when until when, read from the ledger alone."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from contract_core.contract.model import Contract
from contract_core.contract.partition import window
from contract_core.operations.deadlines import State, deadlines_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry


class IncidentKind(StrEnum):
    """What went wrong: a delivery was refused, could not be published, did not come, or the published data grew too old."""

    REFUSED = "refused"
    FAILED = "failed"
    OVERDUE = "overdue"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident; it is open while `resolved_at` is None. `partition` is None for a table without partitions and for its age.

    `rules` are what held the partition back, in the order in which they did so first, `attempts` the submissions that did not
    get through, and `error` the class of the last failure of a publication.
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
        return (self.resolved_at or at) - self.opened_at


def incidents_of(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime) -> tuple[Incident, ...]:
    """All incidents of a contract until a moment, by the ledger's entries about it: in the order in which they began."""
    known = tuple(entry for entry in entries if entry.at <= at)
    by_partition: dict[str | None, list[LedgerEntry]] = defaultdict(list)
    for entry in known:
        by_partition[entry.partition].append(entry)
    found = [item for own in by_partition.values() for item in _held_back(own)]
    found += _overdue(contract, known, at)
    found += _stale(contract, known, at)
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
            rules |= dict.fromkeys(entry.held_back)
            attempts[entry.submission] = None
            error = entry.reason if entry.event is Event.FAILED else error
        elif first is not None and _is_visible(entry, shown):
            yield _incident(first, tuple(rules), tuple(attempts), error, entry.at)
            first, rules, attempts, error = None, {}, {}, None
        shown = entry.submission if entry.event is Event.PUBLISHED else shown
    if first is not None:
        yield _incident(first, tuple(rules), tuple(attempts), error, None)


def _goes_wrong(entry: LedgerEntry) -> bool:
    is_refused = entry.event is Event.DECIDED and entry.verdict is Verdict.REFUSE
    return is_refused or entry.event is Event.FAILED


def _is_visible(entry: LedgerEntry, shown: str | None) -> bool:
    is_repeated = entry.event is Event.DECIDED and entry.submission == shown
    return entry.event is Event.PUBLISHED or is_repeated


def _incident(
    first: LedgerEntry, rules: tuple[str, ...], attempts: tuple[str, ...], error: str | None, end: datetime | None
) -> Incident:
    kind = IncidentKind.FAILED if first.event is Event.FAILED else IncidentKind.REFUSED
    return Incident(first.contract, kind, first.partition, first.at, end, rules, attempts, error)


def _overdue(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime) -> Iterator[Incident]:
    """One for each partition that was not published when it was due."""
    found = deadlines_of(contract, entries, at)
    for item in found.partitions if found is not None else ():
        if item.due_at is not None and (item.is_overdue or item.state is State.LATE):
            end = item.arrived_at if item.state is State.LATE else None
            yield Incident(contract.name, IncidentKind.OVERDUE, item.partition, item.due_at, end)


def _stale(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime) -> Iterator[Incident]:
    """One for each time in which the newest published event was older than promised."""
    if contract.freshness is None:
        return
    newest: datetime | None = None
    for entry in entries:
        event = newest_event(contract, entry) if entry.event is Event.PUBLISHED else None
        if event is None or (newest is not None and event <= newest):
            continue
        if newest is not None and entry.at > (limit := newest + contract.freshness.max_age):
            yield Incident(contract.name, IncidentKind.STALE, None, limit, entry.at)
        newest = event
    if newest is not None and at > (limit := newest + contract.freshness.max_age):
        yield Incident(contract.name, IncidentKind.STALE, None, limit)


def newest_event(contract: Contract, published: LedgerEntry) -> datetime:
    """The moment of the newest event that a publication brought: as it was read, else the beginning of its span of time.

    The publication's own moment stands for what is neither known nor a span.
    """
    if published.newest_event is not None:
        return published.newest_event
    terms = contract.delivery.partition
    if terms is not None and terms.every is not None and published.partition is not None:
        with suppress(ValueError):  # a key of an earlier version, when partitions were others
            return window(terms, published.partition)[0]
    return published.at
