"""The worked example of orders, and the rules on single fields that it is drawn from, on JSON records where presence differs."""

import pytest

from contract_core.errors import InvalidContractError
from tests.examples.offering import contract_of, offer_records, offer_text, shipped

KINDS = """\
contract: kinds
version: "1.0.0"
fields:
  - {name: text, type: string}
  - {name: whole, type: integer}
  - {name: number, type: number}
  - {name: flag, type: boolean}
  - {name: shape, type: object}
  - {name: list, type: array}
delivery: {format: {type: jsonl}}
"""
SOUND = {"text": "a", "whole": 1, "number": 1.5, "flag": True, "shape": {"a": 1}, "list": [1]}
RULES = """\
contract: rules
version: "1.0.0"
fields:
  - {name: code, type: string, required: false, nullable: true, pattern: "a|bc", enum: [a, bc, abc]}
  - {name: name, type: string, min_length: 2, max_length: 3}
  - {name: amount, type: number, min: 0, max: 10}
delivery: {format: {type: jsonl}}
"""
KEPT = {"code": "a", "name": "abc", "amount": 5}
WRONG_KINDS = [
    ("text", 1), ("text", True), ("text", ["a"]), ("text", {"a": 1}),
    ("whole", "1"), ("whole", 1.5), ("whole", 1.0), ("whole", True), ("whole", 9223372036854775808),
    ("number", "1.5"), ("number", False), ("number", [1]),
    ("flag", 1), ("flag", 0), ("flag", "true"),
    ("shape", [1]), ("shape", "{}"), ("shape", 1),
    ("list", {"a": 1}), ("list", "[]"), ("list", 1),
]  # fmt: skip
RIGHT_KINDS = [
    ("text", ""), ("text", "1"), ("whole", 0), ("whole", -9223372036854775808), ("number", 1), ("number", -0.0), ("number", 1e300),
    ("flag", False), ("shape", {}), ("shape", {"a": {"b": [1]}}), ("list", []), ("list", [[1], {"a": 1}]),
]  # fmt: skip
RECORDS = [
    pytest.param(KEPT, {}, id="every rule is kept"),
    pytest.param({"name": "abc", "amount": 5}, {}, id="S3-007 an absent optional field skips all other rules"),
    pytest.param({**KEPT, "code": None}, {}, id="S3-008 an allowed null skips the rules on values"),
    pytest.param({"code": "a", "amount": 5}, {"name.missing": 1}, id="S3-007 a required field is absent"),
    pytest.param({**KEPT, "name": None}, {"name.null": 1}, id="S3-008 a null that is not allowed"),
    pytest.param({**KEPT, "code": "bc"}, {}, id="S3-010 the other alternative of the pattern"),
    pytest.param(
        {**KEPT, "code": "abc"}, {"code.pattern": 1}, id="S3-010 a pattern holds for the whole value, alternatives too"
    ),
    pytest.param({**KEPT, "code": "A"}, {"code.enum": 1, "code.pattern": 1}, id="S3-009 equality is exact"),
    pytest.param({**KEPT, "name": "ab"}, {}, id="S3-010 shortest length included"),
    pytest.param({**KEPT, "name": "a"}, {"name.length": 1}, id="S3-010 below the shortest length"),
    pytest.param({**KEPT, "name": "abcd"}, {"name.length": 1}, id="S3-010 above the longest length"),
    pytest.param({**KEPT, "name": "日本語"}, {}, id="S3-010 three characters in nine bytes"),
    pytest.param({**KEPT, "amount": 0}, {}, id="S3-010 lower bound included"),
    pytest.param({**KEPT, "amount": 10}, {}, id="S3-010 upper bound included"),
    pytest.param({**KEPT, "amount": -0.0}, {}, id="S3-010 negative zero is zero"),
    pytest.param({**KEPT, "amount": -0.1}, {"amount.range": 1}, id="S3-010 below the lower bound"),
    pytest.param({**KEPT, "amount": 10.1}, {"amount.range": 1}, id="S3-010 above the upper bound"),
    pytest.param({**KEPT, "more": 1}, {"extra_field": 1}, id="S3-005 undeclared key"),
    pytest.param(
        {"code": "A", "name": "", "amount": "x", "more": 1},
        {"extra_field": 1, "code.enum": 1, "code.pattern": 1, "name.length": 1, "amount.type": 1},
        id="S3-013 every broken rule is counted",
    ),
]
MALFORMED = [
    pytest.param("{name: a, type: string, enum: [a, null]}", id="S3-009 null in enum"),
    pytest.param("{name: a, type: string, enum: [1]}", id="S3-009 enum of another type"),
    pytest.param("{name: a, type: integer, enum: [true]}", id="S3-009 boolean in an enum of whole numbers"),
    pytest.param("{name: a, type: string, enum: []}", id="S3-022 empty enum"),
    pytest.param('{name: a, type: integer, pattern: "a"}', id="S3-010 pattern on a number"),
    pytest.param("{name: a, type: string, min: 1}", id="S3-010 bound on a text"),
    pytest.param("{name: a, type: boolean, max: 1}", id="S3-010 bound on a boolean"),
    pytest.param("{name: a, type: number, min_length: 1}", id="S3-010 length on a number"),
    pytest.param("{name: a, type: array, max_length: 1}", id="S3-010 length on a list"),
    pytest.param("{name: a, type: number, min: 2, max: 1}", id="S3-022 bounds that cross"),
    pytest.param('{name: a, type: string, pattern: "("}', id="S3-022 broken pattern"),
]
HEADER = "order_id,customer_email,amount,currency,status,ordered_at,shipped_at\n"
SOUND_ORDER = "W-0,z@b.c,2.00,EUR,open,2026-10-01T07:00:00Z,\n"
ORDERS = [
    pytest.param("W-1,a@b.c,1.00,EUR,open,2026-10-01T07:00:00Z,\n", {}, id="baseline"),
    pytest.param("W-1,,1.00,EUR,open,2026-10-01T07:00:00Z,\n", {}, id="S3-008 address left empty"),
    pytest.param(
        "W-1,a@b,1.00,EUR,open,2026-10-01T07:00:00Z,\n",
        {"customer_email.pattern": 1},
        id="S3-010 address without a dot",
    ),
    pytest.param(
        "W-1,x a@b.c,1.00,EUR,open,2026-10-01T07:00:00Z,\n",
        {"customer_email.pattern": 1},
        id="S3-010 address inside a longer text",
    ),
    pytest.param(
        'W-1,"a@b.c\n",1.00,EUR,open,2026-10-01T07:00:00Z,\n',
        {"customer_email.pattern": 1},
        id="S3-010 address and a newline",
    ),
    pytest.param(
        "W-1,a@b.c,-0.01,EUR,open,2026-10-01T07:00:00Z,\n",
        {"amount.range": 1, "free_orders_are_rare.row_rule": 1},
        id="S3-010 a cent below zero",
    ),
    pytest.param(
        "W-1,a@b.c,1.005,EUR,open,2026-10-01T07:00:00Z,\n",
        {"amount.type": 1},
        id="S1-018 a third decimal is not rounded away",
    ),
    pytest.param(
        "W-1,a@b.c,123456789.00,EUR,open,2026-10-01T07:00:00Z,\n",
        {"amount.type": 1},
        id="S1-018 nine digits do not fit decimal(10,2)",
    ),
    pytest.param(
        "W-1,a@b.c,1.00,eur,open,2026-10-01T07:00:00Z,\n", {"currency.enum": 1}, id="S3-009 currency in small letters"
    ),
    pytest.param("W-1,a@b.c,1.00,EUR,lost,2026-10-01T07:00:00Z,\n", {"status.enum": 1}, id="S3-009 unknown status"),
    pytest.param(",a@b.c,1.00,EUR,open,2026-10-01T07:00:00Z,\n", {"order_id.null": 1}, id="S3-010 no order_id"),
    pytest.param(
        "W-12345678901234567890,a@b.c,1.00,EUR,open,2026-10-01T07:00:00Z,\n",
        {"order_id.length": 1},
        id="S3-010 order_id too long",
    ),
    pytest.param(
        "W-1,a@b.c,1.00,EUR,open,2026-10-01T07:00:00,\n", {"ordered_at.type": 1}, id="S1-018 a moment without an offset"
    ),
    pytest.param("W-1,a@b.c,1.00,EUR,open,2026-10-01T09:00:00+02:00,\n", {}, id="the same moment with another offset"),
    pytest.param("W-1,a@b.c,1.00,EUR,open,2026-09-30T22:00:00Z,\n", {}, id="first moment of the day in Amsterdam"),
    pytest.param(
        "W-1,a@b.c,1.00,EUR,open,2026-09-30T21:59:59.999999Z,\n", {"partition": 1}, id="S2-005 a moment before that day"
    ),
    pytest.param(
        "W-1,a@b.c,1.00,EUR,open,2026-10-01T22:00:00Z,\n", {"partition": 1}, id="S2-005 first moment of the next day"
    ),
    pytest.param(
        "W-1,a@b.c,1.00,EUR,shipped,2026-10-01T07:00:00Z,2026-10-01T06:59:59Z\n",
        {"shipped_after_ordered.row_rule": 1},
        id="shipped before it was ordered",
    ),
    pytest.param(
        "W-1,a@b.c,1.00,EUR,open,2026-10-01T07:00:00Z,2026-10-01T08:00:00Z\n",
        {"shipped_orders_have_left.row_rule": 1},
        id="has left and is not shipped",
    ),
    pytest.param("W-1,a@b.c,1.00,EUR,open,2026-10-01T07:00:00Z,\n" * 2, {"key": 1}, id="S1-026 the same order twice"),
]


