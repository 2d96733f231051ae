"""Checks and what they show: names that cannot clash, groups that leave nothing out, text that does not act as markup."""

import json
import re

import dagster as dg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_assets.checks import DECISION, check_groups, check_name, check_specs
from contract_assets.definitions import build_definitions
from contract_assets.labels import plain, promise_of
from contract_assets.metadata import definition_metadata
from contract_assets.resources import GateResource
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.contract.registry import read_contracts
from contract_core.validation.obligations import obligations_of
from tests.assets.bench import CASES, DAY, contract_of, csv, outcomes
from tests.examples.offering import DATA

PIECES = st.sampled_from([*"aZ09_.- é😀", "__", "2e", "5f", "__2e__"])
TEXTS = st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=30)
HOSTILE = {
    "Markdown": "[a](javascript:alert(1)) **b** ![c](https://example.org/c.png)",
    "HTML": "<img src=x onerror=alert(1)><b>bold</b>",
    "a table": "| a | b |\n|---|---|",
    "a fence": "``` ```` `a`",
    "Unicode": "Straße 東京 😀 \u202egnirts",
    "long": "x" * 250,
}


@given(TEXTS, TEXTS)
def test_two_texts_never_share_a_check_name(one, other):
    assert (check_name(one) == check_name(other)) == (one == other)


@given(TEXTS)
def test_a_check_name_is_one_that_dagster_takes(text):
    assert all(character.isascii() and (character.isalnum() or character == "_") for character in check_name(text))


@pytest.mark.parametrize(
    "text, name",
    [("case_count", "case_count"), ("a.b", "a__2e__b"), ("a__b", "a__5f____5f__b"), ("_a", "__5f__a"), ("é", "__e9__")],
)
def test_plain_names_stay_as_they_are(text, name):
    assert check_name(text) == name


CONTRACTS = [*read_contracts(DATA / "contracts"), contract_of()]


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_the_groups_hold_each_obligation_once_and_never_mix_severities(contract):
    """S1-055: declared is judged and shown, and what warns never blocks."""
    groups = check_groups(contract)
    grouped = [obligation for group in groups for obligation in group.obligations]
    assert sorted(item.id for item in grouped) == sorted(item.id for item in obligations_of(contract))
    assert all(item.severity is group.severity for group in groups for item in group.obligations)
    blocking = {spec.name: spec.blocking for spec in check_specs(contract, dg.AssetKey("x"), None)}
    weighed = {} if contract.enforcement.on_breach == "fail" else {DECISION: True}
    assert blocking == {group.name: group.is_blocking for group in groups} | weighed
    errors = {group.name for group in groups if group.severity is Severity.ERROR}
    assert weighed or {group.name for group in groups if group.is_blocking} == errors
    assert not any(group.is_blocking for group in groups if group.severity is Severity.WARN)


@given(
    st.lists(
        st.tuples(TEXTS.filter(lambda text: text.strip() == text and text), st.sampled_from(["error", "warn"])),
        max_size=6,
        unique_by=lambda rule: rule[0],
    )
)
def test_rules_of_any_name_and_weight_each_have_a_check_of_their_own(rules):
    base = contract_of()
    rule = base.rules[0]
    named = tuple(rule.model_copy(update={"name": name, "severity": Severity(weight)}) for name, weight in rules)
    groups = check_groups(base.model_copy(update={"rules": named}))
    assert len({group.name for group in groups}) == len(groups)
    assert sum(obligation.rule == "row_rule" for group in groups for obligation in group.obligations) == len(rules)


GROUPS = "groups: [{name: g, by: [day], sql: count(*) > 1}, {name: w, by: [day], sql: count(*) > 1, severity: warn}]\n"


@pytest.mark.parametrize("policy, is_blocking", [("fail", True), ("quarantine", True), ("warn", False)])
def test_a_group_rule_has_a_check_of_its_own_that_blocks_where_a_breach_refuses(policy, is_blocking):
    contract = contract_of(f"{CASES}{GROUPS}enforcement: {{on_breach: {policy}}}\n")
    found = {group.name: group.is_blocking for group in check_groups(contract) if "group_" in group.name}
    assert found == {"group_g": is_blocking, "warnings__group_w": False}


def test_a_group_that_does_not_hold_is_told_by_its_check(bench):
    bench.contract = contract_of(CASES + GROUPS)
    result = bench.take(csv(("NL", DAY, 1)))
    found = {check.check_name: check for check in result.get_asset_check_evaluations()}
    assert [name for name, check in found.items() if not check.passed] == ["group_g", "warnings__group_w"]
    told, step = found["group_g"].description.split(" (to do: ")
    assert told == "broken: for each (day): COUNT(\\*) > 1; 1 of 1 group breaks it"
    assert step.startswith("compare the groups with the source")


def column(name: str) -> str:
    return name.replace("\n", " ")


