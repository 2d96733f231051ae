"""`init`: a project that Dagster can run, around contracts that are there or an example, and nothing overwritten."""

import subprocess
from pathlib import Path

import pytest

from contract_core.bootstrap.project import first_contract, plan_project, write_project
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import read_contracts
from contract_core.errors import InvalidContractError, WrongUsageError
from tests.commands import CASES, Run


def texts(folder: Path) -> dict[str, str]:
    """Everything that stands in a folder."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's folder that is to be."""
    return tmp_path / "Web shop"


@pytest.fixture
def kept(folder: Path) -> Path:
    """A project's folder that holds one contract."""
    (folder / "contracts").mkdir(parents=True)
    (folder / "contracts/cases.yaml").write_text(CASES)
    return folder


def test_it_tells_what_it_wrote_and_how_to_go_on(run: Run, tmp_path: Path) -> None:
    code, out, err = run("init", "shop")
    assert (code, err) == (0, "")
    written = [line.removeprefix("wrote shop/") for line in out.splitlines() if line.startswith("wrote ")]
    assert sorted(written) == sorted(texts(tmp_path / "shop"))
    assert out.split("next:\n")[1].splitlines() == [
        "    cd shop",
        "    export DAGSTER_HOME=$PWD/.dagster CONTRACT_GATE_ROOT=$PWD",
        "    dg launch --job publish_orders --partition 2026-01-05   # keeps its contract: published",
        "    dg launch --job publish_orders --partition 2026-01-06   # breaks it: refused",
        "    dg dev",
    ]


