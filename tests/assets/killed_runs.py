"""The job of a contract in a process of its own, that is killed at a stage; and the same run launched again, as Dagster does it.

Run as a module with a folder and a stage, it executes the job and never comes back where the stage is reached.
"""

import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import dagster as dg

from contract_assets.resources import GateResource
from tests.assets.bench import DAY, QUIET, Bench

FOLDER = "KILLED_RUNS_ENVIRONMENT"
TAGS = {"dagster/run_key": "cases@1", "team": "shop"}
BEFORE, AFTER = "before", "after"
_ASSETS, _SUBMIT, _STORE = (
    "contract_assets.assets",
    "contract_core.publication.submit",
    "contract_core.publication.store",
)
STAGES: dict[str, tuple[str, str, str]] = {
    "nothing is taken": (_ASSETS, "take_and_decide", BEFORE),
    "taken and not judged": (_SUBMIT, "validate", BEFORE),
    "judged and not recorded": (_SUBMIT, "record_decision", BEFORE),
    "decided and not told": (_ASSETS, "take_and_decide", AFTER),
    "candidate told and nothing published": (_ASSETS, "publish_latest", BEFORE),
    "a table without constraints": (_STORE, "settle", BEFORE),
    "a table without rows": (_STORE, "write_rows", BEFORE),
    "rows and no record": (_STORE, "write_rows", AFTER),
    "recorded and not told": (_ASSETS, "publish_latest", AFTER),
    "told and no check answered": (_ASSETS, "published_check_results", BEFORE),
}


def bench(folder: Path) -> Bench:
    """The environment below a folder, and the instance that remembers its runs from process to process."""
    home = folder / "dagster"
    home.mkdir(exist_ok=True)
    return Bench(folder / "environment", dg.DagsterInstance.local_temp(str(home), overrides=QUIET))


def job() -> dg.JobDefinition:
    """The job, all steps in one process, so that nothing of the run outlives it. Its place is asked when it runs: Dagster keeps the job."""
    found = bench(Path(os.environ[FOLDER]).parent)
    gate = GateResource(root=dg.EnvVar(FOLDER), as_of=found.as_of)
    selected = dg.define_asset_job("gate", dg.AssetSelection.assets(found.candidate, found.published))
    definitions = dg.Definitions(
        assets=found.definitions.assets,
        jobs=[selected],
        resources={"gate": gate},
        executor=dg.in_process_executor,
    )
    return definitions.resolve_job_def("gate")


def executed(folder: Path, options: dg.ReexecutionOptions | None = None) -> dg.JobExecutionResult:
    """The run, or one that takes up an earlier one, with the tags of the first."""
    tags = {**TAGS, "dagster/partition": DAY}
    with dg.execute_job(
        dg.reconstructable(job), bench(folder).instance, tags=tags, raise_on_error=False, reexecution_options=options
    ) as result:
        return result


def dying(call: Callable[..., object], when: str) -> Callable[..., object]:
    def killed(*arguments: object, **named: object) -> object:
        if when == AFTER:
            call(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")

    return killed


def main(folder: str, stage: str) -> None:
    os.environ[FOLDER] = str(bench(Path(folder)).root)
    module, name, when = STAGES[stage]
    owner = import_module(module)
    with patch.object(owner, name, dying(getattr(owner, name), when)):
        executed(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
