"""The aggregates of a group rule → Polars: what is prepared in each row, added up in each group, and read off afterwards.

Sums of whole numbers and decimals are exact, and unknown where Int128 could not hold them. An aggregate leaves out what is
null, as in SQL; where a value is unknown because of NaN, whatever is calculated from it is unknown too, counts apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from contract_core.contract.group_sql import Aggregate
from contract_core.validation.exact_numbers import INT128_SAFE, Number
from contract_core.validation.expression_terms import Term, Value, as_number, typed
from contract_core.validation.expressions import compile_expression, compile_value

_MOST_ROWS = 2**40
"""More rows than any candidate has: so many addends of a bounded size are never too much for Int128."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """The names of its columns: the values of each row, and of each group how many differ and how many are null."""

    values: str
    several: str
    nulls: str


@dataclass(frozen=True, slots=True)
class Aggregated:
    """One aggregate in three steps: columns of each row, columns of each group, and its own column made of those.

    `name` is that of its own column, and `term` what it is to the condition around it. `distinct` is where it holds the values
    of a group that differ.
    """

    name: str
    of_row: Mapping[str, pl.Expr]
    of_group: Mapping[str, pl.Expr]
    outcome: pl.Expr
    term: Term
    distinct: Distinct | None = None


@dataclass(slots=True)
class _Steps:
    """The first two steps while they are put together, under the name of their aggregate."""

    name: str
    of_row: dict[str, pl.Expr] = field(default_factory=dict)
    of_group: dict[str, pl.Expr] = field(default_factory=dict)
    distinct: Distinct | None = None

    def prepare(self, what: str, expr: pl.Expr) -> pl.Expr:
        """The column of each row that holds `expr`."""
        self.of_row[f"{self.name}.{what}"] = expr
        return pl.col(f"{self.name}.{what}")

    def collect(self, what: str, expr: pl.Expr) -> pl.Expr:
        """The column of each group that holds `expr`, which is one aggregate and nothing around it: such as streams."""
        self.of_group[f"{self.name}.{what}"] = expr
        return pl.col(f"{self.name}.{what}")


def aggregated(name: str, aggregate: Aggregate, types: Mapping[str, pl.DataType]) -> Aggregated:
    """The aggregate under this name; RowSqlError where its value or condition does not fit the types."""
    steps = _Steps(name)
    where = None if aggregate.where is None else compile_expression(aggregate.where, types).fill_null(value=False)
    if aggregate.value is None:
        counted = pl.len() if where is None else steps.prepare("where", where).sum()
        outcome, term = _count(steps.collect("count", counted), name)
    else:
        value = compile_value(aggregate.value, types)
        spoiled = _spoiled(aggregate, value, types)
        if where is not None:
            spoiled = spoiled & where if spoiled is not None else None
        if spoiled is not None:
            spoiled = steps.collect("nan", steps.prepare("nan", spoiled).max()).fill_null(value=False)
        outcome, term = _of_value(steps, aggregate.kind, value, where)
        outcome = outcome if spoiled is None else _unless(spoiled, aggregate.kind, outcome)
    return Aggregated(name, steps.of_row, steps.of_group, outcome, term, steps.distinct)


def _of_value(steps: _Steps, kind: str, value: Term, where: pl.Expr | None) -> tuple[pl.Expr, Term]:
    match kind:
        case "count":
            is_there = value.expr.is_not_null() if where is None else value.expr.is_not_null() & where
            return _count(steps.collect("count", steps.prepare("there", is_there).sum()), steps.name)
        case "distinct":
            return _distinct(steps, value, where)
        case "sum" | "avg":
            return _sum(steps, as_number(value), where, is_mean=kind == "avg")
        case "min" | "max":
            return _extreme(steps, kind, value, where)
        case _:
            flags = _prepared(steps, typed(value, "boolean"), where)
            flag = steps.collect("flag", flags.min() if kind == "all" else flags.max())
            return flag, Value(pl.col(steps.name), "boolean")


def _prepared(steps: _Steps, expr: pl.Expr, where: pl.Expr | None) -> pl.Expr:
    return steps.prepare("value", expr if where is None else pl.when(where).then(expr))


def _count(expr: pl.Expr, name: str) -> tuple[pl.Expr, Term]:
    return expr.cast(pl.Int64), Number(pl.col(name), 0, _MOST_ROWS)


def _distinct(steps: _Steps, value: Term, where: pl.Expr | None) -> tuple[pl.Expr, Term]:
    is_float = isinstance(value, Number) and value.scale is None
    values = _prepared(steps, value.expr + 0.0 if is_float else value.expr, where)  # + 0.0: -0.0 is 0
    several = steps.collect("several", values.n_unique())
    nulls = steps.collect("nulls", values.null_count())
    steps.distinct = Distinct(*(f"{steps.name}.{what}" for what in ("value", "several", "nulls")))
    return _count(several.cast(pl.Int64) - (nulls > 0).cast(pl.Int64), steps.name)


def _sum(steps: _Steps, number: Number, where: pl.Expr | None, *, is_mean: bool) -> tuple[pl.Expr, Term]:
    values = _prepared(steps, number.expr if number.scale is None else number.expr.cast(pl.Int128), where)
    total = steps.collect("sum", values.sum())
    count = steps.collect("count", values.count())
    known = count > 0
    if number.scale is not None and number.bound * _MOST_ROWS > INT128_SAFE:
        size = steps.collect("size", steps.prepare("size", _size(number, where)).sum())
        known &= size < float(INT128_SAFE)
    if is_mean:
        mean = total.cast(pl.Float64) / (count.cast(pl.Float64) * float(10 ** (number.scale or 0)))
        return pl.when(known).then(mean).fill_nan(None), Number(pl.col(steps.name), None)
    outcome = pl.when(known).then(total)
    if number.scale is None:
        return outcome.fill_nan(None), Number(pl.col(steps.name), None)
    bound = min(max(number.bound, 1) * _MOST_ROWS, INT128_SAFE)
    return outcome, Number(pl.col(steps.name), number.scale, bound, is_wide=True)


def _size(number: Number, where: pl.Expr | None) -> pl.Expr:
    """About how large each addend is, to see ahead whether the sum can be held."""
    size = number.expr.cast(pl.Float64).abs()
    return size if where is None else pl.when(where).then(size)


def _extreme(steps: _Steps, kind: str, value: Term, where: pl.Expr | None) -> tuple[pl.Expr, Term]:
    if isinstance(value, Value) and value.family == "null":
        return pl.lit(None), Value(pl.col(steps.name), "null")
    values = _prepared(steps, value.expr, where)
    outcome = steps.collect(kind, values.min() if kind == "min" else values.max())
    if isinstance(value, Number):
        return outcome, Number(pl.col(steps.name), value.scale, value.bound, value.is_wide)
    return outcome, Value(pl.col(steps.name), value.family, dtype=value.dtype)


def _spoiled(aggregate: Aggregate, value: Term, types: Mapping[str, pl.DataType]) -> pl.Expr | None:
    """True where a row has no value to aggregate because of NaN; None where that cannot be."""
    if aggregate.value is None or aggregate.kind in ("count", "distinct"):
        return None
    floats = [name for name in aggregate.value.columns if types[name].is_float()]
    if not floats:
        return None
    return value.expr.is_null() & pl.any_horizontal(pl.col(name).is_nan().fill_null(value=False) for name in floats)


def _unless(spoiled: pl.Expr, kind: str, outcome: pl.Expr) -> pl.Expr:
    """Unknown where NaN was met, unless one false value settles BOOL_AND, or one true value BOOL_OR."""
    if kind == "all":
        return pl.when(spoiled & outcome.fill_null(value=True)).then(None).otherwise(outcome)
    if kind == "any":
        return pl.when(spoiled & ~outcome.fill_null(value=False)).then(None).otherwise(outcome)
    return pl.when(~spoiled).then(outcome)