def test_a_dry_run_writes_nothing(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("init", "shop", "--dry-run")
    assert (code, (tmp_path / "shop").exists()) == (0, False)
    assert "would write shop/contracts/orders.yaml" in out
    assert "next:" not in out


def test_the_module_has_a_name_that_python_can_import(folder: Path) -> None:
    files = plan_project(folder).files
    assert "gate_web_shop/defs/gate/defs.yaml" in files
    assert 'root_module = "gate_web_shop"' in files["pyproject.toml"]


@pytest.mark.parametrize(("name", "module"), [("2026", "gate_2026"), ("→", "gate_project"), ("A--b.", "gate_a_b")])
def test_any_folder_gives_a_module(tmp_path: Path, name: str, module: str) -> None:
    assert f"{module}/definitions.py" in plan_project(tmp_path / name).files


def test_contracts_that_are_there_are_taken_as_they_are(kept: Path) -> None:
    project = plan_project(kept)
    write_project(project)
    assert [contract.name for contract in read_contracts(kept / "contracts")] == ["cases"]
    assert (kept / "contracts/cases.yaml").read_text() == CASES
    assert not any(name.startswith(("contracts/", "landing/")) for name in project.files)
    assert (kept / "landing").is_dir()
    assert project.next_commands[1:] == (
        "contract-gate lint contracts",
        "dg launch --job publish_cases --partition 2026-10-01",
        "dg dev",
    )


def test_the_partition_that_one_is_told_to_launch_is_one_that_has_landed(kept: Path) -> None:
    (kept / "landing/cases/2026-10-07").mkdir(parents=True)
    (kept / "landing/cases/2026-10-07/cases.csv").write_text("")
    assert "dg launch --job publish_cases --partition 2026-10-07" in plan_project(kept).next_commands


@pytest.mark.parametrize(
    ("partition", "launch"),
    [
        ("", "dg launch --job publish_cases"),
        ("{column: region}", None),
        ("{every: month, column: day, start: 2026-10-15}", "dg launch --job publish_cases --partition 2026-11-01"),
        ("{every: hour, column: day, start: 2026-10-15}", "dg launch --job publish_cases --partition 2026-10-15-00:00"),
    ],
)
def test_what_one_is_told_to_launch_fits_the_contract(kept: Path, partition: str, launch: str | None) -> None:
    head = CASES.split("delivery:")[0]
    head = head.replace("type: date", "type: timestamp") if "hour" in partition else head
    terms = f"delivery: {{partition: {partition}}}\n" if partition else ""
    (kept / "contracts/cases.yaml").write_text(head + terms)
    launches = [command for command in plan_project(kept).next_commands if "launch" in command]
    assert launches == ([] if launch is None else [launch])


def test_everything_in_the_way_is_told_and_nothing_is_written(kept: Path) -> None:
    (kept / "README.md").write_text("mine")
    (kept / ".github").write_text("")
    before = texts(kept)
    with pytest.raises(WrongUsageError) as raised:
        plan_project(kept)
    assert [(problem.where, problem.what) for problem in raised.value.problems] == [
        (str(kept / ".github"), "is no folder"),
        (str(kept / "README.md"), "is there already"),
    ]
    assert texts(kept) == before


def test_a_link_that_leads_nowhere_is_in_the_way_too(kept: Path) -> None:
    (kept / "README.md").symlink_to(kept / "nowhere")
    with pytest.raises(WrongUsageError, match="is there already"):
        plan_project(kept)


def test_a_file_is_no_folder_for_a_project(run: Run) -> None:
    assert run("init", "cases.yaml") == (
        2,
        "",
        "cases.yaml: is no folder\n    move it away, or name another folder; nothing was written\n",
    )


def test_a_second_attempt_completes_the_first(folder: Path) -> None:
    write_project(plan_project(folder))
    whole = texts(folder)
    (folder / "pyproject.toml").unlink()
    assert write_project(plan_project(folder)) == ("pyproject.toml",)
    assert texts(folder) == whole


def test_a_contract_that_is_wrong_is_told_before_anything_is_written(kept: Path) -> None:
    (kept / "contracts/cases.yaml").write_text(CASES.replace("type: date", "type: dat"))
    with pytest.raises(InvalidContractError, match=r"cases.yaml:6:\d+: fields.day.type: 'dat' is no type"):
        plan_project(kept)
    assert list(texts(kept)) == ["contracts/cases.yaml"]


def test_a_folder_of_loose_contracts_is_told_where_they_belong(run: Run, tmp_path: Path) -> None:
    code, _, err = run("init", ".")
    assert code == 2
    assert err == "cases.yaml: is a contract outside of contracts/\n    move it into contracts; nothing was written\n"


def test_the_example_deliveries_are_judged_as_they_are_called(run: Run, tmp_path: Path) -> None:
    run("init", "shop")
    root = ("--root", "shop", "--as-of", "2026-01-07")
    good, bad = (tmp_path / f"shop/landing/orders/2026-01-0{day}/orders.csv" for day in (5, 6))
    assert run("check", "orders", good, "--partition", "2026-01-05", *root)[0] == 0
    code, out, _ = run("check", "orders", bad, "--partition", "2026-01-06", *root)
    assert code == 1
    assert [rule for rule in ("amount.range: broken", "status.enum: broken", "key: broken") if rule in out] == [
        "amount.range: broken",
        "status.enum: broken",
        "key: broken",
    ]


def test_the_repository_keeps_the_example_and_no_other_delivery(folder: Path) -> None:
    write_project(plan_project(folder))
    (folder / "landing/orders/2026-01-07").mkdir()
    (folder / "landing/orders/2026-01-07/orders.csv").write_text("order_id\n")
    (folder / "ledger").mkdir()
    (folder / "ledger/entry").touch()
    subprocess.run(["git", "init", "-q", folder], check=True)
    listed = subprocess.run(
        ["git", "-C", folder, "ls-files", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert sorted(listed) == sorted(plan_project(folder).files)


@pytest.mark.parametrize("name", ["returns", "Web shop", "7", "→", ""])
def test_a_first_contract_is_one(name: str) -> None:
    contract = parse_contract(first_contract(name), "contract.yaml")
    assert contract.delivery.path.startswith(f"{contract.name}/")
