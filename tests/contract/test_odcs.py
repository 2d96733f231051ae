"""Documents of the Open Data Contract Standard: what becomes of each of their parts, and what is named because it has no place."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.contract.model import Contract
from contract_core.contract.odcs import OdcsReading, read_odcs
from contract_core.contract.odcs_tables import contract_name
from contract_core.contract.parsing import parse_contract
from contract_core.contract.promises import Assumption, Freshness, RowCount, RowRule, Severity, Unique
from contract_core.errors import InvalidContractError
from tests.properties.strategies import damaged

HEAD = 'apiVersion: v3.1.0\nkind: DataContract\nid: orders\nname: orders\nversion: "1.0.0"\nstatus: draft\n'
TABLE = HEAD + "schema:\n  - name: orders\n    properties:\n"
A = TABLE + "      - {name: a, logicalType: string}\n"
TWO = A + "  - name: returns\n    properties: [{name: b, logicalType: date}]\n"


def reading(text: str) -> OdcsReading:
    return read_odcs(text, "o.yaml")


def contract_of(text: str) -> Contract:
    (contract,) = reading(text).contracts
    return contract


def column(attributes: str) -> str:
    """A document with one column, `a`."""
    return TABLE + f"      - {{name: a, {attributes}}}\n"


def rule(attributes: str, kind: str = "string") -> str:
    """A document whose column `a` has one quality rule."""
    return column(f"logicalType: {kind}, quality: [{{{attributes}}}]")


def about_table(attributes: str) -> str:
    """A document whose table has one quality rule."""
    return A + f"    quality: [{{{attributes}}}]\n"


def problems(text: str) -> list[tuple[str, str]]:
    with pytest.raises(InvalidContractError) as caught:
        read_odcs(text, "o.yaml")
    return [(problem.where.removeprefix("o.yaml:"), problem.what) for problem in caught.value.problems]


def test_a_document_with_one_table_is_a_contract_like_any_other():
    assert parse_contract(A, "o.yaml") == contract_of(A)


def test_bytes_and_text_are_read_alike():
    assert read_odcs(A.encode(), "o.yaml") == reading(A)


def test_everything_of_a_small_document_is_held():
    assert (reading(A).not_carried, reading(A).kept, reading(A).total) == ((), 9, 9)


def test_several_tables_are_several_contracts():
    assert [contract.name for contract in reading(TWO).contracts] == ["orders", "returns"]


def test_several_tables_ask_for_a_choice_where_one_contract_is_needed():
    with pytest.raises(InvalidContractError) as caught:
        parse_contract(TWO, "o.yaml")
    (problem,) = caught.value.problems
    assert problem.what == "the document describes several tables, and a contract is about one: orders, returns"
    assert problem.hint == "choose one: contract-gate import o.yaml --from odcs --table orders"


def test_a_document_without_tables_gives_no_contract_and_says_so():
    assert reading(HEAD).contracts == ()
    assert "`schema`: the document describes no table, and a contract is about one" in reading(HEAD).not_carried
    assert reading(HEAD).kept == 0


def test_a_document_without_tables_is_refused_where_one_contract_is_needed():
    with pytest.raises(InvalidContractError, match="describes no table with columns"):
        parse_contract(HEAD, "o.yaml")


def test_a_table_without_a_type_that_is_known_is_named_and_gives_no_contract():
    found = reading(column("physicalType: geography"))
    assert found.contracts == ()
    assert [(problem.where, problem.what) for problem in found.obstacles] == [
        (
            "o.yaml:10:9",
            "schema.orders.properties.a: the column has neither a logicalType nor a physicalType that is known",
        )
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("- 1\n", ("1:1", "a document of the standard is a mapping, this is a list"), id="list"),
        pytest.param(A.replace("v3.1.0", "v2.2.2"), ("1:13", "apiVersion: 'v2.2.2' is not read"), id="old version"),
        pytest.param(A.replace("kind: DataContract", "kind: DataProduct"), ("2:7", "kind: is not DataContract"), id="kind"),
        pytest.param(A.replace('"1.0.0"', "1.0"), ("5:10", "version: is read by YAML as a decimal number"), id="version"),
        pytest.param(A.replace("id: orders\n", ""), ("1:1", "the document has no 'id'"), id="missing"),
        pytest.param(A + "shema: []\n", ("11:1", "'shema' is no attribute of the document in the standard"), id="unknown"),
        pytest.param(column("logicalType: text"), ("10:32", "schema.orders.properties.a.logicalType: is not one of the known words"), id="type"),
        pytest.param(column("logicalType: string, required: 1"), ("10:50", "schema.orders.properties.a.required: is read by YAML as a whole number"), id="kind of value"),
        pytest.param(rule("metric: rows, mustBe: 0"), ("10:59", "schema.orders.properties.a.quality.0.metric: is not one of the known words"), id="metric"),
        pytest.param(A + "tags: x\n", ("11:7", "tags: is text, a list is needed"), id="no list"),
        pytest.param(column("logicalType: integer, logicalTypeOptions: {minimum: 2, maximum: 1}"), ("10:71", "schema.orders.properties.a.logicalTypeOptions.minimum: the lower bound 2 is above the upper bound 1"), id="contradiction"),
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused_with_its_place(text: str, expected: tuple[str, str]):
    """[S3-022] Malformed contracts are refused when they are read."""
    assert expected in problems(text)


def test_all_problems_are_told_at_once():
    text = column("logicalType: text, required: 1").replace("id: orders\n", "").replace('"1.0.0"', "1.0")
    assert [where for where, _ in problems(text)] == ["1:1", "4:10", "9:32", "9:48"]


def test_columns_that_differ_by_case_alone_are_a_problem_of_the_document():
    (problem,) = problems(A + "      - {name: A, logicalType: string}\n")
    assert problem[0] == "11:16"


@pytest.mark.parametrize(
    ("table", "contract"),
    [
        ("orders", "orders"), ("Orders", "orders"), ("AirQuality", "air_quality"), ("Air_Quality", "air_quality"), ("sales.Orders", "sales_orders"),
        ("2024_orders", "table_2024_orders"), ("é", "table"), ("x" * 150, "x" * 100),
    ],
)  # fmt: skip
def test_the_name_of_a_table_becomes_one_of_a_contract(table: str, contract: str):
    assert contract_name(table) == contract


def test_a_name_that_is_changed_is_named():
    found = reading(A.replace("- name: orders", "- name: Orders"))
    assert found.contracts[0].name == "orders"
    assert (
        "`schema.Orders.name`: names of contracts are small letters, digits and underscores: it is called 'orders'"
        in found.not_carried
    )


def test_two_tables_of_one_name_are_refused():
    text = TWO.replace("name: returns", "name: Orders")
    assert problems(text) == [("11:11", "a second table would be the contract 'orders'")]


@pytest.mark.parametrize(
    ("written", "read"),
    [("v1.0", "1.0.0"), ("1.1", "1.1.0"), ("2", "2.0.0"), ("1.2.3-beta", "1.2.3"), ("01.2.3", "1.2.3")],
)
def test_a_version_without_three_numbers_is_completed_and_named(written: str, read: str):
    found = reading(A.replace('"1.0.0"', f'"{written}"'))
    assert found.contracts[0].version == read
    assert f"`version`: versions have major, minor and patch: it is read as '{read}'" in found.not_carried


def test_a_version_without_numbers_gives_no_contract():
    found = reading(A.replace('"1.0.0"', "latest"))
    assert [problem.where for problem in found.obstacles] == ["o.yaml:5:10"]


@pytest.mark.parametrize(
    ("written", "read"),
    [("proposed", "draft"), ("in development", "draft"), ("retired", "retired"), ("anything", "draft")],
)
def test_a_status_is_one_of_ours(written: str, read: str):
    assert contract_of(A.replace("status: draft", f"status: {written}")).status == read


def test_an_active_document_that_says_too_little_is_read_as_a_draft_and_named():
    found = reading(A.replace("status: draft", "status: active"))
    assert found.contracts[0].status == "draft"
    assert any(
        note.startswith("`status`: is read as 'draft': an active contract has owners") for note in found.not_carried
    )


def test_an_active_document_that_says_enough_stays_active():
    text = A.replace("status: draft", "status: active").replace("logicalType", "primaryKey: true, logicalType")
    text += "    dataGranularityDescription: One row per order.\n"
    text += "team: {name: shop}\nsupport: [{channel: '#shop'}]\nroles: [{role: finance, access: read}]\n"
    contract = contract_of(text)
    assert (contract.status, contract.grain, contract.key) == ("active", "One row per order.", ("a",))
    assert contract.owners is not None
    assert (contract.owners.producer.name, contract.owners.producer.contact) == ("shop", "#shop")
    assert [consumer.name for consumer in contract.owners.consumers] == ["finance"]


def test_texts_about_the_whole_have_their_places():
    """[S3-011] Descriptions are carried."""
    text = A.replace("    properties", "    description: All orders.\n    properties")
    text += "domain: sales\ndescription: {purpose: Revenue., usage: Sums., limitations: No tax.}\n"
    contract = contract_of(text)
    assert (contract.domain, contract.purpose) == ("sales", "Revenue.")
    assert contract.description == "All orders.\n\nUsage: Sums.\n\nLimitations: No tax."


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("logicalType: string", "string"), ("logicalType: integer", "integer"), ("logicalType: number", "number"), ("logicalType: boolean", "boolean"),
        ("logicalType: date", "date"), ("logicalType: time", "time"), ("logicalType: timestamp", "timestamp"), ("logicalType: object", "object"),
        ("logicalType: array", "array"), ("logicalType: integer, logicalTypeOptions: {format: u8}", "uint8"), ("logicalType: number, logicalTypeOptions: {format: f32}", "float32"),
        ("logicalType: integer, logicalTypeOptions: {format: i128}", "integer"), ("logicalType: number, physicalType: 'DECIMAL(10, 2)'", "decimal(10,2)"),
        ("logicalType: number, physicalType: numeric(5)", "decimal(5,0)"), ("logicalType: number, physicalType: numeric(60)", "number"),
        ("logicalType: integer, physicalType: int16", "int16"), ("logicalType: integer, physicalType: int4", "integer"),
        ("logicalType: timestamp, logicalTypeOptions: {timezone: true, defaultTimezone: Europe/Rome}", "timestamp[us,Europe/Rome]"),
        ("logicalType: timestamp, logicalTypeOptions: {timezone: true}", "timestamp[us,UTC]"), ("logicalType: timestamp, logicalTypeOptions: {timezone: true, defaultTimezone: Nowhere}", "timestamp"),
        ("logicalType: string, physicalType: binary", "binary"), ("physicalType: jsonb", "object"), ("physicalType: varchar(3)", "string"), ("physicalType: 'decimal(4,1)'", "decimal(4,1)"),
    ],
)  # fmt: skip
def test_a_type_is_that_of_the_logical_type_made_exact_by_what_states_it(attributes: str, expected: str):
    assert str(contract_of(column(attributes)).field("a").type) == expected


def test_a_name_of_a_type_that_belongs_to_the_platform_is_named():
    assert any(
        "physicalType`: the platform's own name of a type is not kept" in note
        for note in reading(column("logicalType: integer, physicalType: int4")).not_carried
    )


@pytest.mark.parametrize(
    ("required", "nullable"), [("required: true, ", False), ("required: false, ", True), ("", True)]
)
def test_required_means_not_null_and_the_column_is_always_expected(required: str, nullable: bool):
    field = contract_of(column(f"{required}logicalType: string")).field("a")
    assert (field.nullable, field.required) == (nullable, True)


def test_options_of_texts_are_rules_of_the_field():
    field = contract_of(
        column("logicalType: string, logicalTypeOptions: {minLength: 1, maxLength: 9, pattern: '[A-Z]+'}")
    ).field("a")
    assert (field.min_length, field.max_length, field.pattern) == (1, 9, "[A-Z]+")


def test_the_length_in_a_physical_type_is_one_of_the_field():
    assert contract_of(column("logicalType: string, physicalType: varchar(18)")).field("a").max_length == 18


def test_a_pattern_of_another_syntax_is_named_and_left_out():
    found = reading(column("logicalType: string, logicalTypeOptions: {pattern: '(?=a)b'}"))
    assert found.contracts[0].field("a").pattern is None
    assert any(
        note.startswith("`schema.orders.properties.a.logicalTypeOptions.pattern`: is no regular expression")
        for note in found.not_carried
    )


@pytest.mark.parametrize(
    ("kind", "minimum", "expected"),
    [
        ("integer", "3", 3), ("number", "0.5", Decimal("0.5")), ("date", '"2026-10-01"', date(2026, 10, 1)), ("timestamp", '"2026-10-01"', date(2026, 10, 1)),
        ("timestamp", '"2026-10-01 09:30:00"', datetime(2026, 10, 1, 9, 30)),
    ],
)  # fmt: skip
def test_a_bound_is_one_of_the_field(kind: str, minimum: str, expected: object):
    assert (
        contract_of(column(f"logicalType: {kind}, logicalTypeOptions: {{minimum: {minimum}}}")).field("a").min
        == expected
    )


def test_a_bound_with_an_offset_needs_a_time_zone_and_has_it():
    options = "{timezone: true, maximum: '2026-10-01 09:30:00+00:00'}"
    assert contract_of(column(f"logicalType: timestamp, logicalTypeOptions: {options}")).field("a").max == datetime(
        2026, 10, 1, 9, 30, tzinfo=UTC
    )


def test_a_bound_of_a_time_of_day_is_named():
    found = reading(column("logicalType: time, logicalTypeOptions: {minimum: '09:00'}"))
    assert (
        "`schema.orders.properties.a.logicalTypeOptions.minimum`: values of type time have no bounds in the language"
        in found.not_carried
    )


@pytest.mark.parametrize(
    ("kind", "option", "sql"),
    [
        ("integer", "exclusiveMinimum: 0", '"a" > 0'), ("number", "exclusiveMaximum: 1.5", '"a" < 1.5'), ("date", "exclusiveMinimum: '2026-10-01'", "\"a\" > DATE '2026-10-01'"),
        ("timestamp", "exclusiveMaximum: '2026-10-01 00:00:00'", "\"a\" < TIMESTAMP '2026-10-01 00:00:00'"), ("integer", "multipleOf: 5", '"a" % 5 = 0'),
    ],
)  # fmt: skip
def test_a_bound_that_is_excluded_and_a_multiple_are_row_rules(kind: str, option: str, sql: str):
    (found,) = contract_of(column(f"logicalType: {kind}, logicalTypeOptions: {{{option}}}")).rules
    assert (found.sql, found.on_null) == (sql, "keep")


def test_a_date_pattern_is_the_decoding_of_the_field():
    contract = contract_of(column("logicalType: date, logicalTypeOptions: {format: dd.MM.yyyy}"))
    assert contract.delivery.format.date_formats("a") == ("%d.%m.%Y",)


def test_a_pattern_with_names_of_months_is_named():
    assert any(
        "logicalTypeOptions.format`" in note
        for note in reading(column("logicalType: date, logicalTypeOptions: {format: dd MMM yyyy}")).not_carried
    )


def test_keys_stand_in_the_order_of_their_positions():
    text = (
        column("logicalType: string, primaryKey: true, primaryKeyPosition: 2")
        + "      - {name: b, logicalType: date, primaryKey: true, primaryKeyPosition: 1}\n"
    )
    assert contract_of(text).key == ("b", "a")


def test_a_key_without_positions_stands_in_the_order_of_the_columns():
    text = column("logicalType: string, primaryKey: true") + "      - {name: b, logicalType: date, primaryKey: true}\n"
    assert contract_of(text).key == ("a", "b")


def test_a_unique_column_is_a_unique_rule():
    assert contract_of(column("logicalType: string, unique: true")).unique == (Unique(name="a_unique", fields=("a",)),)


def test_the_one_partition_column_is_that_of_the_delivery():
    partition = contract_of(
        column("logicalType: string, required: true, partitioned: true, partitionKeyPosition: 1")
    ).delivery.partition
    assert partition is not None
    assert partition.column == "a"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(column("logicalType: string, partitioned: true"), "this one may be missing", id="nullable"),
        pytest.param(
            column("logicalType: number, required: true, partitioned: true"),
            "cannot tell a partition of this kind",
            id="type",
        ),
        pytest.param(
            column("logicalType: string, partitioned: true")
            + "      - {name: b, logicalType: date, partitioned: true}\n",
            "partitioned by one column",
            id="two",
        ),
    ],
)
def test_a_partition_that_a_delivery_cannot_have_is_named(text: str, why: str):
    assert any(why in note for note in reading(text).not_carried)
    assert contract_of(text).delivery.partition is None


def test_words_about_a_column_have_their_places():
    field = contract_of(
        column("logicalType: string, description: An a., businessName: The a, classification: restricted")
    ).field("a")
    assert (field.description, field.semantics, field.classification) == ("An a.", "The a", "restricted")


def test_a_classification_of_another_scheme_is_named():
    assert any(
        "properties.a.classification`: is none of the words" in note
        for note in reading(column("logicalType: string, classification: pii")).not_carried
    )


def test_no_nulls_is_a_row_rule_with_its_words():
    text = rule("type: library, metric: nullValues, mustBe: 0, description: All there., severity: warning")
    assert contract_of(text).rules == (
        RowRule(name="a_null_values", sql='"a" IS NOT NULL', severity=Severity.WARN, description="All there."),
    )


def test_the_older_word_for_a_metric_is_read_and_named():
    found = reading(rule("rule: nullValues, mustBe: 0"))
    assert len(found.contracts[0].rules) == 1
    assert "`schema.orders.properties.a.quality.0.rule`: is written as 'metric'" in found.not_carried


def test_valid_values_are_the_list_of_the_field():
    field = contract_of(
        rule("metric: invalidValues, mustBe: 0, severity: warning, arguments: {validValues: [x, y]}")
    ).field("a")
    assert (field.enum, field.severity_of("enum")) == (("x", "y"), Severity.WARN)


def test_a_pattern_of_valid_values_is_that_of_the_field():
    assert contract_of(rule("metric: invalidValues, mustBe: 0, arguments: {pattern: 'x+'}")).field("a").pattern == "x+"


def test_texts_that_stand_for_nothing_are_a_row_rule():
    (found,) = contract_of(
        rule("metric: missingValues, mustBe: 0, arguments: {missingValues: [null, '', \"n'a\"]}")
    ).rules
    assert found.sql == "\"a\" IS NOT NULL AND \"a\" NOT IN ('', 'n''a')"


def test_no_duplicates_is_a_unique_rule():
    text = about_table("metric: duplicateValues, mustBe: 0, name: once, arguments: {properties: [a]}")
    assert contract_of(text).unique == (Unique(name="once", fields=("a",)),)


@pytest.mark.parametrize(
    "attributes",
    [
        "metric: nullValues, mustBeLessThan: 5, unit: percent", "metric: nullValues, mustBe: 0, unit: percent", "metric: invalidValues, mustBe: 0, arguments: {validValues: [x, null]}",
        "type: custom, engine: soda, implementation: x", "type: sql, query: SELECT 1, mustBe: 0", "metric: rowCount, mustBe: 1",
    ],
)  # fmt: skip
def test_a_rule_that_is_no_promise_of_rows_is_named_as_a_whole(attributes: str):
    found = reading(rule(attributes))
    assert any(note.startswith("`schema.orders.properties.a.quality.0`: ") for note in found.not_carried)
    assert (found.contracts[0].rules, found.contracts[0].unverified) == ((), ())


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("mustBe: 3", RowCount(min=3, max=3)), ("mustBeGreaterThan: 3", RowCount(min=4)), ("mustBeGreaterOrEqualTo: 3", RowCount(min=3)),
        ("mustBeLessThan: 3", RowCount(min=0, max=2)), ("mustBeLessOrEqualTo: 3", RowCount(min=0, max=3)), ("mustBeBetween: [1, 3]", RowCount(min=1, max=3)),
    ],
)  # fmt: skip
def test_the_number_of_rows_lies_between_bounds(operator: str, expected: RowCount):
    assert contract_of(about_table(f"metric: rowCount, {operator}")).rows == expected


def test_a_number_of_rows_that_is_excluded_is_named():
    assert any(
        "`schema.orders.quality.0`: the number of rows" in note
        for note in reading(about_table("metric: rowCount, mustNotBe: 3")).not_carried
    )


def test_words_alone_are_a_claim_that_nobody_verifies():
    assert contract_of(about_table("type: text, description: All shops report.")).unverified == (
        Assumption(claim="All shops report."),
    )


def test_a_query_is_the_evidence_of_a_claim_and_is_not_run():
    found = reading(rule("type: sql, description: Few are empty., query: SELECT 1, mustBeLessThan: 3"))
    expected = Assumption(claim="a: Few are empty.", evidence="a query whose answer mustBeLessThan 3: SELECT 1")
    assert found.contracts[0].unverified == (expected,)
    assert any("quality.0.query`: a query is not run here" in note for note in found.not_carried)


def test_a_reference_to_another_table_is_a_claim_that_nobody_verifies():
    text = (
        column("logicalType: string, relationships: [{to: shops.id}]")
        + "    relationships: [{from: [orders.a, orders.b], to: [x.a, x.b]}]\n"
    )
    claims = [item.claim for item in contract_of(text).unverified]
    assert claims == ["foreign key: a -> shops.id", "foreign key: orders.a, orders.b -> x.a, x.b"]


@pytest.mark.parametrize("element", ["orders.a", "a"])
def test_the_latency_of_a_column_is_its_freshness(element: str):
    text = (
        column("logicalType: date")
        + f"slaProperties: [{{property: latency, value: 2, unit: days, element: {element}}}]\n"
    )
    assert contract_of(text).freshness == Freshness(column="a", max_age=timedelta(days=2))


@pytest.mark.parametrize(
    "level", ["value: 2, unit: d, element: other.a", "value: 2, unit: y, element: a", "value: 1.5, unit: d, element: a"]
)
def test_a_latency_that_is_no_freshness_is_named(level: str):
    found = reading(column("logicalType: date") + f"slaProperties: [{{property: latency, {level}}}]\n")
    assert found.contracts[0].freshness is None
    assert any(note.startswith("`slaProperties.0`: is no whole number") for note in found.not_carried)


def test_the_end_of_life_is_the_sunset_of_a_contract_that_binds():
    text = (
        A.replace("status: draft", "status: deprecated")
        + "slaProperties: [{property: endOfLife, value: '2030-01-01'}]\n"
    )
    assert contract_of(text).sunset == date(2030, 1, 1)


def test_our_own_attributes_stand_in_custom_properties():
    own = (
        "customProperties: [{property: contractGate.unit, value: EUR}, {property: contractGate.nullable, value: null}]"
    )
    contract = contract_of(
        column(f"logicalType: number, {own}")
        + "    customProperties: [{property: contractGate.extra_fields, value: keep}]\n"
    )
    assert (contract.field("a").unit, contract.field("a").nullable, contract.extra_fields) == ("EUR", False, "keep")


def test_an_own_attribute_that_does_not_fit_is_a_problem_at_its_place():
    text = A + "    customProperties: [{property: contractGate.extra_fields, value: sometimes}]\n"
    assert problems(text)[0][0] == "11:23"


def test_a_column_keeps_its_name():
    assert contract_of(A.replace("name: a,", 'name: "Order Id",')).field_names == ("Order Id",)


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ("tags: [x]\n", "`tags`: a contract has no tags"), ("servers: [{server: s, type: local, path: x}]\n", "`servers`: a contract says how rows are delivered, not where the table is served"),
        ("price: {priceAmount: 1}\n", "`price`: a contract has no price"), ("tenant: x\n", "`tenant`: a contract belongs to a domain and to no tenant"),
        ("customProperties: [{property: x, value: 1}]\n", "`customProperties`: a contract has no properties beyond its own language"),
        ("team: [{username: u, role: dpo}]\n", "`team`: a contract names its producer and no members of a team"),
        ("slaProperties: [{property: retention, value: 3, unit: y}]\n", "`slaProperties`: no promise of the language means this"),
    ],
)  # fmt: skip
def test_what_has_no_place_is_named(more: str, note: str):
    assert note in reading(A + more).not_carried


def test_what_recurs_is_named_once_with_its_number():
    text = A + "".join(f"      - {{name: b{place}, logicalType: string, tags: [x]}}\n" for place in range(5))
    assert (
        "`schema.*.properties.*.tags` (5 places, first `schema.orders.properties.b0.tags`): a contract has no tags"
        in reading(text).not_carried
    )


EXAMPLE = (Path(__file__).parents[1] / "cases/odcs/all_full-example.odcs.yaml").read_text()
TYPES = (Path(__file__).parents[1] / "cases/odcs/data-types_all-data-types.odcs.yaml").read_text()


@given(st.sampled_from([EXAMPLE, TYPES, A]).flatmap(damaged))
@settings(max_examples=40, deadline=None)
def test_law_any_text_gives_a_reading_or_all_of_its_problems(text: str):
    try:
        read_odcs(text, "o.yaml")
    except InvalidContractError as error:
        assert error.problems  # noqa: PT017 - either of the two is right


def replaced(value: Any, other: Any) -> Any:
    """A strategy for the document with one of its parts replaced."""
    if isinstance(value, dict) and value:
        return st.sampled_from(sorted(value)).flatmap(
            lambda key: replaced(value[key], other).map(lambda part: {**value, key: part})
        )
    if isinstance(value, list) and value:
        places = st.integers(0, len(value) - 1)
        return places.flatmap(
            lambda place: replaced(value[place], other).map(lambda part: [*value[:place], part, *value[place + 1 :]])
        )
    return other


PARTS = st.sampled_from(
    [
        None,
        "",
        " ",
        "x",
        0,
        -1,
        1.5,
        True,
        [],
        ["x"],
        {},
        {"x": 1},
        "2026-10-01",
        "é" * 300,
        "a\u0000b",
        '"',
        "'",
        10**30,
        [None],
        [{}],
    ]
)


@given(st.sampled_from([EXAMPLE, TYPES]).flatmap(lambda text: replaced(yaml.safe_load(text), PARTS)))
@settings(max_examples=100, deadline=None)
def test_law_any_document_gives_a_reading_or_all_of_its_problems(document: Any):
    try:
        found = read_odcs(json.dumps(document), "o.yaml")
    except InvalidContractError as error:
        assert error.problems  # noqa: PT017 - either of the two is right
    else:
        assert found.kept + len(found.not_held) == found.total
