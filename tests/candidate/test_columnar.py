"""Parquet and Arrow files: physical types are kept, damage is told, and files that differ are brought together honestly."""

import io
import struct
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_core.candidate import snapshot
from contract_core.candidate.arrow_footer import is_consistent
from tests.candidate.offers import contract_of, reason, rows, taken

PARQUET = {"type": "parquet"}
MANY = pl.DataFrame({"id": range(50_000), "s": ["x"] * 50_000})


def parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def arrow(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    return buffer.getvalue()


def overwritten(content: bytes, start: int, length: int) -> bytes:
    return content[:start] + bytes(length) + content[start + length :]


@pytest.mark.parametrize(
    ("promised", "dtype"),
    [
        ("integer", pl.UInt8),
        ("integer", pl.Int16),
        ("integer", pl.UInt64),
        ("number", pl.Float32),
        ("decimal(9,3)", pl.Decimal(12, 1)),
        ("string", pl.Int64),
        ("timestamp", pl.Datetime("ns", "Europe/Rome")),
        ("timestamp", pl.Datetime("ms")),
        ("date", pl.Date),
        ("duration", pl.Duration("ms")),
        ("binary", pl.Binary),
        ("array", pl.List(pl.Int8)),
        ("object", pl.Struct({"x": pl.Int8})),
    ],
)
@pytest.mark.parametrize(("kind", "encode"), [("parquet", parquet), ("arrow", arrow)])
def test_physical_types_are_kept(tmp_path, promised, dtype, kind, encode):
    contract = contract_of({"a": promised}, form={"type": "ipc" if kind == "arrow" else kind})
    frame = pl.DataFrame({"a": pl.Series([None, None], dtype=dtype)})
    candidate = taken(contract, tmp_path, {f"one.{kind}": encode(frame)})
    assert rows(candidate).schema["a"] == dtype
    assert rows(candidate).columns == ["a", "__file", "__row"]


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["x", "y"])])
def test_categories_are_written_as_their_text(tmp_path, dtype):
    frame = pl.DataFrame({"a": pl.Series(["x", "y", None], dtype=dtype)})
    candidate = taken(contract_of({"a": "string"}, form=PARQUET), tmp_path, {"one.parquet": parquet(frame)})
    assert rows(candidate)["a"].to_list() == ["x", "y", None]
    assert rows(candidate).schema["a"] == pl.String


@pytest.mark.parametrize(
    ("kind", "content", "why"),
    [
        ("parquet", b"", "not a Parquet file: 0 bytes"),
        ("parquet", b"PAR1", "not a Parquet file: 4 bytes"),
        ("parquet", b"id,s\n1,2\n3,4", "not a Parquet file"),
        ("parquet", parquet(MANY)[:-10], "the Parquet footer is damaged"),
        ("parquet", parquet(MANY)[:-12] + b"\xff\xff\xff\xff\xff\xff\xff\xffPAR1", "the Parquet footer is damaged"),
        ("parquet", overwritten(parquet(MANY), 100, 200), "the Parquet data is damaged"),
        ("ipc", b"", "not an Arrow file: 0 bytes"),
        ("ipc", b"id,s\n1,2\n3,4", "not an Arrow file"),
        ("ipc", arrow(MANY)[:-40], "the Arrow footer is damaged"),
    ],
)
def test_a_damaged_file_is_unreadable_and_takes_no_other_with_it(tmp_path, kind, content, why):
    suffix, encode = ("parquet", parquet) if kind == "parquet" else ("arrow", arrow)
    contract = contract_of({"id": "integer", "s": "string"}, form={"type": kind})
    good = encode(pl.DataFrame({"id": [7], "s": ["y"]}))
    candidate = taken(contract, tmp_path, {f"1.{suffix}": content, f"2.{suffix}": good})
    assert [file.unreadable for file in candidate.facts.files] == [why, None]
    assert rows(candidate).rows() == [(7, "y", 1, 1)]


def test_columns_are_found_by_name_in_any_order(tmp_path):
    one, two = pl.DataFrame({"a": [1], "b": ["x"]}), pl.DataFrame({"b": ["y"], "a": [2]})
    contract = contract_of({"a": "integer", "b": "string"}, form=PARQUET)
    candidate = taken(contract, tmp_path, {"1.parquet": parquet(one), "2.parquet": parquet(two)})
    assert rows(candidate).select("a", "b").rows() == [(1, "x"), (2, "y")]
    assert candidate.facts.mixed_types == ()
    assert candidate.facts.absent_somewhere == ()


def test_a_type_that_changes_between_files_is_told_and_not_cast(tmp_path):
    frames = {"1": pl.DataFrame({"a": [1]}), "2": pl.DataFrame({"a": ["2", "3"]}), "3": pl.DataFrame({"a": [4]})}
    files = {f"{name}.parquet": parquet(frame) for name, frame in frames.items()}
    candidate = taken(contract_of({"a": "integer"}, form=PARQUET), tmp_path, files)
    assert rows(candidate)["a"].to_list() == [1, None, None, 4]
    assert candidate.facts.mixed_types == ("a",)
    assert candidate.facts.mixed_rows == {"a": 2}
    assert [file.columns[0].type for file in candidate.facts.files] == ["Int64", "String", "Int64"]


def test_undeclared_columns_are_kept_as_they_are(tmp_path):
    frame = pl.DataFrame({"__row": [9], "a": [1], "x": [[1, 2]], "": ["u"]})
    contract = contract_of({"a": "integer"}, form=PARQUET, extra_fields="keep")
    candidate = taken(contract, tmp_path, {"1.parquet": parquet(frame), "2.parquet": parquet(frame)})
    assert [(extra.position, extra.name) for extra in candidate.facts.extra_columns] == [
        (1, "__row"),
        (3, "x"),
        (4, ""),
    ] * 2
    row = {"a": 1, "__file": 1, "__row": 1, "__extra.__row": 9, "x": [1, 2], "__extra.4": "u"}
    assert rows(candidate).row(1, named=True) == row


