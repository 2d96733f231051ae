"""JSON records → columns of text, spooled: JSON types are exact, and an absent key is not a null.

For field `i` the spool has `__t<i>`, text that may still decode; `__r<i>`, its JSON text where `__t<i>` does not say it
(a value of another JSON type, any decimal); and `__a<i>`, absence.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.json_text import (
    FractionalNumber,
    WholeNumber,
    is_unicode,
    json_text,
    parsed_json,
    plain_digits,
    unicode_text,
)
from contract_core.candidate.spool import Spool, chunk_rows
from contract_core.candidate.text_lines import Unreadable, opened_text, undecodable
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field

NOT_OBJECT, PART = "__n", "__p"
_MAX_EXTRAS = 1000


@dataclass(slots=True)
class RecordTable:
    """What the records of one file hold; `extras` counts those that carry each undeclared key, in order of sight."""

    spool: Spool
    schema: dict[str, pl.DataType]
    objects: int = 0
    absent: dict[str, int] = field(default_factory=dict)
    extras: dict[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """All records, those that are no object too."""
        return self.spool.rows

    def scan(self) -> pl.LazyFrame:
        """The spooled text columns."""
        return self.spool.scan(self.schema)


def read_json_lines(path: Path, contract: Contract, spool: Path) -> RecordTable:
    """One record a line; raises Unreadable with the line of the first fault."""
    return spool_records(
        ((None, record) for record in _lines(path, contract.delivery.format.encoding)), contract, spool
    )


def spool_records(records: Iterator[tuple[str | None, Any]], contract: Contract, folder: Path) -> RecordTable:
    """Records, each with the part it stands in, chunk by chunk to the spool."""
    writers = [_Column(index, item, contract) for index, item in enumerate(contract.fields)]
    schema: dict[str, pl.DataType] = {name: dtype for writer in writers for name, dtype in writer.schema.items()}
    table = RecordTable(Spool(folder), schema | {NOT_OBJECT: pl.Boolean(), PART: pl.String()})
    table.absent = dict.fromkeys(contract.field_names, 0)
    size = chunk_rows(len(table.schema))
    try:
        while chunk := list(islice(records, size)):
            _append(table, writers, chunk, contract)
    except RecursionError:
        raise Unreadable("holds JSON that nests too deeply") from None
    return table


def extra_key(name: str) -> str:
    """The spool's column for an undeclared key."""
    return f"__x{name}"


class _Column:
    """How the values of one field are told apart: those of the JSON type that it takes, and the rest."""

    __slots__ = ("as_text", "is_rewritten", "kinds", "name", "names", "schema")

    def __init__(self, index: int, item: Field, contract: Contract) -> None:
        self.name = item.name
        self.names = (f"__t{index}", f"__r{index}", f"__a{index}")
        self.schema = dict(zip(self.names, (pl.String(), pl.String(), pl.Boolean()), strict=True))
        self.is_rewritten = item.type.precision is not None
        self.kinds = _kinds(item, is_integral=item.name in contract.delivery.format.integral)
        self.as_text = _decimal_text if self.is_rewritten else _AS_TEXT.get(item.type.family)

    def columns(self, objects: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
        """The three columns of this field for a chunk of records."""
        values = [record.get(self.name) for record in objects]
        taken = self._taken(values)
        texts = taken if self.as_text is None else [None if value is None else self.as_text(value) for value in taken]
        raws: list[str | None] = [None] * len(values)
        if self.is_rewritten or taken is not values:
            pairs = zip(values, taken, strict=True)
            raws = [
                json_text(value) if value is not None and (self.is_rewritten or kept is None) else None
                for value, kept in pairs
            ]
        absent = [self.name not in record for record in objects] if None in values else [False] * len(values)
        return dict(zip(self.names, (texts, raws, absent), strict=True))

    def _taken(self, values: list[Any]) -> list[Any]:
        """The values of the field's own JSON type, None for others; the list itself where all are."""
        kinds = self.kinds
        if not {*map(type, values)} <= kinds:
            return [value if type(value) in kinds and is_unicode(value) else None for value in values]
        if str in kinds and not all(map(is_unicode, values)):
            return [value if is_unicode(value) else None for value in values]
        return values


def _kinds(item: Field, *, is_integral: bool) -> frozenset[type]:
    """The Python types that stand for the JSON types a field takes, that of null among them."""
    kinds = _KINDS.get(item.type.family, (str,))
    if item.type.family is Family.INTEGER and is_integral:
        kinds = (WholeNumber, FractionalNumber)
    if item.type.precision is not None:
        kinds = (WholeNumber, FractionalNumber, str)
    return frozenset((*kinds, type(None)))


def _decimal_text(value: str) -> str:
    return value if type(value) is str else plain_digits(value)


_KINDS: dict[Family, tuple[type, ...]] = {
    Family.INTEGER: (WholeNumber,),
    Family.NUMBER: (WholeNumber, FractionalNumber),
    Family.BOOLEAN: (bool,),
    Family.OBJECT: (dict,),
    Family.ARRAY: (list,),
}
_AS_TEXT: dict[Family, Callable[[Any], str]] = {
    Family.BOOLEAN: json_text,
    Family.OBJECT: json_text,
    Family.ARRAY: json_text,
}


def _append(
    table: RecordTable, writers: Sequence[_Column], chunk: Sequence[tuple[str | None, Any]], contract: Contract
) -> None:
    objects = [record if type(record) is dict else {} for _, record in chunk]
    columns: dict[str, list[Any]] = {}
    for writer in writers:
        columns |= writer.columns(objects)
        table.absent[writer.name] += sum(columns[writer.names[2]])
    columns[NOT_OBJECT] = [type(record) is not dict for _, record in chunk]
    columns[PART] = [part for part, _ in chunk]
    table.objects += len(chunk) - sum(columns[NOT_OBJECT])
    extras = _extras(table, objects)
    schema = dict(table.schema)
    if contract.extra_fields == "keep":
        for name in extras:
            table.schema[extra_key(unicode_text(name))] = schema[extra_key(unicode_text(name))] = pl.String()
            columns[extra_key(unicode_text(name))] = [
                json_text(record[name]) if name in record else None for record in objects
            ]
        schema = {name: dtype for name, dtype in schema.items() if name in columns}
    table.spool.append(columns, schema)


def _extras(table: RecordTable, objects: Sequence[Mapping[str, Any]]) -> list[str]:
    """The undeclared keys of these records, counted in the table."""
    declared = table.absent
    seen: dict[str, None] = {}
    for record in objects:
        if record.keys() <= declared.keys():
            continue
        for key in (name for name in record if name not in declared):
            seen[key] = None
            table.extras[unicode_text(key)] = table.extras.get(unicode_text(key), 0) + 1
    if len(table.extras) > _MAX_EXTRAS:
        raise Unreadable(f"has more than {_MAX_EXTRAS} different undeclared keys")
    return list(seen)


def _lines(path: Path, encoding: str) -> Iterator[Any]:
    try:
        with opened_text(path, encoding, newline="\n") as text:
            for number, line in enumerate(text, start=1):
                if line.strip(" \t\r\n"):
                    yield parsed_json(line, number, around=1)
    except UnicodeError:
        raise Unreadable(undecodable(path, encoding)) from None
