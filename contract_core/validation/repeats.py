"""Which values stand in more than one row: told apart by 64-bit hashes, and compared by value where two hashes meet.

Hashes take eight bytes a row and are sorted in place; no two equal ones prove that nothing is repeated. So nearly always no value
is held in memory, and the answer is exact all the same. Whole numbers and moments are no wider than a hash, and are sorted themselves.
"""

from collections.abc import Iterable, Mapping

import polars as pl

from contract_core.candidate.columns import columns_of
from contract_core.contract.model import Contract
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import NoDuplicateRows, UniqueKey
from contract_core.validation.schema_match import Columns
from contract_core.validation.shares import hash_of, shares
from contract_core.validation.table_rules import compared, concerned

MOST_HASHES = 50_000_000
"""How many hashes are held at a time: 400 MB, and as much again while they are sorted. More rows are looked at in several passes."""
_MOST_SUSPECTS = 1_000_000
"""Of more hashes that meet, each row is compared by value at once: looking them up would cost more than it saves."""
_HASH, _SIZE = "__hash", "__size"

Repeats = Mapping[str, pl.DataFrame]
"""By the id of an obligation the values that stand in more than one row, and in how many: their `size`."""


def repeats_of(
    obligations: Iterable[Obligation], records: pl.LazyFrame, rows: int, contract: Contract, columns: Columns
) -> Repeats:
    """The repeated values of each promise of uniqueness among these; `rows` is about how many records there are.

    What holds fewer columns is looked at first: where no value of it is repeated, none of more columns is.
    """
    found: dict[str, pl.DataFrame] = {}
    proved: list[frozenset[str]] = []
    asked = [(item, by) for item in obligations if (by := _compared(item, contract, columns)) is not None]
    for item, by in sorted(asked, key=lambda each: len(each[1])):
        where = item.promise.where if isinstance(item.promise, UniqueKey) else None
        if not by or any(unique <= set(by) for unique in proved):
            found[item.id] = _none(by, columns.types)
            continue
        found[item.id] = repeated(concerned(records, where, columns), by, rows)
        if where is None and found[item.id].is_empty():
            proved.append(frozenset(by))
    return found


def by_of(repeats: pl.DataFrame) -> list[str]:
    """The columns that hold the repeated values."""
    return [name for name in repeats.columns if name != _SIZE]


def counts_of(repeats: pl.DataFrame) -> dict[str, int]:
    """How many values are repeated, in how many rows, and how many of these are one too many."""
    rows = int(repeats[_SIZE].sum())
    return {"groups": repeats.height, "rows": rows, "surplus_rows": rows - repeats.height}


def repeated(rows: pl.LazyFrame, by: list[str], count: int) -> pl.DataFrame:
    """One row for each group of rows that share these values, with its `size`; `count` is about how many rows there are."""
    chosen, key = rows.select(by), columns_of(by)
    return pl.concat(_repeated(share.among(chosen, key), by) for share in shares(max(1, -(-count // MOST_HASHES))))


def _repeated(rows: pl.LazyFrame, by: list[str]) -> pl.DataFrame:
    types = rows.collect_schema()
    return _repeated_numbers(rows, by[0]) if len(by) == 1 and _is_number(types[by[0]]) else _repeated_values(rows, by)


def _is_number(kind: pl.DataType) -> bool:
    """True where a value is one number of at most 64 bits. Floats are not: NaN and -0.0 equal others than their bits do."""
    return (kind.is_integer() and kind not in (pl.Int128, pl.UInt128)) or kind.is_temporal()


def _repeated_numbers(rows: pl.LazyFrame, name: str) -> pl.DataFrame:
    sorted_values = rows.collect(engine="streaming")[name].sort(in_place=True)
    nulls = sorted_values.null_count()
    values = sorted_values.slice(nulls)
    groups = values.filter(values == values.shift(1)).value_counts(name=_SIZE).with_columns(pl.col(_SIZE) + 1)
    return (
        pl.concat([groups, pl.DataFrame({name: [None], _SIZE: [nulls]}, schema=groups.schema)]) if nulls > 1 else groups
    )


def _repeated_values(rows: pl.LazyFrame, by: list[str]) -> pl.DataFrame:
    own = hash_of(columns_of(by))
    hashes = rows.select(own.alias(_HASH)).collect(engine="streaming")[_HASH].sort(in_place=True)
    suspects = hashes.filter(hashes == hashes.shift(1)).unique()
    if not suspects.len():
        return _none(by, rows.collect_schema())
    if suspects.len() <= _MOST_SUSPECTS:
        rows = rows.filter(own.is_in(suspects.implode()))
    groups = rows.group_by(by).len(_SIZE).filter(pl.col(_SIZE) > 1)
    return groups.collect(engine="streaming")


def _compared(obligation: Obligation, contract: Contract, columns: Columns) -> list[str] | None:
    match obligation.promise:
        case UniqueKey(names, _):
            return compared(names, columns)
        case NoDuplicateRows():
            return compared(tuple(name for name in contract.field_names if columns.has(name)), columns)
        case _:
            return None


def _none(by: list[str], types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame(schema={name: types[name] for name in by} | {_SIZE: pl.get_index_type()})
