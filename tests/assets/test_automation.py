"""Declarative automation fails closed: only what passed, for this very partition and this very materialisation, is published."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from contract_assets import assets as assets_module
from tests.assets.bench import BAD, BETTER, DAY, GOOD, NEXT, WHOLE, Bench, contract_of, csv
from tests.assets.test_recheck import recheck

EVENING = datetime(2026, 10, 4, 20, 0, tzinfo=UTC)


pytestmark = pytest.mark.filterwarnings("ignore:Parameter `include_sources`")  # Dagster's own call, in 1.13


class Watched:
    """The automation of one environment, which has looked at it once and looks again whenever it is asked."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.cursor, self.looks = bench, None, 0
        self.requested()

    def requested(self) -> set[str | None]:
        """The partitions of the published table that it would run now; None stands for the whole."""
        assets = [asset for asset in self.bench.definitions.assets if isinstance(asset, dg.AssetsDefinition)]
        self.looks += 1
        told = dg.evaluate_automation_conditions(
            dg.Definitions(assets=assets, resources={"gate": self.bench.gate}),
            instance=self.bench.instance,
            evaluation_time=EVENING + timedelta(minutes=self.looks),
            cursor=self.cursor,
        )
        self.cursor = told.cursor
        if self.bench.contract.delivery.partition is None:
            return {None} if told.get_num_requested(self.bench.published) else set()
        return set(told.get_requested_partitions(self.bench.published))


@pytest.fixture
def watched(bench):
    return Watched(bench)


def take(bench: Bench, text: str, partition: str | None = DAY) -> dg.ExecuteInProcessResult:
    bench.land(text, partition)
    return bench.run(bench.candidate, partition=partition)


def test_a_candidate_that_passed_is_published(bench, watched):
    assert take(bench, GOOD).success
    assert watched.requested() == {DAY}


def test_a_refused_candidate_is_not(bench, watched):
    take(bench, BAD)
    assert watched.requested() == set()


def test_a_good_candidate_that_is_refused_when_it_lands_again_is_not(bench, watched):
    """DAGSTER 2.8: the old materialisation is there, and its checks are those of the bad delivery."""
    take(bench, GOOD)
    take(bench, BAD)
    assert watched.requested() == set()


def test_a_bad_candidate_that_is_corrected_is(bench, watched):
    take(bench, BAD)
    take(bench, BETTER)
    assert watched.requested() == {DAY}


def test_another_partition_that_passed_opens_nothing(bench, watched):
    """DAGSTER 2.4: the last result of some partition must not speak for all."""
    take(bench, csv(("NL", NEXT, 1)), NEXT)
    take(bench, BAD)
    assert watched.requested() == {NEXT}


def test_another_partition_that_was_refused_closes_nothing(bench, watched):
    take(bench, csv(("NL", NEXT, -1)), NEXT)
    take(bench, GOOD)
    assert watched.requested() == {DAY}


def test_a_candidate_whose_checks_raised_is_not(bench, watched, monkeypatch):
    def raising(*_: object) -> None:
        raise ValueError("no")

    monkeypatch.setattr(assets_module, "check_results", raising)
    take(bench, GOOD)
    assert watched.requested() == set()


def test_a_candidate_that_was_only_reported_by_hand_is_not(bench, watched):
    bench.instance.report_runless_asset_event(dg.AssetMaterialization(bench.candidate, partition=DAY))
    assert watched.requested() == set()


def test_a_candidate_that_only_warns_is(bench, watched):
    """DAGSTER 2.4: a warning is no blocking check, so automation does not stop where a run would not."""
    take(bench, csv(("NL", DAY, 5000)))
    assert watched.requested() == {DAY}


def test_a_candidate_that_was_judged_again_is_still_published(bench, watched):
    take(bench, GOOD)
    assert recheck(bench).success
    assert watched.requested() == {DAY}


@pytest.mark.parametrize(
    "text, wanted", [(csv(("NL", DAY, 1)), {None}), (csv(("NL", DAY, -1)), set())], ids=["passed", "refused"]
)
def test_a_contract_without_partitions_follows_the_same_rule(bench, text, wanted):
    whole = replace(bench, contract=contract_of(WHOLE))
    watched = Watched(whole)
    take(whole, text, None)
    assert watched.requested() == wanted


def test_a_publication_is_asked_for_once(bench, watched):
    take(bench, GOOD)
    assert watched.requested() == {DAY}
    bench.run(bench.published)
    assert watched.requested() == set()


def test_an_accepted_correction_of_an_old_day_is_published_too(bench, watched):
    """Plain `eager` looks at the newest partition alone, and a delivery comes after its day has ended."""
    bench.take(GOOD)
    watched.requested()
    take(bench, BETTER)
    assert watched.requested() == {DAY}
