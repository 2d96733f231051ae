"""JSON lines and envelopes: JSON types are exact, absent is not null, and a malformed document is a fact."""

import json
from datetime import date
from decimal import Decimal

import pytest

from tests.candidate.offers import contract_of, reason, rows, taken

LINES = {"type": "jsonl"}
ENVELOPE = {"type": "envelope"}


@pytest.mark.parametrize(
    ("promised", "text", "value", "raw"),
    [
        ("string", '"x"', "x", None),
        ("string", '""', "", None),
        ("string", "1", None, "1"),
        ("string", "null", None, None),
        ("string", '"\\ud800"', None, '"\\ud800"'),
        ("integer", "1", 1, None),
        ("integer", "-9223372036854775808", -(2**63), None),
        ("integer", "9223372036854775808", None, "9223372036854775808"),
        ("integer", "1" + "0" * 5000, None, "1" + "0" * 5000),
        ("integer", "1.0", None, "1.0"),
        ("integer", "1e2", None, "1e2"),
        ("integer", "true", None, "true"),
        ("integer", '"1"', None, '"1"'),
        ("integer", '[1, {"a": 2.50}]', None, '[1,{"a":2.50}]'),
        ("number", "1", 1.0, None),
        ("number", "1.5e3", 1500.0, None),
        ("number", "1e400", None, "1e400"),
        ("number", '"1.5"', None, '"1.5"'),
        ("number", '"NaN"', None, '"NaN"'),
        ("number", "false", None, "false"),
        ("boolean", "true", True, None),
        ("boolean", "false", False, None),
        ("boolean", "1", None, "1"),
        ("boolean", '"true"', None, '"true"'),
        ("decimal(5,2)", "1.25", Decimal("1.25"), None),
        ("decimal(5,2)", "1.2e1", Decimal("12.00"), None),
        ("decimal(5,2)", '"1.25"', Decimal("1.25"), None),
        ("decimal(5,2)", "1.255", None, "1.255"),
        ("decimal(5,2)", '"1.255"', None, '"1.255"'),
        ("decimal(5,2)", '" 1"', None, '" 1"'),
        ("decimal(5,2)", "1e999999999", None, "1e999999999"),
        ("date", '"2026-10-01"', date(2026, 10, 1), None),
        ("date", '"2026-13-01"', None, '"2026-13-01"'),
        ("date", '"a\\"\\\\\\n\\u0001é"', None, '"a\\"\\\\\\n\\u0001é"'),
        ("date", "20261001", None, "20261001"),
        ("object", '{"b": 1.50, "a": [true, null, "é"]}', '{"b":1.50,"a":[true,null,"é"]}', None),
        ("object", "[1]", None, "[1]"),
        ("object", '"{}"', None, '"{}"'),
        ("array", "[]", "[]", None),
        ("array", "{}", None, "{}"),
        ("binary", '"QQ=="', b"A", None),
        ("binary", '"Q"', None, '"Q"'),
    ],
)
def test_only_the_json_type_of_the_field_decodes(tmp_path, promised, text, value, raw):
    candidate = taken(contract_of({"a": promised}, form=LINES), tmp_path, {"one.jsonl": f'{{"a": {text}}}\n'})
    assert rows(candidate).select("a", "__raw.a").row(0) == (value, raw)
    assert "__absent.a" not in rows(candidate).columns


def test_integral_numbers_are_taken_where_the_contract_says_so(tmp_path):
    contract = contract_of({"a": "integer"}, form={**LINES, "integral": ["a"]})
    assert rows(taken(contract, tmp_path, {"one.jsonl": '{"a": 17850.0}'}))["a"].to_list() == [17850]


def test_stated_formats_hold_for_json_strings(tmp_path):
    contract = contract_of({"a": "date"}, form={**LINES, "dates": {"a": "%d-%m-%Y"}})
    assert str(rows(taken(contract, tmp_path, {"one.jsonl": '{"a": "01-10-2026"}'}))["a"][0]) == "2026-10-01"


def test_an_absent_key_is_not_a_null(tmp_path):
    lines = '{"a": 1}\n{"a": null, "b": null}\n\n{}\n[1]\n"x"\n'
    frame = rows(taken(contract_of({"a": "integer", "b": "string"}, form=LINES), tmp_path, {"one.jsonl": lines}))
    assert frame.select("a", "__absent.a", "__absent.b", "__not_object", "__row").rows() == [
        (1, False, True, False, 1),
        (None, False, False, False, 2),
        (None, True, True, False, 3),
        (None, True, True, True, 4),
        (None, True, True, True, 5),
    ]


def test_a_field_that_no_record_has_is_missing(tmp_path):
    candidate = taken(contract_of({"a": "integer", "b": "string"}, form=LINES), tmp_path, {"one.jsonl": '{"a": 1}'})
    assert candidate.facts.missing == {"b": 1}
    assert "b" not in rows(candidate).columns


