"""`status` on the command line: how far it looks back, what it says of several contracts, and what it costs to ask about many."""

import json
from pathlib import Path

import pytest

from contract_core.operations.coverage import PartitionState
from contract_core.publication.tables import open_table
from tests.commands import CASES, GOOD, Run, written

AS_OF = ("--as-of", "2026-10-05T08:00:00Z")
FRESH = CASES + "freshness: {column: day, max_age: 2d, max_silence: 2d, severity: warn}\n"
BAD = GOOD.replace("12", "-12").replace("2026-10-01", "2026-10-02")


@pytest.fixture
def gate(run: Run, tmp_path: Path) -> Run:
    """Three contracts: one that shows the first day and refused the second, one of which nothing came, one without partitions."""
    (tmp_path / "data" / "contracts").mkdir(parents=True)
    idle = CASES.replace("contract: cases", "contract: idle").replace("cases/{", "idle/{")
    whole = "\n".join(
        line for line in CASES.replace("contract: cases", "contract: whole").splitlines() if "part" not in line
    )
    written(
        tmp_path / "data" / "contracts", cases_yaml=FRESH, idle_yaml=idle, whole_yaml=whole.replace("delivery:", "")
    )
    written(tmp_path, good_csv=GOOD, bad_csv=BAD)
    run(
        "publish", "cases", "good.csv", "--partition", "2026-10-01", "--root", "data", "--as-of", "2026-10-02T09:00:00Z"
    )
    run("publish", "cases", "bad.csv", "--partition", "2026-10-02", "--root", "data", "--as-of", "2026-10-03T09:00:00Z")
    return run


def states(out: str) -> list[str]:
    """What became of the partitions of the only contract, the newest first."""
    (found,) = json.loads(out)
    return [item["state"] for item in found["coverage"]["partitions"]]


def test_after_a_refusal_consumers_can_read_what_they_see_and_that_a_newer_one_was_refused(gate: Run) -> None:
    """[S1-016] [S2-039] Its own date, its own age, and who must act."""
    code, out, err = gate("status", "cases", "--root", "data", *AS_OF)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == "cases 1.0.0: shows 2026-10-01, 4d 8h old, stale"
    assert lines[2] == "    #X..~  2026-10-01 to 2026-10-05"
    refused = next(place for place, line in enumerate(lines) if line.startswith("    refused  2026-10-02 since "))
    assert lines[refused].endswith(": count.range")
    assert lines[refused + 1 : refused + 3] == [
        "             look for typing errors, wrong signs and units at the source, or release a version with wider bounds",
        "             to act: nobody is named: the contract has no owners",
    ]


def test_contracts_that_need_somebody_come_first_and_each_has_a_line(gate: Run) -> None:
    out = gate("status", "--root", "data", *AS_OF)[1]
    assert [line.partition(":")[0] for line in out.splitlines() if line[:1].isalpha()] == [
        "cases 1.0.0", "idle 1.0.0", "whole 1.0.0",
    ]  # fmt: skip
    assert out.count("published  L late  X refused") == 1


def test_as_many_partitions_as_are_asked_for(gate: Run) -> None:
    assert states(gate("status", "cases", "--root", "data", *AS_OF, "--last", "3", "--json")[1]) == [
        PartitionState.WAITING, PartitionState.MISSING, PartitionState.MISSING,
    ]  # fmt: skip
    assert len(states(gate("status", "cases", "--root", "data", *AS_OF, "--json")[1])) == 5


@pytest.mark.parametrize("last", ["0", "-1", "many"])
def test_a_number_of_partitions_that_is_none_is_refused(gate: Run, last: str) -> None:
    code, out, err = gate("status", "--root", "data", "--last", last)
    assert (code, out, "--last" in err) == (2, "", True)


def test_the_ledger_is_read_once_however_many_contracts_there_are(gate: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening it for each would take minutes where there are a thousand."""
    opened: list[Path] = []

    def counted(folder: Path) -> object:
        opened.append(folder)
        return open_table(folder)

    monkeypatch.setattr("contract_core.publication.ledger.open_table", counted)
    gate("status", "--root", "data")
    assert len(opened) == 1