def hostile(name: str) -> Contract:
    """A contract with a field of this name, and this text for its description."""
    base = contract_of()
    field = {
        "name": column(name),
        "type": "string",
        "required": False,
        "nullable": True,
        "max_length": 299,
        "description": name,
    }
    stated = base.model_dump(mode="json", by_alias=True, exclude_defaults=True) | {"description": name}
    return contract_of(json.dumps(stated | {"fields": [*stated["fields"], field]}, ensure_ascii=False))


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_load_run_and_stay_text(name, bench):
    contract = hostile(name)
    bench.contract = contract
    dg.Definitions.validate_loadable(build_definitions([contract], GateResource()))
    result = bench.take(csv(("NL", DAY, 1)))
    assert result.success
    assert len(outcomes(result)) == len(check_groups(contract)) + 3


def acting(text: str) -> list[str]:
    """What Markdown would take for markup."""
    alone = re.findall(r"(?<!\\)[<*`|~]", text)
    return [*alone, *re.findall(r"\]\(|^#", text, re.MULTILINE)]


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_text_of_a_contract_never_acts_as_markup(name, bench):
    """The UI reads descriptions of assets, checks and results as Markdown."""
    bench.contract = hostile(name)
    specs = check_specs(bench.contract, dg.AssetKey("x"), None)
    result = bench.take(csv(("NL", DAY, 1, "y" * 300), header=f'region,day,n,"{column(name)}"'))
    told = [check.description for check in result.get_asset_check_evaluations()]
    assert any(text.startswith("broken") for text in told)
    for text in (promise_of(bench.contract), *(spec.description for spec in specs), *told):
        assert acting(text) == []


def test_no_text_of_a_contract_turns_what_stands_around_it(bench):
    """A sign for the direction of writing would show a file's name, or the rest of a line, the other way round."""
    bench.contract = hostile(HOSTILE["Unicode"]).model_copy(update={"grain": HOSTILE["Unicode"]})
    told = [promise_of(bench.contract), definition_metadata(bench.contract)["grain"].value]
    assert all("\u202e" not in text and "gnirts" in text for text in told)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_the_terms_are_shown_letter_by_letter(name):
    fence, *inside, end = definition_metadata(hostile(name))["terms"].value.splitlines()
    assert fence.removesuffix("text") == end
    assert all(end not in line for line in inside)


@pytest.mark.parametrize(
    "text, shown",
    [
        (
            "'case_count' matches [A-Z]{2}; 1 of 3 rows breaks it",
            "'case_count' matches [A-Z]{2}; 1 of 3 rows breaks it",
        ),
        ("a * b < c", r"a \* b \< c"),
        ("[a](b)", r"[a]\(b)"),
        ("# no heading", r"\# no heading"),
        ("_emphasis_", r"\_emphasis\_"),
    ],
)
def test_only_what_is_markup_is_escaped(text, shown):
    assert plain(text) == shown


@given(st.text(max_size=40))
def test_plain_text_loses_nothing_but_its_power(text):
    assert plain(text).replace("\\", "") == text.replace("\\", "")


def test_a_check_tells_counts_as_numbers_and_what_to_do(bench):
    """S1-032, S2-030: numbers that the UI plots, and a next step for each broken rule."""
    result = bench.take(csv(("NL", DAY, -1), ("nl", DAY, 2), ("BE", DAY, 3)))
    check = {check.check_name: check for check in result.get_asset_check_evaluations()}["field_region"]
    told, step = check.description.split(" (to do: ")
    assert told == "broken: 'region' matches [A-Z]{2}; 1 of 3 rows breaks it"
    assert step.startswith("correct how the values are written")
    assert (check.metadata["breaches"].value, check.metadata["rows"].value, check.metadata["unjudged"].value) == (
        1,
        3,
        0,
    )
    rows = [record.data for record in check.metadata["obligations"].records]
    assert [row["outcome"] for row in rows] == ["kept", "breached"]
    assert rows[1]["what to do"].startswith("correct how the values are written")


def test_what_cannot_be_judged_fails_and_says_why(bench):
    result = bench.take(csv(("NL", DAY), header="region,day"))
    told = {check.check_name: check for check in result.get_asset_check_evaluations() if not check.passed}
    assert set(told) == {"schema", "field_n", "warnings__row_rule_plausible"}
    assert "not judged" in told["field_n"].description
    assert "the delivery has no column 'n'" in told["field_n"].description


def test_the_published_checks_are_answered_by_the_publication(bench):
    """S1-093: the table is held against the ledger, in the step that wrote it."""
    result = bench.take(csv(("NL", DAY, 1), ("BE", DAY, 2)))
    told = {
        check.check_name: check for check in result.get_asset_check_evaluations() if check.asset_key == bench.published
    }
    assert set(told) == {"reconciled", "notified", "incidents"}
    assert (
        told["reconciled"].metadata["rows_in_ledger"].value,
        told["reconciled"].metadata["rows_in_table"].value,
    ) == (2, 2)
