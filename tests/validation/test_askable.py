"""What can be asked of a candidate at all, and the reason where it cannot."""

from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from contract_core.candidate.facts import Facts, FileFacts
from contract_core.validation.report import Outcome
from tests.validation.judged import finding, frame_of, report_on, report_on_files

PARTS = "delivery: {format: {type: parquet}, manifest: required, parts: {from: column, column: a, required: [x]}}\n"


@pytest.mark.parametrize(
    ("text", "frame", "name", "reason"),
    [
        pytest.param("fields: [{name: a, type: string}]\n", pl.DataFrame({"b": [1]}), "a.type", "the delivery has no column 'a'", id="S1-022 missing column"),
        pytest.param("fields: [{name: a, type: string}]\n", pl.DataFrame({"a": [1]}), "a.null", "column 'a' has the type Int64, promised is string", id="another type"),
        pytest.param("fields: [{name: a, type: string}]\nkey: [a]\n", pl.DataFrame({"a": [1]}), "key", "column 'a' has the type Int64, promised is string", id="key of another type"),
        pytest.param("fields: [{name: a, type: string}, {name: n, type: integer}]\nunique: [{name: u, fields: [a], where: n > 0}]\n", pl.DataFrame({"a": ["x"], "n": ["y"]}), "u.unique", "column 'n' has the type String, promised is integer", id="filter of another type"),
        pytest.param("fields: [{name: a, type: string}]\n" + PARTS, pl.DataFrame({"a": [1]}), "coverage.missing", "column 'a' has the type Int64, promised is string", id="S2-010 parts of another type"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_says_why(tmp_path: Path, text: str, frame: pl.DataFrame, name: str, reason: str) -> None:
    found = finding(report_on(text, frame, tmp_path), name)
    assert (found.outcome, found.breaches, found.reason) == (Outcome.UNJUDGED, 0, reason)


def test_a_condition_that_the_delivered_types_cannot_answer_is_not_judged(tmp_path: Path) -> None:
    text = "fields: [{name: a, type: number}, {name: b, type: number}]\nrules: [{name: r, sql: a * b > 0}]\n"
    wide = pl.Decimal(38, 30)
    found = finding(report_on(text, frame_of({"a": wide, "b": wide}, (Decimal(1), Decimal(1))), tmp_path), "r.row_rule")
    assert found.outcome is Outcome.UNJUDGED
    assert found.reason.startswith("its condition does not fit the types that were delivered: ")


def test_promises_about_the_count_and_undeclared_columns_need_no_column(tmp_path: Path) -> None:
    report = report_on("fields: [{name: a, type: string}]\nduplicate_rows: warn\n", pl.DataFrame({"b": [1]}), tmp_path)
    assert [finding(report, name).outcome for name in ("row_count", "extra_field", "duplicate_rows")] == [
        Outcome.KEPT
    ] * 3


@pytest.mark.parametrize("name", ["contract", "unit"])
def test_what_an_unreadable_manifest_says_is_not_judged(tmp_path: Path, name: str) -> None:
    """S2-044."""
    report = report_on(
        "fields: [{name: a, type: string}]\n" + PARTS,
        pl.DataFrame({"a": ["x"]}),
        tmp_path,
        Facts(format="parquet", manifest="unreadable"),
    )
    assert (finding(report, name).outcome, finding(report, name).reason) == (
        Outcome.UNJUDGED,
        "the manifest could not be read",
    )


def test_words_of_a_readable_manifest_are_judged_where_a_file_is_not(tmp_path: Path) -> None:
    facts = Facts(
        format="parquet",
        manifest="present",
        declared_contract="orders",
        files=(FileFacts("a", 1, "x", unreadable="torn"),),
    )
    report = report_on("fields: [{name: a, type: string}]\n" + PARTS, pl.DataFrame({"a": ["x"]}), tmp_path, facts)
    assert (finding(report, "contract").outcome, finding(report, "coverage.missing").outcome) == (
        Outcome.BREACHED,
        Outcome.UNJUDGED,
    )


def test_records_that_are_no_objects_are_counted_once_and_not_as_missing_fields(tmp_path: Path) -> None:
    """S3-014."""
    text = "fields: [{name: a, type: integer}]\ndelivery: {format: {type: jsonl}}\n"
    report = report_on_files(text, {"a.jsonl": '{"a": 1}\n[1]\n"x"\n'}, tmp_path)
    assert {item.id: item.breaches for item in report.breached()} == {"not_object": 2}
