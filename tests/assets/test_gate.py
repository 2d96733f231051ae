"""What a run tells Dagster, and every known way around the gate: each ends in a refusal, or in nothing published."""

from dataclasses import replace

import dagster as dg
import polars as pl
import pytest

from contract_assets import assets as assets_module
from contract_assets.definitions import build_definitions
from contract_assets.schedules import job_name
from tests.assets.bench import (
    BAD,
    BETTER,
    CASES,
    DAY,
    GOOD,
    NEXT,
    SUSPECT,
    Bench,
    contract_of,
    csv,
    failures,
    kinds,
    outcomes,
)
from tests.publication.unchanged import unchanged


def test_an_accepted_delivery_is_materialised_then_checked_then_published(bench):
    """S1-001: events in this order, else the results would not count as those of the new materialisation."""
    result = bench.take(GOOD)
    assert result.success
    assert kinds(result, "candidate__cases") == ["materialised", "check", "ended"]
    assert kinds(result, "published__cases") == ["materialised", "check", "ended"]
    assert all(outcomes(result).values())
    assert len(bench.shown()) == 2


def test_a_refused_delivery_is_checked_and_fails_without_a_materialisation(bench):
    """S1-050: red, told why, not retried, nothing materialised and nothing published."""
    result = bench.take(BAD)
    assert not result.success
    assert kinds(result, "candidate__cases") == ["check", "failed"]
    assert kinds(result, "published__cases") == []
    assert {name for name, passed in outcomes(result).items() if not passed} == {"field_n"}
    assert failures(result) == [
        "refused, the published table is as it was. broken: 'n' is at least 0; 1 of 2 rows breaks it"
    ]
    assert bench.materialized(bench.candidate) == bench.materialized(bench.published) == set()
    assert not bench.table.exists()


def test_a_refusal_leaves_the_published_table_byte_for_byte(bench):
    """S1-086: of the same partition and of another one."""
    bench.take(GOOD)
    with unchanged(bench.table):
        bench.take(BAD)
        bench.take(csv(("NL", DAY, -1)), NEXT)
    assert len(bench.shown()) == 2


def test_what_only_warns_is_published_and_its_check_is_not_blocking(bench):
    """S3-021, S1-055: severity decides, and the check says so."""
    result = bench.take(SUSPECT)
    assert result.success
    assert [name for name, passed in outcomes(result).items() if not passed] == ["warnings__row_rule_plausible"]
    warned = [check for check in result.get_asset_check_evaluations() if not check.passed]
    assert [(check.severity, check.blocking) for check in warned] == [(dg.AssetCheckSeverity.WARN, False)]
    assert len(bench.shown()) == 1


def test_a_later_run_of_the_publication_alone_is_refused_after_a_refusal(bench):
    """DAGSTER 2.6.1: the click on the failed partition, in a run of its own."""
    bench.take(BAD)
    for _ in range(2):
        result = bench.run(bench.published)
        assert not result.success
        assert "it was refused (n.range)" in failures(result)[0]
    assert not bench.table.exists()


def test_a_publication_before_any_candidate_is_refused(bench):
    result = bench.run(bench.published)
    assert "no decision was ever taken" in failures(result)[0]
    assert not bench.table.exists()


def test_another_partition_that_passed_opens_nothing(bench):
    bench.take(GOOD)
    with unchanged(bench.table):
        result = bench.run(bench.published, partition=NEXT)
    assert "no decision was ever taken" in failures(result)[0]


def grandchild(bench: Bench) -> dg.AssetsDefinition:
    @dg.asset(
        key=["report", "cases"],
        deps=[bench.published],
        partitions_def=dg.DailyPartitionsDefinition("2026-10-01", end_offset=1),
    )
    def report() -> None: ...

    return report


def test_candidate_and_grandchild_without_the_publication_publish_nothing(bench):
    """DAGSTER 2.6.3: leaving out the asset between them leaves out the publication itself."""
    bench.land(BAD)
    bench.run(bench.candidate)
    assets = [*bench.definitions.assets, grandchild(bench)]
    dg.materialize(
        assets,
        selection=[bench.candidate, dg.AssetKey(["report", "cases"])],
        resources={"gate": bench.gate},
        partition_key=DAY,
        instance=bench.instance,
        raise_on_error=False,
    )
    assert not bench.table.exists()


def test_a_job_without_checks_cannot_leave_the_gate_out(bench):
    """DAGSTER 2.6.2: a run that deselects the checks ends in an error or in the refusal, never in a publication."""
    bench.land(BAD)
    selection = dg.AssetSelection.assets(bench.candidate, bench.published).without_checks()
    job = dg.define_asset_job("without_checks", selection)
    definitions = dg.Definitions(assets=bench.definitions.assets, jobs=[job], resources={"gate": bench.gate})
    with pytest.raises(dg.DagsterInvalidDefinitionError):
        definitions.resolve_job_def("without_checks")
    whole = definitions.resolve_implicit_global_asset_job_def()
    with pytest.raises(dg.DagsterInvalidSubsetError):
        whole.get_subset(asset_selection={bench.candidate, bench.published}, asset_check_selection=set())
    assert not bench.table.exists()


def test_only_the_publication_without_its_checks_is_refused_or_publishes_nothing(bench):
    bench.take(BAD)
    whole = bench.definitions.resolve_implicit_global_asset_job_def()
    with pytest.raises(dg.DagsterInvalidSubsetError):
        whole.get_subset(asset_selection={bench.published}, asset_check_selection=set())
    assert not bench.table.exists()


