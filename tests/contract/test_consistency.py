"""How the parts of a contract fit together: names that must exist, promises that need each other."""

import pytest

from tests.contract.texts import HEAD, MINIMAL, contract_of, problems, whats

FIELDS = "fields:\n  - {name: day, type: date}\n  - {name: text, type: string, required: false}\n  - {name: n, type: integer}\n"
ACTIVE = HEAD + FIELDS + "status: active\n"
KEYED = "duplicate_rows: error\n"
KNOWN = "fields: day, n, text"
CORRECTED = "append cannot take corrections, which the delivery may bring: a key that is published already is refused"
OWNED = "grain: One row.\nowners: {producer: {name: p}, consumers: [{name: c}]}\n"


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        pytest.param("key: [dya]", ("7:6", "key: 'dya' is no field of this contract", f"did you mean 'day'? {KNOWN}"), id="key"),
        pytest.param("key: [day, day]", ("7:6", "key: names a field twice", "write each field once"), id="key twice"),
        pytest.param("key: [text]", ("5:42", "fields.text.required: a field of the key cannot be optional", "remove required: false"), id="optional key"),
        pytest.param("unique: [{name: u, fields: [x]}]", ("7:28", "unique.u.fields: 'x' is no field of this contract", KNOWN), id="unique"),
        pytest.param("unique: [{name: u, fields: [n], where: x > 0}]", ("7:40", "unique.u.where: 'x' is no field of this contract", KNOWN), id="filter"),
        pytest.param("unique: [{name: u, fields: []}]", ("7:28", "unique.u.fields: is empty", "write at least one"), id="unique over nothing"),
        pytest.param("groups: [{name: g, by: [x], sql: COUNT(*) > 0}]", ("7:24", "groups.g.by: 'x' is no field of this contract", KNOWN), id="groups"),
        pytest.param("groups: [{name: g, by: [day, day], sql: COUNT(*) > 0}]", ("7:24", "groups.g.by: names a field twice", "write each field once"), id="groups by a field twice"),
        pytest.param("groups: [{name: g, by: [day], sql: sum(x) > 0}]", ("7:36", "groups.g.sql: 'x' is no field of this contract", KNOWN), id="aggregate of no field"),
        pytest.param("groups: [{name: g, by: [day], sql: sum(text) > 0}]", ("7:36", "groups.g.sql: string stands where a number is needed", "write CAST(… AS DOUBLE)"), id="types inside of an aggregate"),
        pytest.param("groups: [{name: g, by: [day], sql: max(text) > 0}]", ("7:36", "groups.g.sql: string and integer do not compare", "write '0' in quotes"), id="types between aggregates"),
        pytest.param("groups: [{name: g, by: [day], sql: n > max(n)}]", ("7:36", "groups.g.sql: is no group rule: 'n' may differ within a group", "put it inside an aggregate, such as MAX(…); a group has: day"), id="a column outside of aggregates"),
        pytest.param("monitors: {fields: {x: {null_rate: 5%}}}", ("7:24", "monitors.fields.x: 'x' is no field of this contract", KNOWN), id="monitors"),
        pytest.param("owners: {producer: {name: p}, consumers: [{name: c, relies_on: [x]}]}", ("7:64", "owners.consumers.c.relies_on: 'x' is no field of this contract", KNOWN), id="consumer"),
        pytest.param("owners: {producer: {name: p}, consumers: [{name: c}, {name: c}]}", ("7:61", "owners.consumers.c.name: a consumer 'c' stands above already", "give each consumer its own name"), id="consumer twice"),
        pytest.param("rules: [{name: r, sql: x > 0}]", ("7:24", "rules.r.sql: 'x' is no field of this contract", KNOWN), id="rule"),
        pytest.param("rules: [{name: r, sql: n > 'a'}]", ("7:24", "rules.r.sql: integer and string do not compare", "write the number without quotes"), id="types of a rule"),
        pytest.param("rules: [{name: r, sql: n > 0}, {name: r, sql: n > 1}]", ("7:39", "rules.r.name: a rule 'r' stands above already", "give each rule its own name"), id="rule twice"),
        pytest.param("rules: [{name: r, sql: n > 0}]\nunique: [{name: r, fields: [n]}]", ("8:17", "unique.r.name: a rule 'r' stands above already", "give each rule its own name"), id="rule and unique of one name"),
        pytest.param("rules: [{name: r, sql: '  '}]", ("7:24", "rules.r.sql: is empty", "write at least one visible character"), id="empty rule"),
        pytest.param("rows: {min: 5, max: 4}", ("7:13", "rows.min: min 5 is above max 4", "swap them"), id="row count"),
        pytest.param("rows: {max: 0}", ("7:7", "rows.min: min 1 is above max 0", "swap them"), id="S1-070 no rows are not allowed in silence"),
        pytest.param("freshness: {column: x, max_age: 1d}", ("7:21", "freshness.column: 'x' is no field of this contract", KNOWN), id="freshness"),
        pytest.param("freshness: {column: n, max_age: 1d}", ("7:21", "freshness.column: 'n' holds no dates", "name a date or timestamp field"), id="freshness of a number"),
        pytest.param("publication: {mode: upsert}", ("7:21", "publication.mode: upsert works by key, and there is none", "declare key:"), id="upsert without a key"),
        pytest.param("publication: {mode: append}", ("7:21", "publication.mode: append works by key, and there is none", "declare key:"), id="append without a key"),
        pytest.param("key: [day]\npublication: {mode: append}\ndelivery: {corrections: true}", ("8:21", f"publication.mode: {CORRECTED}", "write mode: upsert, or mode: replace_partition"), id="S1-042 append of corrections"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_told(addition: str, expected: tuple[str, str, str]) -> None:
    assert problems(HEAD + FIELDS + addition + "\n") == [expected]


@pytest.mark.parametrize("family", ["array", "object"])
def test_nested_values_make_no_groups(family: str) -> None:
    text = f"fields: [{{name: o, type: {family}}}]\ngroups: [{{name: g, by: [o], sql: COUNT(*) > 0}}]\n"
    what = f"groups.g.by: 'o' is an {family}, and no two of them are compared"
    assert problems(HEAD + text) == [("4:24", what, "name a field with plain values")]


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        pytest.param("", ["status: an active contract has owners", "status: an active contract says what one row is"], id="nothing"),
        pytest.param("grain: One row per day.\n", ["status: an active contract has owners"], id="S1-040 no owners"),
        pytest.param("owners: {producer: {name: p}, consumers: [{name: c}]}\n", ["status: an active contract says what one row is"], id="S2-003 no grain"),
        pytest.param("grain: One row.\nowners: {producer: {name: p}}\n", ["owners: an active contract names at least one consumer"], id="S1-040 no consumers"),
    ],
)  # fmt: skip
def test_an_active_contract_says_who_and_what(addition: str, expected: list[str]) -> None:
    assert whats(ACTIVE + KEYED + addition) == expected


