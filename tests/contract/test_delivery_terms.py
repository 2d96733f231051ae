"""The terms of delivery: what each may say, and how they fit the fields."""

import pytest

from contract_core.contract.delivery_terms import Format
from tests.contract.texts import HEAD, contract_of, problems, whats

FIELDS = (
    "fields:\n  - {name: day, type: date}\n  - {name: text, type: string}\n  - {name: n, type: integer}\n"
    "  - {name: at, type: timestamp, nullable: true}\n"
)
LINE = 8


@pytest.mark.parametrize(
    ("delivery", "column", "what"),
    [
        pytest.param("path: /etc/passwd", 18, "delivery.path: leaves the landing root", id="absolute path"),
        pytest.param("path: a/../../b", 18, "delivery.path: leaves the landing root", id="P13 path upwards"),
        pytest.param("path: 'c:/x'", 18, "delivery.path: leaves the landing root", id="drive"),
        pytest.param("path: 'a\\b'", 18, "delivery.path: leaves the landing root", id="backslash"),
        pytest.param("path: '  '", 18, "delivery.path: is no path", id="blank path"),
        pytest.param("path: 5", 18, "delivery.path: is no path", id="path that is a number"),
        pytest.param("path: 'a/{partition}'", 11, "delivery: has {…} in its path but no partition", id="braces without partition"),
        pytest.param("path: a/b, partition: {column: text}", 11, "delivery: is partitioned, but its path does not say where the partition stands", id="partition without braces"),
        pytest.param("format: {delimiter: ';;'}", 32, "delivery.format.delimiter: is not one ASCII character", id="two characters"),
        pytest.param('format: {delimiter: "\\n"}', 32, "delivery.format.delimiter: is not one ASCII character", id="line break"),
        pytest.param("format: {delimiter: §}", 32, "delivery.format.delimiter: is not one ASCII character", id="not ASCII"),
        pytest.param("format: {quote: ','}", 20, "delivery.format: uses one character as delimiter and as quote", id="delimiter and quote"),
        pytest.param("format: {decimal: ','}", 20, "delivery.format: uses the comma both as delimiter and as decimal mark", id="delimiter and decimal mark"),
        pytest.param("format: {encoding: klingon}", 31, "delivery.format.encoding: is no known text encoding", id="unknown encoding"),
        pytest.param("format: {encoding: base64}", 31, "delivery.format.encoding: is no known text encoding", id="encoding of bytes"),
        pytest.param("format: {encoding: rot13}", 31, "delivery.format.encoding: is no known text encoding", id="encoding of texts"),
        pytest.param("format: {encoding: punycode}", 31, "delivery.format.encoding: is no known text encoding", id="encoding of names"),
        pytest.param("format: {encoding: unicode_escape}", 31, "delivery.format.encoding: is no known text encoding", id="encoding of escapes"),
        pytest.param("format: {type: xlsx}", 27, "delivery.format.type: is not one of the known words", id="unknown format"),
        pytest.param("format: {type: parquet, delimiter: ';'}", 47, "delivery.format.delimiter: parquet has types of its own, delimiter would not be used", id="S1-100 delimiter of Parquet"),
        pytest.param("format: {type: ipc, null_values: [x]}", 45, "delivery.format.null_values: ipc has types of its own, null_values would not be used", id="S1-100 tokens of Arrow"),
        pytest.param("format: {null_values: {x: [NA]}}", 38, "delivery.format.null_values.x: 'x' is no field of this contract", id="tokens of an unknown field"),
        pytest.param("format: {true_values: [yes]}", 35, "delivery.format.true_values.0: is read by YAML as true/false, text is needed", id="P14 token yes"),
        pytest.param("format: {null_values: NA}", 34, "delivery.format.null_values: is text, a list is needed", id="tokens that are no list"),
        pytest.param("format: {dates: '%d'}", 28, "delivery.format.dates: gives no formats by field", id="format without a field"),
        pytest.param("format: {dates: {n: '%d'}}", 32, "delivery.format.dates.n: 'n' is no date, time or timestamp", id="format of a number"),
        pytest.param("format: {dates: {day: dd-mm}}", 34, "delivery.format.dates.day: a format without % decodes nothing", id="format that decodes nothing"),
        pytest.param("format: {integral: [text]}", 31, "delivery.format.integral: 'text' is no number", id="P18 integral text"),
        pytest.param("format: {integral: [x]}", 31, "delivery.format.integral: 'x' is no field of this contract", id="integral unknown field"),
        pytest.param("partition: {column: x}", 32, "delivery.partition.column: 'x' is no field of this contract", id="partition of an unknown field"),
        pytest.param("partition: {column: at, every: hour, start: 2026-10-01}", 32, "delivery.partition.column: 'at' tells the partition and so must be in every row", id="partition that may be null"),
        pytest.param("partition: {column: n, every: day, start: 2026-10-01}", 32, "delivery.partition.column: 'n' is of type integer, which cannot tell a partition of this kind", id="days of a number"),
        pytest.param("partition: {column: day, every: hour, start: 2026-10-01}", 32, "delivery.partition.column: 'day' is of type date, which cannot tell a partition of this kind", id="hours of a date"),
        pytest.param("partition: {column: at, every: hour, start: 2026-10-01, timezone: Europe/Rome}", 23, "delivery.partition: counts hours in a zone whose clocks may change", id="hours by the clocks of a zone"),
        pytest.param("partition: {column: day, every: day}", 23, "delivery.partition: has 'every' but no 'start'", id="no start"),
        pytest.param("partition: {column: day, start: 2026-10-01}", 23, "delivery.partition: has 'start' but no 'every'", id="no every"),
        pytest.param("partition: {column: day, every: day, start: 2026-10-01T00:00:00}", 56, "delivery.partition.start: is no calendar day", id="start with a clock"),
        pytest.param("partition: {column: day, every: day, start: 2026-10-01, timezone: CET+1}", 78, "delivery.partition.timezone: is no time zone", id="unknown zone"),
        pytest.param("due: {by: '09:00'}", 17, "delivery.due: nothing is due without partitions", id="due without partition"),
        pytest.param("due: {by: '09:00'}, partition: {column: text}", 17, "delivery.due: a partition by value has no end from which days could be counted", id="due by value"),
        pytest.param("due: {by: '09:00', severity: fatal}, partition: {column: day, every: day, start: 2026-10-01}", 41, "delivery.due.severity: is not one of the known words", id="unknown weight of a deadline"),
        pytest.param("due: {by: 10:30}, partition: {column: text}", 22, "YAML reads 10:30 as 630", id="sexagesimal clock"),
        pytest.param("due: {by: '25:00'}, partition: {column: text}", 22, "delivery.due.by: is no time of day", id="25 o'clock"),
        pytest.param("due: {by: '09:00', days_after: 400}, partition: {column: text}", 43, "delivery.due.days_after: is above 366", id="due too late"),
        pytest.param("parts: {from: column, required: [a]}", 19, "delivery.parts: has from: column but names no column", id="parts without column"),
        pytest.param("parts: {from: file, column: text, required: [a]}", 19, "delivery.parts: names a column but takes the parts from: file", id="column of files"),
        pytest.param("parts: {from: file}", 19, "delivery.parts: must say which parts are required", id="S2-012 no required parts"),
        pytest.param("parts: {from: file, required: [a], required_file: b.csv}", 19, "delivery.parts: must say which parts are required", id="S2-012 two lists"),
        pytest.param("parts: {from: file, required_file: regions.txt}", 47, "delivery.parts.required_file: is no list of parts", id="list of another kind"),
        pytest.param("parts: {from: file, required_file: ../regions.csv}", 47, "delivery.parts.required_file: leaves the folder of the contract", id="P13 list above the folder"),
        pytest.param("parts: {from: file, required_file: /etc/regions.csv}", 47, "delivery.parts.required_file: leaves the folder of the contract", id="P13 list from the top"),
        pytest.param("parts: {from: file, required_file: regions.yaml}", 47, "delivery.parts.required_file: would be read as a contract where it lies", id="list among contracts"),
        pytest.param("parts: {from: file, required: [a], periods: {b: {valid_until: 2026-12-31}}}", 19, "delivery.parts: names days for a part that it does not require", id="days of an unknown part"),
        pytest.param("parts: {from: file, required: [a], periods: {a: {}}}", 60, "delivery.parts.periods.a: names no day", id="period without a day"),
        pytest.param("parts: {from: file, required: [a], periods: {a: {valid_from: 2026-12-31, valid_until: 2026-12-30}}}", 60, "delivery.parts.periods.a: ends before it begins", id="period that ends first"),
        pytest.param("parts: {from: file, required: [a], periods: {a: {valid_until: 2026-12-31}}}", 56, "delivery.parts.periods: names days, and the contract has no partitions that are spans of time", id="days without partitions"),
        pytest.param("parts: {from: file, required: [a, a]}", 19, "delivery.parts: requires one part twice", id="part twice"),
        pytest.param("parts: {from: file, required: [NO]}", 43, "delivery.parts.required.0: is read by YAML as true/false, text is needed", id="P14 part NO"),
        pytest.param("parts: {from: column, column: n, required: [a]}", 42, "delivery.parts.column: names of parts are text", id="parts of a number"),
        pytest.param("parts: {from: column, column: x, required: [a]}", 42, "delivery.parts.column: 'x' is no field of this contract", id="parts of an unknown field"),
        pytest.param("parts: {from: manifest, required: [a]}", 26, "delivery.parts.from: there is no manifest to take parts from", id="parts without manifest"),
        pytest.param("parts: {from: envelope, required: [a]}", 26, "delivery.parts.from: parts from: envelope do not go with format csv", id="envelope in CSV"),
        pytest.param("format: {type: envelope}, parts: {from: file, required: [a]}", 52, "delivery.parts.from: parts from: file do not go with format envelope", id="files in an envelope"),
        pytest.param("format: {type: envelope}, manifest: required", 48, "delivery.manifest: an envelope is its own manifest", id="manifest of an envelope"),
        pytest.param("manifest: true", 22, "delivery.manifest: is not one of the known words", id="manifest true"),
    ],
)  # fmt: skip
def test_terms_that_do_not_fit_are_refused(delivery: str, column: int, what: str) -> None:
    found = problems(HEAD + FIELDS + f"delivery: {{{delivery}}}\n")
    assert [(place, text) for place, text, _ in found] == [(f"{LINE}:{column}", what)]
    assert all(hint for _, _, hint in found)


