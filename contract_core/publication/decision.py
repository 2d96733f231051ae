"""The gate: a report and the contract's enforcement become a decision. Pure, and the only place that weighs severities."""

from dataclasses import dataclass
from enum import StrEnum

from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
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
    """What may happen, the ids of the findings that hold the candidate back, and those that only warn, in report order."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def decide(report: ValidationReport, contract: Contract) -> Decision:
    """The decision that this report leads to under this contract. What could not be judged counts as broken."""
    refuse_unsupported(contract)
    spoken = [finding for finding in report.findings if finding.outcome is not Outcome.KEPT]
    reasons = tuple(finding.id for finding in spoken if _holds_back(finding, contract))
    warnings = tuple(finding.id for finding in spoken if not _holds_back(finding, contract))
    return Decision(Verdict.REFUSE if reasons else Verdict.PUBLISH, reasons, warnings)


def _holds_back(finding: Finding, contract: Contract) -> bool:
    if finding.severity is not Severity.ERROR:
        return False
    is_let_through = finding.layer is Layer.ROWS and finding.outcome is Outcome.BREACHED
    return not (contract.enforcement.on_breach == "warn" and is_let_through)
