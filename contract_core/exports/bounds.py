"""Bounds in the terms of a field's type: whole numbers, floats, and moments counted in the smallest steps of their unit.

They are rounded as the gate rounds them, so that a format judges the values at a bound alike.
"""

import struct
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, copysign, floor, inf, isinf
from sys import float_info
from zoneinfo import ZoneInfo

from contract_core.contract.logical_type import LogicalType
from contract_core.contract.model import Contract, Field
from contract_core.contract.scalars import Scalar

STEPS_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_LARGEST = {32: (2 - 2**-23) * 2.0**127, 64: float_info.max}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Span = tuple[int | None, int | None]


def whole_span(field: Field, scale: int = 0) -> Span:
    """The bounds of whole numbers, or of decimals counted in steps of their last digit: the nearest ones inside."""
    low, high = field.min, field.max
    factor = 10**scale
    return (
        None if low is None else ceil(Fraction(Decimal(str(low))) * factor),
        None if high is None else floor(Fraction(Decimal(str(high))) * factor),
    )


def type_span(promised: LogicalType, contract: Contract) -> tuple[int, int]:
    """The whole numbers that a type holds; those of a family as it is decoded, or of all its types where nothing is decoded."""
    if promised.bits is not None:
        half = 2 ** (promised.bits - 1)
        return (-half, half - 1) if promised.signed else (0, 2 * half - 1)
    return -(2**63), (2**63 if contract.delivery.format.is_text else 2**64) - 1


def float_span(field: Field) -> tuple[float | None, float | None]:
    """The bounds as floats of the field's width; one beyond all its finite numbers still keeps the infinite one out."""
    bits = field.type.bits or 64
    return _float(field.min, bits, -inf), _float(field.max, bits, inf)


def widest_float_span(field: Field, contract: Contract) -> tuple[float | None, float | None]:
    """The same where the width is the delivery's to choose: what a value of either width may be."""
    low, high = float_span(field)
    if field.type.is_exact or contract.delivery.format.is_text:
        return low, high
    singles = [bound if bound is None or isinf(nearest(bound, 32)) else nearest(bound, 32) for bound in (low, high)]
    return (
        None if low is None or singles[0] is None else min(low, singles[0]),
        None if high is None or singles[1] is None else max(high, singles[1]),
    )


def nearest(number: float, bits: int) -> float:
    """The float of that width next to a number."""
    if bits == 64 or isinf(number):
        return number
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return copysign(inf, number)


def moment_span(field: Field, unit: str = "us") -> Span:
    """The bounds of a timestamp in steps since 1970, both included; a day as upper bound reaches through its end."""
    zone, steps = field.type.timezone, STEPS_PER_SECOND[unit]
    low, high = field.min, field.max
    first = None if low is None else ceil(_micros(low, zone, is_low=True) * Fraction(steps, 10**6))
    if high is None:
        return first, None
    micros = _micros(high, zone, is_low=False)
    if isinstance(high, datetime):
        return first, floor(micros * Fraction(steps, 10**6))
    return first, ceil((micros + 1) * Fraction(steps, 10**6)) - 1


def moment_at(micros: int, promised: LogicalType) -> datetime:
    """The moment that many microseconds after 1970: in UTC, or without a zone where the type has none."""
    moment = _EPOCH + timedelta(microseconds=micros)
    return moment if promised.timezone else moment.replace(tzinfo=None)


def _float(bound: Scalar | None, bits: int, without_end: float) -> float | None:
    if bound is None:
        return None
    number = nearest(float(str(bound)), bits)
    return copysign(_LARGEST[bits], without_end) if number == without_end else number


def _micros(bound: date, zone: str | None, *, is_low: bool) -> int:
    """Where clocks show a moment twice, a lower bound is the first and an upper bound the second of them."""
    moment = bound if isinstance(bound, datetime) else datetime.combine(bound, time() if is_low else time.max)
    if zone is None:
        moment = moment.replace(tzinfo=UTC)
    elif moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(zone), fold=0 if is_low else 1)
    return (moment - _EPOCH) // timedelta(microseconds=1)
