"""What consumers of a contract's table see now: the last accepted partition, its age, and refusals since then."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from contract_core.contract.model import Contract
from contract_core.contract.partition import window
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.history import DecisionRecord, Fate, decisions


@dataclass(frozen=True, slots=True)
class Status:
    """The state of one published table; `is_stale` is None where the contract promises no age.

    `quarantined` counts the rows that were kept apart from the deliveries that consumers see now; `requested` are those of
    which somebody asked for a correction that has not come.
    """

    contract: str
    version: str
    partitions: int
    newest: DecisionRecord | None
    age: timedelta | None
    is_stale: bool | None
    refused_since: tuple[DecisionRecord, ...]
    quarantined: int = 0
    requested: tuple[DecisionRecord, ...] = ()


def status_of(contract: Contract, entries: tuple[LedgerEntry, ...], as_of: datetime) -> Status:
    """What the ledger's entries about a contract say of its table at `as_of`."""
    records = decisions(entries)
    shown = [record for record in records if record.outcome is Fate.PUBLISHED and record.superseded_by is None]
    newest = max(
        shown, key=lambda record: (_begin(contract, record), record.published_at or record.decided_at), default=None
    )
    age = as_of - _begin(contract, newest) if newest is not None else None
    limit = contract.freshness.max_age if contract.freshness is not None else None
    return Status(
        contract=contract.name,
        version=contract.version,
        partitions=len(shown),
        newest=newest,
        age=age,
        is_stale=None if limit is None or age is None else age > limit,
        refused_since=tuple(record for record in records if _is_open(record, records)),
        quarantined=sum(record.quarantined for record in shown),
        requested=tuple(record for record in records if any(request.is_open for request in record.requests)),
    )


def _begin(contract: Contract, record: DecisionRecord) -> datetime:
    """The moment from which the published data age: the beginning of their time span, as a day ages, else their publication."""
    terms = contract.delivery.partition
    if terms is not None and terms.every is not None and record.partition is not None:
        with suppress(ValueError):  # a key of an earlier version, when partitions were others
            return window(terms, record.partition)[0]
    return record.published_at or record.decided_at


def _is_open(record: DecisionRecord, records: tuple[DecisionRecord, ...]) -> bool:
    """True for a refusal that no later decision about the same partition has settled."""
    if record.outcome not in (Fate.REFUSED, Fate.PUBLICATION_FAILED):
        return False
    later = [other for other in records if other.partition == record.partition and other.decided_at > record.decided_at]
    return not later
