"""Where each promise is enforced, as text and as a document."""

import json

import polars as pl

from contract_core.rendering.enforcement import OnTarget, enforcement_document, enforcement_lines
from contract_core.validation.obligations import obligations_of
from contract_core.validation.sql import target_rules
from tests.contract.texts import contract_of

CONTRACT = contract_of(
    'contract: c\nversion: "1.0.0"\nkey: [i]\npopulation: everyone\nfields:\n  - {name: i, type: integer, min: 1}\n'
    "  - {name: s, type: string, trimmed: true, severity: {untrimmed: warn}}\nmonitors: {volume: {max_change: 50%}}\n"
)
RULES = {
    "i.null": OnTarget("gate_i_null_0123abcd"),
    "i.range": OnTarget("gate_i_range_0123abcd"),
    "s.null": OnTarget(None, "it is said so"),
    "key": OnTarget(None, "Delta enforces no uniqueness; the gate itself does"),
}


def test_each_obligation_is_told_with_the_place_where_it_is_enforced() -> None:
    """S1-008, S1-055: constraints by name, keys as information only, and what nobody checks."""
    lines = list(enforcement_lines(CONTRACT, RULES))
    assert lines[0] == "c 1.0.0: where each promise is enforced"
    assert {
        "  i.null: gate, before publication + target constraint gate_i_null_0123abcd",
        "  i.type: gate, before publication + the type of the target's column",
        "  i.range: gate, before publication + target constraint gate_i_range_0123abcd",
        "  i.missing: gate, before publication; not on the target: it is about the delivery and no single row",
        "  s.null: gate, before publication; not on the target: it is said so",
        "  s.untrimmed: gate, before publication (only warns); not on the target: it only warns, and what only warns is published",
        "  key: gate, before publication; informational on the target; the gate itself enforces it",
        "  nobody: population: everyone (rows cannot show what was left out upstream)",
    } <= set(lines)
    assert len([line for line in lines if ": gate, before publication" in line]) == len(obligations_of(CONTRACT))


def test_a_promise_that_nothing_enforces_yet_is_named() -> None:
    text = 'contract: c\nversion: "1.0.0"\nfields: [{name: i, type: string}]\n'
    contract = contract_of(text + "delivery: {parts: {from: file, required_file: x.csv}}\n")
    lines = list(enforcement_lines(contract, RULES))
    assert any(line.startswith("  nobody yet: delivery.parts.required_file") for line in lines)
    assert len(enforcement_document(contract, RULES)["not_enforced"]) == 1


def test_a_monitor_is_judged_at_the_gate_and_watches_the_published_table() -> None:
    (line,) = [line for line in enforcement_lines(CONTRACT, RULES) if line.startswith("  volume:")]
    assert line == (
        "  volume: gate, before publication (only warns); not on the target: it is a monitor of the published table: "
        "it compares a candidate with the accepted partitions before it"
    )


def test_a_key_is_informational_whatever_the_target_says_of_it() -> None:
    """S1-055."""
    document = enforcement_document(CONTRACT, {"key": OnTarget("somebody_said_so")})
    (key,) = [item for item in document["obligations"] if item["id"] == "key"]
    assert (key["target"], key["constraint"]) == ("informational", None)


def test_a_group_rule_is_not_on_the_target_and_says_why() -> None:
    text = 'contract: c\nversion: "1.0.0"\nfields: [{name: i, type: integer}]\n'
    contract = contract_of(
        text
        + "groups: [{name: g, by: [i], sql: count(*) = 1}, {name: w, by: [i], sql: count(*) = 1, severity: warn}]\n"
    )
    rules = {rule.obligation.id: OnTarget(None, rule.why_not) for rule in target_rules(contract, {"i": pl.Int64()})}
    lines = list(enforcement_lines(contract, rules))
    assert {
        "  g.group: gate, before publication; not on the target: a constraint sees one row at a time; the gate itself judges groups of them",
        "  w.group: gate, before publication (only warns); not on the target: it only warns, and what only warns is published",
    } <= set(lines)


def test_a_history_rule_is_not_on_the_target_and_says_why() -> None:
    text = 'contract: c\nversion: "1.0.0"\nfields: [{name: k, type: string}, {name: i, type: integer}]\nkey: [k]\n'
    contract = contract_of(
        text + "history: [{name: h, sql: i > previous.i}, {name: v, vanished: true, severity: warn}]\n"
    )
    types = {"k": pl.String(), "i": pl.Int64()}
    rules = {rule.obligation.id: OnTarget(None, rule.why_not) for rule in target_rules(contract, types)}
    lines = list(enforcement_lines(contract, rules))
    why = "a constraint sees one row and not what was published before; the gate itself compares them"
    assert {
        f"  h.history: gate, before publication; not on the target: {why}",
        "  v.history: gate, before publication (only warns); not on the target: it only warns, and what only warns is published",
    } <= set(lines)


def test_the_document_lists_every_obligation_once() -> None:
    document = enforcement_document(CONTRACT, RULES)
    assert [item["id"] for item in document["obligations"]] == [item.id for item in obligations_of(CONTRACT)]
    kinds = {item["id"]: item["target"] for item in document["obligations"]}
    assert {name: kinds[name] for name in ("i.null", "i.type", "key", "s.null", "unreadable")} == {
        "i.null": "constraint", "i.type": "type", "key": "informational", "s.null": "none", "unreadable": "none",
    }  # fmt: skip
    assert json.loads(json.dumps(document)) == document


def test_freshness_is_said_to_be_watched_on_the_published_table_too() -> None:
    """[S1-016] Data grow old while nothing arrives, and no delivery shows it."""
    text = 'contract: c\nversion: "1.0.0"\nfields: [{name: day, type: date}]\nfreshness: {column: day, max_age: 2d}\n'
    said = (
        "it is about the age of the newest event; while none comes, `status` and the scheduled check `freshness` tell"
    )
    assert f"  freshness: gate, before publication; not on the target: {said}" in enforcement_lines(
        contract_of(text), {}
    )
