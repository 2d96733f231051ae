"""The types of the language: families and exact types, read from text and written back."""

import pytest

from contract_core.contract.logical_type import KNOWN_TYPES, Family, LogicalType

EXACT_INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("family", list(Family))
def test_a_family_is_not_exact(family: Family) -> None:
    assert (LogicalType.parse(family.value).family, LogicalType.parse(family.value).is_exact) == (family, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[pytest.param(text, LogicalType(Family.INTEGER, text, bits=int(text.removeprefix("u").removeprefix("int")), signed=text[0] == "i"), id=text) for text in EXACT_INTEGERS],
        pytest.param("float32", LogicalType(Family.NUMBER, "float32", bits=32), id="float32"),
        pytest.param("float64", LogicalType(Family.NUMBER, "float64", bits=64), id="float64"),
        pytest.param("decimal(10,2)", LogicalType(Family.NUMBER, "decimal(10,2)", precision=10, scale=2), id="decimal"),
        pytest.param("decimal( 38 , 38 )", LogicalType(Family.NUMBER, "decimal(38,38)", precision=38, scale=38), id="largest decimal"),
        pytest.param("timestamp[ms]", LogicalType(Family.TIMESTAMP, "timestamp[ms]", unit="ms"), id="timestamp"),
        pytest.param("timestamp[ns, Europe/Amsterdam]", LogicalType(Family.TIMESTAMP, "timestamp[ns,Europe/Amsterdam]", unit="ns", timezone="Europe/Amsterdam"), id="timestamp with zone"),
    ],
)  # fmt: skip
def test_an_exact_type_names_all_of_its_parts(text: str, expected: LogicalType) -> None:
    assert (LogicalType.parse(text), LogicalType.parse(text).is_exact, str(LogicalType.parse(str(expected)))) == (
        expected,
        True,
        expected.text,
    )


@pytest.mark.parametrize(
    "text",
    [
        "", "String", "text", "int", "int128", "uint7", "float", "float16", "double", "decimal", "decimal(39,0)", "decimal(0,0)", "decimal(2,3)",
        "decimal(5)", "decimal(5,-1)", "decimal(١,0)", "timestamp[]", "timestamp[s]", "timestamp[us,]", "timestamp[us", "datetime", "string ", "list",
    ],
)  # fmt: skip
def test_any_other_text_is_no_type(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        LogicalType.parse(text)


def test_every_known_type_but_the_pattern_of_decimals_is_one() -> None:
    assert [str(LogicalType.parse(text)) for text in KNOWN_TYPES if "p,s" not in text] == [
        text for text in KNOWN_TYPES if "p,s" not in text
    ]


@pytest.mark.parametrize(
    ("text", "is_numeric"),
    [("int8", True), ("number", True), ("decimal(5,2)", True), ("date", False), ("string", False), ("boolean", False)],
)
def test_numbers_know_that_they_are_numbers(text: str, is_numeric: bool) -> None:
    assert LogicalType.parse(text).is_numeric is is_numeric
