"""How a movement is worded: by how much, how much was allowed, over how many partitions; and never the measure itself."""

from decimal import Decimal
from typing import Any

import pytest

from contract_core.contract.promises import Monitor
from contract_core.rendering.monitors import moved_percent
from contract_core.rendering.reports import message
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import Measure, Steady
from contract_core.validation.report import Finding, Outcome

LAST = "of the median of the last 14 accepted partitions"


def finding(promise: Steady, outcome: Outcome = Outcome.BREACHED, reason: str = "", **details: int) -> Finding:
    rule = "volume" if promise.column is None else "drift"
    return Finding(Obligation(rule, rule, promise, Layer.OPERATIONS), outcome, 1, reason, details)


def steady(measure: Measure, limit: str | None, deviation: Any = None, values: tuple[str, ...] = ()) -> Steady:
    column = None if measure is Measure.ROWS else "n"
    return Steady(measure, column, None if limit is None else Decimal(limit), Monitor(max_deviation=deviation), values)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        pytest.param(
            finding(steady(Measure.ROWS, "0.5"), partitions=14, place=0, moved_basis_points=8058, deviation_hundredths=1),
            f"broken: the number of rows stays within 50% {LAST}; it moved by 80.58% (allowed 50%), over 14 partitions",
            id="volume",
        ),
        pytest.param(
            finding(steady(Measure.ROWS, "0.5"), partitions=1, place=0),
            f"broken: the number of rows stays within 50% {LAST}; it moved by more than any percentage, from 0 (allowed 50%), over 1 partition",
            id="from nothing",
        ),
        pytest.param(
            finding(steady(Measure.NULL_RATE, "0.05"), partitions=9, place=0, moved_basis_points=1250),
            f"broken: the share of nulls in 'n' stays within 5 percentage points {LAST}; it moved by 12.5 percentage points (allowed 5 percentage points), over 9 partitions",
            id="points",
        ),
        pytest.param(
            finding(steady(Measure.MEAN, "0.6", 6), partitions=9, place=0, moved_basis_points=6100, deviation_hundredths=725),
            f"broken: the mean of 'n' stays within 60% or 6 robust standard deviations {LAST}; it moved by 61% (allowed 60%) and 7.25 robust standard deviations (allowed 6), over 9 partitions",
            id="both",
        ),
        pytest.param(
            finding(steady(Measure.MEAN, None, 6), partitions=9, place=0, moved_basis_points=100),
            f"broken: the mean of 'n' stays within 6 robust standard deviations {LAST}; it moved by more than any number of robust standard deviations, since nothing had moved before (allowed 6), over 9 partitions",
            id="after standing still",
        ),
        pytest.param(
            finding(steady(Measure.QUANTILES, "0.6"), partitions=9, place=0, moved_basis_points=7000),
            f"broken: each of five quantiles of 'n' stays within 60% {LAST}; the 5% quantile moved by 70% (allowed 60%), over 9 partitions",
            id="a quantile",
        ),
        pytest.param(
            finding(steady(Measure.SHARES, "0.1", None, ("open", "done")), partitions=9, place=1, moved_basis_points=7000),
            f"broken: the share of each value of 'n' stays within 10 percentage points {LAST}; that of 'done' moved by 70 percentage points (allowed 10 percentage points), over 9 partitions",
            id="a value of the contract's own list",
        ),
        pytest.param(
            finding(steady(Measure.ROWS, "0.5"), Outcome.KEPT, "too little history: 3 of 5", partitions=3),
            f"kept: the number of rows stays within 50% {LAST}; too little history: 3 of 5",
            id="kept for want of history",
        ),
    ],
)  # fmt: skip
def test_a_movement_is_told_in_these_words(found: Finding, words: str) -> None:
    """[S4-022]"""
    assert message(found) == words


def test_a_movement_is_a_number_that_can_be_plotted() -> None:
    assert moved_percent(finding(steady(Measure.ROWS, "0.5"), partitions=9, place=0, moved_basis_points=8058)) == 80.58
    assert moved_percent(finding(steady(Measure.ROWS, "0.5"), partitions=9, place=0)) is None
