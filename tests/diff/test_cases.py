"""The golden cases: one change each, in two small contracts, and what `contract-gate diff` prints of it."""

from datetime import date
from pathlib import Path

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.diff.changes import find_changes
from contract_core.diff.compatibility import COMPATIBILITY
from contract_core.diff.kinds import ChangeKind
from contract_core.diff.release import compare
from contract_core.rendering.changes import successor_lines

FOLDER = Path(__file__).parents[1] / "cases" / "changes"
CASES = sorted(FOLDER.iterdir())
TODAY = date(2026, 10, 2)
NOT_IN_A_PAIR = {
    ChangeKind.CONTRACT_REMOVED: "one contract is no pair: test_release.py",
}


def successor_of(case: Path):
    old, new = (parse_contract((case / name).read_bytes(), name) for name in ("before.yaml", "after.yaml"))
    return compare(old, new, TODAY)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_change_is_told_in_these_words(case: Path) -> None:
    """[S4-004] [S4-013]"""
    told = "".join(f"{line}\n" for line in successor_lines(successor_of(case)))
    assert told == (case / "expected.txt").read_text("utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_shows_the_kind_that_it_is_named_after(case: Path) -> None:
    kinds = {verdict.change.kind.value for verdict in successor_of(case).verdicts}
    assert case.name.partition("__")[0] in kinds


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_contract_has_no_changes_from_itself(case: Path) -> None:
    old, new = (parse_contract((case / name).read_bytes(), name) for name in ("before.yaml", "after.yaml"))
    assert (find_changes(old, old), find_changes(new, new)) == ((), ())


def test_kinds_rows_and_cases_are_the_same_list() -> None:
    """[S4-007]"""
    shown = {case.name.partition("__")[0] for case in CASES} | {kind.value for kind in NOT_IN_A_PAIR}
    assert shown == {kind.value for kind in ChangeKind} == {kind.value for kind in COMPATIBILITY}


def test_a_kind_without_a_case_can_have_none() -> None:
    assert {kind.value for kind in NOT_IN_A_PAIR}.isdisjoint(case.name.partition("__")[0] for case in CASES)
