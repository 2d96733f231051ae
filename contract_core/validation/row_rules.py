"""One case per row obligation: the expression that is true where a row keeps it.

An expression is never null. A null value keeps every rule but `NotNull`; a value that did not decode breaks `HasType` and
is left alone by the rules after it.
"""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import ceil, floor
from typing import assert_never

import polars as pl

from contract_core.contract.field_rules import whole_value
from contract_core.contract.scalars import Scalar
from contract_core.validation.expressions import compile_expression
from contract_core.validation.promise_kinds import (
    Between,
    Finite,
    HasType,
    Holds,
    LengthBetween,
    Matches,
    NotBlank,
    NotNull,
    OneOf,
    RowPromise,
    Trimmed,
)
from contract_core.validation.schema_match import ABSENT, RAW, Columns

_WHITE_SPACE = {"space": " ", "ascii": " \t\n\v\f\r", "unicode": None}
_INT64 = range(-(2**63), 2**63)


def kept(promise: RowPromise, columns: Columns) -> pl.Expr:  # noqa: C901 - a table, one case a rule
    """True for each row that keeps the promise; every column it names is there and of the promised type."""
    match promise:
        case HasType(column):
            return ~undecoded(column, columns)
        case NotNull(column):
            return pl.col(column).is_not_null() | undecoded(column, columns) | absent(column, columns)
        case Finite(column):
            return _or_null(pl.col(column).is_finite())
        case OneOf(column, values):
            return _or_null(_one_of(column, values, columns))
        case Matches(column, pattern):
            return _or_null(_text(column, columns).str.contains(whole_value(pattern)))
        case Between(column):
            return _or_null(_between(promise, columns.types[column]))
        case LengthBetween(column, shortest, longest):
            length = _text(column, columns).str.len_chars()
            return _or_null(
                _within(
                    length, None if shortest is None else pl.lit(shortest), None if longest is None else pl.lit(longest)
                )
            )
        case NotBlank(column, white_space):
            return _or_null(_text(column, columns).str.strip_chars(_WHITE_SPACE[white_space]) != "")
        case Trimmed(column):
            return _or_null(_text(column, columns) == _text(column, columns).str.strip_chars())
        case Holds(_, condition, keeps_unknown):
            return _holds(
                compile_expression(condition, columns.types), condition.columns, columns, keeps_unknown=keeps_unknown
            )
        case _:
            assert_never(promise)


def undecoded(column: str, columns: Columns) -> pl.Expr:
    """True for each row whose text in this column did not decode."""
    return pl.col(RAW + column).is_not_null() if columns.has(RAW + column) else pl.lit(value=False)


def absent(column: str, columns: Columns) -> pl.Expr:
    """True for each row whose record has no such field at all."""
    return pl.col(ABSENT + column) if columns.has(ABSENT + column) else pl.lit(value=False)


def _or_null(expression: pl.Expr) -> pl.Expr:
    return expression.fill_null(value=True)


def _holds(condition: pl.Expr, used: tuple[str, ...], columns: Columns, *, keeps_unknown: bool) -> pl.Expr:
    judged_elsewhere = [undecoded(column, columns) for column in used if columns.has(RAW + column)]
    holds = condition.fill_null(value=keeps_unknown)
    return pl.any_horizontal(holds, *judged_elsewhere) if judged_elsewhere else holds


def _text(column: str, columns: Columns) -> pl.Expr:
    is_plain = columns.types[column] == pl.String
    return pl.col(column) if is_plain else pl.col(column).cast(pl.String)


def _one_of(column: str, values: tuple[Scalar, ...], columns: Columns) -> pl.Expr:
    found = columns.types[column]
    if isinstance(found, pl.String | pl.Categorical | pl.Enum):
        return _text(column, columns).is_in(pl.Series(values, dtype=pl.String).implode())
    if found.is_integer():
        return pl.col(column).cast(pl.Int128).is_in(pl.Series(values, dtype=pl.Int128).implode())
    if found.is_float():
        return pl.col(column).is_in(pl.Series([float(str(value)) for value in values], dtype=found).implode())
    if found.is_decimal():
        return pl.any_horizontal(*(pl.col(column) == pl.lit(Decimal(str(value))) for value in values))
    return pl.col(column).is_in(pl.Series(values, dtype=found).implode())


def _between(promise: Between, found: pl.DataType) -> pl.Expr:
    value = pl.col(promise.column)
    low = None if promise.low is None else _bound(promise.low, found, ceil, is_low=True)
    high = None if promise.high is None else _bound(promise.high, found, floor, is_low=False)
    if found.is_integer() and not all(_fits_int64(bound, found) for bound in (promise.low, promise.high)):
        value = value.cast(pl.Int128)
    inside = _within(value, low, high)
    if isinstance(found, pl.Datetime) and type(promise.high) is date and high is not None:
        inside = _within(value, low, None) & (value < high)
    if found.is_float():
        inside = (inside & value.is_not_nan()) if promise.judges_nan else (inside | value.is_nan())
    return inside


def _within(value: pl.Expr, low: pl.Expr | None, high: pl.Expr | None) -> pl.Expr:
    if low is not None and high is not None:
        return value.is_between(low, high)
    if low is not None:
        return value >= low
    return value <= high if high is not None else pl.lit(value=True)


def _fits_int64(bound: Scalar | None, found: pl.DataType) -> bool:
    return found != pl.UInt64 and (
        not isinstance(bound, int | Decimal) or (floor(bound) in _INT64 and ceil(bound) in _INT64)
    )


def _bound(bound: Scalar, found: pl.DataType, whole: Callable[[Decimal], int], *, is_low: bool) -> pl.Expr:
    """A bound in the column's own type; a fraction on a whole-number column becomes the nearest whole number inside."""
    if found.is_integer():
        number = whole(Decimal(str(bound)))
        return pl.lit(number, dtype=pl.Int64 if number in _INT64 and found != pl.UInt64 else pl.Int128)
    if found.is_float():
        return pl.lit(float(str(bound)), dtype=found)
    if found.is_decimal():
        return pl.lit(Decimal(str(bound)))
    if isinstance(found, pl.Datetime):
        return _moment(bound, found, is_low=is_low)
    return pl.lit(bound)


def _moment(bound: Scalar, found: pl.Datetime, *, is_low: bool) -> pl.Expr:
    """A day as a lower bound is its first moment; as an upper bound, the first moment after it."""
    moment = bound
    if not isinstance(bound, datetime) and isinstance(bound, date):
        moment = datetime.combine(bound if is_low else bound + timedelta(days=1), time())
    literal = pl.lit(moment)
    return (
        literal.dt.replace_time_zone(found.time_zone)
        if isinstance(moment, datetime) and moment.tzinfo is None
        else literal
    )
