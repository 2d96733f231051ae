"""Lines of which parts may be coloured: what is said does not depend on it."""

import textwrap
from collections.abc import Iterator

Piece = tuple[str, str]
"""A text and how it is shown, in the words of rich; empty for as it is."""
Line = tuple[Piece, ...]


def wrapped(head: Line, text: str, width: int) -> Iterator[Line]:
    """A text beside its head, broken before it grows too wide and indented as far; names are not broken."""
    indent = sum(len(piece) for piece, _ in head)
    parts = textwrap.wrap(text, max(20, width - indent), break_long_words=False, break_on_hyphens=False) or [""]
    for number, part in enumerate(parts):
        yield (*head, (part, "")) if number == 0 else ((" " * indent, ""), (part, ""))


def in_rows(items: tuple[Line, ...], width: int) -> Iterator[Line]:
    """Short lines beside each other, as many as fit, two blanks apart."""
    row: list[Piece] = []
    used = 0
    for item in items:
        length = sum(len(piece) for piece, _ in item)
        if row and used + 2 + length > width:
            yield tuple(row)
            row, used = [], 0
        row += [("  ", ""), *item] if row else item
        used += (2 if used else 0) + length
    if row:
        yield tuple(row)


def plain_text(line: Line) -> str:
    """The line as text alone."""
    return "".join(text for text, _ in line).rstrip()
