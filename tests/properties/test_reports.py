"""Laws of reports: what is kept is kept, one defect is one breach, and the order of rows means nothing."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.validation.plan import validate
from tests.properties.strategies import DEFECTS, KEPT, ROWS, Planted, frame, planted
from tests.validation.judged import AS_OF, PARQUET, breaches, candidate_of, contract_of

BUDGET = settings(max_examples=40, derandomize=True, deadline=None)
CONTRACT = contract_of(KEPT + PARQUET)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("candidates")


def found(rows: pl.DataFrame, folder: Path) -> list[tuple[Any, ...]]:
    report = validate(CONTRACT, candidate_of(rows, folder), AS_OF)
    return [(finding.id, finding.outcome, finding.breaches, dict(finding.details)) for finding in report.findings]


@BUDGET
@given(rows=ROWS)
def test_rows_that_keep_a_contract_have_no_breach(folder: Path, rows: list[dict[str, Any]]) -> None:
    assert breaches(validate(CONTRACT, candidate_of(frame(rows), folder), AS_OF)) == {}


@settings(max_examples=len(DEFECTS) * 8, derandomize=True, deadline=None)
@given(case=planted())
def test_one_defect_is_exactly_its_breach(folder: Path, case: Planted) -> None:
    rows, expected = case
    assert breaches(validate(CONTRACT, candidate_of(frame(rows), folder), AS_OF)) == expected


@BUDGET
@given(rows=ROWS, repeated=st.data())
def test_a_row_that_stands_again_repeats_its_key(
    folder: Path, rows: list[dict[str, Any]], repeated: st.DataObject
) -> None:
    """P11."""
    row = repeated.draw(st.sampled_from(rows))
    assert breaches(validate(CONTRACT, candidate_of(frame([*rows, row]), folder), AS_OF)) == {
        "key": 1,
        "duplicate_rows": 1,
    }


@BUDGET
@given(case=planted(), orders=st.data())
def test_the_order_of_rows_does_not_change_a_report(folder: Path, case: Planted, orders: st.DataObject) -> None:
    rows, _ = case
    assert found(frame(orders.draw(st.permutations(rows))), folder) == found(frame(rows), folder)


@BUDGET
@given(case=planted(), cut=st.integers(0, 8), group=st.integers(1, 4))
def test_chunks_and_row_groups_do_not_change_a_report(folder: Path, case: Planted, cut: int, group: int) -> None:
    whole = frame(case[0])
    expected = found(whole, folder)
    candidate = candidate_of(whole, folder)
    pl.concat([whole[:cut], whole[cut:]], rechunk=False).write_parquet(candidate.path, row_group_size=group)
    report = validate(CONTRACT, candidate, AS_OF)
    assert [
        (finding.id, finding.outcome, finding.breaches, dict(finding.details)) for finding in report.findings
    ] == expected
