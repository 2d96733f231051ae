"""What consumers see, told by the published table's own checks: its age, and whether it is what the ledger says."""

from datetime import UTC, datetime, timedelta

import dagster as dg
import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from contract_assets import assets as assets_module
from contract_core.operations.reconciled import reconcile
from tests.assets.bench import BAD, BY_REGION, DAY, FRESH, GOOD, NEXT, WHOLE, contract_of, csv, failures, outcomes

EVENING = datetime(2026, 10, 2, 18, 0, tzinfo=UTC)


def last(bench, name: str, key: dg.AssetKey | None = None) -> dg.AssetCheckEvaluation:
    """The newest answer of a check, from whichever step it came."""
    check = dg.AssetCheckKey(key or bench.published, name)
    records = bench.instance.event_log_storage.get_asset_check_execution_history(check, limit=10)
    return next(
        record.event.dagster_event.asset_check_evaluation_data
        for record in records
        if record.event.dagster_event.event_specific_data and record.status.value != "PLANNED"
    )


def test_fresh_data_pass_and_old_ones_warn_without_stopping_anything(bench):
    """S4-022, S2-039: data time, not the time of the run."""
    bench.contract, bench.as_of = contract_of(FRESH), EVENING.isoformat()
    assert bench.take(GOOD).success
    told = last(bench, "freshness")
    assert (told.passed, told.metadata["newest"].value, told.metadata["age_hours"].value) == (True, DAY, 42.0)
    bench.as_of = (EVENING + timedelta(days=4)).isoformat()
    result = bench.run(bench.published)
    assert result.success
    told = last(bench, "freshness")
    assert (told.passed, told.severity, told.blocking) == (False, dg.AssetCheckSeverity.WARN, False)
    assert told.description == ("shows 2026-10-01, 5d 18h old; stale: at most 3d is promised")


def test_after_a_refusal_consumers_are_told_what_they_still_see(bench):
    """DESIGN 4: the published asset shows the last accepted partition, its age, and what was refused since."""
    bench.contract, bench.as_of = contract_of(FRESH), EVENING.isoformat()
    bench.take(GOOD)
    bench.take(csv(("NL", NEXT, -1)), NEXT)
    told = last(bench, "freshness")
    assert (told.partition, told.metadata["newest"].value, told.metadata["open_refusals"].value) == (NEXT, DAY, 1)
    assert told.metadata["refused"].records[0].data["broken"] == "n.range"
    assert last(bench, "reconciled").passed


@pytest.mark.parametrize(
    "text, partition",
    [(FRESH, DAY), (WHOLE, None), (BY_REGION, "NL")],
    ids=["daily", "whole", "by value"],
)
def test_a_foreign_write_is_seen(bench, text, partition):
    """S1-108: whoever writes beside the gate is found at the next look."""
    bench.contract = contract_of(text)
    if text == BY_REGION:
        bench.instance.add_dynamic_partitions("cases", ["NL"])
    assert bench.take(csv(("NL", DAY, 1)), partition).success
    assert reconcile(bench.contract, partition, bench.gate.environment()).differences == ()
    rows = pl.read_delta(str(bench.table))
    write_deltalake(bench.table, rows, mode="append")
    result = bench.run(bench.published, partition=partition)
    assert not result.success
    assert outcomes(result)["reconciled"] is False
    told = last(bench, "reconciled")
    assert told.description == "the table shows 2 rows, the ledger says 1"


def test_a_table_that_was_rolled_back_is_seen(bench):
    bench.take(GOOD)
    bench.take(csv(("NL", NEXT, 1)), NEXT)
    DeltaTable(bench.table).restore(0)
    found = reconcile(bench.contract, NEXT, bench.gate.environment())
    assert found.differences == ("the table shows 0 rows, the ledger says 1",)


def test_a_table_that_is_gone_is_seen(bench):
    import shutil

    bench.take(GOOD)
    shutil.rmtree(bench.table)
    assert len(reconcile(bench.contract, DAY, bench.gate.environment()).differences) == 2


def test_where_nothing_was_published_table_and_ledger_agree(bench):
    bench.take(BAD)
    assert reconcile(bench.contract, DAY, bench.gate.environment()).differences == ()


def test_a_refusal_whose_telling_fails_is_still_the_refusal(bench, monkeypatch):
    def failing(*_: object) -> None:
        raise ValueError("no")

    monkeypatch.setattr(assets_module, "published_check_results", failing)
    assert failures(bench.take(BAD))[0].startswith("refused")
