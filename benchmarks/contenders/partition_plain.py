"""Two plain assets with as many checks as ours have, which do nothing: what Dagster itself takes for a run."""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import dagster as dg

from benchmarks.contenders.definitions_plain import CHECKS
from benchmarks.contenders.partition_dagster import runs_of
from benchmarks.contenders.partition_times import say

Events = Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]


def main() -> None:
    """Run them for every partition."""
    warnings.simplefilter("ignore")
    partitions = dg.DailyPartitionsDefinition("2025-01-01")
    candidate, published = (_asset(layer, partitions) for layer in CHECKS)
    job = dg.define_asset_job("both", [candidate, published])
    definitions = dg.Definitions([candidate, published], jobs=[job], executor=dg.in_process_executor)
    with TemporaryDirectory() as folder, runs_of(definitions, "both", sys.argv[1], Path(folder)) as run:
        say(run, int(sys.argv[2]), lambda: 0)


def _asset(layer: str, partitions: dg.PartitionsDefinition) -> dg.AssetsDefinition:
    names = [f"check_{place}" for place in range(CHECKS[layer])]
    above = [] if layer == "candidate" else ["candidate"]

    @dg.asset(
        name=layer,
        deps=above,
        partitions_def=partitions,
        check_specs=[dg.AssetCheckSpec(name, asset=layer, partitions_def=partitions) for name in names],
    )
    def nothing() -> Events:
        yield dg.MaterializeResult(metadata={"rows": 1})
        for name in names:
            yield dg.AssetCheckResult(check_name=name, passed=True, metadata={"breaches": 0})

    return nothing


if __name__ == "__main__":
    main()
