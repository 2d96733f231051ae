"""Real days the whole way: what was accepted before is published, and the published table is what the next day is compared with."""

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.environment import Environment
from contract_core.publication.submit import publish_judged, take_and_decide
from contract_core.validation.report import Outcome
from tests.examples.offering import SHARED
from tests.real_data.test_expected_verdicts import (
    AGAINST_THE_DAY_BEFORE,
    NOW_OF_THE_SETS,
    VERDICTS,
    baseline_of,
    contract_named,
    expected_breaches,
    missing_columns,
)

ITALY = SHARED / "italy_regions_march2020"
WRONG_DAY = "regioni-20200306-r0.csv"
pytestmark = pytest.mark.skipif(not ITALY.is_dir(), reason="the independent data sets are not beside the repository")


class House:
    """One environment to which days are offered, an hour apart."""

    def __init__(self, folder: Path) -> None:
        self.places, self.at = Environment.at(folder), NOW_OF_THE_SETS

    def judged(self, contract, path, partition):
        self.at += timedelta(hours=1)
        return take_and_decide(contract, collect_delivery(contract, [path], partition), self.places, self.at, self.at)

    def published(self, contract, path, partition):
        judged = self.judged(contract, path, partition)
        assert publish_judged(judged, self.places, self.at) is not None, judged.decision.reasons
        return judged


def breached(judged):
    return {finding.id: finding.breaches for finding in judged.report.findings if finding.outcome is Outcome.BREACHED}


def skipped(judged):
    return {finding.details["skipped"] for finding in judged.report.findings if "skipped" in finding.details}


@pytest.mark.parametrize("folder, stated", AGAINST_THE_DAY_BEFORE)
def test_a_day_is_judged_beside_the_published_day_before(folder, stated, tmp_path):
    house = House(tmp_path)
    before = house.published(*baseline_of(folder, stated))
    judged = house.judged(contract_named(stated["contract"]), folder / stated["file"], stated["partition"])
    assert (breached(judged), judged.decision.verdict.value) == (expected_breaches(stated), VERDICTS[stated["verdict"]])
    assert judged.report.learned.baseline == before.candidate.submission
    unjudged = {finding.reason for finding in judged.report.findings if finding.outcome is Outcome.UNJUDGED}
    assert unjudged == {f"the delivery has no column '{name}'" for name in missing_columns(stated)}


def test_the_numbers_that_stand_beside_the_wrong_regions_are_refused_and_the_mended_day_is_published(tmp_path):
    """[S4-022] Every promise about the day alone is kept: only what was published shows it."""
    house, contract = House(tmp_path), contract_named("ita_regions@1.0.0")
    house.published(contract, ITALY / "deliveries" / "regioni-20200305-r2.csv", "2020-03-05")
    wrong = house.judged(contract, ITALY / "deliveries" / WRONG_DAY, "2020-03-06")
    assert breached(wrong) == {
        "denominazione_regione.untrimmed": 1, "cumulative_collapse.history": 10, "stated_change.history": 17,
        "stated_change_widespread.history": 17,
    }  # fmt: skip
    assert wrong.decision.reasons == ("cumulative_collapse.history", "stated_change_widespread.history")
    assert skipped(wrong) == {1}
    mended = house.published(contract, ITALY / "deliveries" / "regioni-20200306-r4.csv", "2020-03-06")
    assert (breached(mended), skipped(mended)) == ({}, {0})


def test_polars_alone_counts_the_same_rows_of_that_day():
    before, now = (
        pl.read_csv(ITALY / "deliveries" / name, infer_schema=False).with_columns(
            pl.col("totale_casi", "nuovi_attualmente_positivi", "totale_attualmente_positivi").cast(pl.Int64)
        )
        for name in ("regioni-20200305-r2.csv", WRONG_DAY)
    )
    pairs = now.join(before, on="denominazione_regione", suffix="_before")
    change = pl.col("totale_attualmente_positivi") - pl.col("totale_attualmente_positivi_before")
    counts = pairs.select(
        collapsed=(pl.col("totale_casi") < 0.8 * pl.col("totale_casi_before")).sum(),
        otherwise=(pl.col("nuovi_attualmente_positivi") != change).sum(),
    )
    assert (len(pairs), counts.row(0)) == (20, (10, 17))
