"""Real batches of a benchmark, worker by worker: complete, empty, incomplete, missing and undeclared, as the log says."""

from decimal import Decimal

import polars as pl
import pytest

from tests.examples.offering import NOW, offer
from tests.real_data.benchmark_batches import batch_contract, expected_batches, write_batch

BATCHES = expected_batches()
REASONS = {
    "missing required worker": "coverage.missing",
    "incomplete worker": "completeness",
    "rows without any completion declaration": "completeness",
}
STATES = {"complete": "complete", "incomplete": "incomplete", "missing": "missing", "undeclared": "incomplete"}


def state_of(worker):
    is_empty = worker["state"] == "complete" and worker["rows"] == 0
    return "complete, empty" if is_empty else STATES[worker["state"]]


def offered(batch, tmp_path):
    folder = write_batch(batch["batch"], tmp_path / "delivered")
    return offer(batch_contract(batch["required_workers"]), [folder], batch["batch"], tmp_path, NOW)


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch["batch"])
def test_a_batch_is_refused_for_the_workers_that_are_missing_or_not_complete(batch, tmp_path):
    """S2-012 to S2-016 on real data: each reason with the number of workers that it stands for."""
    result = offered(batch, tmp_path)
    assert result.verdict == {"publish": "publish", "reject": "refuse"}[batch["verdict"]]
    assert result.breached == {REASONS[reason["reason"]]: len(reason["workers"]) for reason in batch["reasons"]}


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch["batch"])
def test_each_worker_has_the_state_that_its_log_and_rows_give_it(batch, tmp_path):
    """S2-016: finished without rows is not missing, and failed with rows is not complete."""
    result = offered(batch, tmp_path)
    assert result.parts == {name: state_of(worker) for name, worker in batch["workers"].items()}
    assert {part.name: part.rows or 0 for part in result.report.parts} == {
        name: worker["rows"] for name, worker in batch["workers"].items()
    }


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch["batch"])
def test_the_runs_of_a_batch_add_up_exactly(batch, tmp_path):
    """S2-026: a batch without runs has a count of 0, and nothing to take a mean of."""
    rows = offered(batch, tmp_path).rows
    texts = rows.select(pl.col("time_sec").cast(pl.String)).to_series().to_list()
    assert len(texts) == batch["summary"]["runs"]
    assert sum(map(Decimal, texts), Decimal()) == Decimal(batch["summary"]["sum_time_sec_exact"])
