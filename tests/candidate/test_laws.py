"""What holds for every delivery: any bytes give a candidate or a fact, and text that is well written comes back unchanged."""

import csv
import io
import json
import tempfile
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.facts import Facts
from contract_core.candidate.snapshot import load_candidate, take_candidate
from contract_core.errors import ContractCoreError
from tests.candidate.offers import RECEIVED, contract_of, reason, rows, taken

pytestmark = pytest.mark.slow

TYPES = {
    "a": "integer",
    "b": "number",
    "c": "decimal(5,2)",
    "d": "date",
    "e": "timestamp[us,UTC]",
    "f": "boolean",
    "g": "object",
    "h": "binary",
    "i": "duration",
    "j": "string",
    "k": "time",
    "l": "array",
}
PLAIN = {"type": "csv"}
JSON_LINES = {"type": "jsonl"}
ENVELOPE = {"type": "envelope"}
SUFFIX = {"csv": "csv", "jsonl": "jsonl", "envelope": "json", "parquet": "parquet", "ipc": "arrow"}

HEADER = ",".join(TYPES)
CSV_PIECES = st.sampled_from(
    [HEADER, "\n", "\r", "\r\n", ",", '"', '""', "a", "1", "1.5", "2026-10-01", "é", "\x00", "\ufeff", " "]
)
CSV_TEXT = st.lists(CSV_PIECES, max_size=30).map(lambda pieces: (HEADER + "\n" + "".join(pieces)).encode())
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=5)
    | st.sampled_from(["2026-10-01", "1.25"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*TYPES, "x", "__row", ""]), inner, max_size=4)
    ),
    max_leaves=12,
)
JSON_TEXT = st.lists(JSON_VALUES.map(json.dumps) | st.sampled_from(["", "{", '{"a":1,"a":2}', "nul"]), max_size=6).map(
    lambda lines: "\n".join(lines).encode()
)
PARTITIONS = st.dictionaries(
    st.text(max_size=2),
    st.fixed_dictionaries(
        {}, optional={"complete": JSON_VALUES, "rows": JSON_VALUES | st.lists(JSON_VALUES), "x": JSON_VALUES}
    )
    | JSON_VALUES,
    max_size=3,
)
ENVELOPES = st.fixed_dictionaries(
    {},
    optional={
        "contract": JSON_VALUES,
        "day": JSON_VALUES,
        "unit": JSON_VALUES,
        "partitions": PARTITIONS | JSON_VALUES,
        "odd": JSON_VALUES,
    },
).map(lambda document: json.dumps(document).encode())


def _damaged(kind: str) -> st.SearchStrategy[bytes]:
    buffer = io.BytesIO()
    frame = pl.DataFrame({"a": [1, 2, None], "j": ["x", "y", "z"], "z": [[1], [2], None]})
    frame.write_parquet(buffer) if kind == "parquet" else frame.write_ipc(buffer)
    whole = buffer.getvalue()

    def harmed(change: tuple[int, bytes, int]) -> bytes:
        place, piece, end = change
        return (whole[:place] + piece + whole[place + len(piece) :])[: end or len(whole)]

    size = len(whole)
    return st.tuples(st.integers(0, size), st.binary(max_size=8), st.integers(0, size)).map(harmed)


