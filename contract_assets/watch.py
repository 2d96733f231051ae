"""The job and the schedule that look after a published table although nothing arrives: deadlines, age, silence, coverage."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

import dagster as dg

from contract_assets.check_events import log_checks
from contract_assets.failures import told_to_dagster
from contract_assets.incidents import log_incidents
from contract_assets.labels import published_key
from contract_assets.partitions import is_partition
from contract_assets.published_checks import age_results, deadline_result, published_check_specs
from contract_assets.resources import GateResource
from contract_assets.shown import Shown, observe, shown
from contract_core.contract.model import Contract
from contract_core.operations.deadlines import Deadlines, Expected, is_promised
from contract_core.publication.freshness import promised_freshness

_GRACE = timedelta(minutes=5)
"""So that a delivery that came at the last moment is taken and published before anybody is told."""
_NIGHT, _SKIPPED = time(4), timedelta(hours=1)
"""A time that the clocks skip means an hour later, and they skip an hour of the night: one looks again then."""
_MOST = 100
_HOURLY, _DAILY = "35 * * * *", "35 7 * * *"
_SHORT = timedelta(days=1)


def watch_job_name(contract: Contract) -> str:
    """The name of the job that looks after the published table."""
    return f"watch_{contract.name}"


def build_watch_jobs(contract: Contract, catalog: str | None = None) -> list[dg.JobDefinition]:
    """The job that tells how the published table stands; none for a retired contract, which promises nothing any more."""
    if contract.status == "retired":
        return []
    published = published_key(contract, catalog)

    @dg.op(name=f"look_after_{contract.name}")
    def look_after(context: dg.OpExecutionContext, gate: GateResource) -> None:
        specs = published_check_specs(contract, published, None)
        with told_to_dagster():
            now = shown(contract, gate)
        for item in _told(now.standing.deadlines):
            log_checks(context, item.partition, [deadline_result(contract, item, published)], specs)
        log_checks(context, _about(contract, now), _ages(contract, now, published), specs)
        log_incidents(context, now, catalog)
        observe(context, published, None, now)
        context.log.info(now.words)

    @dg.job(
        name=watch_job_name(contract),
        description=f"Look how the published table of {contract.name} stands: what is overdue, how old it is. Publishes nothing.",
        tags={"contract": contract.name, "contract_version": contract.version},
    )
    def watch() -> None:
        look_after()

    return [watch]


def build_watch_schedules(contract: Contract) -> list[dg.ScheduleDefinition]:
    """A run soon after each moment at which partitions fall due, and as often as the promised freshness is short."""
    if contract.status == "retired":
        return []
    due, terms = contract.delivery.due, contract.delivery.partition
    zone = due.timezone if due is not None else terms.timezone if terms is not None else "UTC"
    return [
        dg.ScheduleDefinition(
            name=f"{watch_job_name(contract)}_schedule",
            job_name=watch_job_name(contract),
            cron_schedule=list(dict.fromkeys(_ticks(contract))),
            execution_timezone=zone,
            description=f"Look how the published table of {contract.name} stands, although nothing arrives.",
        )
    ]


def _ticks(contract: Contract) -> Iterator[str]:
    due, fresh = contract.delivery.due, promised_freshness(contract)
    if due is not None and is_promised(contract):
        soon = datetime.combine(date.min, due.by) + _GRACE
        ticks = [soon, soon + _SKIPPED] if due.by < _NIGHT else [soon]
        yield from (f"{tick.minute} {tick.hour} * * *" for tick in ticks)
    if fresh is not None and min(fresh.max_age, fresh.max_silence or fresh.max_age) <= _SHORT:
        yield _HOURLY
    elif fresh is not None or due is None:
        yield _DAILY


def _told(found: Deadlines | None) -> list[Expected]:
    """The partition that fell due last, and those that are overdue: of very many the newest."""
    if found is None:
        return []
    fallen = [item for item in found.partitions if item.due_at is not None and item.due_at < item.at]
    return [item for item in fallen if item is fallen[0] or item.is_overdue][:_MOST]


def _ages(contract: Contract, now: Shown, published: dg.AssetKey) -> list[dg.AssetCheckResult]:
    """Of a table to which nothing was ever published nobody can tell an age: the observation says so, and its deadlines."""
    return [] if now.status.newest is None else list(age_results(contract, now.status, published))


def _about(contract: Contract, now: Shown) -> str | None:
    """The partition that is shown, as far as Dagster knows it: the age is told there."""
    key = now.status.newest.partition if now.status.newest is not None else None
    return key if is_partition(contract, key, now.standing.at) else None
