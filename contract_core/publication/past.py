"""What was accepted before a candidate, as far as the promises of its contract look back: read from the ledger and from tables."""

from datetime import datetime

import polars as pl

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.promises import Monitors
from contract_core.environment import Environment
from contract_core.publication.arrival import arrival
from contract_core.publication.entry import Event, LedgerEntry, latest
from contract_core.publication.freshness import newest_elsewhere
from contract_core.publication.ledger import Ledger
from contract_core.publication.predecessor import predecessor_of
from contract_core.publication.profiles import earlier
from contract_core.publication.published_keys import nothing_taken
from contract_core.publication.required_parts import listed_parts
from contract_core.publication.store import Store
from contract_core.validation.past import Past


def past_of(contract: Contract, candidate: Candidate, environment: Environment, as_of: datetime) -> Past:
    """What the contract's promises about a candidate look back to; nothing is read that none of them asks for.

    An age is promised of the table: a correction of last week makes one that is fresh no older.
    """
    ledger, store = Ledger(environment.ledger), Store(environment.published)
    has_age, has_monitors = contract.freshness is not None, contract.monitors != Monitors()
    entries = _entries(contract, candidate.partition, ledger)
    return Past(
        taken=_taken(contract, candidate, entries, store) if contract.publication.mode == "append" else None,
        arrived=_arrived(contract, candidate, entries, as_of),
        listed=listed_parts(contract, candidate.partition, environment),
        earlier=earlier(contract, candidate, entries) if has_monitors else (),
        predecessor=predecessor_of(contract, candidate, ledger, store) if contract.history else None,
        newest_elsewhere=newest_elsewhere(contract, candidate.partition, entries) if has_age else None,
    )


def _entries(contract: Contract, partition: str | None, ledger: Ledger) -> tuple[LedgerEntry, ...]:
    """What the ledger says of the contract, or of the partition alone where no promise asks for more; read once."""
    if contract.freshness is not None or contract.monitors != Monitors():
        return ledger.entries(contract.name)
    asks_of_itself = contract.delivery.due is not None or contract.publication.mode == "append"
    return ledger.partition_entries(contract.name, partition) if asks_of_itself else ()


def _arrived(contract: Contract, candidate: Candidate, entries: tuple[LedgerEntry, ...], as_of: datetime) -> datetime:
    """When the partition was received first, as far as a deadline asks for it."""
    if contract.delivery.due is None:
        return as_of
    return arrival(candidate, (entry for entry in entries if entry.partition == candidate.partition), as_of)


def _taken(contract: Contract, candidate: Candidate, entries: tuple[LedgerEntry, ...], store: Store) -> pl.LazyFrame:
    """The rows whose key is published already; a retry is not held against its own publication."""
    own = tuple(entry for entry in entries if entry.submission == candidate.submission)
    if latest(own, Event.PUBLISHED) or store.commit_of(contract.name, candidate.submission) is not None:
        return nothing_taken()
    return store.taken(contract, candidate)
