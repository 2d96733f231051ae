"""`contract-gate clean`: dry run first, one item for each contract and kind, and who may remove."""

import json
import os
from pathlib import Path

import pytest

from tests.commands import Run
from tests.operations.keeping import CASES, DAY, NOW, House, rows

LATER = ("--as-of", "2099-01-01")


@pytest.fixture
def house(tmp_path, run):
    house = House(tmp_path / "root", "{keep_versions: 7d}", "{on_breach: quarantine, quarantine: {max_rows: 1}}")
    house.judged(rows(-1, -2))
    house.published(rows(-1, 2))
    house.published(rows(3))
    house.places.contracts.mkdir()
    (house.places.contracts / "cases.yaml").write_text(
        f"{CASES}publication: {{keep_versions: 7d}}\nenforcement: {{on_breach: quarantine, quarantine: {{max_rows: 1}}}}\n"
    )
    dead = house.places.candidates / ".attempts" / "take-dead"
    dead.mkdir(parents=True)
    os.utime(dead, (NOW.timestamp(),) * 2)
    return house


def document(run: Run, *arguments: str) -> dict[str, dict]:
    code, printed, _ = run("clean", *arguments, "--json")
    assert code == 0
    return {plan["kind"]: plan for plan in json.loads(printed)}


def test_clean_says_what_would_go_and_removes_it_only_when_told(house, run):
    """S1-071: a command for the cleanup policy, dry run first."""
    given = ("--root", str(house.places.landing.parent), *LATER)
    before = sorted(house.places.landing.parent.rglob("*"))
    told = document(run, *given)
    assert sorted(house.places.landing.parent.rglob("*")) == before
    assert {kind: (len(plan["goes"]), plan["stays"], plan["removed"]) for kind, plan in told.items()} == {
        "candidates": (2, 1, False),
        "unrecorded_rows": (0, 0, False),
        "quarantine": (1, 0, False),
        "table_versions": (1, 1, False),
        "attempts": (1, 0, False),
    }
    assert all(plan["bytes"] == sum(item["bytes"] for item in plan["goes"]) for plan in told.values())
    assert {item["why"] for item in told["candidates"]["goes"]} == {"refused", "followed by another publication"}
    assert (told["candidates"]["contract"], told["attempts"]["contract"]) == ("cases", None)
    removed = document(run, *given, "--remove")
    assert removed == {kind: plan | {"removed": True} for kind, plan in told.items()}
    assert [plan["goes"] for plan in document(run, *given).values()] == [[]] * 5
    assert house.shown() == [3]


def test_clean_says_it_in_words(house, run):
    code, printed, _ = run("clean", "--root", str(house.places.landing.parent), *LATER)
    lines = printed.splitlines()
    assert code == 0
    assert [line.split(",")[0] for line in lines if not line.startswith(" ")] == [
        "cases: candidates: 2 may go",
        "cases: submissions in quarantine: 1 may go",
        "cases: files of replaced table versions: 1 may go",
        "unfinished attempts to take a candidate: 1 may go",
    ]
    assert [line[28:] for line in lines if DAY in line] == [
        "refused, of 2026-10-02",
        "followed by another publication, of 2026-10-02",
        "quarantined by a publication, 1 rows, of 2026-10-02",
    ]


def test_attempts_belong_to_no_contract(house, run):
    assert "attempts" not in document(run, "cases", "--root", str(house.places.landing.parent), *LATER)


def test_what_belongs_to_no_contract_is_left_alone(house, run):
    """S1-071"""
    places = house.places
    (places.contracts / "cases.yaml").write_text(CASES.replace("contract: cases", "contract: others"))
    before = {path for path in places.landing.parent.rglob("*") if ".attempts" not in path.parts}
    run("clean", "--root", str(places.landing.parent), *LATER, "--remove")
    assert {path for path in places.landing.parent.rglob("*") if ".attempts" not in path.parts} == before


def test_only_the_publisher_removes(house, run, monkeypatch):
    """S1-112"""
    root = house.places.landing.parent
    Path("environments.yaml").write_text(
        f"environments:\n  production: {{root: {root}, identities: {{publisher: nobody-here}}}}\n"
    )
    monkeypatch.setenv("CONTRACT_GATE_ENV", "production")
    assert run("clean", *LATER)[0] == 0
    code, _, told = run("clean", *LATER, "--remove")
    assert (code, "whom this machine does not know" in told) == (2, True)
    assert house.names() != set()
