"""What the published table's columns are: the contract's, in its order, in types that Delta stores without changing a value.

Delta-rs casts on write without a word ("7" → 7, 1.5 → 1), so every type is settled and compared here, before anything is written.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from contract_core.candidate.columns import ABSENT, FILE_INDEX, NOT_AN_OBJECT, PART_NAME, RAW, ROW_NUMBER, column
from contract_core.candidate.physical_types import decoded_dtype, type_words
from contract_core.contract.logical_type import Family, LogicalType
from contract_core.contract.model import Contract, Field
from contract_core.errors import Problem, PublicationError
from contract_core.publication.lossless import Unpublishable, published_form
from contract_core.validation.schema_match import is_of

UNDECLARED = "<extra>"
_OF_MANY_TYPES = (Family.NUMBER, Family.TIMESTAMP, Family.OBJECT, Family.ARRAY)
_INTERNAL = (FILE_INDEX, ROW_NUMBER, NOT_AN_OBJECT, PART_NAME)


@dataclass(frozen=True, slots=True)
class Column:
    """One published column: the expression that makes it, its type, and what counts the rows it could not hold exactly."""

    name: str
    label: str
    rows: pl.Expr
    type: pl.DataType
    inexact: pl.Expr | None = None


def published_columns(
    contract: Contract, candidate: Mapping[str, pl.DataType], table: Mapping[str, pl.DataType]
) -> tuple[Column, ...]:
    """The columns to write. Raises PublicationError naming every column whose type cannot be published as promised."""
    columns: list[Column] = []
    problems: list[Problem] = []
    for name, label, promised in _wanted(contract, candidate, table):
        try:
            columns.append(_column(name, label, promised, candidate.get(name), table.get(name)))
        except Unpublishable as error:
            problems.append(Problem(_where(contract), f"column '{label}' {error}", "nothing was written"))
    if problems:
        raise PublicationError(*problems)
    return tuple(columns)


def promised_types(contract: Contract, table: Mapping[str, pl.DataType]) -> pl.Schema:
    """The types of the columns before anything is delivered: the table's own, else those that the contract leads to.

    What a columnar file may bring in several types (`untold`) is taken for the usual one.
    """
    is_text = contract.delivery.format.is_text
    told = {field.name: decoded_dtype(field.type) for field in contract.fields} if is_text else {}
    return pl.Schema({column.name: column.type for column in published_columns(contract, told, table)})


def untold(contract: Contract, table: Mapping[str, pl.DataType]) -> tuple[str, ...]:
    """The fields whose published type is known only when something is delivered."""
    return tuple(
        field.name
        for field in contract.fields
        if not contract.delivery.format.is_text
        and not field.type.is_exact
        and field.type.family in _OF_MANY_TYPES
        and field.name not in table
    )


def refuse_mismatch(contract: Contract, columns: tuple[Column, ...], table: Mapping[str, pl.DataType]) -> None:
    """Raise PublicationError where the table cannot take the rows as they are. It may gain columns that rows can lack."""
    problems = [_mismatch(contract, column, table[column.name]) for column in columns if _differs(column, table)]
    written = {column.name for column in columns}
    problems += [_lost(contract, place) for place, name in enumerate(table, start=1) if name not in written]
    new = tuple(column for column in columns if column.name not in table)
    problems += [_not_optional(contract, column) for column in new if not _may_lack(contract, column.name)]
    if problems:
        raise PublicationError(*problems)


def _wanted(
    contract: Contract, candidate: Mapping[str, pl.DataType], table: Mapping[str, pl.DataType]
) -> Iterator[tuple[str, str, LogicalType | None]]:
    for field in contract.fields:
        yield field.name, field.name, field.type
    if contract.extra_fields == "keep":
        declared = set(contract.field_names)
        undeclared = [name for name in candidate if not _is_internal(name)]
        for name in dict.fromkeys([*undeclared, *table]):
            if name not in declared:
                yield name, UNDECLARED, None


def _is_internal(name: str) -> bool:
    return name in _INTERNAL or name.startswith((RAW, ABSENT))


def _column(
    name: str, label: str, promised: LogicalType | None, found: pl.DataType | None, stored: pl.DataType | None
) -> Column:
    if found is None or isinstance(found, pl.Null):
        absent = stored if stored is not None and _could_be(stored, promised) else _default_type(promised)
        return Column(name, label, pl.lit(None, dtype=absent).alias(name), absent)
    if promised is not None and not _fits(found, promised):
        raise Unpublishable(f"is {type_words(found)}, and the contract promises {promised}")
    wide = promised is not None and not promised.is_exact
    form = published_form(column(name), found, is_family=wide)
    return Column(name, label, form.rows.alias(name), form.type, form.inexact)


def _fits(found: pl.DataType, promised: LogicalType) -> bool:
    is_json_text = promised.family in (Family.OBJECT, Family.ARRAY) and isinstance(found, pl.String)
    return is_json_text or is_of(found, promised)


def _could_be(stored: pl.DataType, promised: LogicalType | None) -> bool:
    """True where an absent field may keep the type that the table has for it."""
    if promised is None or promised.is_exact:
        return promised is None or stored == _default_type(promised)
    return stored == _default_type(promised) or _fits(stored, promised)


_FAMILY_TYPES: Mapping[Family, pl.DataType] = {
    Family.STRING: pl.String(),
    Family.INTEGER: pl.Int64(),
    Family.NUMBER: pl.Float64(),
    Family.BOOLEAN: pl.Boolean(),
    Family.DATE: pl.Date(),
    Family.TIMESTAMP: pl.Datetime("us"),
    Family.TIME: pl.String(),
    Family.DURATION: pl.Int64(),
    Family.BINARY: pl.Binary(),
    Family.OBJECT: pl.String(),
    Family.ARRAY: pl.String(),
}
_SIGNED: Mapping[int, pl.DataType] = {8: pl.Int8(), 16: pl.Int16(), 32: pl.Int32(), 64: pl.Int64()}
_UNSIGNED: Mapping[int, pl.DataType] = {8: pl.Int16(), 16: pl.Int32(), 32: pl.Int64(), 64: pl.Decimal(20, 0)}


def _default_type(promised: LogicalType | None) -> pl.DataType:
    """The type of a column of nothing but nulls, so that a field delivered later finds the column it needs."""
    if promised is None:
        return pl.String()
    if promised.precision is not None:
        return pl.Decimal(promised.precision, promised.scale or 0)
    if promised.family is Family.INTEGER and promised.bits is not None:
        return (_SIGNED if promised.signed else _UNSIGNED)[promised.bits]
    if promised.family is Family.NUMBER and promised.bits == 32:
        return pl.Float32()
    if promised.timezone is not None:
        return pl.Datetime("us", "UTC")
    return _FAMILY_TYPES[promised.family]


def _differs(column: Column, table: Mapping[str, pl.DataType]) -> bool:
    return column.name in table and table[column.name] != column.type


def _mismatch(contract: Contract, column: Column, stored: pl.DataType) -> Problem:
    what = f"column '{column.label}' is {type_words(stored)} in the published table and {type_words(column.type)} in this submission"
    return Problem(
        _where(contract), what, "nothing was written; deliver the type that the table has, or publish into a new table"
    )


def _lost(contract: Contract, place: int) -> Problem:
    """Told by its place: under `extra_fields: keep` the name of a column came with a delivery."""
    what = f"the published table has a column that contract {contract.version} does not declare: its column {place}"
    hint = (
        "nothing was written, since its values would be lost; publish under the version that declares it, "
        "or publish into a new table where the field was removed"
    )
    return Problem(_where(contract), what, hint)


def _not_optional(contract: Contract, column: Column) -> Problem:
    what = f"the published table lacks the column '{column.label}', which can be neither absent nor null"
    hint = "nothing was written; rows published before would have no value in it: make the field nullable or start a new table"
    return Problem(_where(contract), what, hint)


def _may_lack(contract: Contract, name: str) -> bool:
    field: Field | None = contract.field(name) if name in contract.field_names else None
    return field is None or not field.required or field.nullable


def _where(contract: Contract) -> str:
    return f"contract '{contract.name}' {contract.version}"
