"""The command line: every command, its exit codes, its documents."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import CASES, Run, written
from tests.publication.samples import publications

ROOT = Path(__file__).parents[1]
OF_FINDINGS = {"id", "rule", "field", "layer", "severity", "outcome", "breaches", "details", "message", "next_step"}
OF_DECISIONS = {
    "submission", "contract", "version", "partition", "decision", "outcome", "rules", "warnings", "rows", "received_at", "decided_at",
    "published_at", "table_version", "superseded_by", "superseded_at", "quarantined", "reason", "restated", "effort", "requests", "confirmations",
}  # fmt: skip
DAY = ("--partition", "2026-10-01")


def document(run: Run, *arguments: str, code: int = 0) -> Any:
    """The one JSON document on standard output, with nothing on standard error."""
    found, out, err = run(*arguments, "--json")
    assert (found, err) == (code, "")
    return json.loads(out)


def test_lint_of_contracts_without_problems(run: Run) -> None:
    assert run("lint", "cases.yaml") == (0, "1 contract without problems\n", "")
    assert run("lint", "cases.yaml", ".") == (0, "2 contracts without problems\n", "")


OWNED = "grain: One row per region.\nowners: {producer: {name: p}, consumers: [{name: c}]}\n"


def test_show_tells_where_a_change_is_held_up(run: Run, tmp_path: Path) -> None:
    """[S1-003] [S1-004] [S1-006] Beside the gate and the target: the version gate, and persons."""
    terms = "changes: {authority: data_board, approvals: [p], migration: They get three months and a view under the old names.}\n"
    written(tmp_path, terms_yaml=CASES + OWNED + "status: active\n" + terms)
    _, out, _ = run("show", "terms.yaml", "--enforcement")
    told = [line.split(": ", 2)[2] for line in out.splitlines() if line.startswith("  changes: ")]
    assert told == [
        "judged under the profile default",
        "a breaking change leaves this version supported for 30 days",
        "a breaking change is approved, on record, by every consumer whom it breaks, p",
        "what protects consumers is loosened only with the approval of data_board",
        "whether a new wording of semantics or population means the same is said by its author, on record",
        "consumers of the old behaviour: They get three months and a view under the old names.",
    ]


def test_show_tells_what_constraints_cannot_give(run: Run, tmp_path: Path) -> None:
    """[S1-009] Freshness, consumers and their migration, and recovery are sections of the contract."""
    sections = "freshness: {column: day, max_age: 2d}\nrecovery: The region delivers again.\nchanges: {migration: A view for a month.}\n"
    written(tmp_path, whole_yaml=CASES + OWNED + sections)
    lines = run("show", "whole.yaml")[1].splitlines()
    assert {"  recovery: The region delivers again.", "  migration: A view for a month.", "  consumers: c"} <= set(
        lines
    )
    assert any(line.startswith("    freshness") for line in lines)


def test_lint_tells_every_problem_of_every_file(run: Run, tmp_path: Path) -> None:
    written(tmp_path, a_yaml=CASES.replace("1.0.0", "1"), b_yaml="contract: [\n")
    code, out, err = run("lint", "a.yaml", "cases.yaml", "b.yaml", "nowhere.yaml")
    assert (code, out) == (2, "")
    assert [line.partition(": ")[0] for line in err.splitlines() if not line.startswith(" ")] == [
        "a.yaml:2:10",
        "b.yaml:2:1",
        "nowhere.yaml",
    ]


def test_show_tells_a_contract(run: Run) -> None:
    """S3-024."""
    code, out, err = run("show", "cases.yaml")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "cases 1.0.0 (draft)"
    assert {
        "    count: integer",
        "      count.range: 'count' is at least 0",
        "  on breach: fail",
        "    key: (region, day) is unique",
    } <= set(out.splitlines())


def test_show_gives_the_contract_as_a_document(run: Run) -> None:
    shown = document(run, "show", "cases.yaml")
    assert (shown["contract"], shown["fields"][2]["min"], shown["delivery"]["partition"]["start"]) == (
        "cases",
        0,
        "2026-10-01",
    )


@pytest.mark.parametrize(
    ("delivery", "code", "verdict", "breaches"),
    [
        pytest.param("good.csv", 0, "publish", {}, id="kept"),
        pytest.param("bad.csv", 1, "refuse", {"count.type": 1, "count.range": 1, "key": 1}, id="broken"),
    ],
)
def test_check_gives_one_document(run: Run, delivery: str, code: int, verdict: str, breaches: dict[str, int]) -> None:
    """S1-090."""
    found = document(run, "check", "cases.yaml", delivery, *DAY, "--as-of", "2026-10-02T09:00:00+02:00", code=code)
    assert set(found) == {
        "restated",
        "contract",
        "version",
        "contract_digest",
        "partition",
        "submission",
        "candidate",
        "as_of",
        "verdict",
        "rows",
        "layers",
        "findings",
        "parts",
        "unverified",
        "reasons",
        "quarantined",
        "explanations",
        "effort",
    }
    assert (found["contract"], found["version"], found["partition"], found["verdict"], found["as_of"]) == (
        "cases",
        "1.0.0",
        "2026-10-01",
        verdict,
        "2026-10-02T09:00:00+02:00",
    )
    assert {frozenset(finding) for finding in found["findings"]} == {frozenset(OF_FINDINGS)}
    assert {
        finding["id"]: finding["breaches"] for finding in found["findings"] if finding["outcome"] == "breached"
    } == breaches


def test_check_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert run("check", "cases.yaml", "bad.csv", *DAY)[0] == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_moment_without_zone_is_one_in_utc(run: Run) -> None:
    assert (
        document(run, "check", "cases.yaml", "good.csv", *DAY, "--as-of", "2026-10-02")["as_of"]
        == "2026-10-02T00:00:00+00:00"
    )


def test_publish_publishes_what_is_accepted_once(run: Run, tmp_path: Path) -> None:
    """S1-066, P11."""
    first, again = (document(run, "publish", "cases.yaml", "good.csv", *DAY, "--root", "data") for _ in range(2))
    (version,) = publications(tmp_path / "data" / "published" / "cases")
    assert (first["decision"], first["publication"]["version"], first["publication"]["already_published"]) == (
        "publish",
        version,
        False,
    )
    assert set(first["publication"]) == {
        "table", "version", "rows", "quarantined", "already_published", "superseded_by",
    }  # fmt: skip
    assert (again["submission"], again["publication"]["version"], again["publication"]["already_published"]) == (
        first["submission"],
        version,
        True,
    )


def test_publish_refuses_with_a_document(run: Run, tmp_path: Path) -> None:
    """S1-001, S1-013."""
    found = document(run, "publish", "cases.yaml", "bad.csv", *DAY, "--root", "data", code=1)
    assert (found["decision"], found["publication"], (tmp_path / "data" / "published").exists()) == (
        "refuse",
        None,
        False,
    )


def test_decisions_and_status_tell_a_refusal_from_a_publication(run: Run, tmp_path: Path) -> None:
    """S1-091."""
    (tmp_path / "data" / "contracts").mkdir(parents=True)
    written(tmp_path / "data" / "contracts", cases_yaml=CASES)
    run("publish", "cases", "good.csv", *DAY, "--root", "data")
    run("publish", "cases", "bad.csv", "--partition", "2026-10-02", "--root", "data")
    decided = document(run, "decisions", "cases", "--root", "data")
    assert ({frozenset(entry) for entry in decided}, [entry["outcome"] for entry in decided]) == (
        {frozenset(OF_DECISIONS)},
        ["published", "refused"],
    )
    (state,) = document(run, "status", "--root", "data", "--as-of", "2026-10-03T00:00:00Z")
    assert set(state) == {
        "contract", "version", "partitions", "newest", "age_seconds", "ahead_seconds", "stale", "quarantined", "deadlines", "quiet", "refused",
        "silence_seconds", "stale_because", "coverage", "incidents", "requests",
    }  # fmt: skip
    assert (
        state["partitions"],
        state["newest"]["partition"],
        state["age_seconds"],
        state["stale"],
        len(state["refused"]),
    ) == (1, "2026-10-01", 172_800, None, 1)
    assert run("status", "cases", "--root", "data")[1].startswith("cases 1.0.0: shows 2026-10-01, ")
    assert [line.split("  ")[4] for line in run("decisions", "--root", "data")[1].splitlines()] == [
        "published",
        "refused",
    ]


DUE = CASES + '  due: {by: "09:00", days_after: 1, calendar: weekdays}\n'


def test_status_tells_what_is_overdue_although_nothing_arrived(run: Run, tmp_path: Path) -> None:
    """[S2-041] Wednesday's partition is missing on Friday; Thursday's came late; nothing is due at a weekend."""
    (tmp_path / "data" / "contracts").mkdir(parents=True)
    written(tmp_path / "data" / "contracts", cases_yaml=DUE.replace("2026-10-01", "2026-09-30"))
    run("publish", "cases", "good.csv", *DAY, "--root", "data", "--as-of", "2026-10-02T11:00:00Z")
    code, out, err = run("status", "--root", "data", "--as-of", "2026-10-05T08:00:00Z")
    assert (code, out.splitlines()[2:-2], err) == (
        0,
        [
            "    .L~~~~  2026-09-30 to 2026-10-05",
            "    overdue  2026-09-30 is missing, due 2026-10-01 09:00Z, 3d 23h ago",
            "             deliver the partition: nothing of it has arrived",
            "             to act: nobody is named: the contract has no owners",
            "    late: 1 of the newest 6; the last was 2026-10-01, by 2h",
            "    due next: 2026-10-02, by 2026-10-05 09:00Z",
        ],
        "",
    )
    (state,) = document(run, "status", "--root", "data", "--as-of", "2026-10-05T08:00:00Z")
    overdue = {
        "partition": "2026-09-30", "state": "missing", "due_at": "2026-10-01T09:00:00+00:00", "received_at": None,
        "overdue": True, "delay_seconds": 342_000,
    }  # fmt: skip
    assert state["deadlines"]["overdue"] == [overdue]
    assert (state["deadlines"]["looked_at"], state["deadlines"]["is_all"]) == (6, True)


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        pytest.param("", 0, "   warn  deadline: broken: it is there by 09:00 UTC on weekdays, 1 day after its partition; it came 2h late", id="warns"),
        pytest.param(", severity: error", 1, "  error  deadline: broken: it is there by 09:00 UTC on weekdays, 1 day after its partition; it came 2h late", id="holds back"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["check", "publish"])
def test_a_late_delivery_says_so(run: Run, tmp_path: Path, command: str, more: str, code: int, said: str) -> None:
    """[S2-041]"""
    written(tmp_path, due_yaml=DUE.replace("weekdays", f"weekdays{more}"))
    found, out, _ = run(command, "due.yaml", "good.csv", *DAY, "--as-of", "2026-10-02T11:00:00Z")
    assert (found, said in out.splitlines()) == (code, True)


def test_a_check_for_a_moment_to_come_says_what_would_be_late(run: Run, tmp_path: Path) -> None:
    written(tmp_path, due_yaml=DUE)
    found = document(run, "check", "due.yaml", "good.csv", *DAY, "--as-of", "2099-10-02T11:00:00Z")
    assert [item["outcome"] for item in found["findings"] if item["id"] == "deadline"] == ["breached"]


def test_show_says_who_watches_a_deadline(run: Run, tmp_path: Path) -> None:
    """[S2-041] [S1-003]"""
    written(tmp_path, due_yaml=DUE)
    lines = run("show", "due.yaml", "--enforcement")[1].splitlines()
    said = "it is about when a delivery comes; where none comes, `status` and the scheduled check `deadline` tell"
    assert f"  deadline: gate, before publication (only warns); not on the target: {said}" in lines


def test_a_list_of_parts_does_not_change_under_an_active_version(run: Run, tmp_path: Path) -> None:
    """[S1-003] The file of the contract is as it was; what it promises is not."""
    parts = "  parts: {from: column, column: region, required_file: regions.csv}\n"
    written(tmp_path, active_yaml=CASES + parts + OWNED + "status: active\n", regions_csv="name\nNL\nBE\n")
    assert run("publish", "active.yaml", "good.csv", *DAY, "--root", "data")[0] == 0
    written(tmp_path, regions_csv="name\nNL\nBE\nDE\n")
    code, out, err = run("publish", "active.yaml", "good.csv", *DAY, "--root", "data")
    assert (code, out) == (2, "")
    assert err.startswith("contract 'cases' 1.0.0: decisions were taken under digest ")


def test_nothing_decided_yet(run: Run) -> None:
    assert run("decisions", "--root", "data") == (0, "nothing was decided yet\n", "")
    assert document(run, "decisions", "--root", "data") == []


def test_schema_prints_the_language(run: Run) -> None:
    """S3-028."""
    code, out, err = run("schema")
    assert (code, json.loads(out)["title"], err) == (0, "contract-gate contract", "")


def test_the_root_comes_from_the_environment(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTRACT_GATE_ROOT", "elsewhere")
    monkeypatch.setenv("CONTRACT_GATE_CONTRACTS", ".")
    assert run("publish", "cases", "good.csv", *DAY)[0] == 0
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == ["candidates", "ledger", "published"]


@pytest.mark.parametrize("command", ["", "lint", "show", "check", "publish", "decisions", "status", "schema"])
def test_every_command_explains_itself(run: Run, command: str) -> None:
    code, out, _ = run(*filter(None, [command]), "--help")
    assert (code, "Usage:" in out) == (0, True)


def test_a_reader_that_goes_away_is_no_broken_promise(run: Run, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "contract_core.cli", "schema"]
    ended = subprocess.run(command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (2, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_output_that_cannot_be_written_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "contract_core.cli", "schema"],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (ended.returncode, ended.stderr.splitlines()[0]) == (2, "input or output failed: No space left on device")


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_document_is_json_in_every_encoding_of_the_terminal(run: Run, tmp_path: Path, encoding: str) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9\xff.csv")).write_bytes(b"\xff")
    (tmp_path / "ü.yaml").write_text(
        CASES.replace("contract: cases\n", "contract: cases\ndescription: Fälle\n"), "utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "contract_core.cli",
        "check",
        "ü.yaml",
        os.fsdecode(b"caf\xe9\xff.csv"),
        *DAY,
        "--json",
    ]
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment, check=False)
    assert (ended.returncode, json.loads(ended.stdout.decode(encoding))["findings"][0]["breaches"], ended.stderr) == (
        1,
        1,
        b"",
    )


def test_clean_says_what_would_go_and_removes_it_only_when_told(run: Run, tmp_path: Path) -> None:
    """S1-071: a command for the cleanup policy, dry run first; what was decided last stays."""
    written(tmp_path, cases_yaml=CASES)
    places = ("--root", str(tmp_path / "root"))
    for count in (-1, -2):
        written(tmp_path, cases_csv=f"region,day,count\nNL,2026-10-01,{count}\n")
        assert document(run, "publish", "cases.yaml", "cases.csv", *DAY, *places, code=1)["publication"] is None
    later = ("clean", "cases.yaml", *places, "--as-of", "2099-01-01")
    candidates = tmp_path / "root" / "candidates" / "cases"

    def told(*more: str) -> list[tuple[bool, int, int]]:
        plans = document(run, *later, *more)
        return [(plan["removed"], len(plan["goes"]), plan["stays"]) for plan in plans if plan["kind"] == "candidates"]

    assert (told(), len(list(candidates.glob("*.parquet")))) == ([(False, 1, 1)], 2)
    assert (told("--remove"), len(list(candidates.glob("*.parquet")))) == ([(True, 1, 1)], 1)
    assert told() == [(False, 0, 1)]
    assert run(*later)[:2] == (0, "cases: candidates: 0 may go, 0 bytes; 1 stay\n")
