"""Field rules → SQL conditions on a value that is there, for the type that its published column has.

A published type may be wider than the delivered one, and a bound is rounded in the delivered one. Where that is not known, the
condition lets through what either would let through: the target never refuses what the gate accepted.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from math import copysign, inf
from sys import float_info
from typing import assert_never
from zoneinfo import ZoneInfo

import polars as pl
from sqlglot import exp

from contract_core.contract.field_rules import whole_value
from contract_core.contract.logical_type import LogicalType
from contract_core.contract.scalars import Scalar
from contract_core.validation import sql_atoms
from contract_core.validation.promise_kinds import Between, Finite, LengthBetween, Matches, NotBlank, OneOf, Trimmed
from contract_core.validation.sql_atoms import Comparison, NotCovered

FieldPromise = Finite | OneOf | Matches | Between | LengthBetween | NotBlank | Trimmed
_WHITE_SPACE: Mapping[str, str] = {
    "space": " ",
    "ascii": " \t\n\v\f\r",
    "unicode": "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000",
}
_LARGEST: Mapping[type[pl.DataType], float] = {pl.Float32: (2 - 2**-23) * 2.0**127, pl.Float64: float_info.max}


def keeps(promise: FieldPromise, promised: LogicalType, found: pl.DataType) -> exp.Expr:
    """True for each value that keeps the promise. Raises NotCovered where the target cannot judge it alike."""
    match promise:
        case Finite(name):
            return _finite(name, found)
        case OneOf(name, values):
            return sql_atoms.one_of(name, found, _listed(values, promised, found))
        case Matches(name, pattern):
            return sql_atoms.matches(_text(name, found), whole_value(pattern))
        case Between():
            return _between(promise, promised, found)
        case LengthBetween(name, shortest, longest):
            return _length(_text(name, found), shortest, longest)
        case NotBlank(name, white_space):
            return exp.NEQ(this=_stripped(_text(name, found), white_space), expression=sql_atoms.text(""))
        case Trimmed(name):
            return exp.EQ(this=_stripped(_text(name, found), "unicode"), expression=sql_atoms.column(name))
        case _:
            assert_never(promise)


def _text(name: str, found: pl.DataType) -> str:
    if not isinstance(found, pl.String):
        raise NotCovered(f"the published column is {found} and no text")
    return name


def _stripped(name: str, white_space: str) -> exp.Expr:
    return sql_atoms.call("btrim", sql_atoms.column(name), sql_atoms.text(_WHITE_SPACE[white_space]))


def _length(name: str, shortest: int | None, longest: int | None) -> exp.Expr:
    bounds: tuple[tuple[Comparison, int | None], ...] = ((exp.GTE, shortest), (exp.LTE, longest))
    return sql_atoms.all_of(
        [sql_atoms.length_compared(name, kind, bound) for kind, bound in bounds if bound is not None]
    )


def _finite(name: str, found: pl.DataType) -> exp.Expr:
    if not found.is_float():
        raise NotCovered(f"the published column is {found}, which holds neither NaN nor infinity")
    largest = _LARGEST[type(found)]
    bounds = [sql_atoms.compared(name, found, exp.GTE, -largest), sql_atoms.compared(name, found, exp.LTE, largest)]
    return sql_atoms.all_of([exp.not_(sql_atoms.is_nan(name)), *bounds])


def _listed(values: Sequence[Scalar], promised: LogicalType, found: pl.DataType) -> Sequence[Scalar | float]:
    if not found.is_float():
        return values
    doubles = [float(str(value)) for value in values]
    singles = [sql_atoms.nearest_single(value) for value in doubles]
    if found == pl.Float32:
        return singles
    return doubles if promised.is_exact else list(dict.fromkeys([*doubles, *singles]))


def _between(promise: Between, promised: LogicalType, found: pl.DataType) -> exp.Expr:
    name = promise.column
    sides: tuple[tuple[Comparison, Scalar | None], ...] = ((exp.GTE, promise.low), (exp.LTE, promise.high))
    bounds = [_bound(name, kind, bound, promised, found) for kind, bound in sides if bound is not None]
    inside = sql_atoms.all_of(bounds)
    if not found.is_float():
        return inside
    nan = sql_atoms.is_nan(name)
    return sql_atoms.all_of([exp.not_(nan), inside]) if promise.judges_nan else sql_atoms.any_of([nan, inside])


def _bound(name: str, kind: Comparison, bound: Scalar, promised: LogicalType, found: pl.DataType) -> exp.Expr:
    if isinstance(found, pl.Datetime):
        return sql_atoms.compared(name, found, kind, _moment(bound, promised, found, is_low=kind is exp.GTE))
    if found.is_float():
        return _float_bound(name, kind, float(str(bound)), promised, found)
    return sql_atoms.compared(name, found, kind, bound if isinstance(bound, date) else Decimal(str(bound)))


def _float_bound(name: str, kind: Comparison, bound: float, promised: LogicalType, found: pl.DataType) -> exp.Expr:
    """As the gate has it: a bound beyond all finite numbers still keeps infinity out.

    A family may have been delivered as Float32, whose nearest number to the bound can lie just outside of it.
    """
    single = sql_atoms.nearest_single(bound)
    if found == pl.Float32:
        return sql_atoms.compared(name, found, kind, single)
    without_end = -inf if kind is exp.GTE else inf
    if bound == without_end:
        bound = copysign(_LARGEST[pl.Float64], without_end)
    inside = sql_atoms.compared(name, found, kind, bound)
    is_outside = single < bound if kind is exp.GTE else single > bound
    if promised.is_exact or not is_outside:
        return inside
    return sql_atoms.any_of([inside, sql_atoms.compared(name, found, exp.EQ, single)])


def _moment(bound: Scalar, promised: LogicalType, found: pl.Datetime, *, is_low: bool) -> datetime:
    """A bound as a moment: a day means from its first to its last microsecond, by the clock of the promised zone."""
    assert isinstance(bound, date), "the contract's parser lets nothing else through"
    moment = bound if isinstance(bound, datetime) else datetime.combine(bound, time() if is_low else time.max)
    if found.time_zone is None or moment.tzinfo is not None:
        return moment
    if promised.timezone is None:
        raise NotCovered(
            "its bound is taken in the time zone of each delivery, which the published column no longer has"
        )
    return moment.replace(tzinfo=ZoneInfo(promised.timezone), fold=0 if is_low else 1)
