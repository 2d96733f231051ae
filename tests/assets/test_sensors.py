"""What starts runs when something lands: settled, once, again when delivered again, and never stopped by a strange name."""

import json
import os
from datetime import timedelta

import dagster as dg
import pytest

from contract_assets.sensors import build_landing_sensor
from tests.assets.bench import BAD, BY_REGION, CASES, DAY, GOOD, NEXT, WHOLE, Bench, contract_of, csv


def tick(bench: Bench, cursor: str | None = None) -> dg.SensorResult | dg.SkipReason:
    """One evaluation of the sensor."""
    context = dg.build_sensor_context(instance=bench.instance, cursor=cursor, resources={"gate": bench.gate})
    return build_landing_sensor(bench.contract)(context)


def keys(result: dg.SensorResult | dg.SkipReason) -> list[str | None]:
    return [request.partition_key for request in result.run_requests] if isinstance(result, dg.SensorResult) else []


def test_a_delivery_that_holds_still_starts_one_run(bench):
    """S2-041."""
    bench.land(GOOD)
    result = tick(bench)
    assert keys(result) == [DAY]
    assert keys(tick(bench, result.cursor)) == []


def test_the_landing_asset_shows_what_has_landed(bench):
    bench.land(GOOD)
    (event,) = tick(bench).asset_events
    assert (event.asset_key, event.partition) == (bench.landing, DAY)


def test_a_delivery_that_still_grows_waits(bench):
    bench.land(GOOD, age=timedelta(seconds=5))
    assert isinstance(tick(bench), dg.SkipReason)


def test_a_manifest_says_that_a_delivery_is_whole(bench):
    """DESIGN 5: settled is declared by the manifest, or held still."""
    bench.contract = contract_of(CASES.replace("delivery:\n", "delivery:\n  manifest: optional\n"))
    path = bench.land(GOOD, age=timedelta(seconds=1))
    (path.parent / "_manifest.json").write_text("{}")
    assert keys(tick(bench)) == [DAY]


def test_a_delivery_again_starts_a_run_again_also_after_a_refusal(bench):
    """DAGSTER 5: a run key dedupes for good, so the delivery is part of it."""
    bench.land(BAD)
    first = tick(bench)
    bench.land(GOOD, age=timedelta(minutes=30))
    second = tick(bench, first.cursor)
    assert keys(second) == [DAY]
    assert first.run_requests[0].run_key != second.run_requests[0].run_key


def test_an_older_file_that_is_put_back_is_a_delivery_again(bench):
    """Its name, size and time are those of the first: only its number tells the two apart."""
    path = bench.land(GOOD)
    older, newer = (
        path.rename(bench.root / "older.csv"),
        bench.land(BAD, age=timedelta(minutes=30)).rename(bench.root / "newer.csv"),
    )
    runs, cursor = [], None
    for delivered in (older, newer, older, newer, older):
        path.unlink(missing_ok=True)
        os.link(delivered, path)
        result = tick(bench, cursor)
        runs.append(result.run_requests[0].run_key)
        cursor = result.cursor
    assert len(set(runs)) == 5


def test_a_sensor_that_starts_again_from_its_cursor_asks_for_nothing_twice(bench):
    bench.land(GOOD)
    bench.land(csv(("NL", NEXT, 1)), NEXT)
    cursor = tick(bench).cursor
    assert set(json.loads(cursor)) == {DAY, NEXT}
    assert keys(tick(bench, cursor)) == []


def test_a_tick_that_is_repeated_asks_under_the_same_key(bench):
    """A tick that died before its cursor was kept is repeated, and its run is not launched twice."""
    bench.land(GOOD)
    assert tick(bench).run_requests[0].run_key == tick(bench).run_requests[0].run_key


def test_a_partition_of_the_future_waits_until_it_begins(bench):
    bench.land(GOOD)
    bench.land(csv(("NL", "2126-10-01", 1)), "2126-10-01")
    result = tick(bench)
    assert keys(result) == [DAY]
    waiting = tick(bench, result.cursor)
    assert "1 wait" in waiting.skip_message


