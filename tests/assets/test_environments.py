"""Development, test, acceptance and production: other places and names, the same rules, on the command line and in Dagster."""

import os
import time
from dataclasses import replace
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from contract_assets.definitions import example_definitions
from contract_core.environment import FOLDERS, Environment
from contract_core.environment_file import read_environments
from contract_core.errors import WrongUsageError
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.ledger import Ledger
from tests.assets.bench import failures, quiet_instance
from tests.commands import BAD, CASES, GOOD, Run
from tests.examples.offering import ROOT

DAY, NEXT, AS_OF = "2026-10-01", "2026-10-02", "2026-10-02T09:00:00Z"
BAD_NEXT = BAD.replace(DAY, NEXT)
FILE = """\
environments:
  dev: {root: data, contracts: contracts}
  test: {root: elsewhere/test, contracts: contracts, catalog: tst}
  acceptance: {root: acceptance, contracts: own_copy, published: lake/acceptance, catalog: acc}
  production:
    root: gate
    contracts: contracts
    published: lake/production
    catalog: prod
    identities: {readers: analysts}
"""
NAMES = ("dev", "test", "acceptance", "production")
pytestmark = pytest.mark.filterwarnings("ignore:Parameter `include_sources`")  # Dagster's own call, in 1.13


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four environments, named in one file; production is chosen."""
    path = tmp_path / "etc/environments.yaml"
    for name in ("contracts", "own_copy"):
        (path.parent / name).mkdir(parents=True)
        (path.parent / name / "cases.yaml").write_text(CASES)
    path.write_text(FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONTRACT_GATE_CONFIG", str(path))
    monkeypatch.setenv("CONTRACT_GATE_ENV", "production")
    return path


@pytest.fixture
def instance():
    with quiet_instance() as instance:
        yield instance


def land(environment: Environment, text: str = GOOD, partition: str = DAY) -> Path:
    """A delivery that lies in landing and holds still."""
    path = environment.landing / "cases" / partition / "cases.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - 3600,) * 2)
    return path


def recorded(environment: Environment) -> list[LedgerEntry]:
    """What the ledger says, without the moments at which it was said, what it cost and the number of the commit in which it stands."""
    entries = Ledger(environment.ledger).entries()
    moments = {"as_of": None, "at": None, "received_at": None}
    return [replace(entry, **moments, effort={}, identity="") for entry in entries]


def rows_of(environment: Environment) -> list[tuple]:
    return sorted(pl.read_delta(str(environment.published / "cases")).rows())


def publish_with_dagster(instance: dg.DagsterInstance, partition: str) -> dg.ExecuteInProcessResult:
    job = example_definitions().resolve_job_def("publish_cases")
    return job.execute_in_process(partition_key=partition, instance=instance, raise_on_error=False)


def watched_definitions() -> dg.Definitions:
    """The assets that automation looks at."""
    whole = example_definitions()
    assets = [asset for asset in whole.assets or () if isinstance(asset, dg.AssetsDefinition)]
    return dg.Definitions(assets=assets, resources=whole.resources)


def checks_told(instance: dg.DagsterInstance, result: dg.ExecuteInProcessResult) -> set[str]:
    """The assets whose checks a run has answered, those of other steps included."""
    events = [entry.dagster_event for entry in instance.all_logs(result.run_id) if entry.dagster_event is not None]
    told = [event for event in events if event.event_type_value == "ASSET_CHECK_EVALUATION"]
    return {event.asset_check_evaluation_data.asset_key.to_user_string() for event in told}


def test_one_contract_gives_one_answer_in_every_environment(
    run: Run, file: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1-080: the same digest, submission, findings and verdict; what is published is the same, and only places differ."""
    environments = read_environments(file)
    assert tuple(environments) == NAMES
    for name, environment in environments.items():
        monkeypatch.setenv("CONTRACT_GATE_ENV", name)
        for text, partition, code in ((GOOD, DAY, 0), (BAD_NEXT, NEXT, 1)):
            offer = ("cases", land(environment, text, partition), "--partition", partition, "--as-of", AS_OF)
            assert run("publish", *offer)[0] == code
    ledgers = [recorded(environment) for environment in environments.values()]
    assert [entry.event.value for entry in ledgers[0]] == ["decided", "published", "decided"]
    assert all(ledger == ledgers[0] for ledger in ledgers)
    tables = [rows_of(environment) for environment in environments.values()]
    assert len(tables[0]) == 2
    assert all(table == tables[0] for table in tables)
    _only_places_differ(environments)

    again = replace(
        environments["test"], ledger=file.parent / "ledger_of_dagster", published=file.parent / "by_dagster"
    )
    monkeypatch.setenv("CONTRACT_GATE_ENV", "test")
    monkeypatch.setenv("CONTRACT_GATE_LEDGER", str(again.ledger))
    monkeypatch.setenv("CONTRACT_GATE_PUBLISHED", str(again.published))
    assert [publish_with_dagster(instance, day).success for day in (DAY, NEXT)] == [True, False]
    assert rows_of(again) == tables[0]
    assert [_verdict(entry) for entry in recorded(again)] == [_verdict(entry) for entry in ledgers[0]]


def _only_places_differ(environments: dict[str, Environment]) -> None:
    """The whole difference between environments is in these fields, and no two share a place that the gate writes."""
    placeless = dict.fromkeys(FOLDERS, Path()) | dict.fromkeys(("name", "catalog", "publisher", "readers"))
    assert len({replace(environment, **placeless) for environment in environments.values()}) == 1
    assert len({environment.ledger for environment in environments.values()}) == len(environments)


