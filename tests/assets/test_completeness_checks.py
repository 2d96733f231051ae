"""Rows that keep every rule are not yet a whole delivery: coverage and completeness have checks, weights and repairs of their own."""

import json
from dataclasses import replace

import pytest

from contract_core.rendering.reports import next_step
from contract_core.validation.obligations import Layer
from contract_core.validation.report import Outcome
from tests.assets.bench import CASES, DAY, Bench, contract_of, csv, outcomes
from tests.examples.offering import offer

PARTED = f"{CASES}  manifest: required\n  parts: {{from: file, required: [cases, late]}}\n"


def declared(bench: Bench, **complete: bool) -> None:
    parts = {name: {"complete": is_whole, "file": f"{name}.csv"} for name, is_whole in complete.items()}
    folder = bench.root / "landing" / "cases" / DAY
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_manifest.json").write_text(json.dumps({"contract": "cases", "partition": DAY, "parts": parts}))


NL, BE = csv(("NL", DAY, 1)), csv(("BE", DAY, 2))


@pytest.mark.parametrize(
    ("late", "complete", "failed"),
    [
        pytest.param({}, {"cases": True}, {"coverage"}, id="a part is missing"),
        pytest.param({"late.csv": BE}, {"cases": False, "late": True}, {"completeness"}, id="a part is not complete"),
        pytest.param({}, {"cases": False}, {"coverage", "completeness"}, id="both"),
    ],
)
def test_rows_that_are_all_right_do_not_make_a_delivery_whole(
    bench: Bench, late: dict[str, str], complete: dict[str, bool], failed: set[str]
) -> None:
    """[S1-102] Every check of rows passes, and the checks that fail are those of the delivery alone."""
    bench = replace(bench, contract=contract_of(PARTED))
    declared(bench, **complete)
    for name, text in late.items():
        bench.land(NL).with_name(name).write_text(text)
    result = bench.take(NL)
    assert not result.success
    assert {name for name, passed in outcomes(result).items() if not passed} == failed


@pytest.mark.parametrize("policy", ["warn", "quarantine"])
def test_what_lets_rows_through_lets_no_part_go_missing(bench: Bench, policy: str) -> None:
    """[S1-102] Breaches of rows are told or kept apart under these terms; coverage and completeness still hold everything back."""
    contract = contract_of(f"{PARTED}enforcement: {{on_breach: {policy}}}\n")
    declared(bench, cases=False)
    path = bench.land(csv(("NL", DAY, -1), ("BE", DAY, 2)))
    offered = offer(contract, [path.parent], DAY, bench.root)
    assert (offered.verdict, set(offered.decision.reasons)) == (
        "refuse",
        {"coverage.missing", "completeness"} | ({"n.range"} if policy == "quarantine" else set()),
    )


def test_the_verdicts_on_rows_and_on_delivery_stand_apart_with_a_repair_each(bench: Bench) -> None:
    """[S1-102]"""
    declared(bench, cases=False)
    path = bench.land(NL)
    report = offer(contract_of(PARTED), [path.parent], DAY, bench.root).report
    assert report.layers() == {
        Layer.SCHEMA: Outcome.KEPT,
        Layer.ROWS: Outcome.KEPT,
        Layer.OPERATIONS: Outcome.BREACHED,
    }
    assert {finding.id: next_step(finding) for finding in report.breached()} == {
        "coverage.missing": "fetch the missing part and deliver the partition again",
        "completeness": "wait until the producer declares every part complete, then take the delivery again",
    }
