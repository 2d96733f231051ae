"""What was counted for one obligation → its finding."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, assert_never
from zoneinfo import ZoneInfo

from contract_core.contract.complaint import few
from contract_core.contract.deadlines import deadline
from contract_core.contract.elapsed import elapsed
from contract_core.contract.model import Contract
from contract_core.validation.delivery_rules import counted, judge, undeclared, unkeepable
from contract_core.validation.history_rules import history_finding
from contract_core.validation.measured import Measured
from contract_core.validation.monitors import steady_finding
from contract_core.validation.obligations import Obligation
from contract_core.validation.past import Past
from contract_core.validation.promise_kinds import (
    DeliveryPromise,
    Fresh,
    GroupsHold,
    HasType,
    HistoryPromise,
    InPartition,
    InTime,
    NewKey,
    NoDuplicateRows,
    NoExtraFields,
    Present,
    Readable,
    RecordsAreObjects,
    RowCountBetween,
    SchemaPromise,
    Steady,
    TablePromise,
    UniqueKey,
)
from contract_core.validation.report import Finding, Outcome, Part
from contract_core.validation.subject import Subject

Answers = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a finding needs besides the answer: the parts of the delivery, for which moment is judged, what was measured of it, and
    what was accepted before.
    """

    parts: tuple[Part, ...]
    as_of: datetime
    measured: Measured
    past: Past


def finding_of(  # noqa: C901 - a table, one case a kind of promise
    obligation: Obligation,
    subject: Subject,
    found: Any,  # noqa: ANN401 - a count or a row of counts, by the kind of promise
    around: Circumstances,
) -> Finding:
    """The finding for an obligation that was asked; `found` is what the query answered, None where no row was asked."""
    promise = obligation.promise
    if isinstance(promise, InTime):
        return _in_time(obligation, subject, around.past.arrived or around.as_of)
    if isinstance(promise, Steady):
        return steady_finding(obligation, promise, around.measured, around.past.earlier)
    if isinstance(promise, DeliveryPromise):
        return judge(obligation, subject.contract, subject.facts, subject.candidate.partition, around.parts)
    if isinstance(promise, SchemaPromise):
        return _schema_finding(obligation, promise, subject, found)
    if isinstance(promise, TablePromise):
        return _table_finding(obligation, promise, subject, found, around)
    if isinstance(promise, GroupsHold):
        return counted(obligation, found["broken"], {name: found[name] for name in ("groups", "unknown")})
    if isinstance(promise, HistoryPromise):
        return history_finding(obligation, promise, found)
    if isinstance(promise, HasType):
        return _type_finding(obligation, promise, subject, found)
    return counted(obligation, found, {"rows": subject.candidate.rows})


def _in_time(obligation: Obligation, subject: Subject, arrived: datetime) -> Finding:
    """Breached by how much later than its deadline the partition arrived; in whole seconds, so that the moment itself is kept."""
    due = deadline(subject.contract, subject.candidate.partition)
    late = 0 if due is None else max(0, math.ceil((arrived - due).total_seconds()))
    return counted(obligation, 1 if late else 0, {"late_seconds": late})


def _schema_finding(obligation: Obligation, promise: SchemaPromise, subject: Subject, found: int | None) -> Finding:
    facts = subject.facts
    match promise:
        case Readable():
            unread = [f"{file.name}: {file.unreadable}" for file in facts.files if file.unreadable is not None]
            unread += [problem.text for problem in facts.problems if problem.rule == "unreadable"]
            return counted(obligation, len(unread), {"files": len(facts.files)}, few(unread))
        case RecordsAreObjects():
            return counted(obligation, found or 0, {"rows": subject.candidate.rows})
        case NoExtraFields(kept):
            return unkeepable(obligation, subject.contract, facts) if kept else undeclared(obligation, facts)
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


def _table_finding(
    obligation: Obligation, promise: TablePromise, subject: Subject, found: dict[str, Any], around: Circumstances
) -> Finding:
    match promise:
        case UniqueKey():
            return counted(obligation, found["groups"], found)
        case NewKey():
            return counted(obligation, found["rows"], {"rows": subject.candidate.rows})
        case NoDuplicateRows():
            return counted(obligation, found["surplus_rows"], found)
        case RowCountBetween(low, high):
            is_within = found["rows"] >= low and (high is None or found["rows"] <= high)
            return counted(obligation, 0 if is_within else 1, found)
        case InPartition():
            return counted(obligation, found["rows_outside"], {"rows": subject.candidate.rows})
        case Fresh():
            return _freshness(obligation, promise, subject.contract, found["newest"], around)
        case _:
            assert_never(promise)


def _freshness(
    obligation: Obligation, promise: Fresh, contract: Contract, newest: date | datetime | None, around: Circumstances
) -> Finding:
    """The age of the newest event that would be published: of this delivery, or of what stays beside it."""
    known = [around.past.newest_elsewhere] if around.past.newest_elsewhere is not None else []
    known += [event_moment(newest, contract)] if newest is not None else []
    if not known:
        return Finding(obligation, Outcome.UNJUDGED, reason="there is no event whose age could be told")
    age = elapsed(max(known), around.as_of)
    details = {"age_seconds": int(age.total_seconds()), "max_age_seconds": int(promise.max_age.total_seconds())}
    return counted(obligation, 1 if age > promise.max_age else 0, details)


def event_moment(found: date | datetime, contract: Contract) -> datetime:
    """The moment of an event; a day counts from its beginning, and times without a zone in the partition's time zone."""
    terms = contract.delivery.partition
    zone = ZoneInfo(terms.timezone) if terms is not None else UTC
    moment = found if isinstance(found, datetime) else datetime(found.year, found.month, found.day, tzinfo=zone)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
