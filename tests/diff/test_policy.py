"""A team's policy raises a class freely and lowers one with a reason, an owner and an end; it never makes a contract milder."""

from datetime import date
from typing import Any

import pytest

from contract_core.contract.term_file import read_terms
from contract_core.diff.compatibility import COMPATIBILITY
from contract_core.diff.kinds import Class
from contract_core.diff.policy import Policy
from contract_core.errors import WrongUsageError
from tests.diff.orders import BREAKING, IN_TIME, MINOR, PATCH, REMOVED, held, kinds, missing, on, orders

ANSWERED = "reason: Nobody reads it, owner: shop, expires: 2026-12-31"


def policy(text: str) -> Policy:
    return read_terms(Policy, text.encode(), "policy.yaml")


def refused(text: str) -> list[tuple[str, str, str]]:
    with pytest.raises(WrongUsageError) as caught:
        policy(text)
    return [(problem.where, problem.what, problem.hint) for problem in caught.value.problems]


def test_a_class_is_raised_without_a_reason() -> None:
    """[S4-007] [S4-008]"""
    found = held(orders("1.3.0", MINOR), policy=policy("overrides: [{kind: bound_relaxed, class: breaking}]"))
    assert kinds(found) == [("bound_relaxed", "breaking")]
    assert found.notes == ("policy: fields.amount.min bound_relaxed counts as breaking",)


def test_a_description_can_be_made_to_need_a_review() -> None:
    """[S4-023]"""
    found = held(orders("1.2.4", PATCH), policy=policy("overrides: [{kind: words_edited, class: refused}]"))
    assert (found.missing[0].what, found.missing[0].hint) == (
        "description is stated, or left out: words only",
        "the policy refuses it: take the change back, or have the policy changed first",
    )


def test_a_class_is_not_lowered_without_a_reason() -> None:
    """[S4-016]"""
    found = held(orders("1.3.0", BREAKING), policy=policy("overrides: [{kind: bound_tightened, class: patch}]"))
    assert (kinds(found), found.notes) == (
        [("bound_tightened", "breaking")],
        ("policy: the override of bound_tightened lowers nothing without a reason, an owner and a last day",),
    )


def test_a_class_that_is_lowered_is_listed_with_its_reason() -> None:
    """[S4-007]"""
    found = held(
        orders("1.2.4", BREAKING), policy=policy(f"overrides: [{{kind: bound_tightened, class: patch, {ANSWERED}}}]")
    )
    assert found.missing == ()
    assert found.notes == (
        "policy: fields.amount.min bound_tightened counts as patch: Nobody reads it (shop, until 2026-12-31)",
    )


@pytest.mark.parametrize("told", ["reason: X", "reason: X, owner: shop", "expires: 2026-12-31", "owner: shop, expires: 2026-12-31"])  # fmt: skip
def test_who_answers_for_it_is_said_in_full(told: str) -> None:
    assert refused(f"overrides: [{{kind: bound_tightened, class: patch, {told}}}]") == [
        ("policy.yaml:1:13", "overrides.0: says half of who answers for it", "write reason:, owner: and expires:, or none of them to raise a class")
    ]  # fmt: skip


@pytest.mark.parametrize("today, weight", [(date(2026, 12, 31), "patch"), (date(2027, 1, 1), "breaking")])
def test_an_override_lowers_until_its_last_day(today: date, weight: str) -> None:
    lowered = policy(f"overrides: [{{kind: bound_tightened, class: patch, {ANSWERED}}}]")
    assert kinds(on(today, orders("1.2.4", BREAKING), policy=lowered)) == [("bound_tightened", weight)]


def test_an_override_that_has_expired_is_told() -> None:
    lowered = policy(f"overrides: [{{kind: bound_tightened, class: patch, {ANSWERED}}}]")
    assert on(date(2027, 1, 1), orders("1.2.4", PATCH), policy=lowered).notes == (
        "policy: the override of bound_tightened by shop expired on 2026-12-31",
    )


def test_one_that_only_raises_goes_on_when_its_day_is_over() -> None:
    raised = policy(f"overrides: [{{kind: bound_relaxed, class: breaking, {ANSWERED}}}]")
    assert kinds(on(date(2027, 1, 1), orders("1.3.0", MINOR), policy=raised)) == [("bound_relaxed", "breaking")]


