"""The component: what stands in a defs.yaml becomes the definitions of its contracts, and what is wrong there is told with its line."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from dagster.components.component_scaffolding import scaffold_object
from jsonschema import Draft202012Validator

from contract_assets import ContractGate
from contract_core.contract.parsing import parse_contract
from tests.commands import CASES, GOOD

Load = Callable[..., dg.Definitions]
HERE = 'type: contract_assets.ContractGate\nattributes:\n  root: "{{ context.project_root }}"\n'
OF_DAGSTER = "default_automation_condition_sensor"
OTHER = CASES.replace("contract: cases", "contract: others").replace("cases/", "others/")
pytestmark = pytest.mark.filterwarnings("ignore:Parameter `include_sources`")  # Dagster's own call, in 1.13


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of dg with one contract in its folder and another beside a component."""
    for variable in ("ROOT", "ENV", "CONFIG", "CONTRACTS"):
        monkeypatch.delenv(f"CONTRACT_GATE_{variable}", raising=False)
    module = f"project_{abs(hash(tmp_path))}"
    text = f'[tool.dg]\ndirectory_type = "project"\n[tool.dg.project]\nroot_module = "{module}"\n'
    (tmp_path / "pyproject.toml").write_text(text)
    for folder in ("contracts", f"{module}/defs/gate", "etc"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / module / "__init__.py").touch()
    (tmp_path / "contracts/cases.yaml").write_text(CASES)
    (tmp_path / module / "defs/gate/others.yaml").write_text(OTHER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / module / "defs"
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        del sys.modules[name]


@pytest.fixture
def load(project: Path) -> Load:
    def loaded(text: str, **others: str) -> dg.Definitions:
        for name, written in {"gate": text, **others}.items():
            (project / name).mkdir(exist_ok=True)
            (project / name / "defs.yaml").write_text(written)
        return dg.load_from_defs_folder(path_within_project=project)

    return loaded


def complaint(load: Load, text: str, **others: str) -> str:
    """What is told of a defs.yaml that cannot be used, beside where it is told to Dagster."""
    with pytest.raises(Exception, match="Error while") as raised:
        load(text, **others)
    cause = raised.value
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return str(cause)


def keys(definitions: dg.Definitions) -> set[str]:
    return {key.to_user_string() for key in definitions.resolve_asset_graph().get_all_asset_keys()}


def jobs(definitions: dg.Definitions) -> set[str]:
    return {job.name for job in definitions.get_repository_def().get_all_jobs()} - {"__ASSET_JOB"}


def started(definitions: dg.Definitions) -> set[str]:
    repository = definitions.get_repository_def()
    return {item.name for item in (*repository.schedule_defs, *repository.sensor_defs)}


def test_a_root_is_enough(load: Load) -> None:
    definitions = load(HERE)
    assert keys(definitions) == {"landing/cases", "candidate/cases", "published/cases"}
    assert jobs(definitions) == {"publish_cases", "recheck_cases", "watch_cases", "metrics", "notify"}
    assert started(definitions) >= {"publish_cases_schedule", "landed_cases", "notify_schedule"}


def test_a_list_of_files_is_relative_to_the_component(load: Load) -> None:
    assert "published/others" in keys(load(HERE + "  contracts: [others.yaml, ../../../contracts/cases.yaml]\n"))


def test_a_folder_of_contracts_can_be_named(load: Load) -> None:
    assert "published/cases" in keys(load(HERE + '  contracts: "{{ context.project_root }}/contracts"\n'))


def test_two_components_of_one_environment_stand_side_by_side(load: Load) -> None:
    """Each has its own metrics and notify; one that takes the whole folder keeps the plain names."""
    definitions = load(HERE + "  contracts: [others.yaml]\n", whole=HERE)
    assert {"published/cases", "published/others"} <= keys(definitions)
    assert jobs(definitions) >= {"metrics", "notify", "metrics_gate", "notify_gate"}


def test_two_components_of_one_file_stand_side_by_side(load: Load) -> None:
    one = HERE + '  contracts: ["{{ context.project_root }}/contracts/cases.yaml"]\n'
    definitions = load(one + "---\n" + HERE + "  contracts: [others.yaml]\n")
    assert jobs(definitions) >= {"notify_gate", "notify_gate_1", "publish_cases", "publish_others"}


def test_a_component_may_stand_at_the_top(load: Load) -> None:
    definitions = load(HERE, **{".": HERE + "  contracts: [gate/others.yaml]\n"})
    assert jobs(definitions) >= {"publish_others", "notify"}


def test_python_can_build_it_without_a_project(tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(CASES)
    gate = ContractGate(contracts=[str(tmp_path / "cases.yaml")], root=str(tmp_path), jobs=["publish"])
    definitions = dg.build_defs_for_component(gate)
    assert jobs(definitions) == {"publish_cases"}


def test_a_contract_stands_in_one_file_of_a_list(load: Load, project: Path) -> None:
    (project / "gate/again.yaml").write_text(OTHER)
    found = complaint(load, HERE + "  contracts: [others.yaml, again.yaml]\n")
    assert (
        found
        == f"{project / 'gate/again.yaml'}: contract 'others' stands in another file of the list too\n    keep one"
    )


def test_a_catalogue_begins_every_key(load: Load) -> None:
    assert {key.split("/")[0] for key in keys(load(HERE + "  catalog: prod\n"))} == {"prod"}


def test_only_the_jobs_that_are_named_are_built_and_only_what_starts_them(load: Load) -> None:
    definitions = load(HERE + "  jobs: [recheck, watch]\n")
    assert jobs(definitions) == {"recheck_cases", "watch_cases"}
    assert started(definitions) == {"watch_cases_schedule", OF_DAGSTER}


def test_nothing_need_be_started(load: Load) -> None:
    definitions = load(HERE + "  schedules: []\n  sensors: []\n")
    assert jobs(definitions) >= {"publish_cases", "notify"}
    assert started(definitions) == {OF_DAGSTER}


def test_a_delivery_goes_all_the_way(load: Load, project: Path) -> None:
    delivery = Path("landing/cases/2026-10-01/cases.csv")
    delivery.parent.mkdir(parents=True)
    delivery.write_text(GOOD)
    job = load(HERE).resolve_job_def("publish_cases")
    assert job.execute_in_process(partition_key="2026-10-01").success
    assert Path("published/cases/_delta_log").is_dir()


def test_an_environment_is_chosen_by_its_name(load: Load) -> None:
    Path("environments.yaml").write_text("environments: {test: {root: ., catalog: tst}, dev: {root: elsewhere}}")
    definitions = load("type: contract_assets.ContractGate\nattributes: {environment: test}\n")
    assert keys(definitions) == {"tst/landing/cases", "tst/candidate/cases", "tst/published/cases"}


def test_without_attributes_the_variables_say_where(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTRACT_GATE_ROOT", ".")
    assert "published/cases" in keys(load("type: contract_assets.ContractGate\n"))


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ("  contracts: nowhere\n", ":4:3: contracts: no contract (*.yaml) lies in "),
        (
            "  catalog: a/b\n",
            ":4:3: catalog: cannot begin the key of an asset\n    write letters, digits, _ and - only",
        ),
        (
            "  jobs: [watch]\n  sensors: [landed]\n",
            ":5:3: sensors: starts the job 'publish', which is not built\n    add publish",
        ),
        ("  schedules: [watch]\n  jobs: [publish]\n", ":4:3: schedules: starts the job 'watch', which is not built"),
        ("  environment: prod\n", ":4:3: environment: is set, and no file says what environments there are"),
    ],
    ids=["no contract", "catalogue", "sensor without job", "schedule without job", "no environments"],
)
def test_what_is_wrong_is_told_with_its_line(load: Load, project: Path, attributes: str, told: str) -> None:
    assert f"{project / 'gate/defs.yaml'}{told}" in complaint(load, HERE + attributes)


def test_an_unknown_environment_is_told_where_it_is_named(load: Load) -> None:
    Path("environments.yaml").write_text("environments: {production: {root: .}}")
    found = complaint(load, "type: contract_assets.ContractGate\nattributes:\n  environment: prodution\n")
    assert "defs.yaml:3:3: environment: no environment 'prodution'; environments.yaml has production" in found
    assert "did you mean 'production'?" in found


def test_the_variable_and_the_attribute_must_not_disagree(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTRACT_GATE_ENV", "test")
    Path("environments.yaml").write_text("environments: {test: {root: a}, production: {root: .}}")
    found = complaint(load, "type: contract_assets.ContractGate\nattributes:\n  environment: production\n")
    assert "the definitions are written for 'production'" in found


def test_every_problem_of_every_listed_contract_is_told_at_once(load: Load, project: Path) -> None:
    (project / "gate/others.yaml").write_text(OTHER.replace("type: date", "type: dat"))
    found = complaint(load, HERE + "  contracts: [others.yaml, nothing.yaml]\n")
    assert "others.yaml:6:23: fields.day.type: 'dat' is no type" in found
    assert "nothing.yaml: the contract file cannot be read" in found


@pytest.mark.parametrize(
    ("attributes", "line"),
    [("  jobs: [publsh]\n", 4), ("  colour: red\n", 4)],
    ids=["no such job", "no such attribute"],
)
def test_what_the_schema_does_not_know_is_told_with_its_line(load: Load, attributes: str, line: int) -> None:
    assert f"gate/defs.yaml:{line}" in complaint(load, HERE + attributes)


def test_an_editor_knows_every_attribute() -> None:
    schema = ContractGate.model().model_json_schema()
    Draft202012Validator.check_schema(schema)
    known = {"contracts", "root", "environment", "catalog", "jobs", "schedules", "sensors", "candidates"}
    assert set(schema["properties"]) == known
    assert all(item["description"] for item in schema["properties"].values())
    assert '"recheck"' in json.dumps(schema["properties"]["jobs"])


def scaffolded(folder: Path) -> None:
    scaffold_object(folder, "contract_assets.ContractGate", None, "yaml", folder.parent)


def test_a_scaffold_loads_at_once(load: Load, project: Path) -> None:
    scaffolded(project / "returns")
    contract = parse_contract((project / "returns/contract.yaml").read_text(), "contract.yaml")
    assert contract.name == "returns"
    assert {"published/cases", "published/returns"} <= keys(load(HERE))


def test_a_scaffold_leaves_a_contract_that_is_there(project: Path) -> None:
    (project / "returns").mkdir()
    (project / "returns/contract.yaml").write_text(OTHER)
    scaffolded(project / "returns")
    assert (project / "returns/contract.yaml").read_text() == OTHER


def test_a_scaffold_can_be_added_to_a_file(load: Load, project: Path) -> None:
    (project / "gate/defs.yaml").write_text(HERE)
    scaffold_object(project / "gate/defs.yaml", "contract_assets.ContractGate", None, "yaml", project, append=True)
    assert {"published/cases", "published/gate"} <= keys(dg.load_from_defs_folder(path_within_project=project))


@pytest.mark.parametrize("name", ["1st", "été", "-"])
def test_a_scaffold_has_a_name_whatever_the_folder_is_called(project: Path, name: str) -> None:
    scaffolded(project / name)
    parse_contract((project / name / "contract.yaml").read_text(), "contract.yaml")


OWN = """\
import dagster as dg
import polars as pl
from datetime import date


@dg.asset(key=["shop", "cases"])
def cases() -> pl.DataFrame:
    return pl.DataFrame({"region": ["NL"], "day": [date(2026, 10, 1)], "count": [12]})


word = "no asset"
"""


@pytest.fixture
def own(project: Path) -> str:
    """A module of the user's own, and what a component says to have one of its assets as a candidate."""
    (project.parent / "mine.py").write_text(OWN)
    contract = project.parents[1] / "contracts/cases.yaml"
    contract.write_text(CASES.replace('path: "cases/{partition}/*.csv"', "format: {type: parquet}"))
    return f"{HERE}  candidates: {{cases: {project.parent.name}.mine.cases}}\n"


def test_an_own_asset_is_the_candidate(load: Load, own: str, project: Path) -> None:
    """It has no landing, and nothing starts it but what its owner builds; its jobs are built."""
    definitions = load(own)
    assert keys(definitions) == {"shop/cases", "published/cases"}
    assert {"publish_cases", "recheck_cases"} <= jobs(definitions)
    assert not {"landed_cases", "publish_cases_schedule"} & started(definitions)
    with dg.DagsterInstance.ephemeral() as instance:
        job = definitions.resolve_job_def("publish_cases")
        result = job.execute_in_process(partition_key="2026-10-01", instance=instance, raise_on_error=False)
    assert result.success
    assert pl.read_delta(str(project.parents[1] / "published/cases")).height == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("{case: MODULE.mine.cases}", "candidates: candidate 'case': there is no contract of this name"),
        ("{cases: MODULE.mine.word}", "which is no asset"),
        ("{cases: MODULE.mine.nothing}", "which is no asset"),
        ("{cases: MODULE.elsewhere.cases}", "which cannot be imported (ModuleNotFoundError)"),
        ("{cases: cases}", "which is no asset"),
    ],
)
def test_a_candidate_that_is_none_is_told_with_its_line(
    load: Load, own: str, project: Path, said: str, told: str
) -> None:
    text = f"{HERE}  candidates: {said.replace('MODULE', project.parent.name)}\n"
    complained = complaint(load, text)
    assert "defs.yaml:4:" in complained
    assert told in complained
