"""The changelog and the announcement: what changed, whom it breaks, by version."""

from contract_core.releases.changelog import announcement_text, changelog_text, changes_by_class
from tests.releases.samples import BREAKING, COMPATIBLE, WORDS, day, release

FIRST = release("1.0.0", "2026-10-01", released_by="anna")
SECOND = release(
    "2.0.0",
    "2026-11-03",
    released_by="bert",
    changes=(WORDS, BREAKING, COMPATIBLE),
    replaces="1.0.0",
    supported_until={"1": day("2027-01-31")},
    approvals=({"by": "finance"},),
    announcement="Notes are gone.\nAsk us.",
    note="agreed in June",
)


def test_the_changelog_groups_by_version_and_class_and_names_whom_it_breaks():
    """[S4-020] For people; the records are the machine-readable side."""
    assert (
        changelog_text([FIRST, SECOND])
        == """\
# Changes of contract 'orders'

Written from the records; do not edit.

## 2.0.0, 2026-11-03

Released by bert; replaces 1.0.0; 1.x is supported until 2027-01-31; approved by finance.

> Notes are gone.
> Ask us.

> agreed in June

### Breaking

- `fields.note` is gone: queries that name the field fail; breaks consumer (weekly_report)

### Compatible

- `fields.amount.max` bound relaxed

### Words

- `description` description edited: words only

## 1.0.0, 2026-10-01

Released by anna; the first release.
"""
    )


def test_the_order_of_the_releases_does_not_matter():
    assert changelog_text([SECOND, FIRST]) == changelog_text([FIRST, SECOND])


def test_no_release_has_no_changelog():
    assert changelog_text([]) == ""


def test_the_announcement_tells_what_breaks_how_to_move_and_what_to_pin():
    """[S4-019]"""
    assert (
        announcement_text(SECOND, migration="docs/orders-2.md")
        == """\
Contract 'orders' 2.0.0 is released.

Released by bert; replaces 1.0.0; 1.x is supported until 2027-01-31; approved by finance.

> agreed in June

### Breaking

- `fields.note` is gone: queries that name the field fail; breaks consumer (weekly_report)

### Compatible

- `fields.amount.max` bound relaxed

### Words

- `description` description edited: words only

How to move: docs/orders-2.md

Pin it: orders@2.0.0
"""
    )


def test_names_cannot_break_out_of_their_line():
    hostile = {
        "kind": "field_removed\n# owned",
        "path": "fields.`a`\n<b>",
        "class": "breaking",
        "breaks": ["consumer"],
        "consumers": ["[x](y)\n"],
        "reason": "a <script> | b",
    }
    text = changelog_text([release(changes=(hostile,), released_by="*anna*")])
    assert text.splitlines()[-1] == (
        "- ``fields.`a` <b>`` field removed # owned: a \\<script\\> \\| b; breaks consumer (\\[x\\](y))"
    )
    assert "Released by \\*anna\\*; the first release." in text


def test_a_change_of_an_unknown_shape_is_told_and_not_lost():
    odd = release(changes=({"what": 1}, {"class": "refused", "kind": "gate_weakened", "breaks": "gate", "path": 5}))
    assert changelog_text([odd]).splitlines()[-4:] == ["### Other", "", "- changed", "- gate weakened"]
    assert changes_by_class(odd) == {"other": 2}


def test_changes_are_counted_by_class_with_breaking_ones_first():
    assert list(changes_by_class(SECOND).items()) == [("breaking", 1), ("compatible", 1), ("patch", 1)]
