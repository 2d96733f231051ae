"""The report as a value: layers, what holds back, and a digest of everything that was found."""

from dataclasses import replace
from typing import Any

import pytest

from contract_core.contract.promises import Severity
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import NotNull
from contract_core.validation.report import Finding, Outcome, ValidationReport
from tests.validation.judged import AS_OF


def found(
    name: str,
    outcome: Outcome = Outcome.KEPT,
    severity: Severity = Severity.ERROR,
    layer: Layer = Layer.ROWS,
    breaches: int = 0,
) -> Finding:
    return Finding(Obligation(name, name.rpartition(".")[2], NotNull("a"), layer, severity, "a"), outcome, breaches)


def report_of(*findings: Finding) -> ValidationReport:
    return ValidationReport("cases", "1.0.0", "c", "2026-10-01", "s", "d", AS_OF, 5, findings)


BREACHED = found("a.null", Outcome.BREACHED, breaches=2)
REPORT = report_of(found("row_count", layer=Layer.OPERATIONS), BREACHED)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"contract": "x"}, id="contract"), pytest.param({"contract_digest": "x"}, id="contract digest"), pytest.param({"partition": None}, id="partition"),
        pytest.param({"submission": "x"}, id="submission"), pytest.param({"candidate_digest": "x"}, id="candidate"), pytest.param({"rows": 6}, id="rows"),
        pytest.param({"findings": ()}, id="findings"), pytest.param({"findings": REPORT.findings[::-1]}, id="order"),
        pytest.param({"findings": (REPORT.findings[0], replace(BREACHED, breaches=3))}, id="count"),
        pytest.param({"findings": (REPORT.findings[0], replace(BREACHED, outcome=Outcome.UNJUDGED))}, id="outcome"),
        pytest.param({"findings": (REPORT.findings[0], found("a.null", Outcome.BREACHED, Severity.WARN, breaches=2))}, id="severity"),
    ],
)  # fmt: skip
def test_the_digest_changes_with_what_was_found(change: dict[str, Any]) -> None:
    assert replace(REPORT, **change).digest != REPORT.digest


def test_the_digest_does_not_change_with_the_moment_of_judgement() -> None:
    assert replace(REPORT, as_of=AS_OF.replace(year=2030), unverified=("x",)).digest == REPORT.digest


@pytest.mark.parametrize(
    ("finding", "holds_back"),
    [
        pytest.param(found("a.null"), False, id="kept"),
        pytest.param(found("a.null", Outcome.BREACHED), True, id="S1-001 breached"),
        pytest.param(found("a.null", Outcome.UNJUDGED), True, id="P05 unjudged is not kept"),
        pytest.param(found("a.null", Outcome.BREACHED, Severity.WARN), False, id="S1-005 only warns"),
    ],
)
def test_a_finding_holds_back_by_its_severity(finding: Finding, holds_back: bool) -> None:
    assert finding.holds_back is holds_back


def test_correctness_and_timeliness_are_separate_verdicts() -> None:
    """S1-002, S1-015."""
    report = report_of(
        found("a.type", Outcome.UNJUDGED, layer=Layer.SCHEMA), found("a.null", Outcome.BREACHED, Severity.WARN),
        found("freshness", Outcome.BREACHED, layer=Layer.OPERATIONS), found("row_count", Outcome.UNJUDGED, layer=Layer.OPERATIONS),
    )  # fmt: skip
    assert report.layers() == {
        Layer.SCHEMA: Outcome.UNJUDGED,
        Layer.ROWS: Outcome.KEPT,
        Layer.OPERATIONS: Outcome.BREACHED,
    }


def test_what_is_not_kept_comes_in_order() -> None:
    report = report_of(found("b.null", Outcome.UNJUDGED), found("row_count"), BREACHED)
    assert [finding.id for finding in report.breached()] == ["b.null", "a.null"]
