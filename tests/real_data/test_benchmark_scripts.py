"""Real batches script by script: what the log counts of each worker, and the stricter rule that whoever finished leaves a row."""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.examples.offering import NOW, Offered, offer
from tests.real_data.benchmark_batches import FOLDER, batch_contract, expected_batches, write_batch
from tests.real_data.benchmark_scripts import logged_scripts, name_of, script_contract, worker_of, write_scripts

BATCHES = [pytest.param(batch, id=batch["batch"]) for batch in expected_batches()]
LOGGED = [item for item in BATCHES if any(worker["scripts_started"] for worker in item.values[0]["workers"].values())]
FINISHED = [
    item
    for item in BATCHES
    if any(
        worker["scripts_started"] > worker["scripts_failed_or_unfinished"]
        for worker in item.values[0]["workers"].values()
    )
]
UNFINISHED = [item for item in BATCHES if item not in FINISHED]


def by_script(batch: dict[str, Any], folder: Path) -> Offered:
    """The batch with every script that was started as a required part."""
    scripts = logged_scripts(batch["batch"])
    delivered = write_scripts(batch["batch"], scripts, folder / "delivered")
    contract = script_contract([name_of(script) for script in scripts])
    return offer(contract, [delivered], batch["batch"], folder, NOW)


def strictly(batch: dict[str, Any], folder: Path) -> Offered:
    """The batch with every script that finished as a required part, of which only rows tell that it is there."""
    finished = [name_of(script) for script, is_complete in logged_scripts(batch["batch"]).items() if is_complete]
    delivered = write_scripts(batch["batch"], {}, folder / "by_script")
    return offer(script_contract(finished, "none"), [delivered], batch["batch"], folder, NOW)


def by_worker(batch: dict[str, Any], folder: Path) -> Offered:
    """The batch with its workers as parts."""
    delivered = write_batch(batch["batch"], folder / "by_worker")
    return offer(batch_contract(batch["required_workers"]), [delivered], batch["batch"], folder, NOW)


def counted(offered: Offered, *states: str) -> Counter[str]:
    """How many scripts of each worker are in one of these states."""
    return Counter(worker_of(name) for name, state in offered.parts.items() if state in states)


def stated(batch: dict[str, Any], number: str) -> Counter[str]:
    return Counter({name: worker[number] for name, worker in batch["workers"].items() if worker[number]})


@pytest.mark.parametrize("batch", LOGGED)
def test_each_script_has_the_state_that_the_log_and_its_rows_give_it(batch: dict[str, Any], tmp_path: Path) -> None:
    """[S2-016] Started, failed or unfinished, and finished without a row: three numbers for each worker."""
    offered = by_script(batch, tmp_path)
    every = counted(offered, "complete", "complete, empty", "incomplete", "missing")
    assert every == stated(batch, "scripts_started")
    assert counted(offered, "incomplete", "missing") == stated(batch, "scripts_failed_or_unfinished")
    assert counted(offered, "complete, empty") == stated(batch, "scripts_declared_ok_without_rows")


@pytest.mark.parametrize("batch", FINISHED)
def test_under_the_stricter_rule_a_finished_script_without_a_row_is_missing(
    batch: dict[str, Any], tmp_path: Path
) -> None:
    """[S2-016] Without a manifest that could call it empty, a part is what its rows show."""
    strict, plain = strictly(batch, tmp_path), by_worker(batch, tmp_path)
    assert sorted(counted(strict, "missing")) == batch["stricter_variant"]["workers_affected"]
    assert ("refuse" in {strict.verdict, plain.verdict}) == (batch["stricter_variant"]["verdict"] == "reject")


@pytest.mark.parametrize("batch", UNFINISHED)
def test_where_no_script_finished_the_stricter_rule_has_nothing_to_add(batch: dict[str, Any], tmp_path: Path) -> None:
    assert (batch["stricter_variant"]["verdict"], batch["stricter_variant"]["workers_affected"]) == ("reject", [])
    assert by_worker(batch, tmp_path).verdict == "refuse"


@pytest.mark.parametrize("batch", BATCHES)
def test_the_required_workers_of_a_batch_are_those_that_it_is_judged_for(batch: dict[str, Any], tmp_path: Path) -> None:
    """[S2-012] Also the number of rows, and the moment that a batch is named after."""
    offered = by_worker(batch, tmp_path)
    required = [part.name for part in offered.report.parts if part.state.value != "unexpected"]
    assert required == [name for name, worker in batch["workers"].items() if worker["required"]]
    assert required == batch["required_workers"]
    assert offered.report.rows == batch["rows"] == sum(worker["rows"] for worker in batch["workers"].values())
    assert datetime.fromtimestamp(int(batch["batch"]), UTC) == datetime.fromisoformat(batch["utc_start"])


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the independent data sets are not beside the repository")
def test_the_full_set_of_workers_is_that_of_the_run_configuration() -> None:
    """[S2-012] Required names are an input of the contract, here from a file that the producer has anyway."""
    stated_set = json.loads((FOLDER / "expected_batches.json").read_text("utf-8"))["full_required_set_in_run_conf"]
    text = (FOLDER / "deliveries" / "run.conf").read_text("utf-8")
    (named,) = re.findall(r'^export RUN_SOLUTIONS="([^"]*)"', text, re.MULTILINE)
    (full,) = [item.values[0] for item in BATCHES if item.values[0]["batch"] == "1697529451"]
    assert named.split() == stated_set
    assert sorted(stated_set) == full["required_workers"]
