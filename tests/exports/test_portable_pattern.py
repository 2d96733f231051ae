"""Patterns for other languages: the same verdict on every text, or a refusal."""

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.contract.field_rules import whole_value
from contract_core.exports.portable_pattern import NotPortable, portable_pattern


@pytest.mark.parametrize(
    ("pattern", "portable"),
    [
        ("[A-Z]{2}|X", "^(?:[A-Z]{2}|X)$"),
        ("(a)+?", "^(?:(?:a)+)$"),
        (".", r"^(?:[^\n])$"),
        (r"\A\@\.\-\z", r"^(?:^@\.-$)$"),
        (r"\x41\t", r"^(?:A\t)$"),
        ("[-a]", r"^(?:[\-a])$"),
        ("]", r"^(?:\])$"),
        ("/", r"^(?:\/)$"),
    ],
)
def test_what_all_languages_have_is_carried(pattern, portable):
    assert portable_pattern(pattern) == portable


@pytest.mark.parametrize(
    "pattern",
    [r"\d", r"\w", r"\b", r"\pL", r"[\S]", "(?i)a", "(?P<n>a)", "[[a]]", "[a&&b]", "[a--b]", "{", "a**", "[]a]", r"\u{41}", "\U0001d49c"],
)  # fmt: skip
def test_what_means_something_else_elsewhere_is_refused(pattern):
    with pytest.raises(NotPortable):
        portable_pattern(pattern)


PIECES = st.sampled_from(
    ["a", "b", ".", r"\.", "[ab]", "[^a]", "[a-c]", r"[^@\s]", r"\s", r"\S", "(a|b)", "(?:ab)", "^", "$", "|", "-", r"\-", r"\@", "]", "}", r"\n",
     r"\x41", r"[\-a]", r"[a\]]", "[-a]", "[a-]", "[.]", "[$^]", r"\A", r"\z", "/", "&", "[é-ü]", r"\d", "(?i)", "{", " ", "[^^]"]
)  # fmt: skip
REPEATED = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "{2}?"])
PATTERNS = st.lists(st.tuples(PIECES, REPEATED).map("".join), min_size=1, max_size=4).map("".join)
VALUES = [
    "", "a", "b", "ab", "ba", "aa", "abc", "A", "@", "-", " ", "\u0085", "\ufeff", "\u2028", "é", "ü", ".", "]", "}", "/", "&", "1", "x", "aab", " a", "^", "$", "[", "\\",
    "\na",
]  # fmt: skip


@settings(max_examples=400, deadline=None, derandomize=True)
@given(PATTERNS)
def test_a_portable_pattern_gives_the_same_verdicts(pattern):
    """Python's own `$` lets a final line feed pass; no value here has one."""
    try:
        wanted = pl.Series(VALUES).str.contains(whole_value(pattern)).to_list()
        portable = re.compile(portable_pattern(pattern))
    except (NotPortable, pl.exceptions.ComputeError):
        return
    assert [portable.search(value) is not None for value in VALUES] == wanted
