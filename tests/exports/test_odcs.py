"""Contracts as documents of the Open Data Contract Standard: valid, read again to the letter, in the standard's own words where it has them."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft201909Validator

from contract_core.contract.consistency import complaints_of
from contract_core.contract.model import Contract
from contract_core.contract.odcs import read_odcs
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import read_contract
from contract_core.exports.odcs import odcs_document
from contract_core.exports.odcs_round_trip import round_trip
from tests.properties.strategies import KEPT, TEXT

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests/cases/odcs"
STANDARD = Draft201909Validator(json.loads((CASES / "odcs-json-schema-v3.1.0.json").read_text()))
DOCUMENTS = sorted(CASES.glob("*.odcs.yaml"))
SHIPPED = sorted((ROOT / "data/contracts").glob("*.yaml"))
HEAD = 'contract: cases\nversion: "1.0.0"\n'

ALL = """\
contract: everything
version: "2.1.0"
status: active
sunset: 2030-01-01
domain: sales
description: "All orders.\\n\\nUsage: Sums.\\n\\nLimitations: No tax."
purpose: Revenue.
grain: One row per order.
population: All shops.
owners:
  producer: {name: shop, contact: "mailto:shop@example.org"}
  consumers: [{name: finance, contact: "#finance", relies_on: [n], tolerates: {nulls: true}}, {name: audit}]
key: [id, day]
extra_fields: keep
fields:
  - {name: id, type: string, min_length: 1, max_length: 9, pattern: "[A-Z]+", not_blank: ascii, trimmed: true, severity: {untrimmed: warn}}
  - {name: day, type: date, min: 2026-10-01, max: 2027-01-01, enum: [2026-10-01, 2026-10-02]}
  - {name: n, type: integer, min: -3, max: 10000000000000000000000000000001, enum: [1, 2], severity: {enum: warn}}
  - {name: rate, type: number, min: 0.1, max: 1.5, allow_nan: true, nullable: true}
  - {name: price, type: "decimal(10,2)", required: false, nullable: true, unit: EUR, renamed_from: cost, sunset: 2029-01-01}
  - {name: at, type: "timestamp[us,Europe/Rome]", max: 2026-10-01T00:00:00+02:00}
  - {name: moment, type: timestamp, min: 2026-10-01}
  - {name: clock, type: time}
  - {name: span, type: duration}
  - {name: raw, type: binary, classification: restricted, semantics: What came., description: Bytes.}
  - {name: part, type: object}
  - {name: "odd: name", type: array}
  - {name: is_open, type: boolean, enum: [true]}
  - {name: small, type: uint8}
  - {name: "null", type: float32}
rules:
  - {name: n_exclusive_minimum, sql: "\\"n\\" > -3", on_null: keep}
  - {name: n_multiple_of, sql: "\\"n\\" % 5 = 0", on_null: keep}
  - {name: filled, sql: "\\"n\\" IS NOT NULL", severity: warn, description: There.}
  - {name: mixed, sql: "n > 0 OR id = 'it''s' -- a comment", on_null: keep, description: "Two, lines"}
unique: [{name: id_unique, fields: [id]}, {name: pair, fields: [id, n], where: n > 0, severity: warn}]
duplicate_rows: warn
rows: {min: 1, max: 9, severity: warn}
groups: [{name: g, by: [day], sql: COUNT(*) > 0}]
history: [{name: h, sql: n >= previous.n, max_share: "2.5%"}]
delivery:
  path: "x/{partition}/*.csv"
  format: {type: csv, delimiter: ";", decimal: ",", null_values: {"*": [""], n: ["-"]}, dates: {day: "%d.%m.%Y", moment: ["%Y", "%d %b"]}, integral: [n]}
  partition: {column: day, every: month, timezone: Europe/Rome, start: 2026-10-01}
  parts: {from: column, column: id, required: ["1", "yes"]}
  corrections: true
  due: {by: "09:30", timezone: Europe/Rome, days_after: 2, calendar: weekdays, holidays: [2026-12-25]}
freshness: {column: day, max_age: 36h, severity: warn}
monitors: {volume: {max_change: "50%", max_deviation: 6, min_history: 3, window: 7}, fields: {n: {null_rate: "0.1%", mean_change: "12.5%", quantiles_change: "9%", max_deviation: 3.5}, id: {distinct_change: "5%"}}}
enforcement: {on_breach: quarantine, quarantine: {max_rate: "0.5%", max_rows: 3, keep: 90d}}
publication: {mode: upsert, keep_versions: 3600s}
unverified:
  - {claim: "foreign key: id -> shops.id"}
  - {claim: "n: few are empty", evidence: "a query whose answer mustBeLessThan 3: SELECT 1"}
  - {claim: all shops report, evidence: the register}
