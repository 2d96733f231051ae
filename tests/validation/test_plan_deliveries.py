"""Rows that no declaration, part or partition accounts for, and columns that a table could not hold, are never let through."""

import io
from pathlib import Path

import polars as pl
import pytest

from contract_core.contract.promises import Severity
from tests.validation.judged import PARQUET, breaches, finding, report_on_files

PARTED = "delivery: {parts: {from: column, column: p, required: [A]}}\n"


@pytest.mark.parametrize(
    ("terms", "addition", "expected"),
    [
        pytest.param("", "", {"p.null": 2}, id="the rule on nulls refuses them"),
        pytest.param(", nullable: true", "", {"coverage.unexpected": 1}, id="nullable"),
        pytest.param(', severity: {"null": warn}', "", {"p.null": 2, "coverage.unexpected": 1}, id="only a warning"),
        pytest.param(
            "", "enforcement: {on_breach: warn}\n", {"p.null": 2, "coverage.unexpected": 1}, id="breaches only warn"
        ),
    ],
)
def test_rows_without_a_part_never_count_nowhere(
    tmp_path: Path, terms: str, addition: str, expected: dict[str, int]
) -> None:
    text = f"fields: [{{name: p, type: string{terms}}}, {{name: v, type: integer}}]\n{PARTED}{addition}"
    report = report_on_files(text, {"1.csv": "p,v\nA,1\n,2\n,3\n"}, tmp_path)
    assert breaches(report) == expected
    if "coverage.unexpected" in expected:
        assert finding(report, "coverage.unexpected").details["rows without a part"] == 2


@pytest.mark.parametrize(("enforced", "expected"), [("fail", {"p.null": 1}), ("warn", {"p.null": 1, "partition": 1})])
def test_a_row_without_a_partition_is_outside_where_its_null_would_be_let_through(
    tmp_path: Path, enforced: str, expected: dict[str, int]
) -> None:
    text = f"fields: [{{name: p, type: string}}]\ndelivery: {{partition: {{column: p}}}}\nenforcement: {{on_breach: {enforced}}}\n"
    report = report_on_files(text, {"1.csv": 'p\n""\nx\n'}, tmp_path, "x")
    assert breaches(report) == expected
    assert finding(report, "partition").severity is Severity.ERROR


@pytest.mark.parametrize(
    ("terms", "files", "expected"),
    [
        pytest.param(
            "manifest: required",
            {"a.csv": "r\nA\n", "_manifest.json": "{}"},
            {"completeness": 1},
            id="a manifest that says nothing",
        ),
        pytest.param(
            "manifest: required, parts: {from: manifest, required: [A]}",
            {
                "a.csv": "r\nA\n",
                "b.csv": "r\nB\n",
                "_manifest.json": '{"parts": {"A": {"complete": true, "file": "a.csv"}}}',
            },
            {"completeness": 1},
            id="a file beside the declared one",
        ),
        pytest.param(
            "manifest: optional, parts: {from: file, required: [a]}",
            {"x/a.csv": "r\nA\n", "y/a.csv": "r\nA\n"},
            {"coverage.unexpected": 1},
            id="one part in two files",
        ),
    ],
)
def test_rows_that_no_manifest_declares_are_not_complete(
    tmp_path: Path, terms: str, files: dict[str, str], expected: dict[str, int]
) -> None:
    text = f"fields: [{{name: r, type: string}}]\ndelivery: {{{terms}}}\n"
    assert breaches(report_on_files(text, files, tmp_path)) == expected


@pytest.mark.parametrize(
    ("extra_fields", "expected"), [("ignore", {}), ("keep", {"extra_field": 1}), ("reject", {"extra_field": 1})]
)
def test_a_name_that_differs_by_capitals_cannot_be_kept(
    tmp_path: Path, extra_fields: str, expected: dict[str, int]
) -> None:
    """P17."""
    text = f"fields: [{{name: a, type: integer}}]\nextra_fields: {extra_fields}\n"
    assert breaches(report_on_files(text, {"1.csv": "a,A\n1,2\n"}, tmp_path)) == expected


@pytest.mark.parametrize("type_", ["string", "integer", "timestamp[us,UTC]", "object", "array", "binary"])
@pytest.mark.parametrize(("nullable", "expected"), [("true", {}), ("false", {"a.null": 2})])
def test_a_column_of_nothing_but_nulls_is_judged_as_nulls(
    tmp_path: Path, type_: str, nullable: str, expected: dict[str, int]
) -> None:
    content = io.BytesIO()
    pl.DataFrame({"a": [None, None], "b": [1, 2]}).write_parquet(content)
    text = f'fields: [{{name: a, type: "{type_}", nullable: {nullable}}}, {{name: b, type: integer}}]\nduplicate_rows: error\n'
    assert breaches(report_on_files(text + PARQUET, {"1.parquet": content.getvalue()}, tmp_path)) == expected
