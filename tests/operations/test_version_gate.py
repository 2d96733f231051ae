"""Contracts of a folder held against a commit or a registry: what is held, what is gone, and which record and policy count."""

from datetime import date
from pathlib import Path

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.diff.policy import Policy
from contract_core.errors import InvalidContractError, UnknownContractError, WrongUsageError
from contract_core.operations.record_files import policy_of
from contract_core.operations.version_gate import (
    against_registry,
    files_against_commit,
    folder_against_commit,
    record_of,
    registry_policy,
    registry_root,
    working_contract,
    working_contracts,
)
from contract_core.releases.folder_registry import FolderRegistry
from contract_core.releases.table_registry import TableRegistry
from tests.producer import NOTE_REMOVED, ORDERS, RETURNS, REWORDED, Repository, alone, edited, founded, to

DAY = date(2026, 10, 2)
FOLDER, FILE = Path("contracts"), Path("contracts/orders.yaml")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repository:
    """A repository with two contracts, and the working directory in it."""
    alone(monkeypatch, tmp_path)
    found = founded(tmp_path / "shop", capfd, (str(FILE), ORDERS), ("contracts/returns.yaml", RETURNS))
    monkeypatch.chdir(found.root)
    return found


def test_a_folder_is_held_by_name_and_then_what_is_gone(repository: Repository) -> None:
    (repository.root / "contracts/returns.yaml").unlink()
    repository.write("contracts/zebras.yaml", RETURNS.replace("returns", "zebras"))
    held = folder_against_commit("HEAD", FOLDER, DAY)
    assert [(item.successor.contract, item.successor.before, str(item.file)) for item in held] == [
        ("orders", "1.0.0", "contracts/orders.yaml"),
        ("zebras", None, "contracts/zebras.yaml"),
        ("returns", "0.1.0", "contracts/returns.yaml"),
    ]
    assert [item.working is None for item in held] == [False, False, True]


def test_a_folder_without_contracts_then_and_now_is_no_answer(repository: Repository) -> None:
    (repository.root / "empty").mkdir()
    with pytest.raises(WrongUsageError, match="empty: holds no contract, and held none at the base"):
        folder_against_commit("HEAD", Path("empty"), DAY)


def test_a_folder_that_lost_its_last_contract_is_held(repository: Repository) -> None:
    FILE.unlink()
    (repository.root / "contracts/returns.yaml").unlink()
    held = folder_against_commit("HEAD", FOLDER, DAY)
    assert [(item.successor.contract, item.successor.passes) for item in held] == [("orders", False), ("returns", True)]


def test_files_are_held_alone(repository: Repository) -> None:
    (repository.root / "contracts/returns.yaml").unlink()
    assert [item.successor.contract for item in files_against_commit("HEAD", [FILE], DAY)] == ["orders"]


def test_what_a_file_held_before_is_gone_with_its_name(repository: Repository) -> None:
    repository.write(str(FILE), ORDERS.replace("contract: orders", "contract: parcels"))
    held = files_against_commit("HEAD", [FILE], DAY)
    assert [(item.successor.contract, item.successor.passes) for item in held] == [("parcels", True), ("orders", False)]


def test_a_file_that_cannot_be_read_is_an_error(repository: Repository) -> None:
    with pytest.raises(UnknownContractError):
        files_against_commit("HEAD", [Path("contracts/nowhere.yaml")], DAY)


def test_the_problems_of_all_files_are_told_at_once(repository: Repository) -> None:
    repository.write("contracts/a.yaml", "contract: [")
    repository.write("contracts/b.yaml", "fields: 3")
    with pytest.raises(InvalidContractError) as error:
        working_contracts(FOLDER)
    assert {problem.where.partition(":")[0] for problem in error.value.problems} == {
        "contracts/a.yaml",
        "contracts/b.yaml",
    }


