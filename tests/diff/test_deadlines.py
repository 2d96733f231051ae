"""Whether a deadline moved: what counts is the moments at which partitions are due, not how they are written."""

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.diff.changes import find_changes
from contract_core.diff.kinds import ChangeKind as Is

HEAD = 'contract: cases\nversion: "1.0.0"\nfields: [{name: at, type: timestamp}]\n'


def kinds(every: str, before: str, after: str, start: str = "2026-10-01") -> list[Is]:
    old, new = (
        parse_contract(
            f"{HEAD}delivery: {{partition: {{column: at, every: {every}, start: {start}}}, due: {{{due}}}}}\n", "c.yaml"
        )
        for due in (before, after)
    )
    return [change.kind for change in find_changes(old, new)]


@pytest.mark.parametrize(
    ("every", "before", "after", "found"),
    [
        pytest.param("day", "by: '09:00'", "by: '08:00'", [Is.DEADLINE_EARLIER], id="an hour earlier"),
        pytest.param("day", "by: '09:00'", "by: '10:00'", [Is.DEADLINE_LATER], id="an hour later"),
        pytest.param("day", "by: '09:00'", "by: '08:00', days_after: 1", [Is.DEADLINE_EARLIER], id="earlier on the day that was meant anyway"),
        pytest.param("day", "by: '09:00'", "by: '08:00', days_after: 2", [Is.DEADLINE_LATER], id="a day later"),
        pytest.param("day", "by: '09:00'", "by: '09:00', days_after: 1", [Is.DEADLINE_LATER], id="the same moment in other words"),
        pytest.param("hour", "by: '09:00'", "by: '08:00'", [Is.DEADLINE_CHANGED], id="one hour later, the others earlier"),
        pytest.param("month", "by: '09:00', days_after: 5", "by: '10:00', days_after: 4", [Is.DEADLINE_EARLIER], id="a day earlier and an hour later"),
        pytest.param("day", "by: '09:00', days_after: 5, calendar: weekdays", "by: '09:00', days_after: 6, calendar: weekdays", [Is.DEADLINE_LATER], id="days off left aside"),
        pytest.param("day", "by: '09:00'", "by: '09:00', severity: error", [Is.SEVERITY_RAISED], id="holds back from now on"),
        pytest.param("day", "by: '09:00', severity: error", "by: '09:00'", [Is.SEVERITY_LOWERED], id="only warns from now on"),
        pytest.param("day", "by: '09:00'", "by: '10:00', timezone: Europe/Amsterdam", [Is.DEADLINE_CHANGED, Is.DEADLINE_LATER], id="another zone too"),
    ],
)  # fmt: skip
def test_a_deadline_moves_as_its_moments_do(every: str, before: str, after: str, found: list[Is]) -> None:
    """[S4-004]"""
    assert kinds(every, before, after) == found


def test_at_the_end_of_the_calendar_the_terms_are_compared() -> None:
    assert kinds("day", "by: '09:00'", "by: '08:00'", start="9999-12-01") == [Is.DEADLINE_EARLIER]
