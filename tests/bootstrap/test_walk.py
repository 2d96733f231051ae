"""What `docs/bootstrap.md` shows is what happens, from the first delivery to a contract that blocks."""

import re
import shutil
from pathlib import Path

import pytest

from contract_core.bootstrap.json_schema_types import _FORMATS
from contract_core.bootstrap.pandera_checks import _CHECKS
from tests.commands import Run
from tests.test_readme import agrees

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "bootstrap.md").read_text("utf-8")
SECTIONS = dict(
    zip(re.findall(r"^## (.*)$", TEXT, re.MULTILINE), re.split(r"^## .*$", TEXT, flags=re.MULTILINE)[1:], strict=True)
)


def yaml_of(section: str) -> str:
    (found,) = re.findall(r"```yaml[^\n]*\n(.*?)```", SECTIONS[section], re.DOTALL)
    return str(found)


def shown(section: str) -> list[tuple[list[str], str]]:
    """Each command of a section with what it shows."""
    (console,) = re.findall(r"```console\n(.*?)```", SECTIONS[section], re.DOTALL)
    pieces = re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]
    return [(piece.splitlines()[0].split()[1:], piece.partition("\n")[2]) for piece in pieces]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    for kind in ("landing", "corrections"):
        shutil.copytree(ROOT / "data" / kind / "orders", tmp_path / "data" / kind / "orders")
    (tmp_path / "mine" / "contracts").mkdir(parents=True)
    return tmp_path / "mine" / "contracts" / "orders.yaml"


def runs_as_written(run: Run, section: str) -> bool:
    told = [("".join(run(*command)[1:]), expected) for command, expected in shown(section)]
    assert all(agrees(expected, found) for found, expected in told), told
    return bool(told)


def test_the_whole_walk_runs_as_written(run: Run, mine: Path) -> None:
    """[S4-026] From what is emitted to warn mode, and from there to blocking, for one dataset."""
    assert runs_as_written(run, "Infer")
    assert mine.read_text("utf-8") == yaml_of("Infer")
    mine.write_text(yaml_of("Review"))
    assert runs_as_written(run, "Warn")
    assert runs_as_written(run, "Quiet")
    version, enforcement = yaml_of("Fail").splitlines()
    mine.write_text(
        yaml_of("Review").replace('version: "1.0.0"', version).replace("enforcement: {on_breach: warn}", enforcement)
    )
    assert runs_as_written(run, "Fail")
    assert run(*shown("Fail")[0][0])[0] == 1


SHORT = {
    "greater_than_or_equal_to": "ge", "greater_than": "gt", "less_than_or_equal_to": "le", "less_than": "lt", "equal_to": "eq", "not_equal_to": "ne",
}  # fmt: skip


@pytest.mark.parametrize("word", [*(SHORT.get(name, name) for name in _CHECKS), *_FORMATS])
def test_everything_that_is_taken_over_is_documented(word: str) -> None:
    assert re.search(rf"\b{re.escape(word)}\b", SECTIONS["Import"])
