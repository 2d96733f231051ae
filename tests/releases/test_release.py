"""A release as a value: what it may hold, and that it is one JSON document."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import ValidationError

from contract_core.errors import WrongUsageError
from contract_core.releases.release import Release
from contract_core.releases.sealed import record_bytes, record_of
from tests.releases.samples import BREAKING, day, release

WHOLE = release(
    "2.0.0",
    changes=(BREAKING,),
    required_version="2.0.0",
    replaces="1.0.0",
    supported_until={
        "10": day("2027-01-01"),
        "9": day("2026-12-01"),
        "0.12": day("2026-10-31"),
        "0.3": day("2026-10-30"),
    },
    approvals=({"by": "finance"},),
    announcement="told",
    note="why",
)


def test_a_release_is_one_document_that_gives_it_back():
    """[S4-020]"""
    assert Release.model_validate_json(WHOLE.model_dump_json()) == WHOLE


def test_a_release_takes_name_version_digest_status_and_sunset_from_its_contract():
    made = release("2.0.0", more="sunset: 2030-01-01\n")
    assert (made.name, made.version, made.status, made.sunset, len(made.digest)) == (
        "orders",
        "2.0.0",
        "active",
        day("2030-01-01"),
        64,
    )


def test_the_record_holds_everything_but_the_text():
    """[S4-020]"""
    record = json.loads(record_bytes(WHOLE))
    assert record == record_of(WHOLE)
    assert set(record) == {*Release.model_fields, "text_digest", "seal"} - {"text"}


def test_a_moment_in_any_zone_gives_the_same_record():
    noon = datetime(2026, 10, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert record_bytes(release(released_at=noon)) == record_bytes(
        release(released_at=datetime(2026, 10, 1, 10, tzinfo=UTC))
    )


def test_the_order_in_which_majors_are_named_does_not_matter():
    turned = dict(reversed(WHOLE.supported_until.items()))
    assert list(WHOLE.supported_until) == ["0.3", "0.12", "9", "10"]
    assert record_bytes(Release.model_validate(WHOLE.model_dump() | {"supported_until": turned})) == record_bytes(WHOLE)


def test_a_release_never_changes():
    with pytest.raises(ValidationError):
        WHOLE.version = "3.0.0"


REFUSED = {
    "a name that is a path": {"name": "../x"},
    "a name with a line after it": {"name": "orders\n"},
    "a version that is none": {"version": "1.0"},
    "a digest that is none": {"digest": "5f1c"},
    "a moment without zone": {"released_at": datetime(2026, 10, 1)},
    "a moment outside the calendar": {"released_at": datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))},
    "nobody": {"released_by": " "},
    "somebody on two lines": {"released_by": "anna\x1b[2J"},
    "a major that is none": {"supported_until": {"1.x": day("2026-10-01")}},
    "a version for a major": {"supported_until": {"1.0.0": day("2026-10-01")}},
    "a change that JSON cannot hold": {"changes": ({"a": object()},)},
    "a change with a number that JSON lacks": {"changes": ({"a": float("nan")},)},
    "half a character": {"note": "\ud800"},
    "half a character in a change": {"changes": ({"a": "\ud800"},)},
    "something unknown": {"colour": "red"},
}


@pytest.mark.parametrize("about", REFUSED.values(), ids=REFUSED)
def test_what_could_not_be_kept_is_refused(about):
    with pytest.raises(ValidationError):
        Release.model_validate(WHOLE.model_dump() | about)


@pytest.mark.parametrize(
    ("about", "where", "hint"),
    [
        ({"released_by": "secret-value\n"}, "released_by", "say who releases it, in up to 200 characters"),
        ({"released_at": datetime(2026, 10, 1)}, "released_at", "give the moment in UTC"),
        (
            {"supported_until": {"secret-value": day("2026-10-01")}},
            "supported_until",
            "write for example 1: 2027-01-31",
        ),
        ({"changes": ({"a": object()},)}, "changes", "give plain documents"),
        ({"secret": "secret-value"}, "secret", "leave it out"),
    ],
)
def test_what_a_release_cannot_hold_is_told_without_its_value(about, where, hint):
    with pytest.raises(WrongUsageError) as refused:
        release(**about)
    (problem,) = refused.value.problems
    assert (problem.where, problem.hint) == (f"release of contract 'orders' 1.0.0: {where}", hint)
    assert "secret-value" not in str(refused.value)
