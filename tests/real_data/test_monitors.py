"""Monitors on real days in the order in which they happened: what they tell of known incidents, and that good days raise no alarm.

What they cannot tell stands here too: numbers that stand beside the wrong regions have the same mean, quantiles and count.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.publication.submit import Judged, publish_judged, take_and_decide
from contract_core.validation.report import Finding, Outcome
from tests.examples.offering import ROOT, SHARED

CONTRACTS = ROOT / "tests" / "real_data" / "contracts"
NOW = datetime(2023, 11, 4, tzinfo=UTC)
ITALY, SHOP, AUSTRIA = (
    SHARED / name for name in ("italy_regions_march2020", "online_retail_dec2010", "austria_timeline")
)
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the independent data sets are not beside the repository")
OF_ITALY = """\
monitors:
  volume: {max_change: 0%, min_history: 1}
  fields:
    lat: {mean_change: 1%, quantiles_change: 10%, null_rate: 0%, min_history: 1}
    long: {mean_change: 1%, quantiles_change: 10%, min_history: 1}
    data: {distinct_change: 0%, min_history: 1}
    totale_casi: {mean_change: 900%, min_history: 1}
    stato: {shares: 0%, min_history: 1}
"""
ITALIAN = ["0305-r2", "0306-r0", "0306-r1", "0306-r4", "0309-r0", "0310-r0", "0316-r0", "0317-r0", "0317-r1", "0323-r0", "0324-r0"]  # fmt: skip
OF_THE_SHOP = """\
monitors:
  volume: {max_change: 50%, min_history: 3}
  fields: {CustomerID: {null_rate: 5%, max_deviation: 6, min_history: 3}}
"""
DAYS = ["2010-12-01", "2010-12-02", "2010-12-03", "2010-12-05", "2010-12-22", "2010-12-23", "2011-01-04"]
OF_AUSTRIA = """\
monitors:
  volume: {max_change: 10%, min_history: 1}
  fields: {AnzahlFaelle: {mean_change: 20%, quantiles_change: 20%, null_rate: 1%, min_history: 1}, Bundesland: {distinct_change: 0%, min_history: 1}}
"""
TIMELINES = ("2021-12-13", "2021-12-29", "2022-01-03b", "2022-01-08")


def watched(name: str, monitors: str) -> Contract:
    """A contract of the sets with monitors beside its own promises about single deliveries."""
    contract = parse_contract((CONTRACTS / f"{name}.yaml").read_text("utf-8") + monitors, name)
    return contract.model_copy(update={"history": ()})


def taken(contract: Contract, deliveries: list[tuple[Path, str | None]], root: Path) -> list[Judged]:
    """The deliveries one after another, each published where it is accepted."""
    environment, found = Environment.at(root), []
    for place, (path, partition) in enumerate(deliveries):
        at = NOW + timedelta(minutes=place)
        judged = take_and_decide(contract, collect_delivery(contract, [path], partition), environment, at, at)
        publish_judged(judged, environment, at)
        found.append(judged)
    return found


def monitors_of(judged: Judged) -> list[Finding]:
    return [finding for finding in judged.report.findings if finding.rule in ("volume", "drift")]


def told(judged: Judged) -> set[str]:
    """What the monitors say is unlike the days before."""
    return {finding.id for finding in monitors_of(judged) if finding.outcome is Outcome.BREACHED}


def test_the_regions_of_italy(tmp_path: Path) -> None:
    """[S4-022] Coordinates that lost their decimal point, and dates filled by dragging, are told; no good day is."""
    files = [(ITALY / "deliveries" / f"regioni-2020{name}.csv", f"2020-{name[:2]}-{name[2:4]}") for name in ITALIAN]
    found = dict(zip(ITALIAN, taken(watched("ita_regions@1.0.0", OF_ITALY), files, tmp_path), strict=True))
    coordinates = {f"{name}.drift.{measure}" for name in ("lat", "long") for measure in ("mean", "quantiles")}
    assert {name: alarms for name, judged in found.items() if (alarms := told(judged))} == {
        "0306-r1": coordinates,
        "0317-r0": {"data.drift.distinct"},
    }
    assert {finding.details["partitions"] for finding in monitors_of(found["0324-r0"])} == {7}


def test_numbers_beside_the_wrong_regions_are_not_seen_by_any_aggregate(tmp_path: Path) -> None:
    """Promises about groups and history are for those."""
    files = [
        (ITALY / "deliveries" / f"regioni-2020{name}.csv", f"2020-03-{name[2:4]}") for name in ("0305-r2", "0306-r0")
    ]
    _, wrong = taken(watched("ita_regions@1.0.0", OF_ITALY), files, tmp_path)
    assert (wrong.is_accepted, told(wrong)) == (True, set())


def test_the_order_lines_of_a_shop_before_christmas(tmp_path: Path) -> None:
    """[S4-022] The days before the closure are told, by hand as here; a share of nulls that always jumps raises no alarm."""
    files = [(SHOP / "deliveries" / f"{day}.csv", day) for day in DAYS]
    found = taken(watched("order_lines@1.0.0", OF_THE_SHOP), files, tmp_path)
    rows = [pl.read_csv(file, infer_schema=False).height for file, _ in files]
    medians = [pl.Series(rows[:place]).median() for place in range(3, 7)]
    by_hand = {
        day for day, now, middle in zip(DAYS[3:], rows[3:], medians, strict=True) if abs(now - middle) > middle / 2
    }
    assert (
        {day for day, judged in zip(DAYS, found, strict=True) if told(judged)}
        == by_hand
        == {"2010-12-22", "2010-12-23"}
    )
    assert {name for judged in found for name in told(judged)} == {"volume"}
    assert all(judged.is_accepted for judged in found)


def test_without_a_deviation_that_share_of_nulls_would_be_told(tmp_path: Path) -> None:
    files = [(SHOP / "deliveries" / f"{day}.csv", day) for day in DAYS[:4]]
    *_, last = taken(watched("order_lines@1.0.0", OF_THE_SHOP.replace(" max_deviation: 6,", "")), files, tmp_path)
    assert told(last) == {"CustomerID.drift.null_rate"}


def test_a_timeline_that_restates_itself(tmp_path: Path) -> None:
    """[S4-022] Each delivery is compared with the publications before it, and one that lost half of its rows is told."""
    files = [(AUSTRIA / "deliveries" / f"CovidFaelle_Timeline-{name}.csv", None) for name in TIMELINES]
    torn = tmp_path / "torn.csv"
    first, *lines = files[-1][0].read_text("utf-8-sig").splitlines()
    torn.write_text("\n".join([first, *lines[: len(lines) // 2]]) + "\n", "utf-8")
    *good, half = taken(watched("austria_timeline@1.0.0", OF_AUSTRIA), [*files, (torn, None)], tmp_path)
    assert [told(judged) for judged in good] == [set()] * 4
    assert {finding.details["partitions"] for finding in monitors_of(half)} == {4}
    assert "volume" in told(half)
