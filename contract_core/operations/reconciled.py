"""Does the published table show what the ledger says? Asked for one partition, after it was published or whenever one likes.

Held against each other are the mark that a publication leaves in the table and the number of rows. A foreign write that
changes values and keeps both is not seen here.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import polars as pl

from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key
from contract_core.environment import Environment
from contract_core.errors import ContractCoreError
from contract_core.publication.entry import REPLACE, Event, LedgerEntry
from contract_core.publication.ledger import Ledger, latest
from contract_core.publication.markers import marker_number
from contract_core.publication.published_keys import rows_of_partition
from contract_core.publication.replacement import replacement_of
from contract_core.publication.store import Store
from contract_core.publication.submit import store_of
from contract_core.publication.tables import TABLE_FAILURES, open_table


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Ledger and table side by side for one partition; `rows_shown` is None where the table cannot be read.

    `rows_recorded` is None where the ledger cannot tell it: an upsert changes rows of any partition.
    """

    submission: str | None
    rows_recorded: int | None
    rows_shown: int | None
    is_marked: bool

    @property
    def differences(self) -> tuple[str, ...]:
        """Where they disagree, in words; nothing where the table shows what the ledger says."""
        recorded = "nothing" if self.submission is None else f"submission {self.submission[:12]}"
        found = [] if self.is_marked else [f"the table does not bear the mark of what the ledger says: {recorded}"]
        if self.rows_shown is None:
            found.append("the rows of the table cannot be read")
        elif self.rows_recorded is not None and self.rows_shown != self.rows_recorded:
            found.append(f"the table shows {self.rows_shown:,} rows, the ledger says {self.rows_recorded:,}")
        return tuple(found)


def reconcile(contract: Contract, partition: str | None, environment: Environment) -> Reconciliation:
    """What the ledger recorded last for the partition, against what the table shows now. Writes nothing."""
    entries = Ledger(environment.ledger).entries(contract=contract.name)
    return compared(contract, partition, entries, store_of(environment))


def compared(
    contract: Contract, partition: str | None, entries: tuple[LedgerEntry, ...], store: Store
) -> Reconciliation:
    """The same, by the ledger's entries about the contract, which somebody has read already.

    What was published since then looks like a difference.
    """
    recorded = latest(tuple(entry for entry in entries if entry.partition == partition), Event.PUBLISHED)
    shown = store.current(contract.name, partition)
    marker = None if shown is None else shown.marker
    return Reconciliation(
        submission=None if recorded is None else recorded.submission,
        rows_recorded=rows_recorded(entries, partition),
        rows_shown=0 if shown is None else _rows_shown(contract, partition, store),
        is_marked=marker == (None if recorded is None else marker_number(recorded.submission)),
    )


def current_publications(entries: tuple[LedgerEntry, ...]) -> Mapping[str | None, tuple[LedgerEntry, ...]]:
    """By partition, what a table should still show: the last replacement and what was added since; each submission once."""
    current: dict[str | None, dict[str, LedgerEntry]] = {}
    for entry in entries:
        if entry.event is Event.PUBLISHED:
            if entry.mode == REPLACE:
                current[entry.partition] = {}
            current.setdefault(entry.partition, {})[entry.submission] = entry
    return {partition: tuple(publications.values()) for partition, publications in current.items()}


def rows_recorded(entries: tuple[LedgerEntry, ...], partition: str | None) -> int | None:
    """How many rows a partition should show by a contract's entries; None where its rows came by key, from any partition."""
    if any(entry.event is Event.PUBLISHED and entry.mode == "upsert" for entry in entries):
        return None
    return sum(entry.published_rows for entry in current_publications(entries).get(partition, ()))


def rows_by_partition(
    contract: Contract, partitions: Iterable[str | None], store: Store
) -> tuple[Mapping[str | None, int], int]:
    """How many rows the table shows for each partition that the contract can have, and in all; from one scan.

    Raises PublicationError, or as `TABLE_FAILURES`, where they cannot be read.
    """
    rows = store.rows(contract.name)
    types = rows.collect_schema()
    known = {partition: _count(contract, partition, types) for partition in partitions}
    told = {partition: count for partition, count in known.items() if count is not None}
    counts = {str(place): count for place, count in enumerate(told.values())}
    found = rows.select(pl.len(), **counts).collect(engine="streaming").row(0)
    return {partition: int(count) for partition, count in zip(told, found[1:], strict=True)}, int(found[0])


def _count(contract: Contract, partition: str | None, types: pl.Schema) -> pl.Expr | None:
    """The number of rows of a partition; None for a key that the contract does not have, as under earlier terms."""
    try:
        belongs = replacement_of(contract, check_key(contract, partition), types).belongs
    except (ContractCoreError, KeyError, ValueError):
        return None
    return pl.len() if belongs is None else belongs.sum()


def _rows_shown(contract: Contract, partition: str | None, store: Store) -> int | None:
    """Of a table that keeps each partition in a folder, only the files of this one are looked at."""
    with suppress(*TABLE_FAILURES):
        table = open_table(store.path_of(contract.name))
        if table is not None:
            shown = rows_of_partition(contract, partition, table)
            return int(shown.select(pl.len()).collect(engine="streaming").item())
    return None
