"""Rows of a file that are read window by window where not every one of them makes a row."""

from collections.abc import Callable

import polars as pl
import pytest

from contract_core.publication import windows
from contract_core.publication.windows import sifted_in_windows

NUMBERS = pl.LazyFrame({"n": range(11)})
Windows = list[tuple[int, int]]


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Windows of four rows at most, of which the first has one, and batches of two."""
    monkeypatch.setattr(windows, "WINDOW_ROWS", 4)
    monkeypatch.setattr(windows, "BATCH_ROWS", 2)
    monkeypatch.setattr(windows, "_FIRST_ROWS", 1)


def sifting(seen: Windows, which: pl.Expr) -> Callable[[int, int], pl.LazyFrame]:
    """The rows of a window for which something is true; which windows are asked for is noted."""

    def window(begin: int, size: int) -> pl.LazyFrame:
        seen.append((begin, size))
        return NUMBERS.slice(begin, size).filter(which)

    return window


SIFTED = {
    "all": (pl.lit(value=True), list(range(11))),
    "every other one": (pl.col("n") % 2 == 1, [1, 3, 5, 7, 9]),
    "the last one": (pl.col("n") == 10, [10]),
    "none": (pl.lit(value=False), []),
}


@pytest.mark.parametrize(("which", "expected"), SIFTED.values(), ids=SIFTED)
def test_every_row_that_is_made_comes_once_and_in_order(which, expected):
    frames = list(sifted_in_windows(sifting([], which), 11))
    assert [number for frame in frames for number in frame["n"]] == expected
    assert max((frame.height for frame in frames), default=0) <= 2


def test_windows_without_a_row_grow_and_end_where_groups_of_rows_do():
    """Else one broken row in millions would be looked for in thousands of small windows."""
    seen: Windows = []
    assert list(sifted_in_windows(sifting(seen, pl.lit(value=False)), 11)) == []
    assert seen == [(0, 1), (1, 2), (3, 1), (4, 4), (8, 4)]


def test_wide_rows_make_the_windows_after_them_small(monkeypatch):
    monkeypatch.setattr(windows, "WINDOW_BYTES", 16)
    seen: Windows = []
    assert sum(frame.height for frame in sifted_in_windows(sifting(seen, pl.lit(value=True)), 11)) == 11
    assert {size for _, size in seen[1:]} == {1, 2}
