"""Commands under attack: places that are no files, writes that fail half way, names and texts that want to be something else."""

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
import yaml

from contract_core.bootstrap import fixtures
from contract_core.exports.formats import FORMATS
from tests.commands import CASES, Run

NO_FILES = ("fifo", "loop", "folder", "foreign.txt", "link")
DAY = ("--partition", "2026-10-01")


def places(folder: Path) -> None:
    """A pipe, a link to itself, a folder, a file of somebody else, and a link to it."""
    os.mkfifo(folder / "fifo")
    (folder / "loop").symlink_to("loop")
    (folder / "folder").mkdir()
    (folder / "foreign.txt").write_text("precious")
    (folder / "link").symlink_to("foreign.txt")


def left(folder: Path) -> list[str]:
    """What a command has left beside what was there."""
    return sorted(path.name for path in folder.iterdir() if path.name not in ("cases.yaml", "good.csv", "bad.csv"))


@pytest.mark.parametrize("place", NO_FILES)
def test_export_destroys_nothing_that_it_did_not_write(run: Run, tmp_path: Path, place: str) -> None:
    places(tmp_path)
    before = left(tmp_path)
    assert run("export", "cases.yaml", "--format", "avro", "--out", place)[0] == 2
    assert (left(tmp_path), (tmp_path / "foreign.txt").read_text()) == (before, "precious")
    assert (tmp_path / "fifo").is_fifo()
    assert (tmp_path / "loop").is_symlink()


@pytest.mark.parametrize("place", ["fifo", "folder", "foreign.txt", "link"])
def test_export_asks_about_any_place_without_waiting_for_it(run: Run, tmp_path: Path, place: str) -> None:
    places(tmp_path)
    code, out, _ = run("export", "cases.yaml", "--format", "avro", "--out", place, "--check")
    assert (code, "precious" in out) == (1, False)


def test_export_never_takes_the_place_of_a_contract(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data/contracts").mkdir(parents=True)
    (tmp_path / "data/contracts/cases.yaml").write_text(CASES)
    code, _, err = run("export", "cases", "--format", "odcs", "--out", "data/contracts/cases.yaml")
    assert (code, "does not say that contract-gate wrote it" in err) == (2, True)
    assert (tmp_path / "data/contracts/cases.yaml").read_text() == CASES


def test_export_takes_the_place_of_its_own_file_however_long_the_words_in_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(CASES + f"description: {'long ' * 2000}\n")
    for name in FORMATS:
        assert run("export", "cases.yaml", "--format", name, "--out", name)[0] == 0
        assert run("export", "cases.yaml", "--format", name, "--out", name)[0] == 0


@pytest.mark.parametrize("place", [*NO_FILES, "dangling"])
def test_infer_and_import_write_only_where_nothing_is(run: Run, tmp_path: Path, place: str) -> None:
    places(tmp_path)
    (tmp_path / "dangling").symlink_to("nowhere")
    before = left(tmp_path)
    code, out, err = run("infer", "good.csv", "--name", "cases", "--out", place)
    assert (code, out, err.splitlines()[0]) == (2, "", f"{place}: is there already")
    code, out, err = run("import", "cases.yaml", "--from", "odcs", "--out", place)
    assert (code, out, err.splitlines()[0]) == (2, "", f"{place}: is there already")
    assert (left(tmp_path), (tmp_path / "foreign.txt").read_text()) == (before, "precious")


def failing(*_: object) -> None:
    raise OSError(errno.ENOSPC, "no space")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("export", "cases.yaml", "--format", "avro", "--out", "made"), id="export"),
        pytest.param(("infer", "good.csv", "--name", "cases", "--out", "made"), id="infer"),
    ],
)
def test_a_file_is_whole_or_not_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setattr("contract_core.exports.artefact.os.fsync", failing)
    assert run(*arguments)[:2] == (2, "")
    assert left(tmp_path) == []


