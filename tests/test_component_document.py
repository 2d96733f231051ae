"""What the page on the component shows is what happens."""

import re
from pathlib import Path
from typing import get_args

import dagster as dg
import pytest

from contract_assets import ContractGate
from contract_assets.code_location import Job, Schedule, Sensor
from contract_assets.component import FirstContract
from contract_core.bootstrap.project import plan_project, write_project
from tests.commands import Run

PAGE = (Path(__file__).parents[1] / "docs/component.md").read_text("utf-8")
[CONSOLE] = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGE, re.DOTALL)
COMPONENTS = re.findall(r"```yaml\n(type: .*?)```", PAGE, re.DOTALL)
[PYTHON] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE, re.MULTILINE)
pytestmark = pytest.mark.filterwarnings("ignore:Parameter `include_sources`")  # Dagster's own call, in 1.13


@pytest.fixture
def page(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """The project of the page, whose only component is still to be written; each under a name of its own, since modules are kept."""
    folder = tmp_path / f"page_{abs(hash(request.node.name))}"
    write_project(plan_project(folder))
    (folder / "environments.yaml").write_text("environments: {dev: {root: .}, production: {root: elsewhere}}")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    [gate] = folder.glob("*/defs/gate")
    (gate / "defs.yaml").unlink()
    (gate / "contract.yaml").write_text((folder / "contracts/orders.yaml").read_text())
    return gate


def test_init_writes_what_the_page_lists(run: Run) -> None:
    command, expected = CONSOLE
    assert run(*command.split()[1:]) == (0, expected, "")


@pytest.mark.parametrize("text", COMPONENTS, ids=["scaffolded", "started by what lands", "an environment"])
def test_every_component_of_the_page_loads(page: Path, text: str) -> None:
    (page / "defs.yaml").write_text(text)
    definitions = dg.load_from_defs_folder(path_within_project=page)
    assert definitions.resolve_asset_graph().has(dg.AssetKey(["published", "orders"]))


def test_the_scaffold_of_the_page_is_what_is_scaffolded(tmp_path: Path) -> None:
    FirstContract().scaffold(dg.ScaffoldRequest("contract_assets.ContractGate", tmp_path, "yaml", None, None))
    assert (tmp_path / "defs.yaml").read_text().strip() == COMPONENTS[0].strip()


def test_the_component_in_python_loads(page: Path) -> None:
    (page / "component.py").write_text(PYTHON)
    definitions = dg.load_from_defs_folder(path_within_project=page)
    assert {job.name for job in definitions.jobs or ()} == {"publish_orders", "recheck_orders"}


def test_the_page_tells_every_attribute() -> None:
    assert [name for name, _ in ROWS] == list(ContractGate.model().model_json_schema()["properties"])


@pytest.mark.parametrize(("attribute", "words"), [("jobs", Job), ("schedules", Schedule), ("sensors", Sensor)])
def test_the_page_tells_every_word_that_an_attribute_takes(attribute: str, words: object) -> None:
    assert [word for word in get_args(words) if f"`{word}`" not in dict(ROWS)[attribute]] == []


def test_an_error_reads_as_the_page_says(page: Path) -> None:
    text = 'type: contract_assets.ContractGate\nattributes:\n  root: "{{ context.project_root }}"\n\n  jobs: [watch]\n  sensors: [landed]\n'
    (page / "defs.yaml").write_text(text)
    with pytest.raises(Exception, match="Error while") as raised:
        dg.load_from_defs_folder(path_within_project=page)
    [shown] = re.findall(r"^    \S+(/defs.yaml:6:3.*\n).*?(add publish.*\n)", PAGE, re.MULTILINE)
    assert f"{shown[0]}    {shown[1]}" in f"{raised.value.__cause__}\n"