@pytest.mark.parametrize(
    "scope, weight",
    [
        ("contract: orders", "patch"), ("contract: sales", "breaking"), ("path: fields.amount.min", "patch"),
        ("path: fields.amount", "breaking"), ("contract: sales, path: fields.amount.min", "breaking"),
    ],
)  # fmt: skip
def test_an_override_may_be_about_one_contract_or_one_path(scope: str, weight: str) -> None:
    lowered = policy(f"overrides: [{{kind: bound_tightened, class: patch, {scope}, {ANSWERED}}}]")
    assert kinds(held(orders("1.3.0", BREAKING), policy=lowered)) == [("bound_tightened", weight)]


@pytest.mark.parametrize(
    "kind", sorted(kind for kind, row in COMPATIBILITY.items() if Class.REFUSED in (row.default, row.strict))
)
def test_what_is_refused_is_not_lowered(kind: str) -> None:
    """[S4-016]"""
    assert refused(f"overrides: [{{kind: {kind}, class: patch, {ANSWERED}}}]") == [
        ("policy.yaml:1:13", f"overrides.0: '{kind}' is refused until the authority approves it", "record that approval beside the new version")
    ]  # fmt: skip


@pytest.mark.parametrize("kind", sorted(kind for kind, row in COMPATIBILITY.items() if row.asks_meaning))
def test_what_its_author_has_to_say_is_not_said_by_the_policy(kind: str) -> None:
    """[S4-016] [S4-023]"""
    assert refused(f"overrides: [{{kind: {kind}, class: patch, {ANSWERED}}}]") == [
        ("policy.yaml:1:13", f"overrides.0: only the author of a '{kind}' knows what it means", "say it in the record of the new version")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text, what",
    [
        ("skip: true", "'skip' is no attribute of the file"),
        ("overrides: [{kind: everything, class: patch}]", "overrides.0.kind: is not one of the known words"),
        ("profile: none", "profile: is not one of the known words"),
        ("overrides: [{kind: bound_tightened, class: ignored}]", "overrides.0.class: is not one of the known words"),
    ],
)
def test_the_policy_knows_no_word_that_switches_the_gate_off(text: str, what: str) -> None:
    """[S4-016]"""
    assert [problem[1] for problem in refused(text)] == [what]


PROFILES = ["default", "consumer_strict", "producer", "full"]


def profiled(name: str, version: str = "1.2.3", *edits: tuple[str, str]) -> Any:
    return orders(version, ("window: 30d", f"window: 30d, profile: {name}"), *edits)


@pytest.mark.parametrize("own", PROFILES)
@pytest.mark.parametrize("team", PROFILES)
@pytest.mark.parametrize(
    "edit", [MINOR, BREAKING, REMOVED, ("[open, shipped]", "[open]"), ("nullable: true", "nullable: false")]
)
def test_the_stricter_of_both_profiles_counts(own: str, team: str, edit: tuple[str, str]) -> None:
    """[S4-016]"""
    old, new = profiled(own), profiled(own, "9.0.0", edit)
    both = held(new, old, policy(f"profile: {team}")).verdicts[0].verdict
    alone = held(new, old).verdicts[0].verdict
    others = held(profiled(team, "9.0.0", edit), profiled(team)).verdicts[0].verdict
    assert both.weight == max(alone.weight, others.weight)


def test_both_profiles_are_named() -> None:
    """[S2-037]"""
    new, old = profiled("consumer_strict", "1.3.0", PATCH), profiled("consumer_strict")
    assert held(new, old, policy("profile: producer")).profile == "consumer_strict and producer"
    assert held(new, old, policy("profile: full")).profile == "full"
    assert held(new, old).profile == "consumer_strict"


def test_the_profile_of_the_new_version_does_not_count() -> None:
    """[S4-016]"""
    new = profiled("producer", "1.3.0", ("[open, shipped]", "[open, shipped, lost]"))
    found = held(new, policy=Policy(), supported_until=IN_TIME)
    assert kinds(found) == [("enum_value_added", "breaking"), ("change_terms_weakened", "refused")]
    assert len(missing(found)) == 4


def test_a_policy_makes_every_contract_transitive() -> None:
    assert policy("transitive: true").transitive is True
    assert held(orders("1.3.0", MINOR), policy=policy("transitive: true")).passes is True
