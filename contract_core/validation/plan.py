"""All obligations → one lazy query, collected once → report. A rule that cannot be asked is unjudged, and says why."""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import polars as pl

from contract_core.candidate.columns import ABSENT, NOT_AN_OBJECT, PART_NAME
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.partition import window
from contract_core.validation.askable import is_vacuous, why_unjudged
from contract_core.validation.breaking_rows import any_mark, is_in_rows, marked, sends_away
from contract_core.validation.delivery_rules import counted, parts_found
from contract_core.validation.findings import Answers, Circumstances, event_moment, finding_of
from contract_core.validation.group_rules import judged_groups
from contract_core.validation.history_rules import compared_rows, returned_keys, why_not_compared
from contract_core.validation.listed_parts import asks_for_parts, bound_by_list, why_unlisted, with_version
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.past import NOTHING_KNOWN, Past
from contract_core.validation.profile import MEASURES, measured, measuring
from contract_core.validation.promise_kinds import (
    Fresh,
    GroupsHold,
    HasType,
    HistoryHolds,
    HistoryPromise,
    KeysReturn,
    MeasuredPromise,
    NewKey,
    Present,
    RecordsAreObjects,
    RowPromise,
)
from contract_core.validation.repeats import counts_of, repeats_of
from contract_core.validation.report import Finding, Learned, Outcome, Part, ValidationReport
from contract_core.validation.row_rules import kept
from contract_core.validation.subject import Subject, open_subject
from contract_core.validation.table_rules import Question, answer
from contract_core.validation.unverified import unverified_claims

_PARTS, _BROKEN = "parts", "broken rows"


def validate(contract: Contract, candidate: Candidate, as_of: datetime, past: Past = NOTHING_KNOWN) -> ValidationReport:
    """Judge every obligation of `contract` on `candidate`, reading its rows once; `as_of` is the moment of judgement."""
    judged = bound_by_list(_of_its_day(contract, candidate.partition), past)
    rows, subject = open_subject(judged, candidate)
    obligations = tuple(with_version(item, past) for item in obligations_of(judged))
    unasked = {item.id: reason for item in obligations if (reason := _why_unasked(item, subject, past))}
    asked = [item for item in obligations if item.id not in unasked and not is_vacuous(item, subject)]
    answers = _ask(rows, asked, subject, past)
    is_read = all(file.unreadable is None for file in candidate.facts.files) and not why_unlisted(judged, past)
    parts = parts_found(judged, candidate.facts, _rows_by_part(answers, subject)) if is_read else ()
    measures = measured(asked, answers.get(MEASURES) or {})
    around, findings = (
        Circumstances(parts, as_of, past.arrived or as_of, measures, past.earlier, past.newest_elsewhere),
        [],
    )
    for obligation in obligations:
        if obligation.id in unasked:
            findings.append(Finding(obligation, Outcome.UNJUDGED, reason=unasked[obligation.id]))
        elif is_vacuous(obligation, subject):
            findings.append(counted(obligation, 0))
        else:
            found = finding_of(obligation, subject, answers.get(obligation.id), around)
            findings.append(replace(found, in_rows=is_in_rows(obligation, subject)))
    report = _report(subject, tuple(findings), parts, as_of, answers.get(_BROKEN))
    baseline = past.predecessor.submission if past.predecessor else None
    learned = Learned(_event_age(asked, answers, judged, as_of), baseline, measures.profile)
    return replace(report, contract_digest=contract.digest, learned=learned)


def _event_age(asked: list[Obligation], answers: Answers, contract: Contract, as_of: datetime) -> int | None:
    """The age of the newest event in whole seconds, where an age is promised and there is an event."""
    newest = [answers[item.id]["newest"] for item in asked if isinstance(item.promise, Fresh)]
    ages = [as_of - event_moment(found, contract) for found in newest if found is not None]
    return math.floor(min(ages).total_seconds()) if ages else None


def _of_its_day(contract: Contract, partition: str | None) -> Contract:
    """The contract as it binds one partition: with the parts that are required on its first day."""
    delivery = contract.delivery
    if delivery.parts is None or delivery.partition is None or partition is None or not delivery.parts.periods:
        return contract
    required = delivery.parts.required_on(window(delivery.partition, partition)[0].date())
    parts = delivery.parts.model_copy(update={"required": required, "periods": {}})
    return contract.model_copy(update={"delivery": delivery.model_copy(update={"parts": parts})})


def _why_unasked(obligation: Obligation, subject: Subject, past: Past) -> str:
    if isinstance(obligation.promise, NewKey) and past.taken is None:
        return "nobody looked at the published table"
    if asks_for_parts(obligation) and (why := why_unlisted(subject.contract, past)):
        return why
    reason = why_unjudged(obligation, subject)
    if isinstance(obligation.promise, HistoryPromise) and not reason:
        return why_not_compared(obligation.promise, subject.columns, past.predecessor)
    return reason


def _report(
    subject: Subject, findings: tuple[Finding, ...], parts: tuple[Part, ...], as_of: datetime, broken_rows: int | None
) -> ValidationReport:
    contract, candidate = subject.contract, subject.candidate
    return ValidationReport(
        contract=contract.name,
        version=contract.version,
        contract_digest=contract.digest,
        partition=candidate.partition,
        submission=candidate.submission,
        candidate_digest=candidate.digest,
        as_of=as_of,
        rows=candidate.rows,
        findings=findings,
        parts=parts,
        unverified=unverified_claims(contract),
        broken_rows=broken_rows,
    )


