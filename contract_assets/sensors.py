"""What starts a run when something lands: a settled delivery, once; a re-delivery, again."""

import json
from datetime import timedelta

import dagster as dg

from contract_assets.partitions import partitions_of
from contract_assets.resources import GateResource
from contract_assets.schedules import job_name
from contract_core.candidate.settling import Landed, settled_deliveries
from contract_core.contract.model import Contract

SETTLE = timedelta(seconds=60)


def build_landing_sensor(contract: Contract, settle: timedelta = SETTLE) -> dg.SensorDefinition:
    """Looks for deliveries that hold still and asks for one run for each; its cursor remembers what it has asked for."""

    def landed(context: dg.SensorEvaluationContext, gate: GateResource) -> dg.SensorResult | dg.SkipReason:
        seen: dict[str, str] = json.loads(context.cursor) if context.cursor else {}
        deliveries = settled_deliveries(contract, gate.environment().landing, seen, gate.now(), settle)
        wanted = [delivery for delivery in deliveries if _is_known(contract, delivery, gate)]
        if not wanted:
            return dg.SkipReason("nothing new has landed and settled")
        cursor = json.dumps(seen | {delivery.partition or "": delivery.digest for delivery in wanted}, sort_keys=True)
        return dg.SensorResult(
            run_requests=[_request(contract, delivery) for delivery in wanted],
            dynamic_partitions_requests=_new_partitions(contract, wanted, context),
            cursor=cursor,
        )

    return dg.SensorDefinition(
        name=f"landed_{contract.name}",
        job_name=job_name(contract),
        evaluation_fn=landed,
        minimum_interval_seconds=30,
        description=f"Starts a run when a delivery of {contract.name} has landed and holds still.",
    )


def _is_known(contract: Contract, delivery: Landed, gate: GateResource) -> bool:
    """True where the delivery's partition exists by now; one of the future waits for its time."""
    partitions = partitions_of(contract)
    if not isinstance(partitions, dg.TimeWindowPartitionsDefinition) or delivery.partition is None:
        return True
    with dg.partition_loading_context(effective_dt=gate.now()):
        return partitions.has_partition_key(delivery.partition)


def _request(contract: Contract, delivery: Landed) -> dg.RunRequest:
    name = contract.name if delivery.partition is None else f"{contract.name}@{delivery.partition}"
    return dg.RunRequest(
        run_key=f"{name}@{delivery.digest[:16]}",
        partition_key=delivery.partition,
        tags={"delivery": delivery.digest[:16]},
    )


def _new_partitions(
    contract: Contract, wanted: list[Landed], context: dg.SensorEvaluationContext
) -> list[dg.AddDynamicPartitionsRequest]:
    partitions = partitions_of(contract)
    if not isinstance(partitions, dg.DynamicPartitionsDefinition):
        return []
    known = set(context.instance.get_dynamic_partitions(contract.name))
    new = [
        delivery.partition for delivery in wanted if delivery.partition is not None and delivery.partition not in known
    ]
    return [partitions.build_add_request(new)] if new else []
