"""JSON Schema of one record: a schema by its own rules, which refuses no record that the gate takes."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.exports.json_schema import json_schema
from tests.exports.judging import (
    DATA,
    EXAMPLES,
    FIELD_RULES,
    HOSTILE,
    contract_of,
    example,
    kept_by_the_gate,
    taken,
)

JSONL = "delivery: {format: {type: jsonl}}\n"


def schema_of(text):
    return json.loads(json_schema(contract_of(text)).text)


def validator(text):
    return jsonschema.Draft202012Validator(schema_of(text))


@pytest.mark.parametrize(
    "contract", [*map(example, EXAMPLES), contract_of(HOSTILE)], ids=lambda contract: contract.name
)
def test_it_is_a_schema_by_the_rules_of_its_draft(contract):
    """[S3-026]"""
    schema = json.loads(json_schema(contract).text)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["x-contract-gate-version"], list(schema["properties"])) == (
        contract.version,
        list(contract.field_names),
    )


def test_required_null_and_undeclared_fields_stand_where_validators_look():
    """[S3-026]"""
    fields = "fields: [{name: a, type: string, nullable: true}, {name: b, type: string, required: false}]\n"
    schema = schema_of(fields)
    assert (schema["required"], schema["additionalProperties"]) == (["a"], False)
    assert (schema["properties"]["a"]["type"], schema["properties"]["b"]["type"]) == (["string", "null"], "string")
    assert [schema_of(f"extra_fields: {term}\n{fields}")["additionalProperties"] for term in ("ignore", "keep")] == [
        True
    ] * 2


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        pytest.param("type: string", ["", "a"], [1, None], id="string"),
        pytest.param("type: string, enum: [a], nullable: true", ["a", None], ["b"], id="enum with null"),
        pytest.param("type: string, pattern: 'a|b'", ["a", "b"], ["ab", "xa"], id="whole pattern"),
        pytest.param(r"type: string, pattern: '[^@\s]+\.x'", ["a.x"], ["a\u2003.x", "a-x"], id="white space"),
        pytest.param("type: string, min_length: 1, max_length: 2", ["\U0001d49c\U0001d49c"], ["", "abc"], id="length"),
        pytest.param("type: string, not_blank: true", ["a", "\x1c"], ["", " \u3000"], id="blank"),
        pytest.param("type: string, trimmed: true", ["", "a", "a b"], [" a", "a\u3000", " "], id="untrimmed"),
        pytest.param("type: string, trimmed: true, pattern: '[ a]*', nullable: true", ["a a", None], [" a", "b"], id="both"),
        pytest.param("type: string, max_length: 1, severity: {length: warn}", ["long"], [1], id="what only warns"),
        pytest.param("type: integer, min: 0.5, max: 9", [1, 9], [0, 10, True, "1", 1.5], id="integer"),
        pytest.param("type: int8", [127], [128], id="int8"),
        pytest.param("type: integer, enum: [1, 2]", [1], [3], id="integer enum"),
        pytest.param("type: number, min: 0.1", [0.1, 1], [0.09, "1"], id="number"),
        pytest.param("type: 'decimal(4,2)', min: 0.5", [0.5, 12, 99.99, "99.99", ".5"], [0.4, 1000, "1000", "1.555"], id="decimal"),
        pytest.param("type: 'decimal(4,2)', enum: [1.5], nullable: true", [1.5, "1.5", None], [2], id="decimal enum"),
        pytest.param("type: boolean, enum: [true]", [True], [False, 1], id="boolean"),
        pytest.param("type: date", ["2026-01-01"], ["01-01-2026", 1], id="date"),
        pytest.param("type: date, enum: [2026-01-01]", ["2026-01-01"], ["2026-01-02"], id="date enum"),
        pytest.param("type: timestamp", ["2026-01-01T00:00:00", "2026-01-01 00:00:00.5"], ["2026-01-01T00:00:00Z"], id="timestamp"),
        pytest.param("type: 'timestamp[ms,UTC]'", ["2026-01-01T00:00:00.123Z"], ["2026-01-01T00:00:00.1234Z"], id="zoned"),
        pytest.param("type: time", ["09:00:00"], ["9:00", "24:00:00"], id="time"),
        pytest.param("type: duration", ["P1D", "-PT1.5S", "P1DT1H1S"], ["P", "PT", "P1DT", "P1M", "1"], id="duration"),
        pytest.param("type: binary", ["QQ=="], ["Q"], id="binary"),
        pytest.param("type: object", [{"a": [1]}], [[], "{}"], id="object"),
        pytest.param("type: array", [[1, "a"]], [{}, "[]"], id="array"),
    ],
)  # fmt: skip
def test_each_rule_is_judged(field, good, bad):
    judged = validator(f"{JSONL}fields: [{{name: a, {field}}}]\n")
    found = [judged.is_valid({"a": value}) for value in (*good, *bad)]
    assert found == [True] * len(good) + [False] * len(bad)


@pytest.mark.parametrize(
    ("field", "note"),
    [
        (r"pattern: '\d+', type: string", r"`a.pattern`: its pattern uses \d, which other languages read otherwise"),
        ("pattern: '(?i)a', type: string", "`a.pattern`: its pattern has flags or a named group"),
        ("min: 2026-01-01, type: date", "`a.range`: bounds of dates have no keyword"),
        ("min: 1, type: float32", "`a.range`: single precision rounds numbers before they are judged"),
        ("min: 1, type: 'decimal(5,2)'", "`a.range`: it is judged for numbers and not for texts"),
        (
            "max_length: 1, type: string, severity: {length: warn}",
            "`a.length`: it only warns, and the format can only refuse",
        ),
        ("allow_nan: true, type: number", "`a.type`: JSON has neither NaN nor infinity"),
        ("type: integer", "`a.type`: 1.0 is taken for a whole number"),
    ],
)
def test_what_has_no_keyword_is_named(field, note):
    """[S3-026]"""
    assert note in json_schema(contract_of(f"fields: [{{name: a, {field}}}]\n")).not_carried


def test_what_has_no_keyword_stands_in_keys_of_our_own():
    """[S3-026]"""
    schema = schema_of(
        "key: [a]\nrules: [{name: r, sql: a > 0, on_null: keep}]\nfields: [{name: a, type: float32, min: 1, unit: m}]\n"
    )
    assert schema["x-contract-gate-key"] == ["a"]
    assert schema["x-contract-gate-rules"] == [{"name": "r", "sql": "a > 0", "on_null": "keep"}]
    assert schema["properties"]["a"]["x-contract-gate-min"] == 1
    assert (schema["properties"]["a"]["x-contract-gate-type"], schema["properties"]["a"]["x-contract-gate-unit"]) == (
        "float32",
        "m",
    )


def test_dates_in_formats_of_the_delivery_s_own_are_any_text():
    text = 'delivery: {format: {type: jsonl, dates: {a: "%d-%m-%Y"}}}\nfields: [{name: a, type: date}]\n'
    assert validator(text).is_valid({"a": "31-12-2026"})
    assert "`a.type`: its own formats have no keyword" in json_schema(contract_of(text)).not_carried


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_numbers_beyond_every_float_leave_it_json(form):
    text = f"delivery: {{format: {{type: {form}}}}}\nfields: [{{name: a, type: number, min: -1.0e+300, max: 1.0e+400, enum: [1, 1.0e+400]}}]\n"
    assert "Infinity" not in json_schema(contract_of(text)).text


def test_no_sign_of_it_is_invisible():
    text = json_schema(contract_of(HOSTILE)).text
    assert [sign for sign in text if not sign.isprintable() and sign != "\n"] == []


def test_the_records_of_an_example_are_valid():
    envelope = json.loads(Path(DATA / "landing/run_durations/2026-10-01/runs.json").read_text())
    records = [row for part in envelope["partitions"].values() for row in part["rows"]]
    judged = jsonschema.Draft202012Validator(json.loads(json_schema(example("run_durations")).text))
    assert [judged.is_valid(record) for record in records] == [True] * len(records)
    assert not judged.is_valid({"run_id": "r", "day": "2026-10-01", "duration_ms": -1})


RANDOM = """\
delivery: {format: {type: jsonl}}
fields:
  - {name: s, type: string, nullable: true, pattern: "[^x]*", min_length: 1, max_length: 3, trimmed: true}
  - {name: e, type: string, enum: [a, "b\\"", "\\u2028"], not_blank: true, severity: {blank: warn}}
  - {name: i, type: int16, min: -2.5, max: 3, required: false}
  - {name: f, type: float32, min: 0.1, max: 0.7}
  - {name: n, type: number, min: 0.1, max: 0.7, enum: [0.1, 0.5, 0.7]}
  - {name: d, type: "decimal(5,2)", min: -1.005, max: 1.005}
  - {name: z, type: "decimal(2,2)"}
  - {name: y, type: date}
  - {name: t, type: "timestamp[us,UTC]"}
  - {name: u, type: duration}
"""
TEXTS = st.text("ax \u2003\n\x85", max_size=4) | st.sampled_from(
    ["a", 'b"', "\u2028", "12", "0.50", "1.01", ".99", "2026-02-28", "2026-02-30"]
)
MOMENTS = st.sampled_from(
    [
        "2026-10-01T00:00:00Z",
        "2026-10-01 00:00:00+0200",
        "2026-10-01T00:00:00.123456-01:00",
        "2026-10-01T00:00:00",
        "PT1M",
        "P1DT",
        "-P2D",
        "PT0.5S",
    ]
)
NUMBERS = st.integers(-5, 5) | st.sampled_from(
    [0.1, 0.7, 0.10000000149011612, 0.7000000001, 0.70000001, 0.999, 0.99, -0.99, 1.0, 0.5, 1e400]
)
VALUES = st.none() | st.booleans() | TEXTS | MOMENTS | NUMBERS
RIGHT = {
    "s": TEXTS, "e": st.sampled_from(["a", 'b"', "\u2028", " "]), "i": st.integers(-4, 5), "f": NUMBERS, "n": NUMBERS,
    "d": NUMBERS | TEXTS, "z": NUMBERS | TEXTS, "y": TEXTS, "t": MOMENTS, "u": MOMENTS,
}  # fmt: skip
WHOLE = {
    "s": "a", "e": "a", "i": 0, "f": 0.5, "n": 0.5, "d": 1, "z": 0, "y": "2026-10-01", "t": "2026-10-01T00:00:00Z", "u": "P1D",
}  # fmt: skip
"""Has every field, since a delivery in which no record has one lacks the column."""
CHANGED = st.sampled_from(sorted(RIGHT)).flatmap(
    lambda name: (RIGHT[name] | RIGHT[name] | RIGHT[name] | VALUES).map(lambda value: WHOLE | {name: value})
)
FREE = st.fixed_dictionaries({}, optional={name: values | VALUES for name, values in RIGHT.items()})
RECORDS = CHANGED | CHANGED | CHANGED | FREE


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(RECORDS, min_size=1, max_size=25))
def test_a_record_that_the_gate_takes_is_valid(tmp_path_factory, records):
    """[S3-026] A schema may be laxer, never stricter."""
    contract = contract_of(RANDOM)
    lines = [json.dumps(record).replace("Infinity", "1e400") for record in [*records, WHOLE]]
    candidate = taken(contract, {"r.jsonl": "\n".join(lines)}, tmp_path_factory.mktemp("records"))
    judged = validator(RANDOM)
    valid = [judged.is_valid(json.loads(line)) for line in lines]
    kept = kept_by_the_gate(contract, candidate, FIELD_RULES | {"missing"})
    assert [line for line, is_kept, is_valid in zip(lines, kept, valid, strict=True) if is_kept and not is_valid] == []
