"""From text to contract: every problem of a file at once, each with its place, what is wrong and what to write instead."""

from pathlib import Path

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.errors import InvalidContractError, Problem
from tests.contract.texts import HEAD, MINIMAL, contract_of, problems, whats, with_field

DESIGN_EXAMPLE = Path(__file__).parents[1] / "cases" / "design_example.yaml"
TYPES = (
    "one of: string, integer, number, boolean, date, timestamp, time, duration, binary, object, array, int8, int16, int32, "
    "int64, uint8, uint16, uint32, uint64, float32, float64, decimal(p,s), timestamp[us], timestamp[us,UTC]"
)
MANY = """\
contract: Cases
version: 1.10
fields:
  - {name: region, type: strin}
  - {name: n, type: integer, min: 5, max: 1}
  - {name: n, type: string, enum: [NO, NA]}
  - {type: date}
key: [regoin]
extra_field: keep
rules:
  - {name: positive, sql: "count > 0"}
delivery: {format: {type: csv, delimiter: ";;"}}
"""


def test_all_problems_of_a_file_come_at_once() -> None:
    """S3-022."""
    assert problems(MANY) == [
        ("1:11", "contract: is no contract name", "write small letters, digits and underscores, a letter first: regional_daily_cases"),
        ("2:10", "version: is read by YAML as a decimal number, a version is text", 'write it in quotes: version: "1.0.0"'),
        ("4:26", "fields.region.type: 'strin' is no type", TYPES),
        ("5:35", "fields.n.min: the lower bound 5 is above the upper bound 1", "swap them"),
        ("6:12", "fields.n.name: the field 'n' is declared a second time", "remove one of them"),
        ("6:36", "fields.n.enum.0: YAML reads it as true/false, the field is of type string", "write it in quotes"),
        ("7:5", "'fields.3' has no 'name'", "write name:"),
        ("8:6", "key: 'regoin' is no field of this contract", "did you mean 'region'? fields: n, region"),
        (
            "9:1",
            "'extra_field' is no attribute of the contract",
            ("did you mean 'extra_fields'? known: changes, contract, delivery, description, domain, duplicate_rows, enforcement, "
            "extra_fields, fields, freshness, grain, groups, history, key, monitors, owners, population, publication, "
            "purpose, recovery, rows, rules, status, sunset, unique, unverified, version"),
        ),
        ("11:27", "rules.positive.sql: 'count' is no field of this contract", "fields: n, region"),
        ("12:43", "delivery.format.delimiter: is not one ASCII character", 'write one character such as ";" or "\\t"'),
    ]  # fmt: skip


