"""The version gate: the version that changes ask for, who must agree, how long the old version stays, and what is said of the meaning."""

from datetime import date, timedelta

import pytest

from contract_core.diff.policy import Policy
from contract_core.diff.record import Approval, ChangeRecord
from contract_core.diff.release import Published, examine, farewell
from tests.diff.orders import (
    BREAKING,
    BREAKS_STOCK,
    IN_TIME,
    MINOR,
    PATCH,
    REMOVED,
    TODAY,
    agreed,
    held,
    kinds,
    missing,
    on,
    orders,
)


def test_a_first_version_passes() -> None:
    found = examine(None, orders("0.1.0"), TODAY, Policy())
    assert (found.passes, found.before, found.verdicts) == (True, None, ())


def test_the_same_version_without_a_change_passes() -> None:
    assert held(orders()).missing == ()


def test_a_new_version_without_a_change_passes() -> None:
    assert held(orders("1.2.4")).missing == ()


@pytest.mark.parametrize(
    "version, edit, needed",
    [
        ("1.2.3", PATCH, "1.2.4"),
        ("1.2.3", MINOR, "1.3.0"),
        ("1.2.4", MINOR, "1.3.0"),
        ("1.3.0", BREAKING, "2.0.0"),
        ("1.99.99", BREAKING, "2.0.0"),
    ],
)
def test_a_version_that_is_too_low_is_told_which_it_has_to_be(version: str, edit: tuple[str, str], needed: str) -> None:
    """[S4-012] [S4-013] [S3-029]"""
    found = held(orders(version, edit), supported_until=IN_TIME)
    assert (found.required_version, [item.hint.split(",")[0] for item in found.missing]) == (
        needed,
        [f'write version: "{needed}"'],
    )


def test_the_record_of_the_published_version_says_nothing_about_the_next() -> None:
    """[S4-015]"""
    found = held(orders("1.2.3", BREAKING), supported_until=IN_TIME)
    assert [item.hint.split(" ")[0] for item in found.missing] == ["write", "record"]


def test_an_approval_by_nobody_who_is_asked_is_told() -> None:
    """[S4-014]"""
    approval = Approval(by="revenue_reports", changes="0123456789ab")
    found = held(orders("2.0.0", BREAKING), supported_until=IN_TIME, approvals=(approval,))
    assert any(note.startswith("the approval of 'revenue_reports' counts for nothing") for note in found.notes)


@pytest.mark.parametrize("version, edit", [("1.2.4", PATCH), ("1.3.0", MINOR), ("1.10.0", MINOR), ("1.3.0", PATCH)])
def test_a_version_that_is_high_enough_passes(version: str, edit: tuple[str, str]) -> None:
    assert held(orders(version, edit)).missing == ()


def test_a_version_below_the_published_one_is_refused_even_without_a_change() -> None:
    assert missing(held(orders("1.2.2"))) == ["version 1.2.2 is below 1.2.3, which is published"]


def test_a_version_may_skip_numbers_and_is_told_that_it_need_not() -> None:
    assert held(orders("5.0.0", PATCH)).notes == ("version 5.0.0 is more than these changes ask for: 1.2.4 would do",)
    assert held(orders("5.0.0", BREAKING), supported_until=IN_TIME).missing == ()


@pytest.mark.parametrize(
    "edit, needed", [(PATCH, "0.4.3"), (MINOR, "0.4.3"), (BREAKING, "0.5.0")], ids=["patch", "minor", "breaking"]
)
def test_before_the_first_major_version_the_minor_number_plays_its_part(edit: tuple[str, str], needed: str) -> None:
    assert held(orders("0.4.2", edit), orders("0.4.2")).required_version == needed
    assert held(orders(needed, edit), orders("0.4.2"), supported_until=IN_TIME).missing == ()


def test_every_breaking_change_is_named_with_the_version() -> None:
    """[S4-013]"""
    found = held(orders("1.3.0", BREAKING, REMOVED))
    assert [verdict.change.path for verdict in found.verdicts] == ["fields.amount.min", "fields.note"]
    assert missing(found)[0] == "version 1.3.0 is not enough: 2 breaking changes ask for 2.0.0"


def test_a_breaking_change_needs_each_consumer_whom_it_breaks() -> None:
    """[S4-014] [S1-006]"""
    new = orders("2.0.0", BREAKS_STOCK)
    found = held(new, supported_until=IN_TIME)
    assert (found.approvals, missing(found)) == ((("stock", False),), ["'stock' has not approved these changes"])
    assert held(new, **agreed(new, "stock")).missing == ()


def test_a_major_version_alone_does_not_do_and_neither_does_an_approval_alone() -> None:
    """[S4-014]"""
    assert len(held(orders("2.0.0", BREAKS_STOCK), supported_until=IN_TIME).missing) == 1
    low = orders("1.3.0", BREAKS_STOCK)
    assert missing(held(low, **agreed(low, "stock"))) == [
        "version 1.3.0 is not enough: 1 breaking change asks for 2.0.0"
    ]


