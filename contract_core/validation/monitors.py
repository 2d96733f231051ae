"""How far a measure moved from what was accepted before: a comparison of numbers, which knows neither rows nor tables.

The median and the deviation around it are robust: one day that was an outlier neither hides a collapse nor makes one.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf, isfinite
from statistics import median
from typing import Any

from contract_core.contract.scalars import Scalar
from contract_core.validation.measured import Measured
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import QUANTILES, Measure, Steady
from contract_core.validation.report import Finding, Outcome

LEAST_VALUES = 10
"""So many values must stand behind an aggregate, or it would tell of single ones."""
_TO_DEVIATION = 1.4826
"""The median absolute deviation of normal numbers, as a share of their standard deviation, the other way round."""
_ROUNDING = 1e-9
_MOST_TOLD = 10**12


@dataclass(frozen=True, slots=True)
class Movement:
    """How far one number moved: as a share of the median (or in points), and in robust standard deviations; either may be infinite."""

    change: float
    deviation: float


def movement(now: float, before: Sequence[float], *, is_share: bool) -> Movement:
    """The movement of a number from the median of those before; a difference in the last digits is none.

    From a median of 0 every change is infinite, and so is every deviation where the numbers before are all alike.
    """
    scale = max(abs(now), *(abs(number) for number in before))
    if not scale:
        return Movement(0.0, 0.0)
    scaled = [number / scale for number in before]  # no sum of two of them can overflow
    middle = median(scaled)
    distance = abs(now / scale - middle)
    if distance <= _ROUNDING:
        return Movement(0.0, 0.0)
    spread = _TO_DEVIATION * median(abs(number - middle) for number in scaled)
    change = distance * scale if is_share else distance / abs(middle) if middle else inf
    return Movement(change, distance / spread if spread else inf)


def is_too_far(moved: Movement, promise: Steady) -> bool:
    """True where a movement exceeds every limit that is stated."""
    deviation = promise.terms.max_deviation
    is_over = promise.limit is None or moved.change > float(promise.limit) + _ROUNDING
    return is_over and (deviation is None or moved.deviation > float(deviation) + _ROUNDING)


def steady_finding(obligation: Obligation, promise: Steady, now: Measured, earlier: Sequence[Measured]) -> Finding:
    """Breached by a measure that moved too far; kept, with the reason, where nothing can be compared yet."""
    numbers = numbers_of(now, promise)
    if numbers is None:
        return _kept(obligation, f"not compared: fewer than {LEAST_VALUES} values, or none that is finite", {})
    terms = promise.terms
    comparable = (item for item in earlier if terms.season is None or item.is_same_weekday)
    known = (found for item in comparable if (found := numbers_of(item, promise)) is not None)
    before = list(islice(known, terms.window))
    details = {"partitions": len(before)}
    if len(before) < terms.needed:
        return _kept(obligation, f"too little history: {len(before)} of {terms.needed}", details)
    moved = [
        movement(number, [past[place] for past in before], is_share=promise.measure.is_share)
        for place, number in enumerate(numbers)
    ]
    place = max(range(len(moved)), key=lambda index: _order(moved[index], promise))
    is_breached = is_too_far(moved[place], promise)
    outcome = Outcome.BREACHED if is_breached else Outcome.KEPT
    return Finding(obligation, outcome, int(is_breached), details=details | _told(moved[place], place))


def _order(moved: Movement, promise: Steady) -> tuple[bool, float]:
    """What is told of several numbers: one that is too far before all others, then what moved furthest."""
    return is_too_far(moved, promise), moved.deviation if promise.limit is None else moved.change


def _kept(obligation: Obligation, reason: str, details: Mapping[str, int]) -> Finding:
    return Finding(obligation, Outcome.KEPT, reason=reason, details=details)


def _told(moved: Movement, place: int) -> dict[str, int]:
    """A movement as whole numbers, in hundredths; what is infinite has none."""
    shares = {"moved_basis_points": moved.change * 10_000, "deviation_hundredths": moved.deviation * 100}
    return {"place": place} | {name: min(round(size), _MOST_TOLD) for name, size in shares.items() if isfinite(size)}


def numbers_of(measured: Measured, promise: Steady) -> tuple[float, ...] | None:
    """The numbers that a promise is about: one, five quantiles, or a share for each value; None where they are not known."""
    if promise.measure is Measure.ROWS:
        return (float(measured.rows),)
    found = measured.profile.get(promise.column or "", {})
    given = found.get(promise.measure)
    numbers = tuple(given) if isinstance(given, list | tuple) else (given,)
    if not all(_is_finite(number) for number in numbers):
        return None
    if promise.measure is Measure.SHARES:
        return _shares(numbers, found.get("enum"), promise.values)
    is_whole = len(numbers) == (len(QUANTILES) if promise.measure is Measure.QUANTILES else 1)
    return numbers if is_whole else None


def _is_finite(number: Any) -> bool:  # noqa: ANN401 - whatever a ledger holds
    return isinstance(number, int | float) and not isinstance(number, bool) and isfinite(number)


def _shares(numbers: tuple[float, ...], digest: object, values: tuple[Scalar, ...]) -> tuple[float, ...] | None:
    """The shares by the values of today: those that were added since had none, and of another list nothing is known."""
    if len(numbers) > len(values) or digest != enum_digest(values[: len(numbers)]):
        return None
    return numbers + (0.0,) * (len(values) - len(numbers))


def enum_digest(values: tuple[Scalar, ...]) -> str:
    """Which values the shares of a profile are about, without naming them."""
    return hashlib.sha256(json.dumps([str(value) for value in values]).encode()).hexdigest()[:12]