@pytest.mark.parametrize("told", ["key: [day]\n", "duplicate_rows: warn\n"])
def test_an_active_contract_says_how_rows_are_told_apart(told: str) -> None:
    """S1-041."""
    assert whats(ACTIVE + OWNED) == ["status: an active contract says how rows are told apart"]
    assert contract_of(ACTIVE + OWNED + told).status == "active"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("{name: a, type: string}\n  - {name: b, type: string, renamed_from: a}", ["fields.b.renamed_from: 'a' is a field of this version too, and nothing says until when"]),
    ],
)  # fmt: skip
def test_a_field_is_not_renamed_from_one_that_stays(fields: str, expected: list[str]) -> None:
    assert whats(HEAD + f"fields:\n  - {fields}\n") == expected


@pytest.mark.parametrize("before", ["{name: a, type: string, sunset: 2027-01-31}\n  - ", ""])
def test_a_field_is_renamed_from_one_that_is_gone_or_going(before: str) -> None:
    contract = contract_of(HEAD + f"fields:\n  - {before}{{name: b, type: string, renamed_from: a}}\n")
    assert contract.field("b").renamed_from == "a"


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        ("sunset: 2027-01-31\n", ["sunset: a draft binds nobody and needs no end"]),
        ("changes: {approvals: [c]}\n", ["changes.approvals.0: 'c' is no owner of the contract"]),
    ],
)  # fmt: skip
def test_the_terms_of_change_fit_the_contract(addition: str, expected: list[str]) -> None:
    """S1-004, S4-014."""
    assert whats(MINIMAL + addition) == expected


