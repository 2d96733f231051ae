"""The command line says no value, on either stream, whatever a delivery breaks; in real processes too, where Rust prints panics."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from deltalake.exceptions import DeltaError

from tests.commands import Run
from tests.privacy.planting import (
    AS_OF,
    BY_ID,
    DAMAGES,
    DAY,
    LABELS,
    PLANTED,
    Heard,
    Planted,
    cases,
    published,
    put,
)  # fmt: skip

AT = ("--as-of", AS_OF.isoformat())
ASKED = (
    ("decisions",), ("decisions", "--json"), ("decisions", "cases", "--partition", DAY), ("status",), ("status", "--json"), ("metrics",), ("metrics", "--json"),
    ("reconcile", "--dry-run"), ("reconcile", "--json"), ("clean",), ("clean", "--as-of", "2029-01-01", "--remove", "--json"),
    ("constrain", "cases"), ("constrain", "cases", "--apply", "--json"), ("show", "cases", "--enforcement"),
    ("show", "cases", "--enforcement", "--json"), ("lint", "cases"), ("compare", "cases", "--partition", DAY),
    ("compare", "cases", "--partition", DAY, "--json"), ("request", "cases", "--partition", DAY, "--by", "us", "--reference", "T-1"),
)  # fmt: skip


def offered(run: Run, root: Path, planted: Planted, *asked: tuple[str, ...]) -> Iterator[tuple[str, int, str, str]]:
    """What is said when the delivery is handed in, after the one that was published before."""
    if (before := planted.before) is not None:
        yield "earlier", *run("publish", "cases", before.laid_out(root), "--partition", before.partition)
    landing = planted.laid_out(root)
    for command, *options in asked:
        yield command, *run(command, "cases", landing, "--partition", planted.partition, *AT, *options)


@pytest.mark.parametrize("planted", cases())
def test_a_delivery_is_judged_without_a_word_of_it(run: Run, tmp_path: Path, planted: Planted) -> None:
    """S1-063, S1-064, S1-092, S2-044, S3-015, S3-016."""
    heard, codes, document = Heard(), dict[str, int](), dict[str, list[dict[str, str]]]()
    for command, code, out, err in offered(run, tmp_path / "data", planted, ("check", "--json"), ("publish",)):
        heard.add(command, out + err)
        codes[command] = code
        document = json.loads(out) if command == "check" else document
    broken = [finding for finding in document["findings"] if finding["outcome"] == "breached"]
    if planted.breaks - {finding["rule"] for finding in broken} - {finding["id"] for finding in broken} or codes.get(
        "earlier"
    ):
        pytest.fail(f"not what was to be planted: {heard.pieces}")
    assert heard.leaks(planted.markers) == []


def test_every_rule_that_a_value_can_break_is_planted() -> None:
    assert LABELS - {rule for planted in PLANTED for rule in planted.breaks} == set()


AFTER = (
    "rows, csv, fail, replace_partition", "rows, csv, quarantine, replace_partition", "rows, parquet, quarantine, upsert",
    "rows, csv, warn, append", "a manifest of mistakes", "an envelope of mistakes", "published rows that break a new rule",
    "a key that is published already, csv, fail", "data that is damaged, ipc",
)  # fmt: skip


@pytest.mark.parametrize("planted", cases(BY_ID[name] for name in AFTER))
def test_what_was_decided_is_told_without_a_word_of_it(run: Run, tmp_path: Path, planted: Planted) -> None:
    """S1-090, S1-091, S1-092."""
    heard = Heard()
    for command, _, out, err in offered(run, tmp_path / "data", planted, ("check",), ("publish", "--json")):
        heard.add(command, out + err)
    for arguments in ASKED:
        _, out, err = run(*arguments)
        heard.add(" ".join(arguments), out + err)
    assert heard.leaks(planted.markers) == []


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_told_without_a_word_of_it(run: Run, tmp_path: Path, damage: str) -> None:
    """S1-063, S1-092, S1-093."""
    planted, heard, root = published(damage), Heard(), tmp_path / "data"
    for command, code, out, err in offered(run, root, planted, ("publish",)):
        assert code == 0, (command, out, err)
    DAMAGES[damage](root, planted.markers)
    for command, _, out, err in offered(run, root, planted, ("check",), ("publish",)):
        heard.add(command, out + err)
    for arguments in ASKED[::3]:
        _, out, err = run(*arguments)
        heard.add(" ".join(arguments), out + err)
    assert heard.leaks(planted.markers) == []


@pytest.mark.parametrize(
    "failure", [Exception, DeltaError, pl.exceptions.PanicException], ids=lambda kind: kind.__name__
)
@pytest.mark.parametrize("place", ["publication.commits.write_deltalake", "publication.submit.validate"])
def test_a_failure_is_told_without_the_words_of_a_library(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, failure: type[BaseException]
) -> None:
    """S1-063. The first is caught inside the core, the second by nothing but the edge."""
    planted, heard = published(f"{place} fails with {failure.__name__}"), Heard()

    def failing(*_: object, **__: object) -> None:
        raise failure(planted.markers.text("the library's words"))

    monkeypatch.setattr(f"contract_core.{place}", failing)
    for command, code, out, err in offered(run, tmp_path / "data", planted, ("publish",)):
        heard.add(command, out + err)
        assert code == 2
    for arguments in ASKED[:4]:
        heard.add(" ".join(arguments), "".join(map(str, run(*arguments))))
    assert heard.leaks(planted.markers) == []


IN_A_PROCESS = (
    "rows, csv, quarantine, replace_partition", "rows, jsonl, fail, replace_partition", "rows, parquet, warn, upsert",
    "rows, ipc, fail, replace_partition", "an envelope of mistakes", "a manifest of mistakes", "data that is damaged, parquet",
)  # fmt: skip


@pytest.mark.parametrize("planted", cases(BY_ID[name] for name in IN_A_PROCESS))
def test_a_real_process_says_nothing_more_and_leaves_nothing_in_the_place_for_temporary_files(
    tmp_path: Path, planted: Planted
) -> None:
    """S1-063: a panic in Rust is printed by Rust itself. The candidate that `check` takes lies there for as long as it runs."""
    heard, root, temporary = Heard(), tmp_path / "data", tmp_path / "temporary"
    temporary.mkdir()
    landing = planted.laid_out(root)
    command = "publish" if "upsert" in planted.id else "check"
    ended = _process(tmp_path, command, "cases", str(landing), "--partition", planted.partition, *AT)
    heard.add(command, ended.stdout + ended.stderr)
    assert ended.returncode in (0, 1), ended.stderr
    assert heard.leaks(planted.markers) == []
    assert list(temporary.iterdir()) == []


def test_a_real_process_is_refused_by_the_table_and_tells_no_row(run: Run, tmp_path: Path) -> None:
    """S1-063. A constraint of somebody else's refuses rows that the gate lets through, and delta-rs quotes them."""
    damage = "a constraint by somebody else"
    planted, heard, root = published(damage), Heard(), tmp_path / "data"
    for command, code, out, err in offered(run, root, planted, ("publish",)):
        assert code == 0, (command, out, err)
    DAMAGES[damage](root, planted.markers)
    again = {name: content + b"\n" for name, content in planted.files.items()}
    landing = put(root, planted.contract, {"again.csv": next(iter(again.values())).rstrip() + b"\n"})
    (tmp_path / "temporary").mkdir()
    ended = _process(tmp_path, "publish", "cases", str(landing), "--partition", DAY, *AT)
    heard.add("publish", ended.stdout + ended.stderr)
    assert (ended.returncode, "does not take the rows" in ended.stderr) == (2, True)
    assert heard.leaks(planted.markers) == []


def _process(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _python(folder, "-m", "contract_core.cli", *arguments)


def _python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("CONTRACT_GATE_", "RUST_"))}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=own | {"TMPDIR": str(folder / "temporary"), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


STOPPED = """\
import os, signal
from contract_core import cli
from contract_core.publication import submit
submit.validate = lambda *_: os.kill(os.getpid(), signal.{0})
cli.main(["check", "cases", {1!r}, "--partition", {2!r}])
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_check_that_is_stopped_leaves_no_row_in_the_place_for_temporary_files(tmp_path: Path, name: str) -> None:
    """S1-063. Nobody looks for candidates there, and `clean` does not either."""
    planted, temporary = published(f"a check that gets {name}"), tmp_path / "temporary"
    temporary.mkdir()
    landing = planted.laid_out(tmp_path / "data")
    ended = _python(tmp_path, "-c", STOPPED.format(name, str(landing), planted.partition))
    if ended.returncode == 0 or planted.markers.found_in(ended.stdout + ended.stderr):
        pytest.fail(f"it was not stopped in silence: {ended}")
    assert list(temporary.rglob("*.parquet")) == []