def test_a_problem_keeps_its_parts() -> None:
    with pytest.raises(InvalidContractError) as caught:
        parse_contract("contract: [a]", "folder/c.yaml")
    first = caught.value.problems[0]
    assert (first.where, first.what) == ("folder/c.yaml:1:1", "the contract has no 'fields'")
    assert str(Problem("f:1:2", "what", "hint")) == "f:1:2: what\n    hint"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("just text", "a contract is a mapping, this is text", id="text"),
        pytest.param("- a\n", "a contract is a mapping, this is a list", id="list"),
        pytest.param("null\n", "a contract is a mapping, this is nothing", id="nothing"),
        pytest.param("5\n", "a contract is a mapping, this is a whole number", id="number"),
        pytest.param("a: 'x", "not YAML: found unexpected end of stream", id="torn"),
        pytest.param("a\ud800", "the file is not UTF-8", id="lone surrogate"),
    ],
)  # fmt: skip
def test_what_is_no_contract_says_so_once(text: str, expected: str) -> None:
    assert whats(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(MINIMAL.replace('"1.0.0"', '""'), [("2:10", "version: '' is no version", 'write major, minor and patch: "1.0.0"')], id="S3-022 empty version"),
        pytest.param(MINIMAL.replace('"1.0.0"', "1.10"), [("2:10", "version: is read by YAML as a decimal number, a version is text", 'write it in quotes: version: "1.0.0"')], id="P15 1.10"),
        pytest.param(MINIMAL.replace('"1.0.0"', "1"), [("2:10", "version: is read by YAML as a whole number, a version is text", 'write it in quotes: version: "1.0.0"')], id="whole number"),
        pytest.param(MINIMAL.replace('"1.0.0"', ""), [("2:9", "version: is read by YAML as nothing, a version is text", 'write it in quotes: version: "1.0.0"')], id="no version written"),
        pytest.param(MINIMAL.replace('"1.0.0"', '"1.0"'), [("2:10", "version: '1.0' is no version", 'write major, minor and patch: "1.0.0"')], id="two numbers"),
        pytest.param(MINIMAL.replace('"1.0.0"', '"01.0.0"'), [("2:10", "version: '01.0.0' is no version", 'write major, minor and patch: "1.0.0"')], id="leading zero"),
        pytest.param(MINIMAL.replace('"1.0.0"', '"1.١.0"'), [("2:10", "version: '1.١.0' is no version", 'write major, minor and patch: "1.0.0"')], id="digit that is not ASCII"),
        pytest.param(MINIMAL.replace('version: "1.0.0"\n', ""), [("1:1", "the contract has no 'version'", "write version:")], id="S3-003 no version"),
        pytest.param(HEAD + "fields: []\n", [("3:9", "fields: is empty", "write at least one")], id="P05 no fields"),
        pytest.param(HEAD + "fields: a\n", [("3:9", "fields: is text, a list is needed", "write [a, b] or one item per line, each after a dash")], id="fields is text"),
        pytest.param(HEAD + "fields: [a]\n", [("3:10", "fields.0: is text, a mapping is needed", "write {name: value, …} or one name: value per line")], id="a field is text"),
        pytest.param(HEAD + "fields:\n  - {name: '', type: string}\n", [("4:12", "fields..name: is no field name", "write 1 to 255 characters without control characters or outer blanks")], id="S3-022 empty field name"),
        pytest.param(HEAD + "fields:\n  - {name: no, type: string}\n", [("4:12", "fields.0.name: is read by YAML as something else than text", "write the name in quotes")], id="P14 field named no"),
        pytest.param(HEAD + "fields:\n  - {name: __row, type: string}\n", [("4:12", "fields.__row.name: starts with '__', which is kept for the gate's own columns", "choose another name")], id="reserved name"),
        pytest.param(HEAD + 'fields:\n  - {name: "*", type: string}\n', [("4:12", "fields.*.name: is a name that Polars reads as a pattern for many columns", "choose another name")], id="a name that is a pattern"),
        pytest.param(MINIMAL + "  - {name: A, type: string}\n", [("5:12", "fields.A.name: 'A' and 'a' differ by case alone, which a Delta table does not tell apart", "rename one of them")], id="P17 names that differ by case"),
        pytest.param(with_field("type: string, unique: true"), [("4:20", "'unique' is no attribute of 'fields.a'", "write key: or unique: at the top of the contract, with the names of its fields")], id="uniqueness of a field"),
        pytest.param(with_field("type: decimal(10,2)"), [("4:12", "fields.a.type: 'decimal(10' is torn at its comma", 'write it in quotes: type: "decimal(10,2)"'), ("4:23", "'2)' is no attribute of 'fields.a'", "known: allow_nan, classification, description, enum, max, max_length, min, min_length, name, not_blank, nullable, pattern, renamed_from, required, semantics, severity, sunset, trimmed, type, unit")], id="a type torn at its comma"),
        pytest.param(with_field("type: string, requird: true"), [("4:20", "'requird' is no attribute of 'fields.a'", "did you mean 'required'? known: allow_nan, classification, description, enum, max, max_length, min, min_length, name, not_blank, nullable, pattern, renamed_from, required, semantics, severity, sunset, trimmed, type, unit")], id="unknown attribute of a field"),
        pytest.param(with_field("type: string, semantics: by day, of sampling"), [("4:39", "'of sampling' is no attribute of 'fields.a'", "text with a comma between braces needs quotes")], id="torn text"),
        pytest.param(with_field("type: string, required: yess"), [("4:30", "fields.a.required: is read by YAML as text, true or false is needed", "write true or false without quotes")], id="S2-024 text is no boolean"),
        pytest.param(with_field("type: string, nullable: 1"), [("4:30", "fields.a.nullable: is read by YAML as a whole number, true or false is needed", "write true or false without quotes")], id="1 is no boolean"),
        pytest.param(with_field('type: string, min_length: "5"'), [("4:32", "fields.a.min_length: is read by YAML as text, a whole number is needed", "write it without quotes")], id="S2-025 text is no number"),
        pytest.param(with_field("type: string, min_length: true"), [("4:32", "fields.a.min_length: is read by YAML as true/false, a whole number is needed", "write it without quotes")], id="true is no number"),
        pytest.param(with_field("type: string, min_length: -1"), [("4:32", "fields.a.min_length: is below 0", "write 0 or more")], id="negative length"),
        pytest.param(with_field(f"type: string, max_length: 1{'0' * 40}"), [("4:32", "fields.a.max_length: is above 1000000000000000", "write 1000000000000000 or less")], id="length beyond reason"),
        pytest.param(with_field("type: string, description: 5"), [("4:33", "fields.a.description: is read by YAML as a whole number, text is needed", "write it in quotes")], id="number as text"),
        pytest.param(with_field("type: string, unit: '  '"), [("4:26", "fields.a.unit: is empty", "write at least one visible character")], id="blank text"),
        pytest.param(MINIMAL + "extra_fields: drop\n", [("5:15", "extra_fields: is not one of the known words", "one of: reject, ignore or keep")], id="S3-005 unknown word"),
        pytest.param(MINIMAL + "enforcement: {on_breach: stop}\n", [("5:26", "enforcement.on_breach: is not one of the known words", "one of: fail, quarantine or warn")], id="S3-004 unknown policy"),
        pytest.param(MINIMAL + "duplicate_rows: loud\n", [("5:17", "duplicate_rows: is not one of the known words", "one of: error or warn")], id="unknown severity"),
        pytest.param(MINIMAL + "enforcement: fail\n", [("5:14", "enforcement: is text, a mapping is needed", "write {name: value, …} or one name: value per line")], id="mapping needed"),
        pytest.param(MINIMAL + "monitors: {fields: [a]}\n", [("5:20", "monitors.fields: is a list, a mapping is needed", "write name: value")], id="mapping of fields needed"),
        pytest.param(MINIMAL + "owners: {producer: {name: x}, consumers: {name: y}}\n", [("5:42", "owners.consumers: is a mapping, a list is needed", "write [a, b] or one item per line, each after a dash")], id="list needed"),
        pytest.param(MINIMAL + "owners: {consumers: [{name: y}]}\n", [("5:1", "'owners' has no 'producer'", "write producer:")], id="S1-040 no producer"),
        pytest.param(MINIMAL + "contract: again\n", [("5:1", "'contract' stands here a second time, first in line 1", "keep one of them")], id="duplicate key"),
    ],
)  # fmt: skip
def test_one_problem_is_told_once_with_its_place(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert problems(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(MINIMAL + "delivery:\n  path: c/{partition}\n  partition: {column: a, every: dayly, start: 2026-10-01}\n  due: {by: '09:00'}\n", "delivery.partition.every: is not one of the known words", id="partition"),
        pytest.param(MINIMAL + "delivery: {path: 'c/{partition}', partition: {column: a, every: day, start: soon}}\n", "delivery.partition.start: is no calendar day", id="start of a partition"),
        pytest.param(MINIMAL + "delivery: {format: {type: envelop}, parts: {from: envelope, required: [x]}}\n", "delivery.format.type: is not one of the known words", id="format"),
        pytest.param(MINIMAL + "delivery: {manifest: yes, parts: {from: manifest, required: [x]}}\n", "delivery.manifest: is not one of the known words", id="manifest"),
        pytest.param(HEAD + "fields: [{name: d, type: dat}]\nkey: [d]\nfreshness: {column: d, max_age: 1d}\nrules: [{name: r, sql: d IS NULL}]\ndelivery: {path: 'c/{partition}', partition: {column: d}, parts: {from: column, column: d, required: [x]}}\n", "fields.d.type: 'dat' is no type", id="field that others name"),
        pytest.param(MINIMAL + "duplicate_rows: error\nstatus: active\ngrain: One row per a.\nowners: {producer: {name: 5}, consumers: [{name: x}]}\n", "owners.producer.name: is read by YAML as a whole number, text is needed", id="producer"),
        pytest.param(MINIMAL + "duplicate_rows: error\nstatus: active\ngrain: One row per a.\nowners: {producer: {name: x}, consumers: [{name: 5}]}\n", "owners.consumers.0.name: is read by YAML as a whole number, text is needed", id="consumer"),
        pytest.param(MINIMAL + "duplicate_rows: error\nstatus: active\ngrain: 5\nowners: {producer: {name: x}, consumers: [{name: y}]}\n", "grain: is read by YAML as a whole number, text is needed", id="grain"),
        pytest.param(MINIMAL + "key: a\npublication: {mode: upsert}\n", "key: is text, a list is needed", id="key"),
        pytest.param(with_field("type: number, min: .inf, max: 1"), "YAML cannot read .inf as the number or date it looks like", id="value that YAML cannot read"),
        pytest.param(with_field("type: string, enum: [!!bool x]"), "YAML cannot read x as the number or date it looks like", id="item that YAML cannot read"),
    ],
)  # fmt: skip
def test_a_problem_has_no_echo_where_others_depend_on_it(text: str, expected: str) -> None:
    assert whats(text) == [expected]


