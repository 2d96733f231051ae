"""One delivered file → lazy rows in the columns of a candidate, whatever its format, and the facts about it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from contract_core.candidate import decoding
from contract_core.candidate.columnar import as_stored, read_ipc, read_parquet, stored
from contract_core.candidate.columns import ABSENT, NOT_AN_OBJECT, PART_NAME, RAW, ROW_NUMBER, column, stored_name
from contract_core.candidate.csv_text import read_csv, read_csv_carefully
from contract_core.candidate.delivered_paths import is_unicode
from contract_core.candidate.delivery import DeliveredFile
from contract_core.candidate.envelope import read_envelope
from contract_core.candidate.facts import ColumnFact, Declaration, ExtraColumn, FileFacts
from contract_core.candidate.json_lines import read_json_lines
from contract_core.candidate.json_records import NOT_OBJECT, PART, RecordTable, extra_key
from contract_core.candidate.physical_types import decoded_dtype
from contract_core.candidate.text_lines import Unreadable
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract

_TEXT = "__text."
_WRITTEN_WITHOUT_QUOTES = (Family.INTEGER, Family.NUMBER, Family.BOOLEAN, Family.OBJECT, Family.ARRAY)
_ESCAPED = ["\\", '"', *map(chr, range(32))]


@dataclass(frozen=True, slots=True)
class FileRows:
    """The rows of one file; `fields` are those it has and their types, or None where no record tells which it has.

    `absent` are fields that only some records lack; `kept` are undeclared columns under the names they are stored with; `widest` are
    the bytes of a row of text where they are most.
    """

    facts: FileFacts
    frame: pl.LazyFrame | None = None
    fields: Mapping[str, pl.DataType] | None = None
    absent: frozenset[str] = frozenset()
    extras: tuple[ExtraColumn, ...] = ()
    kept: Mapping[str, pl.DataType] = field(default_factory=dict)
    declaration: Declaration = field(default_factory=Declaration)
    widest: int = 0


def read_file(file: DeliveredFile, contract: Contract, spool: Path, *, carefully: bool = False) -> FileRows:
    """The file's rows, or the reason why it gives none; `carefully` keeps Polars' own CSV reader out of it."""
    facts = FileFacts(file.name, file.size, file.sha256)
    if file.size == 0:
        return FileRows(replace(facts, unreadable=_empty(contract)))
    if not is_unicode(file.path):
        return FileRows(replace(facts, unreadable="stands under a path that is not UTF-8"))
    try:
        match contract.delivery.format.type:
            case "csv":
                return _csv_rows(file, facts, contract, spool, carefully=carefully)
            case "jsonl":
                return _json_rows(read_json_lines(file.path, contract, spool), facts, contract)
            case "envelope":
                table, declaration = read_envelope(file.path, file.name, contract, spool)
                return replace(_json_rows(table, facts, contract), declaration=declaration)
            case _:
                return _columnar_rows(file, facts, contract)
    except Unreadable as reason:
        return FileRows(replace(facts, unreadable=str(reason)))


def _empty(contract: Contract) -> str:
    kinds = {"parquet": "not a Parquet file: 0 bytes", "ipc": "not an Arrow file: 0 bytes"}
    return kinds.get(contract.delivery.format.type, "0 bytes")


def _csv_rows(file: DeliveredFile, facts: FileFacts, contract: Contract, spool: Path, *, carefully: bool) -> FileRows:
    stated = contract.delivery.format
    table = (read_csv_carefully if carefully else read_csv)(file.path, stated, spool)
    _refuse_repeated(table.header, contract)
    columns = tuple(ColumnFact(name, "text", place) for place, name in enumerate(table.header, start=1))
    places = {name: str(place) for place, name in enumerate(table.header) if name in contract.field_names}
    terms = {name: decoding.csv_terms(contract.field(name), stated) for name in places}
    texts = [decoding.without_null_tokens(column(places[name]), terms[name]).alias(_TEXT + name) for name in places]
    extras = _extras(columns, facts.name, table.rows, contract)
    kept = (
        {stored_name(extra.name, extra.position): pl.String() for extra in extras}
        if contract.extra_fields == "keep"
        else {}
    )
    undeclared = [
        pl.when(~column(str(extra.position - 1)).is_in(stated.null_tokens(extra.name)))
        .then(str(extra.position - 1))
        .alias(name)
        for name, extra in zip(kept, extras, strict=False)
    ]
    frame = _numbered(table.frame).select(ROW_NUMBER, *texts, *undeclared)
    values = [decoding.decoded(column(_TEXT + name), term).alias(name) for name, term in terms.items()]
    raws = [decoding.undecoded(column(_TEXT + name), column(name)).alias(RAW + name) for name in terms]
    fields = {name: decoded_dtype(term.type) for name, term in terms.items()}
    facts = replace(facts, rows=table.rows, columns=columns)
    decoded = frame.with_columns(values).with_columns(raws)
    return FileRows(facts, decoded, fields, extras=extras, kept=kept, widest=table.widest)


def _json_rows(table: RecordTable, facts: FileFacts, contract: Contract) -> FileRows:
    terms = [decoding.json_terms(item, contract.delivery.format) for item in contract.fields]
    names = contract.field_names
    extras = tuple(
        ExtraColumn(place, facts.name, name, rows) for place, (name, rows) in enumerate(table.extras.items(), start=1)
    )
    kept = (
        {stored_name(extra.name, extra.position): extra for extra in extras} if contract.extra_fields == "keep" else {}
    )
    frame = _numbered(table.scan()).with_columns(
        column(extra_key(extra.name)).alias(name) for name, extra in kept.items()
    )
    frame = frame.with_columns(
        decoding.decoded(column(f"__t{i}"), term).alias(names[i]) for i, term in enumerate(terms)
    )
    frame = frame.with_columns(_json_raw(i, item.type.family, item.name) for i, item in enumerate(contract.fields))
    frame = frame.with_columns(
        *(column(f"__a{i}").alias(ABSENT + name) for i, name in enumerate(names)),
        column(NOT_OBJECT).alias(NOT_AN_OBJECT),
        column(PART).alias(PART_NAME),
    )
    there = [name for name in names if table.absent[name] < table.rows]
    columns = tuple(ColumnFact(name, "json", place) for place, name in enumerate(there, start=1))
    fields = {name: decoded_dtype(contract.field(name).type) for name in there} if table.objects else None
    absent = frozenset(name for name in names if table.absent[name])
    facts = replace(facts, rows=table.rows, columns=columns)
    texts = {name: pl.String() for name in kept}
    return FileRows(facts, frame, fields, absent, extras, texts, widest=table.spool.widest)


def _json_raw(index: int, family: Family, name: str) -> pl.Expr:
    """The JSON text of a value that did not decode."""
    text: pl.Expr = pl.when(column(name).is_null()).then(column(f"__t{index}"))
    if family not in _WRITTEN_WITHOUT_QUOTES:
        escaped = text.str.replace_many(_ESCAPED, [json.dumps(character)[1:-1] for character in _ESCAPED])
        text = pl.format('"{}"', escaped)
    return pl.when(column(name).is_null()).then(pl.coalesce(column(f"__r{index}"), text)).alias(RAW + name)


def _columnar_rows(file: DeliveredFile, facts: FileFacts, contract: Contract) -> FileRows:
    table = read_parquet(file.path) if contract.delivery.format.type == "parquet" else read_ipc(file.path)
    columns = tuple(
        ColumnFact(name, str(dtype), place) for place, (name, dtype) in enumerate(table.schema.items(), start=1)
    )
    extras = _extras(columns, facts.name, table.rows, contract)
    fields = {name: as_stored(dtype) for name, dtype in table.schema.items() if name in contract.field_names}
    kept_as = (
        {stored_name(extra.name, extra.position): extra.name for extra in extras}
        if contract.extra_fields == "keep"
        else {}
    )
    kept = {name: as_stored(table.schema[delivered]) for name, delivered in kept_as.items()}
    index = ROW_NUMBER
    while index in table.schema:
        index += "_"
    row = column(index).cast(pl.UInt64).alias(ROW_NUMBER)
    values = [stored(column(name), table.schema[name]) for name in fields]
    others = [stored(column(delivered), table.schema[delivered]).alias(name) for name, delivered in kept_as.items()]
    facts = replace(facts, rows=table.rows, columns=columns)
    frame = table.frame.with_row_index(index, offset=1).select(row, *values, *others)
    return FileRows(facts, frame, fields, extras=extras, kept=kept)


def _numbered(frame: pl.LazyFrame) -> pl.LazyFrame:
    return frame.with_row_index(ROW_NUMBER, offset=1).with_columns(column(ROW_NUMBER).cast(pl.UInt64))


def _extras(columns: Sequence[ColumnFact], file: str, rows: int, contract: Contract) -> tuple[ExtraColumn, ...]:
    undeclared = [found for found in columns if found.name not in contract.field_names]
    return tuple(ExtraColumn(found.position, file, found.name, rows) for found in undeclared)


def _refuse_repeated(header: Sequence[str], contract: Contract) -> None:
    """A name that stands twice could mean either column; unnamed columns repeat nothing."""
    first: dict[str, int] = {}
    for place, name in enumerate(header, start=1):
        if name and name in first:
            shown = f"'{name}' of" if name in contract.field_names else "the name of"
            raise Unreadable(f"column {place} repeats {shown} column {first[name]}")
        first[name] = place
