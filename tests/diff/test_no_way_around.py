"""A branch cannot free itself: the terms of the published version judge it, and nobody is deprived of a say in two steps."""

import pytest

from contract_core.diff.policy import Policy
from contract_core.diff.record import ChangeRecord
from contract_core.diff.release import Published, examine
from tests.diff.orders import BREAKS_STOCK, IN_TIME, TEXT, TODAY, Edit, agreed, held, kinds, missing, orders

STOCK = "    - {name: stock, relies_on: [id, status], tolerates: {new_fields: true}}\n"
OWNERS = TEXT[TEXT.index("owners:") : TEXT.index("key:")]
FREED: dict[str, tuple[Edit, ...]] = {
    "the consumer is dropped": ((STOCK, ""),),
    "the consumer is renamed": (("name: stock", "name: store"),),
    "the consumer tolerates it": ((STOCK, STOCK.replace("new_fields: true", "new_enum_values: true")),),
    "the consumer relies on something else": (("[id, status]", "[id]"),),
    "the profile is milder": (("window: 30d", "window: 30d, profile: producer"),),
    "the window is shorter": (("window: 30d", "window: 0d"),),
    "the authority is the producer": (("authority: data_office", "authority: shop"),),
    "it becomes a draft": (("status: active", "status: draft"),),
    "it is retired": (("status: active", "status: retired"),),
    "all owners are dropped": (("status: active", "status: retired"), (OWNERS, "")),
}  # fmt: skip


@pytest.mark.parametrize("way", FREED)
def test_an_edit_of_the_terms_in_the_same_version_frees_nothing(way: str) -> None:
    """[S4-016] [S4-014] [S4-015]"""
    lacking = missing(held(orders("1.2.4", BREAKS_STOCK, *FREED[way])))
    assert any("'stock' has not approved these changes" in item for item in lacking)
    assert any("ask" in item and "for 2.0.0" in item for item in lacking)
    assert any("its own terms promise 30 days" in item for item in lacking)


@pytest.mark.parametrize("way", [way for way in FREED if way.startswith("the consumer")])
def test_a_consumer_is_not_deprived_a_version_earlier(way: str) -> None:
    """[S4-016]"""
    new = orders("1.2.4", *FREED[way])
    assert missing(held(new)) == ["'stock' has not approved these changes"]
    assert held(new, **agreed(new, "stock")).missing == ()


def test_more_consumers_and_another_spelling_of_what_they_rely_on_need_nobody() -> None:
    added = (STOCK, STOCK + "    - {name: audit}\n")
    assert held(orders("1.2.4", added, ("[id, status]", "[status, id]"))).missing == ()


def test_a_field_that_leaves_takes_the_reliance_on_it_along() -> None:
    old = orders("1.2.3", ("enum: [open, shipped]", "enum: [open, shipped], sunset: 2026-10-01"))
    gone = ("  - {name: status, type: string, enum: [open, shipped]}\n", "")
    new = orders("2.0.0", gone, ("[id, status]", "[id]"))
    assert held(new, old, supported_until=IN_TIME).missing == ()


def test_an_authority_is_chosen_by_all_consumers() -> None:
    """[S1-004]"""
    old = orders("1.2.3", (", authority: data_office", ""))
    new = orders("1.2.4")
    assert missing(held(new, old)) == [
        "'report' has not approved these changes", "'stock' has not approved these changes"
    ]  # fmt: skip
    assert held(new, old, **agreed(new, "report", "stock", old=old)).missing == ()


def test_an_authority_does_not_approve_its_own_coming() -> None:
    old = orders("1.2.3", (", authority: data_office", ""))
    new = orders("2.0.0", ("classification: internal", "classification: public"))
    assert held(new, old, **agreed(new, "data_office", "report", "stock", old=old)).passes is False


@pytest.mark.parametrize(
    "edits",
    [
        (("window: 30d", "window: 29d"),),
        (("authority: data_office", "authority: shop"),),
        ((", authority: data_office", ""),),
        (("window: 30d", "window: 30d, profile: consumer_strict"),),
    ],
    ids=["window", "authority", "no authority", "profile"],
)
def test_terms_are_loosened_by_the_authority_alone(edits: tuple[Edit, ...]) -> None:
    """[S1-004] [S4-016]"""
    new = orders("2.0.0", *edits)
    assert kinds(held(new)) == [("change_terms_weakened", "refused")]
    assert held(new, **agreed(new, "report", "stock", "shop")).passes is False
    assert held(new, **agreed(new, "report", "stock", "data_office")).passes is True


def test_approvers_in_another_order_are_the_same() -> None:
    old = orders("1.2.3", ("window: 30d", "window: 30d, approvals: [shop, report]"))
    new = orders("1.2.3", ("window: 30d", "window: 30d, approvals: [report, shop]"))
    assert held(new, old).verdicts == ()


def test_a_field_does_not_leave_before_its_sunset_as_a_rename() -> None:
    old = orders("1.2.3", ("nullable: true}", "nullable: true, sunset: 2026-12-31}"))
    new = orders("2.0.0", ("name: note, type: string, nullable: true", "name: remark, renamed_from: note, type: string, nullable: true"))  # fmt: skip
    assert kinds(held(new, old)) == [("field_removed_before_sunset", "refused")]


