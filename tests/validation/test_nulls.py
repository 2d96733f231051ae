"""Nulls of columns that nothing else looks at: counted as everywhere, and row groups that have none are not read."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_core.validation import nulls
from contract_core.validation.past import NOTHING_KNOWN
from contract_core.validation.plan import inquiry_of, validate
from contract_core.validation.report import Outcome
from tests.validation.judged import AS_OF, PARQUET, breaches, candidate_of, contract_of, report_on, report_on_files

FIELDS = "fields:\n  - {name: a, type: int64}\n  - {name: b, type: string}\n  - {name: c, type: int64, min: 0}\n"


def alone(text: str, frame: pl.DataFrame, folder: Path) -> set[str]:
    contract = contract_of(text + PARQUET)
    inquiry = inquiry_of(contract, candidate_of(frame, folder), NOTHING_KNOWN)
    return {*nulls.asked_alone({item.id: item for item in inquiry.asked}, inquiry.subject)}


@given(
    st.lists(st.tuples(*[st.none() | st.just(1)] * 5), min_size=1, max_size=40), st.integers(1, 3), st.integers(1, 7)
)
def test_nulls_are_counted_as_by_hand_whatever_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]], scans: int, group: int
) -> None:
    names = "vwxyz"
    fields = "".join(f"  - {{name: {name}, type: int64}}\n" for name in names)
    contract = contract_of("fields:\n" + fields + PARQUET)
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Int64), orient="row")
    candidate = candidate_of(frame, tmp_path_factory.mktemp("nulls"))
    frame.write_parquet(candidate.path, row_group_size=group)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nulls, "MOST_SCANS", scans)
        found = breaches(validate(contract, candidate, AS_OF))
    by_hand = {f"{name}.null": sum(row[place] is None for row in rows) for place, name in enumerate(names)}
    assert found == {name: count for name, count in by_hand.items() if count}


def test_they_are_asked_alone_where_no_other_rule_looks_at_the_column(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1], "b": ["x"], "c": [1]})
    assert alone(FIELDS, frame, tmp_path) == {"a.null", "b.null"}


def test_a_condition_of_the_row_looks_at_its_columns(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1], "b": ["x"], "c": [1]})
    assert alone(FIELDS + 'rules: [{name: r, sql: "a > 0"}]\n', frame, tmp_path) == {"b.null"}


def test_what_the_statistics_do_not_tell_of_a_nested_column_is_read(tmp_path: Path) -> None:
    text = "fields:\n  - {name: a, type: array}\n  - {name: b, type: int64}\n"
    frame = pl.DataFrame({"a": [[1], None, []], "b": [1, None, None]})
    assert alone(text, frame, tmp_path) == {"b.null"}
    assert breaches(report_on(text, frame, tmp_path)) == {"a.null": 1, "b.null": 2}


def test_a_text_that_did_not_decode_is_not_taken_for_a_null(tmp_path: Path) -> None:
    text = "fields:\n  - {name: a, type: int64}\n  - {name: b, type: int64}\ndelivery: {format: {type: csv}}\n"
    assert breaches(report_on_files(text, {"x.csv": "a,b\n1,1\nno,\n,2\n"}, tmp_path)) == {
        "a.type": 1,
        "a.null": 1,
        "b.null": 1,
    }


def test_row_groups_without_nulls_are_not_read(tmp_path: Path) -> None:
    contract = contract_of("fields:\n  - {name: a, type: int64}\n" + PARQUET)
    frame = pl.DataFrame({"a": pl.int_range(10_000, eager=True).shuffle(1)})
    candidate = candidate_of(frame, tmp_path)
    content = candidate.path.read_bytes()
    candidate.path.write_bytes(content[:4] + bytes(3_000) + content[3_004:])
    with pytest.raises(pl.exceptions.PolarsError):
        pl.read_parquet(candidate.path)
    found = {item.id: item.outcome for item in validate(contract, candidate, AS_OF).findings}
    assert found["a.null"] is Outcome.KEPT
