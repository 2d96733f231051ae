"""A frame that is handed over becomes one file, the same for the same rows however they come."""

from datetime import date

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.candidate.delivery import digest_of
from contract_core.candidate.handed_over import delivered_paths_of, is_frame, written_frame
from contract_core.contract.parsing import parse_contract
from contract_core.errors import CandidateUnreadableError
from tests.contract.texts import MINIMAL

TYPED = parse_contract(MINIMAL + "delivery: {format: {type: parquet}}\n", "c.yaml")
ARROW = parse_contract(MINIMAL + "delivery: {format: {type: ipc}}\n", "c.yaml")
TEXT = parse_contract(MINIMAL, "c.yaml")
FRAME = pl.DataFrame({"n": [1, 2, 3], "day": [date(2026, 10, 1)] * 3})


def digest(frame, folder):
    folder.mkdir()
    return digest_of(written_frame(TYPED, frame, folder))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(-5, 5)), max_size=12),
    st.lists(st.one_of(st.none(), st.integers(-5, 5)), max_size=12),
)
def test_chunks_and_laziness_do_not_change_the_file(tmp_path_factory, first, second):
    whole = pl.DataFrame({"n": pl.Series(first + second, dtype=pl.Int64)})
    parts = [pl.DataFrame({"n": pl.Series(part, dtype=pl.Int64)}) for part in (first, second)]
    folder = tmp_path_factory.mktemp("law")
    made = {
        digest(whole, folder / "whole"),
        digest(whole.lazy(), folder / "lazy"),
        digest(pl.concat(parts, rechunk=False), folder / "chunks"),
    }
    assert len(made) == 1


def test_many_rows_give_the_same_file_in_chunks(tmp_path):
    many = pl.select(n=pl.int_range(400_000)).select(pl.col("n"))
    chunks = pl.concat([many[:150_000], many[150_000:]], rechunk=False)
    source = tmp_path / "many.parquet"
    many.write_parquet(source, row_group_size=7_001)
    made = {
        digest(many, tmp_path / "whole"),
        digest(chunks, tmp_path / "chunks"),
        digest(pl.scan_parquet(source), tmp_path / "scan"),
        digest(pl.scan_parquet(source).filter(pl.col("n") >= 0), tmp_path / "filtered"),
    }
    assert len(made) == 1


def test_a_contract_of_arrow_files_is_given_one(tmp_path):
    (path,) = delivered_paths_of(ARROW, FRAME, tmp_path)
    assert path.suffix == ".arrow"
    assert pl.read_ipc(path).equals(FRAME)


@pytest.mark.parametrize(
    "value",
    [None, 3, {"n": [1]}, [], [1], [FRAME], object()],
    ids=["nothing", "a number", "a dict", "no path", "numbers", "a frame in a list", "an object"],
)
def test_what_is_neither_frame_nor_path_is_refused(tmp_path, value):
    with pytest.raises(CandidateUnreadableError) as raised:
        delivered_paths_of(TYPED, value, tmp_path)
    assert raised.value.problems[0].what.endswith("was handed over")
    assert not is_frame(value)


def test_a_frame_is_refused_where_the_contract_promises_text(tmp_path):
    with pytest.raises(CandidateUnreadableError) as raised:
        delivered_paths_of(TEXT, FRAME, tmp_path)
    assert raised.value.problems[0].what == "a frame was handed over, and the contract promises 'csv'"
