"""The folder of contracts: found by name or by path, every problem of every file at once."""

from pathlib import Path

import pytest

from contract_core.contract.registry import contract_files, find_contract, read_contract, read_contracts
from contract_core.errors import InvalidContractError, UnknownContractError
from tests.contract.texts import MINIMAL


def folder_of(folder: Path, **names: str) -> Path:
    """One file for each stem, with the contract's name in it."""
    for stem, name in names.items():
        (folder / f"{stem}.yaml").write_text(MINIMAL.replace("contract: cases", f"contract: {name}"))
    return folder


def test_contracts_come_sorted_by_name(tmp_path: Path) -> None:
    assert [contract.name for contract in read_contracts(folder_of(tmp_path, x="b", y="a"))] == ["a", "b"]


def test_only_yaml_files_of_the_folder_itself_are_contracts(tmp_path: Path) -> None:
    folder_of(tmp_path, a="a")
    (tmp_path / "b.yml").write_text(MINIMAL)
    (tmp_path / ".hidden.yaml").write_text("[")
    (tmp_path / "notes.md").write_text("[")
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "c.yaml").write_text("[")
    assert [path.name for path in contract_files(tmp_path)] == ["a.yaml", "b.yml"]


def test_a_folder_that_is_not_there_has_no_contracts(tmp_path: Path) -> None:
    assert read_contracts(tmp_path / "nowhere") == ()


def test_the_problems_of_all_files_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("[")
    (tmp_path / "b.yaml").write_text("contract: 5")
    folder_of(tmp_path, c="same", d="same")
    with pytest.raises(InvalidContractError) as caught:
        read_contracts(tmp_path)
    assert [Path(problem.where.partition(":")[0]).name for problem in caught.value.problems] == [
        "a.yaml",
        "b.yaml",
        "b.yaml",
        "b.yaml",
        "d.yaml",
    ]
    assert caught.value.problems[-1].what == "contract 'same' stands in another file of the folder too"


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param("orders", id="name"),
        pytest.param("{folder}/orders.yaml", id="path"),
        pytest.param("other", id="name in a file of another name"),
    ],
)
def test_a_contract_is_found_by_name_or_by_path(tmp_path: Path, reference: str) -> None:
    folder = folder_of(tmp_path, orders="orders", misnamed="other")
    assert find_contract(reference.format(folder=folder), folder).version == "1.0.0"


def test_a_broken_neighbour_does_not_hide_a_contract_in_a_file_of_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("[")
    assert find_contract("orders", folder_of(tmp_path, orders="orders")).name == "orders"


@pytest.mark.parametrize(
    ("reference", "what", "hint"),
    [
        pytest.param("order", "no contract 'order'; {folder} has 'orders' (1.0.0), 'returns' (1.0.0)", "did you mean 'orders'?", id="misspelled"),
        pytest.param("zebra", "no contract 'zebra'; {folder} has 'orders' (1.0.0), 'returns' (1.0.0)", "give a contract file, or a name from that folder", id="unknown"),
        pytest.param("", "no contract ''; {folder} has 'orders' (1.0.0), 'returns' (1.0.0)", "give a contract file, or a name from that folder", id="empty"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_told_with_the_known_ones(tmp_path: Path, reference: str, what: str, hint: str) -> None:
    with pytest.raises(UnknownContractError) as caught:
        find_contract(reference, folder_of(tmp_path, a="orders", b="returns"))
    (problem,) = caught.value.problems
    assert (problem.what, problem.hint) == (what.format(folder=tmp_path), hint)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("nowhere.yaml", "No such file or directory", id="missing"),
        pytest.param("folder.yaml", "Is a directory", id="folder"),
        pytest.param("a.yaml/b.yaml", "Not a directory", id="below a file"),
        pytest.param(f"{'x' * 300}.yaml", "File name too long", id="name too long"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, path: str, reason: str) -> None:
    folder_of(tmp_path, a="a")
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(UnknownContractError) as caught:
        read_contract(tmp_path / path)
    assert caught.value.problems[0].what == f"the contract file cannot be read: {reason}"


def test_a_contract_without_end_is_read_up_to_the_limit(tmp_path: Path) -> None:
    endless = tmp_path / "endless.yaml"
    endless.symlink_to("/dev/zero")
    with pytest.raises(UnknownContractError) as refused:
        read_contract(endless)
    assert refused.value.problems[0].what == "is a device or a pipe"
