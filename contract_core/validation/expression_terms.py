"""The values inside a row rule while it is compiled: columns and literals as Polars expressions of a known family.

Here two values of one family are brought to one representation, so that they can be compared or stand in one CASE.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TypeAlias

import polars as pl
from sqlglot import exp

from contract_core.contract.row_sql_language import literal_value
from contract_core.validation import exact_numbers
from contract_core.validation.exact_numbers import Number

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SCALES = {"ms": 3, "us": 6, "ns": 9}
_DTYPES: Mapping[str, pl.DataType] = {
    "string": pl.String(), "boolean": pl.Boolean(), "date": pl.Date(), "time": pl.Time(), "binary": pl.Binary(),
}  # fmt: skip
_FAMILIES: Mapping[type[pl.DataType], str] = {
    pl.String: "string", pl.Categorical: "string", pl.Enum: "string", pl.Boolean: "boolean", pl.Date: "date",
    pl.Datetime: "timestamp", pl.Time: "time", pl.Duration: "duration", pl.Binary: "binary", pl.List: "array",
    pl.Array: "array", pl.Null: "null",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """An expression that is no number; `dtype` where a family has several, `literal` for a written moment."""

    expr: pl.Expr
    family: str
    weight: int = 1
    dtype: pl.Datetime | pl.Duration | None = None
    literal: datetime | None = None


Term: TypeAlias = Number | Value
Schema: TypeAlias = Mapping[str, pl.DataType | Term]
"""What stands under each name: a column of that type, or a value that is compiled already."""


def families_of(names: Iterable[str], schema: Schema) -> dict[str, str]:
    """The family of each of these names that is there."""
    return {name: _family(schema[name]) for name in names if name in schema}


def _family(known: pl.DataType | Term) -> str:
    if isinstance(known, Number):
        return "integer" if known.scale == 0 else "number"
    return known.family if isinstance(known, Value) else family_of_type(known)


def family_of_type(dtype: pl.DataType) -> str:
    """The contract's family for a physical type."""
    if dtype.is_integer():
        return "integer"
    return "number" if dtype.is_numeric() else _FAMILIES.get(type(dtype), "object")


def column_term(name: str, dtype: pl.DataType) -> Term:
    """The column, with NaN as null and texts of every encoding as plain ones."""
    expr = pl.col(name)
    if dtype.is_numeric():
        return exact_numbers.column_number(expr, dtype)
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return Value(expr.cast(pl.String), "string")
    return Value(expr, family_of_type(dtype), dtype=dtype if isinstance(dtype, pl.Datetime | pl.Duration) else None)


def literal_term(node: exp.Expr) -> Term:
    """A literal under its own type."""
    value = literal_value(node)
    match value:
        case None:
            return Value(pl.lit(None), "null")
        case bool():
            return Value(pl.lit(value, dtype=pl.Boolean), "boolean")
        case str():
            return Value(pl.lit(value, dtype=pl.String), "string")
        case datetime():
            dtype = pl.Datetime("us", "UTC" if value.tzinfo else None)
            return Value(pl.lit(value, dtype=dtype), "timestamp", dtype=dtype, literal=value)
        case date():
            return Value(pl.lit(value, dtype=pl.Date), "date")
        case _:
            return exact_numbers.literal_number(value)


def as_number(term: Term) -> Number:
    """The number, or NULL where a number is meant."""
    return term if isinstance(term, Number) else exact_numbers.no_number()


def typed(term: Term, family: str) -> pl.Expr:
    """The expression; a NULL literal gets the type of the family that is meant."""
    is_null = isinstance(term, Value) and term.family == "null"
    return pl.lit(None, dtype=_DTYPES[family]) if is_null else term.expr


def moment(term: Term) -> Number:
    """A timestamp or a duration in seconds, exactly; a timestamp without time zone is taken as UTC."""
    if isinstance(term, Number) or term.dtype is None:
        return exact_numbers.no_number()
    if term.literal is not None:
        return exact_numbers.literal_number(seconds(term.literal))
    return Number(term.expr.to_physical(), _SCALES[term.dtype.time_unit], 2**63, weight=term.weight)


def seconds(value: datetime) -> Decimal:
    """Seconds since 1970, exactly."""
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return Decimal((aware - _EPOCH) // timedelta(microseconds=1)).scaleb(-6)


def comparable(terms: Sequence[Term]) -> list[Term]:
    """The same values, so that Polars compares them as their family is compared."""
    if any(isinstance(term, Value) and term.dtype is not None for term in terms):
        return list(exact_numbers.aligned([moment(term) for term in terms]))
    return common(terms)


def common(terms: Sequence[Term]) -> list[Term]:
    """The same values under one physical type."""
    if any(isinstance(term, Number) for term in terms):
        return list(exact_numbers.aligned([as_number(term) for term in terms]))
    values = [term for term in terms if isinstance(term, Value)]
    if any(value.dtype is not None for value in values):
        return list(_with_one_unit(values))
    family = next((value.family for value in values if value.family != "null"), "null")
    if family not in _DTYPES:
        return list(terms)
    return [replace(value, expr=typed(value, family), family=family) for value in values]


def combined(expr: pl.Expr, parts: Sequence[Term], weight: int) -> Term:
    """A term for `expr`, which gives one of the `parts`; they come from `common`."""
    first = parts[0]
    if isinstance(first, Number):
        bound = max(part.bound for part in parts if isinstance(part, Number))
        return Number(expr, first.scale, bound, first.is_wide, weight)
    return Value(expr, first.family, weight, first.dtype)


def _with_one_unit(values: Sequence[Value]) -> list[Value]:
    """Timestamps or durations in the finest of their units; where one has a time zone, all get the first of them."""
    dtypes = [value.dtype for value in values if value.dtype is not None]
    unit = max((dtype.time_unit for dtype in dtypes), key=lambda name: _SCALES[name])
    zone = next((dtype.time_zone for dtype in dtypes if isinstance(dtype, pl.Datetime) and dtype.time_zone), None)
    is_timestamp = isinstance(dtypes[0], pl.Datetime)
    target = pl.Datetime(unit, zone) if is_timestamp else pl.Duration(unit)
    return [replace(value, expr=_cast_moment(value, target), dtype=target, literal=None) for value in values]


def _cast_moment(value: Value, target: pl.Datetime | pl.Duration) -> pl.Expr:
    if value.dtype is None:
        return pl.lit(None, dtype=target)
    if isinstance(target, pl.Duration) or not isinstance(value.dtype, pl.Datetime):
        return value.expr.dt.cast_time_unit(target.time_unit)
    expr = value.expr if value.dtype.time_zone or not target.time_zone else value.expr.dt.replace_time_zone("UTC")
    expr = expr.dt.convert_time_zone(target.time_zone) if target.time_zone else expr
    return expr.dt.cast_time_unit(target.time_unit)
