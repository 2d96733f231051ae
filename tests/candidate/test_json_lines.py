"""JSON lines that are written alike are read by Polars, and give what Python's parser gives."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.candidate import json_lines
from contract_core.candidate.json_lines import read_json_lines
from contract_core.candidate.json_records import RecordTable, spool_records
from contract_core.candidate.json_shapes import Shape
from contract_core.candidate.json_text import parsed_json
from tests.candidate.offers import contract_of, reason, rows, taken, written

LINES = {"type": "jsonl", "integral": ["j"]}
FIELDS = {
    "i": "integer",
    "j": "integer",
    "n": "number",
    "d": "decimal(9,2)",
    "s": "string",
    "b": "boolean",
    "t": "date",
}
CONTRACT = contract_of({**FIELDS, "o": "object"}, form=LINES, extra_fields="keep")
TEXTS = st.text(max_size=5) | st.sampled_from(
    ['x,"', ",", "{", '","s":', "\\", "é", "\U0001f600", "}", "\ud800", "2026-10-01"]
)
NUMBERS = st.sampled_from(["0", "-0", "1.50", "-1e2", "12E+3", "1" + "0" * 30, "0.1", "9007199254740993"])
SCALARS = NUMBERS | TEXTS.map(json.dumps) | st.sampled_from(["true", "false", "null", "[]", '{"a":1}', '"\\/\\u00E9"'])
KEYS = st.sampled_from([*"ijndsbto", "x", "y z", "a,"])
SPACING = st.sampled_from([("{", ",", ":", "}"), ("{ ", ", ", ": ", " } "), ("{", " ,\t", ":", "}\r")])


def _line(members, spacing):
    begin, comma, colon, end = spacing
    return begin + comma.join(f'"{key}"{colon}{value}' for key, value in members.items()) + end


RECORDS = st.builds(_line, st.dictionaries(KEYS, SCALARS, max_size=6), SPACING)
SAMPLES = st.lists(RECORDS | st.sampled_from(["", "  ", "3", '"s"', "{}", "[1]"]), min_size=1, max_size=30)


def _told(table: RecordTable):
    return table.scan().collect(), table.objects, table.absent, list(table.extras.items())


def _by_python(text: str, folder: Path) -> RecordTable:
    records = ((None, parsed_json(line, around=1)) for line in text.split("\n") if line.strip())
    return spool_records(records, CONTRACT, folder)


@given(SAMPLES, st.booleans())
@settings(max_examples=150, deadline=None)
def test_lines_that_are_written_alike_give_what_python_gives(lines, is_ended):
    text = "\n".join(lines * 3) + ("\n" if is_ended else "")
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_WORTH", 1)
        folder = written(Path(name), {"one.jsonl": text})
        found = _told(read_json_lines(folder / "one.jsonl", CONTRACT, folder / "spool"))
        expected = _told(_by_python(text, folder / "other"))
    assert found[0].equals(expected[0].select(found[0].columns))
    assert found[1:] == expected[1:]


@given(RECORDS)
@settings(max_examples=200, deadline=None)
def test_what_a_shape_tells_of_a_line_is_what_it_holds(line):
    shape = Shape.of(line)
    values = shape.values(pl.Series([line])) if shape else {}
    assert {key: parsed_json(text[0]) for key, text in values.items()} == (parsed_json(line) if shape else {})


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[1]",
        '{"a":1,}',
        '{,"a":1}',
        '{"a":1 "b":2}',
        '{"a":1,"a":2}',
        '{"a":01}',
        '{"a":1.}',
        '{"a":+1}',
        '{"a":NaN}',
        '{"a":"\t"}',
        '{"a":"\\x"}',
        '{"a":"\\ud800"}',
        '{"a":"\\udc00\\ud800"}',
        '{"a":{"b":1}}',
        '{"a":[]}',
        '{"\\u0061":1}',
        '{",":1}',
        '{"a":1}}',
        '{"a":1} {"a":1}',
        '\ufeff{"a":1}',
    ],
)
def test_a_line_that_is_not_proved_plain_has_no_shape(line):
    assert Shape.of(line) is None
    assert not Shape.of('{"a":1}').fit(pl.Series([line])).any()


def test_a_text_that_ends_as_a_mark_begins_is_told_whole():
    lines = pl.Series(['{"a":"x,","b":","}', '{"a":"x","b":"y"}'])
    values = Shape.of(lines[0]).values(lines)
    assert {key: text.to_list() for key, text in values.items()} == {"a": ['"x,"', '"x"'], "b": ['","', '"y"']}


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ('{"i": 1, "s": }', "line 101 is not well-formed JSON"),
        ('{"i": 1, "i": 2}', "line 101 repeats a key within one object"),
        ('{"i": NaN, "s": "a"}', "line 101 holds NaN or an infinity, which JSON does not have"),
        (b'{"i": 1, "s": "\xff"}', "line 101 is not utf-8 text"),
        ('\ufeff{"i": 1, "s": "a"}', "line 101 is not well-formed JSON"),
    ],
)
def test_the_first_fault_after_many_lines_is_told_by_its_line(tmp_path, last, why):
    text = b'{"i": 1, "s": "a"}\n' * 50 + b"\n" * 50 + (last if isinstance(last, bytes) else last.encode()) + b"\n{\n"
    contract = contract_of({"i": "integer", "s": "string"}, form={"type": "jsonl"})
    assert reason(taken(contract, tmp_path, {"one.jsonl": text})) == why


@pytest.mark.parametrize("block", [100, 1 << 23])
def test_a_fault_before_bytes_that_are_no_text_is_told_first(tmp_path, monkeypatch, block):
    monkeypatch.setattr(json_lines, "_BLOCK", block)
    text = b'{"i": 1}\n' * 50 + b"{\n" + b'{"i": 1}\n' * 5000 + b'"\xff"\n'
    contract = contract_of({"i": "integer"}, form={"type": "jsonl"})
    assert reason(taken(contract, tmp_path, {"one.jsonl": text})) == "line 51 is not well-formed JSON"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "utf-8-sig"])
def test_lines_in_any_encoding_keep_their_order_over_blocks(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr(json_lines, "_BLOCK", 100)
    lines = [f'{{"i": {number}, "s": "é{number}"}}' for number in range(200)]
    contract = contract_of({"i": "integer", "s": "string"}, form={"type": "jsonl", "encoding": encoding})
    candidate = taken(contract, tmp_path, {"one.jsonl": "\n".join(lines).encode(encoding)})
    assert rows(candidate).select("i", "s").rows() == [(number, f"é{number}") for number in range(200)]


def test_undeclared_keys_are_counted_in_order_of_sight(tmp_path):
    alike = ['{"i": 1, "x": 1}', '{"z": 1, "i": [], "y": 1}', '{"i": 1, "x": 2}'] * 40
    contract = contract_of({"i": "integer"}, form={"type": "jsonl"}, extra_fields="ignore")
    candidate = taken(contract, tmp_path, {"one.jsonl": "\n".join(alike)})
    assert [(extra.name, extra.rows) for extra in candidate.facts.extra_columns] == [("x", 80), ("z", 40), ("y", 40)]


def test_records_of_many_shapes_are_all_read(tmp_path):
    lines = [f'{{"i": {number}, "k{number % 40}": {number}}}' for number in range(2000)]
    contract = contract_of({"i": "integer"}, form={"type": "jsonl"}, extra_fields="ignore")
    candidate = taken(contract, tmp_path, {"one.jsonl": "\n".join(lines)})
    assert rows(candidate)["i"].to_list() == list(range(2000))
    assert {extra.rows for extra in candidate.facts.extra_columns} == {50}


def test_half_a_surrogate_pair_that_an_encoding_writes_leaves_its_value_undecoded(tmp_path):
    text = b'{"s": "a"}\n' * 50 + b'{"s": "\\ud800"}\n{"s": "b"}\n'
    contract = contract_of({"s": "string"}, form={"type": "jsonl", "encoding": "raw_unicode_escape"})
    frame = rows(taken(contract, tmp_path, {"one.jsonl": text}))
    assert frame.select("s", "__raw.s").rows()[-2:] == [(None, '"\\ud800"'), ("b", None)]
