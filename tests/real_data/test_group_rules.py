"""Promises about groups on real days: what they catch that no single row shows, each verdict beside one of plain Polars.

That Lombardy had the most cases of all regions in March and April 2020 is a fact about those days; here it stands for what a
person who knows the subject would promise. It shows the day whose numbers stood beside the wrong regions.
"""

from datetime import UTC, datetime

import polars as pl
import pytest

from contract_core.contract.registry import read_contract
from tests.examples.offering import ROOT, SHARED, offer

CONTRACTS = ROOT / "tests" / "real_data" / "contracts"
ITALY, AUSTRIA = SHARED / "italy_regions_march2020", SHARED / "austria_timeline"
NOW = datetime(2023, 11, 4, tzinfo=UTC)
EVERY_REGION = {"name": "every_region", "by": ["data"], "sql": "count(DISTINCT denominazione_regione) = 21"}
MOST_CASES = {
    "name": "most_cases_in_lombardy",
    "by": ["data"],
    "sql": "max(totale_casi) FILTER (WHERE denominazione_regione = 'Lombardia') = max(totale_casi)",
}
DAYS = [
    pytest.param("2020-03-06", "20200306-r0", {"denominazione_regione.untrimmed": 1, "most_cases_in_lombardy.group": 1}, id="numbers beside the wrong regions"),
    pytest.param("2020-03-06", "20200306-r4", {}, id="the same day, mended"),
    pytest.param("2020-03-17", "20200317-r0", {"partition": 19, "every_region.group": 20, "most_cases_in_lombardy.group": 19}, id="dates filled by dragging"),
    pytest.param("2020-03-17", "20200317-r1", {}, id="the same day, mended too"),
    pytest.param("2020-03-24", "20200324-r0", {}, id="an ordinary day"),
]  # fmt: skip
TIMELINES = ("2021-12-13", "2021-12-29", "2022-01-03b", "2022-01-08")
needs_italy = pytest.mark.skipif(not ITALY.is_dir(), reason="the independent data sets are not beside the repository")
needs_austria = pytest.mark.skipif(
    not AUSTRIA.is_dir(), reason="the independent data sets are not beside the repository"
)


def italian():
    contract = read_contract(CONTRACTS / "ita_regions@1.0.0.yaml")
    groups = (
        type(contract)
        .model_validate(contract.model_dump(by_alias=True) | {"groups": (EVERY_REGION, MOST_CASES)})
        .groups
    )
    return contract.model_copy(update={"groups": groups, "history": ()})  # what one day shows by itself


def broken_by_hand(file):
    """How many days lack a region, and on how many another region than Lombardy has the most cases."""
    rows = pl.read_csv(file, infer_schema=False).with_columns(pl.col("totale_casi").cast(pl.Int64))
    lombardy = pl.col("totale_casi").filter(pl.col("denominazione_regione") == "Lombardia").max()
    days = rows.group_by("data").agg(
        regions=pl.col("denominazione_regione").n_unique(),
        leads=(lombardy == pl.col("totale_casi").max()).fill_null(False),
    )
    counts = {
        "every_region.group": days["regions"].ne(21).sum(),
        "most_cases_in_lombardy.group": days["leads"].not_().sum(),
    }
    return {name: count for name, count in counts.items() if count}


@needs_italy
@pytest.mark.parametrize("partition, name, expected", DAYS)
def test_days_whose_groups_do_not_hold_are_refused(partition, name, expected, tmp_path):
    file = ITALY / "deliveries" / f"regioni-{name}.csv"
    found = offer(italian(), [file], partition, tmp_path, NOW)
    assert found.breached == expected
    assert found.verdict == ("refuse" if expected else "publish")
    assert {rule: count for rule, count in expected.items() if rule.endswith(".group")} == broken_by_hand(file)


def austrian_by_hand(file):
    """On how many days the total is not the sum of the states, and on how many there are not ten entities."""
    rows = pl.read_csv(file, separator=";", infer_schema=False).with_columns(
        pl.col("BundeslandID", "AnzahlFaelle").cast(pl.Int64)
    )
    is_total = pl.col("BundeslandID") == 10
    total, states = (pl.col("AnzahlFaelle").filter(rows).sum() for rows in (is_total, ~is_total))
    days = rows.group_by("Time").agg(adds_up=total == states, entities=pl.col("BundeslandID").n_unique())
    return days.height, days["adds_up"].not_().sum(), days["entities"].ne(10).sum()


def group_findings(found):
    return {finding.id: finding for finding in found.report.findings if finding.rule == "group"}


@needs_austria
@pytest.mark.parametrize("name", TIMELINES)
def test_the_austrian_total_is_the_sum_of_its_states_on_every_day(name, tmp_path):
    file = AUSTRIA / "deliveries" / f"CovidFaelle_Timeline-{name}.csv"
    found = offer(read_contract(CONTRACTS / "austria_timeline@1.0.0.yaml"), [file], None, tmp_path, NOW)
    days, torn, short = austrian_by_hand(file)
    assert (found.verdict, torn, short) == ("publish", 0, 0)
    assert {finding.details["groups"] for finding in group_findings(found).values()} == {days}


@needs_austria
def test_one_more_case_in_one_state_breaks_one_day(tmp_path):
    file = AUSTRIA / "deliveries" / "CovidFaelle_Timeline-2022-01-08.csv"
    first, *lines = file.read_text("utf-8-sig").splitlines()
    time, state, number, people, cases, *rest = lines[3000].split(";")
    lines[3000] = ";".join((time, state, number, people, str(int(cases) + 1), *rest))
    changed = tmp_path / "changed.csv"
    changed.write_text("\n".join((first, *lines)) + "\n", "utf-8")
    found = offer(read_contract(CONTRACTS / "austria_timeline@1.0.0.yaml"), [changed], None, tmp_path, NOW)
    assert austrian_by_hand(changed)[1:] == (1, 0)
    assert found.breached == {"total_is_sum_of_states.group": 1}


@needs_austria
def test_a_row_that_is_lost_breaks_its_day_twice_over(tmp_path):
    file = AUSTRIA / "deliveries" / "CovidFaelle_Timeline-2022-01-08.csv"
    first, *lines = file.read_text("utf-8-sig").splitlines()
    changed = tmp_path / "changed.csv"
    changed.write_text("\n".join((first, *lines[:3000], *lines[3001:])) + "\n", "utf-8")
    found = offer(read_contract(CONTRACTS / "austria_timeline@1.0.0.yaml"), [changed], None, tmp_path, NOW)
    assert austrian_by_hand(changed)[1:] == (1, 1)
    assert found.breached == {"ten_entities_every_day.group": 1, "total_is_sum_of_states.group": 1}
