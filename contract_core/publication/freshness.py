"""How old a published table is: by its newest event, and by its last publication. One says nothing of the other."""

from collections.abc import Iterable
from datetime import datetime

from contract_core.contract.model import Contract
from contract_core.contract.partition import begins_at
from contract_core.contract.promises import Freshness
from contract_core.publication.entry import REPLACE, Event, LedgerEntry


def promised_freshness(contract: Contract) -> Freshness | None:
    """What is promised of the published table's age; nothing by a retired contract."""
    return contract.freshness if contract.status != "retired" else None


def newest_event(contract: Contract, published: LedgerEntry) -> datetime:
    """The moment of the newest event that a publication brought: as it was read, else the beginning of its span of time.

    The publication's own moment stands for what is neither known nor a span.
    """
    return published.newest_event or begins_at(contract, published.partition) or published.at


def newest_elsewhere(contract: Contract, partition: str | None, entries: Iterable[LedgerEntry]) -> datetime | None:
    """The newest event that stays published whatever is delivered for a partition; None where none is known.

    That is, of the last publication of each other partition; where rows are only added or corrected, of all publications.
    """
    known = [entry for entry in entries if entry.event is Event.PUBLISHED]
    if contract.publication.mode == REPLACE:
        known = list({entry.partition: entry for entry in known if entry.partition != partition}.values())
    return max((newest_event(contract, entry) for entry in known), default=None)


def last_publication(entries: Iterable[LedgerEntry]) -> datetime | None:
    """When the table was published to last, by the ledger's entries about its contract; None for never."""
    return max((entry.at for entry in entries if entry.event is Event.PUBLISHED), default=None)
