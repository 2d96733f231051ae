"""How far a measure moved: medians and deviations against those of the standard library, and what is not compared."""

from math import inf
from statistics import median
from typing import Any

import pytest

from contract_core.contract.promises import FieldMonitor, Monitor, VolumeMonitor
from contract_core.validation.measured import Measured
from contract_core.validation.monitors import Movement, enum_digest, movement, steady_finding
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import Measure, Steady
from contract_core.validation.report import Finding, Outcome


def promise_of(measure: Measure, limit: float | None, values: tuple[str, ...] = (), **terms: Any) -> Steady:
    monitor: Monitor = VolumeMonitor(**terms) if measure is Measure.ROWS else FieldMonitor(**terms)
    return Steady(measure, None if measure is Measure.ROWS else "n", limit, monitor, values)  # type: ignore[arg-type]  # a number


def found(promise: Steady, now: Measured, *earlier: Measured) -> Finding:
    return steady_finding(Obligation("volume", "volume", promise, Layer.OPERATIONS), promise, now, earlier)


def volume(now: int, *before: int, limit: float | None = 0.5, **terms: Any) -> Finding:
    return found(promise_of(Measure.ROWS, limit, **terms), Measured(now), *map(Measured, before))


def of_field(**profile: Any) -> Measured:
    return Measured(100, {"n": profile})


SERIES = [
    pytest.param(120.0, [100.0, 90.0, 130.0, 110.0, 95.0], id="odd"),
    pytest.param(20.0, [100.0, 90.0, 130.0, 110.0], id="even"),
    pytest.param(-3.5, [1.5, -2.0, 4.0, 0.5, 0.25, 9.0], id="around zero"),
    pytest.param(1e-9, [2e-9, 3e-9, 5e-9], id="tiny"),
    pytest.param(7.0, [1.0], id="one"),
]


@pytest.mark.parametrize(("now", "before"), SERIES)
def test_a_movement_is_that_of_the_standard_library(now: float, before: list[float]) -> None:
    """[S4-022]"""
    middle = median(before)
    spread = 1.4826 * median(abs(number - middle) for number in before)
    moved = movement(now, before, is_share=False)
    assert moved.change == pytest.approx(abs(now - middle) / abs(middle))
    assert moved.deviation == pytest.approx(abs(now - middle) / spread if spread else inf)
    assert movement(now, before, is_share=True).change == pytest.approx(abs(now - middle))


@pytest.mark.parametrize(
    ("now", "before", "moved"),
    [
        pytest.param(0.0, [0.0, 0.0], Movement(0.0, 0.0), id="nothing as before"),
        pytest.param(1.0, [0.0, 0.0], Movement(inf, inf), id="something from nothing"),
        pytest.param(0.0, [4.0, 4.0], Movement(1.0, inf), id="nothing from something"),
        pytest.param(0.1 + 0.2, [0.3, 0.3], Movement(0.0, 0.0), id="the last digit"),
        pytest.param(1e308, [-1e308, 1e308, 1.5e308, 1.6e308], Movement(pytest.approx(0.2), pytest.approx(0.25 / (1.4826 * 0.3))), id="sums that would overflow"),
        pytest.param(5e-324, [5e-324], Movement(0.0, 0.0), id="the smallest number"),
    ],
)  # fmt: skip
def test_a_movement_at_the_ends(now: float, before: list[float], moved: Movement) -> None:
    assert movement(now, before, is_share=False) == moved


@pytest.mark.parametrize(
    ("now", "outcome"),
    [
        pytest.param(150, Outcome.KEPT, id="just as much more as allowed"),
        pytest.param(151, Outcome.BREACHED, id="more"),
        pytest.param(50, Outcome.KEPT, id="just as much less"),
        pytest.param(49, Outcome.BREACHED, id="less"),
        pytest.param(0, Outcome.BREACHED, id="none"),
    ],
)
def test_a_volume_is_held_against_the_median(now: int, outcome: Outcome) -> None:
    """[S4-022]"""
    assert volume(now, 100, 100, 120, 80, 100).outcome is outcome


def test_an_outlier_in_the_history_does_not_hide_a_collapse() -> None:
    assert volume(40, 100, 100_000, 102, 98, 0).outcome is Outcome.BREACHED
    assert volume(101, 100, 100_000, 102, 98, 0).outcome is Outcome.KEPT


@pytest.mark.parametrize(
    ("now", "limit", "outcome"),
    [
        pytest.param(170, 0.5, Outcome.KEPT, id="far, but such is this table"),
        pytest.param(400, 0.5, Outcome.BREACHED, id="far and rare"),
        pytest.param(400, 9.0, Outcome.KEPT, id="rare, but not far"),
        pytest.param(400, None, Outcome.BREACHED, id="a deviation alone"),
        pytest.param(110, None, Outcome.KEPT, id="a small deviation alone"),
    ],
)
def test_a_deviation_must_be_exceeded_too_where_it_is_stated(now: int, limit: float | None, outcome: Outcome) -> None:
    assert volume(now, 100, 140, 60, 130, 70, limit=limit, max_deviation=3).outcome is outcome


def test_where_nothing_ever_moved_any_difference_exceeds_a_deviation() -> None:
    assert volume(101, 100, 100, 100, 100, 100, limit=None, max_deviation=6).outcome is Outcome.BREACHED
    assert volume(100, 100, 100, 100, 100, 100, limit=None, max_deviation=6).outcome is Outcome.KEPT


