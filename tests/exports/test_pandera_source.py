"""Source of a pandera model: it counts what the gate counts, for every rule that it has a check for."""

import warnings
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import inf, nan

import pandera.polars as pa
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.contract.promises import Severity
from contract_core.exports.pandera_source import RESERVED, pandera_source
from contract_core.validation.plan import validate
from contract_core.validation.report import Outcome
from tests.exports.judging import (
    DELIVERED,
    FIELD_RULES,
    HOSTILE,
    contract_of,
    delivered,
    example,
    model_of,
    taken,
)
from tests.validation.judged import AS_OF

COUNTED = (FIELD_RULES - {"type"}) | {"key", "unique", "duplicate_rows"}


def model(text):
    return model_of(pandera_source(contract_of(text)).text)


def broken(model, frame):
    """How many failures pandera counts for each check, those that only warn too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", pa.errors.SchemaWarning)
        try:
            model.validate(frame, lazy=True)
        except pa.errors.SchemaErrors as error:
            return dict(error.failure_cases.group_by("check").len().iter_rows())
        finally:
            warned = [str(warning.message) for warning in caught]
    return {"warned": len(warned)} if warned else {}


def broken_for_the_gate(contract, candidate):
    report = validate(contract, candidate, AS_OF)
    return {
        finding.id: finding.details["rows"] if finding.rule in ("key", "unique", "duplicate_rows") else finding.breaches
        for finding in report.findings
        if finding.outcome is Outcome.BREACHED and finding.rule in COUNTED and finding.severity is Severity.ERROR
    }


def without_nulls(counts):
    """Nor what only warns, which the gate's count leaves out too."""
    return {name: count for name, count in counts.items() if not name.endswith(".null") and name != "warned"}


@pytest.mark.parametrize(
    ("field", "dtype", "values", "check"),
    [
        pytest.param("type: string", pl.String, [None], "a.null", id="null"),
        pytest.param("type: string, enum: [a]", pl.String, ["a", "b"], "a.enum", id="enum"),
        pytest.param("type: int8, enum: [1, 300]", pl.Int8, [1, 44], "a.enum", id="enum beyond the type"),
        pytest.param("type: 'decimal(5,2)', enum: [1.5, 2.505]", pl.Decimal(5, 2), ["1.50", "2.51"], "a.enum", id="decimal enum"),
        pytest.param("type: boolean, enum: [true]", pl.Boolean, [True, False], "a.enum", id="boolean enum"),
        pytest.param("type: date, enum: [2026-01-01]", pl.Date, [date(2026, 1, 1), date(2026, 1, 2)], "a.enum", id="date enum"),
        pytest.param("type: float32, enum: [0.1]", pl.Float32, [0.1, 0.2], "a.enum", id="float enum"),
        pytest.param("type: string, pattern: 'a|b'", pl.String, ["a", "ab"], "a.pattern", id="pattern"),
        pytest.param("type: int8, min: 300", pl.Int8, [127], "a.range", id="bound that no value keeps"),
        pytest.param("type: uint64, min: 0, max: 18446744073709551614", pl.UInt64, [0, 2**64 - 1], "a.range", id="uint64"),
        pytest.param("type: 'decimal(5,2)', max: 1.005", pl.Decimal(5, 2), ["1.00", "1.01"], "a.range", id="decimal bound"),
        pytest.param("type: number, max: 1", pl.Float64, [1.0, 1.1], "a.range", id="number"),
        pytest.param("type: number, allow_nan: true, min: 1", pl.Float64, [1.0, nan], "a.range", id="NaN breaks a bound"),
        pytest.param("type: number", pl.Float64, [1.0, inf], "a.not_finite", id="infinity"),
        pytest.param("type: string, max_length: 1", pl.String, ["\U0001d49c", "aa"], "a.length", id="length"),
        pytest.param("type: string, not_blank: ascii", pl.String, ["\u3000", " \t"], "a.blank", id="blank"),
        pytest.param("type: string, trimmed: true", pl.String, ["a", "a\u3000"], "a.untrimmed", id="untrimmed"),
    ],
)  # fmt: skip
def test_each_rule_has_a_check_of_its_name(field, dtype, values, check):
    judged = model(f"fields: [{{name: a, {field}}}]\n")
    frame = pl.DataFrame({"a": pl.Series(values).cast(dtype)})
    assert broken(judged, frame) == {check: 1}


@pytest.mark.parametrize(
    ("frame", "check"),
    [
        pytest.param({"a": [1]}, "dtype('String')", id="type"),
        pytest.param({"b": ["x"]}, "column_in_schema", id="undeclared"),
    ],
)
def test_columns_and_types_are_judged_by_pandera(frame, check):
    assert check in broken(model("fields: [{name: a, type: string}]\n"), pl.DataFrame(frame))


def test_an_optional_column_may_be_left_out():
    judged = model("extra_fields: keep\nfields: [{name: a, type: string, required: false, min_length: 1}]\n")
    assert broken(judged, pl.DataFrame({"b": [1]})) == {}