def test_a_complaint_after_a_broken_field_still_knows_its_place() -> None:
    text = HEAD + "fields:\n  - {name: a, type: strin}\n  - {name: b, type: string, min: 5}\n"
    assert problems(text)[1] == ("5:34", "fields.b.min: type string has no min", "remove it or change type")


def test_the_smallest_contract_is_enough() -> None:
    """S1-107."""
    contract = contract_of(
        HEAD + "key: [a]\nfields:\n  - {name: a, type: string, pattern: '[A-Z]+', max_length: 3, trimmed: true}\n"
    )
    assert (contract.name, contract.status, contract.extra_fields, contract.rows.min) == ("cases", "draft", "reject", 1)
    assert (contract.enforcement.on_breach, contract.field("a").required, contract.field("a").nullable) == (
        "fail",
        True,
        False,
    )


def test_a_wide_contract_is_read_in_reasonable_time() -> None:
    contract = contract_of(HEAD + "fields:\n" + "".join(f"  - {{name: f{i}, type: string}}\n" for i in range(5000)))
    assert len(contract.field_names) == 5000


def test_the_example_of_the_whole_language_is_a_contract() -> None:
    contract = contract_of(DESIGN_EXAMPLE.read_bytes())
    assert (contract.name, contract.field_names[:2], contract.unit) == (
        "regional_daily_cases",
        ("region_code", "report_date"),
        "cases",
    )