def test_a_file_is_written_where_the_file_system_has_no_second_names(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr("contract_core.exports.artefact.os.link", refuse)
    assert run("infer", "good.csv", "--name", "cases", "--out", "made")[0] == 0
    assert left(tmp_path) == ["made"]
    assert run("infer", "good.csv", "--name", "cases", "--out", "made")[0] == 2


def test_a_folder_of_fixtures_is_whole_or_not_there(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixtures, "_document", failing)
    assert run("fixtures", "cases.yaml", "good.csv", *DAY, "--out", "new/made")[:2] == (2, "")
    assert (left(tmp_path), list((tmp_path / "new").iterdir())) == (["new"], [])


def test_of_two_that_write_fixtures_at_once_one_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = fixtures._document

    def overtaken(*about: object) -> str:
        (tmp_path / "made").mkdir()
        (tmp_path / "made/first.csv").write_text("of the other")
        return written(*about)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(fixtures, "_document", overtaken)
    code, _, err = run("fixtures", "cases.yaml", "good.csv", *DAY, "--out", "made")
    assert (code, "made: holds something already" in err) == (2, True)
    assert (left(tmp_path), left(tmp_path / "made")) == (["made"], ["first.csv"])


@pytest.mark.parametrize("place", NO_FILES)
def test_fixtures_and_catalogue_write_into_no_place_that_is_taken(run: Run, tmp_path: Path, place: str) -> None:
    places(tmp_path)
    (tmp_path / "folder/x").write_text("precious")
    before = left(tmp_path)
    assert run("fixtures", "cases.yaml", "good.csv", *DAY, "--out", place)[0] == 2
    assert run("catalog", "--out", place)[0] == 2
    assert (left(tmp_path), (tmp_path / "foreign.txt").read_text()) == (before, "precious")


def test_a_sample_that_is_a_pipe_is_not_waited_for(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    code, _, err = run("fixtures", "cases.yaml", "pipe.csv", *DAY, "--out", "made")
    assert (code, err.splitlines()[0]) == (2, "pipe.csv: is no file")


def test_more_promises_than_files_can_show_are_refused_at_once(run: Run, tmp_path: Path) -> None:
    fields = "".join(f"  - {{name: f{place}, type: string}}\n" for place in range(200))
    (tmp_path / "wide.yaml").write_text(f'contract: wide\nversion: "1.0.0"\nfields:\n{fields}')
    code, _, err = run("fixtures", "wide.yaml", "good.csv", "--out", "made")
    assert (code, "contract 'wide': makes 603 promises" in err) == (2, True)


def test_more_columns_than_a_person_reads_are_refused_at_once(run: Run, tmp_path: Path) -> None:
    names, values = ",".join(f"c{place}" for place in range(2001)), ",".join(["x"] * 2001)
    (tmp_path / "wide.csv").write_text(f"{names}\n{values}\n")
    code, out, err = run("infer", "wide.csv", "--name", "wide")
    assert (code, out) == (2, "")
    assert err.startswith("delivery: has 2,001 columns, and nothing is inferred from more than 2,000\n")


CANARY = "canary"
HOSTILE = (
    "'); __import__('os').system('touch canary'); ('",
    '"); __import__("os").system("touch canary") #',
    "{__import__('os').system('touch canary')}",
    "$(touch canary)`touch canary`",
    "{{ 7*7 }}{% raw %}",
    "'; DROP TABLE x; --",
    "*/ DROP TABLE x; /*",
    "$$; DROP TABLE x; $$",
    "ends\\",
    "'''",
    '"""',
    "%s{0}{x!r}",
    "*anchor",
    "a: b # c",
    "null",
    "[x](javascript:alert(1))",
    "\u202etxt.exe",
    "a\u2028b\u0085c",
    "\u009b31m",
)
IN_TEXTS = (
    *HOSTILE,
    '"""\n__import__("os").system("touch canary")\n"""',
    "\n::error::hacked",
    "\x1b[31mred\x1b]0;title\x07",
    "\r::error::hacked",
    "```\n<script>alert(1)</script>",
)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]")


def hostile(names: tuple[str, ...], version: str = "1.0.0") -> str:
    """A contract that says the worst in every name and in every text."""
    fields = [
        {"name": name, "type": "string", "enum": [IN_TEXTS[-1 - place]]}
        | dict.fromkeys(("unit", "semantics", "description"), IN_TEXTS[-1 - place])
        for place, name in enumerate(names)
    ]
    consumers = [{"name": text, "contact": text, "relies_on": [names[0]]} for text in IN_TEXTS]
    document = {
        "contract": "hostile",
        "version": version,
        "status": "active",
        "description": IN_TEXTS[19],
        "purpose": IN_TEXTS[20],
        "grain": IN_TEXTS[21],
        "population": IN_TEXTS[22],
        "owners": {"producer": {"name": IN_TEXTS[23], "contact": IN_TEXTS[19]}, "consumers": consumers},
        "key": [names[0]],
        "fields": fields,
        "rules": [{"name": "r", "sql": "1 < 2", "description": IN_TEXTS[20]}],
        "unverified": [{"claim": IN_TEXTS[21], "evidence": IN_TEXTS[20]}],
    }
    return json.dumps(document)  # JSON is YAML


@pytest.fixture
def attacked(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "hostile.yaml").write_text(hostile(HOSTILE))
    (tmp_path / "later.yaml").write_text(hostile(HOSTILE[1:], "2.0.0"))
    return run


READERS: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("canonical", "json-schema", "openlineage", "avro"), json.loads),
    **dict.fromkeys(("dbt", "odcs"), yaml.safe_load),
}


