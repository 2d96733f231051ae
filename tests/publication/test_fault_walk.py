"""Kill -9 before, within and after every durable step between landing and ledger; the next run ends it as if nothing had been.

No step is listed here: `faults` finds them. What a test holds is the order of outcomes, and at which step each one begins.
"""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.publication.attempts import CASES, FIRST, QUARANTINE, SECOND, Delivered, answered, attempt, resumed
from tests.publication.faults import shown
from tests.publication.forks import Ended, Forks, forks
from tests.publication.invariants import DECIDED, NOTHING, ORDER, PUBLISHED, RECORDED, TAKEN, Found

UPSERT = CASES + "publication: {mode: upsert}\n"
APPEND = CASES + "publication: {mode: append}\n"
NEXT = CASES.replace('"1.0.0"', '"1.1.0"').replace(
    "  - {name: n, type: int64, min: 0}",
    "  - {name: n, type: int64, min: 1}\n  - {name: note, type: string, required: false, nullable: true}",
)


@dataclass(frozen=True)
class Scenario:
    """What was published before, what is delivered now, and what consumers then see; `aside` rows stand in quarantine."""

    delivered: Delivered
    earlier: tuple[Delivered, ...] = ()
    contract: str = CASES
    earlier_contract: str = ""
    shown: dict[str, dict[str, int]] = field(default_factory=dict)
    outcomes: tuple[str, ...] = ORDER
    aside: int = 0
    commit: str = "overwrite"

    @property
    def beginnings(self) -> list[tuple[str, str]]:
        """After which effect each outcome begins."""
        effects = ("link candidates/cases/<digest>.json", "ledger: append decided")
        effects += (f"published/cases: {self.commit}", "ledger: append published")
        return [
            (outcome, effect) for outcome, effect in zip(ORDER[1:], effects, strict=True) if outcome in self.outcomes
        ]

    @property
    def rows(self) -> list[list[str | int]]:
        return sorted([region, day, n] for day, numbers in self.shown.items() for region, n in numbers.items())


@dataclass(frozen=True)
class Step:
    """Where a process was killed, and how far the submission had come then."""

    number: int
    moment: str
    effect: str
    outcome: str = ""

    def __str__(self) -> str:
        return f"{self.number:>3} {self.moment:<6} {self.effect:<60} {self.outcome}".rstrip()


ONE = Delivered(FIRST, {"BE": 3, "NL": 12})
OTHER = Delivered(SECOND, {"BE": 4, "NL": 13}, minute=10)
BETTER = Delivered(FIRST, {"BE": 3, "DE": 1, "NL": 14}, minute=10)
MIXED = Delivered(FIRST, {"BE": -3, "DE": -1, "NL": 14}, minute=10)
MORE = Delivered(FIRST, {"DE": 1, "FR": 2}, minute=10)
SCENARIOS = {
    "first publication": Scenario(ONE, shown={FIRST: ONE.numbers}),
    "second partition": Scenario(OTHER, (ONE,), shown={FIRST: ONE.numbers, SECOND: OTHER.numbers}),
    "correction": Scenario(BETTER, (ONE,), shown={FIRST: BETTER.numbers}),
    "refused": Scenario(MIXED, (ONE,), shown={FIRST: ONE.numbers}, outcomes=(NOTHING, TAKEN, DECIDED)),
    "first quarantine": Scenario(replace(MIXED, minute=0), contract=QUARANTINE, shown={FIRST: {"NL": 14}}, aside=2),
    "quarantine": Scenario(MIXED, (ONE,), QUARANTINE, shown={FIRST: {"NL": 14}}, aside=2),
    "upsert": Scenario(BETTER, (ONE,), UPSERT, shown={FIRST: ONE.numbers | BETTER.numbers}, commit="overwrite"),
    "next version": Scenario(BETTER, (ONE,), NEXT, CASES, shown={FIRST: BETTER.numbers}),
    "append": Scenario(MORE, (ONE,), APPEND, shown={FIRST: ONE.numbers | MORE.numbers}, commit="append"),
}


