"""The keys of the rows that are replaced beside those that take their place: counts from one join of both sides.

Of more rows than are held at a time one share of the keys is joined after the other, and the counts add up.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import polars as pl

from contract_core.candidate.columns import columns_of
from contract_core.validation.shares import Share, is_too_much, passes_for, passes_over, shares

ENOUGH_KEYS = 10
"""By how much a field changed is told where so many of its keys did: the change of a few would tell their values."""

MOST_PPM = 10**12
"""A millionfold; no larger change is told apart from it."""

_MILLION = 1_000_000
_BEFORE, _AFTER = "before", "after"
_DIFFERENT, _REPEATED, _FIELD, _TOUCHED, _KEYS_REPEATED = "keys ", "repeated ", "field:", "touched:", "keys_repeated"


@dataclass(frozen=True, slots=True)
class Value:
    """A published column that is no key, by its place in both sides; `is_told` where its relative change may be."""

    place: int
    label: str
    is_told: bool

    @property
    def has_changed(self) -> pl.Expr:
        """True for a key that is on both sides with another value; null is a value, NaN is NaN, and -0.0 is 0.0."""
        return pl.col(f"{_BEFORE}{self.place}").ne_missing(pl.col(f"{_AFTER}{self.place}")) & _on_both_sides()


@dataclass(frozen=True, slots=True)
class Sides:
    """The published rows that are replaced and those that take their place, the key's columns named by their places."""

    before: pl.LazyFrame
    after: pl.LazyFrame
    key: Mapping[str, str]
    values: tuple[Value, ...]

    @property
    def named(self) -> tuple[tuple[str, pl.LazyFrame], ...]:
        """Both by their names."""
        return (_BEFORE, self.before), (_AFTER, self.after)

    @property
    def by(self) -> list[str]:
        """The columns of the key."""
        return list(self.key)

    @property
    def parts(self) -> Mapping[str, str]:
        """The columns of a key of several, of which each is told how many of its values are touched."""
        return self.key if len(self.key) > 1 else {}

    def among(self, share: Share, names: Iterable[str]) -> "Sides":
        """A share of both sides by these columns."""
        by = columns_of(names)
        return replace(self, before=share.among(self.before, by), after=share.among(self.after, by))


@dataclass(slots=True)
class _Touched:
    """The values of a field of the key that restated keys have, as long as they can be held; `at_most` so many there are."""

    values: pl.Series | None = None
    at_most: int = 0

    def add(self, values: pl.Series | None) -> None:
        """Take in those of another share, if it has any."""
        if values is None or not values.len():
            return
        is_whole = self.values is not None or not self.at_most
        self.at_most += values.len()
        known = values if self.values is None else pl.concat([self.values, values]).unique()
        self.values = known if is_whole and not is_too_much(known.len()) else None


def key_counts(sides: Sides, held: int) -> dict[str, int]:
    """The rows of both sides, and what became of their keys; `held` is about how many rows the larger side has."""
    if not sides.key:
        return _rows(sides)
    passes = max(passes_over(rows, held, columns_of(sides.by)) for rows in (sides.before, sides.after))
    counts: Counter[str] = Counter()
    touched = {name: _Touched() for name in sides.parts}
    for share in shares(passes):
        found = _of_share(sides.among(share, sides.by))
        for name, of_all in touched.items():
            of_all.add(found.pop(_TOUCHED + name, None))
        counts.update(found)
    counts |= {_TOUCHED + name: _touched(of_all, sides, name, passes) for name, of_all in touched.items()}
    repeated = {_KEYS_REPEATED: counts[_KEYS_REPEATED]} if counts[_KEYS_REPEATED] else {}
    rows = {f"rows_{side}": counts[side] for side in (_BEFORE, _AFTER)}
    return rows | dict(_told(counts, sides)) | repeated


def _of_share(sides: Sides) -> dict[str, Any]:
    """The counts of one share, and the values of each field of the key that restated keys have."""
    sizes, repeated = _sizes(sides)
    found: dict[str, Any] = {name: sizes[name] for name in (_BEFORE, _AFTER)} | {_KEYS_REPEATED: repeated.height}
    if not sizes[_BEFORE]:
        return found | {"keys_added": sizes[_DIFFERENT + _AFTER] - repeated.height}
    return found | _changes(sides if repeated.is_empty() else _without(sides, repeated.lazy()))


def _touched(found: _Touched, sides: Sides, name: str, passes: int) -> int:
    """How many values of a field of the key are touched; where they are too many to be held, counted by shares of them."""
    if found.values is not None or not found.at_most:
        return 0 if found.values is None else found.values.len()
    of_all = 0
    for part in shares(passes_for(found.at_most)):
        some = sides.among(part, [name])
        those = [_of_share(some.among(share, sides.by)).get(_TOUCHED + name) for share in shares(passes)]
        values = [each for each in those if each is not None]
        of_all += pl.concat(values).n_unique() if values else 0
    return of_all