@pytest.mark.parametrize(
    ("before", "terms", "reason"),
    [
        pytest.param((), {}, "too little history: 0 of 5", id="the first delivery"),
        pytest.param((100, 100, 100), {}, "too little history: 3 of 5", id="a few"),
        pytest.param((100, 100), {"window": 3}, "too little history: 2 of 3", id="a short window"),
        pytest.param((100,), {"min_history": 2}, "too little history: 1 of 2", id="as the contract says"),
    ],
)
def test_with_too_little_history_a_monitor_is_kept_and_says_so(
    before: tuple[int, ...], terms: dict[str, int], reason: str
) -> None:
    """[S4-022] No false alarm before anything is known."""
    finding = volume(1, *before, **terms)
    assert (finding.outcome, finding.reason, finding.details) == (Outcome.KEPT, reason, {"partitions": len(before)})


def test_only_the_newest_partitions_of_the_window_count() -> None:
    assert volume(100, 100, 100, 100, 9, 9, 9, 9, 9, window=3).outcome is Outcome.KEPT
    assert volume(100, 100, 100, 100, 9, 9, 9, 9, 9, window=8).outcome is Outcome.BREACHED


def test_a_season_compares_days_of_the_same_weekday_alone() -> None:
    days = [
        Measured(rows, is_same_weekday=is_same)
        for rows, is_same in [(900, False), (10, True), (950, False), (12, True)]
    ]
    seasonal = found(promise_of(Measure.ROWS, 0.5, season="weekday", min_history=2), Measured(11), *days)
    assert (seasonal.outcome, seasonal.details["partitions"]) == (Outcome.KEPT, 2)
    assert found(promise_of(Measure.ROWS, 0.5, min_history=2), Measured(11), *days).outcome is Outcome.BREACHED


def test_a_partition_of_which_the_measure_is_not_known_does_not_count() -> None:
    promise = promise_of(Measure.MEAN, 0.5, min_history=2)
    before = [of_field(null_rate=0.5), of_field(mean=10.0), Measured(100), of_field(mean=12.0)]
    finding = found(promise, of_field(mean=30.0), *before)
    assert (finding.outcome, finding.details["partitions"]) == (Outcome.BREACHED, 2)


def test_a_delivery_with_too_few_values_is_not_compared() -> None:
    finding = found(promise_of(Measure.MEAN, 0.5, min_history=1), of_field(), of_field(mean=12.0))
    assert (finding.outcome, finding.reason) == (
        Outcome.KEPT,
        "not compared: fewer than 10 values, or none that is finite",
    )


@pytest.mark.parametrize("damaged", [inf, "12", True, None, [12.0, 13.0], {}], ids=str)
def test_what_a_ledger_holds_and_no_measure_can_be_does_not_count(damaged: object) -> None:
    finding = found(promise_of(Measure.MEAN, 0.5, min_history=1), of_field(mean=30.0), of_field(mean=damaged))
    assert finding.reason == "too little history: 0 of 1"


def test_nulls_are_counted_in_points_and_not_in_relation_to_what_was_there() -> None:
    promise = promise_of(Measure.NULL_RATE, 0.05, min_history=1)
    assert found(promise, of_field(null_rate=0.05), of_field(null_rate=0.0)).outcome is Outcome.KEPT
    assert found(promise, of_field(null_rate=0.25), of_field(null_rate=0.2)).outcome is Outcome.KEPT
    assert found(promise, of_field(null_rate=0.26), of_field(null_rate=0.2)).outcome is Outcome.BREACHED


def test_the_quantile_that_moved_furthest_is_told() -> None:
    promise = promise_of(Measure.QUANTILES, 0.5, min_history=1)
    finding = found(
        promise, of_field(quantiles=[1.0, 2.0, 3.0, 4.0, 9.0]), of_field(quantiles=[1.0, 2.0, 3.0, 5.0, 5.0])
    )
    assert (finding.outcome, finding.breaches) == (Outcome.BREACHED, 1)
    assert (finding.details["place"], finding.details["moved_basis_points"]) == (4, 8000)


def shares(values: tuple[str, ...], *numbers: float) -> Measured:
    return of_field(shares=list(numbers), enum=enum_digest(values))


def test_the_share_that_moved_furthest_is_told_by_its_place() -> None:
    promise = promise_of(Measure.SHARES, 0.1, ("a", "b", "c"), min_history=1)
    finding = found(promise, shares(("a", "b", "c"), 0.5, 0.2, 0.3), shares(("a", "b", "c"), 0.5, 0.4, 0.1))
    assert (finding.outcome, finding.details["place"], finding.details["moved_basis_points"]) == (
        Outcome.BREACHED,
        1,
        2000,
    )


@pytest.mark.parametrize(
    ("before", "partitions"),
    [
        pytest.param(shares(("a", "b"), 0.5, 0.5), 1, id="a value was added at the end"),
        pytest.param(shares(("b", "a"), 0.5, 0.5), 0, id="the list was another one"),
        pytest.param(shares(("a", "b", "c", "d"), 0.5, 0.5, 0.0, 0.0), 0, id="a value was taken out"),
    ],
)
def test_shares_of_another_list_do_not_count(before: Measured, partitions: int) -> None:
    promise = promise_of(Measure.SHARES, 0.1, ("a", "b", "c"), min_history=1)
    assert found(promise, shares(("a", "b", "c"), 0.5, 0.5, 0.0), before).details["partitions"] == partitions


def test_details_are_whole_numbers_and_hold_no_measure() -> None:
    finding = found(promise_of(Measure.MEAN, 0.5, min_history=1), of_field(mean=12345.678), of_field(mean=11111.111))
    assert finding.details == {"partitions": 1, "place": 0, "moved_basis_points": 1111}
