"""Source of a pydantic model: it takes the rows that the gate takes, and no others, as far as it says."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import inf, nan

import polars as pl
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.exports.pydantic_source import RESERVED, pydantic_source
from tests.exports.judging import (
    DELIVERED,
    FIELD_RULES,
    HOSTILE,
    contract_of,
    delivered,
    example,
    kept_by_the_gate,
    model_of,
    taken,
)


def model(text):
    return model_of(pydantic_source(contract_of(text)).text)


def takes(model, row):
    try:
        model.model_validate(row)
    except pydantic.ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        pytest.param("type: string", ["", "a"], [1, None, b"a"], id="string"),
        pytest.param("type: string, nullable: true", [None, "a"], [1], id="nullable"),
        pytest.param("type: integer", [0, -(2**63), 2**63 - 1], [2**63, True, 1.0, "1"], id="integer"),
        pytest.param("type: int8", [127, -128], [128, -129], id="int8"),
        pytest.param("type: uint64", [0, 2**64 - 1], [-1, 2**64], id="uint64"),
        pytest.param("type: number", [0.5, 1], [nan, inf, "1", True], id="number"),
        pytest.param("type: number, allow_nan: true", [nan, inf], ["nan"], id="NaN"),
        pytest.param("type: number, allow_nan: true, max: 5", [5, -inf], [nan, inf, 5.1], id="NaN breaks a bound"),
        pytest.param("type: number, max: 1.0e+309", [1e308], [inf], id="bound beyond every number"),
        pytest.param("type: 'decimal(4,2)'", [Decimal("99.99")], [Decimal("100.00"), Decimal("0.001"), 1.0], id="decimal"),
        pytest.param("type: 'decimal(4,2)', min: 0.105", [Decimal("0.11")], [Decimal("0.10")], id="decimal bound"),
        pytest.param("type: boolean", [True], [1, "true"], id="boolean"),
        pytest.param("type: boolean, enum: [true]", [True], [False], id="boolean enum"),
        pytest.param("type: date, min: 2026-01-01", [date(2026, 1, 1)], [date(2025, 12, 31), datetime(2026, 1, 1)], id="date"),
        pytest.param("type: date, enum: [2026-01-01]", [date(2026, 1, 1)], [date(2026, 1, 2)], id="date enum"),
        pytest.param("type: timestamp", [datetime(2026, 1, 1)], [datetime(2026, 1, 1, tzinfo=UTC)], id="timestamp"),
        pytest.param(
            "type: 'timestamp[us]', max: 2026-01-01",
            [datetime(2026, 1, 1, 23, 59, 59, 999_999)],
            [datetime(2026, 1, 2)],
            id="through the end of the day",
        ),
        pytest.param(
            "type: 'timestamp[us,Europe/Rome]', min: 2026-01-01",
            [datetime(2025, 12, 31, 23, tzinfo=UTC)],
            [datetime(2025, 12, 31, 22, 59, tzinfo=UTC), datetime(2026, 1, 1)],
            id="by the clock of the zone",
        ),
        pytest.param(
            "type: 'timestamp[us,America/Sao_Paulo]', max: 2018-02-17",
            [datetime(2018, 2, 18, 2, 59, 59, tzinfo=UTC)],
            [datetime(2018, 2, 18, 3, tzinfo=UTC)],
            id="an hour that stands twice",
        ),
        pytest.param("type: time", [time(1)], ["01:00:00"], id="time"),
        pytest.param("type: duration", [timedelta(1)], [1], id="duration"),
        pytest.param("type: binary", [b"a"], ["a"], id="binary"),
        pytest.param("type: object", [{"a": 1}], ["{}"], id="object"),
        pytest.param("type: array", [[1]], ["[]"], id="array"),
        pytest.param("type: string, enum: [a, b]", ["a"], ["c", "A"], id="enum"),
        pytest.param("type: string, enum: [a], nullable: true", ["a", None], ["c"], id="enum with null"),
        pytest.param("type: string, enum: [a, bb], max_length: 1", ["a"], ["bb", "c"], id="enum and length"),
        pytest.param("type: integer, enum: [1, 2]", [1], [3, True, 1.0], id="integer enum"),
        pytest.param("type: number, enum: [0.5]", [0.5], [nan, 1.0], id="number enum"),
        pytest.param("type: string, pattern: '[A-Z]{2}|X'", ["NL", "X"], ["NLX", "NL\n", "nl"], id="whole pattern"),
        pytest.param(r"type: string, pattern: '\d+'", ["1٣"], ["a"], id="pattern in Rust syntax"),
        pytest.param("type: string, min_length: 1, max_length: 2", ["a", "\U0001d49c\U0001d49c"], ["", "abc"], id="length"),
        pytest.param("type: string, not_blank: true", ["a", "\x1c"], ["", " \u2003\t"], id="blank"),
        pytest.param("type: string, not_blank: space", ["\t"], ["", "  "], id="blank of one kind"),
        pytest.param("type: string, trimmed: true", ["a b", "\x1ca"], [" a", "a\u3000"], id="untrimmed"),
        pytest.param("type: string, max_length: 1, severity: {length: warn}", ["long"], [1], id="what only warns"),
        pytest.param("type: string, severity: {'null': warn}", [None], [1], id="a null that only warns"),
    ],
)  # fmt: skip
def test_each_rule_is_judged(field, good, bad):
    judged = model(f"fields: [{{name: a, {field}}}]\n")
    assert [takes(judged, {"a": value}) for value in (*good, *bad)] == [True] * len(good) + [False] * len(bad)


def test_an_optional_field_may_be_absent_and_not_null():
    judged = model("fields: [{name: a, type: string, required: false}]\n")
    assert [takes(judged, row) for row in ({}, {"a": "x"}, {"a": None})] == [True, True, False]


@pytest.mark.parametrize(("term", "is_taken"), [("reject", False), ("ignore", True), ("keep", True)])
def test_undeclared_fields_are_judged_as_the_contract_says(term, is_taken):
    judged = model(f"extra_fields: {term}\nfields: [{{name: a, type: string}}]\n")
    assert takes(judged, {"a": "x", "b": 1}) is is_taken


def test_a_field_keeps_its_own_name_in_rows():
    judged = model("fields: [{name: class, type: string}, {name: a b, type: string}]\n")
    row = judged.model_validate({"class": "x", "a b": "y"})
    assert (row.class_, row.a_b) == ("x", "y")
    assert row.model_dump(by_alias=True) == {"class": "x", "a b": "y"}
    assert not takes(judged, {"class_": "x", "a b": "y"})


def test_an_error_does_not_show_the_value():
    judged = model("fields: [{name: a, type: integer}]\n")
    with pytest.raises(pydantic.ValidationError) as caught:
        judged.model_validate({"a": "secret"})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("name", "partition"), DELIVERED, ids=str)
def test_it_judges_the_rows_of_the_examples_as_the_gate_does(tmp_path, name, partition):
    """[S4-010] The generated class is load-bearing: it takes just what the contract's fields allow."""
    contract, candidate = example(name), delivered(name, partition, tmp_path)
    judged = model_of(pydantic_source(contract).text)
    rows = pl.read_parquet(candidate.path)
    rows = rows.select(column for column in rows.columns if column in contract.field_names)
    assert [takes(judged, row) for row in rows.iter_rows(named=True)] == kept_by_the_gate(
        contract, candidate, FIELD_RULES
    )