@pytest.mark.parametrize("extra_fields", ["reject", "keep"])
@pytest.mark.parametrize(
    ("form", "contents"),
    [
        pytest.param(PLAIN, st.binary(max_size=60) | CSV_TEXT, id="csv"),
        pytest.param({"type": "csv", "encoding": "utf-16"}, st.binary(max_size=40), id="utf-16"),
        pytest.param(
            {"type": "csv", "encoding": "latin-1", "delimiter": ";", "quote": "'"}, st.binary(max_size=60), id="latin-1"
        ),
        pytest.param(JSON_LINES, st.binary(max_size=60) | JSON_TEXT, id="jsonl"),
        pytest.param(ENVELOPE, st.binary(max_size=60) | JSON_TEXT | ENVELOPES, id="envelope"),
        pytest.param({"type": "parquet"}, st.binary(max_size=60) | _damaged("parquet"), id="parquet"),
        pytest.param({"type": "ipc"}, st.binary(max_size=60) | _damaged("ipc"), id="ipc"),
    ],
)
def test_any_bytes_give_a_candidate_and_facts(form, contents, extra_fields):
    contract = contract_of(TYPES, form=form, extra_fields=extra_fields)

    @settings(max_examples=40, deadline=None)
    @given(contents)
    def holds(content):
        with tempfile.TemporaryDirectory() as folder:
            candidate = taken(contract, Path(folder), {f"one.{SUFFIX[form['type']]}": content})
            (file,) = candidate.facts.files
            assert (file.unreadable is None) or (file.unreadable and candidate.rows == 0)
            assert rows(candidate).height == candidate.rows == file.rows
            assert Facts.from_json(candidate.facts.to_json()) == candidate.facts
            assert load_candidate(Path(folder) / "candidates", "cases", candidate.submission) == candidate

    holds()


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=60) | JSON_TEXT | PARTITIONS.map(lambda parts: json.dumps({"parts": parts}).encode()) | ENVELOPES
)
def test_any_bytes_give_a_manifest_or_facts_about_it(content):
    contract = contract_of({"a": "integer"}, delivery={"manifest": "optional"})
    with tempfile.TemporaryDirectory() as folder:
        candidate = taken(contract, Path(folder), {"one.csv": "a\n1\n", "_manifest.json": content})
        assert candidate.facts.manifest in ("present", "unreadable")
        assert candidate.rows == 1


TEXT = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ['"', ",", "\n", "\r", "\r\n", " ", '"a', 'a"b', "\ufeff"]
)


@settings(max_examples=120, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(TEXT, min_size=width, max_size=width), min_size=1, max_size=6)
    )
)
@example([["a", "b"], ["", ""]])
@example([[""]])
@example([["", "\r"], ["x", "y"]])
def test_what_the_csv_module_writes_comes_back_unchanged(records):
    width = len(records[0])
    names = {f"n{place}": "string" for place in range(width)}
    contract = contract_of(names, form={"null_values": []})
    for dialect in ({}, {"lineterminator": "\n", "quoting": csv.QUOTE_ALL}):
        text = io.StringIO(newline="")
        csv.writer(text, **dialect).writerows([list(names), *records])
        with tempfile.TemporaryDirectory() as folder:
            candidate = taken(contract, Path(folder), {"one.csv": text.getvalue().encode()})
            assert reason(candidate) is None
            assert rows(candidate).select(*names).rows() == [tuple(record) for record in records]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False, allow_infinity=False),
            st.none() | st.decimals(-999, 999, places=2, allow_nan=False),
            st.none() | st.dates(date(1, 1, 1)),
            st.none() | st.text(st.characters(codec="utf-8")),
            st.none() | st.booleans(),
        ),
        max_size=5,
    )
)
def test_json_values_come_back_exactly(records):
    contract = contract_of(
        {"i": "integer", "n": "number", "d": "decimal(5,2)", "t": "date", "s": "string", "b": "boolean"},
        form=JSON_LINES,
    )
    lines = [json.dumps(dict(zip("indtsb", map(_as_json, record), strict=True))) for record in records]
    with tempfile.TemporaryDirectory() as folder:
        candidate = taken(contract, Path(folder), {"one.jsonl": "\n".join([*lines, "", ""])})
        frame = rows(candidate)
    assert frame.select("i", "n", "d", "t", "s", "b").rows() == records
    assert frame.select(pl.col("^__raw.*$").is_not_null().any()).transpose().to_series().any() is False


def _as_json(value):
    return str(value) if isinstance(value, date | Decimal) else value


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=40),
    st.sampled_from(["utf-8", "latin-1", "cp1252", "utf-16-le", "utf-16", "shift_jis", "cp037"]),
)
def test_any_encoding_gives_a_candidate(content, encoding):
    contract = contract_of({"a": "string"}, form={"encoding": encoding}, extra_fields="keep")
    with tempfile.TemporaryDirectory() as folder:
        landing = Path(folder) / "one.csv"
        landing.write_bytes(content)
        try:
            take_candidate(contract, collect_delivery(contract, [landing], None), Path(folder) / "root", RECEIVED)
        except ContractCoreError:
            pytest.fail("a delivered file can always be told about")
