"""Each rule about one row: a kept, a breached, a null and a boundary row on small frames with declared types."""

from datetime import date
from decimal import Decimal
from math import inf, nan
from typing import Any

import polars as pl
import pytest

from contract_core.candidate.columns import ABSENT, RAW
from contract_core.contract.logical_type import LogicalType
from contract_core.contract.row_sql import parse_row_sql
from contract_core.validation.promise_kinds import (
    Finite,
    HasType,
    Holds,
    LengthBetween,
    Matches,
    NotBlank,
    NotNull,
    OneOf,
    RowPromise,
    Trimmed,
)
from contract_core.validation.row_rules import kept
from contract_core.validation.schema_match import Columns

YES, NO = True, False
CATEGORIES = pl.Enum(["final", "provisional", "ab"])


def kept_rows(promise: RowPromise, *columns: pl.Series, is_text: bool = False) -> list[bool | None]:
    frame = pl.DataFrame(columns)
    found = frame.lazy().select(kept(promise, Columns(frame.schema, is_text))).collect(engine="streaming").to_series()
    assert found.dtype == pl.Boolean
    return list(frame.select(pl.lit(found[0])).to_series()) * frame.height if len(found) == 1 else found.to_list()


def series(dtype: Any, *values: Any) -> pl.Series:
    return pl.Series("a", values, dtype=dtype)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(series(pl.String, "x", None, "", " "), [YES, NO, YES, YES], id="S1-027 text: null, not empty"),
        pytest.param(series(pl.Float64, 1.0, None, nan, -0.0), [YES, NO, YES, YES], id="P01 NaN is no null"),
        pytest.param(series(pl.Int64, 0, None), [YES, NO], id="S1-030 integer"),
        pytest.param(series(pl.Date, date(2026, 10, 1), None), [YES, NO], id="S1-030 date"),
        pytest.param(series(pl.List(pl.Int64), [], None), [YES, NO], id="empty list"),
        pytest.param(series(pl.Struct({"x": pl.Int64}), {"x": None}, None), [YES, NO], id="struct of nulls"),
    ],
)
def test_not_null(values: pl.Series, expected: list[bool]) -> None:
    assert kept_rows(NotNull("a"), values) == expected


def test_a_text_that_did_not_decode_and_an_absent_key_are_no_nulls() -> None:
    raw, absent = pl.Series(RAW + "a", ["x", None, None, None]), pl.Series(ABSENT + "a", [False, True, False, False])
    assert kept_rows(NotNull("a"), series(pl.Int64, None, None, None, 1), raw, absent, is_text=True) == [
        YES,
        YES,
        NO,
        YES,
    ]


def test_a_text_that_did_not_decode_has_not_the_type() -> None:
    """S1-018."""
    promise = HasType("a", LogicalType.parse("integer"))
    assert kept_rows(
        promise, series(pl.Int64, None, None, 1), pl.Series(RAW + "a", ["seven", None, None]), is_text=True
    ) == [NO, YES, YES]
    assert kept_rows(promise, series(pl.Int64, None, 1)) == [YES, YES]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(
            series(pl.Float64, 1.0, nan, inf, -inf, -0.0, None), [YES, NO, NO, NO, YES, YES], id="P02 Float64"
        ),
        pytest.param(series(pl.Float32, 1.0, nan, inf, None), [YES, NO, NO, YES], id="Float32"),
        pytest.param(series(pl.Decimal(10, 2), Decimal("1.50"), None), [YES, YES], id="a decimal is always finite"),
    ],
)
def test_finite(values: pl.Series, expected: list[bool]) -> None:
    assert kept_rows(Finite("a"), values) == expected


@pytest.mark.parametrize(
    ("values", "listed", "expected"),
    [
        pytest.param(
            series(pl.String, "final", "Final", "final ", "", None),
            ("final", "provisional"),
            [YES, NO, NO, NO, YES],
            id="S1-024 text",
        ),
        pytest.param(series(pl.Categorical, "final", "x", None), ("final",), [YES, NO, YES], id="categorical"),
        pytest.param(series(CATEGORIES, "final", "ab", None), ("final", "not a category"), [YES, NO, YES], id="enum"),
        pytest.param(series(pl.Int64, 1, 2, None), (1, -1), [YES, NO, YES], id="integer"),
        pytest.param(series(pl.UInt64, 2**64 - 1, 0, None), (2**64 - 1, -1), [YES, NO, YES], id="beyond Int64"),
        pytest.param(series(pl.Int8, 1, 2), (1, 10**40), [YES, NO], id="listed value beyond Int128"),
        pytest.param(
            series(pl.Float64, 0.1, -0.0, 0.5, nan, None), (Decimal("0.1"), 0), [YES, YES, NO, NO, YES], id="number"
        ),
        pytest.param(series(pl.Float32, 0.1, 0.5), (Decimal("0.1"),), [YES, NO], id="Float32"),
        pytest.param(
            series(pl.Decimal(10, 2), Decimal("1.00"), Decimal("0.01"), None),
            (1, Decimal("0.011")),
            [YES, NO, YES],
            id="decimal",
        ),
        pytest.param(
            series(pl.Decimal(38, 0), Decimal(10**37), Decimal(5)),
            (10**37, Decimal("0.5"), 10**40),
            [YES, NO],
            id="decimal of 38 digits",
        ),
        pytest.param(series(pl.Boolean, True, False, None), (True,), [YES, NO, YES], id="boolean"),
        pytest.param(
            series(pl.Date, date(2026, 10, 1), date(2026, 10, 2), None), (date(2026, 10, 1),), [YES, NO, YES], id="date"
        ),
    ],
)
def test_one_of(values: pl.Series, listed: tuple[Any, ...], expected: list[bool]) -> None:
    """S3-009."""
    assert kept_rows(OneOf("a", listed), values) == expected


