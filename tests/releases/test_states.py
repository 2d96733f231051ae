"""In which state a released version is on a day."""

import pytest

from contract_core.errors import WrongUsageError
from contract_core.releases.states import State, StateKind, states_of
from tests.releases.samples import day, release

ACTIVE, DRAFT, REPLACED, DEPRECATED, RETIRED = (
    StateKind.ACTIVE,
    StateKind.DRAFT,
    StateKind.REPLACED,
    StateKind.DEPRECATED,
    StateKind.RETIRED,
)
JAN, FEB, MAR, APR = "2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"
SUNSET = "sunset: 2026-06-30\n"
UNTIL = {"1": day("2026-06-30")}

CASES = {
    "one active version": (
        [release("1.0.0", JAN)], "2026-05-01",
        {"1.0.0": State(ACTIVE, day(JAN))},
    ),
    "one draft": (
        [release("1.0.0", JAN, status="draft")], "2026-05-01",
        {"1.0.0": State(DRAFT, day(JAN))},
    ),
    "a newer patch and a newer minor replace": (
        [release("1.0.0", JAN), release("1.0.1", FEB), release("1.1.0", MAR)], "2026-05-01",
        {
            "1.0.0": State(REPLACED, day(FEB), None, "1.1.0"),
            "1.0.1": State(REPLACED, day(MAR), None, "1.1.0"),
            "1.1.0": State(ACTIVE, day(MAR)),
        },
    ),
    "a draft replaces nothing": (
        [release("1.0.0", JAN), release("1.1.0", FEB, status="draft")], "2026-05-01",
        {"1.0.0": State(ACTIVE, day(JAN)), "1.1.0": State(DRAFT, day(FEB))},
    ),
    "a draft is replaced by what it became": (
        [release("1.0.0", JAN, status="draft"), release("1.0.1", FEB)], "2026-05-01",
        {"1.0.0": State(REPLACED, day(FEB), None, "1.0.1"), "1.0.1": State(ACTIVE, day(FEB))},
    ),
    "a patch of an older minor is replaced from its first day": (
        [release("1.0.0", JAN), release("1.1.0", FEB), release("1.0.1", MAR)], "2026-05-01",
        {
            "1.0.0": State(REPLACED, day(FEB), None, "1.1.0"),
            "1.0.1": State(REPLACED, day(MAR), None, "1.1.0"),
            "1.1.0": State(ACTIVE, day(FEB)),
        },
    ),
    "a new major leaves an older one alone of which it says nothing": (
        [release("1.0.0", JAN), release("2.0.0", FEB)], "2026-05-01",
        {"1.0.0": State(ACTIVE, day(JAN)), "2.0.0": State(ACTIVE, day(FEB))},
    ),
    "a new major says how long the older one stays": (
        [release("1.0.0", JAN), release("1.1.0", FEB), release("2.0.0", MAR, supported_until=UNTIL)], "2026-05-01",
        {
            "1.0.0": State(REPLACED, day(FEB), day("2026-06-30"), "1.1.0"),
            "1.1.0": State(DEPRECATED, day(MAR), day("2026-06-30")),
            "2.0.0": State(ACTIVE, day(MAR)),
        },
    ),
    "the last day is supported": (
        [release("1.0.0", JAN), release("2.0.0", MAR, supported_until=UNTIL)], "2026-06-30",
        {"1.0.0": State(DEPRECATED, day(MAR), day("2026-06-30")), "2.0.0": State(ACTIVE, day(MAR))},
    ),
    "the day after is not": (
        [release("1.0.0", JAN), release("2.0.0", MAR, supported_until=UNTIL)], "2026-07-01",
        {"1.0.0": State(RETIRED, day("2026-07-01"), day("2026-06-30")), "2.0.0": State(ACTIVE, day(MAR))},
    ),
    "what was said last of a major counts": (
        [
            release("1.0.0", JAN),
            release("2.0.0", FEB, supported_until={"1": day("2026-03-31")}),
            release("2.1.0", MAR, supported_until=UNTIL),
        ],
        "2026-05-01",
        {
            "1.0.0": State(DEPRECATED, day(MAR), day("2026-06-30")),
            "2.0.0": State(REPLACED, day(MAR), None, "2.1.0"),
            "2.1.0": State(ACTIVE, day(MAR)),
        },
    ),
    "a draft ends no older major": (
        [release("1.0.0", JAN), release("2.0.0", FEB, status="draft", supported_until=UNTIL)], "2026-07-01",
        {"1.0.0": State(ACTIVE, day(JAN)), "2.0.0": State(DRAFT, day(FEB))},
    ),
    "a version says nothing of its own major or a newer one": (
        [release("1.0.0", JAN, supported_until={"1": day(JAN), "2": day(JAN)}), release("2.0.0", FEB)], "2026-05-01",
        {"1.0.0": State(ACTIVE, day(JAN)), "2.0.0": State(ACTIVE, day(FEB))},
    ),
    "a deprecated version by its own word": (
        [release("1.0.0", JAN), release("1.1.0", FEB, status="deprecated", more=SUNSET)], "2026-05-01",
        {
            "1.0.0": State(REPLACED, day(FEB), day("2026-06-30"), "1.1.0"),
            "1.1.0": State(DEPRECATED, day(FEB), day("2026-06-30")),
        },
    ),
    "a sunset that has passed": (
        [release("1.0.0", JAN, more=SUNSET)], "2026-07-01",
        {"1.0.0": State(RETIRED, day("2026-07-01"), day("2026-06-30"))},
    ),
    "a sunset that is to come": (
        [release("1.0.0", JAN, more=SUNSET)], "2026-05-01",
        {"1.0.0": State(ACTIVE, day(JAN), day("2026-06-30"))},
    ),
    "the earlier of two ends counts": (
        [release("1.0.0", JAN, more=SUNSET), release("2.0.0", FEB, supported_until={"1": day(APR)})], "2026-04-02",
        {"1.0.0": State(RETIRED, day("2026-04-02"), day(APR)), "2.0.0": State(ACTIVE, day(FEB))},
    ),
    "a retired version retires those it replaces": (
        [release("1.0.0", JAN), release("1.1.0", MAR, status="retired", more=SUNSET)], "2026-05-01",
        {
            "1.0.0": State(RETIRED, day(MAR), day("2026-06-30"), "1.1.0"),
            "1.1.0": State(RETIRED, day(MAR), day("2026-06-30")),
        },
    ),
    "a version released after the end of its major is born retired": (
        [release("1.0.0", JAN), release("2.0.0", FEB, supported_until={"1": day(FEB)}), release("1.0.1", APR)], "2026-05-01",
        {
            "1.0.0": State(RETIRED, day("2026-02-02"), day(FEB), "1.0.1"),
            "1.0.1": State(RETIRED, day(APR), day(FEB)),
            "2.0.0": State(ACTIVE, day(FEB)),
        },
    ),
    "before 1.0.0 the minor plays the part of the major": (
        [release("0.1.0", JAN), release("0.1.1", FEB), release("0.2.0", MAR, supported_until={"0.1": day("2026-06-30")})], "2026-05-01",
        {
            "0.1.0": State(REPLACED, day(FEB), day("2026-06-30"), "0.1.1"),
            "0.1.1": State(DEPRECATED, day(MAR), day("2026-06-30")),
            "0.2.0": State(ACTIVE, day(MAR)),
        },
    ),
    "what is said of 0 holds for everything below in 0": (
        [release("0.1.0", JAN), release("0.2.0", FEB, supported_until={"0": day("2026-06-30")}), release("0.3.0", MAR)], "2026-05-01",
        {
            "0.1.0": State(DEPRECATED, day(FEB), day("2026-06-30")),
            "0.2.0": State(ACTIVE, day(FEB)),
            "0.3.0": State(ACTIVE, day(MAR)),
        },
    ),
    "1.0.0 may end all of 0": (
        [release("0.1.0", JAN), release("0.2.0", FEB), release("1.0.0", MAR, supported_until={"0": day("2026-03-31")})], "2026-05-01",
        {
            "0.1.0": State(RETIRED, day(APR), day("2026-03-31")),
            "0.2.0": State(RETIRED, day(APR), day("2026-03-31")),
            "1.0.0": State(ACTIVE, day(MAR)),
        },
    ),
    "1 is not 10": (
        [release("1.0.0", JAN), release("10.0.0", FEB), release("11.0.0", MAR, supported_until={"1": day("2026-06-30")})], "2026-05-01",
        {
            "1.0.0": State(DEPRECATED, day(MAR), day("2026-06-30")),
            "10.0.0": State(ACTIVE, day(FEB)),
            "11.0.0": State(ACTIVE, day(MAR)),
        },
    ),
    "no release": ([], "2026-05-01", {}),
}  # fmt: skip


@pytest.mark.parametrize(("releases", "today", "states"), CASES.values(), ids=CASES)
def test_the_state_of_every_version(releases, today, states):
    """[S4-018] Consumers can pin, and know until when."""
    assert states_of(releases, day(today)) == states


@pytest.mark.parametrize(("releases", "today", "states"), CASES.values(), ids=CASES)
def test_the_order_of_the_releases_does_not_matter(releases, today, states):
    assert list(states_of(reversed(releases), day(today)).items()) == list(states.items())


def test_the_states_are_those_of_one_contract():
    with pytest.raises(WrongUsageError, match="several contracts"):
        states_of([release(name="orders"), release(name="returns")], day(JAN))
