"""References: a file, a name, or a version in the registry."""

from pathlib import Path

import pytest

from contract_core.environment import Environment
from contract_core.errors import ContractAlteredError, UnknownContractError, WrongUsageError
from contract_core.releases.pins import look_up, resolve
from tests.releases.samples import day, registry_of, release, text_of

TODAY = day("2026-11-30")
RELEASES = (
    release("1.0.0", "2026-01-01"),
    release("1.1.0", "2026-02-01"),
    release("2.0.0", "2026-04-01", supported_until={"1": day("2026-12-31"), "0": day("2026-01-31")}),
    release("2.1.0", "2026-05-01", status="draft"),
    release("0.9.0", "2025-12-01"),
    release("1.0.0", name="returns"),
)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """A folder of contracts with `orders` 3.0.0, which was not released, and a registry."""
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.yaml").write_text(text_of("3.0.0"))
    registry_of("folder", tmp_path / "registry", *RELEASES)
    return Environment.at(tmp_path)


@pytest.mark.parametrize(
    ("reference", "version"),
    [
        pytest.param("orders", "3.0.0", id="a name in the folder"),
        pytest.param("{root}/contracts/orders.yaml", "3.0.0", id="a file"),
        pytest.param("returns", "1.0.0", id="a name that only the registry knows"),
        pytest.param("orders@latest", "2.0.0", id="latest is no draft"),
        pytest.param("orders@^1", "1.1.0", id="caret"),
        pytest.param("orders@~1.0", "1.0.0", id="tilde"),
        pytest.param("orders@1.0.0", "1.0.0", id="exact"),
        pytest.param("orders@>=1,<2", "1.1.0", id="limits"),
        pytest.param("orders@2.1.0", "2.1.0", id="exact draft"),
        pytest.param("orders@0.9.0", "0.9.0", id="exact retired"),
    ],
)
def test_a_reference_finds_its_contract(environment, tmp_path, reference, version):
    """[S4-003, S4-018] The registry holds what was released, whatever the working folder has."""
    assert resolve(reference.format(root=tmp_path), environment, TODAY).version == version


@pytest.mark.parametrize(
    ("reference", "note"),
    [
        ("orders", None),
        ("orders@latest", None),
        ("returns", None),
        ("orders@^1", "contract 'orders' 1.1.0 is supported until 2026-12-31"),
        ("orders@0.9.0", "contract 'orders' 0.9.0 is retired since 2026-02-01 and no longer supported"),
        ("orders@2.1.0", "contract 'orders' 2.1.0 is a draft, which binds nobody"),
    ],
)
def test_what_is_not_in_full_support_says_so(environment, reference, note):
    assert look_up(reference, environment, TODAY).note == note


def test_a_release_comes_with_its_contract(environment):
    found = look_up("orders@1.0.0", environment, TODAY)
    assert (found.release, found.contract.digest) == (RELEASES[0], RELEASES[0].digest)


@pytest.mark.parametrize(
    ("reference", "what", "hint"),
    [
        (
            "order@1",
            "no contract 'order'; the registry has 'orders' (0.9.0, 1.0.0, 1.1.0, 2.0.0, 2.1.0) and 'returns' (1.0.0)",
            "did you mean 'orders'?",
        ),
        (
            "zebra",
            ("no contract 'zebra'; {root}/contracts has 'orders' (3.0.0); the registry has 'orders' "
            "(0.9.0, 1.0.0, 1.1.0, 2.0.0, 2.1.0) and 'returns' (1.0.0)"),
            "give a contract file, or a name from that folder",
        ),
        (
            "return",
            ("no contract 'return'; {root}/contracts has 'orders' (3.0.0); the registry has 'orders' "
            "(0.9.0, 1.0.0, 1.1.0, 2.0.0, 2.1.0) and 'returns' (1.0.0)"),
            "did you mean 'returns'?",
        ),
        (
            "orders@^0.9",
            ("contract 'orders' has only retired versions for '^0.9'; the registry has 0.9.0 (retired since 2026-02-01), 1.0.0, "
            "1.1.0, 2.0.0, 2.1.0"),
            "a retired version is taken only where it is named in full: orders@0.9.0, or move to orders@2.0.0",
        ),
    ],
)  # fmt: skip
def test_what_is_not_known_is_told_with_what_there_is(environment, tmp_path, reference, what, hint):
    with pytest.raises(UnknownContractError) as unknown:
        look_up(reference, environment, TODAY)
    (problem,) = unknown.value.problems
    assert (problem.what, problem.hint) == (what.format(root=tmp_path), hint)


def test_without_a_registry_a_name_is_one_of_the_folder(tmp_path):
    with pytest.raises(UnknownContractError) as unknown:
        look_up("orders", Environment.at(tmp_path), TODAY)
    assert unknown.value.problems[0].what == f"no contract 'orders'; {tmp_path}/contracts has no contract"
    with pytest.raises(UnknownContractError, match="no contract 'orders'; the registry has no contract"):
        look_up("orders@1", Environment.at(tmp_path), TODAY)


@pytest.mark.parametrize("reference", ["orders@", "@1", "orders@x", "orders@1@2", "../orders@1x"])
def test_a_pin_that_is_none_is_wrong_usage_or_a_path(environment, reference):
    with pytest.raises((WrongUsageError, UnknownContractError)):
        look_up(reference, environment, TODAY)


def test_a_file_that_cannot_be_read_is_not_replaced_by_a_release(environment):
    environment.contracts.joinpath("orders.yaml").unlink()
    environment.contracts.joinpath("orders.yaml").mkdir()
    with pytest.raises(UnknownContractError, match="cannot be read"):
        look_up("orders", environment, TODAY)


def test_a_release_that_was_altered_is_never_used(environment):
    """[S4-018]"""
    path = environment.registry / "orders" / "1.0.0.yaml"
    path.chmod(0o644)
    path.write_text(text_of("1.0.0"))
    with pytest.raises(ContractAlteredError):
        look_up("orders@2.0.0", environment, TODAY)


def test_a_text_that_is_read_otherwise_today_is_never_used(environment, monkeypatch):
    monkeypatch.setattr("contract_core.contract.model.Contract.digest", "d" * 64)
    with pytest.raises(ContractAlteredError, match="its unchanged text is read here with dddddddddddd"):
        look_up("orders@2.0.0", environment, TODAY)