def test_a_field_may_not_share_an_id_with_the_required_parts() -> None:
    text = (
        HEAD
        + "fields: [{name: coverage, type: string}]\ndelivery: {parts: {from: column, column: coverage, required: [a]}}\n"
    )
    what = "fields.coverage.name: 'coverage.missing' would be the id of two obligations: of this field and of the required parts"
    assert problems(text) == [("3:17", what, "rename the field")]


@pytest.mark.parametrize(
    "delivery",
    [
        "path: 'orders/{partition}/*.csv', partition: {column: day}", "path: orders.csv", "format: {encoding: utf-16}", 'format: {delimiter: "\\t"}',
        "format: {delimiter: ';', decimal: ','}", "format: {type: parquet}", "partition: {column: n}", "partition: {column: text}",
        "format: {type: envelope}, parts: {from: column, column: text, required: [a]}", "manifest: required, parts: {from: manifest, required: [a]}",
        "due: {by: '09:00', severity: error}, partition: {column: day, every: day, start: 2026-10-01}", "parts: {from: file, required_file: regions.csv}", "parts: {from: file, required_file: lists/regions.yaml}",
        "partition: {column: day, every: day, start: 2026-10-01}, parts: {from: file, required: [a, b], periods: {a: {valid_from: 2026-10-02}}}",
    ],
)  # fmt: skip
def test_terms_that_fit_are_taken(delivery: str) -> None:
    assert contract_of(HEAD + FIELDS + f"delivery: {{{delivery}}}\n").delivery is not None


