"""A file is read window by window: every row once and in order, and never more than a window of it in memory."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.publication import windows as windows_module
from contract_core.publication.batches import RowsMissing, counted_frames
from contract_core.publication.windows import in_windows

SIZES = st.integers(1, 12)


def narrowed(patch: pytest.MonkeyPatch, **sizes: int) -> None:
    for name, size in sizes.items():
        patch.setattr(windows_module, name, size)


@settings(deadline=None)
@given(rows=st.integers(0, 60), group=SIZES, window=SIZES, batch=SIZES, first=SIZES)
def test_every_row_comes_once_and_in_order(tmp_path_factory, rows, group, window, batch, first):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pl.DataFrame({"n": pl.Series(range(rows), dtype=pl.Int64)}).write_parquet(path, row_group_size=group)
    with pytest.MonkeyPatch.context() as patch:
        narrowed(patch, WINDOW_ROWS=window, BATCH_ROWS=batch, _FIRST_ROWS=first)
        frames = list(in_windows(pl.scan_parquet(path)))
    assert [n for frame in frames for n in frame["n"]] == list(range(rows))
    assert max((frame.height for frame in frames), default=0) <= min(window, batch)


def test_wide_rows_come_in_small_windows(tmp_path, monkeypatch):
    """After the first window it is known how wide they are."""
    pl.DataFrame({"text": ["x" * 1_000] * 100}).write_parquet(tmp_path / "wide.parquet")
    narrowed(monkeypatch, _FIRST_ROWS=10, WINDOW_BYTES=5_000, BATCH_BYTES=2_100)
    heights = [frame.height for frame in in_windows(pl.scan_parquet(tmp_path / "wide.parquet"))]
    assert (sum(heights), max(heights)) == (100, 2)


def test_a_window_ends_where_a_row_group_of_a_candidate_does(tmp_path, monkeypatch):
    """Else the group would be read for both windows."""
    pl.DataFrame({"n": range(25)}).write_parquet(tmp_path / "rows.parquet", row_group_size=10)
    narrowed(monkeypatch, _FIRST_ROWS=3, WINDOW_ROWS=10)
    heights = [frame.height for frame in in_windows(pl.scan_parquet(tmp_path / "rows.parquet"))]
    assert heights == [3, 7, 10, 5]


@pytest.mark.parametrize("expected", [9, 11])
def test_other_rows_than_were_decided_on_end_the_stream_with_an_error(tmp_path, expected):
    pl.DataFrame({"n": range(10)}).write_parquet(tmp_path / "rows.parquet")
    frames = in_windows(pl.scan_parquet(tmp_path / "rows.parquet"))
    reader = counted_frames(pl.Schema({"n": pl.Int64()}), (), frames, expected)
    with pytest.raises(RowsMissing):
        list(reader)


def test_the_stream_holds_the_rows_under_their_types(tmp_path):
    frame = pl.DataFrame({"n": [1, None], "text": ["a", None]}, schema={"n": pl.Int16, "text": pl.String})
    frame.write_parquet(tmp_path / "rows.parquet")
    reader = counted_frames(frame.schema, (), in_windows(pl.scan_parquet(tmp_path / "rows.parquet")), 2)
    assert pl.DataFrame(reader.read_all()).equals(frame)