@pytest.mark.parametrize("name", READERS)
def test_a_hostile_contract_stays_one_document(attacked: Run, name: str) -> None:
    code, out, err = attacked("export", "hostile.yaml", "--format", name)
    assert (code, isinstance(READERS[name](out), dict), UNSEEN.findall(err)) == (0, True, [])


@pytest.mark.parametrize("name", ["polars", "pydantic", "pandera"])
def test_python_generated_from_a_hostile_contract_runs_nothing_of_it(attacked: Run, tmp_path: Path, name: str) -> None:
    code, out, err = attacked("export", "hostile.yaml", "--format", name)
    ended = subprocess.run([sys.executable, "-"], input=out, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (code, ended.returncode, ended.stdout, UNSEEN.findall(err)) == (0, 0, "", [])
    assert not (tmp_path / CANARY).exists()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("show", "hostile.yaml"), id="show"),
        pytest.param(("show", "hostile.yaml", "--enforcement"), id="show --enforcement"),
        pytest.param(("lint", "hostile.yaml"), id="lint"),
        pytest.param(("check", "hostile.yaml", "hostile.csv"), id="check"),
        pytest.param(("constrain", "hostile.yaml"), id="constrain"),
        pytest.param(("diff", "hostile.yaml", "later.yaml"), id="diff"),
        pytest.param(("export", "hostile.yaml", "--format", "sql-snowflake"), id="export"),
        pytest.param(("import", "schema.json", "--from", "json-schema"), id="import"),
    ],
)
def test_no_word_of_a_contract_commands_a_terminal_or_the_reader_of_a_log(
    attacked: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "hostile.csv").write_text("a\nb\n")
    odd = {"\x1b[31m\n::error::hacked": 1}
    schema = {"type": "object", "properties": {"a": {"type": "string", **odd}}, **odd}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    _, out, err = attacked(*arguments)
    told = err if arguments[0] in ("export", "import") else out + err
    assert UNSEEN.findall(told) == []
    assert [line for line in told.splitlines() if line.lstrip().startswith("::")] == []


def test_a_wide_contract_is_exported_in_seconds_whatever_is_left_out(run: Run, tmp_path: Path) -> None:
    """Each promise is compared with its own kind and not with all others: that takes two seconds here, and took forty."""
    fields = "".join(f"  - {{name: f{place}, type: string, enum: [a], pattern: a}}\n" for place in range(2000))
    (tmp_path / "wide.yaml").write_text(f'contract: wide\nversion: "1.0.0"\nfields:\n{fields}')
    start = process_time()
    code, _, err = run("export", "wide.yaml", "--format", "polars")
    assert (code, "`*.enum`, `*.pattern`" in err, process_time() - start < 15) == (0, True, True)
