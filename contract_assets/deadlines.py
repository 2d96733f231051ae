"""The job and the schedule that judge deadlines although nothing arrived: the answers are checks of the published table."""

from datetime import date, datetime, time, timedelta

import dagster as dg

from contract_assets.check_events import log_partition_checks
from contract_assets.failures import told_to_dagster
from contract_assets.labels import published_key
from contract_assets.published_checks import deadline_result, published_check_specs
from contract_assets.resources import GateResource
from contract_core.contract.model import Contract
from contract_core.operations.deadlines import Deadlines, Expected, deadlines_of, is_promised
from contract_core.rendering.deadlines import expected_words

_GRACE = timedelta(minutes=5)
"""So that a delivery that came at the last moment is taken and published before anybody is told."""
_NIGHT, _SKIPPED = time(4), timedelta(hours=1)
"""A time that the clocks skip means an hour later, and they skip an hour of the night: one looks again then."""
_MOST = 100


def deadline_job_name(contract: Contract) -> str:
    """The name of the job that looks which partitions are overdue."""
    return f"deadline_{contract.name}"


def build_deadline_jobs(contract: Contract, catalog: str | None = None) -> list[dg.JobDefinition]:
    """The job that looks which partitions are overdue; none where the contract promises no deadline."""
    if not is_promised(contract):
        return []
    published = published_key(contract, catalog)

    @dg.op(name=f"judge_deadlines_of_{contract.name}")
    def judge_deadlines(context: dg.OpExecutionContext, gate: GateResource) -> None:
        with told_to_dagster():
            entries = gate.ledger().entries(contract=contract.name)
            found = deadlines_of(contract, entries, gate.moment_of_judgement())
        for item in _told(found):
            answer = deadline_result(contract, item, published)
            log_partition_checks(context, item.partition, [answer], published_check_specs(contract, published, None))
            context.log.info(expected_words(item))

    @dg.job(
        name=deadline_job_name(contract),
        description=f"Look which partitions of {contract.name} are overdue. Takes and publishes nothing.",
        tags={"contract": contract.name, "contract_version": contract.version},
    )
    def deadlines() -> None:
        judge_deadlines()

    return [deadlines]


def build_deadline_schedules(contract: Contract) -> list[dg.ScheduleDefinition]:
    """A run a few minutes after each moment at which partitions fall due; none where the contract promises no deadline."""
    due = contract.delivery.due
    if due is None or not is_promised(contract):
        return []
    soon = datetime.combine(date.min, due.by) + _GRACE
    ticks = [soon, soon + _SKIPPED] if due.by < _NIGHT else [soon]
    return [
        dg.ScheduleDefinition(
            name=f"{deadline_job_name(contract)}_schedule",
            job_name=deadline_job_name(contract),
            cron_schedule=[f"{tick.minute} {tick.hour} * * *" for tick in ticks],
            execution_timezone=due.timezone,
            description=f"Look which partitions of {contract.name} are overdue, soon after they fall due.",
        )
    ]


def _told(found: Deadlines | None) -> list[Expected]:
    """The partition that fell due last, and those that are overdue: of very many the newest."""
    if found is None:
        return []
    fallen = [item for item in found.partitions if item.due_at is not None and item.due_at < item.at]
    return [item for item in fallen if item is fallen[0] or item.is_overdue][:_MOST]