def test_what_only_warns_is_a_warning():
    judged = model("fields: [{name: a, type: string, min_length: 1, severity: {length: warn}}]\n")
    assert broken(judged, pl.DataFrame({"a": [""]})) == {"warned": 1}


def test_objects_and_arrays_take_any_inner_type():
    text = "fields: [{name: a, type: object}, {name: b, type: array}]\ndelivery: {format: {type: parquet}}\n"
    assert broken(model(text), pl.DataFrame({"a": [{"x": 1}], "b": [[1]]})) == {}


def test_duplicate_rows_are_compared_by_the_columns_that_are_there():
    judged = model(
        "duplicate_rows: error\nfields: [{name: a, type: string}, {name: b, type: string, required: false}]\n"
    )
    assert broken(judged, pl.DataFrame({"a": ["x", "x", "y"]})) == {"duplicate_rows": 2}


def test_a_key_takes_nulls_for_equal():
    judged = model("key: [a, b]\nfields: [{name: a, type: string}, {name: b, type: string, nullable: true}]\n")
    assert broken(judged, pl.DataFrame({"a": ["x", "x"], "b": [None, None]}, schema_overrides={"b": pl.String})) == {
        "key": 2
    }


@pytest.mark.parametrize(("name", "partition"), DELIVERED[::3], ids=str)
def test_it_counts_in_the_examples_what_the_gate_counts(tmp_path, name, partition):
    """[S4-010] Nulls apart: a text that did not decode is one in a frame, and a breach of its own for the gate."""
    contract, candidate = example(name), delivered(name, partition, tmp_path)
    rows = pl.read_parquet(candidate.path)
    rows = rows.select(column for column in rows.columns if column in contract.field_names)
    found = broken(model_of(pandera_source(contract).text), rows)
    wanted = broken_for_the_gate(contract, candidate)
    assert without_nulls(found) == without_nulls(wanted)


RANDOM = """\
key: [s, i]
duplicate_rows: error
unique: [{name: once, fields: [n]}]
rows: {min: 0}
delivery: {format: {type: parquet}}
fields:
  - {name: s, type: string, nullable: true, pattern: "[a-c ]*", min_length: 1, max_length: 3, not_blank: true, trimmed: true}
  - {name: i, type: int16, min: -2.5, max: 3, enum: [-2, 0, 3, 4]}
  - {name: f, type: float32, min: 0.1, max: 0.7}
  - {name: n, type: float64, min: 0.1, max: 0.7, allow_nan: true, nullable: true}
  - {name: d, type: "decimal(5,2)", min: -1.005, max: 1.005}
  - {name: t, type: "timestamp[ns,Europe/Amsterdam]", min: 2026-10-25, max: 2026-10-25}
"""
SCHEMA = {
    "s": pl.String, "i": pl.Int16, "f": pl.Float32, "n": pl.Float64, "d": pl.Decimal(5, 2),
    "t": pl.Datetime("ns", "Europe/Amsterdam"),
}  # fmt: skip
NUMBERS = st.sampled_from([0.1, 0.7, 0.0, -0.0, 0.5, 0.10000000149011612, 0.699999988079071, nan, inf, -inf])
ROWS = st.fixed_dictionaries(
    {
        "s": st.none() | st.text("abc \u2003", max_size=4),
        "i": st.none() | st.integers(-4, 5),
        "f": NUMBERS,
        "n": st.none() | NUMBERS,
        "d": st.integers(-102, 102).map(lambda cents: Decimal(cents).scaleb(-2)),
        "t": st.sampled_from([-1, 0, 25 * 3600 - 1, 25 * 3600]).map(
            lambda seconds: datetime(2026, 10, 24, 22, tzinfo=UTC) + timedelta(seconds=seconds)
        ),
    }
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(ROWS, min_size=1, max_size=8))
def test_it_counts_what_the_gate_counts(tmp_path_factory, rows):
    contract = contract_of(RANDOM)
    frame = pl.DataFrame(rows, schema=SCHEMA)
    candidate = taken(contract, {"rows.parquet": frame}, tmp_path_factory.mktemp("rows"))
    assert broken(model_of(pandera_source(contract).text), frame) == broken_for_the_gate(contract, candidate)


def test_what_a_model_cannot_say_is_named():
    assert pandera_source(contract_of(HOSTILE)).not_carried[:3] == (
        "`unreadable`, `row_count`: it is about a whole delivery, which the gate alone sees",
        '`a b""".row_rule`: a condition in SQL is judged by contract_core.pandera_schema, not by this source',
        "`w.unique`: a condition in SQL is judged by the gate alone",
    )


def test_every_name_of_a_model_s_own_is_reserved():
    """Names that a newer pandera adds would be shadowed by fields of the same name."""
    assert {name for name in dir(pa.DataFrameModel) if not name.startswith("_")} <= RESERVED