RANDOM = """\
delivery: {format: {type: parquet}}
fields:
  - {name: s, type: string, nullable: true, pattern: "[a-c ]*", min_length: 1, max_length: 3, not_blank: true, trimmed: true}
  - {name: e, type: string, enum: [a, "b c"]}
  - {name: i, type: int16, min: -2.5, max: 3, enum: [-2, 0, 3, 4]}
  - {name: f, type: float32, min: 0.1, max: 0.7, nullable: true}
  - {name: n, type: number, min: 0.1, max: 0.7, allow_nan: true}
  - {name: d, type: "decimal(5,2)", min: -1.005, max: 1.005}
  - {name: t, type: "timestamp[us,Europe/Amsterdam]", min: 2026-10-25, max: 2026-10-25T02:30:00+01:00}
"""
SCHEMA = {
    "s": pl.String, "e": pl.String, "i": pl.Int16, "f": pl.Float32, "n": pl.Float64, "d": pl.Decimal(5, 2),
    "t": pl.Datetime("us", "Europe/Amsterdam"),
}  # fmt: skip
NUMBERS = st.sampled_from([0.1, 0.7, 0.0, 0.5, 0.10000000149011612, 0.699999988079071, nan, inf, -inf])
ROWS = st.fixed_dictionaries(
    {
        "s": st.none() | st.text("abc \u2003", max_size=4),
        "e": st.sampled_from(["a", "b c", "", "A"]),
        "i": st.integers(-4, 5),
        "f": st.none() | NUMBERS,
        "n": NUMBERS,
        "d": st.integers(-102, 102).map(lambda cents: Decimal(cents).scaleb(-2)),
        "t": st.sampled_from([-7201, -7200, -3600, 0, 3600, 5400, 5401]).map(
            lambda seconds: datetime(2026, 10, 25, tzinfo=UTC) + timedelta(seconds=seconds)
        ),
    }
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(ROWS, min_size=1, max_size=12))
def test_it_judges_any_row_as_the_gate_does(tmp_path_factory, rows):
    contract = contract_of(RANDOM)
    frame = pl.DataFrame(rows, schema=SCHEMA)
    candidate = taken(contract, {"rows.parquet": frame}, tmp_path_factory.mktemp("rows"))
    judged = model_of(pydantic_source(contract).text)
    wanted = kept_by_the_gate(contract, candidate, FIELD_RULES)
    assert [takes(judged, row) for row in frame.iter_rows(named=True)] == wanted


def test_what_a_model_cannot_say_is_named():
    assert pydantic_source(contract_of(HOSTILE)).not_carried == (
        "`unreadable`, `row_count`: it is about a whole delivery, which the gate alone sees",
        "`naïve.not_finite`, `naïve.range`, `{{ x }}.null`: it only warns, and the format can only refuse",
        '`a b""".row_rule`: a condition in SQL has no counterpart in a model',
        "`key`, `u'.unique`, `w.unique`, `duplicate_rows`: it is about all rows together, and the format describes one",
        "`a\\b.type`, `cls.type`, `naïve.type`: a family takes other types too, and here one stands for them",
        "`data.type`: Python's float is a float64",
        "`ns.type`: Python's datetime ends at microseconds",
        "`description`, `delivery`, `publication`: the format has no place for it",
    )


def test_a_bound_in_the_zone_of_each_delivery_is_named():
    text = "fields: [{name: t, type: timestamp, min: 2026-01-01}]\ndelivery: {format: {type: parquet}}\n"
    assert (
        "`t.range`: its bound is taken in the time zone of each delivery"
        in pydantic_source(contract_of(text)).not_carried
    )


def test_every_name_of_a_model_s_own_is_reserved():
    """Names that a newer pydantic adds would be shadowed by fields of the same name."""
    assert {name for name in dir(pydantic.BaseModel) if not name.startswith("_")} <= RESERVED
