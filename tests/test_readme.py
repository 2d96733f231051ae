"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest

from tests.commands import Run

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
FIVE_MINUTES = README.split("## Five minutes")[1].split("\n## ")[0]


def block(language: str) -> str:
    """The one block of this language under "Five minutes"."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", FIVE_MINUTES, re.DOTALL)
    return str(found)


def shown() -> list[tuple[list[str], str]]:
    """Each command of the console block with what it shows."""
    pieces = re.split(r"^\$ ", block("console"), flags=re.MULTILINE)[1:]
    return [
        (piece.splitlines()[0].split(), "".join(line + "\n" for line in piece.splitlines()[1:])) for piece in pieces
    ]


def agrees(expected: str, found: str) -> bool:
    """True where the texts are equal, with … for anything within a word."""
    return re.fullmatch(re.escape(expected).replace("…", r"\S*"), found) is not None


def test_five_minutes_run_as_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(block("yaml"))
    (tmp_path / "cases.csv").write_text(block("csv"))
    code = 0
    for command, expected in shown():
        if command[0] == "echo":
            assert expected == f"{code}\n"
            continue
        code, out, err = run(*command[1:])
        assert agrees(expected, out), out
        assert err == ""


@pytest.mark.parametrize("command", re.findall(r"^\| `contract-gate (\w+)", README, re.MULTILINE))
def test_every_command_of_the_table_is_there(run: Run, command: str) -> None:
    assert run(command, "--help")[0] == 0


def test_the_table_of_commands_is_complete(run: Run) -> None:
    listed = re.findall(r"^  (\w+) ", run("--help")[1].split("Commands")[1], re.MULTILINE)
    assert sorted(set(listed)) == sorted(re.findall(r"^\| `contract-gate (\w+)", README, re.MULTILINE))


@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_every_python_example_runs(snippet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[1])
    names: dict[str, object] = {}
    exec(compile(snippet, "README.md", "exec"), names)
    assert names.keys() & {"schema", "defs", "as_it_was", "test_the_sample_keeps_the_contract"}
