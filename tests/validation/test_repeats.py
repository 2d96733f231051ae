"""Repeated values: exact whatever hashes meet, the same as grouping tells, and none looked for where a part of them is unique."""

from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from contract_core.validation import repeats
from contract_core.validation.repeats import counts_of, repeated
from tests.validation.judged import report_on

CELLS: dict[str, st.SearchStrategy[Any]] = {
    "text": st.sampled_from(["", "a", "b", "ä", "a\x00", None]),
    "whole": st.sampled_from([0, 1, -1, None]),
    "float": st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf"), None]),
    "day": st.sampled_from([date(2026, 1, 1), date(2026, 1, 2), None]),
    "exact": st.sampled_from([Decimal("1.50"), Decimal("-1.50"), None]),
    "many": st.sampled_from([[], [1], [1, None], [0], None]),
    "flag": st.sampled_from([True, False, None]),
}
TYPES: dict[str, Any] = {
    "text": pl.String, "whole": pl.Int64, "float": pl.Float64, "day": pl.Date, "exact": pl.Decimal(10, 2),
    "many": pl.List(pl.Int8), "flag": pl.Boolean,
}  # fmt: skip


def told_apart(value: Any) -> Any:
    """What Python takes for the same where the product does: two NaNs, 0.0 and -0.0, two nulls."""
    return "NaN" if value != value else tuple(value) if isinstance(value, list) else value  # noqa: PLR0124


@given(st.lists(st.fixed_dictionaries(CELLS), max_size=30), st.sets(st.sampled_from(sorted(CELLS)), min_size=1))
def test_what_stands_more_than_once_is_what_counting_by_hand_finds(rows: list[dict[str, Any]], by: set[str]) -> None:
    frame = pl.DataFrame(rows, schema=TYPES)
    counts = Counter(tuple(told_apart(row[name]) for name in sorted(by)) for row in rows)
    several = [size for size in counts.values() if size > 1]
    found = counts_of(repeated(frame.lazy(), sorted(by), frame.height))
    assert found == {"groups": len(several), "rows": sum(several), "surplus_rows": sum(several) - len(several)}


NUMBERS: list[Any] = [
    *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Date),
    *(pl.Datetime("ms"), pl.Datetime("us", "Europe/Amsterdam"), pl.Datetime("ns"), pl.Duration("us"), pl.Time),
    *(pl.Float32, pl.Float64, pl.Boolean),
]


@pytest.mark.parametrize("kind", NUMBERS, ids=str)
@pytest.mark.parametrize("most", [2, 100])
def test_numbers_and_moments_of_every_width_are_told_apart_as_grouping_does(
    kind: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeats, "MOST_HASHES", most)
    frame = pl.DataFrame({"a": pl.Series([0, 7, 7, None, 9, 7, 0, None, 8]).cast(kind)})
    grouped = frame.group_by("a").len("__size").filter(pl.col("__size") > 1)
    assert_frame_equal(repeated(frame.lazy(), ["a"], frame.height), grouped, check_row_order=False)


def test_one_missing_number_is_no_repetition() -> None:
    assert repeated(pl.LazyFrame({"a": [1, None, 2]}), ["a"], 3).rows() == []


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_in_how_many_passes_one_looks_changes_nothing(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(repeats, "MOST_HASHES", most)
    frame = pl.DataFrame({"a": ["w", "x", "x", "y", "y", "y", None, None, "z"]})
    assert sorted(repeated(frame.lazy(), ["a"], 9).rows(), key=str) == [("x", 2), ("y", 3), (None, 2)]


def test_hashes_that_meet_by_chance_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "hash_of", lambda _: pl.lit(7, pl.UInt64) + 0 * pl.col("a").hash())
    frame = pl.DataFrame({"a": ["x", "y", "z", "z"]})
    assert repeated(frame.lazy(), ["a"], 4).rows() == [("z", 2)]


def test_more_meeting_hashes_than_are_looked_up_are_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "_MOST_SUSPECTS", 1)
    frame = pl.DataFrame({"a": ["x", "x", "y", "y", "z"]})
    assert sorted(repeated(frame.lazy(), ["a"], 5).rows()) == [("x", 2), ("y", 2)]


def test_what_holds_a_unique_column_is_not_looked_at(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[list[str]] = []
    original = repeats.repeated
    monkeypatch.setattr(repeats, "repeated", lambda rows, by, count: looked.append(by) or original(rows, by, count))
    text = (
        "fields: [{name: a, type: integer}, {name: b, type: integer}]\nkey: [b, a]\nunique: [{name: u, fields: [a]}]\n"
    )
    frame = pl.DataFrame({"a": [1, 2], "b": [1, 1]})
    assert [item.breaches for item in report_on(text, frame, tmp_path).findings if item.rule in ("key", "unique")] == [
        0,
        0,
    ]
    assert looked == [["a"]]


def test_uniqueness_among_some_rows_proves_nothing_about_all(tmp_path: Any) -> None:
    text = """\
fields: [{name: a, type: integer}, {name: b, type: integer}]
key: [a, b]
unique: [{name: u, fields: [a], where: "b > 1"}]
"""
    report = report_on(text, pl.DataFrame({"a": [1, 1, 1], "b": [1, 1, 2]}), tmp_path)
    assert {item.id: item.breaches for item in report.findings if item.rule in ("key", "unique")} == {
        "key": 1,
        "u.unique": 0,
    }
