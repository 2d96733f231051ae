"""All obligations → one lazy query, collected once → report. A rule that cannot be asked is unjudged, and says why."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, assert_never
from zoneinfo import ZoneInfo

import polars as pl

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.validation.askable import Subject, is_vacuous, why_unjudged
from contract_core.validation.delivery_rules import counted, few, judge, parts_found
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.promise_kinds import (
    DeliveryPromise,
    Fresh,
    HasType,
    InPartition,
    NoDuplicateRows,
    NoExtraFields,
    Present,
    Readable,
    RecordsAreObjects,
    RowCountBetween,
    RowPromise,
    SchemaPromise,
    TablePromise,
    UniqueKey,
)
from contract_core.validation.report import Finding, Outcome, Part, ValidationReport
from contract_core.validation.row_rules import kept
from contract_core.validation.schema_match import ABSENT, NOT_OBJECT, Columns
from contract_core.validation.table_rules import Question, answer
from contract_core.validation.unverified import unverified_claims

_PARTS = "parts"
Answers = Mapping[str, Any]


def validate(contract: Contract, candidate: Candidate, as_of: datetime) -> ValidationReport:
    """Judge every obligation of `contract` on `candidate`, reading its rows once; `as_of` is the moment of judgement."""
    rows = pl.scan_parquet(candidate.path, glob=False)
    subject = Subject(contract, candidate, Columns(rows.collect_schema(), contract.delivery.format.is_text), as_of)
    obligations = obligations_of(contract)
    left_out = [obligation for obligation in obligations if is_vacuous(obligation, subject)]
    unasked = {obligation.id: reason for obligation in obligations if (reason := why_unjudged(obligation, subject))}
    asked = [obligation for obligation in obligations if obligation.id not in unasked and obligation not in left_out]
    answers = _ask(rows, asked, subject)
    in_rows = answers[_PARTS] if subject.part_column else None
    parts = parts_found(contract, candidate.facts, in_rows)
    findings = []
    for obligation in obligations:
        if obligation in left_out:
            findings.append(counted(obligation, 0))
        elif obligation.id in unasked:
            findings.append(Finding(obligation, Outcome.UNJUDGED, reason=unasked[obligation.id]))
        else:
            findings.append(_finding(obligation, subject, answers.get(obligation.id), parts))
    return _report(subject, tuple(findings), parts)


def _report(subject: Subject, findings: tuple[Finding, ...], parts: tuple[Part, ...]) -> ValidationReport:
    contract, candidate = subject.contract, subject.candidate
    return ValidationReport(
        contract=contract.name,
        version=contract.version,
        contract_digest=contract.digest,
        partition=candidate.partition,
        submission=candidate.submission,
        candidate_digest=candidate.digest,
        as_of=subject.as_of,
        rows=candidate.rows,
        findings=findings,
        parts=parts,
        unverified=unverified_claims(contract),
    )


def _ask(rows: pl.LazyFrame, obligations: list[Obligation], subject: Subject) -> Answers:
    """One query for everything: one row of counts for the row rules, beside it one row for each question about the table."""
    places = {f"{index}": obligation for index, obligation in enumerate(obligations)}
    counts = [broken.alias(place) for place, item in places.items() if (broken := _broken(item, subject)) is not None]
    frames = [rows.select(counts)] if counts else []
    frames += [
        answer(item.promise, rows, _question(subject)).select(pl.struct(pl.all()).alias(place))
        for place, item in places.items()
        if isinstance(item.promise, TablePromise)
    ]
    if subject.part_column is not None:
        sizes = rows.select(name=pl.col(subject.part_column).cast(pl.String)).drop_nulls().group_by("name").len("rows")
        frames.append(sizes.select(pl.struct("name", "rows").implode().alias(_PARTS)))
    if not frames:
        return {}
    found = pl.concat(frames, how="horizontal").collect(engine="streaming").row(0, named=True)
    answers = {item.id: found[place] for place, item in places.items() if place in found}
    return answers | {_PARTS: {part["name"]: part["rows"] for part in found.get(_PARTS) or ()}}


def _question(subject: Subject) -> Question:
    declared = tuple(name for name in subject.contract.field_names if subject.columns.has(name))
    return Question(subject.columns, subject.candidate.partition, subject.contract.delivery.partition, declared)


def _broken(obligation: Obligation, subject: Subject) -> pl.Expr | None:
    """How many rows break the obligation, where rows are what it is about."""
    promise, columns = obligation.promise, subject.columns
    match promise:
        case HasType(column, promised) if not columns.fits(column, promised):
            return None
        case Present(column):
            return pl.col(ABSENT + column).sum() if columns.has(ABSENT + column) else None
        case RecordsAreObjects():
            return pl.col(NOT_OBJECT).sum() if columns.has(NOT_OBJECT) else None
        case _:
            return (~kept(promise, columns)).sum() if isinstance(promise, RowPromise) else None


def _finding(
    obligation: Obligation,
    subject: Subject,
    found: Any,  # noqa: ANN401 - a count or a row of counts, by the kind of promise
    parts: tuple[Part, ...],
) -> Finding:
    promise = obligation.promise
    if isinstance(promise, DeliveryPromise):
        return judge(obligation, subject.contract, subject.facts, subject.candidate.partition, parts)
    if isinstance(promise, SchemaPromise):
        return _schema_finding(obligation, promise, subject, found)
    if isinstance(promise, TablePromise):
        return _table_finding(obligation, promise, subject, found)
    if isinstance(promise, HasType):
        return _type_finding(obligation, promise, subject, found)
    return counted(obligation, found, {"rows": subject.candidate.rows})


def _schema_finding(obligation: Obligation, promise: SchemaPromise, subject: Subject, found: int | None) -> Finding:
    facts = subject.facts
    match promise:
        case Readable():
            unread = [f"{file.name}: {file.unreadable}" for file in facts.files if file.unreadable is not None]
            return counted(obligation, len(unread), {"files": len(facts.files)}, few(unread))
        case RecordsAreObjects():
            return counted(obligation, found or 0, {"rows": subject.candidate.rows})
        case NoExtraFields():
            extra = {column.name: column.position for column in facts.extra_columns}
            unnamed = sum(1 for column in facts.extra_columns if not column.name)
            return counted(obligation, max(len(extra), unnamed), {"first_position": min(extra.values(), default=0)})
        case Present(column):
            lacking = facts.missing.get(column, 0) if subject.columns.has(column) else facts.missing.get(column, 1)
            return counted(obligation, found or lacking)
        case _:
            assert_never(promise)


def _type_finding(obligation: Obligation, promise: HasType, subject: Subject, found: int | None) -> Finding:
    """A column of another type breaks the promise in all of its rows, and once where there are none."""
    rows = subject.candidate.rows
    breaches = max(rows, 1) if found is None else found + subject.facts.mixed_rows.get(promise.column, 0)
    return counted(obligation, breaches, {"rows": rows})


def _table_finding(obligation: Obligation, promise: TablePromise, subject: Subject, found: dict[str, Any]) -> Finding:
    match promise:
        case UniqueKey():
            return counted(obligation, found["groups"], found)
        case NoDuplicateRows():
            return counted(obligation, found["surplus_rows"], found)
        case RowCountBetween(low, high):
            is_within = found["rows"] >= low and (high is None or found["rows"] <= high)
            return counted(obligation, 0 if is_within else 1, found)
        case InPartition():
            return counted(obligation, found["rows_outside"], {"rows": subject.candidate.rows})
        case Fresh():
            return _freshness(obligation, promise, subject, found["newest"])
        case _:
            assert_never(promise)


def _freshness(obligation: Obligation, promise: Fresh, subject: Subject, newest: date | datetime | None) -> Finding:
    """The age of the newest event at `as_of`; a day counts from its beginning, in the partition's time zone."""
    if newest is None:
        return Finding(obligation, Outcome.UNJUDGED, reason="there is no event whose age could be told")
    terms = subject.contract.delivery.partition
    zone = ZoneInfo(terms.timezone) if terms is not None else UTC
    moment = newest if isinstance(newest, datetime) else datetime(newest.year, newest.month, newest.day, tzinfo=zone)
    age = subject.as_of - (moment if moment.tzinfo is not None else moment.replace(tzinfo=zone))
    details = {"age_seconds": int(age.total_seconds()), "max_age_seconds": int(promise.max_age.total_seconds())}
    return counted(obligation, 1 if age > promise.max_age else 0, details)
