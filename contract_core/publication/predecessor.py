"""Which published rows a candidate is compared with, and whose they are: asked where a contract promises something of history.

The ledger says which partitions are published, the markers of the table whether it still shows them. Only the files of one
partition are read where the table keeps it in a folder.
"""

from collections.abc import Iterable

import polars as pl
from deltalake import DeltaTable

from contract_core.candidate.physical_types import decoded_dtype
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.history_sql import looks_at_earlier_partition
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.contract.partition import begins_at
from contract_core.errors import Problem, PublicationError
from contract_core.publication.causes import cause_of
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.history import earlier_spans
from contract_core.publication.ledger import Ledger
from contract_core.publication.markers import gate_marker, marker_number, partition_marker
from contract_core.publication.published_keys import rows_with_keys_of
from contract_core.publication.replacement import replacement_of
from contract_core.publication.store import Store
from contract_core.publication.tables import TABLE_FAILURES, are_files_there, open_table, open_version, rows_of
from contract_core.validation.past import NONE_PUBLISHED, Predecessor

_CLEANED = "what this delivery replaced when it was published is no longer kept"
_TIME_AS_TEXT = "%H:%M:%S%.f"


def predecessor_of(contract: Contract, candidate: Candidate, ledger: Ledger, store: Store) -> Predecessor:
    """What the candidate's rows are compared with. A retry is compared with what its own publication replaced.

    Raises PublicationError where the published table cannot be read.
    """
    try:
        table = open_table(store.path_of(contract.name))
        if table is None:
            return NONE_PUBLISHED
        entries = ledger.entries(contract.name)
        if looks_at_earlier_partition(contract):
            return _earlier(contract, candidate, entries, table)
        return _replaced(contract, candidate, entries, _before_own(candidate, table, store))
    except TABLE_FAILURES as error:
        what = f"its published table cannot be read: {cause_of(error)}"
    raise PublicationError(Problem(f"contract '{contract.name}'", what, "repair or restore the table"))


def _earlier(
    contract: Contract, candidate: Candidate, entries: Iterable[LedgerEntry], table: DeltaTable
) -> Predecessor:
    """The newest partition that begins before this one and that the table still shows."""
    begins = begins_at(contract, candidate.partition)
    for _, entry in earlier_spans(contract, begins, entries) if begins is not None else ():
        if _marker(table, contract, entry.partition) is not None:
            return _rows_of_partition(contract, entry.partition, table, entry.submission)
    return NONE_PUBLISHED


def _before_own(candidate: Candidate, table: DeltaTable, store: Store) -> DeltaTable | None:
    """The table, as it was before the candidate was published in it where it shows the candidate; None where that is gone."""
    shown = table.transaction_version(partition_marker(candidate.contract, candidate.partition))
    if shown != marker_number(candidate.submission):
        return table
    version = store.commit_of(candidate.contract, candidate.submission)
    if version is None:
        return None
    try:
        before = open_version(store.path_of(candidate.contract), version - 1)
        return before if are_files_there(before) else None
    except TABLE_FAILURES:
        return None


def _replaced(
    contract: Contract, candidate: Candidate, entries: tuple[LedgerEntry, ...], table: DeltaTable | None
) -> Predecessor:
    """What the delivery replaces: its partition, or the table; under upsert whatever row has the key of one of its own."""
    if table is None:
        return Predecessor(why_not=_CLEANED)
    if contract.publication.mode == "upsert":
        if table.transaction_version(gate_marker(contract.name)) is None:
            return NONE_PUBLISHED
        others = [entry for entry in entries if entry.submission != candidate.submission]
        return _restored(contract, rows_with_keys_of(contract, candidate, table), _last_published(others))
    shown = _marker(table, contract, candidate.partition)
    if shown is None:
        return NONE_PUBLISHED
    whose = next((entry.submission for entry in entries if marker_number(entry.submission) == shown), None)
    return _rows_of_partition(contract, candidate.partition, table, whose)


def _last_published(entries: Iterable[LedgerEntry]) -> str | None:
    published = [entry.submission for entry in entries if entry.event is Event.PUBLISHED]
    return published[-1] if published else None


def _marker(table: DeltaTable, contract: Contract, partition: str | None) -> int | None:
    return table.transaction_version(partition_marker(contract.name, partition))


def _rows_of_partition(
    contract: Contract, partition: str | None, table: DeltaTable, submission: str | None
) -> Predecessor:
    terms, types = contract.delivery.partition, pl.Schema(table.schema())
    if terms is None:
        return _restored(contract, rows_of(table), submission)
    if terms.column not in types:
        return Predecessor(why_not=f"the published table has no column '{terms.column}'")
    replacement = replacement_of(contract, partition, types)
    has_folders = set(replacement.folder) <= set(table.metadata().partition_columns)
    rows = rows_of(table, replacement.folder if has_folders else None)
    return _restored(contract, rows if replacement.belongs is None else rows.filter(replacement.belongs), submission)


def _restored(contract: Contract, rows: pl.LazyFrame, submission: str | None) -> Predecessor:
    """The rows with the names and types that the contract promises, where the table has them under others."""
    types = rows.collect_schema()
    renamed = {
        field.renamed_from: field.name
        for field in contract.fields
        if field.renamed_from in types and field.name not in types
    }
    rows = rows.rename({old: new for old, new in renamed.items() if old is not None})
    types = rows.collect_schema()
    changed = {
        field.name: restored
        for field in contract.fields
        if field.name in types and (restored := _as_promised(field, types[field.name])) is not None
    }
    return Predecessor(rows.with_columns(**changed), submission)


def _as_promised(field: Field, stored: pl.DataType) -> pl.Expr | None:
    """The published values as values of the field's family; None where they are that already."""
    value = pl.col(field.name)
    if field.type.family is Family.TIME and stored == pl.String:
        return value.str.to_time(_TIME_AS_TEXT, strict=False)
    if field.type.family is Family.DURATION and stored == pl.Int64:
        return value.cast(pl.Duration("us"))
    if field.type.family is Family.INTEGER and isinstance(stored, pl.Decimal):
        return value.cast(decoded_dtype(field.type), strict=False)
    return None
