"""Reports and decisions → text and JSON documents."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, assert_never

from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.publication.decision import Decision, Verdict
from contract_core.rendering.counts import many
from contract_core.rendering.moments import age_words
from contract_core.rendering.monitors import movement_words
from contract_core.rendering.next_steps import step_for
from contract_core.rendering.promises import promise_words
from contract_core.rendering.restatements import restated_document, restated_lines
from contract_core.validation.report import Finding, Outcome, ValidationReport

_TOLD_APART = 3
_QUARANTINE = "quarantine"


def message(finding: Finding) -> str:
    """One sentence on a finding, complete on its own: the promise, and how often it was broken."""
    promised = promise_words(finding.obligation.promise)
    match finding.outcome:
        case Outcome.KEPT:
            return f"kept: {promised}{f'; {finding.reason}' if finding.reason else ''}"
        case Outcome.UNJUDGED:
            return f"not judged: {promised}; {finding.reason}"
        case Outcome.BREACHED:
            named = f" ({finding.reason})" if finding.reason else ""
            return f"broken: {promised}; {_how_often(finding)}{named}"
        case _:
            assert_never(finding.outcome)


def next_step(finding: Finding) -> str:
    """What to do about a finding that is not kept."""
    return "" if finding.outcome is Outcome.KEPT else step_for(finding.id, finding.rule)


def consequence(finding: Finding, decision: Decision) -> str:
    """What the decision made of a finding whose severity alone would hold everything back; empty where it did just that."""
    if finding.severity is not Severity.ERROR:
        return ""
    if decision.verdict is Verdict.PUBLISH_WITH_QUARANTINE and finding.id in decision.reasons:
        return "kept apart in quarantine"
    return "published all the same, as on_breach: warn says" if finding.id in decision.warnings else ""


def quarantine_place(contract: str) -> str:
    """Where the rows that a decision keeps apart are, seen from the environment's folder."""
    return f"{_QUARANTINE}/{contract}"


def decision_words(report: ValidationReport, decision: Decision) -> str:
    """The decision in one sentence: what is published, what is kept apart, or what holds all of it back."""
    because = some_of(decision.reasons)
    match decision.verdict:
        case Verdict.PUBLISH:
            return f"{_all_rows(report.rows)} may be published"
        case Verdict.PUBLISH_WITH_QUARANTINE:
            apart = f"{decision.quarantined:,} of {many(report.rows, 'row')}"
            where = f"{'goes' if decision.quarantined == 1 else 'go'} to {quarantine_place(report.contract)}"
            return f"{apart} {where} ({because}); the other {report.rows - decision.quarantined:,} may be published"
        case Verdict.REFUSE:
            return "; ".join(decision.explanations) or _refused_words(report, decision)
        case _:
            assert_never(decision.verdict)


def some_of(names: tuple[str, ...]) -> str:
    """The first few of a list of names, and how many more there are: for a line that must stay readable."""
    shown = ", ".join(names[:_TOLD_APART])
    return shown if len(names) <= _TOLD_APART else f"{shown} and {len(names) - _TOLD_APART:,} more"


def _refused_words(report: ValidationReport, decision: Decision) -> str:
    """Why nothing may be published; where rows could be kept apart, what is broken beyond single rows."""
    if report.broken_rows is None:
        return f"nothing of it may be published ({some_of(decision.reasons)})"
    held = [finding for finding in report.breached() if finding.id in decision.reasons]
    whole = tuple(finding.id for finding in held if finding.outcome is Outcome.BREACHED and not finding.in_rows)
    if not whole:
        unjudged = tuple(finding.id for finding in held if finding.outcome is Outcome.UNJUDGED)
        return f"nothing of it may be published: {some_of(unjudged)} could not be judged"
    verb = "is" if len(whole) == 1 else "are"
    return f"nothing of it may be published: {some_of(whole)} {verb} about the whole delivery, not about single rows"


def budget_words(contract: Contract) -> str:
    """What becomes of rows that break a rule, and how many of them are borne."""
    terms = contract.enforcement.quarantine
    most = [f"{terms.max_rows:,}"] if terms.max_rows is not None else []
    most += [f"{terms.max_rate:%} of the rows"] if terms.max_rate is not None else []
    match contract.enforcement.on_breach:
        case "fail":
            return "one breach and nothing is published"
        case "warn":
            return "rows that break a rule are told, and published all the same"
        case "quarantine":
            limit = f", at most {' and at most '.join(most)}" if most else ""
            return f"rows that break a rule are kept apart{limit}; what is broken for the whole delivery refuses it"


def _all_rows(rows: int) -> str:
    return f"all {rows:,} rows" if rows > 1 else many(rows, "row")


