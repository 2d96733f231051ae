"""Which physical types a promised type takes: the whole matrix, and nothing in between."""

import polars as pl
import pytest

from contract_core.candidate.physical_types import decoded_dtype
from contract_core.contract.logical_type import Family, LogicalType
from contract_core.validation.schema_match import Columns, is_of

PHYSICAL = {
    "Int8": pl.Int8(), "Int16": pl.Int16(), "Int32": pl.Int32(), "Int64": pl.Int64(), "Int128": pl.Int128(),
    "UInt8": pl.UInt8(), "UInt16": pl.UInt16(), "UInt32": pl.UInt32(), "UInt64": pl.UInt64(),
    "Float32": pl.Float32(), "Float64": pl.Float64(), "Decimal(10,2)": pl.Decimal(10, 2), "Decimal(10,3)": pl.Decimal(10, 3),
    "Boolean": pl.Boolean(), "String": pl.String(), "Categorical": pl.Categorical(), "Enum": pl.Enum(["a"]),
    "Date": pl.Date(), "Time": pl.Time(), "Duration(us)": pl.Duration("us"), "Duration(ns)": pl.Duration("ns"),
    "Datetime(ms)": pl.Datetime("ms"), "Datetime(us)": pl.Datetime("us"), "Datetime(ns)": pl.Datetime("ns"),
    "Datetime(us,UTC)": pl.Datetime("us", "UTC"), "Datetime(us,Berlin)": pl.Datetime("us", "Europe/Berlin"),
    "Binary": pl.Binary(), "Struct": pl.Struct({"x": pl.Int64}), "List": pl.List(pl.Int64), "Array": pl.Array(pl.Int64, 2), "Null": pl.Null(),
}  # fmt: skip
TAKES = {
    "string": {"String", "Categorical", "Enum"},
    "integer": {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"},
    "number": {"Float32", "Float64", "Decimal(10,2)", "Decimal(10,3)"},
    "boolean": {"Boolean"},
    "date": {"Date"},
    "timestamp": {"Datetime(ms)", "Datetime(us)", "Datetime(ns)", "Datetime(us,UTC)", "Datetime(us,Berlin)"},
    "time": {"Time"},
    "duration": {"Duration(us)", "Duration(ns)"},
    "binary": {"Binary"},
    "object": {"Struct"},
    "array": {"List", "Array"},
    "int8": {"Int8"}, "int16": {"Int16"}, "int32": {"Int32"}, "int64": {"Int64"},
    "uint8": {"UInt8"}, "uint16": {"UInt16"}, "uint32": {"UInt32"}, "uint64": {"UInt64"},
    "float32": {"Float32"}, "float64": {"Float64"}, "decimal(10,2)": {"Decimal(10,2)"},
    "timestamp[ms]": {"Datetime(ms)"}, "timestamp[us]": {"Datetime(us)"}, "timestamp[ns]": {"Datetime(ns)"},
    "timestamp[us,UTC]": {"Datetime(us,UTC)"}, "timestamp[us,Europe/Berlin]": {"Datetime(us,Berlin)"},
}  # fmt: skip


@pytest.mark.parametrize("promised", TAKES)
def test_a_type_takes_its_own_physical_types_and_no_other(promised: str) -> None:
    """S1-023, S2-024, S3-006."""
    assert {name for name, found in PHYSICAL.items() if is_of(found, LogicalType.parse(promised))} == TAKES[promised]


def test_the_matrix_holds_every_family() -> None:
    assert {family.value for family in Family} <= set(TAKES)


@pytest.mark.parametrize("promised", TAKES)
def test_a_decoded_text_has_a_physical_type_that_fits(promised: str) -> None:
    type_ = LogicalType.parse(promised)
    columns = Columns({"a": decoded_dtype(type_)}, is_text=type_.family in (Family.OBJECT, Family.ARRAY))
    assert columns.fits("a", type_)


@pytest.mark.parametrize(
    ("promised", "found", "fits"),
    [
        pytest.param("object", pl.String(), True, id="a nested value of a text format is its text"),
        pytest.param("array", pl.String(), True, id="a list of a text format is its text"),
        pytest.param("object", pl.Struct({"x": pl.Int64}), False, id="and no struct"),
        pytest.param("integer", pl.String(), False, id="S2-025 a text is no integer"),
        pytest.param("integer", pl.Int64(), True, id="decoded"),
    ],
)
def test_text_formats_hold_nested_values_as_text(promised: str, found: pl.DataType, fits: bool) -> None:
    assert Columns({"a": found}, is_text=True).fits("a", LogicalType.parse(promised)) is fits
