"""Days on which nothing comes to be: no partition of them is ever due, and none of any other day is due at another moment."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_core.contract.deadlines import due_at
from contract_core.contract.delivery_terms import WEEKDAYS, Due, PartitionTerms
from contract_core.contract.parsing import parse_contract
from contract_core.errors import InvalidContractError
from contract_core.rendering.promises import due_words

DAILY = PartitionTerms.model_validate({"column": "day", "every": "day", "start": "2026-01-01"})
HOURLY = PartitionTerms.model_validate({"column": "day", "every": "hour", "start": "2026-01-01"})
QUIET = Due.model_validate({"by": "09:00", "days_after": 1, "not_for": ["saturday", "2026-12-25"]})


@pytest.mark.parametrize(
    ("terms", "key", "is_due"),
    [
        pytest.param(DAILY, "2026-12-24", True, id="a day like others"),
        pytest.param(DAILY, "2026-12-25", False, id="a day that is named"),
        pytest.param(DAILY, "2026-12-26", False, id="a Saturday"),
        pytest.param(DAILY, "2026-12-27", True, id="a Sunday"),
        pytest.param(HOURLY, "2026-12-25-23:00", False, id="an hour of a day that is named"),
        pytest.param(HOURLY, "2026-12-24-23:00", True, id="the hour before"),
    ],
)
def test_a_partition_of_a_quiet_day_is_never_due(terms: PartitionTerms, key: str, *, is_due: bool) -> None:
    """[S2-041]"""
    assert (due_at(terms, QUIET, key) is not None) == is_due


@given(
    days=st.lists(st.sampled_from([*WEEKDAYS, "2026-12-24", "2026-12-25"]), unique=True),
    offset=st.integers(0, 364),
    calendar=st.sampled_from(["all", "weekdays"]),
)
def test_quiet_days_move_no_deadline(days: list[str], offset: int, calendar: str) -> None:
    day = date(2026, 1, 1) + timedelta(days=offset)
    plain = Due.model_validate({"by": "09:00", "calendar": calendar})
    quiet = Due.model_validate({"by": "09:00", "calendar": calendar, "not_for": days})
    is_quiet = WEEKDAYS[day.weekday()] in days or day.isoformat() in days
    assert due_at(DAILY, quiet, day.isoformat()) == (None if is_quiet else due_at(DAILY, plain, day.isoformat()))


def test_quiet_days_are_told() -> None:
    assert due_words(QUIET) == (
        "by 09:00 UTC every day, 1 day after its partition, and never for Saturdays, 1 named day"
    )


@pytest.mark.parametrize(
    ("every", "days", "told"),
    [
        pytest.param("week", "[saturday]", "names days, and a partition is longer than one", id="weeks"),
        pytest.param("day", "[Saturday]", "is neither a weekday nor a calendar day", id="no weekday"),
        pytest.param("day", '["2026-02-30"]', "is neither a weekday nor a calendar day", id="no day"),
    ],
)
def test_what_are_no_quiet_days_is_told(every: str, days: str, told: str) -> None:
    text = (
        'contract: cases\nversion: "1.0.0"\nfields: [{name: day, type: date}]\n'
        f"delivery: {{partition: {{column: day, every: {every}, start: 2026-01-01}}, "
        f'due: {{by: "09:00", not_for: {days}}}}}\n'
    )
    with pytest.raises(InvalidContractError, match=told):
        parse_contract(text, "cases.yaml")
