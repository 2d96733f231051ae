"""What a contract may ask of monitors: which limits go with which field, and who may see what they measure."""

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.contract.promises import FieldMonitor, VolumeMonitor
from contract_core.errors import InvalidContractError
from contract_core.validation.obligations import Layer, obligations_of
from tests.contract.texts import HEAD, contract_of

FIELDS = """\
fields:
  - {name: day, type: date}
  - {name: n, type: integer}
  - {name: status, type: string, enum: [a, b]}
  - {name: salary, type: integer, classification: confidential}
  - {name: illness, type: string, enum: [x, y], classification: restricted}
  - {name: took, type: duration}
  - {name: parts, type: array}
"""
DAILY = "delivery: {partition: {column: day, every: day, start: 2026-10-01}}\n"
MONTHLY = DAILY.replace("every: day", "every: month")


def told(text: str) -> list[tuple[str, str]]:
    """What is wrong and what to write instead."""
    with pytest.raises(InvalidContractError) as caught:
        parse_contract(HEAD + FIELDS + text + "\n", "c.yaml")
    return [(problem.what, problem.hint) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        pytest.param("monitors: {volume: {window: 3}}", "monitors.volume: sets no limit", 'write max_change: "50%", max_deviation: 6, or both', id="volume without a limit"),
        pytest.param("monitors: {fields: {n: {window: 3}}}", "monitors.fields.n: sets no limit", "write one of: null_rate, distinct_change, mean_change, quantiles_change, shares, max_deviation", id="field without a limit"),
        pytest.param("monitors: {volume: {max_change: 5%, window: 3, min_history: 4}}", "monitors.volume.min_history: min_history 4 is above window 3, so that nothing is ever compared", "lower it, or raise window", id="more history than the window holds"),
        pytest.param("monitors: {volume: {max_change: 5%, season: weekday}}", "monitors.volume.season: compares days of the same weekday, and the contract has no partitions by day", "remove season, or write every: day in delivery.partition", id="weekdays without partitions"),
        pytest.param(f"monitors: {{volume: {{max_change: 5%, season: weekday}}}}\n{MONTHLY}", "monitors.volume.season: compares days of the same weekday, and the contract has no partitions by day", "remove season, or write every: day in delivery.partition", id="weekdays of months"),
        pytest.param("monitors: {fields: {status: {mean_change: 5%}}}", "monitors.fields.status.mean_change: 'status' holds no numbers", "watch its null_rate or distinct_change", id="mean of texts"),
        pytest.param("monitors: {fields: {day: {quantiles_change: 5%}}}", "monitors.fields.day.quantiles_change: 'day' holds no numbers", "watch its null_rate or distinct_change", id="quantiles of days"),
        pytest.param("monitors: {fields: {n: {shares: 5%}}}", "monitors.fields.n.shares: 'n' has no enum whose values could have shares", "declare enum: [...], or remove shares", id="shares without a list"),
        pytest.param("monitors: {fields: {parts: {distinct_change: 5%}}}", "monitors.fields.parts.distinct_change: 'parts' is an array, and no two of them are compared", "watch its null_rate", id="distinct arrays"),
        pytest.param("monitors: {fields: {salary: {mean_change: 5%}}}", "monitors.fields.salary.mean_change: 'salary' is confidential, and no aggregate of its values is kept", "watch its null_rate, or another field", id="mean of a confidential field"),
        pytest.param("monitors: {fields: {salary: {distinct_change: 5%}}}", "monitors.fields.salary.distinct_change: 'salary' is confidential, and no aggregate of its values is kept", "watch its null_rate, or another field", id="distinct values of a confidential field"),
        pytest.param("monitors: {fields: {illness: {shares: 5%}}}", "monitors.fields.illness.shares: 'illness' is restricted, and no aggregate of its values is kept", "watch its null_rate, or another field", id="shares of a restricted field"),
        pytest.param("monitors: {volume: {max_deviation: 0}}", "monitors.volume.max_deviation: is no factor", "write a number from 0.01 to 1,000, such as 6 or 3.5", id="a deviation of nothing"),
        pytest.param("monitors: {volume: {max_deviation: 1001}}", "monitors.volume.max_deviation: is no factor", "write a number from 0.01 to 1,000, such as 6 or 3.5", id="a deviation of too much"),
        pytest.param('monitors: {volume: {max_deviation: "6"}}', "monitors.volume.max_deviation: is no factor", "write a number from 0.01 to 1,000, such as 6 or 3.5", id="a deviation in quotes"),
        pytest.param("monitors: {volume: {max_deviation: true}}", "monitors.volume.max_deviation: is no factor", "write a number from 0.01 to 1,000, such as 6 or 3.5", id="a deviation that is true"),
    ],
)  # fmt: skip
def test_a_monitor_that_cannot_be_held_is_told_with_what_to_write(text: str, what: str, hint: str) -> None:
    assert told(text) == [(what, hint)]