@pytest.mark.parametrize("name, value", WRONG_KINDS, ids=repr)
def test_a_value_of_another_kind_breaks_the_type_and_nothing_else(name, value, tmp_path):
    """S3-006, S2-024, S2-025: a whole number is no text of digits, a boolean no number, an object no list."""
    offered = offer_records(contract_of(KINDS), [SOUND, {**SOUND, name: value}], tmp_path)
    assert (offered.verdict, offered.breached, offered.unjudged) == ("refuse", {f"{name}.type": 1}, set())


@pytest.mark.parametrize("name, value", RIGHT_KINDS, ids=repr)
def test_a_value_of_its_kind_keeps_the_type(name, value, tmp_path):
    """S3-006, S3-012: a nested object is one field."""
    offered = offer_records(contract_of(KINDS), [SOUND, {**SOUND, name: value}], tmp_path)
    assert (offered.verdict, offered.breached, offered.unjudged) == ("publish", {}, set())


@pytest.mark.parametrize("record, breached", RECORDS)
def test_a_record_breaks_just_the_rules_that_it_breaks(record, breached, tmp_path):
    """S3-007 to S3-010: presence, null, type, list, pattern, bounds and length, each by itself."""
    offered = offer_records(contract_of(RULES), [KEPT, record], tmp_path)
    assert (offered.breached, offered.unjudged) == (breached, set())
    assert offered.verdict == ("refuse" if breached else "publish")


