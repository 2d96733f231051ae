"""As many plain assets with as many check specs, jobs, schedules and sensors as the contracts lead to."""

import sys
import warnings

import dagster as dg

CHECKS = {"candidate": 17, "published": 3}


def main() -> None:
    """Build them and say what they are."""
    warnings.simplefilter("ignore")
    count = int(sys.argv[1])
    partitions = dg.DailyPartitionsDefinition("2026-01-01")
    assets: list[dg.AssetSpec | dg.AssetsDefinition] = []
    jobs, schedules, sensors = [], [], []
    for number in range(count):
        assets += [
            dg.AssetSpec(["landing", f"c{number}"]),
            _asset("candidate", number, partitions),
            _asset("published", number, partitions),
        ]
        keys = dg.AssetSelection.assets(["candidate", f"c{number}"], ["published", f"c{number}"])
        job = dg.define_asset_job(f"publish_c{number}", keys)
        jobs += [job, _op_job(f"recheck_c{number}"), _op_job(f"watch_c{number}")]
        schedules += [
            dg.ScheduleDefinition(
                name=f"{verb}_daily_c{number}", job_name=f"{verb}_c{number}", cron_schedule="0 6 * * *"
            )
            for verb in ("publish", "watch")
        ]
        sensors.append(
            dg.SensorDefinition(
                name=f"landed_c{number}", job_name=f"publish_c{number}", evaluation_fn=lambda _: dg.SkipReason("")
            )
        )
    defs = dg.Definitions(
        assets=assets, jobs=jobs, schedules=schedules, sensors=sensors, executor=dg.in_process_executor
    )
    graph = defs.get_repository_def().asset_graph
    print(f"{count} contracts, {len(graph.get_all_asset_keys())} assets, {len(graph.asset_check_keys)} checks")


def _asset(layer: str, number: int, partitions: dg.PartitionsDefinition) -> dg.AssetsDefinition:
    key = dg.AssetKey([layer, f"c{number}"])
    specs = [
        dg.AssetCheckSpec(f"check_{place}", asset=key, partitions_def=partitions) for place in range(CHECKS[layer])
    ]
    above = {"candidate": "landing", "published": "candidate"}[layer]

    @dg.asset(key=key, deps=[dg.AssetKey([above, f"c{number}"])], check_specs=specs, partitions_def=partitions)
    def nothing():  # noqa: ANN202 - Dagster would take the annotation for that of its outputs
        """Nothing."""

    return nothing


def _op_job(name: str) -> dg.JobDefinition:
    @dg.op(name=f"do_{name}")
    def step() -> None:
        """Nothing."""

    @dg.job(name=name)
    def job() -> None:
        step()

    return job


if __name__ == "__main__":
    main()
