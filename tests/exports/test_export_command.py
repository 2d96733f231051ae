"""The command: prints, writes, or says which file drifted from which contract and how to mend it."""

from pathlib import Path

import pytest

from contract_core.exports.formats import FORMATS
from tests.commands import CASES, Run

FILES = [name for name, item in FORMATS.items() if not item.is_folder]


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_printed_written_and_found_equal(run: Run, tmp_path: Path, name: str) -> None:
    """[S4-010]"""
    code, printed, notes = run("export", "cases.yaml", "--format", name)
    assert (code, "contract-gate" in printed, "cases" in printed, "1.0.0" in printed) == (0, True, True, True)
    assert printed.endswith("\n")
    assert [line for line in notes.splitlines() if not line.startswith("note: `")] == []
    assert run("export", "cases.yaml", "--format", name, "--out", "made") == (0, "", notes)
    assert (tmp_path / "made").read_text("utf-8") == printed
    assert run("export", "cases.yaml", "--format", name, "--out", "made", "--check") == (0, "", notes)


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_stale_after_a_change_of_the_contract(run: Run, tmp_path: Path, name: str) -> None:
    """[S4-009] [S4-010] [S1-043] A file that was generated from another version fails the check."""
    run("export", "cases.yaml", "--format", name, "--out", "made")
    before = (tmp_path / "made").read_bytes()
    changed = CASES.replace("1.0.0", "1.1.0").replace(
        "fields:\n", "fields:\n  - {name: added, type: date, nullable: true}\n"
    )
    (tmp_path / "cases.yaml").write_text(changed)
    code, told, _ = run("export", "cases.yaml", "--format", name, "--out", "made", "--check")
    assert code == 1
    assert told.splitlines()[0].startswith("made: differs")
    assert told.splitlines()[0].endswith(f"what contract 'cases' 1.1.0 gives as {name}")
    assert told.splitlines()[-1] == f"    mend it: contract-gate export cases.yaml --format {name} --out made"
    assert (tmp_path / "made").read_bytes() == before


def test_the_command_that_mends_it_does(run: Run, tmp_path: Path) -> None:
    """[S4-010]"""
    (tmp_path / "made file").write_text("# contract-gate\n")
    _, told, _ = run("export", "cases.yaml", "--format", "avro", "--out", "made file", "--check", "--root", ".")
    assert (
        told.splitlines()[-1] == "    mend it: contract-gate export cases.yaml --format avro --out 'made file' --root ."
    )
    run("export", "cases.yaml", "--format", "avro", "--out", "made file", "--root", ".")
    assert run("export", "cases.yaml", "--format", "avro", "--out", "made file", "--check")[0] == 0


def test_an_edit_by_hand_is_drift_and_is_shown(run: Run, tmp_path: Path) -> None:
    """[S4-009] The contract is untouched, what was generated from it is not."""
    run("export", "cases.yaml", "--format", "json-schema", "--out", "made")
    text = (tmp_path / "made").read_text()
    (tmp_path / "made").write_text(text.replace('"minimum": 0', '"minimum": -1'))
    code, told, _ = run("export", "cases.yaml", "--format", "json-schema", "--out", "made", "--check")
    assert code == 1
    assert '    -      "minimum": -1,' in told.splitlines()
    assert '    +      "minimum": 0,' in told.splitlines()


def test_a_missing_file_is_drift(run: Run, tmp_path: Path) -> None:
    code, told, _ = run("export", "cases.yaml", "--format", "avro", "--out", "made", "--check")
    assert (code, told.splitlines()[0].partition(";")[0], (tmp_path / "made").exists()) == (
        1,
        "made: is not there",
        False,
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--format", "avro", "--check"), "--check: has no file to look at\n    name it: --out FILE\n"),
        (
            ("--format", "avroo"),
            f"--format: 'avroo' is no format\n    did you mean 'avro'? formats: {', '.join(FORMATS)}\n",
        ),
        (("--format", "avro", "--out", "cases.yaml"), "cases.yaml: is the contract itself\n    name another file\n"),
        (("--format", "avro", "--out", "no/made"), "no: is no folder that is there\n    make it first\n"),
    ],
)
def test_a_wrong_question_is_refused(run: Run, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    code, out, err = run("export", "cases.yaml", *arguments)
    assert (code, out, err[-len(told) :]) == (2, "", told)
    assert (tmp_path / "cases.yaml").read_text() == CASES


def test_what_a_format_cannot_carry_is_named_on_standard_error(run: Run) -> None:
    _, _, notes = run("export", "cases.yaml", "--format", "json-schema")
    assert "note: `key`: it is about all rows together, and the format describes one" in notes.splitlines()


def test_help_lists_the_formats(run: Run) -> None:
    _, told, _ = run("export", "--help")
    letters = "".join(told.split())  # a line may end at the hyphen of a name
    assert [name for name in FORMATS if f"{name}:" not in letters] == []
