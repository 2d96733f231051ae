"""Several processes that tell the same incident at the same moment, and one that dies while it does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.publication.entry import Event
from tests.hook import Hook, listening
from tests.operations.keeping import CASES, House, rows
from tests.publication.processes import at_once, run_until_killed

TERMS = 'owners: {producer: {name: shop, contact: "team:shop"}}\n'
TELLING = """
import os, signal
from dataclasses import replace
from datetime import UTC, datetime
import contract_core as core
from contract_core.operations import notifying
from contract_core.operations.notices import Moments
from contract_core.rendering.notifications import message_of
NOW = datetime(2026, 10, 2, 9, tzinfo=UTC)
contract = core.parse_contract((Path(FOLDER) / "cases.yaml").read_text(), "cases.yaml")
environment = replace(core.Environment.at(Path(FOLDER)), channels=(("default", ADDRESS),))
BEFORE
ready()
notifying.notify(contract, environment, {}, Moments(NOW, NOW), message_of)
"""
KILLED = "notifying.send = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listening() as found:
        yield found


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Three refused partitions."""
    found = House(tmp_path)
    (tmp_path / "cases.yaml").write_text(CASES + TERMS)
    found.contract = parse_contract(CASES + TERMS, "cases.yaml")
    for day in ("2026-10-01", "2026-10-02", "2026-10-03"):
        found.judged(rows(-1, day=day), day=day)
    return found


def telling(hook: Hook, before: str = "") -> str:
    return TELLING.replace("ADDRESS", repr(hook.address)).replace("BEFORE", before)


def told(house: House) -> list[str | None]:
    return [entry.partition for entry in house.ledger.entries() if entry.event is Event.NOTIFIED]


def test_of_many_processes_at_once_each_incident_is_told_by_one(hook: Hook, house: House, tmp_path: Path) -> None:
    """[S2-041]"""
    assert at_once(4, telling(hook), tmp_path) == [0] * 4
    assert sorted(told(house)) == ["2026-10-01", "2026-10-02", "2026-10-03"]
    text = "".join(hook.texts)
    assert [text.count(f"1.0.0, {day}**") for day in told(house)] == [1, 1, 1]


def test_who_dies_between_claim_and_sending_has_told_nobody_and_nobody_tells_it_again(
    hook: Hook, house: House, tmp_path: Path
) -> None:
    """Rather once too few than twice: the incident stays in `status`, and its end is told."""
    assert run_until_killed(telling(hook, KILLED), tmp_path) == -9
    assert len(told(house)) == 3
    (tmp_path / "ready-0").unlink()
    assert run_until_killed(telling(hook), tmp_path) == 0
    assert (hook.titles, len(told(house))) == ([], 3)
    house.published(rows(1))
    (tmp_path / "ready-0").unlink()
    assert run_until_killed(telling(hook), tmp_path) == 0
    assert hook.titles == ["cases 2026-10-01: no longer refused"]