def test_owners_may_be_asked_to_approve_changes() -> None:
    """S4-014."""
    text = MINIMAL + OWNED + "status: deprecated\nsunset: 2027-01-31\nchanges: {approvals: [c, p], authority: board}\n"
    assert contract_of(text).changes.approvals == ("c", "p")


def test_a_complete_active_contract_is_taken() -> None:
    text = (
        ACTIVE
        + KEYED
        + "grain: One row.\npurpose: Weekly report.\nowners: {producer: {name: p}, consumers: [{name: c, relies_on: [n]}]}\n"
    )
    contract = contract_of(text)
    assert (contract.status, contract.purpose, contract.grain) == ("active", "Weekly report.", "One row.")


@pytest.mark.parametrize("status", ["draft", "deprecated", "retired"])
def test_any_other_contract_needs_no_owners(status: str) -> None:
    assert contract_of(MINIMAL + f"status: {status}\n").status == status


@pytest.mark.parametrize(
    ("corrections", "mode"), [("true", "replace_partition"), ("true", "upsert"), ("false", "append")]
)
def test_corrections_are_taken_by_every_mode_that_replaces_rows(corrections: str, mode: str) -> None:
    """S1-042."""
    terms = f"key: [day]\ndelivery: {{corrections: {corrections}}}\npublication: {{mode: {mode}}}\n"
    assert contract_of(HEAD + FIELDS + terms).delivery.corrections == (corrections == "true")


@pytest.mark.parametrize("rest", ["", ", quarantine: {}", ", quarantine: {rows: withheld, keep: 30d}"])
def test_an_active_contract_says_how_many_rows_may_go_to_quarantine(rest: str) -> None:
    """S3-020."""
    text = ACTIVE + KEYED + OWNED + f"enforcement: {{on_breach: quarantine{rest}}}\n"
    what = "enforcement.on_breach: an active contract says how many rows may go to quarantine"
    hint = 'write quarantine: {max_rows: 100, max_rate: "1%"}, or one of them'
    assert problems(text) == [("11:26", what, hint)]


@pytest.mark.parametrize("budget", ["max_rows: 0", "max_rate: 0%", "max_rows: 100, max_rate: 1%"])
def test_an_active_contract_with_any_budget_may_put_rows_in_quarantine(budget: str) -> None:
    """S3-020: a budget of nothing is a budget too."""
    contract = contract_of(
        ACTIVE + KEYED + OWNED + f"enforcement: {{on_breach: quarantine, quarantine: {{{budget}}}}}\n"
    )
    assert (contract.status, contract.enforcement.on_breach) == ("active", "quarantine")


@pytest.mark.parametrize("status", ["draft", "deprecated", "retired"])
def test_any_other_contract_needs_no_budget(status: str) -> None:
    """S3-020."""
    contract = contract_of(HEAD + FIELDS + f"status: {status}\nenforcement: {{on_breach: quarantine}}\n")
    assert (contract.status, contract.enforcement.quarantine.max_rows) == (status, None)


@pytest.mark.parametrize("policy", ["fail", "warn"])
def test_an_active_contract_that_keeps_no_row_apart_needs_no_budget(policy: str) -> None:
    assert contract_of(ACTIVE + KEYED + OWNED + f"enforcement: {{on_breach: {policy}}}\n").status == "active"
