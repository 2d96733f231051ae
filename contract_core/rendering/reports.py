"""Reports and decisions → text and JSON documents."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, assert_never

from contract_core.contract.scalars import Scalar
from contract_core.publication.decision import Decision
from contract_core.validation.promise_kinds import (
    Between,
    DeclaresContract,
    DeclaresPartition,
    DeclaresUnit,
    DeliveryPromise,
    Finite,
    Fresh,
    HasType,
    Holds,
    InPartition,
    LengthBetween,
    Matches,
    NoDuplicateRows,
    NoExtraFields,
    NoOtherParts,
    NotBlank,
    NotNull,
    OneOf,
    PartsArrived,
    PartsComplete,
    Present,
    Promise,
    Readable,
    RecordsAreObjects,
    RowCountBetween,
    TablePromise,
    Trimmed,
    UniqueKey,
)
from contract_core.validation.report import Finding, Outcome, ValidationReport

_TOLD_APART = 3
_NEXT_STEPS = {
    "unreadable": "deliver the file as the contract states it, or state its format in a new contract version",
    "coverage": "fetch the missing part and deliver the partition again",
    "completeness": "wait until the producer declares every part complete, then take the delivery again",
    "key": "find out which source repeats the key and deliver one row for each",
    "unique": "find out which source repeats the values and deliver one row for each",
    "freshness": "look for a newer delivery; consumers see old data until it comes",
    "contract": "deliver under this contract's name and major version, or publish under another contract",
    "unit": "convert at the source and declare the contract's unit",
    "partition": "deliver these rows under the partition they belong to",
    "row_count": "ask the producer whether the delivery is whole; say rows: {min: 0} where empty is fine",
    "extra_field": "remove the column, or declare it in a new contract version",
    "missing": "deliver the column, or release a contract version without it",
}


def promise_words(promise: Promise) -> str:  # noqa: C901 - a table, one case a promise
    """What is promised, in the contract's words."""
    match promise:
        case Readable():
            return "every file can be read"
        case RecordsAreObjects():
            return "every record is an object"
        case NoExtraFields(kept):
            return "every undeclared field can be kept" if kept else "no undeclared field"
        case Present(column):
            return f"'{column}' is there"
        case HasType(column, type_):
            return f"'{column}' is of type {type_}"
        case NotNull(column):
            return f"'{column}' is never null"
        case Finite(column):
            return f"'{column}' is never NaN or infinite"
        case OneOf(column, values):
            return f"'{column}' is one of {_listed(values)}"
        case Matches(column, pattern):
            return f"'{column}' matches {_short(pattern)}"
        case Between(column, low, high):
            return f"'{column}' is {_span(low, high)}"
        case LengthBetween(column, low, high):
            return f"'{column}' has a length {_span(low, high)}"
        case NotBlank(column, white_space):
            return f"'{column}' is more than white space ({white_space})"
        case Trimmed(column):
            return f"'{column}' has no outer white space"
        case Holds(_, condition, keeps_unknown):
            return f"{_short(condition.canonical)}{' or is unknown' if keeps_unknown else ''}"
        case _:
            return _table_words(promise)


def _table_words(promise: TablePromise | DeliveryPromise) -> str:  # noqa: C901 - a table, one case a promise
    match promise:
        case UniqueKey(columns, where):
            return f"({', '.join(columns)}) is unique{f' where {_short(where.canonical)}' if where else ''}"
        case NoDuplicateRows():
            return "no row stands twice"
        case RowCountBetween(low, high):
            return f"the number of rows is {_span(low, high)}"
        case InPartition(column):
            return f"'{column}' lies in the partition"
        case DeclaresPartition():
            return "the declared partition is the one offered"
        case DeclaresContract():
            return "the delivery declares this contract"
        case DeclaresUnit():
            return "the delivery declares the contract's unit"
        case PartsArrived(required):
            return f"all {len(required)} required parts are there"
        case NoOtherParts():
            return "no part is there that is not required"
        case PartsComplete():
            return "every part is declared complete, and the declaration agrees with the files"
        case Fresh(column, max_age):
            return f"the newest '{column}' is at most {age_words(int(max_age.total_seconds()))} old"
        case _:
            assert_never(promise)


def message(finding: Finding) -> str:
    """One sentence on a finding, complete on its own: the promise, and how often it was broken."""
    promised = promise_words(finding.obligation.promise)
    match finding.outcome:
        case Outcome.KEPT:
            return f"kept: {promised}"
        case Outcome.UNJUDGED:
            return f"not judged: {promised}; {finding.reason}"
        case Outcome.BREACHED:
            named = f" ({finding.reason})" if finding.reason else ""
            return f"broken: {promised}; {_how_often(finding)}{named}"
        case _:
            assert_never(finding.outcome)


