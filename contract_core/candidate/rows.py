"""All files of a delivery → one lazy frame in the columns of a candidate, and the facts about the whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.candidate.columns import ABSENT, FILE_INDEX, NOT_AN_OBJECT, PART_NAME, RAW, ROW_NUMBER, column
from contract_core.candidate.declared import merged
from contract_core.candidate.delivery import Delivery
from contract_core.candidate.facts import Declaration, DeliveryProblem, Facts, FileFacts, Presence
from contract_core.candidate.file_rows import FileRows, read_file
from contract_core.candidate.manifest import read_manifest
from contract_core.candidate.parts import found_parts, parts_of_files, parts_with_files, undeclared_files
from contract_core.candidate.physical_types import decoded_dtype
from contract_core.candidate.split import share_of
from contract_core.candidate.spool import gathered
from contract_core.candidate.text_lines import Unreadable
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract


@dataclass(frozen=True, slots=True)
class DeliveredRows:
    """The rows of a delivery, not read to the end yet, with the facts and the files they come from."""

    frame: pl.LazyFrame
    facts: Facts


def read_files(contract: Contract, delivery: Delivery, spool: Path, careful: Mapping[str, str]) -> tuple[FileRows, ...]:
    """Every file of the delivery. Those in `careful` failed once: CSV is read again by Python, others are given up.

    `careful` maps a file's name to the reason that stands for it where nothing else can be done.
    """
    is_csv = contract.delivery.format.type == "csv"
    files = []
    for index, file in enumerate(delivery.files):
        if file.name in careful and not is_csv:
            files.append(FileRows(FileFacts(file.name, file.size, file.sha256, unreadable=careful[file.name])))
        else:
            files.append(read_file(file, contract, spool / f"{index}", carefully=file.name in careful))
    return tuple(files)


def brought_together(contract: Contract, delivery: Delivery, files: Sequence[FileRows], spool: Path) -> DeliveredRows:
    """The rows of all files in one layout, or the share of one partition among several. Where files are many, or hold several
    partitions, it reads them, and fails as reading does.
    """
    layout = _layout(contract, files)
    declared = _manifest(contract, delivery, [item.facts for item in files])
    parts = parts_of_files(contract, [item.facts for item in files], declared.declaration.parts)
    frames = [_placed(item, index, layout, parts[index]) for index, item in enumerate(files) if item.frame is not None]
    frame = gathered(frames, spool / "groups") if frames else _no_rows(layout)
    facts = _facts(contract, files, layout, declared, frame)
    terms = contract.delivery.partition
    if terms is None or not terms.split or delivery.partition is None:
        return DeliveredRows(frame, facts)
    share = share_of(contract, delivery.partition, frame, facts)
    return DeliveredRows(share.frame, share.facts)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns the candidate has, in their order."""

    fields: dict[str, pl.DataType]
    absent: tuple[str, ...]
    kept: dict[str, pl.DataType]
    is_text: bool
    is_json: bool
    has_parts: bool
    parts_in_rows: bool


@dataclass(frozen=True, slots=True)
class _Declared:
    """What the manifest says, where there is one."""

    presence: Presence
    declaration: Declaration


def _layout(contract: Contract, files: Sequence[FileRows]) -> _Layout:
    stated = contract.delivery.format
    readable = [item for item in files if item.frame is not None]
    telling = [item.fields for item in readable if item.fields is not None]
    every = _first_types(telling)
    if readable and not telling:
        every = _decoded_types(contract)
    fields = {name: _told(every[name], contract, name) for name in contract.field_names if name in every}
    absent = tuple(
        name for name in fields if any(name in item.absent or name not in fields_of(item, fields) for item in readable)
    )
    kept = _first_types([item.kept for item in readable])
    parts = contract.delivery.parts
    has_parts = stated.type == "envelope" or (parts is not None and parts.source in ("file", "manifest"))
    return _Layout(
        fields, absent, kept, stated.is_text, stated.type in ("jsonl", "envelope"), has_parts, stated.type == "envelope"
    )


def _first_types(columns: Sequence[Mapping[str, pl.DataType]]) -> dict[str, pl.DataType]:
    """Every column with the first type that a file gives it; a column of nothing but nulls gives none."""
    found: dict[str, pl.DataType] = {}
    for types in columns:
        found |= {name: dtype for name, dtype in types.items() if isinstance(found.get(name), pl.Null | None)}
    return found


def _told(found: pl.DataType, contract: Contract, name: str) -> pl.DataType:
    """The type of a field; where every file has nothing but nulls the promised one, which objects and arrays do not name."""
    promised = contract.field(name).type
    is_named = promised.family not in (Family.OBJECT, Family.ARRAY)
    return decoded_dtype(promised) if is_named and isinstance(found, pl.Null) else found


def _fits(found: pl.DataType | None, dtype: pl.DataType) -> bool:
    return found == dtype or isinstance(found, pl.Null)


def fields_of(item: FileRows, every: Mapping[str, pl.DataType]) -> Mapping[str, pl.DataType]:
    """The fields that a file has; where no record of it tells, none is held to be missing."""
    return every if item.fields is None else item.fields


def _decoded_types(contract: Contract) -> dict[str, pl.DataType]:
    return {field.name: decoded_dtype(field.type) for field in contract.fields}


