"""What may be tried again and what may not, and what a crash leaves behind."""

import dagster as dg
import polars as pl
import pytest

from contract_assets import assets as assets_module
from contract_core.errors import Problem, PublicationConflictError
from contract_core.publication import submit
from tests.assets.bench import BAD, DAY, GOOD, MARKER, Bench, everything_told, failures, kinds, outcomes

RETRIED = dg.RetryPolicy(max_retries=2)


CRASHES = {
    "an error of Polars": pl.exceptions.ComputeError(f"conversion failed for {MARKER}"),
    "a panic of Polars": pl.exceptions.PanicException(f"called unwrap on {MARKER}"),
    "an error of Python": ValueError(f"invalid literal {MARKER}"),
}


@pytest.mark.parametrize("crash", CRASHES.values(), ids=CRASHES)
def test_a_validator_that_crashes_fails_every_check_with_its_reason_and_without_a_value(bench, monkeypatch, crash):
    """S1-063: the library's text may quote a row; nothing of it is in any event."""

    def crashing(*_: object) -> None:
        raise crash

    monkeypatch.setattr(submit, "validate", crashing)
    result = bench.take(GOOD)
    assert not result.success
    assert set(outcomes(result).values()) == {False}
    assert all(type(crash).__name__ in check.description for check in result.get_asset_check_evaluations())
    assert bench.materialized(bench.candidate) == set()
    assert not bench.run(bench.published).success
    assert not bench.table.exists()
    assert MARKER not in everything_told(bench.instance)


def test_nothing_in_landing_fails_every_check_and_says_so(bench):
    result = bench.run()
    assert not result.success
    assert set(outcomes(result).values()) == {False}
    assert "nothing has landed" in failures(result)[0]


def retried_job(bench: Bench) -> dg.JobDefinition:
    job = dg.define_asset_job(
        "retried", dg.AssetSelection.assets(bench.candidate, bench.published), op_retry_policy=RETRIED
    )
    definitions = dg.Definitions(assets=bench.definitions.assets, jobs=[job], resources={"gate": bench.gate})
    return definitions.resolve_job_def("retried")


def test_a_retry_policy_does_not_retry_a_refusal(bench):
    bench.land(BAD)
    result = retried_job(bench).execute_in_process(partition_key=DAY, instance=bench.instance, raise_on_error=False)
    assert kinds(result, "candidate__cases") == ["check", "failed"]
    assert bench.events() == ["decided"]


def test_a_step_that_is_tried_again_publishes_once(bench, monkeypatch):
    """The step dies after its commit, and the second attempt finds it."""
    bench.land(GOOD)
    told = assets_module.publish_latest
    attempts: list[int] = []

    def dying(*arguments: object) -> object:
        record = told(*arguments)
        attempts.append(1)
        if len(attempts) == 1:
            raise RuntimeError("killed after the commit")
        return record

    monkeypatch.setattr(assets_module, "publish_latest", dying)
    result = retried_job(bench).execute_in_process(partition_key=DAY, instance=bench.instance, raise_on_error=False)
    assert result.success
    assert len(attempts) == 2
    assert bench.publications() == 1
    assert kinds(result, "published__cases") == ["retried", "materialised", "check", "ended"]


def test_a_crashed_validation_may_be_tried_again(bench, monkeypatch):
    bench.land(GOOD)
    answered = submit.validate
    attempts: list[int] = []

    def shaky(*arguments: object) -> object:
        attempts.append(1)
        if len(attempts) == 1:
            raise MemoryError
        return answered(*arguments)

    monkeypatch.setattr(submit, "validate", shaky)
    result = retried_job(bench).execute_in_process(partition_key=DAY, instance=bench.instance, raise_on_error=False)
    assert result.success
    assert len(bench.shown()) == 2


def test_a_lost_race_may_be_tried_again_and_a_closed_gate_may_not(bench, monkeypatch):
    bench.land(GOOD)
    attempts: list[int] = []

    def losing(*_: object) -> None:
        attempts.append(1)
        raise PublicationConflictError(Problem("cases", "a rival won"))

    monkeypatch.setattr(assets_module, "publish_latest", losing)
    retried_job(bench).execute_in_process(partition_key=DAY, instance=bench.instance, raise_on_error=False)
    assert len(attempts) == 3
