"""The gate: a report and the contract's enforcement become a decision. Pure, and the only place that weighs severities."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from contract_core.contract.model import Contract
from contract_core.contract.promises import QuarantineTerms, Severity
from contract_core.contract.unsupported import refuse_unsupported
from contract_core.validation.obligations import Layer
from contract_core.validation.report import Finding, Outcome, ValidationReport


class Verdict(StrEnum):
    """What the gate allows to happen to a candidate."""

    PUBLISH = "publish"
    PUBLISH_WITH_QUARANTINE = "publish_with_quarantine"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Decision:
    """What may happen, and why.

    `reasons` are the ids of the findings that hold rows or the whole candidate back, `warnings` those that only warn, both in
    report order. `quarantined` is the number of rows that are kept apart. A budget that is exceeded stands among the reasons
    as `quarantine.max_rows` or `quarantine.max_rate`, and in words in `explanations`.
    """

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    quarantined: int = 0
    explanations: tuple[str, ...] = ()


def decide(report: ValidationReport, contract: Contract) -> Decision:
    """The decision that this report leads to under this contract. What could not be judged counts as broken."""
    refuse_unsupported(contract)
    spoken = [finding for finding in report.findings if finding.outcome is not Outcome.KEPT]
    held = [finding for finding in spoken if _holds_back(finding, contract)]
    reasons = tuple(finding.id for finding in held)
    warnings = tuple(finding.id for finding in spoken if not _holds_back(finding, contract))
    if not held:
        return Decision(Verdict.PUBLISH, (), warnings)
    exceeded = dict(_exceeded(report, contract.enforcement.quarantine))
    if exceeded or report.broken_rows is None or not all(_lies_in_rows(finding) for finding in held):
        return Decision(Verdict.REFUSE, (*reasons, *exceeded), warnings, explanations=tuple(exceeded.values()))
    return Decision(Verdict.PUBLISH_WITH_QUARANTINE, reasons, warnings, report.broken_rows)


def _holds_back(finding: Finding, contract: Contract) -> bool:
    if finding.severity is not Severity.ERROR:
        return False
    is_let_through = (
        finding.layer is Layer.ROWS and finding.outcome is Outcome.BREACHED and not _cannot_pass(finding, contract)
    )
    return not (contract.enforcement.on_breach == "warn" and is_let_through)


def _cannot_pass(finding: Finding, contract: Contract) -> bool:
    """True for a repeated key under upsert: two rows cannot both take the place of one."""
    return finding.id == "key" and contract.publication.mode == "upsert"


def _lies_in_rows(finding: Finding) -> bool:
    return finding.in_rows and finding.outcome is Outcome.BREACHED


def _exceeded(report: ValidationReport, terms: QuarantineTerms) -> Iterator[tuple[str, str]]:
    """The budgets that the broken rows exceed; a delivery of which no row stays is none that anyone should rely on."""
    broken, rows = report.broken_rows or 0, report.rows
    told = f"{broken:,} of {rows:,} rows break a rule"
    if terms.max_rows is not None and broken > terms.max_rows:
        yield "quarantine.max_rows", f"{told}, and at most {terms.max_rows:,} may go to quarantine"
    if terms.max_rate is not None and broken > terms.max_rate * rows:
        yield "quarantine.max_rate", f"{told}, and at most {terms.max_rate:%} may go to quarantine"
    if broken and broken == rows:
        yield "quarantine.no_row_left", f"{told}, and nothing would be left to publish"