def test_tokens_of_a_field_replace_those_of_all() -> None:
    terms = Format.model_validate(
        {"null_values": {"*": ["", "NA"], "n": ["-"]}, "dates": {"day": "%d"}, "true_values": ["j"]}
    )
    assert (terms.null_tokens("n"), terms.null_tokens("text")) == (("-",), ("", "NA"))
    assert (terms.date_formats("day"), terms.date_formats("at")) == (("%d",), ())
    assert (terms.true_tokens("n"), terms.false_tokens("n")) == (("j",), ("false",))


def test_tokens_of_one_field_leave_the_default_to_the_others() -> None:
    terms = Format.model_validate(
        {"null_values": {"n": ["-"]}, "true_values": {"n": ["1"]}, "false_values": {"n": ["0"]}}
    )
    assert (terms.null_tokens("x"), terms.true_tokens("x"), terms.false_tokens("x")) == (("",), ("true",), ("false",))


@pytest.mark.parametrize(
    "encoding", ["UTF8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "cp037", "shift_jis"]
)
def test_an_encoding_that_writes_characters_is_known(encoding):
    assert Format.model_validate({"encoding": encoding}).encoding == encoding


def test_a_text_means_one_thing_in_a_field():
    text = (
        HEAD
        + "fields: [{name: flag, type: boolean}]\ndelivery: {format: {true_values: [J, X], false_values: [N, X], null_values: [N]}}\n"
    )
    assert whats(text) == [
        "delivery.format.false_values: 'X' means two things in 'flag'",
        "delivery.format.null_values: 'N' means two things in 'flag'",
    ]


CLOSED = "fields: [{name: day, type: date}, {name: text, type: string, classification: restricted}]\n"


@pytest.mark.parametrize("classification", ["confidential", "restricted"])
def test_values_that_a_contract_keeps_to_itself_name_no_partitions(classification):
    fields = CLOSED.replace("restricted", classification)
    what = f"delivery.partition.column: 'text' is {classification}, and its values would become the names of partitions"
    assert whats(HEAD + fields + "delivery: {path: 'd/*', partition: {column: text, split: true}}\n") == [what]
    assert whats(HEAD + fields + "delivery: {path: 'd/{partition}/*', partition: {column: text}}\n") == [what]
    by_day = fields.replace("string", "date") + "delivery: {partition: {column: text, every: day, start: 2026-10-01}}\n"
    assert whats(HEAD + by_day) == [what]


@pytest.mark.parametrize(
    "delivery",
    ["path: 'd/{partition}/*', partition: {column: day}", "path: 'd/*', partition: {column: day, split: true}"],
)
def test_other_partitions_may_be_of_any_field(delivery):
    assert contract_of(HEAD + CLOSED + f"delivery: {{{delivery}}}\n").delivery.partition is not None
