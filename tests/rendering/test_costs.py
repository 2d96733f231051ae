"""What stages cost, as a person reads it."""

import pytest

from contract_core.rendering.costs import cost_lines

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
