"""ValidationReport → asset check results: one check for each group of obligations that a person acts on, never computed again."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import dagster as dg

from contract_assets.labels import plain
from contract_assets.measures import judgement_measures
from contract_assets.metadata import decision_metadata, findings_metadata, findings_summary
from contract_assets.monitors import movement_metadata
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.submit import Judged
from contract_core.rendering.promises import promise_words
from contract_core.rendering.reports import budget_words, decision_words
from contract_core.validation.obligations import Layer, Obligation, obligations_of
from contract_core.validation.report import Finding, Outcome

SEVERITY = {Severity.ERROR: dg.AssetCheckSeverity.ERROR, Severity.WARN: dg.AssetCheckSeverity.WARN}
_SCHEMA = ("unreadable", "not_object", "extra_field", "missing", "type")
_WHOLE = {"row_count": "rows"}
_NAMED = ("row_rule", "unique", "group", "history")
_MONITORED = ("volume", "drift")
"""Rules of one severity each: their checks keep their name, and so their plots, when a monitor that warned becomes blocking."""
_TOLD_APART = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|[^A-Za-z0-9_]")
WARNINGS = "warnings__"
DECISION = "decision"
_TOLD = 8
_WEIGHED = f"Tells what is broken, and the check {DECISION} says what that leads to"
_IN_NO_ROW = ("group", "history")
"""Rules about rows that no single row breaks, or not by itself: there is nothing that could be kept apart."""
_IN_ONE_ROW = ("type", "missing", "not_object")
"""Rules of the schema that a single row can break: such rows can be kept apart."""


@dataclass(frozen=True, slots=True)
class CheckGroup:
    """One asset check: its name and the obligations it stands for, all of one severity.

    `is_blocking` where every breach holds publication back. Dagster fixes that before any run, so a check whose breaches may
    be let through (rows kept apart, or told only) does not block; the check `decision` does in its place.
    """

    name: str
    severity: Severity
    obligations: tuple[Obligation, ...]
    is_blocking: bool

    @property
    def description(self) -> str:
        """What the check stands for, in the words of the contract; of very many promises the first."""
        promised = [promise_words(obligation.promise) for obligation in self.obligations[:_TOLD]]
        rest = len(self.obligations) - len(promised)
        what = "; ".join([*promised, *([f"and {rest} more"] if rest else [])])
        if self.severity is Severity.WARN:
            return f"Only warns: {what}"
        return f"{'Holds publication back' if self.is_blocking else _WEIGHED}: {what}"


def check_name(text: str) -> str:
    """A name that Dagster takes, one-to-one: every other character becomes its code point between double underscores."""
    return _TOLD_APART.sub(lambda match: f"__{ord(match[0]):x}__", text)


def check_groups(contract: Contract) -> tuple[CheckGroup, ...]:
    """The checks of a contract's candidate, in the contract's order; what only warns stands apart from what blocks."""
    grouped: dict[tuple[str, Severity], list[Obligation]] = {}
    for obligation in obligations_of(contract):
        grouped.setdefault((_subject(obligation), obligation.severity), []).append(obligation)
    return tuple(
        CheckGroup(
            _name(subject, severity, members),
            severity,
            tuple(members),
            severity is Severity.ERROR and not any(_may_be_let_through(member, contract) for member in members),
        )
        for (subject, severity), members in grouped.items()
    )


def _name(subject: str, severity: Severity, members: list[Obligation]) -> str:
    is_warning = severity is Severity.WARN and members[0].rule not in _MONITORED
    return WARNINGS + subject if is_warning else subject


def _may_be_let_through(obligation: Obligation, contract: Contract) -> bool:
    """True where the contract may publish a delivery that breaks this, without the rows in question or with them."""
    match contract.enforcement.on_breach:
        case "fail":
            return False
        case "warn":
            return obligation.layer is Layer.ROWS
        case "quarantine":
            is_of_rows = obligation.layer is Layer.ROWS and obligation.rule not in _IN_NO_ROW
            return is_of_rows or obligation.rule in _IN_ONE_ROW


def _subject(obligation: Obligation) -> str:
    if obligation.rule in _SCHEMA:
        return "schema"
    if obligation.rule == "drift":
        return f"drift_{check_name(obligation.field or '')}"
    if obligation.rule in _NAMED:
        return f"{obligation.rule}_{check_name(obligation.id.removesuffix('.' + obligation.rule))}"
    if obligation.field is not None and obligation.id == f"{obligation.field}.{obligation.rule}":
        return f"field_{check_name(obligation.field)}"
    return _WHOLE.get(obligation.rule, obligation.rule)


def check_specs(
    contract: Contract, asset: dg.AssetKey, partitions: dg.PartitionsDefinition | None
) -> list[dg.AssetCheckSpec]:
    """The checks that the candidate's own step answers, so that no run can leave them out."""
    with partitioned_checks():
        groups = [
            dg.AssetCheckSpec(
                name=group.name,
                asset=asset,
                description=plain(group.description),
                blocking=group.is_blocking,
                partitions_def=partitions,
                metadata={"rules": [obligation.id for obligation in group.obligations]},
            )
            for group in check_groups(contract)
        ]
        decision = dg.AssetCheckSpec(
            name=DECISION,
            asset=asset,
            description=plain(
                f"Holds publication back unless the gate lets the delivery through: {budget_words(contract)}"
            ),
            blocking=True,
            partitions_def=partitions,
        )
        return [decision, *groups] if _weighs(contract) else groups


