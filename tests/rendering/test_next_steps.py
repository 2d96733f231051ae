"""Every rule label leads to a repair: one of its own, or, where a value is wrong, the correction of values."""

import re
from pathlib import Path

import pytest

from contract_core.rendering.reports import next_step
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import NoDuplicateRows
from contract_core.validation.report import Finding, Outcome

TEXT = (Path(__file__).parents[2] / "docs" / "language.md").read_text("utf-8")
TABLE = TEXT.partition("## Rule labels\n")[2].partition("\n## ")[0]
LABELS = re.findall(
    r"`([a-z_]+)`", "".join(line.split("|")[1] for line in TABLE.splitlines() if line.startswith("| `"))
)
VALUES = {
    "type", "null", "not_finite", "enum", "pattern", "range", "length", "blank", "untrimmed", "row_rule",
}  # fmt: skip
CORRECT = "correct the values at the source and deliver again, or release a contract version that allows them"


def repair(rule: str, outcome: Outcome = Outcome.BREACHED) -> str:
    return next_step(Finding(Obligation(rule, rule, NoDuplicateRows(), Layer.ROWS), outcome, 1))


def test_the_table_of_labels_is_read() -> None:
    assert set(LABELS) >= VALUES | {"unreadable", "coverage", "completeness", "key", "freshness"}


@pytest.mark.parametrize("label", LABELS)
def test_every_label_has_a_repair_and_only_wrong_values_share_one(label: str) -> None:
    """[S2-030]"""
    assert (repair(label) == CORRECT) == (label in VALUES)
    assert len(repair(label)) > 20


def test_what_is_kept_needs_none() -> None:
    assert repair("key", Outcome.KEPT) == ""


def test_a_part_that_nobody_asked_for_is_not_fetched() -> None:
    finding = Obligation("coverage.unexpected", "coverage", NoDuplicateRows(), Layer.OPERATIONS)
    assert next_step(Finding(finding, Outcome.BREACHED, 1)).startswith("deliver each required part once and no other")
