"""A contract as YAML: what is written reads back as the same contract, and a person would write it so."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.writing import contract_text
from contract_core.contract.yaml_text import duration_text, number_text, share_text
from tests.contract.texts import HEAD, MINIMAL, contract_of
from tests.properties.strategies import KEPT, TEXT

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(
    [
        *ROOT.glob("data/contracts/*.yaml"),
        *ROOT.glob("tests/real_data/contracts/*.yaml"),
        ROOT / "tests/cases/design_example.yaml",
        *ROOT.glob("tests/cases/changes/*/*.yaml"),
    ]
)
HOSTILE = [
    "no", "NO", "y", "null", "~", "on", "1.10", "010", "0o17", "0x1f", "1e3", "1:30", ".inf", "2026-10-01", "2026-10-01 10:00:00", "=", "<<", "---", "...",
    "- a", "a: b", "a:", ":a", "a #b", "#a", "a, b", "[a]", "{a}", "}", "*x", "&x", "!t", "!!bool x", "%d", "@a", "`a`", "|", ">", "?", "? a", "'", '"', "''",
    "it's", 'say "no"', "a\\b", "\\", "a\nb", "a\nb\n", "\na", "a\n\n b", "a\n # b\n", "  a", "a  ", "\ta", "a\tb", "a\r\nb", "\r", "a\x85b", "a\u2028b", "\x00", "\x1b[31m",
    "\x7f", "\ufeff", "é", "日本語", "🐢", "\U0010ffff", "\ufffe", "a" * 300, "word " * 60 + "end", "two  blanks " * 20 + "end", "x" * 140 + " y", "\u00a0", "# review: \n- x",
    "long text, with: commas # and marks " * 5 + ".",
]  # fmt: skip
TEXTS = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
NAMED = TEXTS.filter(str.strip)
NAMES = NAMED.filter(
    lambda text: (
        text == text.strip()
        and not any(ord(character) < 32 or ord(character) == 127 for character in text)
        and text != "*"
        and not text.startswith(("__", "^"))
        and len(text) < 256
    )
)
NUMBERS = st.integers(-(10**30), 10**30) | st.decimals(allow_nan=False, allow_infinity=False, places=7).map(
    lambda number: int(number) if number == number.to_integral_value() else number.normalize()
)
SHARES = st.decimals(0, 100, allow_nan=False, allow_infinity=False, places=3).map(lambda share: f"{share}%")
FACTORS = st.none() | st.integers(1, 1000) | st.decimals("0.01", 1000, places=3) | st.floats(0.01, 1000)
SPANS = st.tuples(st.integers(0, 999_999), st.sampled_from("smhdw")).map(lambda span: f"{span[0]}{span[1]}")
MOMENTS = st.datetimes(timezones=st.none() | st.just(UTC) | st.just(timezone(timedelta(hours=5, minutes=30))))


@st.composite
def contracts(draw: Any) -> Contract:
    first, second = draw(st.lists(NAMES, min_size=2, max_size=2, unique_by=str.casefold))
    moment = draw(MOMENTS)
    zone = {True: "timestamp", False: "timestamp[us,UTC]"}[moment.tzinfo is None]
    low, high = sorted([draw(NUMBERS), draw(NUMBERS)])
    return Contract.model_validate(
        {
            "contract": "cases",
            "version": "1.0.0",
            "description": draw(TEXTS | st.none()),
            "purpose": draw(NAMED),
            "key": [first],
            "owners": {"producer": {"name": draw(NAMED), "contact": draw(NAMED)}, "consumers": [{"name": draw(NAMED), "relies_on": [second]}]},
            "fields": [
                {"name": first, "type": "string", "enum": draw(st.lists(TEXTS, min_size=1, max_size=40, unique=True)), "semantics": draw(NAMED)},
                {"name": second, "type": "number", "min": low, "max": high, "unit": draw(NAMED), "severity": draw(st.sampled_from([{}, {"range": "warn"}]))},
                {"name": f"{first[:200]} at", "type": zone, "min": moment, "required": False, "sunset": draw(st.dates())},
            ],
            "unique": [{"name": draw(NAMED), "fields": [first, second], "severity": "warn"}],
            "freshness": {"column": f"{first[:200]} at", "max_age": draw(SPANS)},
            "delivery": {"format": {"null_values": draw(st.sampled_from([["", "-"], {first: ["#", "NA"]}])), "dates": {f"{first[:200]} at": draw(st.sampled_from(["%d, %m", ["%d", "%Y: %m"]]))}}},
            "enforcement": {"on_breach": "quarantine", "quarantine": {"max_rate": draw(SHARES), "keep": draw(SPANS)}},
            "monitors": {"volume": {"max_change": "250.50%", "max_deviation": draw(FACTORS), "min_history": 3}, "fields": {second: {"null_rate": draw(SHARES), "max_deviation": draw(FACTORS)}, first: {"shares": draw(SHARES)}}},
            "unverified": [{"claim": draw(NAMED), "evidence": draw(NAMED)}],
        }
    )  # fmt: skip


def again(contract: Contract, notes: Mapping[tuple[str | int, ...], str] | None = None) -> Contract:
    return parse_contract(contract_text(contract, notes or {}), "written.yaml")


def is_same(contract: Contract) -> bool:
    read = again(contract)
    return read == contract and read.digest == contract.digest


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_shipped_contract_reads_back_with_the_same_digest(path: Path) -> None:
    assert is_same(parse_contract(path.read_bytes(), path.name))


@pytest.mark.parametrize("text", [MINIMAL, HEAD + KEPT, TEXT], ids=["minimal", "kept", "json"])
def test_the_contracts_of_other_tests_read_back(text: str) -> None:
    assert is_same(contract_of(text))


@settings(max_examples=150, derandomize=True, deadline=None)
@given(contracts())
def test_any_contract_reads_back_with_the_same_digest(contract: Contract) -> None:
    assert is_same(contract)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_any_text_reads_back_between_braces_and_after_a_key(text: str) -> None:
    field = {"name": "a", "type": "string", "enum": [text], "description": text}
    whole = {"contract": "cases", "version": "1.0.0", "description": text, "fields": [field]}
    read = again(Contract.model_validate(whole))
    assert (read.description, read.fields[0].description, read.fields[0].enum) == (text, text, (text,))


@settings(max_examples=60, derandomize=True, deadline=None)
@given(contracts(), TEXTS, TEXTS)
def test_notes_never_change_the_contract(contract: Contract, first: str, second: str) -> None:
    notes = {
        (): first, ("owners",): second, ("fields", 0, "enum"): first, ("fields", 1): second, ("sunset",): first,
        ("delivery", "format", "dates"): second, ("status",): first, ("fields", 2, "max"): second,
    }  # fmt: skip
    assert again(contract, notes) == contract


def test_a_small_contract_is_written_as_a_person_would() -> None:
    text = """\
