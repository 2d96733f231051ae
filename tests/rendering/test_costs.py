"""What stages cost, as a person reads it."""

import pytest

from contract_core.rendering.costs import cost_lines, rule_lines
from contract_core.validation.report import RuleCost

EFFORT = {
    "take_seconds": 2.1534,
    "take_cpu_seconds": 0.96,
    "take_rows": 1_000_000.0,
    "take_rows_per_second": 464_510.2,
    "take_peak_bytes": 350_900_000.0,
    "delivered_bytes": 23_832_951.0,
    "validate_seconds": 0.584,
    "candidate_bytes": 9_400.0,
}


def test_the_stages_stand_below_each_other() -> None:
    assert list(cost_lines(EFFORT)) == [
        "   cost            seconds  CPU s    read       rows   rows/s  memory",
        "         take         2.15   0.96   24 MB  1,000,000  464,510  351 MB",
        "         validate     0.58         9.4 kB",
    ]


def test_of_nothing_there_is_no_table() -> None:
    assert list(cost_lines({})) == list(cost_lines({"delivered_bytes": 5.0})) == []


@pytest.mark.parametrize(
    ("size", "told"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (10_000, "10 kB"), (5_400_000_000, "5.4 GB"), (3e15, "3,000 TB")],
)
def test_a_size_has_the_digits_that_count(size: float, told: str) -> None:
    assert list(cost_lines({"take_seconds": 1.0, "delivered_bytes": size}))[1].endswith(f"  {told}")


def test_the_dearest_rules_come_first_and_the_others_in_one_line() -> None:
    costs = [RuleCost(f"n{number}.range", number / 10, number / 100) for number in range(12)]
    found = list(rule_lines(costs))
    assert found[:3] == [
        "  rules  each by itself  seconds  CPU s",
        "         n11.range          1.10   0.11",
        "         n10.range          1.00   0.10",
    ]
    assert (len(found), found[-1]) == (12, "         2 others           0.10   0.01")


def test_of_no_rules_there_is_no_table() -> None:
    assert list(rule_lines([])) == []
