"""The shape of the code: layers, sizes, names, and what is deliberately absent."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for package in ("contract_core", "contract_assets") for path in (ROOT / package).rglob("*.py"))
CORE = [path for path in MODULES if path.parts[-2] != "contract_assets" and "contract_core" in path.parts]
NAMELESS = {"utils", "util", "helpers", "helper", "common", "base", "types", "misc"}
CATCH_ALL = {
    "contract_core/cli.py": "the last place before the user, who is told in our words",
    "contract_core/publication/ledger.py": "delta-rs raises plain Exceptions while it writes, and they would pass for a fault of ours",
    "contract_core/publication/ledger_merging.py": "delta-rs raises what it likes while it merges files, and the entry stands all the same",
    "contract_core/publication/store.py": "delta-rs panics while it creates or writes a table, and its texts quote rows",
    "contract_core/publication/constraints.py": "delta-rs raises plain Exceptions where rows break a constraint, and quotes them",
    "contract_core/publication/quarantine.py": "delta-rs panics while it writes rows that nobody but their owner may see",
    "contract_core/operations/announcing.py": "services of apprise raise what they like, and their texts may hold an address",
    "contract_core/releases/table_registry.py": "delta-rs raises plain Exceptions and panics while it writes",
    "contract_assets/failures.py": "Dagster would show any text to everyone",
}
CLOCKS = {
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("time", "time"),
    ("uuid", "uuid4"),
    ("uuid", "uuid1"),
}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def called(path: Path) -> set[tuple[str, str]]:
    """Every `name.attribute` that a module mentions."""
    return {
        (node.value.id, node.attr)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def catches_everything(path: Path) -> bool:
    handlers = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ExceptHandler)]
    caught = [
        name.id for handler in handlers if handler.type for name in ast.walk(handler.type) if isinstance(name, ast.Name)
    ]
    return any(handler.type is None for handler in handlers) or bool({"Exception", "BaseException"} & set(caught))


def test_imports_point_one_way() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_fits_on_a_few_screens_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    assert path == ROOT / "contract_core" / "__init__.py" or ast.get_docstring(tree_of(path))


def test_the_map_names_every_package_and_every_module_beside_them() -> None:
    places = (
        (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## Where things live")[2].partition("\nImports")[0]
    )
    packages = {f"{path.parent.name}/" for path in CORE if len(path.relative_to(ROOT).parts) == 3}
    modules = {path.name for path in CORE if len(path.relative_to(ROOT).parts) == 2} - {"__init__.py", "__main__.py"}
    assert packages | modules <= set(places.split())


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [name_of(path) for path in MODULES if {path.stem, *path.parent.parts} & NAMELESS] == []


def test_everything_is_caught_only_at_the_edges() -> None:
    assert {name_of(path) for path in MODULES if catches_everything(path)} == set(CATCH_ALL)


def test_the_core_never_asks_the_clock_and_never_invents_an_identifier() -> None:
    assert {name_of(path): calls for path in CORE if (calls := called(path) & CLOCKS)}.keys() <= {
        "contract_core/commands/arguments.py"
    }


def test_the_list_of_modules_is_not_empty() -> None:
    assert (len(MODULES) > 50, len(CORE) > 40) == (True, True)
