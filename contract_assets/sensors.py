"""What starts a run when something lands: a settled delivery, once; a re-delivery, again."""

import json
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

import dagster as dg

from contract_assets.labels import landing_key
from contract_assets.partitions import is_partition, partitions_of
from contract_assets.resources import GateResource
from contract_assets.schedules import job_name
from contract_core.candidate.settling import Landed, settled_deliveries
from contract_core.contract.model import Contract

SETTLE = timedelta(seconds=60)
_SEVERAL = (
    "a delivery of this contract holds several partitions, and only reading it would tell which: publish them by the schedule, "
    "a backfill, or the command line"
)
_LOST = (
    "the cursor was no list of deliveries and is begun anew: what lies in landing is asked for again, and what is published already "
    "is not published twice"
)
_MARK = re.compile(r"[0-9a-f]{16}#[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Cursor:
    """For each partition the delivery that was asked for last, and how many were asked for so far.

    Short, since Dagster keeps a copy of it with every tick. `is_lost` where what was kept says nothing.
    """

    asked: dict[str, str]
    is_lost: bool = False

    @classmethod
    def read(cls, text: str | None) -> Self:
        """The cursor as it was written; nothing was asked for yet where there is none, or another text in its place."""
        try:
            asked = json.loads(text or "{}")
        except (ValueError, RecursionError):
            asked = None
        is_ours = isinstance(asked, dict) and all(
            isinstance(mark, str) and _MARK.fullmatch(mark) for mark in asked.values()
        )
        return cls(asked) if is_ours else cls({}, is_lost=True)

    def write(self) -> str:
        """The cursor as text."""
        return json.dumps(self.asked, sort_keys=True, separators=(",", ":"))

    def mark(self, delivery: Landed) -> str:
        """What tells this delivery from all before it: its digest, and its number, since an old file may be put back."""
        digest, number = self._last(delivery)
        return f"{delivery.digest[:16]}#{number if digest == delivery.digest[:16] else number + 1}"

    def is_new(self, delivery: Landed) -> bool:
        """True where this delivery was not the last one that was asked for."""
        return self._last(delivery)[0] != delivery.digest[:16]

    def after(self, deliveries: list[Landed]) -> "Cursor":
        """The cursor once these were asked for."""
        return Cursor(self.asked | {delivery.partition or "": self.mark(delivery) for delivery in deliveries})

    def _last(self, delivery: Landed) -> tuple[str, int]:
        digest, _, number = self.asked.get(delivery.partition or "", "#0").partition("#")
        return digest, int(number)


def build_landing_sensor(
    contract: Contract, settle: timedelta = SETTLE, catalog: str | None = None
) -> dg.SensorDefinition:
    """Looks for deliveries that hold still and asks for one run for each; its cursor remembers what it has asked for."""

    def landed(context: dg.SensorEvaluationContext, gate: GateResource) -> dg.SensorResult | dg.SkipReason:
        if contract.delivery.partition is not None and contract.delivery.partition.split:
            return dg.SkipReason(_SEVERAL)
        cursor = Cursor.read(context.cursor)
        if cursor.is_lost:
            context.log.warning(_LOST)
        found = settled_deliveries(contract, gate.environment().landing, {}, gate.now(), settle)
        settled = [delivery for delivery in found if cursor.is_new(delivery)]
        wanted = [delivery for delivery in settled if is_partition(contract, delivery.partition, gate.now())]
        if not wanted:
            waiting = (
                f"; {len(settled)} wait: their partition has not begun, or has no name Dagster can hold"
                if settled
                else ""
            )
            return dg.SkipReason(f"nothing new has landed and settled{waiting}")
        return dg.SensorResult(
            run_requests=[_request(contract, delivery, cursor.mark(delivery)) for delivery in wanted],
            dynamic_partitions_requests=_new_partitions(contract, wanted, context),
            asset_events=[_landing_event(landing_key(contract, catalog), delivery) for delivery in wanted],
            cursor=cursor.after(wanted).write(),
        )

    return dg.SensorDefinition(
        name=f"landed_{contract.name}",
        job_name=job_name(contract),
        evaluation_fn=landed,
        minimum_interval_seconds=30,
        description=f"Starts a run when a delivery of {contract.name} has landed and holds still.",
    )


def _request(contract: Contract, delivery: Landed, mark: str) -> dg.RunRequest:
    name = contract.name if delivery.partition is None else f"{contract.name}@{delivery.partition}"
    return dg.RunRequest(
        run_key=f"{name}@{mark}",
        partition_key=delivery.partition,
        tags={"delivery": delivery.digest[:16]},
    )


def _landing_event(key: dg.AssetKey, delivery: Landed) -> dg.AssetMaterialization:
    return dg.AssetMaterialization(
        asset_key=key,
        partition=delivery.partition,
        description="landed and holds still",
        metadata={"delivery": delivery.digest[:16]},
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