def test_a_restricted_field_may_have_its_nulls_watched() -> None:
    contract = contract_of(HEAD + FIELDS + "monitors: {fields: {illness: {null_rate: 5%}}}\n")
    assert [item.id for item in obligations_of(contract) if item.rule == "drift"] == ["illness.drift.null_rate"]


def test_what_is_not_said_has_a_default() -> None:
    assert VolumeMonitor() == VolumeMonitor(window=14, min_history=5, season=None, severity="warn")
    assert (FieldMonitor(window=3).needed, FieldMonitor(window=9).needed) == (3, 5)


def test_a_deviation_is_written_as_a_number() -> None:
    contract = contract_of(
        HEAD + FIELDS + "monitors: {volume: {max_deviation: 3.50}, fields: {n: {null_rate: 1%, max_deviation: 6.0}}}\n"
    )
    assert contract.monitors.volume is not None
    assert (contract.monitors.volume.max_deviation, contract.monitors.fields["n"].max_deviation) == (3.5, 6)


def test_each_limit_is_one_obligation_of_the_operational_layer_that_only_warns() -> None:
    """[S4-022]"""
    text = """\
monitors:
  volume: {max_change: 50%, severity: error}
  fields:
    n: {null_rate: 5%, distinct_change: 50%, mean_change: 60%, quantiles_change: 60%}
    status: {shares: 10%, severity: error}
"""
    found = [item for item in obligations_of(contract_of(HEAD + FIELDS + text)) if item.rule in ("volume", "drift")]
    assert {item.layer for item in found} == {Layer.OPERATIONS}
    assert [(item.id, item.field, item.severity.value) for item in found] == [
        ("volume", None, "error"),
        ("n.drift.null_rate", "n", "warn"),
        ("n.drift.distinct", "n", "warn"),
        ("n.drift.mean", "n", "warn"),
        ("n.drift.quantiles", "n", "warn"),
        ("status.drift.shares", "status", "error"),
    ]


@pytest.mark.parametrize(
    ("field", "measures"),
    [
        pytest.param("n", ["null_rate", "distinct", "mean", "quantiles"], id="a number"),
        pytest.param("took", ["null_rate", "distinct", "mean", "quantiles"], id="a duration"),
        pytest.param("status", ["null_rate", "distinct", "shares"], id="one of a list"),
        pytest.param("parts", ["null_rate"], id="an array"),
        pytest.param("salary", ["null_rate"], id="confidential"),
    ],
)
def test_a_deviation_alone_is_held_against_every_measure_that_the_field_can_have(
    field: str, measures: list[str]
) -> None:
    contract = contract_of(f"{HEAD}{FIELDS}monitors: {{fields: {{{field}: {{max_deviation: 6}}}}}}\n")
    found = [item.id for item in obligations_of(contract) if item.rule == "drift"]
    assert found == [f"{field}.drift.{measure}" for measure in measures]
