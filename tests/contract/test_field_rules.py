"""Which rules a field may carry: each on each wrong type, and rules that contradict each other or themselves."""

import pytest

from contract_core.contract.field_rules import declared_rules
from contract_core.contract.logical_type import Family
from tests.contract.texts import HEAD, contract_of, problems, whats, with_field

REMOVE = "remove it or change type"
TEXT_ONLY = "only string fields carry it: remove it or change type"
NOT_TEXT = [family.value for family in Family if family is not Family.STRING] + [
    "int8",
    "float32",
    "decimal(5,2)",
    "timestamp[us]",
]
UNBOUNDED = ["string", "boolean", "time", "duration", "binary", "object", "array"]
UNLISTED = ["timestamp", "time", "duration", "binary", "object", "array"]
NEVER_NAN = [family.value for family in Family if family is not Family.NUMBER] + ["int64", "decimal(5,2)"]


@pytest.mark.parametrize("type_", NOT_TEXT)
@pytest.mark.parametrize("rule", ["pattern: x", "min_length: 1", "max_length: 1", "not_blank: true"])
def test_rules_about_text_are_for_text_only(rule: str, type_: str) -> None:
    """S3-010."""
    name, _, _ = rule.partition(":")
    assert [(what, hint) for _, what, hint in problems(with_field(f'type: "{type_}", {rule}'))] == [
        (f"fields.a.{name}: type {type_} has no {name}", TEXT_ONLY)
    ]


@pytest.mark.parametrize("type_", NOT_TEXT)
def test_only_text_is_trimmed(type_: str) -> None:
    assert whats(with_field(f'type: "{type_}", trimmed: true')) == [f"fields.a.trimmed: type {type_} cannot be trimmed"]


@pytest.mark.parametrize("type_", UNBOUNDED)
@pytest.mark.parametrize("rule", ["min", "max"])
def test_bounds_are_for_ordered_types_only(rule: str, type_: str) -> None:
    """S3-010."""
    assert [(what, hint) for _, what, hint in problems(with_field(f"type: {type_}, {rule}: 5"))] == [
        (f"fields.a.{rule}: type {type_} has no {rule}", REMOVE)
    ]


@pytest.mark.parametrize("type_", UNLISTED)
def test_lists_of_values_are_for_types_with_literals_only(type_: str) -> None:
    assert whats(with_field(f"type: {type_}, enum: [a]")) == [f"fields.a.enum: type {type_} has no list of values"]


@pytest.mark.parametrize("type_", NEVER_NAN)
def test_only_floating_numbers_may_allow_nan(type_: str) -> None:
    assert whats(with_field(f'type: "{type_}", allow_nan: true')) == [f"fields.a.allow_nan: type {type_} is never NaN"]


