"""Text of numbers, truth values, bytes and JSON → values; what does not decode is null and nothing is repaired."""

from decimal import Decimal
from math import inf, isnan, nan

import polars as pl
import pytest

from contract_core.candidate.decoding import TextTerms, decoded
from contract_core.candidate.physical_types import decoded_dtype
from contract_core.contract.logical_type import LogicalType


def values_of(promised: str, texts: list[str | None], **terms) -> list:
    stated = TextTerms(LogicalType.parse(promised), **terms)
    frame = pl.LazyFrame({"x": pl.Series(texts, dtype=pl.String)}).select(decoded(pl.col("x"), stated))
    column = frame.collect(engine="streaming").to_series()
    assert column.dtype == decoded_dtype(stated.type)
    return column.to_list()


@pytest.mark.parametrize(
    ("promised", "text", "value"),
    [
        ("integer", "12", 12),
        ("integer", "+12", 12),
        ("integer", "-0", 0),
        ("integer", "007", 7),
        ("integer", "9223372036854775807", 2**63 - 1),
        ("integer", "9223372036854775808", None),
        ("integer", " 1", None),
        ("integer", "1 ", None),
        ("integer", "", None),
        ("integer", "1.0", None),
        ("integer", "1e3", None),
        ("integer", "1_000", None),
        ("integer", "٣", None),
        ("integer", "true", None),
        ("int8", "127", 127),
        ("int8", "128", None),
        ("uint8", "255", 255),
        ("uint8", "256", None),
        ("uint8", "-1", None),
        ("uint64", "18446744073709551615", 2**64 - 1),
        ("number", "1", 1.0),
        ("number", "1.", 1.0),
        ("number", ".5", 0.5),
        ("number", "-1.5E+3", -1500.0),
        ("number", "0.1", 0.1),
        ("number", ".", None),
        ("number", "1,5", None),
        ("number", "1 000", None),
        ("number", "0x10", None),
        ("number", "1e400", None),
        ("number", "-1e400", None),
        ("number", "1e-400", 0.0),
        ("number", "inf", inf),
        ("number", "Infinity", inf),
        ("number", "-inf", -inf),
        ("number", "-Infinity", -inf),
        ("number", "+inf", None),
        ("number", "NAN", None),
        ("float32", "1.5", 1.5),
        ("float32", "1e39", None),
        ("decimal(5,2)", "1", Decimal("1.00")),
        ("decimal(5,2)", "123.45", Decimal("123.45")),
        ("decimal(5,2)", "000123.45", Decimal("123.45")),
        ("decimal(5,2)", ".5", Decimal("0.50")),
        ("decimal(5,2)", "1.235", None),
        ("decimal(5,2)", "1.230", None),
        ("decimal(5,2)", "1234", None),
        ("decimal(5,2)", "1e1", None),
        ("decimal(2,2)", "0.12", Decimal("0.12")),
        ("decimal(2,2)", "1.00", None),
        ("decimal(38,0)", "9" * 38, Decimal("9" * 38)),
        ("decimal(38,0)", "9" * 39, None),
        ("boolean", "true", True),
        ("boolean", "false", False),
        ("boolean", "TRUE", None),
        ("boolean", "1", None),
        ("string", "", ""),
        ("string", " a\t", " a\t"),
        ("binary", "QQ==", b"A"),
        ("binary", "", b""),
        ("binary", "QQ", None),
        ("binary", "QR==", None),
        ("binary", "QQ==\n", None),
        ("object", '{"a": 1}', '{"a": 1}'),
        ("object", "[1]", None),
        ("object", "{", None),
        ("object", '{"a":NaN}', None),
        ("array", "[1]", "[1]"),
        ("array", "{}", None),
    ],
)
def test_text_decodes_exactly_or_not_at_all(promised, text, value):
    assert values_of(promised, [text, None]) == [value, None]


@pytest.mark.parametrize("token", ["NaN", "nan"])
def test_nan_is_a_number_that_a_rule_judges_later(token):
    (value,) = values_of("number", [token])
    assert isnan(value)
    assert isnan(nan)


@pytest.mark.parametrize(
    ("promised", "terms", "text", "value"),
    [
        ("number", {"decimal": ","}, "0,0520576", 0.0520576),
        ("number", {"decimal": ","}, "0.0520576", None),
        ("decimal(5,2)", {"decimal": ","}, "1,25", Decimal("1.25")),
        ("integer", {"is_integral": True}, "17850.0", 17850),
        ("integer", {"is_integral": True}, "17850.000", 17850),
        ("integer", {"is_integral": True}, "17850", 17850),
        ("integer", {"is_integral": True}, "17850.5", None),
        ("integer", {"is_integral": True}, "17850.", None),
        ("integer", {"is_integral": True, "decimal": ","}, "17850,0", 17850),
        ("integer", {"is_integral": True, "decimal": ","}, "17850.0", None),
        ("boolean", {"true_tokens": ("TRUE", "True"), "false_tokens": ("FALSE", "False")}, "True", True),
        ("boolean", {"true_tokens": ("TRUE", "True"), "false_tokens": ("FALSE", "False")}, "FALSE", False),
        ("boolean", {"true_tokens": ("TRUE", "True"), "false_tokens": ("FALSE", "False")}, "true", None),
    ],
)
def test_text_decodes_as_the_contract_states(promised, terms, text, value):
    assert values_of(promised, [text], **terms) == [value]
