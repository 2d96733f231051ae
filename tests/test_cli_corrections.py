"""The command line about corrections: what they restate, who asked for them, and how attempts compare."""

import json
from pathlib import Path

import pytest

from tests.commands import CASES, Run, written

DAY = ("--partition", "2026-10-01")
OWNED = CASES + "owners: {producer: {name: onboarding}, consumers: [{name: weekly_report}]}\n"
CORRECTED = "region,day,count\nNL,2026-10-01,13\nBE,2026-10-01,7\nDE,2026-10-01,1\n"
SAID = ("--by", "weekly_report", "--reference", "T-1")


@pytest.fixture
def desk(run: Run, tmp_path: Path) -> Run:
    """The command line beside a delivery that is published and one that corrects it."""
    written(tmp_path, cases_yaml=OWNED, corrected_csv=CORRECTED)
    assert run("publish", "cases.yaml", "good.csv", *DAY)[0] == 0
    return run


@pytest.mark.parametrize("command", ["check", "publish"])
def test_a_correction_says_what_it_changes_of_what_is_published(desk: Run, command: str) -> None:
    out = desk(command, "cases.yaml", "corrected.csv", *DAY)[1]
    assert "    replaces 2 published rows by 3: 1 key added, 1 restated (count 1)" in out.splitlines()


@pytest.mark.parametrize("command", ["check", "publish"])
def test_the_document_of_a_correction_counts_what_it_changes(desk: Run, command: str) -> None:
    first = json.loads(desk(command, "cases.yaml", "good.csv", *DAY, "--json")[1])
    found = json.loads(desk(command, "cases.yaml", "corrected.csv", *DAY, "--json")[1])
    assert first["restated"] is None
    assert found["restated"] == {
        "rows_before": 2, "rows_after": 3, "keys_added": 1, "keys_removed": 0, "keys_restated": 1, "keys_repeated": None,
        "fields": {"count": 1}, "touched": {"region": 1, "day": 1}, "relative_change_ppm": {},
    }  # fmt: skip


def test_the_story_of_a_partition_tells_what_its_correction_changed(desk: Run) -> None:
    desk("publish", "cases.yaml", "corrected.csv", *DAY)
    told = desk("decisions", *DAY)[1].splitlines()[-1]
    assert told.endswith("3 rows; replaces 2 published rows by 3: 1 key added, 1 restated (count 1)")


def test_a_correction_is_requested_confirmed_and_listed(desk: Run) -> None:
    """[S1-036]"""
    code, out, err = desk("request", "cases.yaml", *DAY, *SAID)
    assert (
        code,
        out.startswith("cases/2026-10-01: correction requested by weekly_report (T-1), of submission "),
        err,
    ) == (0, True, "")
    assert desk("confirm", "cases.yaml", *DAY, "--by", "weekly_report", "--reference", "run-7")[0] == 0
    [record] = json.loads(desk("decisions", "cases.yaml", *DAY, "--json")[1])
    assert [(said["by"], said["reference"], said["open"]) for said in record["requests"]] == [
        ("weekly_report", "T-1", True)
    ]
    assert [(said["by"], said["reference"]) for said in record["confirmations"]] == [("weekly_report", "run-7")]
    [state] = json.loads(desk("status", "cases.yaml", "--json")[1])
    assert [(said["partition"], said["reference"]) for said in state["requests"]] == [("2026-10-01", "T-1")]


def test_a_request_that_is_said_again_is_told_and_not_recorded(desk: Run) -> None:
    """[S1-036]"""
    first = json.loads(desk("request", "cases.yaml", *DAY, *SAID, "--json")[1])
    again = json.loads(desk("request", "cases.yaml", *DAY, *SAID, "--json")[1])
    assert (first["event"], first["recorded"], again) == ("requested", True, first | {"recorded": False})
    assert "; it was recorded before, at " in desk("request", "cases.yaml", *DAY, *SAID)[1]


@pytest.mark.parametrize("command", ["request", "confirm"])
def test_of_a_partition_that_is_not_published_nothing_can_be_said(desk: Run, command: str) -> None:
    """[S1-036]"""
    code, out, err = desk(command, "cases.yaml", "--partition", "2026-10-02", *SAID)
    assert (code, out, err.splitlines()[0]) == (2, "", "cases/2026-10-02: nothing of it is published")


def test_compare_holds_a_failed_attempt_and_its_retry_side_by_side(run: Run) -> None:
    """[S2-042]"""
    run("publish", "cases.yaml", "bad.csv", *DAY)
    run("publish", "cases.yaml", "good.csv", *DAY)
    code, out, err = run("compare", "cases.yaml")
    assert (code, err) == (0, "")
    assert out.splitlines()[-5:] == [
        "mended        count.type: 1",
        "mended        count.range: 1",
        "mended        key: 1",
        "files         bad.csv: only in the first, 3 rows",
        "files         good.csv: only in the second, 2 rows",
    ]
    found = json.loads(run("compare", "cases.yaml", *DAY, "--json")[1])
    assert (found["first"]["outcome"], found["second"]["outcome"], len(found["mended"])) == ("refused", "published", 3)
    named = [found[which]["submission"][:8] for which in ("second", "first")]
    assert len(json.loads(run("compare", "cases.yaml", *named, "--json")[1])["newly_broken"]) == 3


def test_compare_says_where_there_is_nothing_to_compare(run: Run) -> None:
    code, out, err = run("compare", "cases.yaml", *DAY)
    assert (code, out, err.splitlines()[0]) == (
        2, "", "cases/2026-10-01: 0 submissions of it decided, and a comparison needs two",
    )  # fmt: skip
