"""What the page on corrections shows is what happens."""

import re
from pathlib import Path

import pytest

from tests.commands import Run

PAGE = (Path(__file__).parents[1] / "docs" / "corrections.md").read_text("utf-8")
SHOWN = [
    (lines[0].split(), "".join(f"{line}\n" for line in lines[1:]))
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for lines in (piece.splitlines() for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
]


@pytest.fixture
def page(run: Run, tmp_path: Path) -> Run:
    """The command line beside the files of the page."""
    for name, text in re.findall(r'```(?:yaml|csv) title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL):
        (tmp_path / name).write_text(text)
    return run


def test_the_page_runs_as_written(page: Run) -> None:
    """[S1-036] [S2-042]"""
    found = [(command, page(*command[1:])[1] if expected else page(*command[1:])[2]) for command, expected in SHOWN]
    agrees = [
        re.fullmatch(re.escape(expected).replace("…", r"\S*"), out) is not None
        for (_, expected), (_, out) in zip(SHOWN, found, strict=True)
    ]
    assert [item for item, is_as_shown in zip(found, agrees, strict=True) if not is_as_shown] == []


def test_the_page_shows_every_command_that_it_is_about() -> None:
    assert {command[1] for command, _ in SHOWN} == {"publish", "check", "request", "confirm", "decisions", "compare"}
