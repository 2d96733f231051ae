"""Ranges of versions: what each form means, and which version is picked."""

import pytest

from contract_core.errors import UnknownContractError, WrongUsageError
from contract_core.releases.states import states_of
from contract_core.releases.versions import LATEST, Range, listing, parse_range, parse_reference, pick
from tests.releases.samples import day, release

TODAY = day("2026-11-30")
NO_END = None

RANGES = {
    "1.2.3": ((1, 2, 3), (1, 2, 4)),
    "=1.2.3": ((1, 2, 3), (1, 2, 4)),
    "1.2": ((1, 2, 0), (1, 3, 0)),
    "1": ((1, 0, 0), (2, 0, 0)),
    "0": ((0, 0, 0), (1, 0, 0)),
    "^1.2.3": ((1, 2, 3), (2, 0, 0)),
    "^1.2": ((1, 2, 0), (2, 0, 0)),
    "^1": ((1, 0, 0), (2, 0, 0)),
    "^0.2.3": ((0, 2, 3), (0, 3, 0)),
    "^0.2": ((0, 2, 0), (0, 3, 0)),
    "^0.0.3": ((0, 0, 3), (0, 0, 4)),
    "^0.0.0": ((0, 0, 0), (0, 0, 1)),
    "^0.0": ((0, 0, 0), (0, 1, 0)),
    "^0": ((0, 0, 0), (1, 0, 0)),
    "^1.0.0": ((1, 0, 0), (2, 0, 0)),
    "~1.2.3": ((1, 2, 3), (1, 3, 0)),
    "~1.2": ((1, 2, 0), (1, 3, 0)),
    "~1": ((1, 0, 0), (2, 0, 0)),
    "~0.2.3": ((0, 2, 3), (0, 3, 0)),
    "~0": ((0, 0, 0), (1, 0, 0)),
    ">=1.2,<2": ((1, 2, 0), (2, 0, 0)),
    ">=1.2.3, <1.4.5": ((1, 2, 3), (1, 4, 5)),
    ">=1.2": ((1, 2, 0), NO_END),
    ">1.2.3": ((1, 2, 4), NO_END),
    ">1.2": ((1, 3, 0), NO_END),
    ">1": ((2, 0, 0), NO_END),
    "<=1.2.3": ((0, 0, 0), (1, 2, 4)),
    "<=1": ((0, 0, 0), (2, 0, 0)),
    "<2": ((0, 0, 0), (2, 0, 0)),
    "^1.2,<1.5": ((1, 2, 0), (1, 5, 0)),
    ">=1,>=1.3,<3,<2.1": ((1, 3, 0), (2, 1, 0)),
    "latest": ((0, 0, 0), NO_END),
}


@pytest.mark.parametrize(("text", "limits"), RANGES.items(), ids=RANGES)
def test_a_range_is_what_npm_and_cargo_mean_by_it(text, limits):
    found = parse_range(text)
    assert (found.low, found.high) == limits


@pytest.mark.parametrize(
    ("text", "is_exact"),
    [
        ("1.2.3", True),
        ("=1.2.3", True),
        ("1.2", False),
        ("^0.0.3", False),
        (">=1.2.3,<1.2.4", False),
        ("latest", False),
    ],
)
def test_only_a_version_in_full_is_exact(text, is_exact):
    assert parse_range(text).is_exact is is_exact


@pytest.mark.parametrize(
    "text",
    ["", "x", "1.x", "*", "v1", "1.2.3.4", "01", "1.02", "1.", ".1", "-1", "^", "1 2", "1,,2", ",", "1.2.3-rc", "١", "!=1", "1" * 10, "^^1"],
)  # fmt: skip
def test_what_is_no_range_is_refused_with_the_forms_there_are(text):
    with pytest.raises(WrongUsageError) as refused:
        parse_range(text)
    (problem,) = refused.value.problems
    assert (problem.what, problem.hint) == (
        f"'{text}' is no range of versions",
        "write 1.2.3, ^1.2, ~1.2.3, 1, >=1.2,<2 or latest",
    )