def _placed(item: FileRows, index: int, layout: _Layout, part: str | None) -> pl.LazyFrame:
    """One file's rows in the layout of the whole candidate; what the file lacks is null and marked absent."""
    assert item.frame is not None  # the caller leaves unreadable files out
    had = layout.fields if layout.is_json else {**fields_of(item, layout.fields)}
    has = {name for name, dtype in layout.fields.items() if had.get(name) == dtype}
    columns = [_column(name, dtype, is_there=name in has) for name, dtype in layout.fields.items()]
    if layout.is_text:
        columns += [_column(RAW + name, pl.String(), is_there=name in has) for name in layout.fields]
    for name in layout.absent:
        columns.append(column(ABSENT + name) if layout.is_json else pl.lit(name not in had).alias(ABSENT + name))
    columns += [pl.lit(index, pl.UInt32).alias(FILE_INDEX), column(ROW_NUMBER)]
    if layout.is_json:
        columns.append(column(NOT_AN_OBJECT))
    if layout.has_parts:
        columns.append(column(PART_NAME) if layout.parts_in_rows else pl.lit(part, pl.String()).alias(PART_NAME))
    columns += [_column(name, dtype, is_there=item.kept.get(name) == dtype) for name, dtype in layout.kept.items()]
    return item.frame.select(columns)


def _column(name: str, dtype: pl.DataType, *, is_there: bool) -> pl.Expr:
    return column(name) if is_there else pl.lit(None, dtype).alias(name)


def _no_rows(layout: _Layout) -> pl.LazyFrame:
    own: dict[str, pl.DataType] = {FILE_INDEX: pl.UInt32(), ROW_NUMBER: pl.UInt64()}
    if layout.is_json:
        own[NOT_AN_OBJECT] = pl.Boolean()
    if layout.has_parts:
        own[PART_NAME] = pl.String()
    return pl.LazyFrame(schema=own)


def _manifest(contract: Contract, delivery: Delivery, files: Sequence[FileFacts]) -> _Declared:
    if delivery.manifest is None:
        return _Declared("none", Declaration())
    try:
        declaration = read_manifest(delivery.manifest, contract, {file.name: file for file in files})
    except Unreadable as reason:
        problem = DeliveryProblem("unreadable", f"the manifest cannot be read: {reason}")
        return _Declared("unreadable", Declaration(problems=(problem,)))
    return _Declared("present", replace(declaration, parts=parts_with_files(contract, files, declaration.parts)))


def _rows_by_part(
    contract: Contract, frame: pl.LazyFrame, layout: _Layout, manifest: Declaration
) -> dict[str, int] | None:
    """The rows of each declared part where a column tells; read again for that column alone."""
    terms = contract.delivery.parts
    if terms is None or terms.column not in layout.fields or not manifest.parts:
        return None
    try:
        counts = frame.group_by(column(terms.column).cast(pl.String)).len().collect(engine="streaming")
    except READ_FAILURES:
        return None
    return dict(counts.drop_nulls().iter_rows())


def _facts(
    contract: Contract, files: Sequence[FileRows], layout: _Layout, declared: _Declared, frame: pl.LazyFrame
) -> Facts:
    file_facts = tuple(item.facts for item in files)
    envelope = Declaration()
    for item in files:
        envelope = merged(envelope, item.declaration)
    both = merged(envelope, declared.declaration)
    manifest = declared.declaration.parts if declared.presence == "present" else None
    counts = _rows_by_part(contract, frame, layout, declared.declaration)
    mixed = _mixed_rows(files, layout)
    return Facts(
        format=contract.delivery.format.type,
        files=file_facts,
        parts=found_parts(contract, file_facts, envelope.parts, declared.declaration.parts, counts),
        extra_columns=tuple(extra for item in files for extra in item.extras),
        missing=_missing(contract, files),
        absent_somewhere=layout.absent,
        mixed_types=tuple(mixed),
        mixed_rows=mixed,
        declared_contract=both.contract,
        declared_version=both.version,
        declared_partition=both.partition,
        declared_unit=both.unit,
        manifest=declared.presence,
        undeclared_files=undeclared_files(contract, file_facts, envelope.parts, manifest),
        problems=(*both.problems, *_mixed_extras(files, layout)),
    )


def _missing(contract: Contract, files: Sequence[FileRows]) -> dict[str, int]:
    telling = [item.fields for item in files if item.fields is not None]
    lacking = {name: sum(name not in fields for fields in telling) for name in contract.field_names}
    return {name: count for name, count in lacking.items() if count}


def _mixed_rows(files: Sequence[FileRows], layout: _Layout) -> dict[str, int]:
    """Fields whose type is not the same in all files, with the rows that are left out of the column for it."""
    rows: dict[str, int] = {}
    for item in files:
        for name, dtype in (item.fields or {}).items():
            if not _fits(dtype, layout.fields[name]):
                rows[name] = rows.get(name, 0) + item.facts.rows
    return rows


def _mixed_extras(files: Sequence[FileRows], layout: _Layout) -> list[DeliveryProblem]:
    mixed = {name for item in files for name, dtype in item.kept.items() if not _fits(dtype, layout.kept[name])}
    text = "an undeclared column has not the same type in all files, and is kept from those of the first type"
    return [DeliveryProblem("extra_field", text) for _ in mixed]
