"""Five hundred random interleavings of submit, retry, crash, correction, rivals and foreign commits, each in an environment of its own.

Everything follows from a seed but the order in which two threads of one process go on; what is held holds for each such order.
"""

import random
import shutil
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.publication.attempts import CASES, FIRST, QUARANTINE, SECOND, Delivered, answered
from tests.publication.faults import Effect, Effects, HalfDoneError
from tests.publication.forks import Forks, forks
from tests.publication.invariants import Found, assert_complete, assert_newest_last, assert_shows_last

INTERLEAVINGS, AT_ONCE = 500, 10
THIRD = "2026-10-03"
"""The partition into which only strangers write."""
NUMBERS = {
    "good": {"BE": 1, "NL": 2},
    "correction": {"BE": 5, "NL": 2},
    "more": {"BE": 5, "DE": 3},
    "bad": {"BE": -1, "NL": 4},
}
ACCEPTED = {CASES: ("good", "correction", "more"), QUARANTINE: tuple(NUMBERS)}
EFFECTS, MOMENTS = 45, ("before", "within", "after")
CLOSED = ("published", "refused", "gate closed", "PublicationConflictError")


class Killed(SystemExit):
    """Stands for the end of a process; passes where an end of a process passes."""


@dataclass(frozen=True)
class Action:
    """One thing that somebody does: which deliveries of which partitions, and at which effect it ends."""

    kind: str
    deliveries: tuple[tuple[str, str], ...] = ()
    effect: int = 0
    moment: str = "before"


def planned(seed: int) -> list[Action]:
    """Three to eight actions; a retry is of something that was submitted before."""
    dice = random.Random(seed)
    actions: list[Action] = []
    for _ in range(dice.choice((3, 3, 3, 3, 3, 4, 4, 5, 6, 8))):
        before = [each for action in actions for each in action.deliveries]
        kind = dice.choices(("submit", "retry", "crash", "rivals", "foreign"), (6, 3, 6, 2, 3))[0]
        fresh = (dice.choice((FIRST, FIRST, SECOND)), dice.choice(sorted(NUMBERS)))
        other = (fresh[0], dice.choice(sorted(NUMBERS)))
        match kind:
            case "retry":
                actions.append(Action(kind, (dice.choice(before or [fresh]),)))
            case "crash":
                again = dice.choice([fresh, *before])
                actions.append(Action(kind, (again,), dice.randint(1, EFFECTS), dice.choice(MOMENTS)))
            case "rivals":
                actions.append(Action(kind, (fresh, dice.choice((fresh, other)))))
            case "foreign":
                actions.append(Action(kind, effect=dice.randrange(len(FOREIGN))))
            case _:
                actions.append(Action(kind, (fresh,)))
    return actions


class Interleaving:
    """One environment and what was done to it so far; a minute passes with each action."""

    def __init__(self, root: Path, contract: str) -> None:
        self.root, self.contract = root, contract
        self.minute = self.foreign_rows = 0

    def perform(self, action: Action) -> None:
        self.minute += 1
        match action.kind:
            case "crash":
                self._crash(action)
            case "rivals":
                self._race(action)
            case "foreign":
                FOREIGN[action.effect](self)
            case _:
                assert_answer(self.submit(*action.deliveries[0]))

    def submit(self, partition: str, name: str) -> dict[str, Any]:
        return answered(self.root, self.contract, Delivered(partition, NUMBERS[name], self.minute))

    def _crash(self, action: Action) -> None:
        def strike(number: int, moment: str, _: Effect) -> None:
            if (number, moment) == (action.effect, action.moment):
                raise HalfDoneError(die) if moment == "within" else Killed

        with suppress(Killed), Effects(self.root, strike).watched():
            assert_answer(self.submit(*action.deliveries[0]))

    def _race(self, action: Action) -> None:
        answers: list[dict[str, Any]] = []
        start = threading.Barrier(len(action.deliveries))

        def run(partition: str, name: str) -> None:
            start.wait()
            answers.append(self.submit(partition, name))

        threads = [threading.Thread(target=run, args=delivery) for delivery in action.deliveries]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == len(threads)
        for answer in answers:
            assert_answer(answer)

    def settle(self, actions: list[Action]) -> None:
        """The newest accepted delivery of each partition is tried once more, as any scheduler would; then all has its record."""
        newest = self.newest_accepted(actions)
        for partition, name in newest.items():
            answer = self.submit(partition, name)
            assert_answer(answer)
        found = Found.at(self.root)
        assert_complete(found)
        assert_shows_last(found, (FIRST, SECOND))
        assert_newest_last(found)
        assert len(found.rows_of(THIRD)) == self.foreign_rows, "rows of somebody else are lost"

    def newest_accepted(self, actions: list[Action]) -> dict[str, str]:
        return {
            partition: name
            for action in actions
            for partition, name in action.deliveries
            if name in ACCEPTED[self.contract]
        }


def die() -> None:
    raise Killed


def assert_answer(answer: dict[str, Any]) -> None:
    assert answer["is_ours"], answer
    assert answer["ended"] in CLOSED, answer


def add_rows(world: Interleaving) -> None:
    table = world.root / "published" / "cases"
    if DeltaTable.is_deltatable(str(table)):
        frame = pl.DataFrame({"region": ["XX"], "day": [THIRD], "n": [1]}).with_columns(pl.col("day").str.to_date())
        write_deltalake(table, frame, mode="append")
        world.foreign_rows += 1


def compact(world: Interleaving) -> None:
    for table in (world.root / "published" / "cases", world.root / "ledger"):
        if DeltaTable.is_deltatable(str(table)):
            DeltaTable(table).optimize.compact()


def tell(world: Interleaving) -> None:
    table = world.root / "published" / "cases"
    if DeltaTable.is_deltatable(str(table)):
        DeltaTable(table).alter.set_table_description(f"minute {world.minute}")


FOREIGN: tuple[Callable[[Interleaving], None], ...] = (add_rows, compact, tell)


def soaked(seeds: list[int]) -> list[str]:
    """In a process of its own: what went wrong, with the seed and the plan that lead there again."""
    failures = []
    for seed in seeds:
        actions, root = planned(seed), Path(tempfile.mkdtemp(prefix="soak-"))
        world = Interleaving(root, QUARANTINE if seed % 4 == 3 else CASES)
        try:
            for action in actions:
                world.perform(action)
            world.settle(actions)
        except Exception:  # noqa: BLE001 - told with the plan
            failures.append("\n".join([f"seed {seed}", *map(str, actions), traceback.format_exc()]))
        finally:
            shutil.rmtree(root)
    return failures


@pytest.fixture(scope="module")
def servers() -> Iterator[Forks]:
    with forks() as started:
        yield started


@pytest.mark.slow
def test_five_hundred_interleavings_end_with_every_promise_kept(servers):
    """S1-066, S1-069, S1-086, S1-093: one publication and one record each, nothing lost, nothing that no decision allows."""
    batches = [list(range(start, start + AT_ONCE)) for start in range(0, INTERLEAVINGS, AT_ONCE)]
    endings = servers.each(lambda seeds: servers.call(soaked, seeds=seeds), batches)
    assert [(seeds, ended) for seeds, ended in zip(batches, endings, strict=True) if ended.code != 0] == []
    failures = [failure for ended in endings for failure in ended.answer]
    assert failures == [], f"{len(failures)} of {INTERLEAVINGS}:\n" + "\n".join(failures[:3])


def test_a_plan_follows_from_its_seed():
    assert planned(7) == planned(7)
    assert {len(planned(seed)) for seed in range(50)} == {3, 4, 5, 6, 8}
