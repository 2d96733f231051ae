"""A run that is killed at any stage and launched again with its tags publishes once, as if nothing had happened."""

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
from deltalake import DeltaTable

from contract_core.publication.entry import Event
from tests.assets.bench import DAY, GOOD
from tests.assets.killed_runs import FOLDER, STAGES, TAGS, bench, executed

ROOT = Path(__file__).parents[2]
TAKEN_UP = {"from where it stopped": dg.ReexecutionOptions.from_failure, "from the beginning": None}


def killed(folder: Path, stage: str) -> None:
    command = [sys.executable, "-m", "tests.assets.killed_runs", str(folder), stage]
    ended = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False, capture_output=True, timeout=120
    )
    assert ended.returncode == -9, ended.stderr.decode()[-2000:]


def left_behind(instance: dg.DagsterInstance) -> dg.DagsterRun:
    """The run as it stands after the kill, told to have failed as the monitor of runs does."""
    [run] = instance.get_runs()
    assert run.status is dg.DagsterRunStatus.STARTED
    instance.report_run_failed(run)
    found = instance.get_run_by_id(run.run_id)
    assert found is not None
    return found


def options(run: dg.DagsterRun, instance: dg.DagsterInstance, way: str) -> dg.ReexecutionOptions:
    make = TAKEN_UP[way]
    return make(run.run_id, instance) if make is not None else dg.ReexecutionOptions(parent_run_id=run.run_id)


@pytest.mark.parametrize(
    ("stage", "ways"),
    [
        *(pytest.param(stage, ("from where it stopped", "from the beginning"), id=stage) for stage in STAGES),
        pytest.param("rows and no record", ("from the beginning",), id="rows and no record, from the beginning"),
        pytest.param("recorded and not told", ("from the beginning",), id="recorded and not told, from the beginning"),
    ],
)
def test_a_killed_run_that_is_launched_again_publishes_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, ways: tuple[str, ...]
) -> None:
    """[S1-093] Where it is launched twice again, the second run finds all of it done."""
    site = bench(tmp_path)
    monkeypatch.setenv(FOLDER, str(site.root))
    site.land(GOOD)
    killed(tmp_path, stage)
    run = left_behind(site.instance)
    for way in ways:
        result = executed(tmp_path, options(run, site.instance, way))
        assert result.success
        assert (len(site.shown()), site.publications()) == (2, 1)
    again = [found for found in site.instance.get_runs() if found.run_id != run.run_id]
    assert [{name: found.tags[name] for name in TAGS} for found in again] == [TAGS] * len(ways)
    assert {found.parent_run_id for found in again} == {run.run_id}
    commits = [commit for commit in DeltaTable(site.table).history() if "submission" in commit]
    entries = site.ledger.entries()
    assert len(commits) == 1
    assert [entry.event for entry in entries if entry.event in (Event.DECIDED, Event.PUBLISHED)] == [
        Event.DECIDED,
        Event.PUBLISHED,
    ]
    assert {entry.submission for entry in entries} == {commits[0]["submission"]}
    assert site.materialized(site.published) == {DAY}
