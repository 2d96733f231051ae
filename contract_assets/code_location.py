"""Contracts → one Definitions object for Dagster, with all that is shown and done for them. Nothing is read when it is imported."""

from collections.abc import Iterable

import dagster as dg

from contract_assets.assets import build_contract_assets
from contract_assets.metrics import build_metrics_jobs, build_metrics_schedules
from contract_assets.notifications import build_notify_job, build_notify_schedule
from contract_assets.recheck import build_recheck_job
from contract_assets.resources import GateResource
from contract_assets.schedules import build_publish_job, build_schedule
from contract_assets.sensors import build_landing_sensor
from contract_assets.watch import build_watch_jobs, build_watch_schedules
from contract_core.contract.model import Contract


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
