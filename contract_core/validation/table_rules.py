"""One case per table obligation: the small lazy query over the whole candidate whose one row answers it."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import assert_never
from zoneinfo import ZoneInfo

import polars as pl

from contract_core.candidate.columns import ABSENT, RAW
from contract_core.contract.delivery_terms import PartitionTerms
from contract_core.contract.partition import window
from contract_core.contract.sql_expression import RowExpression
from contract_core.validation.conditions import compile_condition
from contract_core.validation.promise_kinds import Fresh, InPartition, MeasuredPromise, NewKey, RowCountBetween
from contract_core.validation.schema_match import Columns


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a table: its columns, the partition offered and its terms.

    `judges_missing` where no other rule holds back a row that belongs to no partition for want of a value. `taken` are the
    rows whose key is published already, by file and row number.
    """

    columns: Columns
    partition: str | None
    terms: PartitionTerms | None
    judges_missing: bool = False
    taken: pl.LazyFrame | None = None


def answer(promise: MeasuredPromise, rows: pl.LazyFrame, question: Question) -> pl.LazyFrame:
    """One row of numbers that `breaches` and `details` of the finding are read from."""
    match promise:
        case NewKey():
            assert question.taken is not None, "it is unjudged where nobody looked at the published table"
            return question.taken.select(rows=pl.len())
        case RowCountBetween():
            return rows.select(rows=pl.len())
        case InPartition(column):
            return rows.select(rows_outside=(~in_partition(column, question)).sum())
        case Fresh(column):
            return rows.select(newest=_within_calendar(pl.col(column).max(), question.columns.types[column]))
        case _:
            assert_never(promise)


def concerned(rows: pl.LazyFrame, where: RowExpression | None, columns: Columns) -> pl.LazyFrame:
    """The rows among which values are unique: all, or those where a condition is true."""
    return rows if where is None else rows.filter(is_concerned(where, columns))


def is_concerned(where: RowExpression | None, columns: Columns) -> pl.Expr:
    """True for each of those rows."""
    return pl.lit(value=True) if where is None else compile_condition(where, columns.types).fill_null(value=False)


def compared(names: tuple[str, ...], columns: Columns) -> list[str]:
    """The columns that tell two rows apart in these fields; texts that did not decode are compared as texts."""
    return [name for column in names for name in (column, RAW + column, ABSENT + column) if columns.has(name)]


def _within_calendar(moment: pl.Expr, found: pl.DataType) -> pl.Expr:
    """The moment, or the nearest one that Python can hold: Polars knows years before 1 and after 9999."""
    if isinstance(found, pl.Datetime) and found.time_unit == "ns":
        return moment  # 1677 to 2262
    return moment.clip(*(pl.lit(day).cast(found) for day in (date(1, 1, 2), date(9999, 12, 30))))


def in_partition(column: str, question: Question) -> pl.Expr:
    """True for each row whose value lies in the partition offered; a missing value does, where it is judged by other rules."""
    terms, key = question.terms, question.partition
    if terms is None or key is None:
        return pl.lit(value=True)
    return _lies_in(terms, key, question.columns.types[column], column).fill_null(value=not question.judges_missing)


def _lies_in(terms: PartitionTerms, key: str, found: pl.DataType, column: str) -> pl.Expr:
    if terms.every is None:
        return _value_of(key, found, column)
    start, end = window(terms, key)
    if found == pl.Date:
        return pl.col(column).is_between(start.date(), end.date(), closed="left")
    low, high = (_as_found(moment, found) for moment in (start, end))
    return (pl.col(column) >= low) & (pl.col(column) < high)


def _as_found(moment: datetime, found: pl.DataType) -> pl.Expr:
    """A moment for a naive column is its wall-clock time in the partition's zone, for an aware one the instant."""
    zone = found.time_zone if isinstance(found, pl.Datetime) else None
    if zone is None:
        return pl.lit(moment.replace(tzinfo=None))
    return pl.lit(moment.astimezone(ZoneInfo("UTC"))).dt.convert_time_zone(zone)


def _value_of(key: str, found: pl.DataType, column: str) -> pl.Expr:
    value = pl.col(column)
    if found.is_integer():
        return value.cast(pl.Int128) == int(key)
    return value == date.fromisoformat(key) if found == pl.Date else value.cast(pl.String) == key
