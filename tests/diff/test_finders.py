"""What finders see beyond the golden cases: bounds by what they accept, renames followed everywhere, spellings that are none."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.diff.bounds import compared
from contract_core.diff.changes import find_changes
from contract_core.diff.record import digest_of
from contract_core.diff.wording import from_to, shown
from tests.diff.orders import Edit, held, kinds, orders

DAY, NOON, LAST = date(2026, 10, 2), datetime(2026, 10, 2, 12), datetime(2026, 10, 2, 23, 59, 59, 999999)


@pytest.mark.parametrize(
    "old, new, family, is_lower, order",
    [
        (0, 1, Family.INTEGER, True, 1),
        (1, 0, Family.INTEGER, True, -1),
        (Decimal("0.5"), 1, Family.INTEGER, True, 0),
        (Decimal("3.5"), 3, Family.INTEGER, False, 0),
        (Decimal("3.5"), 3, Family.NUMBER, False, -1),
        (None, 0, Family.INTEGER, True, 1),
        (None, 0, Family.INTEGER, False, -1),
        (0, None, Family.INTEGER, True, -1),
        (0, None, Family.INTEGER, False, 1),
        (None, None, Family.INTEGER, True, 0),
        (DAY, LAST, Family.TIMESTAMP, False, 0),
        (DAY, NOON, Family.TIMESTAMP, False, -1),
        (DAY, datetime(2026, 10, 2), Family.TIMESTAMP, True, 0),
        (DAY, NOON, Family.TIMESTAMP, True, 1),
        (NOON, NOON.replace(tzinfo=UTC), Family.TIMESTAMP, True, 0),
        (DAY, date(2026, 10, 3), Family.DATE, False, 1),
        (DAY, 5, Family.NUMBER, True, 1),
        (DAY, 5, Family.NUMBER, False, -1),
    ],
)
def test_bounds_compare_by_what_they_accept(
    old: object, new: object, family: Family, is_lower: bool, order: int
) -> None:
    assert compared(old, new, family, is_lower=is_lower) == order


TEMPLATE = """\
contract: visits
version: "1.0.0"
key: [<day>, <id>]
fields:
  - {name: <day>, type: date}
  - {name: <id>, type: string}
  - {name: count, type: integer}
  - {name: <sure>, type: boolean}
rules: [{name: r, sql: "<day> > DATE '2026-01-01' OR <sure>"}]
unique: [{name: u, fields: [<day>, count], where: <id> IS NOT NULL}]
history: [{name: h, sql: <day> >= previous.<day>}]
groups: [{name: g, by: [<day>], sql: "count(*) > 0"}]
monitors: {fields: {<day>: {null_rate: "5%"}}}
freshness: {column: <day>, max_age: 2d}
owners: {producer: {name: p}, consumers: [{name: c, relies_on: [<day>, <id>]}]}
delivery:
  partition: {every: day, column: <day>, start: 2026-10-01}
  parts: {from: column, column: <id>, required: [a]}
  format: {dates: {<day>: "%d.%m.%Y"}, integral: [count], null_values: {<day>: [NA]}, true_values: {<sure>: [yes_]}}