changes: {profile: full, approvals: [finance], window: 10d}
"""


def written(contract: Contract) -> Any:
    return yaml.safe_load(odcs_document(contract).text)


def complaints(contract: Contract) -> list[str]:
    return [error.message for error in STANDARD.iter_errors(written(contract))]


def again(contract: Contract) -> Contract:
    (found,) = read_odcs(odcs_document(contract).text, "o.yaml").contracts
    return found


def table(text: str) -> Any:
    return written(parse_contract(text, "c.yaml"))["schema"][0]


def column(attributes: str) -> Any:
    return table(f"{HEAD}fields:\n  - {{name: a, {attributes}}}\n")["properties"][0]


EXAMPLES = [*(pytest.param(path.read_text(), id=path.stem) for path in SHIPPED), pytest.param(ALL, id="everything"), pytest.param(TEXT, id="law"),
            pytest.param(HEAD + KEPT, id="kept"), pytest.param(f"{HEAD}fields: [{{name: a, type: string}}]\n", id="smallest")]  # fmt: skip


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_contract_written_and_read_again_is_the_same(text: str):
    contract = parse_contract(text, "c.yaml")
    assert again(contract) == contract
    assert again(contract).digest == contract.digest


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_is_written_satisfies_the_standard(text: str):
    assert complaints(parse_contract(text, "c.yaml")) == []


@pytest.mark.parametrize("text", EXAMPLES)
def test_all_that_is_written_is_held_when_it_is_read(text: str):
    assert read_odcs(odcs_document(parse_contract(text, "c.yaml")).text, "o.yaml").not_held == ()


def test_what_the_standard_has_no_words_for_is_named():
    contract = parse_contract(f"{HEAD}population: All.\nfields: [{{name: a, type: string, unit: EUR}}]\n", "c.yaml")
    why = "the standard has no words for it; only readers of the custom properties contractGate.* find it"
    assert odcs_document(contract).not_carried == (f"`fields.a.unit`: {why}", f"`population`: {why}")


def test_nothing_is_named_where_the_standard_says_it_all():
    contract = parse_contract(f"{HEAD}fields: [{{name: a, type: string, description: An a.}}]\n", "c.yaml")
    assert odcs_document(contract).not_carried == ()


def test_descriptions_are_carried():
    """[S3-011] `description` is carried into every export."""
    found = table(f"{HEAD}description: All cases.\nfields: [{{name: a, type: string, description: An a.}}]\n")
    assert (found["description"], found["properties"][0]["description"]) == ("All cases.", "An a.")


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("type: int16", {"logicalType": "integer", "physicalType": "int16", "logicalTypeOptions": {"format": "i16"}, "required": True}),
        ("type: string, max_length: 9", {"logicalType": "string", "physicalType": "varchar(9)", "logicalTypeOptions": {"maxLength": 9}, "required": True}),
        ("type: date, min: 2026-10-01", {"logicalType": "date", "physicalType": "date", "logicalTypeOptions": {"minimum": "2026-10-01"}, "required": True}),
        ("type: number, max: 0.5, nullable: true", {"logicalType": "number", "physicalType": "number", "logicalTypeOptions": {"maximum": 0.5}, "required": False}),
        ("type: 'timestamp[us,UTC]'", {"logicalType": "timestamp", "physicalType": "timestamp[us,UTC]", "logicalTypeOptions": {"timezone": True, "defaultTimezone": "UTC"}, "required": True}),
    ],
)  # fmt: skip
def test_a_field_stands_in_the_words_of_the_standard(attributes: str, expected: dict[str, Any]):
    assert column(attributes) == {"name": "a", **expected}


def test_a_list_of_values_is_a_quality_rule():
    rule = {
        "type": "library",
        "metric": "invalidValues",
        "mustBe": 0,
        "arguments": {"validValues": ["x", "y"]},
        "severity": "error",
    }
    assert column("type: string, enum: [x, y]")["quality"] == [rule]


def test_a_row_rule_is_a_query_that_other_engines_can_run():
    (rule,) = table(f"{HEAD}fields: [{{name: a, type: integer}}]\nrules: [{{name: r, sql: a > 0 -- x}}]\n")["quality"]
    assert (rule["query"], rule["mustBe"]) == ('SELECT COUNT(*) FROM "cases" WHERE NOT ("a" > 0) IS TRUE', 0)


def test_a_row_rule_that_lets_unknown_through_counts_what_is_false():
    (rule,) = table(f"{HEAD}fields: [{{name: a, type: integer}}]\nrules: [{{name: r, sql: a > 0, on_null: keep}}]\n")[
        "quality"
    ]
    assert rule["query"] == 'SELECT COUNT(*) FROM "cases" WHERE ("a" > 0) IS FALSE'


def test_a_name_that_is_sql_stays_a_name():
    (rule,) = table(
        f'{HEAD}fields: [{{name: \'a"; DROP TABLE x; --\', type: integer}}]\nrules: [{{name: r, sql: \'"a""; DROP TABLE x; --" > 0\'}}]\n'
    )["quality"]
    assert rule["query"] == 'SELECT COUNT(*) FROM "cases" WHERE NOT ("a""; DROP TABLE x; --" > 0) IS TRUE'


NAMES = st.sampled_from(["a", "b", "a b", "a: b", "yes", "010", "x.y", 'q"q', "ü", "2026-10-01"])
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip) | st.sampled_from(
    ["a: x", "foreign key: a -> t.c", "foreign key: t.a, t.b -> u.c", "Usage: x", "x\n\nUsage: y", "Limitations: z\n\nUsage: y", "no", "1:30", "~", "a\x85b", "\u2028x\ufeff", "a\r\nb", "a\n\n b \n"]
)  # fmt: skip
NUMBERS = st.integers(-(10**30), 10**30) | st.decimals(-(10**9), 10**9, places=3)
TYPES = ["integer", "number", "int8", "uint64", "float32", "decimal(12,3)"]


@st.composite
def fields(draw: Any, name: str) -> dict[str, Any]:
    kind = draw(
        st.sampled_from(["string", "binary", "duration", "boolean", "object", "date", "time", "timestamp", *TYPES])
    )
    entry: dict[str, Any] = {"name": name, "type": kind}
    if kind in TYPES:
        low, high = sorted([draw(NUMBERS), draw(NUMBERS)])
        entry |= draw(st.fixed_dictionaries({}, optional={"min": st.just(low), "max": st.just(high)}))
    if kind == "string":
        texts = {
            "max_length": st.integers(0, 99),
            "pattern": st.sampled_from(["a+", "[x-z]"]),
            "trimmed": st.booleans(),
            "not_blank": st.just("ascii"),
            "enum": st.lists(WORDS, min_size=1, max_size=3, unique=True).map(tuple),
        }
        entry |= draw(st.fixed_dictionaries({}, optional=texts))
    words = {
        "description": WORDS,
        "semantics": WORDS,
        "unit": WORDS,
        "nullable": st.booleans(),
        "required": st.booleans(),
        "classification": st.just("public"),
    }
    return entry | draw(st.fixed_dictionaries({}, optional=words))


@st.composite
def contracts(draw: Any) -> Contract:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    terms = {
        "status": st.sampled_from(["draft", "deprecated", "retired"]), "description": WORDS, "purpose": WORDS, "grain": WORDS, "population": WORDS, "domain": st.just("sales"),
        "key": st.lists(st.sampled_from(names), unique=True).map(tuple), "extra_fields": st.sampled_from(["keep", "ignore"]), "rows": st.fixed_dictionaries({"min": st.integers(0, 3)}, optional={"max": st.integers(3, 5)}),
        "owners": st.fixed_dictionaries({"producer": st.fixed_dictionaries({"name": WORDS}, optional={"contact": WORDS})}, optional={"consumers": st.lists(st.fixed_dictionaries({"name": WORDS}), max_size=2).map(tuple)}),
        "unverified": st.lists(st.fixed_dictionaries({"claim": WORDS}, optional={"evidence": WORDS}), max_size=3).map(tuple),
        "unique": st.lists(st.fixed_dictionaries({"name": st.sampled_from([f"{names[0]}_unique", "u"]), "fields": st.lists(st.sampled_from(names), min_size=1, unique=True).map(tuple)}), max_size=2).map(tuple),
        "enforcement": st.just({"on_breach": "quarantine", "quarantine": {"max_rate": "12.50%"}}), "freshness": st.fixed_dictionaries({"column": st.sampled_from(names), "max_age": st.sampled_from(["1s", "90m", "2w", "0s"])}),
    }  # fmt: skip
    stated = draw(st.fixed_dictionaries({}, optional=terms))
    return Contract.model_validate(
        {"contract": "cases", "version": "1.0.0", "fields": [draw(fields(name)) for name in names], **stated}
    )


@given(contracts())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_law_no_contract_changes_on_its_way_through_the_standard(contract: Contract):
    assume(not any(complaints_of(contract, frozenset())))
    assert complaints(contract) == []
    assert again(contract).digest == contract.digest


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_public_document_loses_on_the_round_trip_was_named_when_it_was_read(path: Path):
    reading = read_odcs(path.read_bytes(), path.name)
    assert set(round_trip(path.read_bytes(), path.name).lost) <= set(reading.not_held)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_contract_of_a_public_document_is_written_to_the_letter(path: Path):
    contracts = read_odcs(path.read_bytes(), path.name).contracts
    assert [again(contract).digest for contract in contracts] == [contract.digest for contract in contracts]
    assert [complaints(contract) for contract in contracts] == [[] for _ in contracts]


def test_most_of_the_public_documents_survives_the_round_trip():
    """Two thirds of all values; nearly all of the rest are links to definitions and platforms' own names of types."""
    trips = {path.name: round_trip(path.read_bytes(), path.name) for path in DOCUMENTS}
    print(*(f"{trip.kept:5} of {trip.total:5}  {name}" for name, trip in trips.items()), sep="\n")  # noqa: T201 - asked for with -s
    assert sum(trip.total for trip in trips.values()) == 5502
    assert sum(trip.kept for trip in trips.values()) >= 3689


def test_the_shipped_contracts_are_files_of_the_standard_that_the_registry_reads(tmp_path: Path):
    file = tmp_path / "orders.yaml"
    file.write_text(odcs_document(read_contract(ROOT / "data/contracts/orders.yaml")).text)
    assert read_contract(file) == read_contract(ROOT / "data/contracts/orders.yaml")
