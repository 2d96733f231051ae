"""What a sample in a producer's own tests is not held to, because only the gate knows what was accepted before."""

from contract_core.operations.samples import left_to_the_gate
from tests.contract.texts import HEAD, contract_of

FIELDS = "fields: [{name: n, type: integer, min: 0}]\n"


def test_monitors_are_left_to_the_gate() -> None:
    monitors = "monitors: {volume: {max_change: 50%}, fields: {n: {null_rate: 5%}}}\n"
    left = left_to_the_gate(contract_of(HEAD + FIELDS + monitors))
    assert {"volume", "n.drift.null_rate"} <= set(left)
    assert "n.range" not in left
