"""Laws of monitors: order and scale say nothing, what never moves is never told, and one odd day changes no verdict on a collapse."""

from datetime import date, timedelta
from math import isclose, isinf
from statistics import median
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from contract_core.contract.promises import VolumeMonitor
from contract_core.validation.measured import Measured
from contract_core.validation.monitors import is_too_far, movement, steady_finding
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import Measure, Steady
from contract_core.validation.report import Finding, Outcome

NUMBERS = st.floats(-1e12, 1e12).map(lambda number: round(number, 3))
ROWS = st.integers(0, 10**9)
HISTORIES = st.lists(ROWS, min_size=5, max_size=30)
LIMITS = st.tuples(st.sampled_from([0.0, 0.05, 0.5, 2.0, None]), st.sampled_from([1, 3, 6, None])).filter(
    lambda limits: limits != (None, None)
)
MONDAY = date(2026, 9, 28)


def promise_of(limit: float | None, deviation: int | None, **terms: Any) -> Steady:
    return Steady(Measure.ROWS, None, limit, VolumeMonitor(max_deviation=deviation, **terms))  # type: ignore[arg-type]  # a number


def found(promise: Steady, now: int, history: list[Measured]) -> Finding:
    return steady_finding(Obligation("volume", "volume", promise, Layer.OPERATIONS), promise, Measured(now), history)


def judged(promise: Steady, now: int, history: list[int]) -> Finding:
    return found(promise, now, [Measured(rows) for rows in history])


@given(LIMITS, ROWS, HISTORIES, st.randoms())
def test_a_permutation_of_the_history_changes_nothing(limits: Any, now: int, history: list[int], order: Any) -> None:
    promise = promise_of(*limits, window=30)
    shuffled = list(history)
    order.shuffle(shuffled)
    assert judged(promise, now, history) == judged(promise, now, shuffled)


@given(LIMITS, ROWS, st.integers(0, 30))
def test_what_never_moves_is_never_told(limits: Any, rows: int, days: int) -> None:
    assert judged(promise_of(*limits), rows, [rows] * days).outcome is Outcome.KEPT


@given(NUMBERS, st.lists(NUMBERS, min_size=1, max_size=20), st.integers(-40, 40), st.sampled_from([1, -1]))
def test_another_unit_changes_no_movement(now: float, before: list[float], power: int, sign: int) -> None:
    factor = sign * 2.0**power
    first = movement(now, before, is_share=False)
    second = movement(now * factor, [number * factor for number in before], is_share=False)
    assert isclose(first.change, second.change, rel_tol=1e-6) or isinf(first.change) == isinf(second.change) is True
    assert (
        isclose(first.deviation, second.deviation, rel_tol=1e-6)
        or isinf(first.deviation) == isinf(second.deviation) is True
    )


@given(st.lists(st.integers(900, 1100), min_size=5, max_size=20), ROWS, st.integers(0, 300))
def test_an_outlier_in_the_history_does_not_hide_a_collapse(usual: list[int], outlier: int, now: int) -> None:
    promise = promise_of(0.5, None, window=30)
    assert judged(promise, now, usual).outcome is Outcome.BREACHED
    assert judged(promise, now, [outlier, *usual]).outcome is Outcome.BREACHED


@given(st.lists(st.integers(900, 1100), min_size=5, max_size=20), ROWS, st.integers(900, 1100))
def test_an_outlier_in_the_history_makes_no_alarm(usual: list[int], outlier: int, now: int) -> None:
    assert judged(promise_of(0.5, None, window=30), now, [outlier, *usual]).outcome is Outcome.KEPT


@given(LIMITS, ROWS, st.lists(ROWS, max_size=4))
def test_with_too_little_history_nothing_is_told(limits: Any, now: int, history: list[int]) -> None:
    assert judged(promise_of(*limits), now, history).outcome is Outcome.KEPT


@given(ROWS, HISTORIES, st.sampled_from([0.05, 0.5, 2.0]), st.sampled_from([1, 3, 6]))
def test_what_two_limits_tell_each_of_them_tells(now: int, history: list[int], limit: float, deviation: int) -> None:
    outcomes = [
        judged(promise, now, history).outcome
        for promise in (promise_of(limit, deviation), promise_of(limit, None), promise_of(None, deviation))
    ]
    assert (outcomes[0] is Outcome.BREACHED) == (outcomes[1:] == [Outcome.BREACHED] * 2)


@given(ROWS, HISTORIES, st.sampled_from([0.05, 0.5, 2.0]))
def test_a_larger_limit_tells_less(now: int, history: list[int], limit: float) -> None:
    moved = movement(now, history, is_share=False)
    assert is_too_far(moved, promise_of(limit, None)) or not is_too_far(moved, promise_of(2 * limit, None))


@given(ROWS, HISTORIES)
def test_a_movement_away_from_the_median_is_the_larger_the_further_it_goes(now: int, history: list[int]) -> None:
    middle = median(history)
    assume(middle > 0)
    further = int(middle + 2 * (now - middle))
    assert movement(further, history, is_share=False).change >= movement(now, history, is_share=False).change - 1e-6


def shop(weeks: int, open_days: list[int]) -> list[tuple[date, int]]:
    """A shop that is closed on Sundays delivers no rows on them."""
    days = [MONDAY + timedelta(days=number) for number in range(7 * weeks)]
    return [(day, 0 if day.weekday() == 6 else open_days[place % len(open_days)]) for place, day in enumerate(days)]


@given(st.integers(3, 8), st.lists(st.integers(900, 1100), min_size=1, max_size=10))
def test_a_shop_that_is_closed_on_sundays_raises_an_alarm_only_without_a_season(
    weeks: int, open_days: list[int]
) -> None:
    """[S4-022] No false alarm on a good day."""
    days = shop(weeks, open_days)
    told: dict[str | None, set[date]] = {"weekday": set(), None: set()}
    for season, alarms in told.items():
        promise = promise_of(0.5, None, min_history=2, season=season)
        for place, (day, rows) in enumerate(days):
            before = [
                Measured(past, is_same_weekday=then.weekday() == day.weekday()) for then, past in days[:place][::-1]
            ]
            if found(promise, rows, before).outcome is Outcome.BREACHED:
                alarms.add(day)
    assert told == {"weekday": set(), None: {day for day, _ in days if day.weekday() == 6}}
