"""Coverage over time: what became of each of the last partitions, whether or not anything says by when they are due."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice

from contract_core.contract.deadlines import deadline, is_day_off
from contract_core.contract.delivery_terms import PartitionTerms
from contract_core.contract.model import Contract
from contract_core.contract.partition import begins_at, begun, window
from contract_core.operations.deadlines import is_promised
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry, by_partition
from contract_core.publication.history import arrived_at

RECENT = 30
"""How many partitions back one looks where nobody asks for more."""
_ATTEMPTS = (Event.DECIDED, Event.PUBLISHED, Event.FAILED)


class PartitionState(StrEnum):
    """What became of one partition.

    `published` came in time, or nothing says when it was due; `late` came after that. `refused` and `unpublished` are about the
    last attempt: it was refused, or was let through and is not visible yet. Of the others nothing was ever decided: `missing`
    is due or, without a deadline, has ended; `waiting` is neither. What has ended and is not due yet is `not_expected` while a
    day off lasts, and so is all that is not there of a retired contract.
    """

    PUBLISHED = "published"
    LATE = "late"
    REFUSED = "refused"
    UNPUBLISHED = "unpublished"
    MISSING = "missing"
    WAITING = "waiting"
    NOT_EXPECTED = "not_expected"


@dataclass(frozen=True, slots=True)
class Covered:
    """One partition at a moment; `is_shown` where consumers see a delivery of it, were it an earlier one than the last attempt."""

    partition: str
    state: PartitionState
    is_shown: bool
    due_at: datetime | None = None
    arrived_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """The last partitions of a contract, the newest first; without `is_all` there are earlier ones."""

    contract: str
    partitions: tuple[Covered, ...]
    is_all: bool

    def count(self, state: PartitionState) -> int:
        """How many of them stand so."""
        return sum(1 for item in self.partitions if item.state is state)


def coverage_of(
    contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime, most: int = RECENT
) -> Coverage | None:
    """How the last partitions stand at a moment, by the ledger's entries about the contract; None for a table without partitions.

    Of spans of time all count that have begun since `start`. Of partitions by value those count of which something was
    decided, since nobody else knows them; the last of them is the one that was tried last.
    """
    terms = contract.delivery.partition
    if terms is None:
        return None
    own = by_partition(entry for entry in entries if entry.event in _ATTEMPTS)
    newest_first = begun(terms, at) if terms.every is not None else reversed(_in_order_of_attempts(own.values()))
    keys = list(islice(newest_first, most + 1))
    found = tuple(_covered(contract, own.get(key, ()), key, at) for key in keys[:most])
    return Coverage(contract.name, found, is_all=len(keys) <= most)


def _in_order_of_attempts(known: Iterable[tuple[LedgerEntry, ...]]) -> list[str]:
    last = sorted((own[-1] for own in known), key=lambda entry: entry.sequence)
    return [entry.partition for entry in last if entry.partition is not None]


def _covered(contract: Contract, entries: tuple[LedgerEntry, ...], partition: str, at: datetime) -> Covered:
    """How one partition stands at a moment, by the ledger's entries about it."""
    due_at = deadline(contract, partition) if is_promised(contract) else None
    arrived = arrived_at(entries)
    state = _of_the_last_attempt(entries)
    if state is None:
        state = _of_nothing(contract, partition, due_at, at)
    elif state is PartitionState.PUBLISHED and arrived is not None and due_at is not None and arrived > due_at:
        state = PartitionState.LATE
    return Covered(partition, state, arrived is not None, due_at, arrived)


def _of_the_last_attempt(attempts: Iterable[LedgerEntry]) -> PartitionState | None:
    """What came of it; None where nothing was tried. What was published and replaced once is not published anew by being offered."""
    state, published = None, set[str]()
    for entry in attempts:
        if entry.event is Event.PUBLISHED or (entry.verdict is not Verdict.REFUSE and entry.submission in published):
            state = PartitionState.PUBLISHED
            published.add(entry.submission)
        elif entry.event is Event.DECIDED and entry.verdict is Verdict.REFUSE:
            state = PartitionState.REFUSED
        else:
            state = PartitionState.UNPUBLISHED
    return state


def _of_nothing(contract: Contract, partition: str, due_at: datetime | None, at: datetime) -> PartitionState:
    """Where nothing was tried, what one waits for."""
    terms, due = contract.delivery.partition, contract.delivery.due
    if contract.status == "retired":
        return PartitionState.NOT_EXPECTED
    has_ended = terms is not None and _has_ended(terms, partition, at)
    if due is None:
        return PartitionState.MISSING if has_ended else PartitionState.WAITING
    begins = begins_at(contract, partition)
    if begins is not None and not due.expects(begins.date()):
        return PartitionState.NOT_EXPECTED
    if due_at is not None and at > due_at:
        return PartitionState.MISSING
    return PartitionState.NOT_EXPECTED if has_ended and is_day_off(due, at) else PartitionState.WAITING


def _has_ended(terms: PartitionTerms, partition: str, at: datetime) -> bool:
    try:
        return window(terms, partition)[1] <= at
    except OverflowError:  # it ends with the calendar
        return False
