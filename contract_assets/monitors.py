"""What monitors found → numbers that the UI plots over time: how far a measure moved, and never a mean or a quantile itself."""

from collections.abc import Mapping, Sequence

import dagster as dg

from contract_core.rendering.monitors import moved_percent
from contract_core.validation.promise_kinds import Measure, Steady
from contract_core.validation.report import Finding, ValidationReport


def movement_metadata(findings: Sequence[Finding], report: ValidationReport) -> Mapping[str, dg.MetadataValue]:
    """How far each monitored measure moved, in per cent or points; of the measures themselves the share of nulls alone."""
    numbers: dict[str, dg.MetadataValue] = {}
    for finding in findings:
        promise = finding.obligation.promise
        if not isinstance(promise, Steady):
            continue
        if (moved := moved_percent(finding)) is not None:
            numbers[f"{promise.measure}_moved_percent"] = dg.MetadataValue.float(moved)
        if promise.measure is Measure.NULL_RATE and (found := report.learned.profile.get(promise.column or "")):
            numbers["null_percent"] = dg.MetadataValue.float(round(100 * found[promise.measure], 4))
        numbers["partitions_compared"] = dg.MetadataValue.int(finding.details.get("partitions", 0))
    return numbers
