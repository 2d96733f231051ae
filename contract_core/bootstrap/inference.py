"""Delivered files → a first contract that these files keep, because it is really held against them before it is given.

What a promise rests on stands beside it as a count, and everything that was guessed is marked for review.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import polars as pl

from contract_core.bootstrap.csv_layout import csv_layout
from contract_core.bootstrap.draft import REVIEW, Draft, FieldDraft
from contract_core.bootstrap.evidence import facts_of, with_evidence
from contract_core.bootstrap.json_layout import json_layout, type_of
from contract_core.bootstrap.keys import with_key
from contract_core.bootstrap.names import declarable
from contract_core.bootstrap.offered import format_of, named_files, offered_files
from contract_core.bootstrap.physical_fields import language_type
from contract_core.bootstrap.places import (
    Partitions,
    found_partitions,
    settled_by_paths,
    stated_partitions,
    with_partitions,
    with_path,
)
from contract_core.bootstrap.text_kinds import KINDS_OF_JSON, NULL_TOKENS, Reading, kinds_of_csv, readings
from contract_core.bootstrap.widening import widened
from contract_core.candidate.columnar import read_ipc, read_parquet
from contract_core.candidate.delivered_paths import DELIVER_AGAIN
from contract_core.candidate.delivery import DeliveredFile, Delivery
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.candidate.text_lines import Unreadable
from contract_core.contract.yaml_document import Path as Place
from contract_core.errors import CandidateUnreadableError, Problem
from contract_core.validation.plan import validate
from contract_core.validation.report import ValidationReport

_ROUNDS, _MOST_COLUMNS = 12, 2_000
_NO_COLUMN = Problem("delivery", "has no column that a contract could declare", "give each column a name and one type")
_APPROVAL: dict[Place, str] = {
    (): "Inferred from delivered files. Every line marked 'review' is a guess from counts, and approved by nobody: the people who\n"
    "answer for the meaning of these values confirm or correct it, and then remove the mark.",
    ("status",): f"{REVIEW}status: until the owners approve what stands here",
    ("owners",): f"{REVIEW}owners: name the producer and the consumers; they approve what the values mean",
    ("grain",): f"{REVIEW}grain: say what one row is",
    (
        "enforcement",
        "on_breach",
    ): f"{REVIEW}on_breach: fail, once it has been quiet for long enough (contract-gate status)",
}


@dataclass(frozen=True, slots=True)
class Inferred:
    """A draft that its own delivery keeps: the reports that say so, one for each partition, and the rows they are about."""

    draft: Draft
    reports: tuple[ValidationReport, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Source:
    """What is inferred from, under which name, and where things may lie meanwhile; `at` is the moment of taking."""

    paths: tuple[Path, ...]
    name: str
    work: Path
    landing: Path
    at: datetime
    partition_column: str | None = None


def inferred(source: Source) -> Inferred:
    """The first contract of what lies at the paths. Raises CandidateUnreadableError where files cannot be read to their end."""
    offered = offered_files(source.paths)
    kind = format_of(offered)
    files = named_files(offered)
    draft = {"csv": _csv_draft, "jsonl": _json_draft}.get(kind, _columnar_draft)(source, files, kind)
    rows = _rows(_open(draft), source, files)
    facts = facts_of(rows, [item.name for item in draft.fields])
    draft = with_key(with_evidence(draft, rows, facts), rows, facts)
    partitions = _partitions(draft, rows, files, source)
    draft = _placed(draft, partitions, [file.path for file in files], source)
    return _kept(draft, source, files, partitions)


def _placed(draft: Draft, partitions: Partitions | None, paths: Sequence[Path], source: Source) -> Draft:
    if partitions is None:
        return with_path(draft, paths, source.landing)
    return with_partitions(draft, partitions, paths, source.landing)


def _head(source: Source, kind: str) -> Draft:
    terms = {"contract": source.name, "version": "0.1.0", "enforcement": {"on_breach": "warn"}}
    return Draft((), terms, {} if kind == "csv" else {"type": kind}, _APPROVAL)


def _csv_draft(source: Source, files: Sequence[DeliveredFile], kind: str) -> Draft:
    layout = csv_layout([file.path for file in files])
    names, told = declarable(layout.names)
    stated = {"encoding": layout.encoding, "delimiter": layout.delimiter}
    plain = {"encoding": "utf-8", "delimiter": ","}
    draft = replace(_head(source, kind), format={key: value for key, value in stated.items() if value != plain[key]})
    if not layout.is_certain:
        note = f"{REVIEW}encoding: no UTF-8; every byte can be read as {layout.encoding}, which proves little"
        draft = replace(draft, notes={**draft.notes, ("delivery", "format", "encoding"): note})
    draft = _with_names(draft, names, told)
    rows = _rows(_open(replace(draft, format={**draft.format, "null_values": ()})), source, files)
    found = readings(rows, names, kinds_of_csv(layout.delimiter), NULL_TOKENS)
    return _read_as(draft, _settled(found, rows, files))


def _json_draft(source: Source, files: Sequence[DeliveredFile], kind: str) -> Draft:
    keys = json_layout([file.path for file in files])
    names, told = declarable(tuple(keys))
    types = {name: type_of(keys[name]) for name in names}
    mixed = [name for name in names if types[name] is None]
    draft = _with_names(_head(source, kind), [name for name in names if types[name] is not None], told)
    draft = replace(draft, fields=tuple(replace(item, terms={"type": types[item.name]}) for item in draft.fields))
    if mixed:
        sentences = [f"`{name}` is left out: its values are of several JSON types" for name in mixed]
        draft = draft.having(extra_fields="ignore").telling(*sentences)
    texts = [name for name in names if types[name] == "string"]
    rows = _rows(_open(draft), source, files)
    return _read_as(draft, _settled(readings(rows, texts, KINDS_OF_JSON, ()), rows, files))


def _columnar_draft(source: Source, files: Sequence[DeliveredFile], kind: str) -> Draft:
    types: dict[str, pl.DataType] = {}
    for file in files:
        try:
            table = (read_parquet if kind == "parquet" else read_ipc)(file.path)
        except Unreadable as fault:
            raise CandidateUnreadableError(Problem(f"delivery {file.name}", str(fault), DELIVER_AGAIN)) from None
        types |= {name: dtype for name, dtype in table.schema.items() if isinstance(types.get(name), pl.Null | None)}
    names, told = declarable(tuple(types))
    draft = _with_names(_head(source, kind), names, told)
    for item in draft.fields:
        written, reason = language_type(types[item.name])
        if written is None:
            draft = draft.without_field(item.name).telling(f"`{item.name}` is left out: it {reason}")
        else:
            draft = draft.with_field(item.having(reason or None, type=written))
    return draft


def _with_names(draft: Draft, names: Sequence[str], told: Sequence[str]) -> Draft:
    if len(names) > _MOST_COLUMNS:
        what = f"has {len(names):,} columns, and nothing is inferred from more than {_MOST_COLUMNS:,}"
        raise CandidateUnreadableError(
            Problem("delivery", what, "deliver what repeats as rows, or name a file with fewer")
        )
    draft = replace(draft, fields=tuple(FieldDraft(name, {"type": "string"}) for name in names))
    return draft.having(extra_fields="ignore").telling(*told) if told else draft


def _settled(found: dict[str, Reading], rows: pl.LazyFrame, files: Sequence[DeliveredFile]) -> dict[str, Reading]:
    paths = [file.path for file in files]
    return {
        name: settled_by_paths(reading, rows, name, paths) if reading.either else reading
        for name, reading in found.items()
    }


def _read_as(draft: Draft, found: dict[str, Reading]) -> Draft:
    """The draft with each text in its type; one decimal mark holds for the whole file, so the rarer one stays text."""
    marks = [reading.kind.decimal for reading in found.values() if reading.kind and reading.kind.type == "number"]
    mark = "," if marks.count(",") > marks.count(".") else "."
    draft = replace(draft, format={**draft.format, "decimal": mark}) if mark != "." else draft
    for name, reading in found.items():
        kind, item = reading.kind, draft.field(name)
        if kind is not None and kind.type == "number" and kind.decimal != mark:
            draft = draft.with_field(item.having(f"numbers with another decimal mark than '{mark}'", type="string"))
        elif kind is not None:
            item = replace(item.having(_reading_note(reading), type=kind.type), decoding=kind.decoding(reading.tokens))
            draft = draft.with_field(item)
        elif reading.note:
            draft = draft.with_field(item.having(reading.note, type="string"))
    return draft


def _reading_note(reading: Reading) -> str | None:
    told = [reading.note] if reading.note else []
    if reading.tokens:
        count = sum(reading.told.values())
        told.append(f"{count:,} of {reading.present:,} values are texts that often mean 'no value', and are read so")
    return "; ".join(told) or None


def _open(draft: Draft) -> Draft:
    """The same fields without a promise, so that everything that is there can be seen."""
    loose = {"required": False, "nullable": True}
    fields = tuple(
        replace(item, terms={"type": item.terms["type"], **loose, **_nan(str(item.terms["type"]))})
        for item in draft.fields
    )
    return replace(draft, fields=fields, terms={**draft.terms, "extra_fields": "ignore"})


def _nan(written: str) -> dict[str, bool]:
    return {"allow_nan": True} if written in ("number", "float32", "float64") else {}


def _rows(draft: Draft, source: Source, files: Sequence[DeliveredFile]) -> pl.LazyFrame:
    return _taken(draft, source, files).scanned()


def _taken(draft: Draft, source: Source, files: Sequence[DeliveredFile], key: str | None = None) -> Candidate:
    """The candidate of these files, whose rows count them in the same order."""
    if not draft.fields:
        raise CandidateUnreadableError(_NO_COLUMN)
    candidate = take_candidate(draft.contract, Delivery(key, tuple(files)), source.work, received_at=source.at)
    if unread := [file for file in candidate.facts.files if file.unreadable is not None]:
        raise CandidateUnreadableError(
            *(Problem(f"delivery {file.name}", str(file.unreadable), DELIVER_AGAIN) for file in unread)
        )
    return candidate


def _partitions(draft: Draft, rows: pl.LazyFrame, files: Sequence[DeliveredFile], source: Source) -> Partitions | None:
    paths = [file.path for file in files]
    if source.partition_column is not None:
        return stated_partitions(draft, rows, paths, source.partition_column)
    return found_partitions(draft, rows, paths)


def _kept(draft: Draft, source: Source, files: Sequence[DeliveredFile], partitions: Partitions | None) -> Inferred:
    """The draft, held against its own delivery and widened until that keeps it."""
    for _ in range(_ROUNDS):
        has_partitions = partitions is not None and "delivery" in draft.terms
        groups = partitions.groups if partitions is not None and has_partitions else {None: range(len(files))}
        judged = [_judged(draft, source, [files[place] for place in group], key) for key, group in groups.items()]
        broken = next((report for report in judged if report.breached()), None)
        if broken is None:
            return Inferred(draft, tuple(judged), sum(report.rows for report in judged))
        draft = widened(draft, broken)
    what = f"breaks its own first contract after {_ROUNDS} attempts to widen it"
    raise CandidateUnreadableError(Problem("delivery", what, "name fewer files, and infer from those"))


def _judged(draft: Draft, source: Source, files: Sequence[DeliveredFile], key: str | None) -> ValidationReport:
    candidate = _taken(draft, source, files, key)
    return validate(draft.contract, candidate, source.at)
