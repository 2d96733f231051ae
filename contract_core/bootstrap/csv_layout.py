"""How a CSV file is written: its encoding, its delimiter and the names in its header, told from the bytes alone."""

import codecs
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from contract_core.bootstrap.names import refuse_values
from contract_core.candidate.delivered_paths import shown
from contract_core.errors import CandidateUnreadableError, Problem

_DELIMITERS = (",", ";", "\t", "|")
_RECORDS, _BLOCK, _MAX_FIELD = 500, 1 << 20, 1 << 26
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """Encoding and delimiter of all files, and every name of their headers in order of sight; `is_certain` where bytes leave no choice."""

    encoding: str
    delimiter: str
    names: tuple[str, ...]
    is_certain: bool


def csv_layout(files: Sequence[Path]) -> CsvLayout:
    """The layout that all files share. Raises CandidateUnreadableError where the first line holds values, or nothing."""
    encodings = dict.fromkeys(_encoding(file) for file in files)
    encoding = next((name for name in encodings if name != "utf-8"), "utf-8")
    delimiter = _delimiter(files[0], encoding)
    headers = [_header(file, encoding, delimiter) for file in files]
    names = tuple(dict.fromkeys(name for header in headers for name in header))
    refuse_values(headers[0], f"delivery {shown(files[0])}", "put a line with the names of the columns before the rows")
    return CsvLayout(encoding, delimiter, names, encoding not in ("cp1252", "latin-1"))


def _encoding(file: Path) -> str:
    with file.open("rb") as stream:
        start = stream.read(4)
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
    if marked is not None:
        return marked
    return next(name for name in ("utf-8", "cp1252", "latin-1") if _decodes(file, name))


def _decodes(file: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _delimiter(file: Path, encoding: str) -> str:
    """The character that splits the first records into the most fields, as many in each; a comma where none does."""
    widths = {mark: _even_width(file, encoding, mark) for mark in _DELIMITERS}
    best = max(widths, key=lambda mark: widths[mark])
    if widths[best] > 1:
        return best
    counts = {mark: len(_header(file, encoding, mark)) for mark in _DELIMITERS}
    return max(counts, key=lambda mark: counts[mark])


def _even_width(file: Path, encoding: str, delimiter: str) -> int:
    try:
        widths = {len(record) for record in _records(file, encoding, delimiter) if record}
    except (csv.Error, UnicodeError):
        return 0
    return widths.pop() if len(widths) == 1 else 0


def _header(file: Path, encoding: str, delimiter: str) -> list[str]:
    try:
        header = next((record for record in _records(file, encoding, delimiter) if record), None)
    except (csv.Error, UnicodeError):
        header = None
    if header is None:
        what = "holds no header line that can be read"
        raise CandidateUnreadableError(
            Problem(f"delivery {shown(file)}", what, "deliver it with the names of its columns")
        )
    return header


def _records(file: Path, encoding: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_MAX_FIELD)
    name = "utf-8-sig" if encoding == "utf-8" else encoding
    with file.open(encoding=name, newline="") as text:
        yield from islice(csv.reader(text, delimiter=delimiter, strict=True), _RECORDS)
