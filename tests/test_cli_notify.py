"""`contract-gate notify`: its exit codes, what it says, and that no address and no value of the data is in it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import CASES, GOOD, Run, written
from tests.hook import SECRET, Hook, listening

DAY = "2026-10-01"
OWNERS = 'owners: {producer: {name: shop, contact: "team:shop"}}\n'
NOTHING = "cases: nothing to tell\n"


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listening() as found:
        yield found


@pytest.fixture
def house(run: Run, tmp_path: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A house with a channel for everybody, whose first delivery was refused."""
    (tmp_path / "data/contracts").mkdir(parents=True)
    written(tmp_path / "data/contracts", cases_yaml=CASES + OWNERS)
    channels = 'channels: {default: "env:TEAM_HOOK"}'
    written(tmp_path, environments_yaml=f"environments: {{dev: {{root: data, {channels}}}}}\n")
    monkeypatch.setenv("CONTRACT_GATE_ENV", "dev")
    monkeypatch.setenv("TEAM_HOOK", hook.address)
    assert run("publish", "cases", "bad.csv", "--partition", DAY)[0] == 1
    return run


def test_an_incident_and_its_end_are_told_once(house: Run, hook: Hook) -> None:
    """[S1-016] [S2-041]"""
    told = "cases 2026-10-01 {}: team:shop was told on channel 'default'\n"
    assert house("notify") == (0, told.format("refused"), "")
    assert house("notify") == (0, NOTHING, "")
    house("publish", "cases", "good.csv", "--partition", DAY)
    assert house("notify", "cases") == (0, told.format("no longer refused"), "")
    assert house("notify") == (0, NOTHING, "")
    assert hook.titles == ["cases 2026-10-01: refused", "cases 2026-10-01: no longer refused"]


def test_a_dry_run_tells_nobody(house: Run, hook: Hook) -> None:
    would = "cases 2026-10-01 refused: team:shop would be told on channel 'default'\n"
    assert [house("notify", "--dry-run"), house("notify", "--dry-run")] == [(0, would, "")] * 2
    assert hook.titles == []


def test_who_could_not_be_told_is_said_and_leaves_with_2(house: Run, hook: Hook) -> None:
    hook.status = 500
    assert house("notify") == (
        2,
        "cases 2026-10-01 refused: team:shop could not be told: channel 'default' did not take it\n",
        "",
    )
    hook.status = 200
    assert house("notify")[0] == 0


def test_without_a_channel_or_a_contact_it_says_what_to_add(house: Run, tmp_path: Path) -> None:
    written(tmp_path, environments_yaml="environments: {dev: {root: data}}\n")
    _, out, _ = house("notify")
    assert out.endswith("no channel is named 'team:shop' or 'default': add one to channels: in environments.yaml\n")
    written(tmp_path / "data/contracts", cases_yaml=CASES)
    code, out, _ = house("notify")
    assert (code, out) == (
        2,
        (
            "cases 2026-10-01 refused: nobody could be told: the contract names no contact; add owners.alerts, or a contact of"
            " the producer\n"
        ),
    )


def test_the_document_says_what_was_told_to_whom(house: Run, hook: Hook) -> None:
    hook.status = 500
    code, out, _ = house("notify", "--json")
    (document,) = json.loads(out)
    (item,) = document["told"]
    assert (code, document["contract"], document["is_complete"], document["nobody_named"]) == (2, "cases", False, [])
    assert {name: item[name] for name in ("kind", "partition", "stage", "contact", "channel", "attempt", "is_told", "rules")} == {
        "kind": "refused", "partition": DAY, "stage": "opened", "contact": "team:shop", "channel": "default", "attempt": 1,
        "is_told": False, "rules": ["count.type", "count.range", "key"],
    }  # fmt: skip


def test_no_answer_holds_the_address_of_a_channel(house: Run, hook: Hook, tmp_path: Path) -> None:
    hook.status = 500
    said = "".join("".join(house("notify", *more)[1:]) for more in (("--dry-run",), (), ("--json",)))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "data/ledger").rglob("*") if path.is_file())
    assert (SECRET in said, SECRET.encode() in kept, str(hook.port) in said) == (False, False, False)


def test_publish_tells_at_once_where_it_is_asked_to(house: Run, hook: Hook, tmp_path: Path) -> None:
    """[S1-016]"""
    code, out, err = house("publish", "cases", "bad.csv", "--partition", DAY, "--notify")
    assert (code, out.startswith("refuse: "), hook.titles) == (1, True, ["cases 2026-10-01: refused"])
    assert err == "note: cases 2026-10-01 refused: team:shop was told on channel 'default'\n"
    code, _, err = house("publish", "cases", "good.csv", "--partition", DAY, "--notify", "--json")
    assert (code, err) == (0, "note: cases 2026-10-01 no longer refused: team:shop was told on channel 'default'\n")
    assert house("publish", "cases", "good.csv", "--partition", DAY, "--notify")[2] == ""


def test_a_refusal_that_nobody_hears_of_is_a_refusal_all_the_same(house: Run, hook: Hook) -> None:
    hook.status = 500
    code, _, err = house("publish", "cases", "bad.csv", "--partition", DAY, "--notify")
    assert (code, "could not be told" in err) == (1, True)


def test_only_the_publisher_tells(house: Run, tmp_path: Path) -> None:
    text = "environments: {dev: {root: data, identities: {publisher: nobody}}}\n"
    written(tmp_path, environments_yaml=text)
    code, out, err = house("notify")
    assert (code, out, "'nobody'" in err) == (2, "", True)
    assert house("notify", "--dry-run")[2] == ""


def test_the_ledger_goes_on_as_before(house: Run, tmp_path: Path) -> None:
    """What reads the ledger says the same of deliveries, whether anybody was told or not."""
    questions = (
        ("decisions",),
        ("decisions", "--partition", DAY),
        ("status", "--as-of", "2026-10-05"),
        ("reconcile",),
        ("clean",),
    )
    before = [house(*question, *more)[:2] for question in questions for more in ((), ("--json",))]
    assert house("notify")[0] == 0
    assert [house(*question, *more)[:2] for question in questions for more in ((), ("--json",))] == before
    house("publish", "cases", "good.csv", "--partition", DAY)
    assert (
        house("publish", "cases", "good.csv", "--partition", DAY)[1].splitlines()[-1].startswith("is published already")
    )


def test_an_edited_contract_that_tells_does_not_keep_the_right_one_from_publishing(house: Run, tmp_path: Path) -> None:
    active = CASES + OWNERS.replace("}}", "}, consumers: [{name: report}]}") + "status: active\ngrain: One row.\n"
    written(tmp_path / "data/contracts", cases_yaml=active.replace('"1.0.0"', '"1.0.1"') + "purpose: Another text.\n")
    assert house("notify")[0] == 0
    written(tmp_path / "data/contracts", cases_yaml=active.replace('"1.0.0"', '"1.0.1"'))
    written(tmp_path, good_csv=GOOD)
    assert house("publish", "cases", "good.csv", "--partition", DAY)[0] == 0
