"""The numbers of stages, put together and taken apart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.publication.stages import MEASURES, READ, STAGES, costs_of, name_of, together, with_rates

BUDGET = settings(max_examples=200, derandomize=True, deadline=None)
WHOLE = st.integers(0, 2**40).map(float)
"""Whole numbers: their sums are exact in whatever order they are added."""
NAMES = [name_of(stage, measure) for stage in STAGES for measure in MEASURES] + sorted(set(READ.values()))
EFFORTS = st.dictionaries(st.sampled_from(NAMES), WHOLE).map(with_rates)


def test_times_and_rows_are_added_and_the_peak_is_the_higher_one() -> None:
    first = {"quarantine_seconds": 1.0, "quarantine_rows": 3.0, "quarantine_peak_bytes": 90.0, "candidate_bytes": 7.0}
    second = {"quarantine_seconds": 0.5, "quarantine_rows": 6.0, "quarantine_peak_bytes": 80.0, "candidate_bytes": 7.0}
    assert together(first, second) == {
        "quarantine_seconds": 1.5,
        "quarantine_rows": 9.0,
        "quarantine_peak_bytes": 90.0,
        "candidate_bytes": 7.0,
        "quarantine_rows_per_second": 6.0,
    }


@pytest.mark.parametrize(
    "effort",
    [{"take_rows": 5.0}, {"take_seconds": 5.0}, {"take_rows": 5.0, "take_seconds": 0.0}, {}],
    ids=["no time", "no rows", "no time that a clock could tell", "nothing"],
)
def test_there_is_no_rate_without_rows_and_time(effort: dict[str, float]) -> None:
    assert with_rates(effort) == effort


def test_no_rows_are_a_rate_of_nothing() -> None:
    assert with_rates({"take_rows": 0.0, "take_seconds": 0.5})["take_rows_per_second"] == 0


def test_a_stage_that_was_not_gone_through_has_no_cost_and_what_was_not_measured_is_none() -> None:
    """As entries say it that were written before more than seconds and sizes was measured."""
    (take, validate) = costs_of({"validate_seconds": 2.0, "take_seconds": 1.0, "delivered_bytes": 9.0})
    assert (take.stage, take.seconds, take.read_bytes) == ("take", 1.0, 9.0)
    assert (take.cpu_seconds, take.rows, take.rows_per_second, take.peak_bytes) == (None, None, None, None)
    assert (validate.stage, validate.seconds, validate.read_bytes) == ("validate", 2.0, None)


@BUDGET
@given(first=EFFORTS, second=EFFORTS, third=EFFORTS)
def test_in_whatever_order_costs_are_put_together(
    first: dict[str, float], second: dict[str, float], third: dict[str, float]
) -> None:
    assert together(first, second) == together(second, first)
    assert together(together(first, second), third) == together(first, together(second, third))
    assert together(first, {}) == first


@BUDGET
@given(effort=EFFORTS)
def test_a_rate_times_its_seconds_is_its_rows(effort: dict[str, float]) -> None:
    known = [cost for cost in costs_of(effort) if cost.rows_per_second is not None]
    assert all(
        cost.rows_per_second * cost.seconds == pytest.approx(cost.rows, abs=0.051 * cost.seconds) for cost in known
    )
