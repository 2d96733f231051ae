"""The whole of validation: one query, and what it says of columns that are missing, wrong or left out."""

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from contract_core.candidate.facts import ExtraColumn, Facts, FileFacts
from contract_core.contract.model import Contract
from contract_core.validation.obligations import obligations_of
from contract_core.validation.plan import validate
from contract_core.validation.promise_kinds import UniquePromise
from contract_core.validation.report import Outcome, ValidationReport
from tests.validation.judged import (
    AS_OF,
    PARQUET,
    breaches,
    candidate_of,
    contract_of,
    finding,
    frame_of,
    outcomes,
    report_on,
    report_on_files,
)

CASES = """\
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}", not_blank: true}
  - {name: day, type: date}
  - {name: count, type: integer, min: 0}
  - {name: note, type: string, required: false, nullable: true, max_length: 3}
key: [region, day]
rules: [{name: small, sql: count < 100}, {name: noted, sql: note IS NULL OR count > 0}]
unique: [{name: once, fields: [region], where: count > 5}]
"""
SCHEMA = {"region": pl.String, "day": pl.Date, "count": pl.Int64, "note": pl.String}
DAY = date(2026, 10, 1)
GOOD = [("NL", DAY, 1, None), ("BE", DAY, 2, "x"), ("DE", DAY, 3, None)]
WITHOUT_NOTE = frame_of({name: SCHEMA[name] for name in ("region", "day", "count")}, *(row[:3] for row in GOOD))


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(frame_of(SCHEMA, *GOOD), id="all columns"),
        pytest.param(frame_of(SCHEMA, *GOOD).select("note", "count", "day", "region"), id="S1-020 in another order"),
        pytest.param(WITHOUT_NOTE, id="S3-007 without the optional one"),
        pytest.param(
            frame_of(SCHEMA, *GOOD).cast({"count": pl.UInt8, "region": pl.Categorical}),
            id="S1-023 other types of the families",
        ),
    ],
)
def test_a_candidate_that_keeps_the_contract_has_no_breach(tmp_path: Path, frame: pl.DataFrame) -> None:
    assert outcomes(report_on(CASES, frame, tmp_path)) == {}


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        pytest.param(frame_of(SCHEMA, *GOOD, (None, DAY, None, None)), {"region.null": 1, "count.null": 1, "small.row_rule": 1}, id="S1-030 nulls"),
        pytest.param(frame_of(SCHEMA, *GOOD, ("", DAY, 1, None), ("  ", DAY, 1, None)), {"region.pattern": 2, "region.blank": 2}, id="S1-027 blanks"),
        pytest.param(frame_of(SCHEMA, *GOOD, ("NL", DAY, -1, None)), {"count.range": 1, "key": 1}, id="S1-025, S1-026 range and key"),
        pytest.param(frame_of(SCHEMA, *GOOD, ("FR", DAY, 100, "long")), {"note.length": 1, "small.row_rule": 1}, id="length and rule"),
        pytest.param(frame_of(SCHEMA, ("FR", DAY, 6, None), ("FR", date(2026, 10, 2), 7, None)), {"once.unique": 1}, id="uniqueness with a filter"),
        pytest.param(frame_of(SCHEMA), {"row_count": 1}, id="P03 no rows"),
        pytest.param(frame_of(SCHEMA, *GOOD).cast({"count": pl.Float64}).head(0), {"count.type": 1, "row_count": 1}, id="another type without rows"),
    ],
)  # fmt: skip
def test_breaches_are_counted_by_obligation(tmp_path: Path, frame: pl.DataFrame, expected: dict[str, int]) -> None:
    found = report_on(CASES, frame, tmp_path)
    assert {item.id: item.breaches for item in found.findings if item.outcome is Outcome.BREACHED} == expected


def test_rules_on_a_missing_column_are_not_judged(tmp_path: Path) -> None:
    """P04, S1-022."""
    assert outcomes(report_on(CASES, frame_of(SCHEMA, *GOOD).drop("count"), tmp_path)) == {
        "count.missing": ("breached", 1), "count.null": ("unjudged", 0), "count.type": ("unjudged", 0), "count.range": ("unjudged", 0),
        "small.row_rule": ("unjudged", 0), "noted.row_rule": ("unjudged", 0), "once.unique": ("unjudged", 0),
    }  # fmt: skip


