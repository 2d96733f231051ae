"""What a judgement holds in memory is bounded by how many rows are held at a time, and not by how many there are."""

import os
import subprocess
import sys
from pathlib import Path

from contract_core.validation import repeats, shares

ALONE = Path(__file__).with_name("judging_alone.py")
REPOSITORY = Path(__file__).parents[2]


def peak(rows: int, held: int) -> float:
    """The peak of a process of its own in MB, Polars and all."""
    place = os.environ | {"PYTHONPATH": str(REPOSITORY), "POLARS_MAX_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, ALONE, str(rows), str(held)], env=place, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def test_four_times_the_rows_take_not_half_as_much_memory_again():
    """For a key, groups with different values in them, predecessors, vanished keys, and monitors that tell values apart."""
    assert peak(600_000, held=75_000) < 1.5 * peak(150_000, held=75_000)


def test_the_page_tells_how_many_rows_are_held():
    page = (REPOSITORY / "docs" / "memory.md").read_text("utf-8")
    assert f"{shares.MOST_HELD:,} rows" in page
    assert f"{shares.FEW_KEYS:,} keys" in page
    assert f"{repeats.MOST_HASHES:,} rows" in page
