"""Check results as events of a run, for a step that answers the checks of another asset than its own."""

from collections.abc import Iterable, Iterator

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationTargetMaterializationData,
)  # the public name is missing in 1.13

Context = dg.AssetExecutionContext | dg.OpExecutionContext


def log_checks(
    context: Context,
    partition: str | None,
    results: Iterable[dg.AssetCheckResult],
    specs: Iterable[dg.AssetCheckSpec],
) -> None:
    """Writes these results about a partition, which the run need not be about, into the run's own log: the same answer may then
    come again, in another run.
    """
    blocking = {spec.name: spec.blocking for spec in specs}
    for event in _events(context.instance, partition, results, blocking):
        context.log_event(event)  # type: ignore[arg-type]  # taken by Dagster 1.13, and left out of its alias UserEvent


def _events(
    instance: dg.DagsterInstance,
    partition: str | None,
    results: Iterable[dg.AssetCheckResult],
    blocking: dict[str, bool],
) -> Iterator[dg.AssetCheckEvaluation]:
    for result in results:
        assert result.check_name is not None, "each of our results names its check"
        assert result.asset_key is not None, "and its asset"
        yield dg.AssetCheckEvaluation(
            asset_key=result.asset_key,
            check_name=result.check_name,
            passed=result.passed,
            severity=result.severity,
            description=result.description,
            metadata=result.metadata,
            blocking=blocking[result.check_name],
            partition=partition,
            target_materialization_data=_target(instance, result.asset_key, partition),
        )


def _target(
    instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None
) -> AssetCheckEvaluationTargetMaterializationData | None:
    """The materialisation that the result is about; without it, automation takes the result for an outdated one."""
    partitions = None if partition is None else [partition]
    wanted = dg.AssetRecordsFilter(asset_key=key, asset_partitions=partitions)
    for record in instance.fetch_materializations(wanted, limit=1).records:
        return AssetCheckEvaluationTargetMaterializationData(
            storage_id=record.storage_id, run_id=record.run_id, timestamp=record.timestamp
        )
    return None