def test_new_values_become_partitions_in_the_same_tick(bench):
    bench.contract = contract_of(BY_REGION)
    bench.instance.add_dynamic_partitions("cases", ["BE"])
    for region in ("BE", "NL", "DE"):
        bench.land(csv((region, DAY, 1)), region)
    result = tick(bench)
    assert keys(result) == ["BE", "DE", "NL"]
    (request,) = result.dynamic_partitions_requests
    assert sorted(request.partition_keys) == ["DE", "NL"]


STRANGE = [
    "<img src=x onerror=alert(1)>",
    "[a](b)",
    "a b",
    "*",
    "a|b,c",
    "Ünï",
    "'; DROP TABLE x",
    "${HOME}",
    "{partition}",
    "a" * 200,
]


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_folder_name_is_one_partition_like_any_other(bench, name):
    bench.contract = contract_of(BY_REGION)
    bench.land(csv(("NL", DAY, 1)), name)
    assert keys(tick(bench)) == [name]


@pytest.mark.parametrize("name", ["a...b", ".hidden", "_private", " outer", os.fsdecode(b"caf\xe9"), "2026-13-40"])
@pytest.mark.parametrize("text", [CASES, BY_REGION], ids=["daily", "by value"])
def test_a_folder_that_can_be_no_partition_stops_nothing(bench, text, name):
    """One bad folder must not keep the other deliveries waiting."""
    bench.contract = contract_of(text)
    good = DAY if text == CASES else "NL"
    bench.land(GOOD, good)
    bench.land(GOOD, name)
    assert set(keys(tick(bench))) <= {good, "2026-13-40"}
    assert good in keys(tick(bench))


def test_a_contract_without_partitions_runs_for_its_whole_delivery(bench):
    bench.contract = contract_of(WHOLE)
    bench.land(csv(("NL", DAY, 1)), None)
    result = tick(bench)
    assert keys(result) == [None]
    assert keys(tick(bench, result.cursor)) == []


def test_nothing_in_landing_is_a_reason_to_skip(bench):
    assert "nothing new has landed" in tick(bench).skip_message


def test_many_folders_are_found_in_one_tick_and_looked_at_once(bench):
    bench.contract = contract_of(BY_REGION)
    for number in range(100):
        bench.land(csv(("NL", DAY, 1)), f"r{number:03}")
    result = tick(bench)
    assert len(keys(result)) == 100
    assert keys(tick(bench, result.cursor)) == []


def test_a_value_partition_goes_all_the_way(bench):
    """From the tick to the table."""
    bench.contract = contract_of(BY_REGION)
    bench.land(csv(("NL", DAY, 1)), "NL")
    result = tick(bench)
    bench.instance.add_dynamic_partitions("cases", list(result.dynamic_partitions_requests[0].partition_keys))
    assert bench.run(partition="NL").success
    bench.land(csv(("NL", DAY, -1)), "NL")
    assert not bench.run(partition="NL").success
    assert len(bench.shown()) == 1


@pytest.mark.parametrize(
    "left",
    [
        "{",
        "null",
        "[]",
        "17",
        '"text"',
        '{"2026-10-01": 7}',
        '{"2026-10-01": "x#y"}',
        "[" * 100_000,
        "2026-10-01",
        "\x00",
    ],
    ids=lambda text: text[:12],
)
def test_a_sensor_outlives_a_damaged_cursor(bench, left):
    """It asks again for what lies there, says so, and what was published is published once."""
    bench.land(GOOD)
    first = tick(bench)
    assert bench.run().success
    again = tick(bench, left)
    assert keys(again) == [DAY]
    assert again.run_requests[0].run_key == first.run_requests[0].run_key, "Dagster starts no second run for it"
    assert keys(tick(bench, again.cursor)) == []
    assert bench.run().success
    assert bench.publications() == 1
