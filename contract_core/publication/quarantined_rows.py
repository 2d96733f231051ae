"""Rows that broke a promise, as they stand in quarantine: where each was, what it breaks, and what it was, as text."""

from collections.abc import Mapping
from datetime import datetime

import polars as pl

from contract_core.candidate.columns import ABSENT, FILE_INDEX, NOT_AN_OBJECT, PART_NAME, RAW, ROW_NUMBER, column
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.publication.lossless import instance_of
from contract_core.validation.breaking_rows import RULE, RULES
from contract_core.validation.obligations import obligations_of

KIND = "contract_breach"
_COLUMNS: Mapping[str, pl.DataType] = {
    "submission": pl.String(),
    "contract": pl.String(),
    "version": pl.String(),
    "partition": pl.String(),
    "kind": pl.String(),
    "file": pl.String(),
    "row": pl.Int64(),
    "field": pl.String(),
    "rule": pl.String(),
    "rules": pl.List(pl.String()),
    "record": pl.String(),
    "quarantined_at": pl.Datetime("us", "UTC"),
}
SCHEMA = pl.Schema(_COLUMNS)


def enveloped(contract: Contract, candidate: Candidate, rows: pl.LazyFrame, at: datetime) -> pl.LazyFrame:
    """The rows in the columns of the table: where each stood, what it breaks, and what it was."""
    types = rows.collect_schema()
    files = [file.name for file in candidate.facts.files]
    fields = {item.id: item.field for item in obligations_of(contract) if item.field is not None}
    one = {
        "submission": pl.lit(candidate.submission),
        "contract": pl.lit(contract.name),
        "version": pl.lit(contract.version),
        "partition": pl.lit(candidate.partition, pl.String()),
        "kind": pl.lit(KIND),
        "file": pl.col(FILE_INDEX).replace_strict(dict(enumerate(files)), default=None, return_dtype=pl.String()),
        "row": pl.col(ROW_NUMBER).cast(pl.Int64),
        "field": pl.col(RULE).replace_strict(fields, default=None, return_dtype=pl.String()),
        "rule": pl.col(RULE),
        "rules": pl.col(RULES),
        "record": _record(contract, types),
        "quarantined_at": pl.lit(at).cast(pl.Datetime("us", "UTC")),
    }
    return rows.select(**one)


def _record(contract: Contract, types: Mapping[str, pl.DataType]) -> pl.Expr:
    """The row as a JSON object of texts: each value as it is written, its own text where it did not decode, null where there is none.

    Fields that are classified as restricted are left out.
    """
    if contract.enforcement.quarantine.rows == "withheld":
        return pl.lit(None, pl.String())
    withheld = {field.name for field in contract.fields if field.classification == "restricted"}
    own = [name for name in types if not _is_internal(name) and name not in withheld]
    if not own:
        return pl.lit("{}")
    return pl.struct(_as_text(name, types).alias(name) for name in own).struct.json_encode()


def _is_internal(name: str) -> bool:
    return name in (FILE_INDEX, ROW_NUMBER, NOT_AN_OBJECT, PART_NAME, RULE, RULES) or name.startswith((RAW, ABSENT))


def _as_text(name: str, types: Mapping[str, pl.DataType]) -> pl.Expr:
    value, found = column(name), types[name]
    match found:
        case pl.Binary():
            text = value.bin.encode("base64")
        case pl.Duration():  # Polars 2.1 casts it to no text
            text = pl.struct(value.alias("is")).struct.json_encode().str.json_path_match("$.is")
        case pl.Struct():
            text = _readable(value, found).struct.json_encode()
        case pl.List() | pl.Array():
            text = pl.struct(_readable(value, found).alias("values")).struct.json_encode()
        case _:
            text = value.cast(pl.String)
    text = pl.when(value.is_not_null()).then(text)
    return pl.coalesce(column(RAW + name), text) if RAW + name in types else text


def _readable(value: pl.Expr, found: pl.DataType) -> pl.Expr:
    """A value inside another one as JSON can hold it: bytes in base64, and floats as texts, since JSON knows no NaN."""
    match found:
        case pl.Binary():
            return value.bin.encode("base64")
        case pl.Float32() | pl.Float64():
            return value.cast(pl.String)
        case pl.List():
            return value.list.eval(_readable(pl.element(), instance_of(found.inner)))
        case pl.Array():
            return value.arr.to_list().list.eval(_readable(pl.element(), instance_of(found.inner)))
        case pl.Struct():
            inner = (
                _readable(value.struct.field(field.name), instance_of(field.dtype)).alias(field.name)
                for field in found.fields
            )
            return pl.when(value.is_not_null()).then(pl.struct(inner))
        case _:
            return value
