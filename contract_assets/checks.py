"""ValidationReport → asset check results: one check for each group of obligations that a person acts on, never computed again."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import dagster as dg

from contract_assets.labels import plain
from contract_assets.metadata import findings_metadata, findings_summary
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.report import Outcome, ValidationReport

_SEVERITY = {Severity.ERROR: dg.AssetCheckSeverity.ERROR, Severity.WARN: dg.AssetCheckSeverity.WARN}
_SCHEMA = ("unreadable", "not_object", "extra_field", "missing", "type")
_WHOLE = {"row_count": "rows"}
_NAMED = ("row_rule", "unique")
_TOLD_APART = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|[^A-Za-z0-9_]")
WARNINGS = "warnings__"


@dataclass(frozen=True, slots=True)
class CheckGroup:
    """One asset check: its name and the obligations it stands for, all of one severity."""

    name: str
    severity: Severity
    obligations: tuple[Obligation, ...]

    @property
    def description(self) -> str:
        """What the check stands for, in the words of the contract."""
        ids = ", ".join(obligation.id for obligation in self.obligations)
        return f"{'Holds publication back' if self.severity is Severity.ERROR else 'Only warns'}: {ids}"


def check_name(text: str) -> str:
    """A name that Dagster takes, one-to-one: every other character becomes its code point between double underscores."""
    return _TOLD_APART.sub(lambda match: f"__{ord(match[0]):x}__", text)


def check_groups(contract: Contract) -> tuple[CheckGroup, ...]:
    """The checks of a contract's candidate, in the contract's order; what only warns stands apart from what blocks."""
    grouped: dict[tuple[str, Severity], list[Obligation]] = {}
    for obligation in obligations_of(contract):
        grouped.setdefault((_subject(obligation), obligation.severity), []).append(obligation)
    return tuple(
        CheckGroup(subject if severity is Severity.ERROR else WARNINGS + subject, severity, tuple(members))
        for (subject, severity), members in grouped.items()
    )


def _subject(obligation: Obligation) -> str:
    if obligation.rule in _SCHEMA:
        return "schema"
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
        return [
            dg.AssetCheckSpec(
                name=group.name,
                asset=asset,
                description=plain(group.description),
                blocking=group.severity is Severity.ERROR,
                partitions_def=partitions,
                metadata={"rules": [obligation.id for obligation in group.obligations]},
            )
            for group in check_groups(contract)
        ]


@contextmanager
def partitioned_checks() -> Iterator[None]:
    """Checks by partition are a preview in Dagster 1.13: used on purpose, and tested at each upgrade."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=dg.PreviewWarning, message=".*partitions_def.*")
        yield


def check_results(
    contract: Contract, report: ValidationReport, asset: dg.AssetKey, note: str = ""
) -> Iterator[dg.AssetCheckResult]:
    """One result for each check, told from the report; `note` is put before each description."""
    found = {finding.id: finding for finding in report.findings}
    for group in check_groups(contract):
        findings = [found[obligation.id] for obligation in group.obligations]
        yield dg.AssetCheckResult(
            check_name=group.name,
            asset_key=asset,
            passed=all(finding.outcome is Outcome.KEPT for finding in findings),
            severity=_SEVERITY[group.severity],
            description=f"{note}{plain(findings_summary(findings))}",
            metadata=findings_metadata(findings, report),
        )


def unanswered_checks(contract: Contract, asset: dg.AssetKey, reason: str) -> Iterator[dg.AssetCheckResult]:
    """The checks of a candidate that could not be judged at all: each has failed, and says why."""
    for group in check_groups(contract):
        yield dg.AssetCheckResult(
            check_name=group.name,
            asset_key=asset,
            passed=False,
            severity=_SEVERITY[group.severity],
            description=f"not judged: {plain(reason)}",
            metadata={"unjudged": len(group.obligations)},
        )
