"""What monitors measure of more rows than are held at a time and what needs the values of a column: one column after the other.

Values that differ are counted in passes. For quantiles a column of numbers is sorted, at eight bytes a row.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from contract_core.candidate.columns import column
from contract_core.validation.obligations import Obligation
from contract_core.validation.profile import (
    MEASURES,
    asked_measures,
    distinct_values,
    measure_name,
    number_of,
    quantile_name,
)
from contract_core.validation.promise_kinds import QUANTILES, Measure
from contract_core.validation.schema_match import Columns
from contract_core.validation.shares import added_up, passes_over


def measured_in_passes(
    obligations: Iterable[Obligation], rows: pl.LazyFrame, columns: Columns, count: int
) -> dict[str, dict[str, Any]]:
    """The numbers that `measuring_what_streams` leaves out; `count` is about how many rows there are."""
    found: dict[str, Any] = {}
    for place, steady in enumerate(asked_measures(obligations)):
        name = steady.column
        if name is not None and steady.measure is Measure.DISTINCT:
            found[measure_name(place, "distinct")] = _distinct(rows, column(name), count)
        if name is not None and steady.measure is Measure.QUANTILES:
            numbers = _quantiles(rows.select(number_of(name, columns)))
            found |= {measure_name(place, one): number for one, number in numbers.items()}
    return {MEASURES: found} if found else {}


def _distinct(rows: pl.LazyFrame, value: pl.Expr, count: int) -> int:
    passes = passes_over(rows, count, [value])
    counts = added_up(lambda share: share.among(rows, [value]).select(distinct=distinct_values(value)), passes)
    return int(counts["distinct"])


def _quantiles(numbers: pl.LazyFrame) -> Mapping[str, float | None]:
    """All from one sorted column; they are asked of the sorted one just as of any other."""
    ordered = numbers.collect(engine="streaming").to_series().sort(in_place=True)
    return {quantile_name(place): ordered.quantile(at, "linear") for place, at in enumerate(QUANTILES)}
