"""Freshness fits its contract: the column holds moments, and the pause is one that a producer in time can keep."""

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.errors import InvalidContractError

TEXT = """\
contract: cases
version: "1.0.0"
key: [day]
fields: [{name: day, type: date}]
delivery: {partition: {column: day, every: EVERY, start: 2026-09-01}MORE}
freshness: {column: day, max_age: 2d, max_silence: PAUSE}
"""
HOURLY = TEXT.replace("{name: day, type: date}", "{name: day, type: timestamp}").replace("EVERY", "hour")
DAILY, MONTHLY = TEXT.replace("EVERY", "day"), TEXT.replace("EVERY", "month")
WEEKDAYS = DAILY.replace("MORE", ', due: {by: "09:00", calendar: weekdays}')


def complaints(text: str, pause: str) -> list[tuple[str, str]]:
    try:
        parse_contract(text.replace("MORE", "").replace("PAUSE", pause), "c.yaml")
    except InvalidContractError as error:
        return [(problem.what, problem.hint) for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("text", "pause", "why", "least"),
    [
        pytest.param(HOURLY, "59m", "from one hour to the next", "1h", id="hours"),
        pytest.param(DAILY, "23h", "from one day to the next", "1d", id="days"),
        pytest.param(MONTHLY, "30d", "from one month to the next", "31d", id="months"),
        pytest.param(WEEKDAYS, "2d", "from Friday's delivery to Monday's", "3d", id="weekdays"),
    ],
)
def test_a_silence_that_every_pause_would_break_is_refused(text: str, pause: str, why: str, least: str) -> None:
    """[S1-016] An alarm that rings on every quiet day is none."""
    ((what, hint),) = complaints(text, pause)
    assert what.endswith(f"is shorter than the usual pause {why}")
    assert hint.startswith(f"allow {least} at least")
    assert complaints(text, least) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(DAILY + "publication: {mode: append}\n", id="several deliveries a day"),
        pytest.param(
            DAILY.replace("partition: {column: day, every: day, start: 2026-09-01}MORE", ""), id="no partitions"
        ),
    ],
)
def test_a_table_without_a_usual_pause_may_promise_any(text: str) -> None:
    assert complaints(text, "1h") == []


@pytest.mark.parametrize("classification", ["confidential", "restricted"])
def test_the_age_of_a_value_that_the_contract_keeps_to_itself_is_not_told(classification: str) -> None:
    """The ledger, messages and metrics hold the age, and with the moment of judgement it is the value."""
    text = DAILY.replace("{name: day, type: date}", f"{{name: day, type: date, classification: {classification}}}")
    what = f"freshness.column: 'day' is {classification}, and the age of its newest value is that value"
    named = f"delivery.partition.column: 'day' is {classification}, and its values would become the names of partitions"
    assert complaints(text, "2d") == [
        (named, "tell partitions by another field"),
        (what, "name a public or internal field"),
    ]


@pytest.mark.parametrize("classification", ["public", "internal"])
def test_the_age_of_any_other_value_is_told(classification: str) -> None:
    text = DAILY.replace("{name: day, type: date}", f"{{name: day, type: date, classification: {classification}}}")
    assert complaints(text, "2d") == []
