"""A file of JSON lines → records: lines that are written alike by Polars, all others one by one by Python."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.json_records import Group, RecordTable, spooled
from contract_core.candidate.json_shapes import Shape
from contract_core.candidate.json_text import parsed_json
from contract_core.candidate.text_lines import Unreadable, opened_text, undecodable
from contract_core.contract.model import Contract

_BLOCK = 1 << 23
_BLANKS = " \t\r\n"
_WORTH = 32
"""So many lines without a shape are worth looking for one; fewer are quicker read by Python."""
_SHAPES = 12
_ROW, _LINE = "row", "line"


def read_json_lines(path: Path, contract: Contract, spool: Path) -> RecordTable:
    """One record a line; raises Unreadable with the line of the first fault."""
    table = RecordTable.at(spool, contract)
    encoding = contract.delivery.format.encoding
    shapes: list[Shape] = []
    characters, lines = 0, 0
    try:
        for text in _blocks(path, encoding):
            block = pl.Series(_LINE, [text.removesuffix("\n")]).str.split("\n").explode()
            for start in range(0, len(block), table.chunk):
                _keep(table, shapes, block.slice(start, table.chunk), lines + start)
            characters, lines = characters + len(text), lines + len(block)
    except UnicodeError:  # no text, or half a surrogate pair: Python takes the rest, or tells which line is wrong
        spooled(table, ((None, record) for record in _records(path, encoding, characters, lines)))
    return table


def _blocks(path: Path, encoding: str) -> Iterator[str]:
    """The text of the file in pieces of whole lines."""
    rest: list[str] = []
    with opened_text(path, encoding, newline="\n") as text:
        while piece := text.read(_BLOCK):
            end = piece.rfind("\n") + 1
            if end:
                yield "".join((*rest, piece[:end]))
                rest.clear()
            rest.append(piece[end:])
    if last := "".join(rest):
        yield last


def _keep(table: RecordTable, shapes: list[Shape], lines: pl.Series, before: int) -> None:
    """The records of these lines, which stand after so many others, to the spool."""
    rest = lines.to_frame().with_row_index(_ROW)
    groups: list[Group] = []
    known = 0
    while (shape := _shape(shapes, known, rest)) is not None:
        known += 1
        fits = shape.fit(rest[_LINE])
        if fits.any():
            alike = rest.filter(fits)
            groups.append(table.texts(alike[_ROW], shape.values(alike[_LINE])))
            rest = rest.filter(~fits)
    others = [(row, line) for row, line in rest.iter_rows() if line.strip(_BLANKS)]
    if others:
        records = [(None, parsed_json(line, before + row + 1, around=1)) for row, line in others]
        groups.append(table.values(pl.Series([row for row, _ in others], dtype=pl.UInt32), records))
    if groups:
        table.keep(groups)


def _shape(shapes: list[Shape], known: int, rest: pl.DataFrame) -> Shape | None:
    """The next shape to hold the rest against; a new one where many lines fit none."""
    if known == len(shapes) and known < _SHAPES and rest.height >= _WORTH:
        found = (Shape.of(line) for line in rest[_LINE].head(2))
        shapes += [shape for shape in found if shape is not None][:1]
    return shapes[known] if known < len(shapes) and rest.height else None


def _records(path: Path, encoding: str, characters: int, lines: int) -> Iterator[Any]:
    """All records after so many characters, which are so many lines."""
    try:
        with opened_text(path, encoding, newline="\n") as text:
            while characters:
                characters -= len(text.read(min(characters, _BLOCK)))
            for number, line in enumerate(text, start=lines + 1):
                if line.strip(_BLANKS):
                    yield parsed_json(line, number, around=1)
    except UnicodeError:
        raise Unreadable(undecodable(path, encoding)) from None