def test_a_field_does_not_leave_before_its_sunset_behind_its_alias() -> None:
    alias = "  - {name: remark, type: string, required: false, renamed_from: note}\n"
    note = "  - {name: note, type: string, nullable: true, sunset: 2026-12-31}\n"
    line = "  - {name: note, type: string, nullable: true}\n"
    old, new = orders("1.3.0", (line, alias + note)), orders("2.0.0", (line, alias))
    assert kinds(held(new, old)) == [("field_removed_before_sunset", "refused")]


def test_a_name_in_use_is_not_given_to_another_field() -> None:
    new = orders("2.0.0", ("name: note,", "name: note, renamed_from: status,"), ("  - {name: status, type: string, enum: [open, shipped]}\n", ""), ("[id, status]", "[id]"))  # fmt: skip
    assert kinds(held(new)) == [("field_removed", "breaking"), ("field_name_reused", "refused")]


def test_of_two_fields_that_claim_one_old_name_the_second_is_a_new_one() -> None:
    line = "  - {name: note, type: string, nullable: true}\n"
    two = "  - {name: remark, renamed_from: note, type: string, nullable: true}\n  - {name: text, renamed_from: note, type: string}\n"
    assert kinds(held(orders("2.0.0", (line, two)))) == [
        ("field_renamed", "breaking"), ("field_added_required_closed", "breaking")
    ]  # fmt: skip


def test_a_sunset_is_not_moved_under_cover_of_a_deprecation() -> None:
    old = orders("1.2.3", ("status: active", "status: active\nsunset: 2030-01-01"))
    new = orders("1.3.0", ("status: active", "status: deprecated\nsunset: 2026-12-31"))
    assert kinds(held(new, old)) == [("status_deprecated", "compatible"), ("sunset_earlier", "breaking")]


NOTE_WAS_A_NUMBER = ("name: note, type: string", "name: note, type: integer")
NOTE_LINE = ("  - {name: note, type: string, nullable: true}\n", "")


def test_a_name_that_stood_for_something_else_does_not_come_back() -> None:
    published = Published(orders("2.0.0", NOTE_LINE), earlier=(orders("1.2.3", NOTE_WAS_A_NUMBER),))
    found = examine(published, orders("3.0.0"), TODAY, Policy())
    assert ("field_name_reused", "refused") in kinds(found)


def test_a_name_comes_back_for_what_it_stood_for() -> None:
    published = Published(orders("2.0.0", NOTE_LINE), earlier=(orders("1.2.3"),))
    assert kinds(examine(published, orders("2.1.0"), TODAY, Policy())) == [("field_added_required_closed", "breaking")]


ALSO = ("window: 30d", "window: 30d, transitive: true")


def test_what_each_step_allows_the_whole_way_may_not() -> None:
    """The value came with 1.2.3, whatever was agreed on then; who still reads 1.2.0 meets it now."""
    last, first = orders("1.2.3", ALSO, ("[open, shipped]", "[open, shipped, lost]")), orders("1.2.0", ALSO)
    new = orders("1.2.4", ALSO, ("[open, shipped]", "[open, shipped, lost]"))
    found = examine(Published(last, supported=(first, last)), new, TODAY, Policy())
    assert kinds(found) == [("enum_value_added", "breaking")]
    assert examine(Published(last, supported=(last,)), new, TODAY, Policy()).verdicts == ()


def test_an_earlier_major_version_was_broken_with_everybodys_agreement() -> None:
    last, first = orders("2.0.0", ALSO, ("min: 0", "min: 5")), orders("1.2.3", ALSO)
    new = orders("2.0.1", ALSO, ("min: 0", "min: 5"), ("grain:", "description: All.\ngrain:"))
    assert kinds(examine(Published(last, supported=(first, last)), new, TODAY, Policy())) == [("words_edited", "patch")]


def test_the_heaviest_verdict_on_a_change_counts_with_the_consumers_of_all_versions() -> None:
    tolerant = ("name: stock, relies_on: [id, status], tolerates: {new_fields: true}", "name: stock, relies_on: [id, status], tolerates: {new_enum_values: true}")  # fmt: skip
    last, first = orders("1.2.3", ALSO, tolerant), orders("1.2.0", ALSO)
    new = orders("1.3.0", ALSO, tolerant, BREAKS_STOCK)
    found = examine(Published(last, supported=(first, last)), new, TODAY, Policy())
    assert [(verdict.verdict.value, verdict.consumers) for verdict in found.verdicts][:1] == [("breaking", ("stock",))]


def test_a_record_for_another_contract_says_nothing() -> None:
    new = orders("2.0.0", BREAKS_STOCK)
    record = ChangeRecord(contract="sales", version="2.0.0", **agreed(new, "stock"))
    assert missing(examine(Published(orders()), new, TODAY, Policy(), record))[0].startswith("'stock' has not")
