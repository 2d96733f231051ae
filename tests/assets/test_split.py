"""Deliveries that hold several partitions, in Dagster: each run takes its share of what lies in landing."""

from dataclasses import replace

import dagster as dg

from contract_assets.sensors import build_landing_sensor
from tests.assets.bench import CASES, DAY, NEXT, Bench, contract_of, csv, failures

SPLIT = contract_of(CASES.replace("start: 2026-10-01", "start: 2026-10-01, split: true"))
BOTH = csv(("NL", DAY, 1), ("NL", NEXT, 2))


def test_each_partition_takes_its_share_of_one_delivery(bench: Bench) -> None:
    bench = replace(bench, contract=SPLIT)
    bench.land(BOTH, None)
    assert bench.run(partition=DAY).success
    assert [row[2] for row in bench.shown()] == [1]
    assert bench.run(partition=NEXT).success
    assert [row[2] for row in bench.shown()] == [1, 2]
    assert bench.materialized(bench.published) == {DAY, NEXT}


def test_a_partition_that_is_not_in_the_delivery_keeps_what_it_shows(bench: Bench) -> None:
    bench = replace(bench, contract=SPLIT)
    bench.land(BOTH, None)
    bench.run(partition=DAY)
    bench.land(csv(("NL", NEXT, 2)), None)
    result = bench.run(partition=DAY)
    assert not result.success
    assert "holds no row of this partition" in failures(result)[0]
    assert [row[2] for row in bench.shown()] == [1]


def test_the_sensor_says_that_only_the_rows_tell_the_partitions(bench: Bench) -> None:
    bench = replace(bench, contract=SPLIT)
    bench.land(BOTH, None)
    context = dg.build_sensor_context(instance=bench.instance, resources={"gate": bench.gate})
    told = build_landing_sensor(bench.contract)(context)
    assert isinstance(told, dg.SkipReason)
    assert "publish them by the schedule, a backfill, or the command line" in (told.skip_message or "")
