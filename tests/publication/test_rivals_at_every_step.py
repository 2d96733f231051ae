"""A rival that takes its whole way while another process stands at one step, for every step: of the same submission, and of a newer one.

What four processes at once meet by chance, this meets at each place. Where the first one holds a lock the rival waits for it.
"""

import shutil
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.publication.attempts import CASES, FIRST, Delivered, answered, attempt
from tests.publication.faults import BEFORE, Effect, Effects
from tests.publication.forks import Ended, Forks, forks
from tests.publication.invariants import Found, assert_complete, assert_newest_last, assert_shows_last, assert_sound

OLD = Delivered(FIRST, {"BE": 1})
MINE = Delivered(FIRST, {"BE": 2}, minute=10)
NEWER = Delivered(FIRST, {"BE": 3}, minute=20)
_PATIENCE = 1.0
"""Seconds for which the first process stands still; a rival that takes longer waits for one of its locks."""


@pytest.fixture(scope="module")
def servers() -> Iterator[Forks]:
    with forks() as started:
        yield started


def overtaken(root: str, base: str, rival: dict[str, Any], number: int) -> dict[str, Any]:
    """In a process of its own: the endings of both, what is there then, and what the newest one's next run makes of it."""
    place, newest = Path(shutil.copytree(base, root)), Delivered(**rival)
    endings: dict[str, Any] = {}
    threads: list[threading.Thread] = []

    def strike(at: int, moment: str, _: Effect) -> None:
        if (at, moment) == (number, BEFORE):
            threads.append(threading.Thread(target=run))
            threads[0].start()
            threads[0].join(_PATIENCE)

    def run() -> None:
        with effects.unseen():
            endings["rival"] = answered(place, CASES, newest)

    effects = Effects(place, strike)
    with effects.watched():
        endings["mine"] = answered(place, CASES, MINE)
        threads[0].join()
    assert_sound(Found.at(place))
    again = answered(place, CASES, newest)
    found = Found.at(place)
    assert_complete(found)
    assert_shows_last(found, (FIRST,))
    assert_newest_last(found)
    shutil.rmtree(place)
    return {
        "mine": endings["mine"]["ended"],
        "rival": endings["rival"]["ended"],
        "again": again["ended"],
        "shown": [n for _, _, n in found.rows],
        "commits": len(found.commits),
    }


@pytest.mark.slow
@pytest.mark.parametrize("earlier", [(), (OLD,)], ids=["first publication", "correction"])
@pytest.mark.parametrize("rival", [MINE, NEWER], ids=["same submission", "newer submission"])
def test_a_rival_at_any_step_leaves_one_publication_of_each(servers, tmp_path, earlier, rival):
    """S1-066, S1-069: each submission is published once or told that it was overtaken; run again, the newest is shown."""
    base = tmp_path / "base"
    base.mkdir()
    assert [answered(base, CASES, delivered)["ended"] for delivered in earlier] == ["published"] * len(earlier)
    whole = Path(shutil.copytree(base, tmp_path / "whole"))
    effects = servers.call(attempt, root=str(whole), contract=CASES, delivered=asdict(MINE)).answer["effects"]

    def raced(number: int) -> Ended:
        root = str(tmp_path / f"at-{number}")
        return servers.call(overtaken, root=root, base=str(base), rival=asdict(rival), number=number)

    endings = servers.each(raced, range(1, len(effects) + 1))
    assert [(effect, ended) for (effect, _), ended in zip(effects, endings, strict=True) if ended.code != 0] == []
    outcomes = [ended.answer for ended in endings]
    told = dict(zip((f"{number} {name}" for number, (name, _) in enumerate(effects, 1)), outcomes, strict=True))
    may_end = {"published"} if rival == MINE else {"published", "gate closed"}
    assert {place: told[place] for place in told if not {told[place]["mine"], told[place]["rival"]} <= may_end} == {}
    assert {(outcome["again"], *outcome["shown"]) for outcome in outcomes} == {("published", rival.numbers["BE"])}
    most = len(earlier) + (1 if rival == MINE else 2)
    assert {outcome["commits"] for outcome in outcomes} <= {most, most - (rival == NEWER)}
