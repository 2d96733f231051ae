"""Parquet and Arrow files: physical types are kept, damage is told, and files that differ are brought together honestly."""

import io

import polars as pl
import pytest

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