def test_without_records_nothing_is_missing(tmp_path):
    candidate = taken(contract_of({"a": "integer", "b": "date"}, form=LINES), tmp_path, {"one.jsonl": "\n\n"})
    assert (candidate.rows, candidate.facts.missing, reason(candidate)) == (0, {}, None)
    assert [str(dtype) for dtype in rows(candidate).schema.dtypes()[:2]] == ["Int64", "Date"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "0 bytes"),
        ('{"a": 1}\n{"a": }\n', "line 2 is not well-formed JSON"),
        ('{"a": 1}\n\n{"a": NaN}\n', "line 3 holds NaN or an infinity, which JSON does not have"),
        ('{"a": -Infinity}', "line 1 holds NaN or an infinity, which JSON does not have"),
        ('{"a": 1, "a": 1}', "line 1 repeats a key within one object"),
        ('{"a": {"x": 1, "x": 2}}', "line 1 repeats a key within one object"),
        ('{"a": 1} {"a": 2}', "line 1 is not well-formed JSON"),
        (b'{"a": 1}\n{"a": "\xff"}\n', "line 2 is not utf-8 text"),
        ("[" * 100_000, "line 1 nests deeper than 256 levels"),
        ('{"x": ' + "[" * 256 + "]" * 256 + "}", None),
        ('{"x": ' + "[" * 257 + "]" * 257 + "}", "line 1 nests deeper than 256 levels"),
        ('{"o": {"x": ' + "[" * 900 + "]" * 900 + "}}", "line 1 nests deeper than 256 levels"),
    ],
)
def test_a_malformed_line_makes_the_file_unreadable(tmp_path, content, why):
    candidate = taken(contract_of({"a": "integer", "o": "object"}, form=LINES), tmp_path, {"one.jsonl": content})
    assert reason(candidate) == why


def test_undeclared_keys_are_counted_and_kept_as_json_text(tmp_path):
    contract = contract_of({"a": "integer", "t0": "string"}, form=LINES, extra_fields="keep")
    lines = '{"a": 1, "x": [1.50], "__a0": 1}\n{"a": 2}\n{"x": null, "": "e"}\n'
    candidate = taken(contract, tmp_path, {"1.jsonl": lines, "2.jsonl": '{"a": 3}'})
    assert [(extra.name, extra.rows) for extra in candidate.facts.extra_columns] == [("x", 2), ("__a0", 1), ("", 1)]
    assert rows(candidate).select("a", "x", "__extra.__a0", "__extra.3").rows() == [
        (1, "[1.50]", "1", None),
        (2, None, None, None),
        (None, "null", None, '"e"'),
        (3, None, None, None),
    ]


def test_more_undeclared_keys_than_anyone_means_are_refused(tmp_path):
    content = json.dumps({f"k{place}": 1 for place in range(1001)})
    candidate = taken(contract_of({"a": "integer"}, form=LINES), tmp_path, {"one.jsonl": content})
    assert reason(candidate) == "has more than 1000 different undeclared keys"


def test_a_byte_order_mark_is_dropped(tmp_path):
    candidate = taken(contract_of({"a": "integer"}, form=LINES), tmp_path, {"one.jsonl": '\ufeff{"a": 1}\n'})
    assert rows(candidate)["a"].to_list() == [1]


RUNS = {"run_id": "string", "ms": "integer"}
WHOLE = {
    "contract": "cases/v1",
    "day": "2026-10-01",
    "unit": "ms",
    "partitions": {
        "A": {"complete": True, "rows": [{"run_id": "1", "ms": 1200}, {"run_id": "2", "ms": 800}]},
        "B": {"complete": True, "rows": []},
    },
}


def offered(tmp_path, document, **terms):
    contract = contract_of(
        RUNS, form=ENVELOPE, delivery={"parts": {"from": "envelope", "required": ["A", "B"]}, **terms}
    )
    content = document if isinstance(document, bytes | str) else json.dumps(document)
    return taken(contract, tmp_path, {"one.json": content})


def test_an_envelope_gives_rows_parts_and_declarations(tmp_path):
    candidate = offered(tmp_path, WHOLE)
    facts = candidate.facts
    assert rows(candidate).select("run_id", "ms", "__part", "__row").rows() == [("1", 1200, "A", 1), ("2", 800, "A", 2)]
    assert [(part.name, part.complete, part.rows, part.problems) for part in facts.parts] == [
        ("A", True, 2, ()),
        ("B", True, 0, ()),
    ]
    assert (facts.declared_contract, facts.declared_version) == ("cases", "v1")
    assert (facts.declared_partition, facts.declared_unit, facts.problems) == ("2026-10-01", "ms", ())


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("cases", "cases", None),
        ("cases/v1", "cases", "v1"),
        ("cases@1.2", "cases", "1.2"),
        ("a/b/c", None, None),
        ("", None, None),
    ],
)
def test_a_declared_contract_is_taken_apart_and_not_judged(tmp_path, text, name, version):
    facts = offered(tmp_path, {**WHOLE, "contract": text}).facts
    assert (facts.declared_contract, facts.declared_version) == (name, version)
    assert [problem.rule for problem in facts.problems] == ([] if name else ["contract"])


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("", "0 bytes"),
        ("{", "line 1 is not well-formed JSON"),
        ('{"contract":\n1,}', "line 2 is not well-formed JSON"),
        ([], "is JSON, but no object"),
        ({}, "has no 'partitions' object"),
        ({"partitions": []}, "has no 'partitions' object"),
        ('{"partitions": {"A": 1, "A": 2}}', "repeats a key within one object"),
        ("[" * 100_000, "nests deeper than 256 levels"),
    ],
)
def test_an_envelope_without_its_outer_structure_is_unreadable(tmp_path, document, why):
    assert reason(offered(tmp_path, document)) == why


