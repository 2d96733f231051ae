"""What no check can prove stands in every report, in the contract's own words."""

import pytest

from contract_core.validation.unverified import unverified_claims
from tests.validation.judged import contract_of

FIELDS = "fields: [{name: id, type: string}, {name: n, type: integer}]\n"
REGISTER = "id: that it is in an approved register (its form is checked, its membership is not)"
COMPLETE = "completeness: that a part declared complete really is (only the producer's source can show it)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(FIELDS, [], id="nothing claimed"),
        pytest.param(FIELDS + "population: Successful attempts.\n", ["population: Successful attempts. (rows cannot show what was left out upstream)"], id="S2-007 population"),
        pytest.param(FIELDS.replace("integer", "integer, unit: ms"), ["units: that values are measured in ms where their fields say so (a label is no measurement)"], id="unit"),
        pytest.param(FIELDS + "key: [id]\n", [REGISTER], id="S1-029 identifier"),
        pytest.param(FIELDS + "key: [n]\n", [], id="a number is no identifier of a register"),
        pytest.param(FIELDS.replace("string", "string, enum: [x]") + "key: [id]\n", [], id="S1-029 a list is a register"),
        pytest.param(FIELDS + "key: [id]\ndelivery: {parts: {from: column, column: id, required: [x]}}\n", [], id="S1-029 required parts are a register"),
        pytest.param(FIELDS + "delivery: {manifest: optional}\n", [COMPLETE], id="manifest"),
        pytest.param(FIELDS + "delivery: {format: {type: envelope}}\n", [COMPLETE], id="envelope"),
        pytest.param(FIELDS + "unverified: [{claim: It rained., evidence: the weather}, {claim: It snowed.}]\n", ["It rained. (evidence: the weather)", "It snowed. (no evidence named)"], id="S2-007 claims of the contract's own"),
    ],
)  # fmt: skip
def test_a_claim_is_listed(text: str, expected: list[str]) -> None:
    assert list(unverified_claims(contract_of(text))) == expected


TERMS = "completion: {mechanism: the day is closed at 06:00, evidence: the log of closed days}"
KNOWN = "the producer knows it by: the day is closed at 06:00; evidence: the log of closed days"


@pytest.mark.parametrize(
    ("manifest", "claim"),
    [
        pytest.param("required", "that a part declared complete really is", id="declared"),
        pytest.param("none", "that a part that is there is whole", id="not even declared"),
    ],
)
def test_completeness_is_believed_for_the_reason_that_the_contract_names(manifest: str, claim: str) -> None:
    """[S2-031] The mechanism by which the producer knows, and where its evidence is, stand in every report."""
    parts = f"delivery: {{manifest: {manifest}, parts: {{from: file, required: [a], {TERMS}}}}}\n"
    assert list(unverified_claims(contract_of(FIELDS + parts))) == [f"completeness: {claim} ({KNOWN})"]
