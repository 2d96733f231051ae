"""The profile of a candidate: the aggregates that its contract's monitors ask for, in one row of the query that asks the rest.

Nothing of a field is kept behind which too few values stand. Shares are told by the place of a value in the contract's list.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from contract_core.candidate.columns import column
from contract_core.validation.measured import Measured
from contract_core.validation.monitors import LEAST_VALUES, enum_digest
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import QUANTILES, Measure, OneOf, Steady
from contract_core.validation.row_rules import kept, undecoded
from contract_core.validation.schema_match import Columns

MEASURES = "measures"
_ROWS = "rows"
_DIGITS = 12
"""So many digits are kept: the last ones of a sum depend on the order in which it was added up."""


def measuring(obligations: Iterable[Obligation], rows: pl.LazyFrame, columns: Columns) -> list[pl.LazyFrame]:
    """The query for all that is measured; none where the contract has no monitor that can be asked."""
    return _query(obligations, rows, lambda steady: (*_measures(steady, columns), *_held(steady, columns)))


def measuring_what_streams(
    obligations: Iterable[Obligation], rows: pl.LazyFrame, columns: Columns
) -> list[pl.LazyFrame]:
    """The query for what is measured as the rows stream by: all but what holds the values of a column."""
    return _query(obligations, rows, lambda steady: _measures(steady, columns))


def _query(
    obligations: Iterable[Obligation],
    rows: pl.LazyFrame,
    measures_of: Callable[[Steady], Iterable[tuple[str, pl.Expr]]],
) -> list[pl.LazyFrame]:
    asked = asked_measures(obligations)
    if not asked:
        return []
    measures = [pl.len().alias(_ROWS)]
    for place, steady in enumerate(asked):
        measures += [measure.alias(measure_name(place, name)) for name, measure in measures_of(steady)]
    return [rows.select(measures).select(pl.struct(pl.all()).alias(MEASURES))]


def measured(obligations: Iterable[Obligation], found: Mapping[str, Any]) -> Measured:
    """What the query found, as it is compared and kept."""
    profile: dict[str, dict[str, Any]] = {}
    rows = found.get(_ROWS, 0)
    for place, steady in enumerate(asked_measures(obligations)):
        if steady.column is not None:
            prefix = measure_name(place, "")
            own = {name.removeprefix(prefix): value for name, value in found.items() if name.startswith(prefix)}
            profile.setdefault(steady.column, {}).update(_kept(steady, own, rows))
    return Measured(rows, {name: kept for name, kept in profile.items() if kept})


def asked_measures(obligations: Iterable[Obligation]) -> list[Steady]:
    """What is measured, by place."""
    return [item.promise for item in obligations if isinstance(item.promise, Steady)]


def measure_name(place: int, name: str) -> str:
    """The name of a number that the measure at a place is made of."""
    return f"{place} {name}"


def _measures(steady: Steady, columns: Columns) -> Iterator[tuple[str, pl.Expr]]:
    """The numbers that one measure is made of and that can be told as the rows stream by, and how many values stand behind them."""
    name = steady.column
    if name is None:
        return
    value = column(name)
    yield "values", value.count()
    match steady.measure:
        case Measure.NULL_RATE:
            yield "nulls", (value.is_null() & ~undecoded(name, columns)).sum()
        case Measure.MEAN:
            yield "mean", number_of(name, columns).mean()
        case Measure.SHARES:
            for place, listed in enumerate(steady.values):
                yield f"share {place}", (kept(OneOf(name, (listed,)), columns) & value.is_not_null()).sum()


def _held(steady: Steady, columns: Columns) -> Iterator[tuple[str, pl.Expr]]:
    """The numbers that need all values of a column, or those that differ, at once."""
    name = steady.column
    if name is not None and steady.measure is Measure.DISTINCT:
        yield "distinct", distinct_values(column(name))
    if name is not None and steady.measure is Measure.QUANTILES:
        number = number_of(name, columns)
        yield from ((quantile_name(place), number.quantile(at, "linear")) for place, at in enumerate(QUANTILES))


def distinct_values(value: pl.Expr) -> pl.Expr:
    """How many values differ; null is none."""
    return value.drop_nulls().n_unique()


def quantile_name(place: int) -> str:
    """The name of the number that a quantile is."""
    return f"quantile {place}"


def number_of(name: str, columns: Columns) -> pl.Expr:
    """The value as a double; a duration in microseconds, whatever its own unit is."""
    value = column(name)
    is_duration = columns.types[name] == pl.Duration
    return (value.cast(pl.Duration("us")).to_physical() if is_duration else value).cast(pl.Float64)


def _kept(steady: Steady, found: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """What is kept of one measure: nothing where too few values stand behind it, or where it is no finite number."""
    if steady.measure is Measure.NULL_RATE:
        return {"null_rate": _rounded(found["nulls"] / rows)} if rows else {}
    values = found["values"]
    if values < LEAST_VALUES:
        return {}
    match steady.measure:
        case Measure.DISTINCT:
            return {"distinct": found["distinct"]}
        case Measure.MEAN:
            return {"mean": _rounded(found["mean"])} if math.isfinite(found["mean"]) else {}
        case Measure.QUANTILES:
            return _quantiles([found[quantile_name(place)] for place in range(len(QUANTILES))])
        case Measure.SHARES:
            counts = (found[f"share {place}"] for place in range(len(steady.values)))
            return {"shares": [_rounded(count / values) for count in counts], "enum": enum_digest(steady.values)}
        case _:
            return {}


def _quantiles(found: Sequence[float]) -> dict[str, Any]:
    return {"quantiles": [_rounded(number) for number in found]} if all(map(math.isfinite, found)) else {}


def _rounded(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")
