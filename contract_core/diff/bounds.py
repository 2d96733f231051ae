"""Which of two bounds lets more through; by the values that they accept and not by how they are written."""

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from contract_core.contract.logical_type import Family

_INCOMPARABLE = 1


def compared(old: object, new: object, family: Family, *, is_lower: bool) -> int:
    """1 where the new bound is higher, -1 where it is lower, 0 where both accept the same values; no bound is beyond all others.

    Bounds of different kinds do not compare: the new one counts as the tighter one.
    """
    tighter = _INCOMPARABLE if is_lower else -_INCOMPARABLE
    if old is None or new is None:
        return 0 if old is new else tighter if old is None else -tighter
    left, right = (_placed(bound, family, is_lower=is_lower) for bound in (old, new))
    try:
        return int(right > left) - int(right < left)
    except TypeError:
        return tighter


def _placed(bound: Any, family: Family, *, is_lower: bool) -> Any:  # noqa: ANN401 - a bound is whatever its field holds
    match bound:
        case datetime():
            return bound if bound.tzinfo is not None else bound.replace(tzinfo=UTC)
        case date() if family is Family.TIMESTAMP:  # as an upper bound a day means through its end
            begin = datetime.combine(bound, time(), UTC)
            return begin if is_lower else begin + timedelta(days=1, microseconds=-1)
        case Decimal() if family is Family.INTEGER:
            return math.ceil(bound) if is_lower else math.floor(bound)
    return bound