def test_an_undeclared_column_of_two_types_is_told(tmp_path):
    contract = contract_of({"a": "integer"}, form=PARQUET, extra_fields="keep")
    one, two = pl.DataFrame({"a": [1], "x": [1]}), pl.DataFrame({"a": [2], "x": ["y"]})
    candidate = taken(contract, tmp_path, {"1.parquet": parquet(one), "2.parquet": parquet(two)})
    assert rows(candidate)["x"].to_list() == [1, None]
    assert [problem.rule for problem in candidate.facts.problems] == ["extra_field"]


def test_a_file_without_rows_has_its_types(tmp_path):
    frame = pl.DataFrame(schema={"a": pl.Int32})
    candidate = taken(contract_of({"a": "integer"}, form=PARQUET), tmp_path, {"one.parquet": parquet(frame)})
    assert (reason(candidate), rows(candidate).schema["a"], candidate.rows) == (None, pl.Int32, 0)


def test_a_file_with_no_declared_column_still_counts_its_rows(tmp_path):
    frame = pl.DataFrame({"x": [1, 2]})
    candidate = taken(contract_of({"a": "integer"}, form=PARQUET), tmp_path, {"one.parquet": parquet(frame)})
    assert rows(candidate)["__row"].to_list() == [1, 2]
    assert candidate.facts.missing == {"a": 1}


@pytest.mark.parametrize(("kind", "encode"), [("parquet", parquet), ("ipc", arrow)])
@pytest.mark.parametrize(
    ("promised", "dtype"),
    [
        ("string", pl.String),
        ("int8", pl.Int8),
        ("timestamp[us,UTC]", pl.Datetime("us", "UTC")),
        ("array", pl.Null),
        ("object", pl.Null),
    ],
)
def test_a_column_of_nothing_but_nulls_has_the_promised_type(tmp_path, kind, encode, promised, dtype):
    suffix = "arrow" if kind == "ipc" else kind
    frame = pl.DataFrame({"a": pl.Series([None, None], dtype=pl.Null)})
    candidate = taken(contract_of({"a": promised}, form={"type": kind}), tmp_path, {f"1.{suffix}": encode(frame)})
    assert (rows(candidate).schema["a"], rows(candidate)["a"].null_count()) == (dtype, 2)


def test_nulls_take_the_type_that_another_file_gives(tmp_path):
    frames = [pl.DataFrame({"a": [None], "x": [None]}), pl.DataFrame({"a": pl.Series([3], dtype=pl.Int8), "x": ["u"]})]
    contract = contract_of({"a": "integer"}, form=PARQUET, extra_fields="keep")
    for order in (frames, frames[::-1]):
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        candidate = taken(contract, folder, {f"{place}.parquet": parquet(frame) for place, frame in enumerate(order)})
        assert sorted(rows(candidate).select("a", "x").rows(), key=str) == [(3, "u"), (None, None)]
        assert (candidate.facts.mixed_types, candidate.facts.problems) == ((), ())


def test_categories_keep_their_nulls_and_their_order(tmp_path):
    values = ["y", None, "x", "y", "", "zz", None]
    contract = contract_of({"a": "string", "b": "string"}, form=PARQUET)
    frame = pl.DataFrame({"a": values, "b": values}, schema={"a": pl.Categorical, "b": pl.Enum(["zz", "y", "x", ""])})
    candidate = taken(contract, tmp_path, {"1.parquet": parquet(frame), "2.parquet": parquet(frame.clear())})
    assert rows(candidate).select("a", "b").rows() == [(value, value) for value in values]


def test_wide_rows_are_held_a_few_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "_GROUP_BYTES", 1000)
    frame = pl.DataFrame({"a": ["x" * 100] * 50, "b": [b"y" * 100] * 50})
    contract = contract_of({"a": "string", "b": "binary"}, form=PARQUET)
    candidate = taken(contract, tmp_path, {"1.parquet": parquet(frame)})
    assert rows(candidate).select("a", "b").equals(frame)
    assert (
        candidate.path.read_bytes().count(b"\x28\xb5\x2f\xfd") >= 4 * 50 / 5
    )  # compressed pages: four columns, groups of five


@pytest.mark.parametrize("content", [arrow(MANY), arrow(MANY.clear()), arrow(pl.DataFrame())])
def test_a_whole_arrow_footer_names_only_what_is_there(tmp_path, content):
    (tmp_path / "a.arrow").write_bytes(content)
    assert is_consistent(tmp_path / "a.arrow")


def test_a_block_beyond_the_end_of_an_arrow_file_is_damage_and_no_panic(tmp_path, capfd):
    content = arrow(pl.DataFrame({"id": range(50), "s": ["x"] * 50}))
    damaged = [
        content[:place] + b"\x7f" + content[place + 1 :] for place in range(len(content) - 60, len(content) - 10)
    ]
    contract = contract_of({"id": "integer", "s": "string"}, form={"type": "ipc"})
    taken(contract, tmp_path, {f"{place}.arrow": each for place, each in enumerate(damaged)})
    assert "panicked" not in capfd.readouterr().err


@given(st.binary(max_size=200), st.integers(0, 400))
def test_any_footer_is_consistent_or_not(tail, length):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.arrow"
        path.write_bytes(b"ARROW1\0\0" + tail + struct.pack("<i", length) + b"ARROW1")
        assert is_consistent(path) in (True, False)
