"""The project that `init` writes, run: in this process, and with dg itself where that is installed."""

import importlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from contract_core.bootstrap.project import plan_project, write_project
from contract_core.environment import VARIABLES
from tests.assets.bench import failures, quiet_instance
from tests.commands import CASES

ROOT = Path(__file__).parents[2]
HAS_DG = importlib.util.find_spec("dagster_dg_cli") is not None
GROUP = importlib.metadata.entry_points(group="dagster_dg_cli.registry_modules")
with_dg = pytest.mark.skipif(not HAS_DG, reason="dagster-dg-cli is not installed: pip install 'contract-gate[dg]'")
listed = pytest.mark.skipif(
    "contract_assets" not in GROUP.names,
    reason="dg lists what is installed, and contract-gate runs from its sources here",
)
pytestmark = pytest.mark.filterwarnings("ignore:Parameter `include_sources`")  # Dagster's own call, in 1.13
Dg = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project around the example, in which one stands."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    folder = tmp_path / "shop"
    write_project(plan_project(folder))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def definitions(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.Definitions]:
    """What Dagster loads of the project."""
    monkeypatch.syspath_prepend(str(shop))
    yield importlib.import_module("gate_shop.definitions").defs()
    for name in [name for name in sys.modules if name.split(".")[0] == "gate_shop"]:
        del sys.modules[name]


@pytest.fixture
def told(shop: Path) -> Dg:
    """dg itself, in the project."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dagster_dg_cli.cli", *arguments]
        known = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
        quiet = {"DAGSTER_DISABLE_TELEMETRY": "yes", "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
        return subprocess.run(command, cwd=shop, env=known | quiet, capture_output=True, text=True, check=False)

    return run


def days(shop: Path) -> set[str]:
    """The days that consumers see."""
    return set(pl.read_delta(str(shop / "published/orders"))["day"].cast(pl.String))


def test_the_good_delivery_is_published_and_the_bad_one_refused(definitions: dg.Definitions, shop: Path) -> None:
    job = definitions.resolve_job_def("publish_orders")
    with quiet_instance() as instance:
        good = job.execute_in_process(partition_key="2026-01-05", instance=instance, raise_on_error=False)
        bad = job.execute_in_process(partition_key="2026-01-06", instance=instance, raise_on_error=False)
    assert (good.success, bad.success) == (True, False)
    assert failures(bad)[0].startswith("refused, the published table is as it was")
    assert days(shop) == {"2026-01-05"}


def test_a_run_takes_one_process(definitions: dg.Definitions) -> None:
    assert definitions.executor is dg.in_process_executor


def test_a_contract_that_is_added_is_loaded(shop: Path, definitions: dg.Definitions) -> None:
    (shop / "contracts/cases.yaml").write_text(CASES)
    again = dg.load_from_defs_folder(path_within_project=shop)
    assert again.resolve_asset_graph().has(dg.AssetKey(["published", "cases"]))


@with_dg
@pytest.mark.slow
def test_dg_accepts_the_project(told: Dg) -> None:
    assert told("check", "defs").stdout.endswith(
        "All component YAML validated successfully.\nAll definitions loaded successfully.\n"
    )


@with_dg
@pytest.mark.slow
def test_dg_lists_what_the_component_makes(told: Dg) -> None:
    found = json.loads(told("list", "defs", "--json").stdout)
    assert {"publish_orders", "recheck_orders", "watch_orders"} <= {job["name"] for job in found["jobs"]}
    assert "published/orders" in {asset["asset_key"] for asset in found["assets"]}


@with_dg
@pytest.mark.slow
def test_dg_publishes_the_good_delivery_and_refuses_the_bad_one(told: Dg, shop: Path) -> None:
    good, bad = (told("launch", "--job", "publish_orders", "--partition", f"2026-01-0{day}") for day in (5, 6))
    assert (good.returncode, bad.returncode) == (0, 1), good.stderr
    assert "refused, the published table is as it was and still shows 2026-01-05" in bad.stderr
    assert days(shop) == {"2026-01-05"}


@with_dg
@pytest.mark.slow
def test_dg_tells_what_is_wrong_with_file_and_line(told: Dg, shop: Path) -> None:
    written = shop / "gate_shop/defs/gate/defs.yaml"
    written.write_text(written.read_text() + "  jobs: [publsh]\n")
    found = told("check", "yaml")
    assert found.returncode == 1
    assert f"{written}:5 - contract_assets.ContractGate attributes.jobs" in found.stdout


@with_dg
@listed
@pytest.mark.slow
def test_dg_lists_and_scaffolds_the_component(told: Dg, shop: Path) -> None:
    assert "contract_assets.ContractGate" in told("list", "components").stdout
    assert told("scaffold", "defs", "contract_assets.ContractGate", "returns").returncode == 0
    assert (shop / "gate_shop/defs/returns/contract.yaml").is_file()
    assert told("check", "defs").returncode == 0
