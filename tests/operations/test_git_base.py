"""What stood in a folder at a commit: read whole, or told as not readable, and never taken for nothing."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from contract_core.diff.policy import Policy
from contract_core.errors import InvalidContractError, WrongUsageError
from contract_core.operations import git_base
from contract_core.operations.git_base import read_base
from tests.producer import ORDERS, RETURNS, Repository, alone, founded

FOLDER = Path("contracts")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repository:
    """A repository with two contracts, and the working directory in it."""
    alone(monkeypatch, tmp_path)
    found = founded(tmp_path / "shop", capfd, ("contracts/orders.yaml", ORDERS), ("contracts/returns.yml", RETURNS))
    monkeypatch.chdir(found.root)
    return found


def test_every_contract_is_read_with_its_file(repository: Repository) -> None:
    base = read_base("HEAD", FOLDER)
    assert {name: contract.version for name, contract in base.contracts.items()} == {
        "orders": "1.0.0",
        "returns": "0.1.0",
    }
    assert base.files == {"orders": FOLDER / "orders.yaml", "returns": FOLDER / "returns.yml"}
    assert base.policy == Policy()


def test_what_is_no_contract_file_is_left_alone(repository: Repository) -> None:
    repository.commit(
        ("contracts/README.md", "not yaml: ["),
        ("contracts/.hidden.yaml", "["),
        ("contracts/folder.yaml/inner.yaml", "["),
        ("contracts/changes/orders/2.0.0.yaml", "["),
        ("other.yaml", "["),
    )
    assert set(read_base("HEAD", FOLDER).contracts) == {"orders", "returns"}


def test_a_folder_that_was_not_there_had_no_contract(repository: Repository) -> None:
    (repository.root / "new").mkdir()
    assert read_base("HEAD", Path("new")).contracts == {}


def test_the_working_tree_and_the_index_do_not_count(repository: Repository) -> None:
    repository.write("contracts/orders.yaml", ORDERS.replace("1.0.0", "3.0.0"))
    repository.git("add", "--all")
    assert read_base("HEAD", FOLDER).contracts["orders"].version == "1.0.0"


def test_content_is_read_to_the_byte(repository: Repository) -> None:
    repository.commit(
        ("contracts/a.yaml", RETURNS.replace("returns", "a") + "# 12\n# blob 99\n\n"),
        ("contracts/b\n.yaml", "# 契約\n" + RETURNS.replace("returns", "b")),
        ("contracts/c.yaml", RETURNS.replace("returns", "c").rstrip("\n")),
    )
    assert {"a", "b", "c"} < set(read_base("HEAD", FOLDER).contracts)


def test_an_empty_file_is_no_contract(repository: Repository) -> None:
    repository.commit(("contracts/empty.yaml", ""))
    with pytest.raises(InvalidContractError) as error:
        read_base("HEAD", FOLDER)
    assert [problem.where for problem in error.value.problems] == ["HEAD:contracts/empty.yaml:1:1", "--base"]


def test_the_policy_of_the_commit_is_read(repository: Repository) -> None:
    repository.commit(("contracts/changes/policy.yaml", "profile: full\n"))
    repository.write("contracts/changes/policy.yaml", "profile: default\n")
    assert read_base("HEAD", FOLDER).policy.profile == "full"


def test_a_policy_that_cannot_be_read_is_no_default(repository: Repository) -> None:
    repository.commit(("contracts/changes/policy.yaml", "profil: full\n"))
    with pytest.raises(WrongUsageError) as error:
        read_base("HEAD", FOLDER)
    assert error.value.problems[0].where == "HEAD:contracts/changes/policy.yaml:1:1"


def test_a_replaced_object_is_not_followed(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    second = repository.commit(("contracts/orders.yaml", ORDERS.replace("1.0.0", "3.0.0")))
    repository.git("replace", first, second)
    assert read_base(first, FOLDER).contracts["orders"].version == "1.0.0"


def test_a_git_that_does_not_answer_is_told(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: Any, **__: Any) -> None:
        raise subprocess.TimeoutExpired("git", 60)

    monkeypatch.setattr(git_base.subprocess, "run", late)
    with pytest.raises(WrongUsageError, match="git did not answer within 60 seconds"):
        read_base("HEAD", FOLDER)


@pytest.mark.parametrize("command", ["ls-tree", "cat-file"])
def test_a_git_that_fails_is_told(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    (tmp_path / "bin").mkdir()
    broken = tmp_path / "bin/git"
    broken.write_text(
        f'#!/bin/sh\n[ "$1" = {command} ] && exit 128\nexec /usr/bin/env -i PATH=/usr/bin:/bin git "$@"\n'
    )
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(WrongUsageError, match=f"git {command} could not read that commit"):
        read_base("HEAD", FOLDER)


def test_a_git_that_may_not_be_run_is_told(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin/git").mkdir(parents=True)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(WrongUsageError, match="there is no git here that can be run"):
        read_base("HEAD", FOLDER)


LISTED = ORDERS + "delivery: {parts: {from: file, required_file: lists/shops.csv}}\n"


def test_a_list_of_parts_is_read_as_it_stood_at_the_commit(repository: Repository) -> None:
    repository.commit(("contracts/orders.yaml", LISTED), ("contracts/lists/shops.csv", "name\nnorth\n"))
    repository.write("contracts/lists/shops.csv", "name\nnorth\nsouth\n")
    parts = read_base("HEAD", FOLDER).contracts["orders"].delivery.parts
    assert parts is not None
    assert (parts.required, parts.required_file) == (("north",), None)


def test_a_list_of_parts_that_was_not_there_is_told(repository: Repository) -> None:
    repository.commit(("contracts/orders.yaml", LISTED))
    with pytest.raises(InvalidContractError) as caught:
        read_base("HEAD", FOLDER)
    first = str(caught.value.problems[0])
    assert (
        first
        == "HEAD:contracts/lists/shops.csv: the list of required parts was not there at that commit, or was a link"
    )
