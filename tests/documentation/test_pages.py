"""Every page of the documentation, from top to bottom: each fence is run, written, compared or parsed, and none is left out."""

import re
from pathlib import Path

import pytest

from tests.commands import Run, runner
from tests.documentation.blocks import DOCS, PAGES, agrees, blocks_of
from tests.documentation.session import BY_KIND, Session
from tests.producer import alone


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Session:
    alone(monkeypatch, tmp_path)
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    run: Run = runner(capfd)
    return Session(folder, run, monkeypatch)


@pytest.mark.parametrize("page", PAGES)
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
