"""Scheduled runs: every evening or morning, the partition that has just ended is taken, judged and, if accepted, published."""

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import (
    UnresolvedAssetJobDefinition,
)  # the public name is missing in 1.13

from contract_assets.labels import candidate_key, published_key
from contract_assets.partitions import partitions_of
from contract_core.contract.model import Contract


def job_name(contract: Contract) -> str:
    """The name of the job that takes a delivery all the way."""
    return f"publish_{contract.name}"


def build_publish_job(
    contract: Contract, catalog: str | None = None, candidate: dg.AssetKey | None = None
) -> UnresolvedAssetJobDefinition:
    """The job that takes, judges and publishes one partition; `candidate` is the key of a user's own asset."""
    taken = candidate or candidate_key(contract, catalog)
    return dg.define_asset_job(
        name=job_name(contract),
        selection=dg.AssetSelection.assets(taken, published_key(contract, catalog)),
        description=f"Take, judge and publish one delivery of {contract.name}.",
        tags={"contract": contract.name, "contract_version": contract.version},
    )


def build_schedule(contract: Contract) -> dg.ScheduleDefinition | None:
    """A run for each partition soon after it has ended; None where partitions are not spans of time."""
    partitions = partitions_of(contract)
    terms = contract.delivery.partition
    if terms is None or not isinstance(partitions, dg.TimeWindowPartitionsDefinition):
        return None
    cron = {"hour": "5 * * * *", "day": "30 6 * * *", "week": "30 6 * * 0", "month": "30 6 1 * *"}[terms.every or "day"]

    def newest_ended(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        now = context.scheduled_execution_time
        ended = [window for window in [partitions.get_prev_partition_window(now)] if window is not None]
        if not ended:
            return dg.SkipReason("no partition has ended yet")
        key = partitions.get_partition_key_range_for_time_window(ended[-1]).end
        return dg.RunRequest(run_key=key, partition_key=key)

    return dg.ScheduleDefinition(
        name=f"{job_name(contract)}_schedule",
        job_name=job_name(contract),
        cron_schedule=cron,
        execution_timezone=terms.timezone,
        execution_fn=newest_ended,
        description=f"Publish the partition of {contract.name} that has just ended.",
    )
