"""The example report: exact, only from a published day, and no observation is no mean (S2-026 to S2-029, S2-038, S2-039)."""

import json
import shutil
from fractions import Fraction

import dagster as dg
import polars as pl
import pytest

from contract_assets.examples.run_duration_report import (
    REPORT_KEY,
    RunDurationSummary,
    build_run_duration_report,
    summarise,
)
from contract_core.contract.registry import find_contract
from tests.assets.bench import failures
from tests.examples.offering import DATA
from tests.publication.unchanged import unchanged

DAYS = [f"2026-10-0{day}" for day in range(1, 7)]


@pytest.fixture
def bench(bench):
    bench.contract = find_contract("run_durations", DATA / "contracts")
    bench.as_of = "2026-10-07T09:00:00+00:00"
    shutil.copytree(DATA / "landing" / "run_durations", bench.root / "landing" / "run_durations")
    return bench


def report(bench, day: str, *, after_publication: bool = True) -> dg.ExecuteInProcessResult:
    if after_publication:
        bench.run(partition=day)
    return dg.materialize(
        [*bench.definitions.assets, build_run_duration_report(bench.contract)],
        selection=[REPORT_KEY],
        resources={"gate": bench.gate},
        partition_key=day,
        instance=bench.instance,
        raise_on_error=False,
    )


def told(result: dg.ExecuteInProcessResult) -> dict[str, object]:
    (event,) = result.asset_materializations_for_node("report__run_durations")
    return {name: value.value for name, value in event.metadata.items()}


@pytest.mark.parametrize(
    "durations, count, mean",
    [
        ([1200, 800], 2, Fraction(1000)),
        ([1200], 1, Fraction(1200)),
        ([], 0, None),
        ([0], 1, Fraction(0)),
        ([1, 1, 2], 3, Fraction(4, 3)),
        ([2**62, 2**62, 2**62], 3, Fraction(2**62)),
    ],
    ids=["S2-027", "S2-028", "S2-029", "a real zero", "S2-026 exact", "beyond 64 bits"],
)
def test_the_mean_is_exact_and_stands_beside_its_count(durations, count, mean):
    assert summarise(pl.Series(durations, dtype=pl.Int64)) == RunDurationSummary(count, mean)


@pytest.mark.parametrize(
    "day, executions, mean",
    [(DAYS[0], 2, "1000"), (DAYS[1], 1, "1200"), (DAYS[2], 0, "none: there were no executions")],
    ids=["S2-027 two runs", "S2-028 one worker had none", "S2-029 neither had any"],
)
def test_a_published_day_has_its_number_with_its_own_date(bench, day, executions, mean):
    shown = told(report(bench, day))
    assert (shown["day"], shown["executions"], shown["mean_ms"]) == (day, executions, mean)
    assert shown["published_at"] > 0
    assert shown["age_hours"] == 153.0 - 24 * DAYS.index(day)


@pytest.mark.parametrize("day", DAYS[3:], ids=["incomplete", "missing part", "repeated identity"])
def test_a_refused_day_has_no_number_and_not_that_of_another_day(bench, day):
    """S2-038, S2-039: the last good report stays what it was, under its own date."""
    first = told(report(bench, DAYS[0]))
    result = report(bench, day)
    assert "the day is not published" in failures(result)[0]
    assert bench.materialized(REPORT_KEY) == {DAYS[0]}
    assert told(report(bench, DAYS[0], after_publication=False)) == first


def test_a_number_carries_its_own_day_and_grows_old_under_it(bench):
    """[S2-039] A day later, with its successor refused, the last good number is still of its own day and a day older."""
    first = told(report(bench, DAYS[2]))
    bench.as_of = "2026-10-08T09:00:00+00:00"
    assert "the day is not published" in failures(report(bench, DAYS[3]))[0]
    later = told(report(bench, DAYS[2], after_publication=False))
    assert (first["day"], first["age_hours"]) == (DAYS[2], 105.0)
    assert later == first | {"age_hours": 129.0}
    assert bench.materialized(REPORT_KEY) == {DAYS[2]}


def test_a_corrected_number_is_that_of_the_correction_and_of_the_same_day(bench):
    """[S2-039] The report names the submission that it was calculated from."""
    before = told(report(bench, DAYS[0]))
    path = bench.root / "landing" / "run_durations" / DAYS[0] / "runs.json"
    document = json.loads(path.read_text())
    document["partitions"]["worker-a"]["rows"][0]["duration_ms"] += 2
    path.write_text(json.dumps(document))
    after = told(report(bench, DAYS[0]))
    assert (after["day"], after["age_hours"], after["mean_ms"]) == (before["day"], before["age_hours"], "1001")
    assert after["submission"] != before["submission"]


def test_a_day_that_lands_again_and_is_refused_keeps_its_accepted_number(bench):
    before = told(report(bench, DAYS[0]))
    path = bench.root / "landing" / "run_durations" / DAYS[0] / "runs.json"
    document = json.loads(path.read_text())
    document["unit"] = "s"
    path.write_text(json.dumps(document))
    with unchanged(bench.table):
        assert told(report(bench, DAYS[0])) == before
