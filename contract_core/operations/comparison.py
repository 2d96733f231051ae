"""A published table, its log and its quarantine against the ledger: every difference is told, and none is repaired here.

Numbers, versions, submissions and partition keys leave this module, and no value of the data.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from contract_core.contract.model import Contract
from contract_core.errors import PublicationError
from contract_core.operations.cleaning import KEPT_BY_DEFAULT
from contract_core.operations.difference import Difference, Kind
from contract_core.operations.reconciled import current_publications, rows_by_partition
from contract_core.publication.entry import Event, LedgerEntry, latest
from contract_core.publication.markers import marker_number
from contract_core.publication.store import Store
from contract_core.publication.table_log import TableLog
from contract_core.publication.tables import TABLE_FAILURES

_UNREADABLE: tuple[type[BaseException], ...] = (*TABLE_FAILURES, PublicationError)


@dataclass(frozen=True, slots=True)
class Sides:
    """What is held against each other. `contract` is None where only its table is left, `log` where there is no table.

    `entries` are the ledger's as they are once it is complete.
    """

    name: str
    contract: Contract | None
    log: TableLog | None
    entries: tuple[LedgerEntry, ...]
    store: Store

    @property
    def current(self) -> Mapping[str | None, tuple[LedgerEntry, ...]]:
        """What the table should show, by the ledger."""
        return current_publications(self.entries)

    @property
    def rows_recorded(self) -> Mapping[str | None, int]:
        """The number of those rows."""
        return {
            partition: sum(entry.published_rows for entry in entries) for partition, entries in self.current.items()
        }

    def last(self, partition: str | None) -> LedgerEntry | None:
        """The publication that a partition got last, by the ledger."""
        return latest(tuple(entry for entry in self.entries if entry.partition == partition), Event.PUBLISHED)


def find_differences(sides: Sides, at: datetime) -> Iterator[Difference]:
    """Every difference as of `at`, which only tells whether quarantined rows may have been cleaned away."""
    if sides.log is None:
        published = sum(len(publications) for publications in sides.current.values())
        if published:
            yield Difference(Kind.NO_TABLE, recorded=published)
    else:
        yield from _in_log(sides, sides.log)
        yield from _in_marks(sides, sides.log)
        yield from _in_rows(sides)
    yield from _in_quarantine(sides, at)


def _in_log(sides: Sides, log: TableLog) -> Iterator[Difference]:
    for commit in log.suspects:
        assert commit.fault is not None, "a suspect has a fault"
        yield Difference(
            Kind(commit.fault.value), version=commit.version, actor=f"{commit.operation} by {commit.engine}"
        )
    if log.is_altered:
        yield Difference(Kind.ALTERED_CONSTRAINTS)
    told = {(publication.decided.submission, publication.version) for publication in log.publications}
    suspect = {commit.version for commit in log.suspects}
    for partition, publications in sides.current.items():
        for entry in publications:
            version = -1 if entry.table_version is None else entry.table_version
            if version >= log.first and version not in suspect and (entry.submission, version) not in told:
                yield Difference(Kind.NO_COMMIT, partition, entry.submission, version)


def _in_marks(sides: Sides, log: TableLog) -> Iterator[Difference]:
    """The mark of a partition outlives the log, and a roll-back; rows that were rolled back are seen by their number."""
    for partition in dict.fromkeys((*sides.current, *log.marks)):
        recorded = sides.last(partition)
        expected = None if recorded is None else marker_number(recorded.submission)
        if log.marks.get(partition) != expected:
            yield Difference(Kind.OTHER_MARK, partition, None if recorded is None else recorded.submission)


def _in_rows(sides: Sides) -> Iterator[Difference]:
    if any(entry.event is Event.PUBLISHED and entry.mode == "upsert" for entry in sides.entries):
        return  # rows came by key, from any partition
    try:
        yield from _of_table(sides) if sides.contract is None else _of_partitions(sides, sides.contract)
    except _UNREADABLE:
        yield Difference(Kind.ROWS_UNREADABLE)


def _of_table(sides: Sides) -> Iterator[Difference]:
    shown = int(sides.store.rows(sides.name).select(pl.len()).collect(engine="streaming").item())
    recorded = sum(sides.rows_recorded.values())
    if shown != recorded:
        yield Difference(Kind.OTHER_ROWS, recorded=recorded, shown=shown)


def _of_partitions(sides: Sides, contract: Contract) -> Iterator[Difference]:
    recorded = sides.rows_recorded
    shown, total = rows_by_partition(contract, recorded, sides.store)
    for partition, count in shown.items():
        if count != recorded[partition]:
            last = sides.last(partition)
            submission = None if last is None else last.submission
            yield Difference(Kind.OTHER_ROWS, partition, submission, recorded=recorded[partition], shown=count)
    if shown.keys() == recorded.keys() and total > sum(shown.values()):
        yield Difference(Kind.ROWS_OUTSIDE, shown=total - sum(shown.values()))


def _in_quarantine(sides: Sides, at: datetime) -> Iterator[Difference]:
    try:
        counts = sides.store.quarantine.counts(sides.name)
    except PublicationError:
        yield Difference(Kind.QUARANTINE_UNREADABLE)
        return
    published = {entry.submission: entry for entry in sides.entries if entry.event is Event.PUBLISHED}
    decided = {entry.submission: entry for entry in sides.entries}
    for submission, count in counts.items():
        if submission not in published:
            entry = decided.get(submission)
            partition = None if entry is None else entry.partition
            yield Difference(Kind.QUARANTINE_UNPUBLISHED, partition, submission, shown=count)
    for submission, entry in published.items():
        count = counts.get(submission, 0)
        if count > entry.quarantined or (count < entry.quarantined and not _may_be_cleaned(sides, submission, at)):
            yield Difference(
                Kind.QUARANTINE_OTHER_ROWS, entry.partition, submission, recorded=entry.quarantined, shown=count
            )


def _may_be_cleaned(sides: Sides, submission: str, at: datetime) -> bool:
    """True where the rows are older than the contract keeps them, and where no contract says how long that is."""
    if sides.contract is None:
        return True
    keep = sides.contract.enforcement.quarantine.keep
    since = min(entry.at for entry in sides.entries if entry.submission == submission)
    return at - since > (KEPT_BY_DEFAULT if keep is None else keep)
