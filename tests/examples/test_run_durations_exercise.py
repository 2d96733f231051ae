"""The exercise of the two workers as one table, through the command line: what each change of the baseline leads to, and what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Run, runner
from tests.examples.offering import DATA

DAY = "2026-10-01"
FETCH = "fetch the missing part and deliver the partition again"
WAIT = "wait until the producer declares every part complete, then take the delivery again"
ONE_EACH = "find out which source repeats the key and deliver one row for each"
CONVERT = "convert at the source and declare the contract's unit"
ELSEWHERE = "deliver these rows under the partition they belong to"


def attempt(run_id: str, duration_ms: int, day: str = DAY) -> dict[str, Any]:
    return {"run_id": run_id, "day": day, "duration_ms": duration_ms}


def part(*rows: dict[str, Any], complete: bool = True) -> dict[str, Any]:
    return {"complete": complete, "rows": list(rows)}


A, B = part(attempt("r1", 1200)), part(attempt("r2", 800))


def batch(unit: str = "ms", **workers: dict[str, Any]) -> dict[str, Any]:
    parts = {f"worker-{name}": stated for name, stated in workers.items()}
    return {"contract": "run_durations/v1", "day": DAY, "unit": unit, "partitions": parts}


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    return runner(capfd)


@pytest.mark.parametrize(
    ("document", "verdict", "rows", "told"),
    [
        pytest.param(batch(a=A, b=B), "publish", 2, {}, id="baseline"),
        pytest.param(batch(a=A), "refuse", 1, {"coverage.missing": FETCH}, id="B is missing"),
        pytest.param(batch(a=A, b=part(attempt("r2", 800), complete=False)), "refuse", 2, {"completeness": WAIT}, id="B is incomplete"),
        pytest.param(batch(a=A, b=part(complete=False)), "refuse", 1, {"completeness": WAIT}, id="B is empty so far"),
        pytest.param(batch(a=A, b=part(attempt("r1", 800))), "refuse", 2, {"key": ONE_EACH}, id="one identity in both parts"),
        pytest.param(batch(unit="s", a=A, b=B), "refuse", 2, {"unit": CONVERT}, id="another unit"),
        pytest.param(batch(a=A, b=part(attempt("r2", 800, day="2026-09-30"))), "refuse", 2, {"partition": ELSEWHERE}, id="one row of the day before"),
        pytest.param(batch(a=A, b=part()), "publish", 1, {}, id="B is complete and empty"),
        pytest.param(batch(a=part(), b=part()), "publish", 0, {}, id="both are complete and empty"),
    ],
)  # fmt: skip
def test_each_change_of_the_baseline_leads_to_its_verdict_and_names_the_repair(
    tmp_path: Path, run: Run, document: dict[str, Any], verdict: str, rows: int, told: dict[str, str]
) -> None:
    """[S2-043] [S2-030] Verdict, findings and what to do were written down before; a code of 1 where it is refused, and nothing published."""
    file = tmp_path / "2026-10-01.json"
    file.write_text(json.dumps(document))
    contract, where = DATA / "contracts" / "run_durations.yaml", ("--partition", DAY, "--root", tmp_path / "root")
    code, out, _ = run("publish", contract, file, *where, "--json")
    report = json.loads(out)
    open_ = {item["id"]: item["next_step"] for item in report["findings"] if item["outcome"] != "kept"}
    assert (report["verdict"], report["rows"], open_) == (verdict, rows, told)
    assert (code, report["publication"] is None) == ((0, False) if verdict == "publish" else (1, True))


@pytest.mark.parametrize(
    ("document", "action"),
    [
        pytest.param(batch(a=A), FETCH, id="retrieve the missing partition"),
        pytest.param(batch(a=A, b=part(complete=False)), WAIT, id="wait for completion"),
        pytest.param(batch(a=A, b=A), ONE_EACH, id="resolve the duplicate identity"),
    ],
)
def test_what_a_person_reads_ends_with_what_to_do(
    tmp_path: Path, run: Run, document: dict[str, Any], action: str
) -> None:
    """[S2-030]"""
    file = tmp_path / "2026-10-01.json"
    file.write_text(json.dumps(document))
    code, out, _ = run("check", DATA / "contracts" / "run_durations.yaml", file, "--partition", DAY)
    assert (code, f"         {action}" in out.splitlines()) == (1, True)
