"""A CSV file → columns of text: by Polars where the file is proved plain, else by Python's csv module.

Polars 2.1 fills up short records, takes blank lines for records and renames repeated columns, all in silence.
A file is plain when each line is one record with exactly the header's number of fields; nothing else reaches Polars.
"""

import codecs
import csv
import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from contract_core.candidate.spool import Spool, chunk_rows
from contract_core.candidate.text_lines import Unreadable, is_utf8, opened_text, undecodable
from contract_core.contract.delivery_terms import Format

_MAX_FIELD = 64 * 1024 * 1024
_BLOCK = 1 << 20
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class CsvTable:
    """The text of a CSV file: its header as delivered, and one String column `0`, `1`, … for each name of it; `widest` are the bytes
    of a record where they are most.
    """

    header: tuple[str, ...]
    rows: int
    widest: int
    frame: pl.LazyFrame


def read_csv(path: Path, stated: Format, spool: Path) -> CsvTable:
    """The file as text, each value exactly as delivered; raises Unreadable with the line of the first fault."""
    with closing(_records(path, stated)) as records:
        line, header = next(records, (0, None))
    if header is None:
        raise Unreadable("holds no header line")
    plain = _plain(path, stated, spool) if line == 1 else None
    lines = None if plain is None else plain_lines(plain, len(header), stated)
    if plain is None or lines is None:
        return read_csv_carefully(path, stated, spool)
    return CsvTable(header, *lines, _scanned(plain, len(header), stated))


def _plain(path: Path, stated: Format, spool: Path) -> Path | None:
    """The file itself, or a copy beside the spool, in the one encoding that Polars reads; None where it holds what is no text."""
    if is_utf8(stated.encoding):
        return path
    copy = spool.with_name(f"{spool.name}.csv")
    copy.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            opened_text(path, stated.encoding, newline="") as text,
            copy.open("w", encoding="utf-8", newline="") as out,
        ):
            shutil.copyfileobj(text, out, _BLOCK)
    except UnicodeError:
        return None
    return copy


def read_csv_carefully(path: Path, stated: Format, spool: Path) -> CsvTable:
    """The same by Python's csv module, record by record, for whatever the fast way cannot be trusted with."""
    kept = Spool(spool)
    with closing(_records(path, stated)) as records:
        _, header = next(records, (0, None))
        if header is None:
            raise Unreadable("holds no header line")
        schema = _schema(len(header))
        for chunk in _chunks(_even(records, header), chunk_rows(len(header))):
            _spooled(kept, chunk, schema)
    return CsvTable(header, kept.rows, kept.widest, kept.scan(schema))


def _chunks(records: Iterator[tuple[str, ...]], most: int) -> Iterator[list[tuple[str, ...]]]:
    """The records in their order, as many at once as are held in memory: fewer where they are long."""
    chunk: list[tuple[str, ...]] = []
    characters = 0
    for record in records:
        chunk.append(record)
        characters += sum(map(len, record))
        if len(chunk) >= most or characters >= _MAX_FIELD:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _even(records: Iterator[tuple[int, tuple[str, ...]]], header: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for line, record in records:
        if len(record) != len(header):
            raise Unreadable(f"line {line} has {_fields(len(record))}, the header has {len(header)}")
        yield record


def plain_lines(path: Path, width: int, stated: Format) -> tuple[int, int] | None:
    """How many records follow the header, and the bytes of the longest line, where each is one line of `width` fields; else None."""
    line = pl.col("line")
    is_quoted = line.str.contains(stated.quote, literal=True)
    is_odd = (line == "") | line.str.contains("\r", literal=True) | (line.str.len_bytes() > _MAX_FIELD)
    is_odd |= ~is_quoted & (line.str.count_matches(stated.delimiter, literal=True) != width - 1)
    is_odd |= is_quoted & ~_is_evenly_quoted(pl.when(is_quoted).then(line), width, stated)
    try:
        found = pl.scan_lines(path, glob=False).select(
            pl.len(), longest=line.str.len_bytes().max(), odd=is_odd.sum(), marked=line.str.starts_with(_MARK).sum()
        )
        count, longest, odd, marked = found.collect(engine="streaming").row(0)
    except pl.exceptions.PolarsError:
        return None
    return None if odd or marked > _begins_with_mark(path) else (int(count) - 1, int(longest))


def _begins_with_mark(path: Path) -> bool:
    """Polars 2.1 drops a byte order mark from whichever line it reads first, so only the header may have one."""
    with path.open("rb") as stream:
        return stream.read(3) == codecs.BOM_UTF8


def _is_evenly_quoted(line: pl.Expr, width: int, stated: Format) -> pl.Expr:
    """True for a line of `width` values, each of them quoted as a whole or without a quote; false where there are too many to tell."""
    mark, between = re.escape(stated.quote), re.escape(stated.delimiter)
    value = f"(?:{mark}(?:[^{mark}]|{mark}{mark})*{mark}|[^{mark}{between}]*)"
    even = f"^{value}(?:{between}{value}){{{width - 1}}}$"
    try:
        pl.select(pl.lit("").str.contains(even))
    except pl.exceptions.ComputeError:  # longer than the engine compiles, beyond 4,000 columns or so
        return pl.lit(value=False)
    return line.str.contains(even)


def _scanned(path: Path, width: int, stated: Format) -> pl.LazyFrame:
    return pl.scan_csv(
        path,
        has_header=False,
        skip_lines=1,
        schema=_schema(width),
        separator=stated.delimiter,
        quote_char=stated.quote,
        empty_string_is_null=False,
        raise_if_empty=False,
        glob=False,
    )


def _schema(width: int) -> dict[str, pl.DataType]:
    return {str(index): pl.String() for index in range(width)}


def _spooled(kept: Spool, chunk: list[tuple[str, ...]], schema: dict[str, pl.DataType]) -> None:
    columns = dict(zip(schema, zip(*chunk, strict=True), strict=True))
    try:
        kept.append(columns, schema)
    except UnicodeEncodeError:
        first = next(index for index, record in enumerate(chunk) if not _is_unicode(record))
        raise Unreadable(f"data row {kept.rows + first + 1} holds text that is not Unicode") from None


def _is_unicode(record: tuple[str, ...]) -> bool:
    try:
        "".join(record).encode()
    except UnicodeEncodeError:
        return False
    return True


def _records(path: Path, stated: Format) -> Generator[tuple[int, tuple[str, ...]], None, None]:
    """The records with the line each begins at. A blank line is none, but after a header of one column an empty value."""
    csv.field_size_limit(_MAX_FIELD)
    line, width = 0, 0
    try:
        with opened_text(path, stated.encoding, newline="") as text:
            reader = csv.reader(text, delimiter=stated.delimiter, quotechar=stated.quote, strict=True)
            for record in reader:
                begin, line = line + 1, reader.line_num
                if record or width == 1:
                    width = width or len(record)
                    yield begin, tuple(record) or ("",)
    except csv.Error as error:
        raise Unreadable(f"line {line + 1}: {_worded(error)}") from None
    except UnicodeError:
        raise Unreadable(undecodable(path, stated.encoding)) from None


_FAULTS = {
    "unexpected end of data": "a quoted value is never closed",
    "expected after": "text follows a closing quote",
    "field larger": "a value is larger than 64 MiB",
}


def _worded(error: csv.Error) -> str:
    """The fault in our words, because the library's may quote the file."""
    return next((words for part, words in _FAULTS.items() if part in str(error)), "is not well-formed CSV")


def _fields(count: int) -> str:
    return f"{count} field" if count == 1 else f"{count} fields"