def _ask(rows: pl.LazyFrame, obligations: list[Obligation], subject: Subject, past: Past) -> Answers:
    """One query for everything: one row of counts for the row rules, beside it one row for each question about the table."""
    places = {f"{index}": obligation for index, obligation in enumerate(obligations)}
    records = rows.filter(~pl.col(NOT_AN_OBJECT)) if subject.columns.has(NOT_AN_OBJECT) else rows
    counts = [broken.alias(place) for place, item in places.items() if (broken := _broken(item, subject)) is not None]
    frames = [records.select(counts)] if counts else []
    if subject.columns.has(NOT_AN_OBJECT):
        frames.append(rows.select(pl.col(NOT_AN_OBJECT).sum()))
    repeats = repeats_of(obligations, records, subject.candidate.rows, subject.contract, subject.columns)
    staying = records
    if subject.contract.enforcement.on_breach == "quarantine":
        sending = [item for item in obligations if sends_away(item, subject)]
        judged = marked(rows, sending, subject, past.taken, repeats)
        frames.append(judged.select(any_mark(sending).sum().alias(_BROKEN)))
        staying = judged.filter(~any_mark(sending))
    question = _question(subject, past)
    frames += [
        answer(item.promise, records if is_in_rows(item, subject) else staying, question).select(
            pl.struct(pl.all()).alias(place)
        )
        for place, item in places.items()
        if isinstance(item.promise, MeasuredPromise)
    ]
    frames += _grouped(places, staying, subject)
    frames += measuring(obligations, staying, subject.columns)
    if past.predecessor is not None and past.predecessor.rows is not None:
        frames += _compared(places, staying, subject, past.predecessor.rows)
    if (part := _part_column(subject)) is not None:
        sizes = staying.select(name=pl.col(part).cast(pl.String)).group_by("name").len("rows")
        frames.append(sizes.select(pl.struct("name", "rows").implode().alias(_PARTS)))
    of_values = {name: counts_of(values) for name, values in repeats.items()}
    if not frames:
        return of_values
    found = pl.concat(frames, how="horizontal").collect(engine="streaming").row(0, named=True)
    answers = of_values | {item.id: found[place] for place, item in places.items() if place in found}
    answers |= {
        item.id: found.get(NOT_AN_OBJECT) for item in obligations if isinstance(item.promise, RecordsAreObjects)
    }
    answers |= {name: found[name] for name in (_BROKEN, MEASURES) if name in found}
    return answers | {_PARTS: {part["name"]: part["rows"] for part in found.get(_PARTS) or ()}}


def _grouped(places: Mapping[str, Obligation], rows: pl.LazyFrame, subject: Subject) -> list[pl.LazyFrame]:
    """One query for all rules about the same groups."""
    alike: dict[tuple[str, ...], dict[str, GroupsHold]] = {}
    for place, item in places.items():
        if isinstance(item.promise, GroupsHold):
            alike.setdefault(item.promise.by, {})[place] = item.promise
    return [judged_groups(rows, rules, subject.columns) for rules in alike.values()]


def _compared(
    places: Mapping[str, Obligation], rows: pl.LazyFrame, subject: Subject, before: pl.LazyFrame
) -> list[pl.LazyFrame]:
    """One query for all conditions over a row and its predecessor, and one for each promise that keys are there again."""
    held = {place: item.promise for place, item in places.items() if isinstance(item.promise, HistoryHolds)}
    returned = {place: item.promise for place, item in places.items() if isinstance(item.promise, KeysReturn)}
    frames = [compared_rows(rows, held, subject.columns, before)] if held else []
    for place, promise in returned.items():
        found = returned_keys(rows, promise, subject.columns, before)
        frames.append(found.select(pl.struct(pl.all()).alias(place)))
    return frames


def _part_column(subject: Subject) -> str | None:
    """The column that tells which part a row is of: the contract's own, or, to see of which parts rows stay, the candidate's."""
    if subject.part_column is not None or subject.contract.enforcement.on_breach != "quarantine":
        return subject.part_column
    return PART_NAME if subject.columns.has(PART_NAME) else None


def _rows_by_part(answers: Answers, subject: Subject) -> Mapping[str | None, int] | None:
    """The rows of each part, under None those without one, unless other rules refuse them already."""
    if _part_column(subject) is None:
        return None
    is_refused = subject.part_column is None or subject.refuses_missing(subject.part_column)
    return {name: rows for name, rows in answers[_PARTS].items() if name is not None or not is_refused}


def _question(subject: Subject, past: Past) -> Question:
    terms = subject.contract.delivery.partition
    judges_missing = terms is not None and not subject.refuses_missing(terms.column)
    return Question(subject.columns, subject.candidate.partition, terms, judges_missing, past.taken)


def _broken(obligation: Obligation, subject: Subject) -> pl.Expr | None:
    """How many rows break the obligation, where rows are what it is about."""
    promise, columns = obligation.promise, subject.columns
    match promise:
        case HasType(column, promised) if not columns.fits(column, promised):
            return None
        case Present(column):
            return pl.col(ABSENT + column).sum() if columns.has(ABSENT + column) else None
        case _:
            return (~kept(promise, columns)).sum() if isinstance(promise, RowPromise) else None