@pytest.mark.parametrize("dtype", [pl.Float64, pl.String, pl.Boolean], ids=str)
def test_a_column_of_another_type_breaks_in_all_of_its_rows_and_leaves_its_rules_unjudged(
    tmp_path: Path, dtype: Any
) -> None:
    """S1-018, S1-023, P10."""
    report = report_on(CASES, frame_of(SCHEMA, *GOOD).cast({"count": dtype}), tmp_path)
    assert outcomes(report) == {
        "count.type": ("breached", 3), "count.null": ("unjudged", 0), "count.range": ("unjudged", 0),
        "small.row_rule": ("unjudged", 0), "noted.row_rule": ("unjudged", 0), "once.unique": ("unjudged", 0),
    }  # fmt: skip
    assert finding(report, "count.range").reason.startswith("column 'count' has the type ")


def test_an_optional_column_that_is_left_out_is_null_to_the_rules_across_columns(tmp_path: Path) -> None:
    text = "fields: [{name: a, type: integer}, {name: b, type: integer, required: false, min: 0}]\nrules: [{name: same, sql: a = b}, {name: none, sql: b IS NULL}]\nunique: [{name: pair, fields: [a, b]}]\n"
    assert breaches(report_on(text, frame_of({"a": pl.Int64}, (1,), (1,)), tmp_path)) == {
        "same.row_rule": 2,
        "pair.unique": 1,
    }


@pytest.mark.parametrize(
    "type_", ["object", "array", "string", "integer", "binary", "decimal(5,2)", "timestamp[ns,UTC]", "time"]
)
def test_an_optional_column_of_any_type_can_be_left_out(tmp_path: Path, type_: str) -> None:
    """S3-007."""
    text = (
        f'fields: [{{name: a, type: integer}}, {{name: b, type: "{type_}", required: false}}]\nduplicate_rows: error\n'
    )
    assert outcomes(report_on(text, frame_of({"a": pl.Int64}, (1,), (2,)), tmp_path)) == {}


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        pytest.param("freshness: {column: b, max_age: 1d}\n" + PARQUET, {"freshness": ("unjudged", 0)}, id="freshness"),
        pytest.param(
            "delivery: {format: {type: parquet}, parts: {from: column, column: c, required: [x, y]}}\n",
            {"coverage.missing": ("breached", 2), "coverage.unexpected": ("breached", 1)},
            id="parts",
        ),
    ],
)
def test_an_optional_column_that_is_left_out_proves_nothing_about_the_delivery(
    tmp_path: Path, addition: str, expected: dict[str, tuple[str, int]]
) -> None:
    text = "fields: [{name: a, type: integer}, {name: b, type: date, required: false}, {name: c, type: string, required: false}]\n"
    assert outcomes(report_on(text + addition, frame_of({"a": pl.Int64}, (1,)), tmp_path)) == expected


def test_a_delivery_that_cannot_be_read_leaves_everything_else_unjudged(tmp_path: Path) -> None:
    report = report_on_files(CASES, {"a.csv": b"region,day,count\nNL,2026-10-01,1\n", "b.csv": b"\xff\xfe"}, tmp_path)
    assert finding(report, "unreadable").breaches == 1
    assert {item.outcome for item in report.findings if item.id != "unreadable"} == {Outcome.UNJUDGED}


def test_an_undeclared_column_is_counted_and_never_named(tmp_path: Path) -> None:
    """S1-021, S3-016."""
    facts = Facts(
        format="parquet",
        extra_columns=(ExtraColumn(5, "a", "secret", 3), ExtraColumn(5, "b", "secret", 3), ExtraColumn(2, "b", "", 1)),
    )
    found = finding(report_on(CASES, frame_of(SCHEMA, *GOOD), tmp_path, facts), "extra_field")
    assert (found.breaches, dict(found.details), found.reason) == (2, {"first_position": 2}, "")


