"""JSON records → columns of text, spooled: JSON types are exact, and an absent key is not a null.

A column in which a file has nothing is not written; columns of fields are described in `json_columns`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Self

import polars as pl

from contract_core.candidate.columns import column
from contract_core.candidate.json_columns import JsonColumn, rewritten
from contract_core.candidate.json_text import json_text, unicode_text
from contract_core.candidate.spool import Spool, chunk_rows
from contract_core.candidate.text_lines import Unreadable
from contract_core.contract.model import Contract

NOT_OBJECT, PART = "__n", "__p"
_AT = "__at"
_MAX_EXTRAS = 1000


@dataclass(frozen=True, slots=True)
class Sight:
    """An undeclared key where some records first carry it: in which row, at which place in it, and how many do."""

    row: int
    place: int
    key: str
    records: int


@dataclass(frozen=True, slots=True)
class Group:
    """Some of the records of a chunk, as columns; `rows` tells which they are, the frame has its columns for that order."""

    rows: pl.Series
    frame: pl.DataFrame
    sights: tuple[Sight, ...]


@dataclass(slots=True)
class RecordTable:
    """What the records of one file hold; `extras` counts those that carry each undeclared key, in order of sight."""

    spool: Spool
    columns: tuple[JsonColumn, ...]
    keeps_extras: bool
    schema: dict[str, pl.DataType]
    used: dict[str, None]
    objects: int = 0
    absent: dict[str, int] = field(default_factory=dict)
    extras: dict[str, int] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path, contract: Contract) -> Self:
        """A table without records, which are going to be kept in this folder."""
        columns = tuple(JsonColumn(index, item, contract) for index, item in enumerate(contract.fields))
        schema: dict[str, pl.DataType] = {name: dtype for item in columns for name, dtype in item.schema.items()}
        schema |= {NOT_OBJECT: pl.Boolean(), PART: pl.String()}
        used = dict.fromkeys(item.names[0] for item in columns)
        absent = dict.fromkeys(contract.field_names, 0)
        return cls(Spool(folder), columns, contract.extra_fields == "keep", schema, used, absent=absent)

    @property
    def rows(self) -> int:
        """All records, those that are no object too."""
        return self.spool.rows

    @property
    def chunk(self) -> int:
        """How many records are held at once."""
        return chunk_rows(len(self.columns))

    def scan(self) -> pl.LazyFrame:
        """The spooled text columns."""
        flags = [column(name).fill_null(value=False) for name, dtype in self.schema.items() if dtype == pl.Boolean()]
        return self.spool.scan(self.schema).with_columns(flags)

    def values(self, rows: pl.Series, records: Sequence[tuple[str | None, Any]]) -> Group:
        """Records that Python has read, each with the part that it stands in."""
        objects = [record if type(record) is dict else {} for _, record in records]
        columns: dict[str, Sequence[Any]] = {}
        for item in self.columns:
            columns |= item.columns(objects)
        columns[NOT_OBJECT] = [type(record) is not dict for _, record in records]
        columns[PART] = [part for part, _ in records]
        sights = self._sights(rows, objects)
        for sight in sights if self.keeps_extras else ():
            columns[self._extra(sight.key)] = [
                json_text(record[sight.key]) if sight.key in record else None for record in objects
            ]
        frame = pl.DataFrame([pl.Series(name, values, self.schema[name]) for name, values in columns.items()])
        return Group(rows, frame, sights)

    def texts(self, rows: pl.Series, values: Mapping[str, pl.Series]) -> Group:
        """Records of the same keys, by key their values as texts of JSON, none of which is an object or an array."""
        there = [item for item in self.columns if item.name in values]
        found = pl.DataFrame(dict(values)).select(told for item in there for told in item.told(column(item.name)))
        columns: list[pl.Series] = []
        for item in self.columns:
            if item.name in values:
                columns += item.settled(found, values[item.name])
            else:
                columns.append(pl.repeat(value=True, n=len(rows), eager=True).alias(item.names[2]))
        first = int(rows[0])
        undeclared = [(place, key) for place, key in enumerate(values) if key not in self.absent]
        if self.keeps_extras:
            columns += [rewritten(values[key]).alias(self._extra(key)) for _, key in undeclared]
        return Group(
            rows, pl.DataFrame(columns), tuple(Sight(first, place, key, len(rows)) for place, key in undeclared)
        )

    def keep(self, groups: Sequence[Group]) -> None:
        """The groups of one chunk as its records, in their order."""
        self._count_extras(sight for group in groups for sight in group.sights)
        frame = groups[0].frame
        if len(groups) > 1:
            numbered = [group.frame.with_columns(group.rows.alias(_AT)) for group in groups]
            frame = pl.concat(numbered, how="diagonal").sort(_AT).drop(_AT)
        self.objects += frame.height - _times(frame, NOT_OBJECT)
        for item in self.columns:
            self.absent[item.name] += _times(frame, item.names[2])
        self.used |= dict.fromkeys(name for name in frame.columns if not _is_empty(frame[name]))
        missing = [pl.lit(None, self.schema[name]).alias(name) for name in self.used if name not in frame.columns]
        self.spool.keep(frame.with_columns(missing).select(column(name) for name in self.used))

    def _extra(self, key: str) -> str:
        name = extra_key(unicode_text(key))
        self.schema[name] = pl.String()
        return name

    def _sights(self, rows: pl.Series, objects: Sequence[Mapping[str, Any]]) -> tuple[Sight, ...]:
        """The undeclared keys of records."""
        first: dict[str, tuple[int, int]] = {}
        times: dict[str, int] = {}
        for row, record in enumerate(objects):
            if record.keys() <= self.absent.keys():
                continue
            for place, key in enumerate(record):
                if key not in self.absent:
                    first.setdefault(key, (row, place))
                    times[key] = times.get(key, 0) + 1
        return tuple(Sight(int(rows[row]), place, key, times[key]) for key, (row, place) in first.items())

    def _count_extras(self, sights: Iterable[Sight]) -> None:
        for sight in sorted(sights, key=lambda sight: (sight.row, sight.place)):
            key = unicode_text(sight.key)
            self.extras[key] = self.extras.get(key, 0) + sight.records
        if len(self.extras) > _MAX_EXTRAS:
            raise Unreadable(f"has more than {_MAX_EXTRAS} different undeclared keys")


def spool_records(records: Iterator[tuple[str | None, Any]], contract: Contract, folder: Path) -> RecordTable:
    """Records, each with the part it stands in, chunk by chunk to the spool."""
    table = RecordTable.at(folder, contract)
    spooled(table, records)
    return table


def spooled(table: RecordTable, records: Iterator[tuple[str | None, Any]]) -> None:
    """Records after those that the table has."""
    try:
        while chunk := list(islice(records, table.chunk)):
            table.keep([table.values(pl.int_range(len(chunk), dtype=pl.UInt32, eager=True), chunk)])
    except RecursionError:
        raise Unreadable("holds JSON that nests too deeply") from None


def extra_key(name: str) -> str:
    """The spool's column for an undeclared key."""
    return f"__x{name}"


def _times(frame: pl.DataFrame, name: str) -> int:
    """How often a flag is set."""
    return int(frame[name].sum()) if name in frame.columns else 0


def _is_empty(values: pl.Series) -> bool:
    return not values.any() if values.dtype == pl.Boolean else values.null_count() == len(values)
