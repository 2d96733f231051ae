"""One case per row obligation: the expression that is true where a row keeps it.

An expression is never null. A null value keeps every rule but `NotNull`; a value that did not decode breaks `HasType` and
is left alone by the rules after it.
"""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, copysign, floor, inf
from sys import float_info
from typing import assert_never
from zoneinfo import ZoneInfo

import polars as pl

from contract_core.candidate.columns import ABSENT, RAW, column
from contract_core.contract.field_rules import whole_value
from contract_core.contract.scalars import Scalar
from contract_core.validation.conditions import compile_condition
from contract_core.validation.exact_numbers import column_number, is_one_of
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
from contract_core.validation.schema_match import Columns

_WHITE_SPACE = {"space": " ", "ascii": " \t\n\v\f\r", "unicode": None}
_INT64, _INT128 = range(-(2**63), 2**63), range(-(2**127), 2**127)
_LARGEST: dict[pl.DataType, float] = {pl.Float32(): (2 - 2**-23) * 2.0**127, pl.Float64(): float_info.max}
_FEW = 8
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def kept(promise: RowPromise, columns: Columns) -> pl.Expr:  # noqa: C901 - a table, one case a rule
    """True for each row that keeps the promise; every column it names is there and of the promised type."""
    match promise:
        case HasType(name):
            return ~undecoded(name, columns)
        case NotNull(name):
            return column(name).is_not_null() | undecoded(name, columns) | absent(name, columns)
        case Finite(name):
            return _or_null(column(name).is_finite()) if columns.types[name].is_float() else pl.lit(value=True)
        case OneOf(name, values):
            return _or_null(_one_of(name, values, columns))
        case Matches(name, pattern):
            return _or_null(_text(name, columns).str.contains(whole_value(pattern)))
        case Between(name):
            return _or_null(_between(promise, columns.types[name]))
        case LengthBetween(name, shortest, longest):
            length = _text(name, columns).str.len_chars()
            return _or_null(
                _within(
                    length, None if shortest is None else pl.lit(shortest), None if longest is None else pl.lit(longest)
                )
            )
        case NotBlank(name, white_space):
            return _or_null(_text(name, columns).str.strip_chars(_WHITE_SPACE[white_space]) != "")
        case Trimmed(name):
            return _or_null(_text(name, columns) == _text(name, columns).str.strip_chars())
        case Holds(_, condition, keeps_unknown):
            return _holds(
                compile_condition(condition, columns.types), condition.columns, columns, keeps_unknown=keeps_unknown
            )
        case _:
            assert_never(promise)


def undecoded(name: str, columns: Columns) -> pl.Expr:
    """True for each row whose text in this column did not decode."""
    return column(RAW + name).is_not_null() if columns.has(RAW + name) else pl.lit(value=False)


def absent(name: str, columns: Columns) -> pl.Expr:
    """True for each row whose record has no such field at all."""
    return column(ABSENT + name) if columns.has(ABSENT + name) else pl.lit(value=False)


def _or_null(expression: pl.Expr) -> pl.Expr:
    return expression.fill_null(value=True)


def _holds(condition: pl.Expr, used: tuple[str, ...], columns: Columns, *, keeps_unknown: bool) -> pl.Expr:
    judged_elsewhere = [undecoded(name, columns) for name in used if columns.has(RAW + name)]
    holds = condition.fill_null(value=keeps_unknown)
    return pl.any_horizontal(holds, *judged_elsewhere) if judged_elsewhere else holds


def _text(name: str, columns: Columns) -> pl.Expr:
    is_plain = columns.types[name] == pl.String
    return column(name) if is_plain else column(name).cast(pl.String)


def _one_of(name: str, values: tuple[Scalar, ...], columns: Columns) -> pl.Expr:
    found = columns.types[name]
    if isinstance(found, pl.String | pl.Categorical | pl.Enum):
        return _one_text(_text(name, columns), values)
    if found.is_integer() or found.is_decimal():
        return is_one_of(column_number(column(name), found), [Decimal(str(value)) for value in values])
    if found.is_float():
        return column(name).is_in(pl.Series([float(str(value)) for value in values], dtype=found).implode())
    return column(name).is_in(pl.Series(values, dtype=found).implode())


def _one_text(text: pl.Expr, values: tuple[Scalar, ...]) -> pl.Expr:
    """A short list is compared one by one, which takes a third of the time (Polars 2.1)."""
    if len(values) <= _FEW:
        return pl.any_horizontal(text == pl.lit(value, pl.String) for value in values)
    return text.is_in(pl.Series(values, dtype=pl.String).implode())


def _between(promise: Between, found: pl.DataType) -> pl.Expr:
    value, low, high = column(promise.column), promise.low, promise.high
    if found == pl.Date:
        return _within(value, None if low is None else pl.lit(low), None if high is None else pl.lit(high))
    if found.is_float():
        inside = _within(value, _float(low, found, -inf), _float(high, found, inf))
        return (inside & value.is_not_nan()) if promise.judges_nan else (inside | value.is_nan())
    first = None if low is None else _steps(low, found, ceil, is_low=True)
    last = None if high is None else _steps(high, found, floor, is_low=False)
    is_narrow = (
        not found.is_decimal() and found != pl.UInt64 and all(step in _INT64 for step in (first or 0, last or 0))
    )
    steps = value.to_physical() if is_narrow else value.to_physical().cast(pl.Int128)
    bounds = (None if step is None else pl.lit(step, pl.Int64 if is_narrow else pl.Int128) for step in (first, last))
    return _within(steps, *bounds)


def _within(value: pl.Expr, low: pl.Expr | None, high: pl.Expr | None) -> pl.Expr:
    if low is not None and high is not None:
        return value.is_between(low, high)
    if low is not None:
        return value >= low
    return value <= high if high is not None else pl.lit(value=True)


def _float(bound: Scalar | None, found: pl.DataType, without_end: float) -> pl.Expr | None:
    """A bound in the column's own type; one beyond all its finite numbers still keeps the infinite one on that side out."""
    if bound is None:
        return None
    number = pl.Series([float(str(bound))]).cast(found).item()
    if number == without_end:
        number = copysign(_LARGEST[found], without_end)
    return pl.lit(number, dtype=found)


def _steps(bound: Scalar, found: pl.DataType, whole: Callable[[Fraction], int], *, is_low: bool) -> int:
    """A bound counted in the smallest steps of the column's type: the nearest one inside, as far as Int128 reaches."""
    if isinstance(found, pl.Datetime):
        exact = _microseconds(bound, found.time_zone, is_low=is_low) * Fraction(_PER_SECOND[found.time_unit], 10**6)
        if not is_low and not isinstance(bound, datetime):
            exact = Fraction(ceil(exact) - 1)
    else:
        exact = Fraction(Decimal(str(bound))) * 10 ** (found.scale if isinstance(found, pl.Decimal) else 0)
    return max(min(whole(exact), _INT128[-1]), _INT128[0])


def _microseconds(bound: Scalar, zone: str | None, *, is_low: bool) -> int:
    """A moment since 1970, by the clock on the wall where it has no zone. A day as upper bound gives the first one after it.

    Where clocks show a moment twice, a lower bound is the first and an upper bound the second of them.
    """
    moment = bound if isinstance(bound, datetime) else datetime.combine(bound, time() if is_low else time.max)  # type: ignore[arg-type]  # a day
    if zone is None:
        moment = moment.replace(tzinfo=UTC)
    elif moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(zone), fold=0 if is_low else 1)
    since = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return since if is_low or isinstance(bound, datetime) else since + 1
