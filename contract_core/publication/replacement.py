"""Which rows of the published table one submission replaces: a partition as a Delta predicate, quoted safely.

The predicate is also what Delta holds the new rows against, so that a delivery never writes outside its own partition.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from urllib.parse import quote

import polars as pl

from contract_core.contract.delivery_terms import PartitionTerms
from contract_core.contract.model import Contract
from contract_core.contract.partition import window
from contract_core.errors import Problem, PublicationError

WHOLE_TABLE = "true"
"""Replaces everything and still conflicts with a rival; an overwrite without predicate would keep the rival's rows in silence."""


_NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
_FOLDER_BYTES = 255


@dataclass(frozen=True, slots=True)
class Replacement:
    """What is replaced, as SQL for Delta and as the expression that is true for rows that belong; and its folder in the table."""

    predicate: str
    belongs: pl.Expr | None = None
    folder: Mapping[str, object] = field(default_factory=dict)


def replacement_of(contract: Contract, partition: str | None, types: Mapping[str, pl.DataType]) -> Replacement:
    """The replacement for one partition; `types` are the published columns. Raises PublicationError for an unfit key."""
    terms = contract.delivery.partition
    if terms is None or partition is None:
        if terms is not None or partition is not None:
            raise _unfit(contract, "a partition is named exactly where the contract has partitions")
        return Replacement(WHOLE_TABLE)
    column_type = types[terms.column]
    if terms.every is None:
        return _one_value(contract, terms, partition, types)
    if isinstance(column_type, pl.Date):
        return _days(contract, terms, partition, types)
    if isinstance(column_type, pl.Datetime):
        return _moments(terms, partition, is_aware=column_type.time_zone is not None)
    raise _unfit(contract, f"column '{terms.column}' is {column_type}, which tells no partition by {terms.every}")


def folders_of(contract: Contract, types: Mapping[str, pl.DataType]) -> tuple[str, ...]:
    """The columns that a table of the contract keeps in folders, whatever its partitions are."""
    terms = contract.delivery.partition
    if (
        terms is None or len(types) < 2
    ):  # a column of folders is in no file, so that a table of one column can have none
        return ()
    is_one_value = terms.every is None or (terms.every == "day" and isinstance(types[terms.column], pl.Date))
    return (terms.column,) if is_one_value else ()


def quoted_name(name: str) -> str:
    """A column name as DataFusion reads it."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text as a DataFusion literal; a backslash stands for itself there."""
    return "'" + text.replace("'", "''") + "'"


def _one_value(contract: Contract, terms: PartitionTerms, key: str, types: Mapping[str, pl.DataType]) -> Replacement:
    value: str | int | date
    column_type = types[terms.column]
    try:
        if isinstance(column_type, pl.String):
            _refuse_folder(contract, terms, key)
            value, literal, is_canonical = key, quoted_text(key), True
        elif isinstance(column_type, pl.Date):
            value, literal = date.fromisoformat(key), quoted_text(key)
            is_canonical = value.isoformat() == key
        elif column_type.is_integer() or column_type == pl.Decimal(20, 0):
            value, literal = int(key), key
            is_canonical = str(value) == key
        else:
            raise _unfit(contract, f"column '{terms.column}' is {column_type}, which tells no partition by value")
    except ValueError:
        is_canonical = False
    if not is_canonical:
        raise _unfit(
            contract, f"the partition is not a value of column '{terms.column}' as the gate writes it ({column_type})"
        )
    belongs = pl.col(terms.column).eq_missing(pl.lit(value))
    return Replacement(
        f"{quoted_name(terms.column)} = {literal}", belongs, dict.fromkeys(folders_of(contract, types), value)
    )


def _refuse_folder(contract: Contract, terms: PartitionTerms, key: str) -> None:
    """A key becomes a folder, percent-encoded: one name stands for null in every reader, and a long one fits no file system."""
    if key == _NULL_FOLDER:
        raise _unfit(contract, "the partition is the name that Delta readers take for no value")
    size = len(f"{quote(terms.column, safe='')}={quote(key, safe='')}")
    if size > _FOLDER_BYTES:
        what = f"the partition becomes a folder with a name of {size} bytes, and file systems take {_FOLDER_BYTES}"
        raise _unfit(contract, what)


def _days(contract: Contract, terms: PartitionTerms, key: str, types: Mapping[str, pl.DataType]) -> Replacement:
    if terms.every == "hour":
        raise _unfit(contract, f"column '{terms.column}' holds days, which cannot tell one hour from another")
    first, last = (moment.date() for moment in window(terms, key))
    if terms.every == "day":
        belongs = pl.col(terms.column).eq_missing(pl.lit(first))
        predicate = f"{quoted_name(terms.column)} = {quoted_text(first.isoformat())}"
        return Replacement(predicate, belongs, dict.fromkeys(folders_of(contract, types), first))
    return Replacement(_between(terms.column, first.isoformat(), last.isoformat()), _within(terms.column, first, last))


def _moments(terms: PartitionTerms, key: str, *, is_aware: bool) -> Replacement:
    """Instants in UTC where the column is aware, else the bounds as a clock on the wall of the contract's zone shows them."""
    bounds = window(terms, key)
    first, last = (moment.astimezone(UTC) if is_aware else moment.replace(tzinfo=None) for moment in bounds)
    return Replacement(
        _between(terms.column, _moment_text(first), _moment_text(last)), _within(terms.column, first, last)
    )


def _moment_text(moment: datetime) -> str:
    text = moment.replace(tzinfo=None).isoformat(timespec="microseconds")
    return text if moment.tzinfo is None else f"{text}Z"


def _between(column: str, first: str, last: str) -> str:
    name = quoted_name(column)
    return f"{name} >= {quoted_text(first)} AND {name} < {quoted_text(last)}"


def _within(column: str, first: date | datetime, last: date | datetime) -> pl.Expr:
    return pl.col(column).is_between(pl.lit(first), pl.lit(last), closed="left").fill_null(value=False)


def _unfit(contract: Contract, what: str) -> PublicationError:
    return PublicationError(Problem(f"contract '{contract.name}' {contract.version}", what, "nothing was written"))
