"""All obligations → their answers → one report. A rule that cannot be asked is unjudged, and says why."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import polars as pl

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.partition import window
from contract_core.validation.askable import is_vacuous, why_unjudged
from contract_core.validation.breaking_rows import is_in_rows
from contract_core.validation.delivery_rules import counted, parts_found
from contract_core.validation.findings import Answers, Circumstances, event_moment, finding_of
from contract_core.validation.history_rules import why_not_compared
from contract_core.validation.listed_parts import asks_for_parts, bound_by_list, why_unlisted, with_version
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.past import NOTHING_KNOWN, Past
from contract_core.validation.profile import MEASURES, measured
from contract_core.validation.promise_kinds import Fresh, HistoryPromise, NewKey
from contract_core.validation.query import BROKEN, PARTS, ask, part_column
from contract_core.validation.report import Finding, Learned, Outcome, Part, ValidationReport
from contract_core.validation.subject import Subject, open_subject
from contract_core.validation.unverified import unverified_claims


def validate(contract: Contract, candidate: Candidate, as_of: datetime, past: Past = NOTHING_KNOWN) -> ValidationReport:
    """Judge every obligation of `contract` on `candidate`; `as_of` is the moment of judgement."""
    inquiry = inquiry_of(contract, candidate, past)
    subject, asked = inquiry.subject, inquiry.asked
    answers = ask(inquiry.rows, asked, subject, past)
    found = measured(asked, answers.get(MEASURES) or {})
    around = Circumstances(_parts(subject, answers, past), as_of, found, past)
    findings = tuple(
        _finding(item, inquiry.unasked.get(item.id), subject, answers, around) for item in inquiry.obligations
    )
    baseline = past.predecessor.submission if past.predecessor else None
    learned = Learned(_event_age(asked, answers, contract, as_of), baseline, found.profile)
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
        parts=around.parts,
        unverified=unverified_claims(subject.contract),
        broken_rows=answers.get(BROKEN),
        learned=learned,
    )


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is to be found out about a candidate: all obligations, those that its rows are asked for, and why some cannot be."""

    rows: pl.LazyFrame
    subject: Subject
    obligations: tuple[Obligation, ...]
    asked: list[Obligation]
    unasked: Mapping[str, str]


def inquiry_of(contract: Contract, candidate: Candidate, past: Past) -> Inquiry:
    """The obligations of a contract as they bind this candidate, with what is known of the past."""
    binding = bound_by_list(_of_its_day(contract, candidate.partition), past)
    rows, subject = open_subject(binding, candidate)
    obligations = tuple(with_version(item, past) for item in obligations_of(binding))
    unasked = {item.id: reason for item in obligations if (reason := _why_unasked(item, subject, past))}
    asked = [item for item in obligations if item.id not in unasked and not is_vacuous(item, subject)]
    return Inquiry(rows, subject, obligations, asked, unasked)


def _finding(
    obligation: Obligation, why_unasked: str | None, subject: Subject, answers: Answers, around: Circumstances
) -> Finding:
    if why_unasked is not None:
        return Finding(obligation, Outcome.UNJUDGED, reason=why_unasked)
    if is_vacuous(obligation, subject):
        return counted(obligation, 0)
    found = finding_of(obligation, subject, answers.get(obligation.id), around)
    return replace(found, in_rows=is_in_rows(obligation, subject))


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


def _parts(subject: Subject, answers: Answers, past: Past) -> tuple[Part, ...]:
    """The parts of the delivery; none where a file could not be read, or nobody knows which are required."""
    is_read = all(file.unreadable is None for file in subject.facts.files)
    if not is_read or why_unlisted(subject.contract, past):
        return ()
    return parts_found(subject.contract, subject.facts, _rows_by_part(answers, subject))


def _rows_by_part(answers: Answers, subject: Subject) -> Mapping[str | None, int] | None:
    """The rows of each part, under None those without one, unless other rules refuse them already."""
    if part_column(subject) is None:
        return None
    is_refused = subject.part_column is None or subject.refuses_missing(subject.part_column)
    return {name: rows for name, rows in answers[PARTS].items() if name is not None or not is_refused}


def _event_age(asked: list[Obligation], answers: Answers, contract: Contract, as_of: datetime) -> int | None:
    """The age of the newest event in whole seconds, where an age is promised and there is an event."""
    newest = [answers[item.id]["newest"] for item in asked if isinstance(item.promise, Fresh)]
    ages = [as_of - event_moment(found, contract) for found in newest if found is not None]
    return math.floor(min(ages).total_seconds()) if ages else None
