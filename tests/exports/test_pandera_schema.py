"""A contract as a pandera schema: the same verdict on a frame as the gate gives, and pandera as a second opinion on it."""

from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pandera.polars as pa
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.contract.parsing import parse_contract
from contract_core.exports.pandera_schema import pandera_schema
from contract_core.validation.plan import validate
from contract_core.validation.report import Outcome

NOW = datetime(2026, 10, 2, tzinfo=UTC)
CONTRACT = parse_contract(
    """\
contract: cases
version: "1.0.0"
key: [region, day]
rows: {min: 0}
delivery: {format: {type: parquet}}
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}|X", not_blank: true}
  - {name: day, type: date, min: 2026-01-01}
  - {name: count, type: int64, min: 0, max: 10, nullable: true}
  - {name: rate, type: float64, max: 1}
  - {name: status, type: string, enum: [final, open], required: false}
rules:
  - {name: final_is_counted, sql: "status <> 'final' OR count IS NOT NULL"}
""",
    "cases.yaml",
)
GOOD = {"region": ["NL"], "day": [date(2026, 10, 1)], "count": [3], "rate": [0.5], "status": ["final"]}


def frame(**changes) -> pl.DataFrame:
    kept = {name: values for name, values in (GOOD | changes).items() if values is not None}
    return pl.DataFrame(kept, schema_overrides={"count": pl.Int64} if kept.get("count") == [None] else None)


def broken_for_pandera(rows: pl.DataFrame | pl.LazyFrame) -> dict[str, int]:
    """How many failures pandera counts for each of its checks."""
    try:
        pandera_schema(CONTRACT).validate(rows, lazy=True)
    except pa.errors.SchemaErrors as error:
        return dict(error.failure_cases.group_by("check").len().iter_rows())
    return {}


def broken_for_the_gate(rows: pl.DataFrame) -> dict[str, int]:
    with TemporaryDirectory() as folder:
        rows.write_parquet(Path(folder) / "cases.parquet")
        delivery = collect_delivery(CONTRACT, [Path(folder) / "cases.parquet"], None)
        report = validate(CONTRACT, take_candidate(CONTRACT, delivery, Path(folder) / "candidates", NOW), NOW)
    return {
        finding.id: finding.details["rows"] if finding.rule == "key" else finding.breaches
        for finding in report.findings
        if finding.outcome is Outcome.BREACHED
    }


def test_a_frame_that_keeps_the_contract_passes():
    assert pandera_schema(CONTRACT).validate(frame()).equals(frame())


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        pytest.param({"region": ["nl"]}, "region.pattern", id="pattern"),
        pytest.param({"region": ["XX1"]}, "region.pattern", id="P09 whole value"),
        pytest.param({"region": [None]}, "region.null", id="null"),
        pytest.param({"count": [-1]}, "count.range", id="range"),
        pytest.param({"rate": [float("nan")]}, "rate.not_finite", id="P02 NaN"),
        pytest.param({"status": ["draft"]}, "status.enum", id="enum"),
        pytest.param({"count": [None]}, "final_is_counted.row_rule", id="row rule"),
        pytest.param({"count": ["3"]}, "dtype('Int64')", id="type"),
        pytest.param({"rate": None}, "column_in_dataframe", id="missing column"),
        pytest.param({"extra": [1]}, "column_in_schema", id="extra column"),
    ],
)
def test_a_frame_that_breaks_the_contract_is_refused(changes, check):
    assert check in broken_for_pandera(frame(**changes))


def test_a_lazy_frame_is_judged_by_its_rows_too():
    """P06: pandera alone would look at its columns and pass it."""
    assert broken_for_pandera(frame(count=[-1]).lazy()) == broken_for_pandera(frame(count=[-1])) == {"count.range": 1}


def test_a_lazy_frame_that_keeps_the_contract_stays_lazy():
    passed = pandera_schema(CONTRACT).validate(frame().lazy())
    assert isinstance(passed, pl.LazyFrame)
    assert passed.collect().equals(frame())


def test_an_optional_column_may_be_left_out():
    schema = pandera_schema(
        parse_contract("contract: a\nversion: '1.0.0'\nfields: [{name: b, type: string, required: false}]\n", "a.yaml")
    )
    assert schema.validate(pl.DataFrame({"c": []}).select()).is_empty()


ROWS = st.fixed_dictionaries(
    {
        "region": st.sampled_from(["NL", "BE", "X", "nl", "", " ", "XX1"]),
        "day": st.dates(date(2025, 12, 30), date(2026, 1, 2)),
        "count": st.none() | st.integers(-2, 12),
        "rate": st.floats(-1, 2) | st.just(float("nan")) | st.just(float("inf")),
        "status": st.sampled_from(["final", "open", "draft"]),
    }
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(ROWS, min_size=1, max_size=8))
def test_pandera_counts_what_the_gate_counts(rows):
    """The second opinion: nulls, uniqueness and every rule, on random frames."""
    schema = {"region": pl.String, "day": pl.Date, "count": pl.Int64, "rate": pl.Float64, "status": pl.String}
    table = pl.DataFrame(rows, schema=schema)
    counted = broken_for_pandera(table)
    renamed = {"key" if "unique" in name else name: count for name, count in counted.items()}
    assert renamed == broken_for_the_gate(table)
