"""What a delivery changes of what is published already: how many keys, in which fields and by how much, and none of their values.

Counted at judgement, for an accepted delivery that corrects another one's rows. It is no promise and holds nothing back: where
it cannot be told, nothing is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl
from deltalake import DeltaTable

from contract_core.candidate.columns import column
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.errors import ContractCoreError
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.markers import marker_number, partition_marker
from contract_core.publication.published_keys import rows_of_partition
from contract_core.publication.published_schema import UNDECLARED, Column, published_columns, refuse_mismatch
from contract_core.publication.tables import TABLE_FAILURES, open_table, rows_of
from contract_core.validation.breaking_rows import conforming_rows

ENOUGH_KEYS = 10
"""By how much a field changed is told where so many of its keys did: the change of a few would tell their values."""

MOST_PPM = 10**12
"""A millionfold; no larger change is told apart from it."""

_MILLION = 1_000_000
_UNTELLABLE: tuple[type[BaseException], ...] = (ContractCoreError, *TABLE_FAILURES)
_BEFORE, _AFTER = "before", "after"
_REPEATED, _FIELD = "repeated ", "field:"


@dataclass(frozen=True, slots=True)
class _Value:
    """A published column that is no key, by its place in both sides; `is_told` where its relative change may be."""

    place: int
    label: str
    is_told: bool

    @property
    def has_changed(self) -> pl.Expr:
        """True for a key that is on both sides with another value; null is a value, NaN is NaN, and -0.0 is 0.0."""
        return pl.col(f"{_BEFORE}{self.place}").ne_missing(pl.col(f"{_AFTER}{self.place}")) & _on_both_sides()


@dataclass(frozen=True, slots=True)
class _Sides:
    """The published rows that are replaced and those that take their place, the key's columns named by their places."""

    before: pl.LazyFrame
    after: pl.LazyFrame
    key: Mapping[str, str]
    values: tuple[_Value, ...]

    @property
    def by(self) -> list[str]:
        """The columns of the key."""
        return list(self.key)


def restated(contract: Contract, candidate: Candidate, decision: Decision, published: Path) -> Mapping[str, int]:
    """The counts of what publishing the candidate would change in the published table at a place.

    Nothing where nothing was published before, for a delivery that is published already, refused, or only added to others,
    and where the table cannot be read or cannot take the candidate.
    """
    if contract.publication.mode == "append" or decision.verdict is Verdict.REFUSE:
        return {}
    try:
        table = open_table(published)
        if table is None or not _is_correction(contract, candidate, table):
            return {}
        return _counts(_sides(contract, candidate, decision, table), contract)
    except _UNTELLABLE:
        return {}


def _is_correction(contract: Contract, candidate: Candidate, table: DeltaTable) -> bool:
    """True where another submission was published that the candidate may correct."""
    shown = table.transaction_version(partition_marker(contract.name, candidate.partition))
    if shown == marker_number(candidate.submission):
        return False
    terms = contract.delivery.partition
    can_be_found = terms is None or terms.column in pl.Schema(table.schema())
    return contract.publication.mode == "upsert" or (shown is not None and can_be_found)


def _sides(contract: Contract, candidate: Candidate, decision: Decision, table: DeltaTable) -> _Sides:
    stored = pl.Schema(table.schema())
    source = _offered(contract, candidate, decision)
    columns = published_columns(contract, source.collect_schema(), stored)
    refuse_mismatch(contract, columns, stored)
    key = {f"{place}": made.name for place, made in enumerate(columns) if made.name in contract.key}
    after = _placed(source.with_columns(made.rows for made in columns), columns)
    if contract.publication.mode == "upsert":
        shown = _placed(_completed(rows_of(table), columns, stored), columns)
        before = shown.join(after.select(list(key)), on=list(key), how="semi", nulls_equal=True)
    else:
        shown = rows_of_partition(contract, candidate.partition, table)
        before = _placed(_completed(shown, columns, stored), columns)
    return _Sides(before, after, key, tuple(_values(contract, columns)))


def _offered(contract: Contract, candidate: Candidate, decision: Decision) -> pl.LazyFrame:
    if decision.verdict is Verdict.PUBLISH_WITH_QUARANTINE:
        return conforming_rows(contract, candidate, None)
    return pl.scan_parquet(candidate.path.absolute(), glob=False, hive_partitioning=False)


def _completed(rows: pl.LazyFrame, columns: tuple[Column, ...], stored: pl.Schema) -> pl.LazyFrame:
    return rows.with_columns(
        pl.lit(None, dtype=made.type).alias(made.name) for made in columns if made.name not in stored
    )


def _placed(rows: pl.LazyFrame, columns: tuple[Column, ...]) -> pl.LazyFrame:
    """The columns under their places, so that no name of a field can be one of ours."""
    return rows.select(column(made.name).alias(f"{place}") for place, made in enumerate(columns))


def _values(contract: Contract, columns: tuple[Column, ...]) -> Iterator[_Value]:
    for place, made in enumerate(columns):
        if made.name not in contract.key:
            yield _Value(place, made.label, made.label != UNDECLARED and _is_told(contract, made))


def _is_told(contract: Contract, made: Column) -> bool:
    field = contract.field(made.name)
    is_number = field.type.family in (Family.INTEGER, Family.NUMBER) and made.type.is_numeric()
    return is_number and field.classification not in ("confidential", "restricted")