@pytest.mark.parametrize(
    ("part", "complete", "problem"),
    [
        ({"complete": 1, "rows": []}, None, "'complete' is neither true nor false"),
        ({"complete": "true", "rows": []}, None, "'complete' is neither true nor false"),
        ({"complete": None, "rows": []}, None, "'complete' is neither true nor false"),
        ({"rows": []}, None, "does not say whether it is complete"),
        ({"complete": True}, True, "has no list of rows"),
        ({"complete": True, "rows": {}}, True, "has no list of rows"),
        ({"complete": True, "rows": [], "x": 1}, True, "has an unknown key at place 3"),
        ([], None, "is no object"),
        ({"complete": False, "rows": []}, False, None),
    ],
)
def test_what_a_part_declares_wrongly_is_a_problem_of_that_part(tmp_path, part, complete, problem):
    candidate = offered(tmp_path, {**WHOLE, "partitions": {**WHOLE["partitions"], "B": part}})
    found = candidate.facts.parts[1]
    assert (found.name, found.complete, found.rows) == ("B", complete, 0)
    assert found.problems == ((problem,) if problem else ())
    assert candidate.rows == 2


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"contract": 1}, "contract"),
        ({"day": 20261001}, "partition"),
        ({"unit": ["ms"]}, "unit"),
        ({"secret": 1}, "contract"),
        ({"version": 1.0}, "contract"),
    ],
)
def test_what_an_envelope_declares_wrongly_is_a_problem_without_values(tmp_path, change, rule):
    (problem,) = offered(tmp_path, {**WHOLE, **change}).facts.problems
    assert problem.rule == rule
    assert "secret" not in problem.text


def test_one_part_in_two_envelopes_adds_up_and_is_told(tmp_path):
    contract = contract_of(RUNS, form=ENVELOPE, delivery={"parts": {"from": "envelope", "required": ["A"]}})
    other = {**WHOLE, "unit": "s", "partitions": {"A": {"complete": True, "rows": [{"run_id": "3", "ms": 1}]}}}
    candidate = taken(contract, tmp_path, {"1.json": json.dumps(WHOLE), "2.json": json.dumps(other)})
    assert (candidate.facts.parts[0].rows, candidate.facts.parts[0].problems) == (3, ("was delivered more than once",))
    assert [problem.rule for problem in candidate.facts.problems] == ["unit"]


DEEP = {
    "csv": ({"type": "csv", "delimiter": ";", "quote": "'"}, "a;b\n%s;1\n"),
    "jsonl": ({"type": "jsonl"}, '{"a": %s, "b": "1"}\n'),
    "envelope": ({"type": "envelope"}, '{"partitions": {"A": {"complete": true, "rows": [{"a": %s, "b": "1"}]}}}'),
}


@pytest.mark.parametrize("form", DEEP)
@pytest.mark.parametrize(("promised", "opened", "closed"), [("array", "[", "]"), ("object", '{"x":', "}")])
@pytest.mark.parametrize(("levels", "is_taken"), [(150, True), (256, True), (257, False), (5000, False)])
def test_a_value_may_nest_256_deep_in_every_format(tmp_path, form, promised, opened, closed, levels, is_taken):
    terms, text = DEEP[form]
    value = opened * levels + ("1" if promised == "object" else "") + closed * levels
    contract = contract_of({"a": promised, "b": "string"}, form=terms)
    candidate = taken(contract, tmp_path, {f"1.{form.replace('envelope', 'json')}": text % value})
    assert (candidate.rows == 1 and rows(candidate)["a"].to_list() == [value]) is is_taken


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', '{"x": {"a": 1, "a": 2}}', '{"a": NaN}', "{'a': 1}", '{"a": 1} {}', "[1]", "{", ""]
)
def test_the_text_of_an_object_in_csv_is_read_as_strictly_as_a_json_record(tmp_path, text):
    contract = contract_of({"a": "object"}, form={"delimiter": ";", "quote": "|", "null_values": []})
    frame = rows(taken(contract, tmp_path, {"1.csv": f'a;b\n{text};1\n {{"a": [1]}} ;1\n'}))
    assert frame.select("a", "__raw.a").rows() == [(None, text), (' {"a": [1]} ', None)]