@pytest.mark.parametrize("text", [">=2,<1", "^1,^2", ">1.2.3,<1.2.4", "<0"])
def test_a_range_that_no_version_can_lie_in_is_refused(text):
    with pytest.raises(WrongUsageError, match="no version can lie in"):
        parse_range(text)


@pytest.mark.parametrize("reference", ["@1", "Orders@1", "../x@1", "a b@1", "@"])
def test_a_reference_needs_a_name_before_the_range(reference):
    with pytest.raises(WrongUsageError, match="has no contract name before '@'"):
        parse_reference(reference)


def test_a_reference_is_a_name_and_a_range():
    assert parse_reference("orders@^1.2") == ("orders", parse_range("^1.2"))


HELD = (
    release("1.0.0", "2026-01-01"),
    release("1.1.0", "2026-02-01"),
    release("1.10.0", "2026-03-01"),
    release("2.0.0", "2026-04-01", supported_until={"1": day("2026-10-01")}),
    release("2.1.0", "2026-05-01"),
    release("3.0.0", "2026-06-01", status="draft"),
)
PICKED = {
    "latest": "2.1.0",
    "2": "2.1.0",
    "^2.0.0": "2.1.0",
    "~2.0": "2.0.0",
    "2.0.0": "2.0.0",
    ">=1": "2.1.0",
    "1.1.0": "1.1.0",
    "3.0.0": "3.0.0",
    "^3": "3.0.0",
}


@pytest.mark.parametrize(("text", "version"), PICKED.items(), ids=PICKED)
def test_the_newest_supported_version_that_fits_is_picked(text, version):
    """[S4-018] A draft is picked only where nothing else fits, a retired version only where it is named in full."""
    assert pick(parse_range(text), HELD, states_of(HELD, TODAY)).version == version


def test_ten_is_more_than_one():
    assert pick(parse_range("^1"), HELD, states_of(HELD, day("2026-09-30"))).version == "1.10.0"


def test_a_range_of_retired_versions_says_so_and_how_to_go_on():
    with pytest.raises(UnknownContractError) as unknown:
        pick(parse_range("^1.1"), HELD, states_of(HELD, TODAY))
    (problem,) = unknown.value.problems
    assert problem.what == (
        "contract 'orders' has only retired versions for '^1.1'; the registry has 1.0.0 (retired since 2026-10-02), "
        "1.1.0 (retired since 2026-10-02), 1.10.0 (retired since 2026-10-02), 2.0.0, 2.1.0, 3.0.0"
    )
    assert problem.hint == (
        "a retired version is taken only where it is named in full: orders@1.10.0, or move to orders@2.1.0"
    )


def test_a_version_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(UnknownContractError) as unknown:
        pick(parse_range("2.0.1"), HELD[3:5], states_of(HELD[3:5], TODAY))
    (problem,) = unknown.value.problems
    assert (problem.what, problem.hint) == (
        "contract 'orders' has no version for '2.0.1'; the registry has 2.0.0, 2.1.0",
        "write for example orders@2.1.0",
    )


def test_of_many_versions_the_newest_are_listed():
    assert listing({"orders": tuple(f"1.{minor}.0" for minor in range(12))}) == (
        "'orders' (…, 1.4.0, 1.5.0, 1.6.0, 1.7.0, 1.8.0, 1.9.0, 1.10.0, 1.11.0)"
    )


@pytest.mark.parametrize(
    ("versions", "told"),
    [
        ({}, "no contract"),
        ({"b": ("1.0.0",), "a": ("1.0.0", "2.0.0")}, "'a' (1.0.0, 2.0.0) and 'b' (1.0.0)"),
        ({"a": ("1.0.0",), "b": ("1.0.0",), "c": ("1.0.0",)}, "'a' (1.0.0), 'b' (1.0.0) and 'c' (1.0.0)"),
    ],
)
def test_a_registry_is_listed_in_one_line(versions, told):
    assert listing(versions) == told


def test_latest_holds_every_version():
    assert Range(LATEST).holds((0, 0, 0))