@pytest.mark.parametrize(
    ("attributes", "where", "what"),
    [
        pytest.param("type: string, enum: [NO, NA]", "4:27", "fields.a.enum.0: YAML reads it as true/false, the field is of type string", id="P14 NO"),
        pytest.param("type: string, enum: [A, 5]", "4:30", "fields.a.enum.1: YAML reads it as a whole number, the field is of type string", id="S3-022 number in an enum of text"),
        pytest.param("type: string, enum: [A, 1.5]", "4:30", "fields.a.enum.1: YAML reads it as a decimal number, the field is of type string", id="decimal in an enum of text"),
        pytest.param("type: string, enum: [2026-10-01]", "4:27", "fields.a.enum.0: YAML reads it as a date, the field is of type string", id="day in an enum of text"),
        pytest.param('type: integer, enum: ["5"]', "4:28", "fields.a.enum.0: YAML reads it as text, the field is of type integer", id="text in an enum of numbers"),
        pytest.param("type: integer, enum: [1.5]", "4:28", "fields.a.enum.0: YAML reads it as a decimal number, the field is of type integer", id="fraction in an enum of integers"),
        pytest.param("type: integer, enum: [true]", "4:28", "fields.a.enum.0: YAML reads it as true/false, the field is of type integer", id="S2-024 boolean in an enum of integers"),
        pytest.param("type: boolean, enum: [1]", "4:28", "fields.a.enum.0: YAML reads it as a whole number, the field is of type boolean", id="number in an enum of booleans"),
        pytest.param("type: date, enum: [2026-10-01T00:00:00]", "4:25", "fields.a.enum.0: YAML reads it as a date and time, the field is of type date", id="moment in an enum of days"),
        pytest.param("type: string, enum: [A, null]", "4:30", "fields.a.enum.1: nothing is no value", id="S3-009 null in an enum"),
        pytest.param("type: string, enum: [A, [B]]", "4:30", "fields.a.enum.1: YAML reads it as a list, the field is of type string", id="list in an enum"),
        pytest.param("type: string, enum: [A, B, A]", "4:33", "fields.a.enum.2: stands here a second time", id="value twice"),
        pytest.param("type: number, enum: [1, 1.0]", "4:30", "fields.a.enum.1: stands here a second time", id="1 and 1.0"),
        pytest.param("type: string, enum: []", "4:26", "fields.a.enum: is empty", id="S3-022 empty enum"),
        pytest.param("type: integer, min: 5, max: 4", "4:26", "fields.a.min: the lower bound 5 is above the upper bound 4", id="S3-022 min above max"),
        pytest.param("type: number, min: 0.51, max: 0.5", "4:25", "fields.a.min: the lower bound 0.51 is above the upper bound 0.5", id="fractions"),
        pytest.param("type: date, min: 2026-10-02, max: 2026-10-01", "4:23", "fields.a.min: the lower bound 2026-10-02 is above the upper bound 2026-10-01", id="days"),
        pytest.param("type: timestamp, min: 2026-10-02T00:00:01, max: 2026-10-01", "4:28", "fields.a.min: the lower bound 2026-10-02 00:00:01 is above the upper bound 2026-10-01", id="moment and day"),
        pytest.param("type: string, min_length: 2, max_length: 1", "4:32", "fields.a.min_length: the shortest length 2 is above the longest 1", id="S3-022 lengths"),
        pytest.param('type: integer, min: "5"', "4:26", "fields.a.min: YAML reads it as text, the field is of type integer", id="text as a bound"),
        pytest.param("type: integer, min: true", "4:26", "fields.a.min: YAML reads it as true/false, the field is of type integer", id="boolean as a bound"),
        pytest.param("type: integer, max: 2026-10-01", "4:26", "fields.a.max: YAML reads it as a date, the field is of type integer", id="day as a bound of numbers"),
        pytest.param("type: date, min: 5", "4:23", "fields.a.min: YAML reads it as a whole number, the field is of type date", id="number as a bound of days"),
        pytest.param("type: date, min: 2026-10-01T00:00:00", "4:23", "fields.a.min: YAML reads it as a date and time, the field is of type date", id="moment as a bound of days"),
        pytest.param("type: timestamp, min: 2026-10-01T00:00:00Z", "4:28", "fields.a.min: time zone of bound and field differ", id="zone where the field has none"),
        pytest.param('type: "timestamp[us,UTC]", max: 2026-10-01T00:00:00', "4:38", "fields.a.max: time zone of bound and field differ", id="no zone where the field has one"),
        pytest.param("type: timestamp, min: 2026-10-01T00:00:00Z, max: 2026-09-01T00:00:00", "4:28", "fields.a.min: time zone of bound and field differ", id="bounds that cannot be compared"),
        pytest.param("type: string, pattern: '['", "4:29", "fields.a.pattern: is no regular expression: unclosed character class", id="S3-022 pattern"),
        pytest.param("type: string, pattern: '(?=a)b'", "4:29", "fields.a.pattern: is no regular expression: look-around, including look-ahead and look-behind, is not supported", id="look-ahead"),
        pytest.param("type: string, pattern: 'a)|(?:b'", "4:29", "fields.a.pattern: is no regular expression: unopened group", id="P09 pattern that leaves its anchors"),
        pytest.param("type: string, pattern: '(?x) a # all'", "4:29", "fields.a.pattern: is no regular expression: unclosed group", id="P09 comment that hides the anchor"),
        pytest.param("type: string, pattern: 'a{9999}{9999}'", "4:29", "fields.a.pattern: is no regular expression: Compiled regex exceeds size limit of 10485760 bytes.", id="pattern beyond reason"),
        pytest.param("type: string, not_blank: tabs", "4:31", "fields.a.not_blank: is not one of the known words", id="S1-028 white space"),
        pytest.param("type: string, severity: {range: warn}", "4:38", "fields.a.severity.range: the field has no rule 'range'", id="severity of a rule that is not there"),
        pytest.param("type: string, severity: {type: warn}", "4:37", "fields.a.severity.type: 'type' always holds publication back: there would be no value to publish", id="type only warns"),
        pytest.param("type: string, severity: {missing: warn}", "4:40", "fields.a.severity.missing: 'missing' always holds publication back: there would be no value to publish", id="missing only warns"),
        pytest.param("type: string, severity: warn", "4:30", "fields.a.severity: a missing column or an undecodable value always holds publication back", id="everything only warns"),
        pytest.param('type: string, severity: {"null": quiet}', "4:39", "fields.a.severity.null: is not one of the known words", id="unknown severity"),
    ],
)  # fmt: skip
def test_a_rule_that_does_not_fit_is_refused(attributes: str, where: str, what: str) -> None:
    """S3-022."""
    assert [(place, text) for place, text, _ in problems(with_field(attributes))] == [(where, what)]


