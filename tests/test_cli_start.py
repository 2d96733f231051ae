"""How the command line starts: its version, its list of commands."""

import importlib.metadata
from importlib.metadata import PackageNotFoundError

import pytest

from tests.commands import Run


def test_the_version_is_that_of_the_installed_distribution(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", {"contract-gate": "1.2.3"}.__getitem__)
    assert run("--version") == (0, "contract-gate 1.2.3\n", "")


def test_a_source_that_is_not_installed_has_no_version(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    code, out, err = run("--version")
    assert (code, err) == (0, "")
    assert out == "contract-gate runs from its source: it is not installed, and so it has no version\n"


def test_the_version_is_told_whatever_stands_behind_it(run: Run) -> None:
    assert run("--version", "lint", "nowhere.yaml")[0] == 0


def test_the_list_of_commands_tells_whole_sentences(run: Run) -> None:
    listed = " ".join(run("--help")[1].split())
    assert (
        "Check contract files: every problem of every file as file:line:column and what to write instead. show"
        in listed
    )
    assert "..." not in listed.split("Commands:")[1]
