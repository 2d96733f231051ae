"""Contracts → all that Dagster runs for them: assets and checks always, jobs, schedules and sensors as they are wanted.

Nothing is read when it is imported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import (
    UnresolvedAssetJobDefinition,
)  # the public name is missing in 1.13

from contract_assets.assets import build_contract_assets
from contract_assets.metrics import build_metrics_jobs, build_metrics_schedules
from contract_assets.notifications import build_notify_job, build_notify_schedule
from contract_assets.recheck import build_recheck_job
from contract_assets.resources import GateResource
from contract_assets.schedules import build_publish_job, build_schedule
from contract_assets.sensors import build_landing_sensor
from contract_assets.watch import build_watch_jobs, build_watch_schedules
from contract_core.contract.model import Contract
from contract_core.errors import Problem, WrongUsageError

Job = Literal["publish", "recheck", "watch", "metrics", "notify"]
Schedule = Literal["publish", "watch", "metrics", "notify"]
Sensor = Literal["landed"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which jobs are built, and what starts them; assets and checks always are.

    `suffix` ends the names of metrics and notify, which are for all contracts together: for one of several components.
    `candidates` are users' own assets by the names of their contracts: what they return is the delivery, so that nothing lands
    and no sensor or schedule starts them but their own.
    """

    jobs: Sequence[Job] = get_args(Job)
    schedules: Sequence[Schedule] = get_args(Schedule)
    sensors: Sequence[Sensor] = get_args(Sensor)
    suffix: str = ""
    candidates: Mapping[str, dg.AssetsDefinition] = field(default_factory=dict)


EVERYTHING = Wanted()


def assemble(contracts: Iterable[Contract], gate: GateResource, wanted: Wanted = EVERYTHING) -> dg.Definitions:
    """Assets, checks, jobs, schedules and sensors for these contracts, under the catalogue of the gate's environment."""
    known, catalog = tuple(contracts), gate.environment().catalog
    own = wanted.candidates
    _refuse_unknown(own, known)
    landing = [contract for contract in known if contract.name not in own]
    return dg.Definitions(
        assets=[
            asset for contract in known for asset in build_contract_assets(contract, catalog, own.get(contract.name))
        ],
        jobs=[job for name in wanted.jobs for job in _jobs(name, known, catalog, wanted)],
        schedules=[
            schedule
            for name in wanted.schedules
            for schedule in _schedules(name, landing if name == "publish" else known, wanted.suffix)
        ],
        sensors=[build_landing_sensor(contract, catalog=catalog) for _ in wanted.sensors for contract in landing],
        resources={"gate": gate},
    )


def build_definitions(
    contracts: Iterable[Contract], gate: GateResource, candidates: Mapping[str, dg.AssetsDefinition] | None = None
) -> dg.Definitions:
    """All that there is for these contracts, each run in one process: starting others takes longer than what they would do.

    `candidates` are users' own assets by the names of their contracts. Raises WrongUsageError for a name that is no contract's.
    """
    wanted = Wanted(candidates=candidates or {})
    return dg.Definitions.merge(assemble(contracts, gate, wanted), dg.Definitions(executor=dg.in_process_executor))


def _refuse_unknown(candidates: Mapping[str, dg.AssetsDefinition], known: Sequence[Contract]) -> None:
    names = {contract.name for contract in known}
    problems = [
        Problem(
            f"candidate '{name}'", "there is no contract of this name", f"one of: {', '.join(sorted(names)) or 'none'}"
        )
        for name in candidates
        if name not in names
    ]
    if problems:
        raise WrongUsageError(*problems)


def _jobs(
    name: Job, contracts: Sequence[Contract], catalog: str | None, wanted: Wanted
) -> Iterator[dg.JobDefinition | UnresolvedAssetJobDefinition]:
    own = {name: asset.key for name, asset in wanted.candidates.items()}
    match name:
        case "publish":
            yield from (build_publish_job(contract, catalog, own.get(contract.name)) for contract in contracts)
        case "recheck":
            yield from (build_recheck_job(contract, catalog, own.get(contract.name)) for contract in contracts)
        case "watch":
            yield from (job for contract in contracts for job in build_watch_jobs(contract, catalog))
        case "metrics":
            yield from build_metrics_jobs(contracts, catalog, wanted.suffix)
        case "notify":
            yield build_notify_job(contracts, catalog, wanted.suffix)


def _schedules(name: Schedule, contracts: Sequence[Contract], suffix: str) -> Iterator[dg.ScheduleDefinition]:
    match name:
        case "publish":
            yield from (found for contract in contracts if (found := build_schedule(contract)) is not None)
        case "watch":
            yield from (schedule for contract in contracts for schedule in build_watch_schedules(contract))
        case "metrics":
            yield from build_metrics_schedules(contracts, suffix)
        case "notify":
            yield build_notify_schedule(suffix)
