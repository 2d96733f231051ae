"""From one type to another: which kind of change that is. A type is wider where each value of the narrower one has its place in it."""

from collections.abc import Callable, Mapping

from contract_core.contract.logical_type import Family, LogicalType
from contract_core.diff.kinds import ChangeKind

_EXACT_IN_FLOAT = {32: 24, 64: 53}
"""Up to how many bits a whole number is exact in a float."""
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 19}
_UNSIGNED_64_DIGITS = 20
_NESTED = (Family.OBJECT, Family.ARRAY)
_FINENESS = {"ms": 1, "us": 2, "ns": 3}


def type_change(old: LogicalType, new: LogicalType, *, is_identity: bool) -> ChangeKind | None:
    """The kind of change from one type to the other, None where they are the same.

    `is_identity` for a field whose numbers tell rows apart: as floats they would not, even where each has its place.
    """
    if old == new:
        return None
    if old.family is not new.family:
        return _between_families(old, new, is_identity=is_identity)
    if not (old.is_exact and new.is_exact):
        return _family_and_exact(old, new)
    return _WITHIN[old.family](old, new)


def _family_and_exact(old: LogicalType, new: LogicalType) -> ChangeKind:
    """A family takes all of its types, and text is decoded to one of them: float64, int64, a moment in microseconds without a zone."""
    exact = new if new.is_exact else old
    if exact.precision is not None:
        return ChangeKind.TYPE_DECIMAL_AND_FLOAT
    if exact.timezone is not None:
        return ChangeKind.TYPE_TIMEZONE_CHANGED
    if exact.unit == "ns":
        return ChangeKind.TYPE_CHANGED
    if not exact.signed and exact.bits == 64:
        return ChangeKind.TYPE_SIGN_CHANGED
    if exact is old:
        return ChangeKind.TYPE_OPENED
    is_float32 = new.family is Family.NUMBER and new.bits == 32
    return ChangeKind.TYPE_FLOAT_NARROWED if is_float32 else ChangeKind.TYPE_CLOSED


def _between_families(old: LogicalType, new: LogicalType, *, is_identity: bool) -> ChangeKind:
    families = {old.family, new.family}
    if families == {Family.INTEGER, Family.NUMBER}:
        return _integers_and_numbers(old, new, is_identity=is_identity)
    if families & set(_NESTED):
        return ChangeKind.TYPE_SCALAR_AND_NESTED
    table = {
        Family.STRING: ChangeKind.TYPE_STRING_AND_OTHER,
        Family.BOOLEAN: ChangeKind.TYPE_BOOLEAN_AND_INTEGER,
    }
    found = next((kind for family, kind in table.items() if family in families), None)
    if found is not None:
        return found
    return (
        ChangeKind.TYPE_DATE_AND_TIMESTAMP if families == {Family.DATE, Family.TIMESTAMP} else ChangeKind.TYPE_CHANGED
    )


def _integers_and_numbers(old: LogicalType, new: LogicalType, *, is_identity: bool) -> ChangeKind:
    if old.family is Family.NUMBER:
        return ChangeKind.TYPE_FLOAT_TO_INTEGER
    if new.precision is not None and new.scale is not None and old.bits is not None:
        digits = _DIGITS[old.bits] if old.signed or old.bits < 64 else _UNSIGNED_64_DIGITS
        return ChangeKind.TYPE_WIDENED if new.precision - new.scale >= digits else ChangeKind.TYPE_DECIMAL_SCALE_CHANGED
    is_exact = new.bits is not None and old.bits is not None and _value_bits(old) <= _EXACT_IN_FLOAT[new.bits]
    return ChangeKind.TYPE_WIDENED if is_exact and not is_identity else ChangeKind.TYPE_INTEGER_TO_FLOAT


def _value_bits(integer: LogicalType) -> int:
    assert integer.bits is not None, "an exact integer has a width"
    return integer.bits - integer.signed


def _integers(old: LogicalType, new: LogicalType) -> ChangeKind:
    if old.signed != new.signed:
        has_room = not old.signed and _value_bits(new) >= _value_bits(old)
        return ChangeKind.TYPE_WIDENED if has_room else ChangeKind.TYPE_SIGN_CHANGED
    return ChangeKind.TYPE_WIDENED if _value_bits(new) > _value_bits(old) else ChangeKind.TYPE_NARROWED


def _numbers(old: LogicalType, new: LogicalType) -> ChangeKind:
    if (old.precision is None) != (new.precision is None):
        return ChangeKind.TYPE_DECIMAL_AND_FLOAT
    if old.precision is None or new.precision is None:
        is_wider = (new.bits or 0) > (old.bits or 0)
        return ChangeKind.TYPE_FLOAT_WIDENED if is_wider else ChangeKind.TYPE_FLOAT_NARROWED
    if old.scale != new.scale:
        return ChangeKind.TYPE_DECIMAL_SCALE_CHANGED
    is_wider = new.precision > old.precision
    return ChangeKind.TYPE_DECIMAL_WIDENED if is_wider else ChangeKind.TYPE_DECIMAL_NARROWED


def _timestamps(old: LogicalType, new: LogicalType) -> ChangeKind:
    if old.timezone != new.timezone:
        return ChangeKind.TYPE_TIMEZONE_CHANGED
    assert old.unit is not None, "an exact timestamp has a unit"
    assert new.unit is not None, "an exact timestamp has a unit"
    is_finer = _FINENESS[new.unit] > _FINENESS[old.unit]
    if is_finer and new.unit == "ns":  # it ends in 1677 and 2262: not every moment has its place
        return ChangeKind.TYPE_CHANGED
    return ChangeKind.TYPE_TIME_UNIT_FINER if is_finer else ChangeKind.TYPE_TIME_UNIT_COARSER


_WITHIN: Mapping[Family, Callable[[LogicalType, LogicalType], ChangeKind]] = {
    Family.INTEGER: _integers,
    Family.NUMBER: _numbers,
    Family.TIMESTAMP: _timestamps,
}
