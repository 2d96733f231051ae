"""A dbt model file: columns, types and constraints, and nothing in it that dbt would run as a template."""

import json

import pytest
import yaml

from contract_core.contract.model import Contract
from contract_core.exports.dbt import dbt_model
from tests.exports.judging import EXAMPLES, HOSTILE, contract_of, example


def model_of(text):
    (model,) = yaml.safe_load(dbt_model(contract_of(text)).text)["models"]
    return model


def constraints(field, terms=""):
    return model_of(f"{terms}fields: [{{name: a, {field}}}]\n")["columns"][0].get("constraints", [])


def checks(field):
    return [item["expression"] for item in constraints(field) if item["type"] == "check"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_names_the_model_its_columns_and_its_version(name):
    contract = example(name)
    document = yaml.safe_load(dbt_model(contract).text)
    (model,) = document["models"]
    assert (document["version"], model["name"], model["config"]["contract"]) == (2, name, {"enforced": True})
    assert model["config"]["meta"]["contract_version"] == contract.version
    assert [column["name"] for column in model["columns"]] == list(contract.field_names)
    assert [column for column in model["columns"] if not column["data_type"]] == []


@pytest.mark.parametrize(
    ("field", "data_type"),
    [
        ("type: string", "text"), ("type: integer", "bigint"), ("type: int8", "tinyint"), ("type: uint8", "smallint"),
        ("type: uint64", "decimal(20, 0)"), ("type: float32", "real"), ("type: number", "double"), ("type: 'decimal(5,2)'", "decimal(5, 2)"),
        ("type: boolean", "boolean"), ("type: date", "date"), ("type: timestamp", "timestamp"), ("type: 'timestamp[ms]'", "timestamp"),
        ("type: 'timestamp[us,UTC]'", "timestamptz"), ("type: time", "time"), ("type: duration", "bigint"), ("type: binary", "blob"),
        ("type: object", "text"),
    ],
)  # fmt: skip
def test_each_type_has_its_own(field, data_type):
    assert model_of(f"fields: [{{name: a, {field}}}]\n")["columns"][0]["data_type"] == data_type


@pytest.mark.parametrize(
    ("field", "expression"),
    [
        ("type: integer, min: 0.5", '"a" IS NULL OR "a" >= 1'),
        ('type: string, enum: [x, "it\'s"]', "\"a\" IS NULL OR \"a\" IN ('x', 'it''s')"),
        ("type: string, max_length: 3", '"a" IS NULL OR LENGTH("a") <= 3'),
        ("type: string, pattern: 'a|b.'", '"a" IS NULL OR REGEXP_MATCHES("a", \'^(?:a|b[^\\n])$\')'),
        ("type: string, not_blank: space", "\"a\" IS NULL OR TRIM(\"a\", ' ') <> ''"),
        ("type: date, min: 2026-01-01", '"a" IS NULL OR "a" >= CAST(\'2026-01-01\' AS DATE)'),
    ],
)
def test_each_rule_of_a_field_is_a_condition(field, expression):
    assert checks(field) == [expression]


def test_a_row_rule_is_a_condition_of_the_model():
    model = model_of(
        "rules: [{name: r, sql: \"a LIKE 'x_%' OR b > 0\", on_null: keep}]\nfields: [{name: a, type: string}, {name: b, type: int8}]\n"
    )
    (check,) = model["constraints"]
    assert (check["type"], check["name"][:16]) == ("check", "gate_r_row_rule_")
    assert [
        part for part in ('REGEXP_MATCHES("a", \'^x', '"b" >= 1', '"b" IS NULL') if part not in check["expression"]
    ] == []


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("type: string", [{"type": "not_null"}]),
        ("type: string, nullable: true", []),
        ("type: string, required: false", []),
        ("type: string, severity: {'null': warn}", []),
    ],
)
def test_a_column_that_is_never_null_says_so(field, found):
    assert constraints(field) == found


def test_a_null_that_only_warns_is_a_test_that_warns():
    column = model_of("fields: [{name: a, type: string, severity: {'null': warn}}]\n")["columns"][0]
    assert column["data_tests"] == [{"not_null": {"config": {"severity": "warn"}}}]


PARTITIONED = "delivery: {partition: {column: a, every: day, start: 2026-10-01}}\n"


@pytest.mark.parametrize(
    ("terms", "found"),
    [
        pytest.param("key: [b]\n", [['"b"']], id="one table"),
        pytest.param(f"key: [b]\n{PARTITIONED}", [], id="within partitions"),
        pytest.param(f"key: [a, b]\n{PARTITIONED}", [['"a"', '"b"']], id="partition in the key"),
        pytest.param(f"key: [b]\npublication: {{mode: upsert}}\n{PARTITIONED}", [['"b"']], id="upsert"),
        pytest.param("unique: [{name: u, fields: [a], where: b > 0}]\n", [], id="where"),
        pytest.param("key: [c]\n", [['"c"']], id="nulls are equal"),
    ],
)
def test_a_key_is_unique_only_where_it_holds_for_the_whole_table(terms, found):
    fields = "fields: [{name: a, type: date}, {name: b, type: int8}, {name: c, type: int8, nullable: true}]\n"
    assert [item["columns"] for item in model_of(terms + fields).get("constraints", [])] == found


def test_no_template_is_left_in_it():
    exported = dbt_model(contract_of(HOSTILE))
    assert [sign for sign in ("{{", "{%", "{#") if sign in exported.text] == []
    assert (
        "`str.enum`, `description`, `{{ x }}.missing`, `{{ x }}.type`: dbt reads a part of it as Jinja"
        in exported.not_carried
    )
    (model,) = yaml.safe_load(exported.text)["models"]
    assert model["config"]["contract"] == {"enforced": False}
    assert "{{ x }}" not in json.dumps(model)


@pytest.mark.parametrize("name", ["a b", "x) AS SELECT 1 --", "1st", "a'b", "a;b"])
def test_a_name_that_dbt_would_write_without_its_quotes_is_left_out(name):
    contract = Contract.model_validate(
        {
            "contract": "cases",
            "version": "1.0.0",
            "key": [name],
            "fields": [{"name": name, "type": "int8", "min": 0}, {"name": "b", "type": "date"}],
        }
    )
    exported = dbt_model(contract)
    (model,) = yaml.safe_load(exported.text)["models"]
    assert ([column["name"] for column in model["columns"]], name in exported.text) == (["b"], False)
    assert model["config"]["contract"] == {"enforced": False}
    why = "dbt-duckdb 1.9 writes its name without quotes"
    assert f"`{name}.null`, `{name}.range`, `key`, `{name}.missing`, `{name}.type`: {why}" in exported.not_carried


def test_what_is_published_although_it_breaks_has_no_constraint():
    text = "enforcement: {on_breach: warn}\nkey: [a]\nfields: [{name: a, type: int8, min: 0}]\n"
    assert (
        constraints("type: int8, min: 0", "enforcement: {on_breach: warn}\nkey: [a]\n"),
        "constraints" in model_of(text),
    ) == ([], False)
    assert "`key`: the policy on_breach: warn publishes rows that break it" in (
        dbt_model(contract_of(text)).not_carried
    )