@pytest.mark.parametrize("record", [[], "text", 1, None, True], ids=repr)
def test_a_record_that_is_no_object_is_refused(record, tmp_path):
    """S3-014: label `not_object`."""
    offered = offer_records(contract_of(RULES), [KEPT, record], tmp_path)
    assert (offered.verdict, offered.breached["not_object"]) == ("refuse", 1)


def test_a_required_field_must_be_in_every_record(tmp_path):
    """S3-007: it is counted in each record that lacks it."""
    offered = offer_records(contract_of(RULES), [KEPT, {"name": "abc"}, {"amount": 1}, {"name": "ab"}], tmp_path)
    assert offered.breached == {"name.missing": 1, "amount.missing": 2}


@pytest.mark.parametrize("field", MALFORMED)
def test_a_malformed_field_is_refused_when_the_contract_is_read(field):
    """S3-009, S3-010, S3-022: never in the middle of a run."""
    with pytest.raises(InvalidContractError):
        contract_of(f'contract: rules\nversion: "1.0.0"\nfields:\n  - {field}\n')


def test_a_report_lists_the_rules_of_a_field_in_the_order_in_which_a_value_is_judged(tmp_path):
    """S3-013: presence, null, type, …; the first one that breaks is the first one listed."""
    offered = offer_records(contract_of(RULES.replace("required: false, nullable: true, ", "")), [KEPT], tmp_path)
    assert [finding.rule for finding in offered.report.findings if finding.obligation.field == "code"] == [
        "missing",
        "null",
        "type",
        "enum",
        "pattern",
    ]


def test_the_labels_of_rules_are_the_stable_ones(tmp_path):
    """S3-014."""
    offered = offer_records(contract_of(RULES), [KEPT], tmp_path)
    labels = {
        "unreadable",
        "not_object",
        "extra_field",
        "missing",
        "null",
        "type",
        "not_finite",
        "enum",
        "pattern",
        "range",
        "length",
        "row_count",
    }
    assert {finding.rule for finding in offered.report.findings} == labels


@pytest.mark.parametrize("rows, breached", ORDERS)
def test_a_mutated_order_breaks_just_its_promises(rows, breached, tmp_path):
    """S3-035: the shipped contract on one row at a time, beside a sound one; one of two is more than it bears in quarantine."""
    offered = offer_text(shipped("orders"), HEADER + SOUND_ORDER + rows, "2026-10-01", tmp_path)
    assert (offered.breached, offered.unjudged) == (breached, set())
    assert offered.verdict == ("refuse" if breached else "publish")


def test_an_optional_column_may_be_left_out_of_the_file(tmp_path):
    """S3-007: no customer left an address."""
    text = "order_id,amount,currency,status,ordered_at,shipped_at\nW-1,1.00,EUR,open,2026-10-01T07:00:00Z,\n"
    offered = offer_text(shipped("orders"), text, "2026-10-01", tmp_path)
    assert (offered.verdict, offered.breached, offered.unjudged) == ("publish", {}, set())


def test_a_finding_names_field_and_rule_and_never_the_value(tmp_path):
    """S3-015, S3-016: nor the name of an undeclared key."""
    record = {"code": "SECRET", "name": "SECRET", "amount": "SECRET", "SECRET": "SECRET"}
    offered = offer_records(contract_of(RULES), [record], tmp_path)
    assert set(offered.breached) == {"extra_field", "code.enum", "code.pattern", "name.length", "amount.type"}
    assert "SECRET" not in repr(offered.report)
