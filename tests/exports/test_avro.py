"""An Avro schema: each type has its own, nulls are unions, and names are those that Avro takes."""

import json
import re

import pytest

from contract_core.exports.avro import avro_schema
from tests.exports.judging import EXAMPLES, HOSTILE, contract_of, example

NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


def fields_of(text):
    return {field["name"]: field for field in json.loads(avro_schema(contract_of(text)).text)["fields"]}


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("type: string", "string"),
        ("type: integer", "long"),
        ("type: int8", "int"),
        ("type: int32", "int"),
        ("type: uint32", "long"),
        ("type: uint64", {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 0}),
        ("type: float32", "float"),
        ("type: number", "double"),
        ("type: 'decimal(10,2)'", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}),
        ("type: boolean", "boolean"),
        ("type: date", {"type": "int", "logicalType": "date"}),
        ("type: timestamp", {"type": "long", "logicalType": "local-timestamp-micros"}),
        ("type: 'timestamp[ms,UTC]'", {"type": "long", "logicalType": "timestamp-millis"}),
        ("type: 'timestamp[ns]'", {"type": "long", "logicalType": "local-timestamp-nanos"}),
        ("type: time", {"type": "long", "logicalType": "time-micros"}),
        ("type: duration", "long"),
        ("type: binary", "bytes"),
        ("type: object", "string"),
        ("type: string, enum: [a, B_1]", {"type": "enum", "name": "cases_a", "symbols": ["a", "B_1"]}),
        ("type: string, enum: [a, b-c]", "string"),
        ("type: string, enum: [a], severity: {enum: warn}", "string"),
    ],
)
def test_each_type_has_its_own(field, kind):
    assert fields_of(f"fields: [{{name: a, {field}}}]\n")["a"]["type"] == kind


@pytest.mark.parametrize("field", ["nullable: true", "required: false", "severity: {'null': warn}"])
def test_what_may_be_null_is_a_union_with_a_default(field):
    found = fields_of(f"fields: [{{name: a, type: date, {field}}}]\n")["a"]
    assert (found["type"], found["default"]) == (["null", {"type": "int", "logicalType": "date"}], None)


def test_what_must_be_there_has_no_default():
    assert fields_of("fields: [{name: a, type: string}]\n")["a"] == {"name": "a", "type": "string"}


@pytest.mark.parametrize(
    "contract", [*map(example, EXAMPLES), contract_of(HOSTILE)], ids=lambda contract: contract.name
)
def test_every_name_is_one_that_avro_takes_and_no_two_are_alike(contract):
    schema = json.loads(avro_schema(contract).text)
    names = [schema["name"], *(field["name"] for field in schema["fields"])]
    assert [name for name in names if not NAME.fullmatch(name)] == []
    assert len(names) == len(set(names)) == len(contract.fields) + 1


def test_a_record_is_not_named_like_a_type():
    schema = json.loads(
        avro_schema(contract_of('contract: string\nversion: "1.0.0"\nfields: [{name: a, type: date}]\n')).text
    )
    assert (schema["name"], schema["contractVersion"]) == ("string_record", "1.0.0")


def test_another_name_is_named():
    contract = contract_of("domain: d\nfields: [{name: a b, type: object}, {name: class, type: date}]\n")
    exported = avro_schema(contract)
    schema = json.loads(exported.text)
    assert [(field["name"], field.get("fieldName")) for field in schema["fields"]] == [("a_b", "a b"), ("class", None)]
    assert "`a b`: Avro does not take the name; it stands as a_b" in exported.not_carried
    assert "`a b.type`: it stands as its JSON text, since its inner types are not known" in exported.not_carried
    assert schema["namespace"] == "d"
