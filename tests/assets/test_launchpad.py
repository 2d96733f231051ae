"""Whoever may launch a run may choose its partition, and nothing of what is judged, by which clock, or where it goes."""

import dagster as dg
import pytest

from contract_assets.assets import build_contract_assets
from contract_assets.resources import GateResource
from tests.assets.bench import BAD, DAY, GOOD, WHOLE, Bench, contract_of, failures, quiet_instance
from tests.publication.unchanged import unchanged

FIELDS = {
    "root": "/elsewhere",
    "environment_name": "other",
    "catalog": "other",
    "as_of": "2020-01-01T00:00:00+00:00",
}


@pytest.mark.parametrize("field", FIELDS)
def test_the_configuration_of_a_run_cannot_move_the_gate_or_its_clock(bench: Bench, field: str) -> None:
    """DAGSTER 2.6: as `resources: {gate: …}` in the launchpad, where the resource stands in anybody's definitions."""
    bench.land(GOOD)
    config = {"resources": {"gate": {"config": {field: FIELDS[field]}}}}
    with pytest.raises(dg.DagsterInvalidConfigError, match=field):
        bench.run(run_config=config)
    for name in ("publish_cases", "recheck_cases"):
        with pytest.raises(dg.DagsterInvalidConfigError, match=field):
            dg.validate_run_config(bench.definitions.resolve_job_def(name), config)
    assert bench.events() == []


def test_a_place_that_a_variable_names_is_read_when_the_run_begins(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = GateResource(root=dg.EnvVar("PLACE_OF_THE_GATE"), as_of=bench.as_of)
    assert gate.get_resource_definition() is gate.get_resource_definition()
    bench.land(GOOD)
    monkeypatch.setenv("PLACE_OF_THE_GATE", str(bench.root))
    assets = build_contract_assets(bench.contract)
    assert dg.materialize(assets, resources={"gate": gate}, partition_key=DAY, instance=bench.instance).success
    assert len(bench.shown()) == 2


def test_the_configuration_of_a_step_names_no_delivery(bench: Bench) -> None:
    """The candidate takes what has landed, whatever it is told; the publication knows its one question alone."""
    told = {"config": {"submission": "f" * 64, "path": "/elsewhere"}}
    with pytest.raises(dg.DagsterInvalidConfigError, match="submission"):
        dg.validate_run_config(bench.definitions.resolve_job_def("publish_cases"), {"ops": {"published__cases": told}})
    bench.land(BAD)
    assert not bench.run(run_config={"ops": {"candidate__cases": told}}).success
    assert not bench.table.exists()


@pytest.fixture
def retrying(tmp_path):
    """An instance that launches failed runs again, as an operator may have set it up for all others."""
    settings = {"run_retries": {"enabled": True, "max_retries": 3, "retry_on_asset_or_op_failure": True}}
    with dg.DagsterInstance.ephemeral(settings=settings) as instance:
        yield Bench(tmp_path, instance)


def is_launched_again(bench: Bench, result: dg.ExecuteInProcessResult) -> bool:
    """What Dagster's daemon would do with the run."""
    from dagster._daemon.auto_run_reexecution.auto_run_reexecution import should_retry

    return should_retry(bench.instance.get_run_by_id(result.run_id), bench.instance)


def test_a_refused_run_is_not_launched_again(retrying: Bench) -> None:
    """S1-050: neither the refusal, nor the publication alone after it, nor judging again."""
    refused = retrying.take(BAD)
    assert not refused.success
    assert not is_launched_again(retrying, refused)
    closed = retrying.run(retrying.published)
    assert "it was refused" in failures(closed)[0]
    assert not is_launched_again(retrying, closed)
    again = retrying.definitions.resolve_job_def("recheck_cases").execute_in_process(
        partition_key=DAY, instance=retrying.instance, raise_on_error=False
    )
    assert not again.success
    assert not is_launched_again(retrying, again)


def test_whoever_launches_a_run_cannot_ask_for_retries_of_a_refusal(retrying: Bench) -> None:
    retrying.land(BAD)
    assert not is_launched_again(retrying, retrying.run(tags={"dagster/max_retries": "5"}))


def test_a_crashed_run_is_launched_again_and_publishes_once(retrying: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from contract_core.publication import submit

    def crashing(*_: object) -> None:
        raise MemoryError

    retrying.land(GOOD)
    with monkeypatch.context() as patched:
        patched.setattr(submit, "validate", crashing)
        crashed = retrying.run()
    assert not crashed.success
    assert is_launched_again(retrying, crashed)
    assert retrying.run().success
    assert retrying.publications() == 1


def test_a_run_says_which_submission_of_which_contract_it_was_about(bench: Bench) -> None:
    """Also one that was started from the assets alone, whose job knows no contract."""
    for text in (GOOD, BAD):
        result = bench.take(text)
        tags = bench.instance.get_run_by_id(result.run_id).tags
        decided = bench.ledger.latest_decision("cases", DAY)
        assert (tags["contract"], tags["contract_version"]) == ("cases", "1.0.0")
        assert tags["submission"] == decided.submission[:12]


@pytest.mark.parametrize("text", [GOOD, BAD], ids=["accepted", "refused"])
def test_a_contract_without_partitions_shares_a_run_with_one_that_has_some(tmp_path, text: str) -> None:
    """The run has a partition, which is the other's alone: nothing of it stands in what is recorded and told."""
    with quiet_instance() as instance:
        daily = Bench(tmp_path, instance)
        whole = Bench(tmp_path, instance, contract_of(WHOLE.replace("contract: cases", "contract: whole")))
        daily.land(GOOD)
        whole.land(text, partition=None)
        result = dg.materialize(
            [asset for bench in (daily, whole) for asset in build_contract_assets(bench.contract)],
            resources={"gate": daily.gate},
            partition_key=DAY,
            instance=instance,
            raise_on_error=False,
        )
        assert result.success == (text == GOOD)
        assert len(daily.shown()) == 2
        assert whole.table.exists() == (text == GOOD)
        entries = whole.ledger.entries("whole")
        assert entries
        assert {entry.partition for entry in entries} == {None}
        told = [event for event in result.get_asset_check_evaluations() if "whole" in event.asset_key.path]
        assert told
        assert {event.partition for event in told} == {None}
        with unchanged(daily.table):
            assert whole.run(whole.published, partition=None).success == (text == GOOD)


def test_what_is_not_there_is_not_asked_for_again(retrying: Bench) -> None:
    result = retrying.run()
    assert "nothing has landed" in failures(result)[0]
    assert not is_launched_again(retrying, result)


def test_the_contract_is_that_of_the_definitions(bench: Bench) -> None:
    """A tag that a run is given says nothing to the gate."""
    bench.land(BAD)
    forged = {"contract": "other", "contract_version": "9.0.0", "submission": "f" * 12, "dagster/asset_partition": "x"}
    assert not bench.run(tags=forged).success
    assert not bench.table.exists()