def _weighs(contract: Contract) -> bool:
    """True where a breach does not yet say what becomes of the delivery, so that the decision has a check of its own."""
    return contract.enforcement.on_breach != "fail"


@contextmanager
def partitioned_checks() -> Iterator[None]:
    """Checks by partition are a preview in Dagster 1.13: used on purpose, and tested at each upgrade."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=dg.PreviewWarning, message=".*partitions_def.*")
        yield


def check_results(judged: Judged, asset: dg.AssetKey, note: str = "") -> Iterator[dg.AssetCheckResult]:
    """One result for each check, told from report and decision; `note` is put before each description.

    The first one says what the judgement cost too: a refused candidate has no materialisation that could.
    """
    report, decision = judged.report, judged.decision
    found = {finding.id: finding for finding in report.findings}
    costs = judgement_measures(report)
    if _weighs(judged.contract):
        yield dg.AssetCheckResult(
            check_name=DECISION,
            asset_key=asset,
            passed=judged.is_accepted,
            description=f"{note}{plain(decision_words(report, decision))}",
            metadata={**decision_metadata(report, decision), **costs},
        )
        costs = {}
    for group in check_groups(judged.contract):
        findings = [found[obligation.id] for obligation in group.obligations]
        yield dg.AssetCheckResult(
            check_name=group.name,
            asset_key=asset,
            passed=all(finding.outcome is Outcome.KEPT for finding in findings),
            severity=_severity(group, findings, decision),
            description=f"{note}{plain(findings_summary(findings, decision))}",
            metadata={**findings_metadata(findings, report), **movement_metadata(findings, report), **costs},
        )
        costs = {}


def _severity(group: CheckGroup, findings: list[Finding], decision: Decision) -> dg.AssetCheckSeverity:
    """ERROR for what held the delivery back; WARN for a breach that did not, whatever the contract says it weighs."""
    is_open = any(finding.outcome is not Outcome.KEPT for finding in findings)
    holds = decision.verdict is Verdict.REFUSE and any(finding.id in decision.reasons for finding in findings)
    return dg.AssetCheckSeverity.WARN if is_open and not holds else SEVERITY[group.severity]


def unanswered_checks(contract: Contract, asset: dg.AssetKey, reason: str) -> Iterator[dg.AssetCheckResult]:
    """The checks of a candidate that could not be judged at all: each has failed, and says why."""
    description = f"not judged: {plain(reason)}"
    if _weighs(contract):
        yield dg.AssetCheckResult(check_name=DECISION, asset_key=asset, passed=False, description=description)
    for group in check_groups(contract):
        yield dg.AssetCheckResult(
            check_name=group.name,
            asset_key=asset,
            passed=False,
            severity=SEVERITY[group.severity],
            description=description,
            metadata={"unjudged": len(group.obligations)},
        )
