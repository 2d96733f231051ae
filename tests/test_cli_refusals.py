"""Questions that cannot be answered: exit code 2, a message that says what to do, and never a traceback."""

from pathlib import Path

import pytest

from tests.commands import Run, written

DAY = ("--partition", "2026-10-01")
CHECK = ("check", "cases.yaml", "good.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["lint", "nowhere"], "no contract 'nowhere'; data/contracts has no contract", id="unknown name"),
        pytest.param(["lint", "./nowhere"], "nowhere: the contract file cannot be read: No such file or directory", id="missing file"),
        pytest.param(["lint", ""], "no contract ''; data/contracts has no contract", id="empty name"),
        pytest.param(["lint", "empty"], "empty: the folder holds no contract file (*.yaml)", id="empty folder"),
        pytest.param(["lint", "binary.yaml"], "binary.yaml:1:1: the file is not UTF-8", id="binary file"),
        pytest.param(["show", "empty.yaml"], "empty.yaml:1:1: the file is empty", id="empty file"),
        pytest.param(["show", "./empty"], "empty: the contract file cannot be read: Is a directory", id="folder as contract"),
        pytest.param(["check", "cases.yaml", "nowhere.csv", *DAY], "delivery nowhere.csv: is not there", id="missing delivery"),
        pytest.param(["check", "cases.yaml", "good.csv/x.csv", *DAY], "delivery good.csv/x.csv: is not there", id="below a file"),
        pytest.param(["check", "cases.yaml", "empty", *DAY], "delivery empty: holds no file that could be 'csv'", id="P03 no file"),
        pytest.param(["check", "cases.yaml", "x" * 300, *DAY], f"delivery {'x' * 300}: cannot be read: File name too long", id="name too long"),
        pytest.param(["check", "cases.yaml", "good.csv", "good.csv", *DAY], "delivery good.csv: was given more than once", id="one file twice"),
        pytest.param([*CHECK], "contract 'cases' 1.0.0: the contract is partitioned, and no partition was named", id="no partition"),
        pytest.param([*CHECK, "--partition", "yesterday"], "contract 'cases' 1.0.0: the partition is no day", id="bad partition"),
        pytest.param([*CHECK, "--partition", "../../etc"], "contract 'cases' 1.0.0: the partition is no day", id="P13 hostile partition"),
        pytest.param([*CHECK, "--partition", "9999-12-31"], "contract 'cases' 1.0.0: the partition ends after the last day of the calendar, 9999-12-31", id="last partition of all"),
        pytest.param([*CHECK, *DAY, "--as-of", "soon"], "--as-of: is no moment in ISO 8601", id="bad moment"),
        pytest.param([*CHECK, *DAY, "--as-of", ""], "--as-of: is no moment in ISO 8601", id="empty moment"),
        pytest.param(["status", "--as-of", "2026-99-99"], "--as-of: is no moment in ISO 8601", id="bad moment of a status"),
        pytest.param(["status"], "data/contracts: holds no contract", id="P05 no contracts"),
        pytest.param(["status", "nowhere"], "no contract 'nowhere'; data/contracts has no contract", id="unknown contract"),
        pytest.param(["decisions", "nowhere"], "no contract 'nowhere'; data/contracts has no contract", id="decisions about an unknown contract"),
        pytest.param(["publish", "cases.yaml", "good.csv", *DAY, "--root", "good.csv"], "candidates good.csv/candidates/cases: cannot be written or read: Not a directory", id="root that is a file"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_a_question_that_cannot_be_answered(
    run: Run, tmp_path: Path, arguments: list[str], message: str, options: list[str]
) -> None:
    (tmp_path / "empty").mkdir()
    written(
        tmp_path,
        binary_yaml=b"\xff\x00",
        empty_yaml="",
    )
    code, out, err = run(*arguments, *(options if arguments[0] != "lint" else []))
    first, *_, last = err.replace(f"{tmp_path}/", "").splitlines()
    assert (code, out, first, last[:4]) == (2, "", message, "    ")
    assert "Traceback" not in err
    assert "fault of ours" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([], id="nothing"), pytest.param(["bogus"], id="unknown command"), pytest.param(["--verson"], id="unknown option"),
        pytest.param(["check"], id="no contract"), pytest.param(["check", "cases.yaml"], id="no path"), pytest.param(["check", "cases.yaml", ""], id="empty path"),
        pytest.param([*CHECK, "--bogus"], id="unknown option of a command"), pytest.param([*CHECK, "--partition"], id="option without value"),
        pytest.param([*CHECK, "--root", ""], id="empty root"), pytest.param(["schema", "x"], id="one argument too many"), pytest.param(["lint"], id="nothing to lint"),
    ],
)  # fmt: skip
def test_wrong_usage_leaves_with_2(run: Run, arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, bool(out + err), "Traceback" in out + err) == (2, True, False)


class Panic(BaseException):
    """What a library in Rust raises when it panics: no Exception."""


@pytest.mark.parametrize("error", [RuntimeError, Panic, RecursionError, MemoryError])
def test_a_fault_of_ours_says_where_and_never_what(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """S1-063."""

    def failing(*_: object) -> None:
        raise error("s3cret")

    monkeypatch.setattr("contract_core.publication.submit.validate", failing)
    code, out, err = run("check", "cases.yaml", "good.csv", *DAY)
    assert (code, out) == (2, "")
    assert err.splitlines()[0].startswith("contract-gate stopped at contract_core.publication.submit:")
    assert err.splitlines()[0].endswith(f": {error.__name__}")
    assert "s3cret" not in err


def test_an_interruption_is_no_broken_promise(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("contract_core.publication.submit.validate", interrupted)
    assert run("check", "cases.yaml", "good.csv", *DAY)[:2] == (130, "")


def test_a_folder_that_may_not_be_read_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/s3cret")

    monkeypatch.setattr(Path, "iterdir", denied)
    assert run("lint", ".") == (
        2,
        "",
        "input or output failed: Permission denied\n    nothing more was done; repair it and try again\n",
    )