def _verdict(entry: LedgerEntry) -> tuple[object, ...]:
    return entry.contract_digest, entry.submission, entry.verdict, entry.event, entry.breached, dict(entry.counts)


def test_the_catalogue_stands_before_every_key(file: Path) -> None:
    """S1-080: names of a catalogue come from configuration."""
    definitions = example_definitions()
    dg.Definitions.validate_loadable(definitions)
    graph = definitions.resolve_asset_graph()
    keys = {key.to_user_string() for key in graph.get_all_asset_keys()}
    assert keys == {"prod/landing/cases", "prod/candidate/cases", "prod/published/cases"}
    assert {key.asset_key.to_user_string() for key in graph.asset_check_keys} == {
        "prod/candidate/cases",
        "prod/published/cases",
    }
    assert {
        parent.to_user_string() for parent in graph.get(dg.AssetKey(["prod", "published", "cases"])).parent_keys
    } == {"prod/candidate/cases"}


def test_an_environment_without_a_catalogue_has_the_same_keys_without_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTRACT_GATE_ENV", "dev")
    keys = {key.to_user_string() for key in example_definitions().resolve_asset_graph().get_all_asset_keys()}
    assert keys == {"landing/cases", "candidate/cases", "published/cases"}


def test_the_shipped_definitions_load_under_a_catalogue(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTRACT_GATE_CONTRACTS", str(ROOT / "data/contracts"))
    definitions = example_definitions()
    dg.Definitions.validate_loadable(definitions)
    graph = definitions.resolve_asset_graph()
    assert {key.path[0] for key in graph.get_all_asset_keys()} == {"prod"}
    report = graph.get(dg.AssetKey(["prod", "report", "run_durations"]))
    assert report.parent_keys == {dg.AssetKey(["prod", "published", "run_durations"])}


def test_a_partition_goes_all_the_way_under_a_catalogue(file: Path, instance: dg.DagsterInstance) -> None:
    """S1-080: sensor, run, checks, automation and recheck speak of the same assets."""
    production = read_environments(file)["production"]
    candidate, published = (dg.AssetKey(["prod", layer, "cases"]) for layer in ("candidate", "published"))
    land(production)
    definitions = example_definitions()
    [sensor] = definitions.sensors
    told = sensor(dg.build_sensor_context(instance=instance, resources={"gate": definitions.resources["gate"]}))
    assert [request.partition_key for request in told.run_requests] == [DAY]
    assert [event.asset_key.to_user_string() for event in told.asset_events] == ["prod/landing/cases"]

    result = publish_with_dagster(instance, DAY)
    assert result.success, failures(result)
    assert instance.get_materialized_partitions(candidate) == instance.get_materialized_partitions(published) == {DAY}
    checks = result.get_asset_check_evaluations()
    assert {check.asset_key for check in checks} == {candidate, published}
    assert all(check.passed for check in checks)
    assert len(pl.read_delta(str(file.parent / "lake/production/cases"))) == 2

    job = definitions.resolve_job_def("recheck_cases")
    again = job.execute_in_process(partition_key=DAY, instance=instance)
    assert {check.asset_key for check in again.get_asset_check_evaluations()} == {candidate, published}


def test_a_refusal_is_told_under_the_catalogue_and_nothing_follows_it(file: Path, instance: dg.DagsterInstance) -> None:
    land(read_environments(file)["production"], BAD_NEXT, NEXT)
    watched = watched_definitions()
    first = dg.evaluate_automation_conditions(watched, instance=instance)
    result = publish_with_dagster(instance, NEXT)
    assert not result.success
    assert checks_told(instance, result) == {"prod/candidate/cases", "prod/published/cases"}
    after = dg.evaluate_automation_conditions(watched, instance=instance, cursor=first.cursor)
    assert after.total_requested == 0


def test_automation_publishes_an_accepted_candidate_under_the_catalogue(
    file: Path, instance: dg.DagsterInstance
) -> None:
    land(read_environments(file)["production"])
    watched = watched_definitions()
    first = dg.evaluate_automation_conditions(watched, instance=instance)
    candidate, published = (dg.AssetKey(["prod", layer, "cases"]) for layer in ("candidate", "published"))
    dg.materialize(
        watched.assets, selection=[candidate], partition_key=DAY, instance=instance, resources=watched.resources
    )
    after = dg.evaluate_automation_conditions(watched, instance=instance, cursor=first.cursor)
    assert after.get_requested_partitions(published) == {DAY}


def test_another_user_does_not_publish_with_dagster_either(file: Path, instance: dg.DagsterInstance) -> None:
    """S1-112: the step that publishes asks who it runs as; the candidate is judged all the same."""
    file.write_text(FILE.replace("{readers: analysts}", "{publisher: no_such_user}"))
    production = read_environments(file)["production"]
    land(production)
    result = publish_with_dagster(instance, DAY)
    [why] = failures(result)
    assert why.startswith("environment 'production': is published to by user 'no_such_user'")
    assert instance.get_materialized_partitions(dg.AssetKey(["prod", "candidate", "cases"])) == {DAY}
    assert not production.published.exists()


def test_definitions_do_not_load_under_a_setting_that_means_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1-081"""
    file.write_text(FILE.replace("catalog: prod", "skip_checks: true"))
    with pytest.raises(WrongUsageError, match="'skip_checks' is no attribute of 'environments"):
        example_definitions()
