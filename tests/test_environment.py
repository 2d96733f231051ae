"""Where an environment keeps its things, and that nothing else differs from one environment to the next."""

import ast
from dataclasses import fields
from pathlib import Path

import pytest

from contract_core.environment import FOLDERS, VARIABLES, Environment, refuse_unknown
from contract_core.errors import WrongUsageError

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for package in ("contract_core", "contract_assets") for path in (ROOT / package).rglob("*.py"))


@pytest.mark.parametrize(
    ("variables", "root", "base"),
    [
        pytest.param({}, None, "data", id="default"),
        pytest.param({"CONTRACT_GATE_ROOT": ""}, None, "data", id="an empty variable is none"),
        pytest.param({"CONTRACT_GATE_ROOT": "/srv"}, None, "/srv", id="variable"),
        pytest.param({"CONTRACT_GATE_ROOT": "/srv"}, Path("here"), "here", id="an argument is stronger"),
    ],
)
def test_every_folder_lies_below_one_root(variables: dict[str, str], root: Path | None, base: str) -> None:
    assert Environment.of(variables, root) == Environment.at(Path(base))
    assert {name: getattr(Environment.at(Path(base)), name) for name in FOLDERS} == {
        name: Path(base) / name for name in FOLDERS
    }


@pytest.mark.parametrize("name", FOLDERS)
def test_one_folder_can_be_moved(name: str) -> None:
    moved = Environment.of({f"CONTRACT_GATE_{name.upper()}": "/elsewhere"})
    assert {other: getattr(moved, other) for other in FOLDERS} == {other: Path("data") / other for other in FOLDERS} | {
        name: Path("/elsewhere")
    }


def test_an_environment_is_places_and_identities_and_nothing_that_holds_a_rule() -> None:
    """S1-080, S1-081: whoever adds a field here shows in this list that it is none."""
    names = [field.name for field in fields(Environment)]
    assert names == [*FOLDERS, "name", "catalog", "publisher", "readers", "channels"]


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        pytest.param("CONTRACT_GATE_SKIP_CHECKS", "a rule is changed in its contract", id="a switch"),
        pytest.param("CONTRACT_GATE_ENFORCEMENT", "a rule is changed in its contract", id="a term of contracts"),
        pytest.param("CONTRACT_GATE_SEVERITY", "a rule is changed in its contract", id="a severity"),
        pytest.param("CONTRACT_GATE_MAX_AGE", "a rule is changed in its contract", id="a bound"),
        pytest.param("CONTRACT_GATE_LANDIN", "did you mean CONTRACT_GATE_LANDING?", id="misspelt"),
        pytest.param("CONTRACT_GATE_ENVIRONMENT", "did you mean CONTRACT_GATE_ENV?", id="longer"),
        pytest.param("CONTRACT_GATE_zzz", "known: CONTRACT_GATE_", id="nothing alike"),
    ],
)
def test_a_variable_that_means_nothing_is_refused_without_its_value(variable: str, nearest: str) -> None:
    """S1-081: nobody believes that it did something."""
    with pytest.raises(WrongUsageError) as refused:
        Environment.of({variable: "planted", "CONTRACT_GATE_ROOT": "data", "PATH": "/bin"})
    [problem] = refused.value.problems
    assert (problem.where, problem.hint.startswith(nearest)) == (variable, True)
    assert all(known in problem.hint for known in VARIABLES)
    assert "planted" not in str(refused.value)


def test_all_variables_that_mean_nothing_are_told_at_once_even_empty_ones() -> None:
    with pytest.raises(WrongUsageError) as refused:
        refuse_unknown({"CONTRACT_GATE_B": "", "CONTRACT_GATE_A": "1", "CONTRACT_GATE": "not ours"})
    assert [problem.where for problem in refused.value.problems] == ["CONTRACT_GATE_A", "CONTRACT_GATE_B"]


def test_a_name_that_no_file_explains_is_refused() -> None:
    with pytest.raises(WrongUsageError, match="no file says what environments there are"):
        Environment.of({"CONTRACT_GATE_ENV": "production"})


def test_no_module_that_judges_knows_of_environments() -> None:
    """S1-080, S1-081: contracts, candidates, rules, reports and decisions cannot ask where they are."""
    knowing = {path.relative_to(ROOT).as_posix() for path in MODULES if _imports(path, "contract_core.environment")}
    judging = (
        "contract_core/contract/",
        "contract_core/candidate/",
        "contract_core/validation/",
        "contract_core/diff/",
    )
    assert [name for name in knowing if name.startswith(judging) or name.endswith("publication/decision.py")] == []


def test_only_the_edges_read_variables() -> None:
    """S1-081"""
    reading = {path.relative_to(ROOT).as_posix() for path in MODULES if _reads_variables(path)}
    of_git = {"contract_core/operations/git_base.py"}  # which passes on all but those of git, and looks at none
    of_polars = {"contract_core/candidate/read_ahead.py"}  # which sets what Polars reads, where nobody has set it
    assert reading - of_git - of_polars <= {
        "contract_core/cli.py",
        "contract_core/commands/arguments.py",
        "contract_assets/resources.py",
    }


def _imports(path: Path, module: str) -> bool:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return any(isinstance(node, ast.ImportFrom) and (node.module or "").startswith(module) for node in nodes)


def _reads_variables(path: Path) -> bool:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return any(isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv") for node in nodes)
