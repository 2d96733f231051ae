"""A small delivered sample as rows that can be edited, and back into a file of the same format; values stay as they were written."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.contract.delivery_terms import Format
from contract_core.contract.model import Contract
from contract_core.errors import Problem, WrongUsageError

MAX_ROWS = 10_000
_MOST_BYTES = 64 << 20
_UNREADABLE: tuple[type[BaseException], ...] = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
    csv.Error,
    *READ_FAILURES,
)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows of one file under the names of their columns; in CSV each value is text, in Parquet and Arrow `types` are physical.

    `frame` is how the file around the rows is written, for formats that have one.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    suffix: str
    write: Callable[["Sample"], bytes]
    types: Mapping[str, pl.DataType] | None = None

    def with_rows(self, rows: tuple[Row, ...]) -> "Sample":
        """The same columns over other rows."""
        return replace(self, rows=rows)

    def with_first(self, column: str, value: object) -> "Sample":
        """Another value in one cell: the column of the first row."""
        return self.with_rows(({**self.rows[0], column: value}, *self.rows[1:]))

    def without(self, column: str) -> "Sample":
        """One column less."""
        kept = tuple(name for name in self.columns if name != column)
        rows = tuple({name: row[name] for name in row if name != column} for row in self.rows)
        types = None if self.types is None else {name: self.types[name] for name in kept}
        return replace(self, columns=kept, rows=rows, types=types)

    def with_column(self, column: str, values: tuple[object, ...], dtype: pl.DataType) -> "Sample":
        """One column more, or another one in its place."""
        columns = self.columns if column in self.columns else (*self.columns, column)
        rows = tuple({**row, column: value} for row, value in zip(self.rows, values, strict=True))
        types = None if self.types is None else {**self.types, column: dtype}
        return replace(self, columns=columns, rows=rows, types=types)


def read_sample(contract: Contract, path: Path) -> Sample:
    """The rows of one file. Raises WrongUsageError where it cannot be read as the contract says, or has none, or too many."""
    readers = {
        "csv": _read_csv,
        "jsonl": _read_jsonl,
        "envelope": _read_envelope,
        "parquet": _read_frame,
        "ipc": _read_frame,
    }
    if path.exists() and not path.is_file():
        raise _unfit(path, "is no file", "give a file that `check` accepts")
    if path.exists() and path.stat().st_size > _MOST_BYTES:
        raise _unfit(path, f"is larger than {_MOST_BYTES:,} bytes", "a sample is small: give some of its rows")
    try:
        sample = readers[contract.delivery.format.type](path, contract.delivery.format)
    except _UNREADABLE:
        raise _unfit(path, "cannot be read as the contract says", "give a file that `check` accepts") from None
    if not sample.rows:
        raise _unfit(path, "holds no row", "give a sample with some")
    if len(sample.rows) > MAX_ROWS:
        raise _unfit(path, f"holds more than {MAX_ROWS:,} rows", "a sample is small: give some of its rows")
    return sample


def _unfit(path: Path, what: str, hint: str) -> WrongUsageError:
    return WrongUsageError(Problem(str(path), what, hint))


def _read_csv(path: Path, stated: Format) -> Sample:
    text = path.read_bytes().decode(stated.encoding).removeprefix("\ufeff")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=stated.delimiter, quotechar=stated.quote, strict=True)
    header, *rows = (line for line in lines if line)
    records = tuple(dict(zip(header, row, strict=True)) for row in rows)

    def write(sample: Sample) -> bytes:
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, delimiter=stated.delimiter, quotechar=stated.quote, lineterminator="\n")
        writer.writerow(sample.columns)
        writer.writerows([row[name] for name in sample.columns] for row in sample.rows)
        return buffer.getvalue().encode(stated.encoding)

    return Sample(tuple(header), records, ".csv", write)


def _read_jsonl(path: Path, _: Format) -> Sample:
    rows = tuple(json.loads(line) for line in path.read_bytes().decode().splitlines() if line.strip())
    return Sample(_names(rows), rows, ".jsonl", lambda sample: b"".join(_line(row) for row in sample.rows))


def _line(row: Row) -> bytes:
    return (json.dumps(row, ensure_ascii=False) + "\n").encode()


def _names(rows: tuple[Row, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in rows for name in row))


def _read_envelope(path: Path, _: Format) -> Sample:
    """The rows of all parts; they go back into the parts from which they came, and further ones into the first."""
    document = json.loads(path.read_bytes())
    part = "\0part"
    rows = tuple({**row, part: name} for name, given in document["partitions"].items() for row in given["rows"])

    def write(sample: Sample) -> bytes:
        parts = {
            name: given | {"rows": [_without(row, part) for row in sample.rows if row[part] == name]}
            for name, given in document["partitions"].items()
        }
        return json.dumps(document | {"partitions": parts}, ensure_ascii=False).encode()

    return Sample(tuple(name for name in _names(rows) if name != part), rows, ".json", write)


def _without(row: Row, name: str) -> Row:
    return {key: value for key, value in row.items() if key != name}


def _read_frame(path: Path, stated: Format) -> Sample:
    is_parquet = stated.type == "parquet"
    frame = (pl.read_parquet if is_parquet else pl.read_ipc)(path.read_bytes())

    def write(sample: Sample) -> bytes:
        assert sample.types is not None, "a frame has types"
        written, buffer = pl.DataFrame(list(sample.rows), schema=pl.Schema(sample.types)), io.BytesIO()
        (written.write_parquet if is_parquet else written.write_ipc)(buffer)
        return buffer.getvalue()

    return Sample(tuple(frame.columns), tuple(frame.to_dicts()), path.suffix, write, dict(frame.schema))