def test_an_approval_is_given_to_just_these_changes() -> None:
    one, other = orders("2.0.0", BREAKS_STOCK), orders("2.0.0", BREAKS_STOCK, REMOVED)
    assert missing(held(other, **agreed(one, "stock"))) == [
        "'stock' has not approved these changes; an earlier approval was for others"
    ]


def test_an_approval_holds_whatever_else_is_edited() -> None:
    one, other = orders("2.0.0", BREAKS_STOCK), orders("2.0.0", BREAKS_STOCK, PATCH, ("min: 0", "min: -1"))
    assert held(other, **agreed(one, "stock")).missing == ()


def test_an_approval_of_one_major_version_is_none_of_the_next() -> None:
    new = orders("2.0.0", BREAKS_STOCK)
    later = orders("3.0.0", BREAKS_STOCK)
    assert held(later, orders("2.0.0")).digest != held(new).digest


def test_an_approval_by_somebody_else_does_not_count() -> None:
    new = orders("2.0.0", BREAKS_STOCK)
    assert missing(held(new, **agreed(new, "shop", "report", "nobody"))) == ["'stock' has not approved these changes"]


def test_the_published_contract_names_who_else_must_agree() -> None:
    old = orders("1.2.3", ("window: 30d", "window: 30d, approvals: [shop]"))
    new = orders("2.0.0", REMOVED, ("window: 30d", "window: 30d, approvals: [shop]"))
    assert held(new, old).approvals == (("shop", False),)
    assert held(new, old, **agreed(new, "shop", old=old)).missing == ()


def test_the_record_of_another_version_says_nothing() -> None:
    new = orders("2.0.0", BREAKS_STOCK)
    record = ChangeRecord(contract="orders", version="2.0.1", **agreed(new, "stock"))
    assert len(examine(Published(orders()), new, TODAY, Policy(), record).missing) == 2


def test_a_new_producer_needs_both() -> None:
    """[S1-004]"""
    new = orders("1.2.4", ("producer: {name: shop}", "producer: {name: warehouse}"))
    assert held(new).approvals == (("shop", False), ("warehouse", False))
    assert missing(held(new, **agreed(new, "shop"))) == ["'warehouse' has not approved these changes"]
    assert held(new, **agreed(new, "shop", "warehouse")).missing == ()


@pytest.mark.parametrize(
    "until, passes", [(None, False), (date(2026, 10, 31), False), (IN_TIME, True), (date.max, True)]
)
def test_the_old_version_stays_for_as_long_as_it_promised(until: date | None, passes: bool) -> None:
    """[S4-015]"""
    assert held(orders("2.0.0", BREAKING), supported_until=until).passes is passes


def test_a_part_of_a_day_is_a_whole_day_of_the_window() -> None:
    old = orders("1.2.3", ("30d", "36h"))
    new = orders("2.0.0", BREAKING, ("30d", "36h"))
    assert missing(held(new, old, supported_until=date(2026, 10, 3))) == [
        "only until 2026-10-03 version 1.2.3 stays supported; its own terms promise 2 days"
    ]
    assert held(new, old, supported_until=date(2026, 10, 4)).missing == ()


def test_a_window_beyond_the_calendar_ends_with_it() -> None:
    old = orders("1.2.3", ("30d", "999999w"))
    assert held(orders("2.0.0", BREAKING, ("30d", "999999w")), old, supported_until=date.max).missing == ()


def test_no_window_asks_for_no_day() -> None:
    assert held(orders("2.0.0", BREAKING, ("30d", "0d")), orders("1.2.3", ("30d", "0d"))).missing == ()


SUNSET = ("nullable: true}", "nullable: true, sunset: 2026-12-31}")


@pytest.mark.parametrize(
    "today, passes", [(date(2026, 12, 31), False), (date(2027, 1, 1), True)], ids=["on the day", "after it"]
)
def test_a_deprecated_field_stays_until_its_sunset_and_leaves_without_approvals(today: date, passes: bool) -> None:
    new = orders("2.0.0", REMOVED)
    assert on(today, new, orders("1.2.3", SUNSET), supported_until=today + timedelta(days=30)).passes is passes


@pytest.mark.parametrize("day, kind", [("2026-10-31", "at_short_notice"), ("2026-11-01", "field_deprecated")])
def test_a_sunset_is_announced_as_early_as_was_promised(day: str, kind: str) -> None:
    found = held(orders("1.3.0", ("nullable: true}", f"nullable: true, sunset: {day}}}")))
    assert found.verdicts[0].change.kind.value.endswith(kind)


def test_the_sunset_that_counts_is_that_of_the_field_and_not_of_its_alias() -> None:
    alias = (
        "  - {name: note, type: string, nullable: true}\n",
        """\
  - {name: remark, type: string, required: false, renamed_from: note}
  - {name: note, type: string, nullable: true, sunset: 2026-12-31}
""",
    )
    assert held(orders("1.3.0", alias)).missing == ()


