"""Laws of metrics: the numbers are those that their definitions give, word by word, and none depends on how partitions interleave."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.contract.parsing import parse_contract
from contract_core.operations.metrics import metrics_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry

CONTRACT = parse_contract(
    'contract: cases\nversion: "1.0.0"\nkey: [day]\nfields: [{name: day, type: date}]\n'
    "delivery: {partition: {column: day, every: day, start: 2026-10-01}}\n",
    "c.yaml",
)
START = datetime(2026, 10, 2, tzinfo=UTC)
RULES = ("key", "day.null", "row_count")
STEPS = st.tuples(
    st.sampled_from([Event.DECIDED, Event.DECIDED, Event.PUBLISHED, Event.FAILED, Event.REQUESTED]),
    st.sampled_from(["2026-10-01", "2026-10-02"]),
    st.sampled_from("abc"),
    st.lists(st.sampled_from(RULES), unique=True, max_size=2),
    st.booleans(),
)
BUDGET = settings(max_examples=300, derandomize=True, deadline=None)


def story(steps: list[tuple[Any, ...]]) -> tuple[LedgerEntry, ...]:
    """Entries an hour apart; a decision with rules refuses, or keeps rows apart, and a publication of it says the same."""
    numbers = count()
    return tuple(
        _entry(next(numbers), event, day, f"{day}{name}", tuple(rules), is_apart=is_apart)
        for event, day, name, rules, is_apart in steps
    )


def _entry(number: int, event: Event, day: str, name: str, rules: tuple[str, ...], *, is_apart: bool) -> LedgerEntry:
    at = START + timedelta(hours=number)
    is_let_through = is_apart or event is not Event.DECIDED
    verdict = Verdict.PUBLISH_WITH_QUARANTINE if is_let_through else Verdict.REFUSE
    return LedgerEntry(
        event, "cases", "1.0.0", "d", day, name, "c", verdict if rules else Verdict.PUBLISH, "r", 9, at, at, received_at=START,
        breached=rules, reasons=rules, counts=dict.fromkeys(rules, number + 1), reference=f"T-{number}", by="c", sequence=number,
    )  # fmt: skip


def last_decisions(entries: tuple[LedgerEntry, ...]) -> list[LedgerEntry]:
    decided = [entry for entry in entries if entry.event is Event.DECIDED]
    return [
        one for one in decided if not any(o.submission == one.submission and o.sequence > one.sequence for o in decided)
    ]


def is_failed(decision: LedgerEntry, entries: tuple[LedgerEntry, ...]) -> bool:
    own = [entry for entry in entries if entry.submission == decision.submission]
    later = [entry for entry in own if entry.event is Event.FAILED and entry.sequence > decision.sequence]
    is_published = any(entry.event is Event.PUBLISHED for entry in own)
    return decision.verdict is not Verdict.REFUSE and bool(later) and not is_published


def is_shown_by(entry: LedgerEntry, own: list[LedgerEntry]) -> bool:
    """Published, or let through again while it is what its partition shows."""
    before = [e.submission for e in own if e.event is Event.PUBLISHED and e.sequence < entry.sequence]
    is_again = (
        entry.event is Event.DECIDED and entry.verdict is not Verdict.REFUSE and before[-1:] == [entry.submission]
    )
    return entry.event is Event.PUBLISHED or is_again


def resolved(entries: tuple[LedgerEntry, ...]) -> dict[str, tuple[int, list[float]]]:
    """By the definition: a breach begins with a decision that holds back where none of its rule and partition is open."""
    found: dict[str, tuple[int, list[float]]] = {}
    for rule in RULES:
        for day in {entry.partition for entry in entries}:
            own = [e for e in entries if e.partition == day]
            holding = [e for e in own if e.event is Event.DECIDED and rule in e.reasons]
            while holding:
                ends = [
                    e for e in own if is_shown_by(e, own) and rule not in e.reasons and e.sequence > holding[0].sequence
                ]
                open_, seconds = found.get(rule, (0, []))
                spent = [(ends[0].at - holding[0].at).total_seconds()] if ends else []
                found[rule] = (open_ + (not ends), seconds + spent)
                holding = [e for e in holding if ends and e.sequence > ends[0].sequence]
    return found


@BUDGET
@given(steps=st.lists(STEPS, max_size=25))
def test_submissions_and_refusals_are_those_of_the_last_decisions(steps: list[tuple[Any, ...]]) -> None:
    """[S1-032]"""
    entries = story(steps)
    last = last_decisions(entries)
    found = metrics_of(CONTRACT, entries, START + timedelta(days=9))
    told = ["failed" if is_failed(one, entries) else one.verdict.value for one in last]
    assert {name: number for name, number in found.submissions.items() if number} == {
        name: told.count(name) for name in told
    }
    refused = [rule for one in last if one.verdict is Verdict.REFUSE for rule in one.reasons]
    assert found.refused_by_rule == {rule: refused.count(rule) for rule in refused}
    assert {item.id: item.breaches for item in found.breaches} == {
        rule: sum(one.counts[rule] for one in last if rule in one.breached) for one in last for rule in one.breached
    }


@BUDGET
@given(steps=st.lists(STEPS, max_size=25))
def test_times_are_those_of_their_definitions(steps: list[tuple[Any, ...]]) -> None:
    """[S1-033] [S1-035]"""
    entries = story(steps)
    found = metrics_of(CONTRACT, entries, START + timedelta(days=9))
    published = [entry for entry in entries if entry.event is Event.PUBLISHED]
    first = {one.submission: min(o.at for o in published if o.submission == one.submission) for one in published}
    waited = [(at - START).total_seconds() for at in first.values()]
    assert (found.receipt_to_publication.count, found.receipt_to_publication.total) == (len(waited), sum(waited))
    told = {rule: (own.open, own.seconds.count, own.seconds.total) for rule, own in found.resolution_by_rule.items()}
    assert told == {rule: (open_, len(ended), sum(ended)) for rule, (open_, ended) in resolved(entries).items()}


@BUDGET
@given(steps=st.lists(STEPS, max_size=25))
def test_a_request_is_open_while_its_submission_is_the_last_of_its_partition(steps: list[tuple[Any, ...]]) -> None:
    """[S1-036]"""
    entries = story(steps)
    decided = {entry.submission for entry in entries if entry.event is Event.DECIDED}
    asked = [entry for entry in entries if entry.event is Event.REQUESTED and entry.submission in decided]
    last = {entry.partition: entry.submission for entry in entries if entry.event is Event.PUBLISHED}
    settled = [one for one in asked if last.get(one.partition) != one.submission]
    found = metrics_of(CONTRACT, entries, START + timedelta(days=9)).requests
    assert (found.open, found.settled) == (len(asked) - len(settled), len(settled))


@BUDGET
@given(steps=st.lists(STEPS, max_size=25), order=st.randoms(use_true_random=False))
def test_what_happened_to_one_partition_does_not_depend_on_the_others(steps: list[tuple[Any, ...]], order: Any) -> None:
    entries = story(steps)
    days = [[entry for entry in entries if entry.partition == day] for day in ("2026-10-01", "2026-10-02")]
    mixed: list[LedgerEntry] = []
    while any(days):
        mixed.append(order.choice([day for day in days if day]).pop(0))
    woven = tuple(replace(entry, sequence=place) for place, entry in enumerate(mixed))
    one, other = (metrics_of(CONTRACT, told, START + timedelta(days=9)) for told in (entries, woven))
    assert (one.submissions, one.resolution, one.refused_by_rule, one.requests) == (
        other.submissions, other.resolution, other.refused_by_rule, other.requests,
    )  # fmt: skip