def test_a_candidate_that_was_altered_after_its_acceptance_is_not_published(bench):
    """S1-060: what is published is what was judged."""
    bench.land(GOOD)
    assert bench.run(bench.candidate).success
    stored = next((bench.root / "candidates" / "cases").glob("*.parquet"))
    stored.chmod(0o644)
    pl.read_parquet(stored).with_columns(n=pl.lit(99, pl.Int64)).write_parquet(stored)
    result = bench.run(bench.published)
    assert "has other bytes than those that were taken" in failures(result)[0]
    assert not bench.table.exists()


def test_a_contract_that_changed_between_decision_and_publication_closes_the_gate(bench):
    """S2-035: a decision holds for the version it was taken under, and for its very words."""
    bench.land(GOOD)
    assert bench.run(bench.candidate).success
    for changed in (CASES.replace('"1.0.0"', '"1.1.0"'), CASES.replace("min: 0", "min: 1")):
        later = replace(bench, contract=contract_of(changed))
        result = later.run(later.published)
        assert "it was decided under contract version 1.0.0" in failures(result)[0]
    assert not bench.table.exists()


def test_a_candidate_that_was_only_reported_by_hand_is_not_published(bench):
    """The event log is not asked: anybody can write into it."""
    bench.take(BAD)
    specs = {
        spec.name: spec
        for asset in bench.definitions.assets
        if isinstance(asset, dg.AssetsDefinition)
        for spec in asset.check_specs
    }
    bench.instance.report_runless_asset_event(dg.AssetMaterialization(bench.candidate, partition=DAY))
    for name in specs:
        told = dg.AssetCheckEvaluation(asset_key=bench.candidate, check_name=name, passed=True, partition=DAY)
        bench.instance.report_runless_asset_event(told)
    result = bench.run(bench.published)
    assert "it was refused (n.range)" in failures(result)[0]
    assert not bench.table.exists()


def test_checks_that_yield_nothing_do_not_open_the_gate(bench, monkeypatch):
    """DAGSTER 2.6.5: in one run and in the next."""
    monkeypatch.setattr(assets_module, "check_results", lambda *_: iter(()))
    assert not bench.take(BAD).success
    assert not bench.run(bench.published).success
    assert not bench.table.exists()


def test_an_accepted_candidate_whose_checks_yield_nothing_stops_its_run(bench, monkeypatch):
    monkeypatch.setattr(assets_module, "check_results", lambda *_: iter(()))
    assert not bench.take(GOOD).success
    assert not bench.table.exists()


def test_a_good_day_that_lands_again_and_is_bad_leaves_what_was_accepted(bench):
    """S2-039: the accepted candidate stays, the table too; the publication does not fall back on it in silence."""
    bench.take(GOOD)
    with unchanged(bench.table):
        assert not bench.take(BAD).success
        assert not bench.run(bench.published).success
    assert len(bench.shown()) == 2


def test_a_bad_day_that_is_corrected_is_published(bench):
    bench.take(BAD)
    assert bench.take(BETTER).success
    assert len(bench.shown()) == 3
    assert bench.materialized(bench.published) == {DAY}


def test_a_correction_replaces_its_own_partition_alone(bench):
    bench.take(GOOD)
    bench.take(csv(("NL", NEXT, 1)), NEXT)
    assert bench.take(BETTER).success
    assert [row[2] for row in bench.shown()] == [4, 5, 3, 1]


def test_the_same_delivery_again_publishes_once(bench):
    """S1-066: a run that is repeated says so and writes nothing."""
    bench.take(GOOD)
    with unchanged(bench.table):
        result = bench.run()
    assert result.success
    told = result.asset_materializations_for_node("published__cases")[0].metadata
    assert told["already_published"].value is True
    assert bench.publications() == 1


def test_an_older_delivery_that_comes_back_replaces_nothing_and_is_not_shown_as_if_it_did(bench):
    bench.take(GOOD)
    bench.take(BETTER)
    with unchanged(bench.table):
        result = bench.take(GOOD)
    told = result.asset_materializations_for_node("published__cases")[0].metadata
    assert told["superseded"].value is True
    assert "since replaced" in told["outcome"].value
    assert "dagster/partition_row_count" not in told


def test_a_run_without_a_partition_is_refused(bench):
    """What the UI's "Execute all" would launch."""
    bench.land(GOOD)
    job = bench.definitions.resolve_job_def(job_name(bench.contract))
    with pytest.raises(Exception, match="partition"):
        job.execute_in_process(instance=bench.instance)
    assert not bench.table.exists()


def test_a_run_over_a_range_of_partitions_publishes_nothing(bench):
    """One run is one partition: a range is neither taken nor published."""
    bench.land(GOOD)
    ends = {"dagster/asset_partition_range_start": DAY, "dagster/asset_partition_range_end": NEXT}
    assert not bench.run(partition=None, tags=ends).success
    assert not bench.run(bench.published, partition=None, tags=ends).success
    assert not bench.table.exists()


def test_two_contracts_share_an_environment_and_nothing_else(bench):
    other = replace(bench, contract=contract_of(CASES.replace("contract: cases", "contract: others")))
    both = build_definitions([bench.contract, other.contract], bench.gate)
    bench.land(GOOD)
    other.land(BAD)
    for one in (bench, other):
        job = both.resolve_job_def(job_name(one.contract))
        job.execute_in_process(partition_key=DAY, instance=bench.instance, raise_on_error=False)
    assert bench.table.exists()
    assert not other.table.exists()
    assert failures(other.run(other.published)) != []
