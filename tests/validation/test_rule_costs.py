"""What each rule costs by itself: each is asked once, alone, and nothing else is counted for it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.validation import rule_costs as rule_costs_module
from contract_core.validation.obligations import Obligation
from contract_core.validation.past import NOTHING_KNOWN
from contract_core.validation.plan import inquiry_of, validate
from contract_core.validation.report import Outcome, RuleCost
from contract_core.validation.rule_costs import rule_costs
from contract_core.validation.subject import Subject

NOW = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
TEXT = """\
contract: cases
version: "1.0.0"
key: [region]
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}"}
  - {name: n, type: integer, min: 0}
delivery: {format: {type: csv}, parts: {from: column, column: region, required: [NL]}}
"""
APART = TEXT + "enforcement: {on_breach: quarantine}\n"


class Asking:
    """Takes the place of the query: notes what is asked, and lets a clock go on by what it is said to cost."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds, self.now = seconds, 0.0
        self.asked: list[list[str]] = []
        self.modes: set[str] = set()

    def ask(self, _: object, obligations: Sequence[Obligation], subject: Subject, __: object) -> dict[str, object]:
        self.asked.append([item.id for item in obligations])
        self.modes.add(subject.contract.enforcement.on_breach)
        self.now += 1.0 + sum(self.seconds.get(item.id, 0.0) for item in obligations)
        return {}

    def clock(self) -> float:
        return self.now


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> Asking:
    found = Asking({"region.pattern": 5.0, "n.range": -0.5})
    monkeypatch.setattr(rule_costs_module, "ask", found.ask)
    monkeypatch.setattr(rule_costs_module, "perf_counter", found.clock)
    monkeypatch.setattr(rule_costs_module, "process_time", lambda: 2 * found.clock())
    return found


def taken(contract: Contract, folder: Path, text: str = "region,n\nNL,1\nbe,-2\n") -> Candidate:
    (folder / "cases.csv").write_text(text)
    return take_candidate(
        contract, collect_delivery(contract, [folder / "cases.csv"], None), folder / "candidates", NOW
    )


def test_each_rule_is_told_less_what_every_query_costs(asking: Asking, tmp_path: Path) -> None:
    """[S1-103] What would be below nothing, since clocks are coarse, is nothing."""
    contract = parse_contract(TEXT, "c.yaml")
    found = {cost.id: cost for cost in rule_costs(contract, taken(contract, tmp_path))}
    assert found["region.pattern"] == RuleCost("region.pattern", 5.0, 10.0)
    assert (found["n.range"], found["key"]) == (RuleCost("n.range", 0.0, 0.0), RuleCost("key", 0.0, 0.0))


@pytest.mark.parametrize("text", [TEXT, APART], ids=["refusing", "dividing"])
def test_each_is_asked_once_and_alone_and_the_rows_are_not_divided(asking: Asking, tmp_path: Path, text: str) -> None:
    contract = parse_contract(text, "c.yaml")
    candidate = taken(contract, tmp_path)
    found = rule_costs(contract, candidate)
    asked = [item.id for item in inquiry_of(contract, candidate, NOTHING_KNOWN).asked]
    assert asking.asked == [[], *([name] for name in asked)]
    assert ([cost.id for cost in found], asking.modes) == (asked, {"fail"})


@pytest.mark.parametrize("text", [TEXT, APART], ids=["refusing", "dividing"])
def test_every_rule_that_was_judged_on_rows_has_a_cost(tmp_path: Path, text: str) -> None:
    """[S1-103]"""
    contract = parse_contract(text, "c.yaml")
    candidate = taken(contract, tmp_path)
    found = rule_costs(contract, candidate)
    judged = {finding.id for finding in validate(contract, candidate, NOW).findings}
    assert {"region.pattern", "region.type", "n.range", "key", "row_count"} <= {cost.id for cost in found} <= judged
    assert min(min(cost.seconds, cost.cpu_seconds) for cost in found) >= 0


def test_what_cannot_be_asked_has_no_cost(tmp_path: Path) -> None:
    contract = parse_contract(TEXT, "c.yaml")
    candidate = taken(contract, tmp_path, "region\nNL\n")
    unjudged = {f.id for f in validate(contract, candidate, NOW).findings if f.outcome is Outcome.UNJUDGED}
    costs = {cost.id for cost in rule_costs(contract, candidate)}
    assert ("n.range" in unjudged, unjudged & costs) == (True, set())
