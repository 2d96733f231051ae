"""Days for which a part is required: those that come are required, those that go no longer are."""

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.diff.changes import find_changes
from contract_core.diff.kinds import ChangeKind as Is

HEAD = 'contract: cases\nversion: "1.0.0"\nfields: [{name: day, type: date}]\ndelivery:\n  partition: {column: day, every: day, start: 2026-10-01}\n'
ALWAYS = "{}"
SHORT, LONG = "{a: {valid_until: 2026-10-31}}", "{a: {valid_until: 2026-11-30}}"
MOVED = "{a: {valid_from: 2026-10-15, valid_until: 2026-12-31}}"
TIGHTER, LOOSER = Is.PART_REQUIRED, Is.PART_NO_LONGER_REQUIRED


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        pytest.param(ALWAYS, SHORT, [LOOSER], id="ends from now on"),
        pytest.param(SHORT, ALWAYS, [TIGHTER], id="no longer ends"),
        pytest.param(SHORT, LONG, [TIGHTER], id="ends later"),
        pytest.param(LONG, SHORT, [LOOSER], id="ends earlier"),
        pytest.param(SHORT, MOVED, [TIGHTER, LOOSER], id="later days in place of earlier ones"),
        pytest.param(SHORT, SHORT, [], id="the same"),
    ],
)
def test_days_that_differ_are_a_change(before: str, after: str, kinds: list[Is]) -> None:
    """[S4-004]"""
    old, new = (
        parse_contract(f"{HEAD}  parts: {{from: file, required: [a, b], periods: {days}}}\n", "c.yaml")
        for days in (before, after)
    )
    assert [change.kind for change in find_changes(old, new)] == kinds
