"""Every rule label has a repair action of its own, and an incident is told with the actions of its rules."""

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contract_core.operations.incidents import Incident, IncidentKind
from contract_core.rendering.next_steps import BY_ID, BY_RULE, step_for, steps_for
from contract_core.validation.obligations import obligations_of
from tests.contract.texts import MINIMAL, contract_of

DOCS = Path(__file__).parents[2] / "docs"
LABELS = re.findall(
    r"\w+",
    """
missing null type not_finite enum pattern range length blank untrimmed extra_field not_object row_rule key unique duplicate_rows
row_count group history partition coverage completeness contract unit freshness deadline volume drift unreadable
""",
)
"""The labels of the language, which are stable for ever."""
NOON = datetime(2026, 10, 2, 12, tzinfo=UTC)
REFUSED = Incident("cases", IncidentKind.REFUSED, "2026-10-01", NOON, rules=("a.null", "key"))
CONTRACT = contract_of(MINIMAL + "key: [a]\n")


def test_every_label_has_an_action_of_its_own() -> None:
    """[S2-030]"""
    assert set(BY_RULE) == set(LABELS)
    assert [step for step, count in Counter(BY_RULE.values()).items() if count > 1] == []


def test_the_labels_are_those_of_the_reference() -> None:
    table = (DOCS / "language.md").read_text("utf-8").split("## Rule labels")[1].split("\n## ")[0]
    documented = {
        label for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for label in re.findall(r"`(\w+)`", row)
    }
    assert documented <= set(LABELS)


@pytest.mark.parametrize(
    ("rule", "action"),
    [
        ("coverage", "fetch the missing part"),
        ("completeness", "wait until the producer declares every part complete"),
        ("key", "find out which source repeats the key"),
    ],
)
def test_the_action_is_the_one_that_repairs_it(rule: str, action: str) -> None:
    """[S2-030] Fetch what is missing, wait for completion, resolve the duplicate source."""
    assert step_for(rule, rule).startswith(action)


def test_an_id_may_have_an_action_of_its_own() -> None:
    assert step_for("key.published", "key") == BY_ID["key.published"] != BY_RULE["key"]


@pytest.mark.parametrize("name", [*BY_RULE, *BY_ID])
def test_an_action_fits_on_a_line_behind_what_became_of_the_rows(name: str) -> None:
    assert len(f"         kept apart in quarantine; {step_for(name, name.partition('.')[0])}") <= 140


def test_a_refusal_is_told_with_the_action_of_each_rule() -> None:
    """[S2-030]"""
    assert steps_for(CONTRACT, REFUSED) == (("a.null", BY_RULE["null"]), ("key", BY_RULE["key"]))


@pytest.mark.parametrize(
    ("name", "step"),
    [
        pytest.param("gone.range", BY_RULE["range"], id="a field that is gone"),
        pytest.param("n.drift.mean", BY_RULE["drift"], id="a monitor that is gone"),
        pytest.param("quarantine.max_rows", BY_ID["quarantine.max_rows"], id="a budget"),
        pytest.param("nothing of ours", "read the contract version under which it was refused", id="unknown"),
    ],
)
def test_a_rule_that_the_contract_no_longer_has_is_told_by_its_label(name: str, step: str) -> None:
    assert steps_for(CONTRACT, replace(REFUSED, rules=(name,))) == ((name, step),)


@pytest.mark.parametrize(
    ("kind", "error", "step"),
    [
        (
            IncidentKind.FAILED,
            "OlderSubmissionError",
            "it was received before what is published; publish it with --allow-older",
        ),
        (IncidentKind.FAILED, "PublicationConflictError", "other publications won every time; publish it again"),
        (
            IncidentKind.FAILED,
            "PublicationError",
            "the published table did not take it; publish it again and read the message",
        ),
        (IncidentKind.OVERDUE, None, "ask the producer for the partition"),
        (IncidentKind.STALE, None, BY_RULE["freshness"]),
        (IncidentKind.SILENT, None, "find out whether deliveries have stopped"),
    ],
)
def test_what_no_rule_held_back_has_one_step(kind: IncidentKind, error: str | None, step: str) -> None:
    ((name, told),) = steps_for(CONTRACT, Incident("cases", kind, None, NOON, error=error))
    assert (name, told.startswith(step)) == ("", True)


def test_every_obligation_has_a_step() -> None:
    assert all(step_for(obligation.id, obligation.rule) for obligation in obligations_of(CONTRACT))