"""


def visits(day: str = "day", id_: str = "id", sure: str = "sure", *edits: Edit) -> Contract:
    """The template with names for three of its fields, and edits of its text that each apply once."""
    text = TEMPLATE.replace("<day>", day).replace("<id>", id_).replace("<sure>", sure)
    for before, after in edits:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return parse_contract(text, "visits.yaml")


def found(new: Contract) -> list[str]:
    return [change.kind.value for change in find_changes(visits(), new)]


@pytest.mark.parametrize(
    "new",
    [
        visits("on_day", "id", "sure", ("name: on_day,", "name: on_day, renamed_from: day,")),
        visits("day", "visit", "sure", ("name: visit,", "name: visit, renamed_from: id,")),
        visits("day", "id", "certain", ("name: certain,", "name: certain, renamed_from: sure,")),
    ],
    ids=["day", "id", "sure"],
)
def test_a_rename_is_one_change_wherever_the_field_is_named(new: Contract) -> None:
    assert found(new) == ["field_renamed"]


def test_how_a_renamed_field_is_read_is_compared_too() -> None:
    renamed = ("name: certain,", "name: certain, renamed_from: sure,")
    assert found(visits("day", "id", "certain", renamed, ("[yes_]", "[ja]"))) == ["field_renamed", "decoding_changed"]


def test_how_a_new_field_is_read_belongs_to_the_field() -> None:
    field = ("  - {name: sure,", "  - {name: seen, type: date, required: false}\n  - {name: sure,")
    read = ('"%d.%m.%Y"}', '"%d.%m.%Y", seen: "%Y"}')
    assert found(visits("day", "id", "sure", field, read)) == ["field_added_optional_closed"]


@pytest.mark.parametrize(
    "before, after",
    [
        ("{null_values: [NA, '-']}", "{null_values: ['-', NA]}"),
        ("{encoding: utf-8}", "{encoding: UTF8}"),
        ("{encoding: latin-1}", "{encoding: iso-8859-1}"),
        ("{integral: [id, amount]}", "{integral: [amount, id]}"),
    ],
)
def test_another_spelling_of_the_format_is_no_change(before: str, after: str) -> None:
    start: Edit = ("changes:", f"delivery: {{format: {before}}}\nchanges:")
    end: Edit = ("changes:", f"delivery: {{format: {after}}}\nchanges:")
    number: Edit = ("name: id, type: string", "name: id, type: integer")
    assert find_changes(orders("1.2.3", start, number), orders("1.2.3", end, number)) == ()


def test_the_order_of_date_formats_is_a_change() -> None:
    one, other = (
        ("changes:", f"delivery: {{format: {{dates: {{day: {formats}}}}}}}\nchanges:")
        for formats in ('["%d.%m.%y", "%m.%d.%y"]', '["%m.%d.%y", "%d.%m.%y"]')
    )
    day: Edit = ("name: note, type: string, nullable: true", "name: day, type: date")
    assert [change.kind.value for change in find_changes(orders("1.2.3", one, day), orders("1.2.3", other, day))] == [
        "decoding_changed"
    ]


def test_rows_that_are_only_told_of_are_warnings_down_to_none() -> None:
    few, none = (("changes:", f"rows: {{min: {count}, severity: warn}}\nchanges:") for count in (1, 0))
    assert kinds(held(orders("1.3.0", none), orders("1.2.3", few))) == [("warning_removed", "compatible")]
    assert kinds(held(orders("1.3.0", few), orders("1.2.3", none))) == [("warning_added", "compatible")]


def test_agreements_to_different_people_have_different_digests() -> None:
    text = "    - {name: %s, relies_on: [id, %s], tolerates: {new_fields: true}}\n"
    without = [orders("1.2.4", (text % who, "")) for who in (("report", "amount"), ("stock", "status"))]
    assert len({held(new).digest for new in (*without, orders("1.2.4"))}) == 3


def test_a_digest_is_never_a_number_to_yaml() -> None:
    digests = [digest_of((), f"orders {number}") for number in range(2000)]
    assert {len(digest) for digest in digests} == {12}
    assert [digest for digest in digests if not set(digest) & set("abcdf")] == []


@pytest.mark.parametrize(
    "value, text",
    [(None, "none"), ((), "none"), (("a", "b"), "(a, b)"), (True, "true"), (Decimal("0.05"), "5%"), (Decimal(0), "0%"), (Decimal("0.125"), "12.5%"), (7, "7")],
)  # fmt: skip
def test_a_value_is_told_in_words(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    "window, text", [("1d", "1 day"), ("2w", "14 days"), ("36h", "36 hours"), ("90s", "90 seconds"), ("0d", "0 days")]
)
def test_a_duration_is_told_in_its_largest_whole_part(window: str, text: str) -> None:
    duration = orders("1.2.3", ("30d", window)).changes.window
    assert from_to(duration, None) == f"from {text} to none"
