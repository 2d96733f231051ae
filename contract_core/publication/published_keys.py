"""Which rows of a candidate have a key that is published already: asked where a contract appends.

Read are the key columns of the published table alone; where the key has the partition's column, of that partition alone.
"""

from collections.abc import Mapping

import polars as pl
from deltalake import DeltaTable

from contract_core.candidate.columns import ABSENT, FILE_INDEX, NOT_AN_OBJECT, RAW, ROW_NUMBER, column, columns_of
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.publication.lossless import Unpublishable, published_form
from contract_core.publication.replacement import replacement_of
from contract_core.publication.tables import rows_of
from contract_core.validation.shares import passes_over, shares


def nothing_taken() -> pl.LazyFrame:
    """The answer for a table that holds none of the keys."""
    return pl.LazyFrame(schema={FILE_INDEX: pl.UInt32(), ROW_NUMBER: pl.UInt64()})


def taken_rows(contract: Contract, candidate: Candidate, table: DeltaTable | None) -> pl.LazyFrame:
    """File and row number of each row whose key the table holds, looked up now: as many passes as the keys of the candidate need.

    Raises as `TABLE_FAILURES` where the table cannot be read.
    """
    rows = candidate.scanned()
    types = rows.collect_schema()
    if table is None or not all(name in types for name in contract.key):
        return nothing_taken()  # without its columns a key is unjudged, whatever is published
    stored = pl.Schema(table.schema())
    try:
        keys = [_published(contract, name, types, stored).alias(name) for name in contract.key]
    except Unpublishable:
        return nothing_taken()  # such a column is refused for its own sake
    by = list(contract.key)
    offered = rows.filter(_has_key(contract, types)).select(FILE_INDEX, ROW_NUMBER, *keys)
    published = _concerned(contract, candidate.partition, table).select(by)
    passes = passes_over(offered, candidate.rows, columns_of(by))
    found = [
        _taken(share.among(offered, columns_of(by)), share.among(published, columns_of(by)), by)
        for share in shares(passes)
    ]
    return pl.concat(each.collect(engine="streaming") for each in found).lazy()


def _taken(offered: pl.LazyFrame, published: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
    taken = published.join(offered.select(by), on=by, how="semi", nulls_equal=True)  # in memory: keys of the delivery
    return offered.join(taken, on=by, how="semi", nulls_equal=True).select(FILE_INDEX, ROW_NUMBER)


def rows_with_keys_of(contract: Contract, candidate: Candidate, table: DeltaTable) -> pl.LazyFrame:
    """The published rows whose key is that of one of the candidate's rows; all of them where its keys are not known."""
    rows = candidate.scanned()
    types, stored = rows.collect_schema(), pl.Schema(table.schema())
    if not all(name in types and name in stored for name in contract.key):
        return rows_of(table)
    try:
        keys = [_published(contract, name, types, stored).alias(name) for name in contract.key]
    except Unpublishable:
        return rows_of(table)
    offered = rows.filter(_has_key(contract, types)).select(keys)
    return rows_of(table).join(offered, on=list(contract.key), how="semi", nulls_equal=True)


def _has_key(contract: Contract, types: Mapping[str, pl.DataType]) -> pl.Expr:
    """False for rows whose key is not known: a text that did not decode, a field that is absent, a record that is no object."""
    lacks = [column(RAW + name).is_not_null() for name in contract.key if RAW + name in types]
    lacks += [column(ABSENT + name) for name in contract.key if ABSENT + name in types]
    lacks += [column(NOT_AN_OBJECT)] if NOT_AN_OBJECT in types else []
    return ~pl.any_horizontal(pl.lit(value=False), *lacks)


def _published(
    contract: Contract, name: str, types: Mapping[str, pl.DataType], stored: Mapping[str, pl.DataType]
) -> pl.Expr:
    form = published_form(column(name), types[name], is_family=not contract.field(name).type.is_exact)
    return form.rows.cast(stored[name], strict=False) if name in stored else form.rows


def _concerned(contract: Contract, partition: str | None, table: DeltaTable) -> pl.LazyFrame:
    """The published rows that could hold a key of this delivery."""
    terms = contract.delivery.partition
    is_told_by_key = terms is not None and terms.column in contract.key
    return rows_of_partition(contract, partition, table) if is_told_by_key else rows_of(table)


def rows_of_partition(contract: Contract, partition: str | None, table: DeltaTable) -> pl.LazyFrame:
    """The published rows of one partition, from its own files where it has a folder; all rows where there are no partitions."""
    replacement = replacement_of(contract, partition, pl.Schema(table.schema()))
    if replacement.belongs is None:
        return rows_of(table)
    has_folders = set(replacement.folder) <= set(table.metadata().partition_columns)
    return rows_of(table, replacement.folder if has_folders else None).filter(replacement.belongs)