def _counts(sides: _Sides, contract: Contract) -> dict[str, int]:
    sizes = [_size(sides.before, sides.by, _BEFORE), _size(sides.after, sides.by, _AFTER)]
    found = pl.concat(sizes, how="horizontal").collect(engine="streaming").row(0, named=True)
    rows = {"rows_before": int(found[_BEFORE]), "rows_after": int(found[_AFTER])}
    if contract.publication.mode == "upsert" and not rows["rows_before"]:
        return {}
    if not sides.key:
        return rows
    if not found[_REPEATED + _BEFORE] and not found[_REPEATED + _AFTER]:
        return rows | _changes(sides)
    repeated = (
        pl.concat([_repeated(sides.before, sides.by), _repeated(sides.after, sides.by)]).unique().collect().lazy()
    )
    once = replace(
        sides, before=_without(sides.before, repeated, sides.by), after=_without(sides.after, repeated, sides.by)
    )
    return rows | _changes(once) | {"keys_repeated": int(repeated.select(pl.len()).collect().item())}


def _size(rows: pl.LazyFrame, by: list[str], name: str) -> pl.LazyFrame:
    """How many rows there are, and how many keys stand more than once."""
    if not by:
        return rows.select(pl.len().alias(name), pl.lit(0).alias(_REPEATED + name))
    size = pl.col("size")
    return rows.group_by(by).len("size").select(size.sum().alias(name), (size > 1).sum().alias(_REPEATED + name))


def _repeated(rows: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
    return rows.group_by(by).len("size").filter(pl.col("size") > 1).select(by)


def _without(rows: pl.LazyFrame, repeated: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
    """The rows whose key stands once on either side: of others nobody knows which row took the place of which."""
    return rows.join(repeated, on=by, how="anti", nulls_equal=True)


def _changes(sides: _Sides) -> dict[str, int]:
    """The counts of keys from one join of both sides."""
    sent, taken = (_side(rows, sides, name) for rows, name in ((sides.before, _BEFORE), (sides.after, _AFTER)))
    both = sent.join(taken, on=sides.by, how="full", coalesce=True, nulls_equal=True)
    changed = {f"changed{value.place}": value.has_changed for value in sides.values}
    is_restated = pl.any_horizontal(pl.lit(value=False), *(pl.col(name) for name in changed))
    found = (
        both.with_columns(**changed)
        .select(
            pl.col(_BEFORE).is_null().sum().alias("keys_added"),
            pl.col(_AFTER).is_null().sum().alias("keys_removed"),
            is_restated.sum().alias("keys_restated"),
            *(
                pl.col(place).filter(is_restated).n_unique().alias(f"touched:{name}")
                for place, name in sides.key.items()
            ),
            *_by_label(sides.values),
            *(measure for value in sides.values if value.is_told for measure in _moved(value)),
        )
        .collect(engine="streaming")
        .row(0, named=True)
    )
    return dict(_told(found, sides))


def _side(rows: pl.LazyFrame, sides: _Sides, name: str) -> pl.LazyFrame:
    values = [pl.col(f"{value.place}").alias(f"{name}{value.place}") for value in sides.values]
    return rows.select(*sides.by, *values, pl.lit(value=True).alias(name))


def _on_both_sides() -> pl.Expr:
    return pl.col(_BEFORE).is_not_null() & pl.col(_AFTER).is_not_null()


def _by_label(values: tuple[_Value, ...]) -> Iterator[pl.Expr]:
    """For each field how many keys have another value; undeclared ones are one field, since their names came with the data."""
    for label in dict.fromkeys(value.label for value in values):
        own = [pl.col(f"changed{value.place}") for value in values if value.label == label]
        yield pl.any_horizontal(own).sum().alias(_FIELD + label)


def _moved(value: _Value) -> Iterator[pl.Expr]:
    """How many numbers became others, by how much in all, and how much they all are."""
    before, after = (pl.col(f"{name}{value.place}").cast(pl.Float64) for name in (_BEFORE, _AFTER))
    difference = (after - before).abs()
    is_known = difference.is_finite() & _on_both_sides()
    yield (is_known & (difference > 0)).sum().alias(f"moved{value.place}")
    yield difference.filter(is_known).sum().alias(f"by{value.place}")
    yield before.filter(is_known).abs().sum().alias(f"of{value.place}")


def _told(found: Mapping[str, Any], sides: _Sides) -> Iterator[tuple[str, int]]:
    """What stands in the ledger: whole numbers, and of fields and keys only what is not nothing."""
    for name in ("keys_added", "keys_removed", "keys_restated"):
        yield name, int(found[name])
    fields = dict.fromkeys(_FIELD + value.label for value in sides.values)
    touched = [f"touched:{name}" for name in sides.key.values()] if len(sides.key) > 1 else []
    for name in (*fields, *touched):
        if found["keys_restated"] and found[name]:
            yield name, int(found[name])
    for value in sides.values:
        if value.is_told and found[f"moved{value.place}"] >= ENOUGH_KEYS:
            by, whole = float(found[f"by{value.place}"]), float(found[f"of{value.place}"])
            if whole > 0 and isfinite(share := by / whole * _MILLION):
                yield f"relative_change_ppm:{value.label}", min(round(share), MOST_PPM)
