"""Dates under a stated format: what decodes is what the format writes, digit by digit, or the same without leading zeros."""

from datetime import datetime
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contract_core.errors import NotYetSupportedError
from tests.candidate.test_decoding_dates import values_of

pytestmark = pytest.mark.slow

NUMBERS = ("Y", "y", "m", "d", "j", "H", "I", "M", "S")
DIRECTIVES = (*NUMBERS, "b", "B", "a", "A", "p")
OTHERS = {"date": set("HIMSp"), "time": set("YymdjbBaA")}
MARKS = st.sampled_from(["", "", "-", "/", " ", ".", "T", "1"])
FORMATS = st.lists(st.tuples(st.sampled_from(DIRECTIVES), MARKS), min_size=1, max_size=6) | st.sampled_from(
    [
        [("d", ""), ("m", ""), ("Y", "")],
        [("Y", ""), ("m", ""), ("d", "")],
        [("d", "/"), ("m", "/"), ("Y", "")],
        [("Y", ""), ("j", "")],
        [("Y", ""), ("m", ""), ("d", ""), ("H", ""), ("M", ""), ("S", "")],
        [("d", "-"), ("b", "-"), ("Y", " "), ("I", ":"), ("M", " "), ("p", "")],
        [("d", ""), ("b", ""), ("y", "")],
    ]
)
MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31))
CHANGES = st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["", "0", "1", "9", " ", "-"])), max_size=2)


def _with_marks(directives: list[str]) -> st.SearchStrategy[list[tuple[str, str]]]:
    return st.tuples(*(st.tuples(st.just(directive), MARKS) for directive in directives)).map(list)


def written(directive: str, moment: datetime) -> str:
    """What a directive writes, in its full width."""
    return f"{moment.year:04}" if directive == "Y" else moment.strftime(f"%{directive}")


def forms(stated: list[tuple[str, str]], moment: datetime) -> set[str]:
    """Every text that stands for the moment: a number without its leading zeros only where no digit can touch it."""
    pieces = []
    for place, (directive, mark) in enumerate(stated):
        full = written(directive, moment)
        before = stated[place - 1] if place else ("", "-")
        after = stated[place + 1][0] if place + 1 < len(stated) else ""
        is_touched = before[1].isdigit() or (not before[1] and before[0] in NUMBERS)
        is_touched |= mark.isdigit() or (not mark and after in NUMBERS)
        is_free = directive in NUMBERS and directive not in "Yy" and not is_touched
        texts = {full[zeros:] for zeros in range(len(full)) if set(full[:zeros]) <= {"0"}} if is_free else {full}
        pieces.append({text + mark for text in texts})
    return {"".join(chosen).lower() for chosen in product(*pieces)}


def changed(text: str, changes: list[tuple[int, str]]) -> str:
    """The text with single characters replaced or dropped."""
    for place, character in changes:
        text = text[:place] + character + text[place + 1 :]
    return text


@settings(max_examples=400, deadline=None)
@given(FORMATS, MOMENTS, CHANGES)
@example([("d", ""), ("m", ""), ("Y", "")], datetime(2026, 10, 1), [(0, "")])
@example([("d", ""), ("m", ""), ("Y", "")], datetime(2026, 2, 11), [(4, "")])
@example([("Y", ""), ("m", ""), ("d", "")], datetime(2026, 11, 1), [(6, "")])
@example([("d", "1"), ("m", "/"), ("Y", "")], datetime(2026, 1, 1), [(0, "")])
def test_what_decodes_is_what_the_format_writes(stated, moment, changes):
    text = changed("".join(written(directive, moment) + mark for directive, mark in stated), changes)
    format_ = "".join(f"%{directive}{mark}" for directive, mark in stated)
    told = {directive for directive, _ in stated}
    for promised in ("date", "timestamp", "time"):
        if promised != "timestamp" and told & OTHERS[promised]:
            continue  # what a format names beyond the type is let go
        try:
            (value,) = values_of(promised, [text], formats=(format_,))
        except NotYetSupportedError:
            continue
        if value is None:
            continue
        if promised == "date":
            value = datetime(value.year, value.month, value.day)
        if promised == "time":
            value = datetime.combine(moment.date(), value)
        assert text.lower() in forms(stated, value)


@settings(max_examples=200, deadline=None)
@given(st.permutations("Ymda").flatmap(_with_marks), MOMENTS)
def test_what_a_format_writes_in_full_decodes_to_what_it_says(stated, moment):
    text = "".join(written(directive, moment) + mark for directive, mark in stated)
    format_ = "".join(f"%{directive}{mark}" for directive, mark in stated)
    assert values_of("date", [text], formats=(format_,)) == [moment.date()]
