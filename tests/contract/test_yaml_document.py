"""YAML's traps: what is refused, where it stands, and what is read exactly."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from contract_core.contract.yaml_document import MAX_BYTES, MAX_NODES, Mark, load_document

FLATTER = "write it flatter"
PUNCTUATION = "check indentation, quotes and brackets around here"
QUOTES = "write it in quotes"
PLAIN = "write it in quotes if it is text, else as a plain number"


def problems(text: str | bytes) -> list[tuple[int, int, str, str]]:
    document = load_document(text.encode() if isinstance(text, str) else text)
    return [(mark.line, mark.column, what, hint) for mark, what, hint in document.problems]


def value(text: str) -> object:
    document = load_document(text.encode())
    assert document.problems == []
    return document.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", (3, 1, "'a' stands here a second time, first in line 1", "keep one of them"), id="duplicate key"),
        pytest.param("a: {b: 1, c: 2, b: 1}\n", (1, 17, "'b' stands here a second time, first in line 1", "keep one of them"), id="duplicate key in braces"),
        pytest.param("on: 1\n", (1, 1, "YAML reads the key on as bool, not as text", QUOTES), id="P14 on as a key"),
        pytest.param("a:\n  NO: 1\n", (2, 3, "YAML reads the key NO as bool, not as text", QUOTES), id="P14 NO as a key"),
        pytest.param("1: x\n", (1, 1, "YAML reads the key 1 as int, not as text", QUOTES), id="number as a key"),
        pytest.param("1.5: x\n", (1, 1, "YAML reads the key 1.5 as float, not as text", QUOTES), id="decimal number as a key"),
        pytest.param("null: x\n", (1, 1, "YAML reads the key null as null, not as text", QUOTES), id="null as a key"),
        pytest.param("2026-10-01: x\n", (1, 1, "YAML reads the key 2026-10-01 as timestamp, not as text", QUOTES), id="date as a key"),
        pytest.param("? [a, b]\n: x\n", (1, 3, "a list or mapping cannot be a key", "write a name"), id="list as a key"),
        pytest.param("a: &x {b: 1}\nc: {<<: *x}\n", (2, 5, "merge keys are not part of the language", "write the values out"), id="merge key"),
        pytest.param("a: !mine x\n", (1, 4, "the tag !mine means nothing here", "remove it"), id="local tag"),
        pytest.param("a: !!python/object:os.system x\n", (1, 4, "the tag tag:yaml.org,2002:python/object:os.system means nothing here", "remove it"), id="python tag"),
        pytest.param("a: !!binary aGk=\n", (1, 4, "the tag tag:yaml.org,2002:binary means nothing here", "remove it"), id="binary tag"),
        pytest.param("a: !!set {b, c}\n", (1, 4, "the tag tag:yaml.org,2002:set means nothing here", "remove it"), id="tag on a mapping"),
        pytest.param("a: !!omap [b: 1]\n", (1, 4, "the tag tag:yaml.org,2002:omap means nothing here", "remove it"), id="tag on a list"),
        pytest.param("a: !!bool maybe\n", (1, 4, "YAML cannot read maybe as the number or date it looks like", QUOTES), id="tag that its text does not fit: bool"),
        pytest.param("a: !!timestamp soon\n", (1, 4, "YAML cannot read soon as the number or date it looks like", QUOTES), id="tag that its text does not fit: timestamp"),
        pytest.param('a: !!int ""\n', (1, 4, "YAML cannot read  as the number or date it looks like", QUOTES), id="tag that its text does not fit: int"),
        pytest.param("--- \na: 1\n---\nb: 2\n", (4, 1, "a second document starts here", "write one contract per file"), id="second document"),
        pytest.param("a: .inf\n", (1, 4, "YAML cannot read .inf as the number or date it looks like", QUOTES), id="infinity"),
        pytest.param("a: -.INF\n", (1, 4, "YAML cannot read -.INF as the number or date it looks like", QUOTES), id="minus infinity"),
        pytest.param("a: .nan\n", (1, 4, "YAML cannot read .nan as the number or date it looks like", QUOTES), id="NaN"),
        pytest.param("a: 010\n", (1, 4, "YAML reads 010 as 8", PLAIN), id="octal"),
        pytest.param("a: 1:30\n", (1, 4, "YAML reads 1:30 as 90", PLAIN), id="sexagesimal"),
        pytest.param("a: 1:30.5\n", (1, 4, "YAML cannot read 1:30.5 as the number or date it looks like", QUOTES), id="sexagesimal fraction"),
        pytest.param("a: 2026-02-30\n", (1, 4, "YAML cannot read 2026-02-30 as the number or date it looks like", QUOTES), id="day that is none"),
        pytest.param("a: 1.0e+5000\n", (1, 4, "YAML cannot read 1.0e+5000 as the number or date it looks like", QUOTES), id="number beyond reason"),
        pytest.param("a: 1.0e-99999999\n", (1, 4, "YAML cannot read 1.0e-99999999 as the number or date it looks like", QUOTES), id="fraction beyond reason"),
        pytest.param(f"a: 0x{'f' * 5000}\n", (1, 4, f"YAML cannot read 0x{'f' * 38} as the number or date it looks like", QUOTES), id="hexadecimal number beyond reason"),
        pytest.param(f"a: {'9' * 5000}\n", (1, 4, f"YAML cannot read {'9' * 40} as the number or date it looks like", QUOTES), id="digits beyond reason"),
        pytest.param("a: &x [*x]\n", (1, 4, "the value contains itself or is nested more than 30 deep", "write it out, flatter"), id="alias to itself"),
        pytest.param(f"a: {'[' * 40}{']' * 40}\n", (1, 34, "the value contains itself or is nested more than 30 deep", "write it out, flatter"), id="forty brackets"),
        pytest.param("[" * 100_000, (1, 1, "the text is nested more than 30 deep", FLATTER), id="100,000 brackets"),
        pytest.param("{a: " * 100_000, (1, 1, "the text is nested more than 30 deep", FLATTER), id="100,000 braces"),
        pytest.param("- " * 100_000, (1, 1, "the text is nested more than 30 deep", FLATTER), id="100,000 dashes"),
        pytest.param("a:\n\tb: 1\n", (2, 1, "not YAML: found character that cannot start any token", PUNCTUATION), id="tab"),
        pytest.param("a: [1, 2\n", (2, 1, "not YAML: did not find expected ',' or ']'", PUNCTUATION), id="open bracket"),
        pytest.param("a: b\x00c\n", (1, 1, "not YAML: the text holds a character that YAML does not allow", "remove control characters"), id="NUL"),
        pytest.param("a: \x07\n", (1, 1, "not YAML: the text holds a character that YAML does not allow", "remove control characters"), id="bell"),
        pytest.param(b"a: 1\nb: \xff\n", (2, 1, "the file is not UTF-8", "save it as UTF-8"), id="bad UTF-8"),
        pytest.param("a: 1".encode("utf-16"), (1, 1, "the file is not UTF-8", "save it as UTF-8"), id="UTF-16"),
        pytest.param("", (1, 1, "the file is empty", "write contract:, version: and fields:"), id="empty"),
        pytest.param("# only a comment\n", (1, 1, "the file is empty", "write contract:, version: and fields:"), id="comment only"),
        pytest.param(b"a" * (MAX_BYTES + 1), (1, 1, "the file has 1,048,577 bytes, the limit is 1,048,576", "split it"), id="a byte over 1 MiB"),
    ],
)  # fmt: skip
def test_a_trap_is_refused_where_it_stands(text: str | bytes, expected: tuple[int, int, str, str]) -> None:
    assert problems(text) == [expected]


@pytest.mark.parametrize("opening", ["? ", "- ? ", "[? ", "!a ", "&a "], ids=str)
def test_any_deep_nesting_gives_one_problem(opening: str) -> None:
    assert len(problems(opening * 100_000)) == 1


def test_aliases_that_explode_give_one_problem() -> None:
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 20)
    )
    assert [what for _, _, what, _ in problems(bomb)] == [f"aliases make more than {MAX_NODES:,} values of this file"]


def test_every_duplicate_key_is_told() -> None:
    assert [(line, column) for line, column, *_ in problems("a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\n")] == [
        (2, 1),
        (3, 11),
        (4, 1),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: 1.10", {"a": Decimal("1.10")}, id="a decimal number keeps its digits"),
        pytest.param("a: 1234567890123456789012345678.0123456789", {"a": Decimal("1234567890123456789012345678.0123456789")}, id="38 digits"),
        pytest.param("a: 1_000", {"a": 1000}, id="underscores"),
        pytest.param("a: [0, -7, +7, 0x10]", {"a": (0, -7, 7, 16)}, id="whole numbers"),
        pytest.param("a: 08", {"a": "08"}, id="08 is text"),
        pytest.param('a: "010"', {"a": "010"}, id="quoted octal"),
        pytest.param("a: 09:00", {"a": "09:00"}, id="a clock with a leading zero is text"),
        pytest.param("a: [yes, No, on, true]", {"a": (True, False, True, True)}, id="booleans of YAML 1.1"),
        pytest.param("a: [~, null, ]", {"a": (None, None)}, id="nothing"),
        pytest.param("a: 2026-10-01", {"a": date(2026, 10, 1)}, id="day"),
        pytest.param("a: 2026-10-01T02:03:04Z", {"a": datetime(2026, 10, 1, 2, 3, 4, tzinfo=UTC)}, id="moment"),
        pytest.param("a: &x [1]\nb: *x", {"a": (1,), "b": (1,)}, id="alias"),
        pytest.param("a: !!str 5", {"a": "5"}, id="tag of text"),
        pytest.param('a: "\\u00e9\\x07"', {"a": "é\x07"}, id="escapes"),
        pytest.param("\ufeffa: 1", {"a": 1}, id="byte order mark"),
        pytest.param("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}, id="CRLF"),
        pytest.param("a: 'it''s [ { fine'", {"a": "it's [ { fine"}, id="brackets in quotes"),
    ],
)  # fmt: skip
def test_values_are_read_exactly(text: str, expected: object) -> None:
    assert value(text) == expected


def test_a_file_of_exactly_one_mebibyte_is_read() -> None:
    text = b"a: 1 #" + b"x" * (MAX_BYTES - 6)
    assert (len(text), load_document(text).value) == (MAX_BYTES, {"a": 1})


def test_values_and_keys_know_their_places() -> None:
    document = load_document(b"a:\r\n  - {b: 1}\r\n  -   c\r\n")
    assert document.mark(("a", 0, "b")) == Mark(2, 9)
    assert document.key_mark(("a", 0, "b")) == Mark(2, 6)
    assert document.mark(("a", 1)) == Mark(3, 7)
    assert document.mark(("a", 1, "nowhere")) == Mark(3, 7)
    assert document.key_mark(("a", 9, "nowhere")) == Mark(1, 1)