def _rows(sides: Sides) -> dict[str, int]:
    lengths = [rows.select(pl.len().alias(f"rows_{side}")) for side, rows in sides.named]
    return pl.concat(lengths, how="horizontal").collect(engine="streaming").row(0, named=True)


def _sizes(sides: Sides) -> tuple[dict[str, int], pl.DataFrame]:
    """How many rows and keys either side has; and the keys that stand more than once on either."""
    sizes = [_size(rows, sides.by, side) for side, rows in sides.named]
    found = pl.concat(sizes, how="horizontal").collect(engine="streaming")
    repeated = [found.get_column(_REPEATED + side)[0] for side, _ in sides.named]
    return found.drop(pl.selectors.starts_with(_REPEATED)).row(0, named=True), pl.concat(
        repeated
    ).struct.unnest().unique()


def _size(rows: pl.LazyFrame, by: list[str], side: str) -> pl.LazyFrame:
    size = pl.col("size")
    repeated = pl.struct(by).filter(size > 1).implode().alias(_REPEATED + side)
    return rows.group_by(by).len("size").select(size.sum().alias(side), pl.len().alias(_DIFFERENT + side), repeated)


def _without(sides: Sides, repeated: pl.LazyFrame) -> Sides:
    """The rows whose key stands once on either side: of others nobody knows which row took the place of which."""
    before, after = (
        rows.join(repeated, on=sides.by, how="anti", nulls_equal=True) for rows in (sides.before, sides.after)
    )
    return replace(sides, before=before, after=after)


def _changes(sides: Sides) -> dict[str, Any]:
    """The counts of keys from one join of both sides, and of each field of the key the values that are touched."""
    sent, taken = (_side(rows, sides, name) for name, rows in sides.named)
    both = sent.join(taken, on=sides.by, how="full", coalesce=True, nulls_equal=True)
    changed = {f"changed{value.place}": value.has_changed for value in sides.values}
    is_restated = pl.any_horizontal(pl.lit(value=False), *(pl.col(name) for name in changed))
    found = (
        both.with_columns(**changed)
        .select(
            pl.col(_BEFORE).is_null().sum().alias("keys_added"),
            pl.col(_AFTER).is_null().sum().alias("keys_removed"),
            is_restated.sum().alias("keys_restated"),
            *(pl.col(name).filter(is_restated).unique().implode().alias(_TOUCHED + name) for name in sides.parts),
            *_by_label(sides.values),
            *(measure for value in sides.values if value.is_told for measure in _moved(value)),
        )
        .collect(engine="streaming")
    )
    touched = {_TOUCHED + name: found.get_column(_TOUCHED + name)[0] for name in sides.parts}
    return touched | found.drop(touched).row(0, named=True)


def _side(rows: pl.LazyFrame, sides: Sides, name: str) -> pl.LazyFrame:
    values = [pl.col(f"{value.place}").alias(f"{name}{value.place}") for value in sides.values]
    return rows.select(*sides.by, *values, pl.lit(value=True).alias(name))


def _on_both_sides() -> pl.Expr:
    return pl.col(_BEFORE).is_not_null() & pl.col(_AFTER).is_not_null()


def _by_label(values: tuple[Value, ...]) -> Iterator[pl.Expr]:
    """For each field how many keys have another value; undeclared ones are one field, since their names came with the data."""
    for label in dict.fromkeys(value.label for value in values):
        own = [pl.col(f"changed{value.place}") for value in values if value.label == label]
        yield pl.any_horizontal(own).sum().alias(_FIELD + label)


def _moved(value: Value) -> Iterator[pl.Expr]:
    """How many numbers became others, by how much in all, and how much they all are."""
    before, after = (pl.col(f"{name}{value.place}").cast(pl.Float64) for name in (_BEFORE, _AFTER))
    difference = (after - before).abs()
    is_known = difference.is_finite() & _on_both_sides()
    yield (is_known & (difference > 0)).sum().alias(f"moved{value.place}")
    yield difference.filter(is_known).sum().alias(f"by{value.place}")
    yield before.filter(is_known).abs().sum().alias(f"of{value.place}")


def _told(found: Mapping[str, Any], sides: Sides) -> Iterator[tuple[str, int]]:
    """What stands in the ledger: whole numbers, and of fields and keys only what is not nothing."""
    for name in ("keys_added", "keys_removed", "keys_restated"):
        yield name, int(found[name])
    names = {_FIELD + value.label: _FIELD + value.label for value in sides.values}
    names |= {_TOUCHED + place: _TOUCHED + name for place, name in sides.parts.items()}
    yield from ((name, int(found[place])) for place, name in names.items() if found[place])
    for value in sides.values:
        if value.is_told and found[f"moved{value.place}"] >= ENOUGH_KEYS:
            by, whole = float(found[f"by{value.place}"]), float(found[f"of{value.place}"])
            if whole > 0 and isfinite(share := by / whole * _MILLION):
                yield f"relative_change_ppm:{value.label}", min(round(share), MOST_PPM)