@pytest.mark.parametrize(
    ("attributes", "rules"),
    [
        pytest.param("type: string", ("missing", "null", "type"), id="nothing said"),
        pytest.param("type: string, required: false, nullable: true", ("type",), id="optional and nullable"),
        pytest.param("type: number", ("missing", "null", "type", "not_finite"), id="number"),
        pytest.param("type: number, allow_nan: true", ("missing", "null", "type"), id="number that may be NaN"),
        pytest.param('type: "decimal(5,2)"', ("missing", "null", "type"), id="decimal"),
        pytest.param("type: integer", ("missing", "null", "type"), id="integer"),
        pytest.param("type: float32, enum: [1], min: 0", ("missing", "null", "type", "not_finite", "enum", "range"), id="float"),
        pytest.param("type: string, trimmed: true, not_blank: space, max_length: 5, pattern: a, enum: [a]", ("missing", "null", "type", "enum", "pattern", "length", "blank", "untrimmed"), id="S3-013 order of judgement"),
    ],
)  # fmt: skip
def test_a_field_carries_its_rules_in_the_order_of_judgement(attributes: str, rules: tuple[str, ...]) -> None:
    assert declared_rules(contract_of(with_field(attributes)).field("a")) == rules


@pytest.mark.parametrize(
    "attributes",
    [
        "type: integer, min: 0.5, max: 1.5", "type: number, min: 5, max: 5", 'type: "decimal(5,2)", max: 999.99, enum: [1, 0.5]',
        "type: timestamp, min: 2026-10-01, max: 2026-10-01", "type: timestamp, min: 2026-10-01T00:00:00, max: 9999-12-31",
        'type: "timestamp[us,UTC]", min: 2026-10-01T00:00:00Z, max: 2026-10-01T02:00:00+02:00', 'type: "timestamp[us,UTC]", min: 2026-10-01',
        "type: date, enum: [2026-10-01]", "type: boolean, enum: [true]", "type: string, min_length: 0, max_length: 0",
        "type: string, pattern: '(?i)a|b'", 'type: string, severity: {"null": warn}', "type: string, severity: error",
        "type: string, required: false, severity: warn", "type: uint64, max: 18446744073709551616", "type: string, not_blank: false",
    ],
)  # fmt: skip
def test_a_rule_that_fits_is_taken(attributes: str) -> None:
    assert contract_of(with_field(attributes)).field_names == ("a",)


def test_a_timestamp_names_a_zone_that_exists():
    text = HEAD + "fields: [{name: at, type: 'timestamp[us,Mars/Base]'}]\n"
    assert whats(text) == ["fields.at.type: 'Mars/Base' is no time zone"]