def test_a_comma_in_unquoted_text_between_braces_is_the_example_s_one_problem() -> None:
    text = DESIGN_EXAMPLE.read_text("utf-8").replace(
        '"Confirmed by laboratory test, by day of sampling."', "Confirmed by laboratory test, by day of sampling."
    )
    assert problems(text) == [
        (
            "19:99",
            "'by day of sampling.' is no attribute of 'fields.case_count'",
            "text with a comma between braces needs quotes",
        )
    ]


def test_thousands_of_problems_are_told_up_to_a_number():
    told = whats(MINIMAL + "".join(f"unknown_{number}: 1\n" for number in range(700)))
    assert (len(told), told[-1]) == (501, "has 200 problems more")


def test_thousands_of_misspelt_names_are_found_without_comparing_all():
    fields = "".join(f"  - {{name: field_{number}, type: string}}\n" for number in range(3000))
    told = problems(f"{HEAD}key: [{', '.join(f'feild_{number}' for number in range(3000))}]\nfields:\n{fields}")
    assert told[0][2].endswith("and 2900 more")


@pytest.mark.parametrize(
    ("attributes", "hint"),
    [
        pytest.param("type: datetime", "did you mean 'timestamp'?", id="type datetime"),
        pytest.param("type: float", "did you mean 'number'?", id="type float"),
        pytest.param("type: string, regex: a", "did you mean 'pattern'?", id="regex"),
        pytest.param("type: string, optional: true", "did you mean 'required'?", id="optional"),
    ],
)
def test_words_of_other_tools_lead_to_ours(attributes, hint):
    assert problems(with_field(attributes))[0][2].startswith(hint)