def _how_often(finding: Finding) -> str:  # noqa: C901 - a table, one case a rule
    count, details = finding.breaches, finding.details
    match finding.rule:
        case "key" | "unique" if finding.id != "key.published":
            return f"{many(count, 'value')} held by {many(details['rows'], 'row')}"
        case "group":
            unknown = f", unknown for {details['unknown']:,}" if details["unknown"] else ""
            return f"{count:,} of {many(details['groups'], 'group')} {'breaks' if count == 1 else 'break'} it{unknown}"
        case "history":
            return _how_often_in_history(finding)
        case "duplicate_rows":
            return f"{many(count, 'surplus row')}"
        case "row_count":
            return f"there are {details['rows']:,}"
        case "deadline":
            return f"it came {age_words(details['late_seconds'])} late"
        case "freshness":
            return f"it is {age_words(details['age_seconds'])} old"
        case "volume" | "drift":
            return movement_words(finding)
        case "extra_field":
            return f"{many(count, 'undeclared field')}, the first at position {details['first_position']}"
        case "coverage" | "completeness":
            return ", ".join(f"{number:,} {word}" for word, number in details.items() if number) or many(count, "time")
        case "unreadable":
            return f"{count:,} of {many(details['files'], 'file')} cannot be read"
        case "missing" if "rows" not in details:
            return "it is missing" if count == 1 else f"it is missing {count:,} times"
        case _:
            broken = f"{count:,} of {many(details['rows'], 'row')}" if "rows" in details else many(count, "time")
            return f"{broken} {'breaks' if count == 1 else 'break'} it" if "rows" in details else broken


def _how_often_in_history(finding: Finding) -> str:
    """Rows that break it among those that have a predecessor, or published keys that are gone; and what was not compared."""
    count, details = finding.breaches, finding.details
    if "keys" in details:
        return f"{count:,} of {many(details['keys'], 'published key')} {'is' if count == 1 else 'are'} gone"
    left = {"unknown": "unknown for {:,}", "skipped": "{:,} without a predecessor", "ambiguous": "{:,} with several"}
    others = [words.format(details[name]) for name, words in left.items() if details[name]]
    broken = f"{count:,} of {many(details['judged'], 'row')} {'breaks' if count == 1 else 'break'} it"
    return ", ".join([broken, *others])


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
        "next_step": next_step(finding),
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
        "quarantined": decision.quarantined,
        "reasons": list(decision.reasons),
        "explanations": list(decision.explanations),
        "layers": {layer.value: outcome.value for layer, outcome in report.layers().items()},
        "findings": [finding_document(finding) for finding in report.findings],
        "restated": restated_document(report.learned.restated),
        "parts": [{"part": part.name, "state": part.state.value, "rows": part.rows} for part in report.parts],
        "unverified": list(report.unverified),
        "effort": dict(report.effort),
    }


def report_lines(report: ValidationReport, decision: Decision) -> Iterator[str]:
    """A report as a person reads it: the verdict first, then what is not kept and what to do, then what nobody checked."""
    partition = f" {report.partition}" if report.partition is not None else ""
    kept = sum(1 for finding in report.findings if finding.outcome is Outcome.KEPT)
    yield f"{decision.verdict.value}: {report.contract} {report.version}{partition}, {many(report.rows, 'row')}"
    yield f"    {kept} of {len(report.findings)} obligations kept (submission {report.submission[:12]})"
    if report.broken_rows is not None and decision.reasons and not decision.explanations:
        yield f"    {decision_words(report, decision)}"
    yield from restated_lines(report.learned.restated)
    yield from _finding_lines(report.breached(), decision)
    yield from _budget_lines(decision)
    for part in report.parts:
        if not part.state.value.startswith("complete"):
            yield f"   part  {part.name}: {part.state.value}"
    for claim in report.unverified:
        yield f"   note  not verified: {claim}"


def _finding_lines(findings: tuple[Finding, ...], decision: Decision) -> Iterator[str]:
    """Each finding and what to do about it; many that one thing left unjudged are told in one line."""
    reasons = Counter(finding.reason for finding in findings if finding.outcome is Outcome.UNJUDGED)
    together = {reason for reason, count in reasons.items() if count > _TOLD_APART}
    for finding in findings:
        if finding.outcome is not Outcome.UNJUDGED or finding.reason not in together:
            yield f"{finding.severity.value:>7}  {finding.id}: {message(finding)}"
            told = (consequence(finding, decision), next_step(finding))
            yield f"         {'; '.join(word for word in told if word)}"
    for reason in sorted(together):
        yield f"  error  {reasons[reason]:,} obligations were not judged: {reason}"
        yield "         mend that first; they are judged when the delivery is offered again"


def _budget_lines(decision: Decision) -> Iterator[str]:
    """Each budget that so many broken rows exceed, by its id; its sentence stands at the same place from the end."""
    exceeded = decision.reasons[len(decision.reasons) - len(decision.explanations) :]
    for name, explanation in zip(exceeded, decision.explanations, strict=True):
        yield f"  error  {name}: {explanation}"
        yield f"         {step_for(name, name)}"
