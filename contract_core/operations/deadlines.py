"""Which partitions are there in time, late or overdue at a moment: told even where nothing arrived that could be judged."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice

from contract_core.contract.deadlines import deadline
from contract_core.contract.model import Contract
from contract_core.contract.partition import begun
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry, by_partition, latest
from contract_core.publication.history import arrived_at

LOOKED_AT = 1000
"""How many partitions back one looks: an hourly contract of some years has a hundred times as many."""


class State(StrEnum):
    """What became of one partition that a contract promises."""

    PUBLISHED = "published"
    LATE = "late"
    UNPUBLISHED = "unpublished"
    REFUSED = "refused"
    MISSING = "missing"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Expected:
    """One partition at a moment: when it is due, and how it stands.

    `late` came after it was due, `unpublished` was accepted and is not visible yet, `refused` has a last decision that refuses
    it, `missing` is due and nothing was received, `waiting` is not due yet. `due_at` is None for a deadline after the last
    day of the calendar. `published_at` is when consumers had it first.
    """

    partition: str
    state: State
    due_at: datetime | None
    arrived_at: datetime | None
    at: datetime
    published_at: datetime | None = None

    @property
    def is_overdue(self) -> bool:
        """True where consumers should have it by now and have not."""
        is_there = self.state in (State.PUBLISHED, State.LATE)
        return not is_there and self.due_at is not None and self.at > self.due_at

    @property
    def delay(self) -> timedelta:
        """By how much it came late, or is overdue; nothing for all others."""
        until = self.at if self.is_overdue else self.arrived_at if self.state is State.LATE else None
        return until - self.due_at if until is not None and self.due_at is not None else timedelta(0)


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The partitions of a contract that have begun, the newest first; without `is_all`, earlier ones were not looked at."""

    contract: str
    partitions: tuple[Expected, ...]
    is_all: bool

    @property
    def overdue(self) -> tuple[Expected, ...]:
        """Those that consumers should have by now and have not, the newest first."""
        return tuple(item for item in self.partitions if item.is_overdue)

    @property
    def next_due(self) -> Expected | None:
        """The one that is due next, of those that have begun and are not there."""
        coming = [item for item in self.partitions if item.state is State.WAITING and item.due_at is not None]
        return coming[-1] if coming else None


def is_promised(contract: Contract) -> bool:
    """True where partitions of the contract have deadlines that still count: a retired one promises nothing."""
    return contract.delivery.due is not None and contract.status != "retired"


def deadlines_of(
    contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime, most: int = LOOKED_AT
) -> Deadlines | None:
    """How the newest partitions stand at a moment, by the ledger's entries about the contract; None where none is ever due."""
    terms = contract.delivery.partition
    if terms is None or not is_promised(contract):
        return None
    own = by_partition(entries)
    keys = list(islice(begun(terms, at), most + 1))
    found = tuple(expected(contract, own.get(key, ()), key, at) for key in keys[:most])
    return Deadlines(contract.name, found, is_all=len(keys) <= most)


def expected(contract: Contract, entries: tuple[LedgerEntry, ...], partition: str, at: datetime) -> Expected:
    """How one partition stands at a moment, by the ledger's entries about it."""
    due_at, arrived = deadline(contract, partition), arrived_at(entries)
    visible = next((_visible_at(entry) for entry in entries if entry.event is Event.PUBLISHED), None)
    return Expected(partition, _state(entries, due_at, arrived, at), due_at, arrived, at, visible)


def _visible_at(published: LedgerEntry) -> datetime:
    """When it was published; what was judged for a moment before its receipt, as days of the past are, counts from there."""
    is_of_the_past = published.received_at is not None and published.as_of < published.received_at
    return published.as_of if is_of_the_past else published.at


def _state(entries: tuple[LedgerEntry, ...], due_at: datetime | None, arrived: datetime | None, at: datetime) -> State:
    if arrived is not None:
        return State.LATE if due_at is not None and arrived > due_at else State.PUBLISHED
    decided = latest(entries, Event.DECIDED)
    if decided is not None:
        return State.REFUSED if decided.verdict is Verdict.REFUSE else State.UNPUBLISHED
    return State.MISSING if due_at is not None and at > due_at else State.WAITING
