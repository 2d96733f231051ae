"""Every page of the documentation, from top to bottom: each fence is run, written, compared or parsed, and none is left out."""

import re
from pathlib import Path

import pytest

from contract_core.contract.registry import read_contract
from contract_core.errors import InvalidContractError
from tests.commands import Run, runner
from tests.contract.texts import MINIMAL
from tests.documentation.blocks import DOCS, PAGES, Block, agrees, blocks_of
from tests.documentation.session import BY_KIND, Session
from tests.producer import alone

ELSEWHERE = {"component.md": "tests/test_component_document.py"}
"""Pages that are run by tests of their own: this one shows what is done with the commands of dg, in projects."""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Session:
    alone(monkeypatch, tmp_path)
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    run: Run = runner(capfd)
    return Session(folder, run, monkeypatch)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
def test_the_page_is_what_happens(session: Session, page: str) -> None:
    for block in blocks_of(page):
        session.follow(block)


@pytest.mark.parametrize("page", PAGES)
def test_every_fence_of_the_page_is_found(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    fences = [block for block in blocks_of(page) if block.kind not in {"run", "today"}]
    assert text.count("```") == 2 * len(fences)


@pytest.mark.parametrize("page", PAGES)
def test_every_fence_is_of_a_kind_that_is_run_or_written(page: str) -> None:
    assert [block for block in blocks_of(page) if not block.file and block.kind not in BY_KIND] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_command_stands_outside_of_a_fence(page: str) -> None:
    assert re.findall(r"^ {4}(?:\$ )?(?:contract-gate|make|git) .*$", _without_fences(page), re.MULTILINE) == []


def _without_fences(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", (DOCS / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param("console", "$ echo found\nshown\n", id="another output"),
        pytest.param("console", "$ contract-gate lint absent.yaml\n", id="a problem where no output is shown"),
        pytest.param("sh", "false\n", id="a command that fails"),
        pytest.param("python", "assert False\n", id="a statement that fails"),
        pytest.param("python", "def test_it():\n    assert False\n", id="a test that fails"),
        pytest.param("yaml", "freshness: {column: day, max_age: 2 days}\n", id="an attribute in another form"),
        pytest.param("yaml", "freshnes: {}\n", id="an attribute that is none"),
        pytest.param("csv", "a,b\n1\n", id="a ragged row"),
    ],
)
def test_a_block_that_is_not_what_happens_fails(session: Session, kind: str, text: str) -> None:
    with pytest.raises(AssertionError):
        session.follow(Block(kind, text, 1))


def test_a_file_that_is_shown_must_be_a_contract(session: Session) -> None:
    with pytest.raises(InvalidContractError):
        session.follow(Block("yaml", "contract: c\nfields:\n  - {name: a}\n", 1, "c.yaml"))


def test_a_part_takes_the_place_of_what_the_file_says(session: Session) -> None:
    session.follow(Block("yaml", MINIMAL, 1, "c.yaml"))
    session.follow(Block("yaml", "rows: {min: 3}\n", 9, "c.yaml", is_part=True))
    assert read_contract(session.folder / "c.yaml").rows.min == 3


def test_the_day_of_the_page_is_what_commands_take_for_today(session: Session) -> None:
    session.follow(Block("yaml", MINIMAL, 1, "c.yaml"))
    session.follow(Block("csv", "a\nx\n", 2, "c.csv"))
    session.follow(Block("today", "2001-02-03", 3))
    session.follow(Block("console", "$ contract-gate publish c.yaml c.csv --json\n", 4))
    session.follow(Block("console", "$ contract-gate decisions\n2001-02-03 00:00:00Z  …  cases  1.0.0  published\n", 5))


@pytest.mark.parametrize(
    ("shown", "found", "is_so"),
    [
        ("a b\n", "a b\n", True),
        ("a b\n", "a c\n", False),
        ("a …\n", "a 12:30\n", True),
        ("a …\n", "a b c\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\nd\n", "a\nb\nc\n", False),
        ("a\n", "a\nb\n", False),
    ],
)
def test_an_ellipsis_stands_for_a_word_or_for_whole_lines(shown: str, found: str, is_so: bool) -> None:
    assert agrees(shown, found) is is_so
