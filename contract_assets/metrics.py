"""The job and the schedule that tell every day how each contract does: an observation of its published table, in numbers."""

from collections.abc import Sequence

import dagster as dg

from contract_assets.failures import told_to_dagster
from contract_assets.labels import published_key
from contract_assets.measures import contract_measures
from contract_assets.resources import GateResource
from contract_core.contract.model import Contract
from contract_core.operations.metrics import metrics_of

METRICS = "metrics"
_MORNING = "0 7 * * *"


def build_metrics_jobs(
    contracts: Sequence[Contract], catalog: str | None = None, suffix: str = ""
) -> list[dg.JobDefinition]:
    """The one job that observes the published tables of all contracts; none where there is no contract.

    `suffix` ends its name where a code location has several.
    """
    if not contracts:
        return []

    @dg.op(name=f"tell_metrics{suffix}")
    def tell_metrics(context: dg.OpExecutionContext, gate: GateResource) -> None:
        moment = gate.moment_of_judgement()
        with told_to_dagster():
            entries_of = gate.ledger().at_once([contract.name for contract in contracts])
        for contract in contracts:
            with told_to_dagster():
                found = metrics_of(contract, entries_of(contract.name), moment)
            context.log_event(dg.AssetObservation(published_key(contract, catalog), metadata=contract_measures(found)))

    @dg.job(
        name=METRICS + suffix,
        description="Tell of every contract its submissions by verdict, its breaches by rule and how long they took to resolve. "
        "Takes and publishes nothing.",
    )
    def metrics() -> None:
        tell_metrics()

    return [metrics]


def build_metrics_schedules(contracts: Sequence[Contract], suffix: str = "") -> list[dg.ScheduleDefinition]:
    """Every morning; none where there is no contract."""
    if not contracts:
        return []
    return [
        dg.ScheduleDefinition(
            name=f"{METRICS}{suffix}_schedule",
            job_name=METRICS + suffix,
            cron_schedule=_MORNING,
            execution_timezone="UTC",
            description="Tell every morning how each contract does.",
        )
    ]
