"""A candidate made ready for its published table: columns, rows and what they replace, with every reason against it found first."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationError
from contract_core.publication.published_schema import Column, compare, published_columns
from contract_core.publication.replacement import Replacement, replacement_of


@dataclass(frozen=True, slots=True)
class Offer:
    """What one commit would write: lazy rows in published form, the columns that the table gains by it, and what is replaced."""

    rows: pl.LazyFrame
    new_columns: pl.Schema
    replacement: Replacement


def prepare(contract: Contract, candidate: Candidate, table: Mapping[str, pl.DataType] | None) -> Offer:
    """The offer for a table with these columns, None for one that is not there yet. Raises PublicationError before any write."""
    source = pl.scan_parquet(candidate.path.absolute(), glob=False, hive_partitioning=False)
    columns = published_columns(contract, _schema_of(source, contract), table or {})
    new = () if table is None else compare(contract, columns, table)
    replacement = replacement_of(contract, candidate.partition, {column.name: column.type for column in columns})
    rows = source.with_columns(column.rows for column in columns).select(column.name for column in columns)
    _refuse_inexact(source, columns, contract)
    _refuse_strangers(rows, replacement, contract)
    return Offer(rows, pl.Schema({column.name: column.type for column in new}), replacement)


def _refuse_inexact(source: pl.LazyFrame, columns: tuple[Column, ...], contract: Contract) -> None:
    counted = {str(place): column.inexact for place, column in enumerate(columns) if column.inexact is not None}
    if not counted:
        return
    found = _collect(source.select(**counted), contract).row(0, named=True)
    problems = [
        Problem(
            _where(contract),
            f"column '{columns[int(place)].label}' has {rows} rows that {columns[int(place)].type} cannot hold exactly",
            "nothing was written; deliver values of microseconds and within 64 bits, or promise another type",
        )
        for place, rows in found.items()
        if rows
    ]
    if problems:
        raise PublicationError(*problems)


def _refuse_strangers(rows: pl.LazyFrame, replacement: Replacement, contract: Contract) -> None:
    if replacement.belongs is None:
        return
    strangers = int(_collect(rows.select((~replacement.belongs).sum()), contract).item())
    if strangers:
        what = f"{strangers} rows lie outside the partition that is published"
        raise PublicationError(Problem(_where(contract), what, "nothing was written; deliver each partition by itself"))


def _schema_of(source: pl.LazyFrame, contract: Contract) -> pl.Schema:
    try:
        return source.collect_schema()
    except READ_FAILURES as error:
        kind = type(error).__name__
    raise _unreadable(contract, kind)


def _collect(query: pl.LazyFrame, contract: Contract) -> pl.DataFrame:
    """The answer to a query; the library's own words stay here, since they may quote a value."""
    try:
        return query.collect(engine="streaming")
    except READ_FAILURES as error:
        kind = type(error).__name__
    raise _unreadable(contract, kind)


def _unreadable(contract: Contract, kind: str) -> PublicationError:
    return PublicationError(
        Problem(_where(contract), f"the candidate cannot be read ({kind})", "nothing was written; take it again")
    )


def _where(contract: Contract) -> str:
    return f"contract '{contract.name}' {contract.version}"