def test_columns_without_a_name_are_told_apart_by_their_place(tmp_path: Path) -> None:
    extra = (
        ExtraColumn(4, "a", "x", 1),
        ExtraColumn(5, "a", "", 1),
        ExtraColumn(6, "a", "", 1),
        ExtraColumn(5, "b", "", 1),
    )
    facts = Facts(format="parquet", extra_columns=extra)
    assert finding(report_on(CASES, frame_of(SCHEMA, *GOOD), tmp_path, facts), "extra_field").breaches == 3


def test_the_same_delivery_in_several_files_gives_the_same_findings(tmp_path: Path) -> None:
    rows = [b"NL,2026-10-01,1\n", b"BE,2026-10-01,x\n", b"BE,2026-10-01,-3\n"]
    header = b"region,day,count\n"
    whole = report_on_files(CASES, {"a.csv": header + b"".join(rows)}, tmp_path / "whole")
    pieces = report_on_files(
        CASES, {f"{index}.csv": header + row for index, row in enumerate(rows)}, tmp_path / "pieces"
    )
    assert breaches(whole) == breaches(pieces) == {"count.type": 1, "count.range": 1, "key": 1}


def test_every_obligation_has_exactly_one_finding(tmp_path: Path) -> None:
    report = report_on(CASES, frame_of(SCHEMA, *GOOD).drop("day"), tmp_path)
    assert [item.obligation for item in report.findings] == list(obligations_of(contract_of(CASES + PARQUET)))


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> list[pl.LazyFrame]:
    """Every lazy query that is collected while the test runs."""
    queries: list[pl.LazyFrame] = []
    original = pl.LazyFrame.collect

    def counting(query: pl.LazyFrame, *arguments: Any, **options: Any) -> Any:
        queries.append(query)
        return original(query, *arguments, **options)

    monkeypatch.setattr(pl.LazyFrame, "collect", counting)
    return queries


def test_one_query_answers_all_obligations_but_uniqueness_which_takes_one_each(
    tmp_path: Path, collected: list[pl.LazyFrame]
) -> None:
    """P06."""
    report = validate(contract_of(CASES + PARQUET), candidate_of(frame_of(SCHEMA, *GOOD), tmp_path), AS_OF)
    asked = [item.obligation for item in report.findings if isinstance(item.obligation.promise, UniquePromise)]
    assert (len(collected), len(report.findings)) == (1 + len(asked), 21)


def permuted(report: ValidationReport) -> tuple[Any, ...]:
    return tuple((item.id, item.outcome, item.breaches, dict(item.details)) for item in report.findings)


@pytest.mark.parametrize("order", [[2, 1, 0, 3], [3, 0, 2, 1]], ids=str)
def test_the_order_of_rows_does_not_matter(tmp_path: Path, order: list[int]) -> None:
    frame = frame_of(SCHEMA, *GOOD, ("NL", DAY, -1, "long"))
    assert permuted(report_on(CASES, frame, tmp_path / "a")) == permuted(report_on(CASES, frame[order], tmp_path / "b"))


def test_chunks_and_row_groups_do_not_matter(tmp_path: Path) -> None:
    frame = frame_of(SCHEMA, *GOOD, ("NL", DAY, -1, "long"))
    chunked = pl.concat([frame[[index]] for index in range(4)], rechunk=False)
    contract: Contract = contract_of(CASES + PARQUET)
    candidate = candidate_of(frame, tmp_path)
    chunked.write_parquet(candidate.path, row_group_size=1)
    assert permuted(validate(contract, candidate, AS_OF)) == permuted(report_on(CASES, frame, tmp_path / "b"))


def test_the_report_carries_what_it_is_about(tmp_path: Path) -> None:
    """S3-003."""
    report = report_on(
        CASES, frame_of(SCHEMA, *GOOD), tmp_path, Facts(format="parquet", files=(FileFacts("a", 1, "x", 3),))
    )
    contract = contract_of(CASES + PARQUET)
    assert (report.contract, report.version, report.contract_digest, report.as_of, report.rows) == (
        "cases",
        "1.0.0",
        contract.digest,
        AS_OF,
        3,
    )
