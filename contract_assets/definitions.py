"""The one Definitions object of this repository's example contracts. It only assembles."""

from collections.abc import Iterable

import dagster as dg

from contract_assets.assets import build_contract_assets
from contract_assets.examples.run_duration_report import build_run_duration_report
from contract_assets.metrics import build_metrics_jobs, build_metrics_schedules
from contract_assets.notifications import build_notify_job, build_notify_schedule
from contract_assets.recheck import build_recheck_job
from contract_assets.resources import GateResource, environment_at
from contract_assets.schedules import build_publish_job, build_schedule
from contract_assets.sensors import build_landing_sensor
from contract_assets.watch import build_watch_jobs, build_watch_schedules
from contract_core.contract.model import Contract
from contract_core.contract.registry import read_contracts


def build_definitions(contracts: Iterable[Contract], gate: GateResource) -> dg.Definitions:
    """Assets, checks, jobs, schedules and sensors for these contracts, under the catalogue of the gate's environment."""
    known, catalog = tuple(contracts), gate.environment().catalog
    schedules = [schedule for contract in known if (schedule := build_schedule(contract)) is not None]
    schedules += [schedule for contract in known for schedule in build_watch_schedules(contract)]
    schedules += build_metrics_schedules(known)
    schedules.append(build_notify_schedule())
    return dg.Definitions(
        assets=[asset for contract in known for asset in build_contract_assets(contract, catalog)],
        jobs=[
            *(build(contract, catalog) for contract in known for build in (build_publish_job, build_recheck_job)),
            *(job for contract in known for job in build_watch_jobs(contract, catalog)),
            *build_metrics_jobs(known, catalog),
            build_notify_job(known, catalog),
        ],
        schedules=schedules,
        sensors=[build_landing_sensor(contract, catalog=catalog) for contract in known],
        resources={"gate": gate},
        executor=dg.in_process_executor,
    )


def example_definitions() -> dg.Definitions:
    """The contracts in the environment's folder, and the report that reads one of the published tables."""
    environment = environment_at()
    contracts = read_contracts(environment.contracts)
    reports = [
        build_run_duration_report(contract, environment.catalog)
        for contract in contracts
        if contract.name == "run_durations"
    ]
    return dg.Definitions.merge(build_definitions(contracts, GateResource()), dg.Definitions(assets=reports))


defs = example_definitions()
