"""The mean duration of a day's runs, exact, and only from a published day; no observation gives no mean, never zero."""

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

import dagster as dg
import polars as pl

from contract_assets.failures import told_to_dagster
from contract_assets.labels import group_of, published_key
from contract_assets.partitions import partitions_of
from contract_assets.resources import GateResource
from contract_core.contract.model import Contract
from contract_core.contract.partition import window
from contract_core.errors import GateClosedError, Problem
from contract_core.publication.history import DecisionRecord, Fate, decisions

REPORT_KEY = dg.AssetKey(["report", "run_durations"])


@dataclass(frozen=True, slots=True)
class RunDurationSummary:
    """How many executions a day had, and their mean in milliseconds; the mean of none is None."""

    executions: int
    mean_ms: Fraction | None


def summarise(durations_ms: pl.Series) -> RunDurationSummary:
    """Count and exact mean of whole milliseconds, summed as integers without limit."""
    executions = len(durations_ms)
    total = sum(durations_ms.to_list())
    return RunDurationSummary(executions, Fraction(total, executions) if executions else None)


def published_day(contract: Contract, day: str, gate: GateResource) -> DecisionRecord:
    """The publication that a day shows. Raises GateClosedError for a day that is not published: it has no number, not yesterday's."""
    records = decisions(gate.ledger().partition_entries(contract.name, day))
    for record in records:
        if record.outcome is Fate.PUBLISHED and record.superseded_by is None:
            return record
    raise GateClosedError(
        Problem(f"report for {day}", "the day is not published", "have its delivery corrected and published first")
    )


def published_durations(contract: Contract, day: str, gate: GateResource) -> pl.Series:
    """The published durations of one day."""
    table = gate.store().rows(contract.name)
    return (
        table.filter(pl.col("day") == pl.lit(day).str.to_date())
        .select("duration_ms")
        .collect(engine="streaming")
        .to_series()
    )


def age_hours(contract: Contract, day: str, at: datetime) -> float:
    """How old the day's runs are at a moment, counted from the beginning of their day, as the published table ages."""
    terms = contract.delivery.partition
    assert terms is not None, "the report is about days"
    return round((at - window(terms, day)[0]).total_seconds() / 3600, 2)


def build_run_duration_report(contract: Contract, catalog: str | None = None) -> dg.AssetsDefinition:
    """The report asset downstream of the published run durations; its number carries its own day, age and publication."""
    key = REPORT_KEY if catalog is None else REPORT_KEY.with_prefix(catalog)

    @dg.asset(
        key=key,
        deps=[published_key(contract, catalog)],
        partitions_def=partitions_of(contract),
        group_name=group_of(contract),
        description="Mean duration of the day's runs, as an exact fraction beside their count.",
        kinds={"polars"},
    )
    def run_duration_report(context: dg.AssetExecutionContext, gate: GateResource) -> dg.MaterializeResult[None]:
        day = context.partition_key
        with told_to_dagster():
            shown = published_day(contract, day, gate)
            summary = summarise(published_durations(contract, day, gate))
        mean = "none: there were no executions" if summary.mean_ms is None else str(summary.mean_ms)
        metadata = {
            "day": day,
            "executions": summary.executions,
            "mean_ms": mean,
            "submission": shown.submission,
            "age_hours": age_hours(contract, day, gate.moment_of_judgement()),
            "published_at": dg.MetadataValue.timestamp(shown.published_at or shown.decided_at),
        }
        return dg.MaterializeResult(asset_key=key, metadata=metadata)

    return run_duration_report