@pytest.fixture(scope="module")
def servers() -> Iterator[Forks]:
    with forks() as started:
        yield started


class Walk:
    """One scenario: the environment before it, the effects that it has, and one copy of the environment for each death."""

    def __init__(self, scenario: Scenario, servers: Forks, folder: Path) -> None:
        self.scenario, self.servers, self.folder = scenario, servers, folder
        self.base = folder / "base"
        self.base.mkdir()
        for delivered in scenario.earlier:
            contract = scenario.earlier_contract or scenario.contract
            assert answered(self.base, contract, delivered)["ended"] == "published"
        self.before = Found.at(self.base).view("")["shown"]
        self.answer = self.attempt(self.copy("whole")).answer
        self.outcomes: dict[str, str] = {}

    def copy(self, name: str) -> Path:
        return Path(shutil.copytree(self.base, self.folder / name))

    def attempt(self, root: Path, **fault: Any) -> Ended:
        arguments = {"contract": self.scenario.contract, "delivered": asdict(self.scenario.delivered)}
        return self.servers.call(attempt, root=str(root), fault=fault or None, **arguments)

    def deaths(self) -> list[Step]:
        """Every place at which a process can be killed."""
        effects = enumerate(self.answer["effects"], 1)
        return [Step(number, moment, name) for number, (name, moments) in effects for moment in moments]

    def killed_at(self, death: Step) -> Step:
        """Kill it there, then look and run it twice more; once for each state that deaths leave on disk."""
        root = self.copy(f"{death.number}-{death.moment}")
        ended = self.attempt(root, number=death.number, moment=death.moment)
        assert ended.code == -9, (str(death), ended)
        state = state_of(root)
        if state not in self.outcomes:
            self.outcomes[state] = self.resumed(root, str(death))
        shutil.rmtree(root)
        return replace(death, outcome=self.outcomes[state])

    def resumed(self, root: Path, place: str) -> str:
        ended = self.servers.call(
            resumed,
            root=str(root),
            contract=self.scenario.contract,
            delivered=asdict(self.scenario.delivered),
            submission=self.answer["submission"],
        )
        assert ended.code == 0, (place, ended.answer)
        left, *views = ended.answer
        is_visible = left["outcome"] in {PUBLISHED, RECORDED}
        assert left["shown"] == (self.scenario.rows if is_visible else self.before), place
        for view in views:
            assert view == self.whole | {"ended": self.answer["ended"], "text": ""}, place
        return str(left["outcome"])

    @property
    def whole(self) -> dict[str, Any]:
        """How it looks when all is done: one decision, one publication, one record, and just the rows that were promised."""
        is_published = RECORDED in self.scenario.outcomes
        return {
            "outcome": self.scenario.outcomes[-1],
            "shown": self.scenario.rows,
            "events": ["decided", "published"] if is_published else ["decided"],
            "commits": len(self.scenario.earlier) + is_published,
            "aside": self.scenario.aside,
        }


def state_of(root: Path) -> str:
    """What lies on disk, told by names, sizes and rights; names that are drawn by lot are left out."""
    found = ((shown(str(path), str(root)) or "", path.stat()) for path in root.rglob("*"))
    return repr(sorted((name, facts.st_mode, facts.st_size) for name, facts in found))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_a_process_killed_at_any_step_is_completed_by_the_next(scenario, servers, tmp_path):
    """S1-066, S1-069, S1-086, S1-093, S3-023: one publication, one record, nothing lost, and old or new but never half."""
    walk = Walk(scenario, servers, tmp_path)
    steps = servers.each(walk.killed_at, walk.deaths())
    sys.stdout.write("\n".join(map(str, steps)) + "\n")
    assert [outcome for outcome, _ in groupby(step.outcome for step in steps)] == list(scenario.outcomes)
    began = [later for earlier, later in pairwise(steps) if later.outcome != earlier.outcome]
    assert [(step.outcome, step.effect) for step in began] == scenario.beginnings
    assert {step.moment for step in began} == {"after"}
