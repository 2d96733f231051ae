"""Lines of JSON that are written alike → the texts of their values, told apart by Polars and without a parser.

One writer writes its records alike: the same keys in the same order, with the same blanks around them. A line is of a shape when
a regular expression proves that it is one flat object of exactly these keys, in the grammar of RFC 8259; so it repeats no key, and
the marks that stand before its values stand nowhere else in it. Every other line is for Python.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import polars as pl

_BLANKS = r"[ \t\r]*"
_HEX = "[0-9a-fA-F]"
_ESCAPE = (
    rf'\\(?:["\\/bfnrt]|u(?:[0-9a-cefA-CEF]{_HEX}{{3}}|[dD][0-7]{_HEX}{{2}}'
    rf"|[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}))"
)
_TEXT = rf'"(?:[^"\\\x00-\x1f]|{_ESCAPE})*"'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_SCALAR = f"(?:{_TEXT}|{_NUMBER}|true|false|null)"
_KEY = r'[^"\\\x00-\x1f,}\s][^"\\\x00-\x1f]*'
"""A key that begins with none of the characters that can follow a text, so that no end of a text can be taken for its mark."""
_MEMBER = re.compile(rf'(?P<mark>{_BLANKS}(?P<begin>[{{,]){_BLANKS}"(?P<key>{_KEY})"{_BLANKS}:{_BLANKS}){_SCALAR}')
_END = re.compile(rf"{_BLANKS}\}}{_BLANKS}")
_BETWEEN = "\x1f"


@dataclass(frozen=True)
class Shape:
    """The keys of a line in their order, what stands before each of its values, and what stands after the last."""

    keys: tuple[str, ...]
    marks: tuple[str, ...]
    end: str

    @classmethod
    def of(cls, line: str) -> Self | None:
        """The shape of a line; None where it has none, or one too large for a regular expression."""
        members, place = [], 0
        while member := _MEMBER.match(line, place):
            members.append(member)
            place = member.end()
        begins = "".join(member["begin"] for member in members)
        if not members or begins != "{" + "," * (len(members) - 1) or not _END.fullmatch(line, place):
            return None
        shape = cls(
            tuple(member["key"] for member in members), tuple(member["mark"] for member in members), line[place:]
        )
        return shape if len(set(shape.keys)) == len(members) and shape._is_told(line) else None

    def fit(self, lines: pl.Series) -> pl.Series:
        """True for each line of this shape."""
        return lines.str.contains(self._pattern)

    def values(self, lines: pl.Series) -> dict[str, pl.Series]:
        """By key the JSON text of each value, as written; every line must be of this shape."""
        columns = self._cut(lines) or self._marked(lines)
        columns[-1] = columns[-1].str.strip_suffix(self.end)
        return dict(zip(self.keys, columns, strict=True))

    def _cut(self, lines: pl.Series) -> list[pl.Series] | None:
        """Cut at what all marks but the first begin with; None where that stands elsewhere too, at the end of a text."""
        begin = {mark[: mark.index('"') + 1] for mark in self.marks[1:]}
        if len(begin) != 1:
            return None
        (between,) = begin
        *columns, beyond = lines.str.split_exact(between, len(self.marks)).struct.unnest().get_columns()
        if beyond.null_count() < len(beyond):
            return None
        cut = (0, *(len(between) for _ in columns[1:]))
        sizes = [len(mark) - done for mark, done in zip(self.marks, cut, strict=True)]
        return [text.str.slice(size) for text, size in zip(columns, sizes, strict=True)]

    def _marked(self, lines: pl.Series) -> list[pl.Series]:
        """The slower way, which no text can disturb."""
        told = lines.str.replace_many(list(self.marks), [_BETWEEN] * len(self.marks))
        return told.str.split_exact(_BETWEEN, len(self.marks)).struct.unnest().get_columns()[1:]

    @cached_property
    def _pattern(self) -> str:
        members = "".join(re.escape(mark) + _SCALAR for mark in self.marks)
        return f"^{members}{re.escape(self.end)}$"

    def _is_told(self, line: str) -> bool:
        try:
            return bool(self.fit(pl.Series([line])).all())
        except pl.exceptions.PolarsError:
            return False
