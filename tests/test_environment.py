"""Where an environment keeps its things."""

from dataclasses import fields
from pathlib import Path

import pytest

from contract_core.environment import Environment

NAMES = [field.name for field in fields(Environment)]


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
    assert {name: getattr(Environment.at(Path(base)), name) for name in NAMES} == {
        name: Path(base) / name for name in NAMES
    }


@pytest.mark.parametrize("name", NAMES)
def test_one_folder_can_be_moved(name: str) -> None:
    moved = Environment.of({f"CONTRACT_GATE_{name.upper()}": "/elsewhere"})
    assert {other: getattr(moved, other) for other in NAMES} == {other: Path("data") / other for other in NAMES} | {
        name: Path("/elsewhere")
    }
