"""Contract → partitions definition: spans of time as Dagster counts them, values as dynamic partitions."""

from datetime import date, datetime
from functools import cache
from typing import Literal

import dagster as dg

from contract_core.contract.model import Contract
from contract_core.errors import Problem, WrongUsageError

_RANGE = "..."
"""What Dagster reads as a range of partitions."""


def partitions_of(contract: Contract) -> dg.PartitionsDefinition | None:
    """The partitions of a contract's assets, the running one included; None where the contract has none."""
    terms = contract.delivery.partition
    if terms is None:
        return None
    if terms.every is None or terms.start is None:
        return _values(contract.name)
    return _spans(terms.every, terms.start, terms.timezone)


@cache
def _values(name: str) -> dg.PartitionsDefinition:
    return dg.DynamicPartitionsDefinition(name=name)


@cache
def _spans(every: Literal["hour", "day", "week", "month"], begin: date, zone: str) -> dg.PartitionsDefinition:
    """One definition for all contracts of the same spans: it is asked for at each tick, and remembers what it has worked out."""
    start = begin.isoformat()
    match every:
        case "hour":
            return dg.HourlyPartitionsDefinition(start_date=f"{start}-00:00", timezone=zone, end_offset=1)
        case "day":
            return dg.DailyPartitionsDefinition(start_date=start, timezone=zone, end_offset=1)
        case "week":
            return dg.WeeklyPartitionsDefinition(start_date=start, timezone=zone, end_offset=1)
        case "month":
            return dg.MonthlyPartitionsDefinition(start_date=start, timezone=zone, end_offset=1)


def partitions_like(
    contract: Contract, given: dg.PartitionsDefinition | None, asset: str
) -> dg.PartitionsDefinition | None:
    """The partitions of a user's own asset where their keys are those of the contract; the contract's where it has none.

    Raises WrongUsageError where the two count partitions in another way.
    """
    promised = partitions_of(contract)
    if given is None or given == promised:
        return promised
    if isinstance(promised, dg.TimeWindowPartitionsDefinition) and isinstance(given, dg.TimeWindowPartitionsDefinition):
        if _spelling(given) == _spelling(promised):
            return given
    elif promised is not None and isinstance(given, dg.StaticPartitionsDefinition | dg.DynamicPartitionsDefinition):
        return given
    what = f"has other partitions than contract '{contract.name}'"
    hint = "leave partitions_def out, and the asset takes the contract's; or declare delivery.partition as it is"
    raise WrongUsageError(Problem(f"asset {asset}", what, hint))


def _spelling(spans: dg.TimeWindowPartitionsDefinition) -> tuple[str, str, str]:
    return spans.cron_schedule, spans.timezone, spans.fmt


def partition_of(contract: Contract, context: dg.AssetExecutionContext | dg.OpExecutionContext) -> str | None:
    """The contract's partition that a step runs for; None for a run without one, which the core refuses where there are partitions.

    A contract without partitions has none either where it shares a run with assets that have some.
    """
    return context.partition_key if contract.delivery.partition is not None and context.has_partition_key else None


def is_partition(contract: Contract, key: str | None, now: datetime) -> bool:
    """True where Dagster can run for this key now: a span that has begun, or a value that it can store and show."""
    partitions = partitions_of(contract)
    if partitions is None or key is None:
        return partitions is None and key is None
    if isinstance(partitions, dg.TimeWindowPartitionsDefinition):
        with dg.partition_loading_context(effective_dt=now):
            return partitions.has_partition_key(key)
    return _RANGE not in key and key.encode(errors="ignore").decode() == key