def test_a_registry_is_held_with_the_policy_beside_it(repository: Repository) -> None:
    repository.write("registry/policy.yaml", "profile: full\n")
    (held,) = against_registry(Path("registry"), [working_contract(FILE)], DAY)
    assert (held.successor.before, held.successor.passes) == (None, True)
    assert registry_policy(FolderRegistry(Path("registry"))).profile == "full"


def test_a_registry_of_either_kind_has_its_folder() -> None:
    assert registry_root(FolderRegistry(Path("a"))) == Path("a")
    assert registry_root(TableRegistry(Path("b"))) == Path("b")


def test_a_registry_that_is_not_there_is_no_empty_one(repository: Repository) -> None:
    with pytest.raises(WrongUsageError, match="registry regsitry: is not there"):
        against_registry(Path("regsitry"), [working_contract(FILE)], DAY)


def test_nobody_said_anything_about_a_version_without_a_record(repository: Repository) -> None:
    assert record_of(working_contract(FILE)) is None


def test_a_record_is_found_by_contract_and_version(repository: Repository) -> None:
    repository.write("contracts/changes/orders/1.0.0.yaml", 'contract: orders\nversion: "1.0.0"\nmigration: none\n')
    record = record_of(working_contract(FILE))
    assert record is not None
    assert record.migration == "none"


@pytest.mark.parametrize("other", ['contract: orders\nversion: "1.0.1"\n', 'contract: returns\nversion: "1.0.0"\n'])
def test_a_record_in_the_place_of_another_is_an_error(repository: Repository, other: str) -> None:
    repository.write("contracts/changes/orders/1.0.0.yaml", other)
    with pytest.raises(WrongUsageError, match=r"stands where orders 1\.0\.0 belongs"):
        record_of(working_contract(FILE))


def test_the_policy_is_the_default_without_a_file(repository: Repository) -> None:
    assert policy_of(Path("policy.yaml")) == Policy()


def test_the_record_of_the_branch_speaks_for_its_version_alone(repository: Repository) -> None:
    repository.write(str(FILE), edited(NOTE_REMOVED, to("2.0.0")))
    repository.write(
        "contracts/changes/orders/1.0.0.yaml", 'contract: orders\nversion: "1.0.0"\nsupported_until: 2099-01-01\n'
    )
    (held,) = files_against_commit("HEAD", [FILE], DAY)
    assert any("nobody says how long" in item.what for item in held.successor.missing)


def test_words_alone_ask_for_a_patch(repository: Repository) -> None:
    """[S4-012]."""
    repository.write(str(FILE), edited(REWORDED))
    (held,) = files_against_commit("HEAD", [FILE], DAY)
    assert held.successor.required_version == "1.0.1"


def test_a_list_of_parts_that_changed_is_a_change_of_its_contract(repository: Repository) -> None:
    """The file of the contract is as it was, and the gate asks for a version all the same."""
    listed = ORDERS + "delivery: {parts: {from: file, required_file: shops.csv}}\n"
    repository.commit((str(FILE), listed), ("contracts/shops.csv", "name\nnorth\n"))
    repository.write("contracts/shops.csv", "name\nnorth\nsouth\n")
    (held,) = [item for item in folder_against_commit("HEAD", FOLDER, DAY) if item.successor.contract == "orders"]
    assert [verdict.change.kind.value for verdict in held.successor.verdicts] == ["part_required"]
    assert not held.successor.passes


def test_what_is_released_needs_no_list_beside_it(repository: Repository) -> None:
    listed = ORDERS + "delivery: {parts: {from: file, required_file: shops.csv}}\n"
    repository.commit((str(FILE), listed), ("contracts/shops.csv", "name\nnorth\n"))
    working = working_contract(FILE)
    assert parse_contract(working.whole_text, "released").digest == working.contract.digest
    assert "required_file" not in working.whole_text
    assert working_contract(Path("contracts/returns.yaml")).whole_text == RETURNS
