"""Ways around the gate through Dagster's own doors: each ends in a refusal, or in nothing published."""

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from contract_assets import assets as assets_module
from tests.assets.bench import BAD, CASES, DAY, GOOD, Bench, contract_of, failures, outcomes
from tests.assets.killed_runs import FOLDER, executed
from tests.assets.killed_runs import bench as lasting_bench
from tests.publication.unchanged import unchanged

ROOT = Path(__file__).parents[2]


def test_a_refused_run_that_is_executed_again_from_its_failure_is_refused_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And publishes once what was corrected meanwhile."""
    site = lasting_bench(tmp_path)
    monkeypatch.setenv(FOLDER, str(site.root))
    site.land(BAD)
    first = executed(tmp_path)
    assert not first.success
    again = executed(tmp_path, dg.ReexecutionOptions.from_failure(first.run_id, site.instance))
    assert not again.success
    assert not site.table.exists()
    site.land(GOOD)
    assert executed(tmp_path, dg.ReexecutionOptions.from_failure(first.run_id, site.instance)).success
    assert (len(site.shown()), site.publications()) == (2, 1)


@pytest.mark.parametrize("selected", ["published", "candidate"])
def test_checks_alone_publish_nothing(bench: Bench, selected: str) -> None:
    bench.take(BAD)
    selection = dg.AssetSelection.checks_for_assets(getattr(bench, selected))
    definitions = dg.Definitions(
        assets=bench.definitions.assets,
        jobs=[dg.define_asset_job("checks_alone", selection)],
        resources={"gate": bench.gate},
    )
    with pytest.raises((dg.DagsterInvalidDefinitionError, dg.DagsterInvalidSubsetError)):
        definitions.resolve_job_def("checks_alone")
    assert not bench.table.exists()


def test_the_publishing_step_alone_is_refused(bench: Bench) -> None:
    bench.take(BAD)
    job = bench.definitions.resolve_job_def("publish_cases")
    result = job.execute_in_process(
        partition_key=DAY, instance=bench.instance, raise_on_error=False, asset_selection=[bench.published]
    )
    assert "it was refused (n.range)" in failures(result)[0]
    assert not bench.table.exists()


def test_a_publication_that_was_only_reported_is_none(bench: Bench) -> None:
    """Nor does the next run believe it: neither of the table nor of its checks."""
    bench.take(BAD)
    bench.instance.report_runless_asset_event(dg.AssetMaterialization(bench.published, partition=DAY))
    bench.instance.report_runless_asset_event(dg.AssetObservation(bench.published, partition=DAY))
    for key in (bench.candidate, bench.published):
        for name in ("schema", "field_n", "reconciled"):
            bench.instance.report_runless_asset_event(
                dg.AssetCheckEvaluation(asset_key=key, check_name=name, passed=True, partition=DAY)
            )
    assert not bench.run(bench.published).success
    assert not bench.table.exists()
    assert bench.events() == ["decided"]


def test_what_dagster_forgets_opens_nothing_and_publishes_nothing_twice(bench: Bench) -> None:
    bench.take(BAD)
    bench.instance.wipe_assets([bench.candidate, bench.published])
    assert not bench.run(bench.published).success
    assert not bench.table.exists()
    assert bench.take(GOOD).success
    bench.instance.wipe_assets([bench.candidate, bench.published])
    assert bench.run(bench.published).success
    assert bench.publications() == 1


def test_another_code_location_with_a_looser_contract_cannot_publish_what_was_refused(bench: Bench) -> None:
    """The decision is about the contract too: the other location would have to judge the candidate itself."""
    bench.take(BAD)
    loose = Bench(bench.root, bench.instance, contract_of(CASES.replace("type: integer, min: 0", "type: integer")))
    assert not loose.run(loose.published).success
    assert not bench.table.exists()


def test_forged_tags_publish_nothing(bench: Bench) -> None:
    bench.take(BAD)
    forged = {"submission": "f" * 12, "contract": "cases", "dagster/max_retries": "9", "dagster/will_retry": "true"}
    assert not bench.run(bench.published, tags=forged).success
    assert not bench.table.exists()


def test_the_command_line_of_dagster_is_refused_too(bench: Bench) -> None:
    (bench.root / "contracts").mkdir(parents=True)
    (bench.root / "contracts/cases.yaml").write_text(CASES)
    bench.take(BAD)
    command = [
        sys.executable,
        "-m",
        "dagster",
        "asset",
        "materialize",
        "--select",
        "published/cases",
        "--partition",
        DAY,
    ]
    known = {name: value for name, value in os.environ.items() if not name.startswith(("CONTRACT_GATE_", "DAGSTER_"))}
    ended = subprocess.run(
        [*command, "-m", "contract_assets.definitions"],
        cwd=ROOT,
        env=known
        | {"CONTRACT_GATE_ROOT": str(bench.root), "PYTHONPATH": str(ROOT), "DAGSTER_DISABLE_TELEMETRY": "yes"},
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert ended.returncode != 0
    assert "it was refused (n.range)" in ended.stderr + ended.stdout
    assert not bench.table.exists()


def test_publications_of_one_table_share_a_pool(bench: Bench) -> None:
    """Which throttles; that it is no lock is why the commit decides."""
    pools = {
        asset.key.to_user_string(): asset.op.pool
        for asset in bench.definitions.assets
        if isinstance(asset, dg.AssetsDefinition)
    }
    assert pools == {"candidate/cases": None, "published/cases": "publish_cases"}


def test_a_refusal_that_cannot_be_told_is_not_launched_again_either(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it may not be retried is written before anything else of it is told."""

    def failing(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(assets_module, "observe", failing)
    bench.take(GOOD)
    with unchanged(bench.table):
        result = bench.take(BAD)
    assert not result.success
    assert outcomes(result)
    assert bench.instance.get_run_by_id(result.run_id).tags["dagster/max_retries"] == "0"
