"""What a history rule may say, and what a contract needs so that a row can have a published predecessor."""

import pytest

from contract_core.contract.history_sql import predecessor_key
from tests.contract.texts import HEAD, contract_of, problems

FIELDS = "fields:\n  - {name: day, type: date}\n  - {name: text, type: string}\n  - {name: n, type: integer}\nkey: [day, text]\n"
BY_DAY = "delivery: {partition: {column: day, every: day, start: 2026-10-01}}\n"
BY_TEXT = "delivery: {partition: {column: text}}\n"
KNOWN = "fields: day, n, text"
ONE_OF_THEM = "write sql: a condition such as total >= previous.total, or vanished: true"
NO_PREDECESSOR = "history: append takes new keys alone, so that no row has a predecessor"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param("{name: h, sql: n > previous.x}", ("history.h.sql: 'x' is no field of this contract", KNOWN), id="no field before"),
        pytest.param("{name: h, sql: m > previous.n}", ("history.h.sql: 'm' is no field of this contract", KNOWN), id="no field now"),
        pytest.param("{name: h, sql: n > previous.dya}", ("history.h.sql: 'dya' is no field of this contract", f"did you mean 'day'? {KNOWN}"), id="misspelt"),
        pytest.param("{name: h, sql: n > previous.text}", ("history.h.sql: integer and string do not compare", "write CAST(… AS BIGINT) for the text"), id="types"),
        pytest.param("{name: h, sql: n > 0}", ("history.h.sql: is no history rule: the rule looks at nothing that was published before", "write previous.column for what was published before; promises about single rows stand under rules"), id="a row rule"),
        pytest.param("{name: h, sql: n > before.n}", ("history.h.sql: is no history rule: 'before.n' names a table", "before the dot may stand: previous"), id="another table"),
        pytest.param("{name: h, sql: sum(n) > previous.n}", ("history.h.sql: is no history rule: the aggregate SUM is not allowed in a row rule", "a row rule sees one row; promises about groups of rows stand under groups"), id="an aggregate"),
        pytest.param("{name: h}", ("history.h: the rule has neither sql nor vanished", ONE_OF_THEM), id="neither"),
        pytest.param("{name: h, vanished: false}", ("history.h: the rule has neither sql nor vanished", ONE_OF_THEM), id="vanished false"),
        pytest.param("{name: h, sql: n > previous.n, vanished: true}", ("history.h: the rule has sql and vanished", ONE_OF_THEM), id="both"),
        pytest.param("{name: h, vanished: true, on_null: keep}", ("history.h.on_null: a key is there again or it is not; it is never unknown", "remove on_null"), id="an unknown key"),
    ],
)  # fmt: skip
def test_what_a_history_rule_cannot_say_is_told(rule: str, expected: tuple[str, str]) -> None:
    ((_, what, hint),) = problems(HEAD + FIELDS + f"history: [{rule}]\n")
    assert (what, hint) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(FIELDS.replace("key: [day, text]\n", ""), [("history: rows are compared with those of the same key, and there is none", "declare key:")], id="no key"),
        pytest.param(FIELDS + "publication: {mode: append}\n", [(NO_PREDECESSOR, "write every: hour, day, week or month in delivery.partition, or another publication.mode")], id="append"),
        pytest.param(FIELDS + BY_TEXT + "publication: {mode: append}\n", [(NO_PREDECESSOR, "write every: hour, day, week or month in delivery.partition, or another publication.mode")], id="append by value"),
        pytest.param(FIELDS.replace("text, type: string", "text, type: object"), [("history: 'text' of the key is an object, and no two of them are compared", "take a key of plain values")], id="nested key"),
    ],
)  # fmt: skip
def test_a_contract_under_which_no_row_has_a_predecessor_is_refused(text: str, expected: list[tuple[str, str]]) -> None:
    told = problems(HEAD + text + "history: [{name: h, sql: n > previous.n}]\n")
    assert [(what, hint) for _, what, hint in told] == expected


def test_under_upsert_no_key_vanishes() -> None:
    ((_, what, hint),) = problems(HEAD + FIELDS + "publication: {mode: upsert}\nhistory: [{name: v, vanished: true}]\n")
    assert what == "history.v.vanished: upsert leaves the rows that a delivery does not bring, so that no key vanishes"
    assert hint == "remove the rule, or write mode: replace_partition"


@pytest.mark.parametrize(
    ("terms", "key"),
    [
        pytest.param("", ("day", "text"), id="no partitions"),
        pytest.param(BY_DAY, ("text",), id="by day"),
        pytest.param(BY_TEXT, ("day",), id="by value"),
        pytest.param(BY_DAY + "publication: {mode: upsert}\n", ("day", "text"), id="upsert"),
        pytest.param(BY_DAY + "publication: {mode: append}\n", ("text",), id="append"),
    ],
)
def test_rows_are_found_again_by_the_key_without_the_column_of_the_partition(terms: str, key: tuple[str, ...]) -> None:
    contract = contract_of(HEAD + FIELDS + terms + "history: [{name: h, sql: n > previous.n}]\n")
    assert predecessor_key(contract) == key