@pytest.mark.parametrize(
    ("pattern", "values", "expected"),
    [
        pytest.param(
            "provisional|final", ["provisionalXX", "semifinal", "final", None], [NO, NO, YES, YES], id="P09 alternation"
        ),
        pytest.param(
            "^provisional|final$",
            ["provisionalXX", "semifinal", "final"],
            [NO, NO, YES],
            id="P09 anchors on one side each",
        ),
        pytest.param(
            "[A-Z]{2}[0-9]{2}", ["NL11", "xNL11", "NL11x", "", "NL11\n"], [YES, NO, NO, NO, NO], id="whole value"
        ),
        pytest.param("^a$", ["a", "a\n", "A"], [YES, NO, NO], id="no line break behind $"),
        pytest.param("(?i)a", ["A", "a"], [YES, YES], id="flag"),
        pytest.param("(?m)^a$", ["a", "b\na"], [YES, NO], id="lines"),
        pytest.param(".*", ["", "a", "a\nb", None], [YES, YES, NO, YES], id="a dot is no line break"),
        pytest.param(r"\d+", ["12", "١٢"], [YES, YES], id="Unicode digits"),
        pytest.param("é", ["é", "e\u0301"], [YES, NO], id="no normalisation"),
    ],
)
def test_matches_the_whole_value(pattern: str, values: list[str | None], expected: list[bool]) -> None:
    assert kept_rows(Matches("a", pattern), series(pl.String, *values)) == expected


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, CATEGORIES], ids=str)
def test_texts_of_every_physical_type_are_texts(dtype: pl.DataType) -> None:
    values = series(dtype, "final", "ab", None)
    assert kept_rows(Matches("a", "f.*"), values) == [YES, NO, YES]
    assert kept_rows(LengthBetween("a", None, 2), values) == [NO, YES, YES]
    assert kept_rows(NotBlank("a", "unicode"), values) == [YES, YES, YES]
    assert kept_rows(Trimmed("a"), values) == [YES, YES, YES]


@pytest.mark.parametrize(
    ("shortest", "longest", "expected"),
    [
        pytest.param(1, 2, [NO, YES, YES, NO, YES], id="both"),
        pytest.param(2, None, [NO, NO, YES, YES, YES], id="shortest"),
        pytest.param(None, 1, [YES, YES, NO, NO, YES], id="longest"),
        pytest.param(10**15, None, [NO, NO, NO, NO, YES], id="beyond every text"),
    ],
)
def test_length_counts_code_points(shortest: int | None, longest: int | None, expected: list[bool]) -> None:
    """S3-010."""
    assert kept_rows(LengthBetween("a", shortest, longest), series(pl.String, "", "é", "👍a", "abc", None)) == expected


@pytest.mark.parametrize(
    ("white_space", "expected"),
    [
        pytest.param("space", [NO, NO, YES, YES, YES, YES, YES], id="spaces"),
        pytest.param("ascii", [NO, NO, NO, YES, YES, YES, YES], id="ASCII"),
        pytest.param("unicode", [NO, NO, NO, NO, YES, YES, YES], id="Unicode"),
    ],
)
def test_not_blank_names_its_white_space(white_space: str, expected: list[bool]) -> None:
    """S1-027, S1-028."""
    values = series(pl.String, "", "  ", "\t\n\v\f\r ", "\u00a0\u2003\u3000", "\u200b", " x ", None)
    assert kept_rows(NotBlank("a", white_space), values) == expected


def test_trimmed_is_about_the_ends_only() -> None:
    values = series(pl.String, "a b", " a", "a\n", "\u00a0a", "", None)
    assert kept_rows(Trimmed("a"), values) == [YES, NO, NO, NO, YES, YES]


@pytest.mark.parametrize(
    ("keeps_unknown", "expected"),
    [
        pytest.param(False, [YES, NO, NO, NO], id="S1-030 unknown breaks it"),
        pytest.param(True, [YES, NO, YES, YES], id="unless the contract says so"),
    ],
)
def test_a_condition_across_columns_is_true(keeps_unknown: bool, expected: list[bool]) -> None:
    """S1-105."""
    promise = Holds("r", parse_row_sql("a < b"), keeps_unknown)
    assert (
        kept_rows(promise, series(pl.Int64, 1, 2, None, 1), pl.Series("b", [2, 2, 2, None], dtype=pl.Int64)) == expected
    )


def test_a_condition_leaves_a_row_alone_whose_text_did_not_decode() -> None:
    promise = Holds("r", parse_row_sql("a > 0"), keeps_unknown=False)
    raw = pl.Series(RAW + "a", ["seven", None, None])
    assert kept_rows(promise, series(pl.Int64, None, None, 1), raw, is_text=True) == [YES, NO, YES]
