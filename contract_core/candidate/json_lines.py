"""A file of JSON lines → records: lines that are written alike by Polars, all others one by one by Python."""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
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
_SHAPES, _AT_ONCE = 12, 2
_ROW, _LINE = "row", "line"


@dataclass(slots=True)
class _Given:
    """How much of a file was given out; `is_stopped` where what follows is no text, or half a surrogate pair."""

    characters: int = 0
    lines: int = 0
    is_stopped: bool = False


@dataclass(frozen=True, slots=True)
class _Sifted:
    """Some lines after so many `before`: the groups of those that have one of so many shapes, and the rest."""

    before: int
    groups: list[Group]
    shapes: int
    rest: pl.DataFrame


def read_json_lines(path: Path, contract: Contract, spool: Path) -> RecordTable:
    """One record a line; raises Unreadable with the line of the first fault."""
    table = RecordTable.at(spool, contract)
    encoding = contract.delivery.format.encoding
    shapes: list[Shape] = []
    given = _Given()
    try:
        with closing(_sifted_ahead(table, shapes, _chunks(path, encoding, 2 * table.chunk, given))) as chunks:
            for sifted in chunks:
                _keep(table, shapes, sifted)
    except RecursionError:
        raise Unreadable("holds JSON that nests too deeply") from None
    if given.is_stopped:  # Python takes what follows, or tells which line is wrong
        spooled(table, ((None, record) for record in _records(path, encoding, given)))
    return table


def _chunks(path: Path, encoding: str, size: int, given: _Given) -> Iterator[tuple[int, pl.Series]]:
    """The lines, at most so many at once, with the number of those before them."""
    try:
        for text in _blocks(path, encoding):
            lines = pl.Series(_LINE, [text.removesuffix("\n")]).str.split("\n").explode()
            yield from ((given.lines + start, lines.slice(start, size)) for start in range(0, len(lines), size))
            given.characters, given.lines = given.characters + len(text), given.lines + len(lines)
    except UnicodeError:
        given.is_stopped = True


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


def _sifted_ahead(
    table: RecordTable, shapes: Sequence[Shape], chunks: Iterator[tuple[int, pl.Series]]
) -> Generator[_Sifted, None, None]:
    """Every chunk in its order, a few of them sifted at once: Polars holds a chunk against a shape in one thread."""
    pending: deque[Future[_Sifted]] = deque()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for before, lines in chunks:
            pending.append(pool.submit(_sifted, table, tuple(shapes), lines, before))
            if len(pending) > _AT_ONCE:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _sifted(table: RecordTable, shapes: Sequence[Shape], lines: pl.Series, before: int) -> _Sifted:
    groups: list[Group] = []
    rest = lines.to_frame().with_row_index(_ROW)
    for shape in shapes if rest.height else ():
        rest = _without(table, shape, rest, groups)
    return _Sifted(before, groups, len(shapes), rest)


def _without(table: RecordTable, shape: Shape, rest: pl.DataFrame, groups: list[Group]) -> pl.DataFrame:
    """The lines of the rest that are not of this shape; those that are become a group."""
    fits = shape.fit(rest[_LINE])
    if not fits.any():
        return rest
    alike = rest.filter(fits)
    groups.append(table.texts(alike[_ROW], shape.values(alike[_LINE])))
    return rest.filter(~fits)


def _keep(table: RecordTable, shapes: list[Shape], sifted: _Sifted) -> None:
    """The records of a chunk to the spool; where many of its lines have no shape yet, one is learnt."""
    groups, rest, tried = sifted.groups, sifted.rest, sifted.shapes
    while (shape := _shape(shapes, tried, rest)) is not None:
        rest = _without(table, shape, rest, groups)
        tried += 1
    others = [(row, line) for row, line in rest.iter_rows() if line.strip(_BLANKS)]
    if others:
        records = [(None, parsed_json(line, sifted.before + row + 1, around=1)) for row, line in others]
        groups.append(table.values(pl.Series([row for row, _ in others], dtype=pl.UInt32), records))
    if groups:
        table.keep(groups)


def _shape(shapes: list[Shape], tried: int, rest: pl.DataFrame) -> Shape | None:
    """The next shape to hold the rest against; a new one where many lines fit none."""
    if tried == len(shapes) and tried < _SHAPES and rest.height >= _WORTH:
        found = (Shape.of(line) for line in rest[_LINE].head(2))
        shapes += [shape for shape in found if shape is not None][:1]
    return shapes[tried] if tried < len(shapes) and rest.height else None


def _records(path: Path, encoding: str, given: _Given) -> Iterator[Any]:
    """All records after what was given out."""
    characters = given.characters
    try:
        with opened_text(path, encoding, newline="\n") as text:
            while characters:
                characters -= len(text.read(min(characters, _BLOCK)))
            for number, line in enumerate(text, start=given.lines + 1):
                if line.strip(_BLANKS):
                    yield parsed_json(line, number, around=1)
    except UnicodeError:
        raise Unreadable(undecodable(path, encoding)) from None