def next_step(finding: Finding) -> str:
    """What to do about a finding that is not kept."""
    default = "correct the values at the source and deliver again, or release a contract version that allows them"
    return "" if finding.outcome is Outcome.KEPT else _NEXT_STEPS.get(finding.rule, default)


def _how_often(finding: Finding) -> str:  # noqa: C901 - a table, one case a rule
    count, details = finding.breaches, finding.details
    match finding.rule:
        case "key" | "unique":
            return f"{_many(count, 'value')} held by {_many(details['rows'], 'row')}"
        case "duplicate_rows":
            return f"{_many(count, 'surplus row')}"
        case "row_count":
            return f"there are {details['rows']:,}"
        case "freshness":
            return f"it is {age_words(details['age_seconds'])} old"
        case "extra_field":
            return f"{_many(count, 'undeclared field')}, the first at position {details['first_position']}"
        case "coverage" | "completeness":
            return ", ".join(f"{number:,} {word}" for word, number in details.items() if number) or _many(count, "time")
        case "unreadable":
            return f"{count:,} of {_many(details['files'], 'file')} cannot be read"
        case "missing" if "rows" not in details:
            return "it is missing" if count == 1 else f"it is missing {count:,} times"
        case _:
            broken = f"{count:,} of {_many(details['rows'], 'row')}" if "rows" in details else _many(count, "time")
            return f"{broken} {'breaks' if count == 1 else 'break'} it" if "rows" in details else broken


def finding_document(finding: Finding) -> dict[str, Any]:
    """A finding as JSON."""
    return {
        "id": finding.id,
        "rule": finding.rule,
        "field": finding.obligation.field,
        "layer": finding.layer.value,
        "severity": finding.severity.value,
        "outcome": finding.outcome.value,
        "breaches": finding.breaches,
        "details": dict(finding.details),
        "message": message(finding),
    }


def check_document(report: ValidationReport, decision: Decision) -> dict[str, Any]:
    """What `check --json` prints."""
    return {
        "contract": report.contract,
        "version": report.version,
        "contract_digest": report.contract_digest,
        "partition": report.partition,
        "submission": report.submission,
        "candidate": report.candidate_digest,
        "as_of": report.as_of.isoformat(),
        "verdict": decision.verdict.value,
        "rows": report.rows,
        "layers": {layer.value: outcome.value for layer, outcome in report.layers().items()},
        "findings": [finding_document(finding) for finding in report.findings],
        "parts": [{"part": part.name, "state": part.state.value, "rows": part.rows} for part in report.parts],
        "unverified": list(report.unverified),
    }


def report_lines(report: ValidationReport, decision: Decision) -> Iterator[str]:
    """A report as a person reads it: the verdict first, then what is not kept and what to do, then what nobody checked."""
    partition = f" {report.partition}" if report.partition is not None else ""
    kept = sum(1 for finding in report.findings if finding.outcome is Outcome.KEPT)
    yield f"{decision.verdict.value}: {report.contract} {report.version}{partition}, {_many(report.rows, 'row')}"
    yield f"    {kept} of {len(report.findings)} obligations kept (submission {report.submission[:12]})"
    yield from _finding_lines(report.breached())
    for part in report.parts:
        if not part.state.value.startswith("complete"):
            yield f"   part  {part.name}: {part.state.value}"
    for claim in report.unverified:
        yield f"   note  not verified: {claim}"


def _finding_lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    """Each finding and what to do about it; many that one thing left unjudged are told in one line."""
    reasons = Counter(finding.reason for finding in findings if finding.outcome is Outcome.UNJUDGED)
    together = {reason for reason, count in reasons.items() if count > _TOLD_APART}
    for finding in findings:
        if finding.outcome is not Outcome.UNJUDGED or finding.reason not in together:
            yield f"{finding.severity.value:>7}  {finding.id}: {message(finding)}"
            yield f"         {next_step(finding)}"
    for reason in sorted(together):
        yield f"  error  {reasons[reason]:,} obligations were not judged: {reason}"


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _listed(values: tuple[Scalar, ...]) -> str:
    shown = ", ".join(str(value) for value in values[:10])
    return f"[{shown}, … {len(values)} in all]" if len(values) > 10 else f"[{shown}]"


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:117]}…"


def _span(low: Scalar | None, high: Scalar | None) -> str:
    if low is not None and high is not None:
        return f"between {low} and {high}"
    return f"at least {low}" if low is not None else f"at most {high}"


def age_words(seconds: int) -> str:
    """A length of time in its two largest units."""
    parts = []
    rest = abs(seconds)
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        amount, rest = divmod(rest, length)
        if amount:
            parts.append(f"{amount}{unit}")
    return ("-" if seconds < 0 else "") + (" ".join(parts[:2]) or "0s")