contract: cases
version: "1.0.0"
description: Cases by day.
domain: health
owners:
  producer: {name: lab, contact: "team:lab, floor 2"}
  consumers:
    - {name: report, relies_on: [count]}
key: [id]
fields:
  - {name: id, type: string, pattern: '[A-Z]\\d{2}'}
  - {name: "no", type: "decimal(10,2)", nullable: true, min: 0.5, max: 7}
  - name: count
    type: integer
    enum: [1, 2]
    semantics: Counted where the sample was taken and never where it was examined, which can be another region.
rows: {min: 0}
delivery:
  path: cases/{partition}/*.csv
  format: {delimiter: ";", null_values: ["", NA]}
  partition: {every: day, column: day, start: 2026-10-01}
freshness: {column: day, max_age: 30d}
enforcement: {on_breach: quarantine, quarantine: {max_rate: "5%"}}
""".replace("rows:", "  - {name: day, type: date}\nrows:")
    assert contract_text(contract_of(text)) == text


def test_a_long_text_is_folded_and_one_with_lines_keeps_them() -> None:
    text = MINIMAL.replace("fields:", "description: >-\n" + "  word" * 1 + " word" * 40 + "\nfields:")
    assert "description: >-\n  word word" in contract_text(contract_of(text))
    lines = MINIMAL.replace("fields:", "description: |\n  one\n\n    two\nfields:")
    assert "description: |\n  one\n\n    two\n" in contract_text(contract_of(lines))


def test_a_long_list_goes_on_below_its_bracket() -> None:
    named = [f"part-{number:03d}" for number in range(30)]
    whole = {"contract": "cases", "version": "1.0.0", "fields": [{"name": "a", "type": "string", "enum": named}]}
    written = contract_text(Contract.model_validate(whole))
    assert "    enum: [part-000, part-001," in written
    assert "\n           part-0" in written
    assert max(map(len, written.splitlines())) <= 120


def test_notes_stand_at_the_line_of_their_path() -> None:
    notes = {
        (): "a first draft",
        ("status",): "review: until somebody approves",
        ("owners",): "review: name the owners",
        ("fields", 0, "nullable"): "review: 3 nulls in 10 rows",
        ("fields", 1, "min"): "review: one",
        ("fields", 1): "review: " + "long " * 20,
    }
    text = HEAD + "fields:\n  - {name: a, type: string, nullable: true}\n  - {name: b, type: integer, min: 0}\n"
    assert contract_text(contract_of(text), notes) == (
        "# a first draft\n"
        + HEAD
        + "status: draft  # review: until somebody approves\n# review: name the owners\nfields:\n"
        + "  - {name: a, type: string, nullable: true}  # review: 3 nulls in 10 rows\n"
        + f"  # review: one\n  # review: {'long ' * 20}".rstrip()
        + "\n  - {name: b, type: integer, min: 0}\n"
    )


def test_a_note_cannot_leave_its_comment() -> None:
    written = contract_text(contract_of(MINIMAL), {("fields", 0): "one\nkey: [a]\u2028key: [a]\x85key: [a]\rkey: [a]"})
    assert contract_of(written).key == ()


@pytest.mark.parametrize(
    ("span", "written"),
    [
        (timedelta(days=30), "30d"), (timedelta(hours=36), "36h"), (timedelta(weeks=2), "14d"), (timedelta(seconds=90), "90s"), (timedelta(minutes=90), "90m"),
        (timedelta(0), "0s"), (timedelta(weeks=999_999), "999999w"), (timedelta(seconds=999_999_999), "999999999s"),
    ],
)  # fmt: skip
def test_a_span_is_written_in_its_largest_whole_unit(span: timedelta, written: str) -> None:
    assert duration_text(span) == written


@pytest.mark.parametrize("stated", ["0%", "5%", "5.0%", "5.00%", "50.00%", "100%", "0.05%", "33.333333333333333333333333333333333%", "007.5%"])  # fmt: skip
def test_a_share_keeps_its_digest(stated: str) -> None:
    share = Decimal(stated[:-1]) / 100
    assert (Decimal(share_text(share).strip('"%')) / 100).as_tuple() == share.as_tuple()


def test_a_share_that_no_percentage_gives_is_written_as_it_was() -> None:
    text = (
        MINIMAL
        + "enforcement: {on_breach: quarantine, quarantine: {max_rate: 0.0333333333333333333333333333333333333}}\n"
    )
    assert is_same(contract_of(text))
    assert "0.0333333333333333333333333333333333333" in contract_text(contract_of(text))


@pytest.mark.parametrize("stated", ["0.1", "1.0e-7", "1.0e-390", "-12345678901234567890123456789.5", "1.0e+400", "1.0e+399", "9" * 400, "-0.5"])  # fmt: skip
def test_a_number_keeps_every_digit(stated: str) -> None:
    text = HEAD + f"fields:\n  - {{name: a, type: number, min: {stated}}}\n"
    assert is_same(contract_of(text))


def test_a_number_is_written_without_an_exponent_where_that_is_short() -> None:
    assert [number_text(Decimal(number)) for number in ("1E-7", "0.25")] == ["0.0000001", "0.25"]


def test_days_and_moments_are_no_text() -> None:
    bounds = {"min": date(2026, 10, 1), "max": datetime(2026, 10, 2, 3, 4, 5, 6000)}
    whole = {"contract": "cases", "version": "1.0.0", "fields": [{"name": "a", "type": "timestamp", **bounds}]}
    contract = Contract.model_validate(whole)
    assert "min: 2026-10-01, max: 2026-10-02T03:04:05.006000" in contract_text(contract)
    assert is_same(contract)