SEMANTICS = ("Tax included.", "Tax not included.")


@pytest.mark.parametrize(
    "version, meaning, wanted",
    [
        ("1.2.4", {}, ["fields.amount.semantics from 'Tax included.' to 'Tax not included.': only its author knows whether the meaning changed"]),
        ("1.2.4", {"fields.amount.semantics": "same"}, []),
        ("1.2.4", {"fields.amount.semantics": "changed"},
         ["version 1.2.4 is not enough: 1 breaking change asks for 2.0.0", "'report' has not approved these changes"]),
        ("1.2.4", {"fields.status.semantics": "same"},
         ["fields.amount.semantics from 'Tax included.' to 'Tax not included.': only its author knows whether the meaning changed"]),
    ],
    ids=["not said", "same", "changed", "said of another field"],
)  # fmt: skip
def test_the_author_says_whether_the_meaning_changed(version: str, meaning: dict[str, str], wanted: list[str]) -> None:
    """[S2-034] [S4-023]"""
    assert missing(held(orders(version, SEMANTICS), meaning=meaning, supported_until=IN_TIME)) == wanted


def test_another_population_is_asked_about_as_well() -> None:
    """[S2-034]"""
    new = orders("1.2.4", ("Orders of the day.", "Paid orders of the day."))
    assert (held(new).passes, held(new, meaning={"population": "same"}).passes) == (False, True)


CLASSIFICATION = ("classification: internal", "classification: public")


def test_what_is_refused_needs_the_authority_beside_the_consumers() -> None:
    """[S1-004]"""
    new = orders("2.0.0", CLASSIFICATION)
    assert kinds(held(new)) == [("classification_lowered", "refused")]
    assert missing(held(new, **agreed(new, "report"))) == [
        "fields.amount.classification from internal to public: more people may read the field"
    ]
    assert missing(held(new, **agreed(new, "data_office"))) == ["'report' has not approved these changes"]
    assert held(new, **agreed(new, "report", "data_office")).missing == ()


def test_the_authority_is_told_where_and_what_to_approve() -> None:
    found = held(orders("2.0.0", CLASSIFICATION))
    assert found.missing[0].hint == (
        "'data_office' must approve just these changes: in changes/orders/2.0.0.yaml, "
        f"approvals: [{{by: data_office, changes: {found.digest}}}]"
    )


def test_without_an_authority_nobody_can_approve_what_is_refused() -> None:
    none = (", authority: data_office", "")
    new = orders("2.0.0", CLASSIFICATION, none)
    found = held(new, orders("1.2.3", none), **agreed(new, "report", "data_office", old=orders("1.2.3", none)))
    assert found.missing[0].hint == "the published contract names no changes.authority who could approve it"


def test_another_name_is_refused_with_any_approval() -> None:
    new = orders("2.0.0", ("contract: orders", "contract: sales"))
    assert held(new, **agreed(new, "report", "stock", "data_office")).passes is False


DRAFT = ("status: active", "status: draft")


def test_a_draft_binds_nobody() -> None:
    found = held(orders("1.2.3", BREAKING, REMOVED), orders("1.2.3", DRAFT))
    assert (found.passes, found.notes) == (
        True,
        ("version 1.2.3 is a draft and binds nobody: its changes need no version and no approval",),
    )


def test_a_retired_version_needs_no_window() -> None:
    old, new = orders("1.2.3", ("active", "retired")), orders("2.0.0", ("active", "retired"), BREAKING)
    assert held(new, old).missing == ()


@pytest.mark.parametrize(
    "edits, today, passes",
    [
        ((), TODAY, False),
        ((DRAFT,), TODAY, True),
        ((("active", "retired"),), TODAY, True),
        ((("active", "deprecated"),), TODAY, False),
        ((("active", "deprecated\nsunset: 2026-12-31"),), date(2026, 12, 31), False),
        ((("active", "deprecated\nsunset: 2026-12-31"),), date(2027, 1, 1), True),
    ],
    ids=["active", "draft", "retired", "no sunset", "on the day", "after it"],
)
def test_a_contract_leaves_when_its_promise_is_over(
    edits: tuple[tuple[str, str], ...], today: date, passes: bool
) -> None:
    found = farewell(Published(orders("1.2.3", *edits)), today)
    assert (found.passes, kinds(found)) == (passes, [("contract_removed", "breaking")])


def test_who_approved_what_stands_in_the_answer() -> None:
    new = orders("2.0.0", BREAKS_STOCK)
    assert held(new, **agreed(new, "stock")).approvals == (("stock", True),)


def test_approvals_are_found_by_their_digest_alone() -> None:
    record = ChangeRecord(contract="orders", version="2.0.0", approvals=(Approval(by="stock", changes="0" * 12),))
    assert record.approvers("0" * 12) == {"stock"}
    assert record.approvers("1" * 12) == frozenset()
