"""What the numbers of a contract mean, on short stories of the ledger."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.operations.metrics import ContractMetrics, RuleBreaches, Tally, Violations, metrics_of
from contract_core.operations.spread import Spread, spread_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry

TEXT = """\
contract: cases
version: "1.0.0"
key: [day]
fields: [{name: day, type: date}, {name: n, type: integer, min: 0, severity: {range: warn}}]
delivery: {partition: {column: day, every: day, start: 2026-10-01}MORE}
"""
NOON = datetime(2026, 10, 2, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PLAIN = parse_contract(TEXT.replace("MORE", ""), "c.yaml")
DUE = parse_contract(TEXT.replace("MORE", ', due: {by: "10:00", days_after: 1}'), "c.yaml")
FRESH = parse_contract(TEXT.replace("MORE", "") + "freshness: {column: day, max_age: 2d}\n", "c.yaml")
NOTHING = Spread()


def entry(event: Event, after: timedelta, submission: str = "a", **more: Any) -> LedgerEntry:
    known = LedgerEntry(
        event=event,
        contract="cases",
        version="1.0.0",
        contract_digest="d",
        partition="2026-10-01",
        submission=submission * 64,
        candidate_digest="c",
        verdict=Verdict.PUBLISH,
        report_digest="r",
        rows=10,
        as_of=NOON + after,
        at=NOON + after,
        received_at=NOON,
    )
    return replace(known, **more)


def refused(after: timedelta, submission: str = "a", *rules: str, **more: Any) -> LedgerEntry:
    rules = rules or ("key",)
    told = {"breached": rules, "reasons": rules, "counts": dict.fromkeys(rules, 2)} | more
    return entry(Event.DECIDED, after, submission, verdict=Verdict.REFUSE, **told)


def accepted(after: timedelta, submission: str = "a", **more: Any) -> LedgerEntry:
    return entry(Event.DECIDED, after, submission, **more)


def published(after: timedelta, submission: str = "a", **more: Any) -> LedgerEntry:
    return entry(Event.PUBLISHED, after, submission, **more)


def failed(after: timedelta, submission: str = "a") -> LedgerEntry:
    return entry(Event.FAILED, after, submission, reason="PublicationError")


def told(*entries: LedgerEntry, at: datetime = NOON + 9 * HOUR, contract: Any = PLAIN) -> ContractMetrics:
    return metrics_of(contract, tuple(replace(one, sequence=place) for place, one in enumerate(entries)), at)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param((), {}, id="nothing"),
        pytest.param((accepted(HOUR),), {"publish": 1}, id="accepted and not yet published"),
        pytest.param((accepted(HOUR), published(2 * HOUR)), {"publish": 1}, id="published once, not twice"),
        pytest.param((refused(HOUR), refused(2 * HOUR, "b")), {"refuse": 2}, id="two submissions"),
        pytest.param((refused(HOUR), accepted(2 * HOUR)), {"publish": 1}, id="the last decision counts"),
        pytest.param((accepted(HOUR), failed(2 * HOUR)), {"failed": 1}, id="failed"),
        pytest.param((accepted(HOUR), failed(2 * HOUR), published(3 * HOUR)), {"publish": 1}, id="failed and then published"),
        pytest.param((accepted(HOUR), published(2 * HOUR), refused(3 * HOUR)), {"refuse": 1}, id="refused when it was judged again"),
        pytest.param((accepted(HOUR, verdict=Verdict.PUBLISH_WITH_QUARANTINE),), {"publish_with_quarantine": 1}, id="quarantine"),
        pytest.param((accepted(10 * HOUR),), {}, id="what comes later is not known yet"),
    ],
)  # fmt: skip
def test_a_submission_counts_once_by_its_last_decision(
    entries: tuple[LedgerEntry, ...], expected: dict[str, int]
) -> None:
    """[S1-032]"""
    none = dict.fromkeys(("publish", "publish_with_quarantine", "refuse", "failed"), 0)
    assert told(*entries).submissions == none | expected


def test_a_refused_submission_counts_under_every_rule_that_held_it_back() -> None:
    """[S1-032]"""
    found = told(
        refused(HOUR, "a", "key", "row_count"), refused(2 * HOUR, "b"), refused(3 * HOUR, "c"), accepted(4 * HOUR, "c")
    )
    assert found.refused_by_rule == {"key": 2, "row_count": 1}


def test_breaches_are_those_of_the_last_decisions_in_the_order_of_the_contract() -> None:
    warned = {"breached": ("n.range",), "warned": ("n.range",), "counts": {"n.range": 5}}
    found = told(
        refused(HOUR, "a", "key", "gone.enum"),
        refused(2 * HOUR, "b"),
        accepted(3 * HOUR, "c", **warned),
        refused(4 * HOUR, "d", "row_count"),
        accepted(5 * HOUR, "d"),
    )
    assert found.breaches == (
        RuleBreaches("n.range", "range", "n", "warn", 1, 5),
        RuleBreaches("key", "key", None, "error", 2, 4),
        RuleBreaches("gone.enum", "enum", None, None, 1, 2),
    )


def test_violations_are_what_was_let_through_by_what_was_done_about_it() -> None:
    """[S3-031] One per breach under warn and quarantine; what was refused is none."""
    apart = {
        "breached": ("n.type", "n.range"),
        "reasons": ("n.type",),
        "warned": ("n.range",),
        "counts": {"n.type": 3, "n.range": 1},
    }
    found = told(
        accepted(HOUR, "a", verdict=Verdict.PUBLISH_WITH_QUARANTINE, **apart),
        accepted(2 * HOUR, "b", breached=("n.type",), warned=("n.type",), counts={"n.type": 4}),
        refused(3 * HOUR, "c", "n.type"),
    )
    assert found.violations == (
        Violations("n.range", "n", "warn", 1),
        Violations("n.type", "n", "quarantine", 3),
        Violations("n.type", "n", "warn", 4),
    )


def test_receipt_to_publication_is_told_of_the_first_publication_of_each_submission() -> None:
    """[S1-033]"""
    story = (published(HOUR), published(3 * HOUR, "b"), published(9 * HOUR), published(2 * HOUR, "c", received_at=None))
    assert told(*story).receipt_to_publication == Spread(2, 4 * 3600.0, 3600.0, 2 * 3600.0, 3 * 3600.0)


def seen(entry: LedgerEntry, newest: datetime) -> LedgerEntry:
    """The entry of a delivery whose newest event was then."""
    return replace(entry, event_age=int((entry.as_of - newest).total_seconds()))


@pytest.mark.parametrize(
    ("entries", "age"),
    [
        pytest.param((), None, id="nothing published"),
        pytest.param((accepted(HOUR),), None, id="accepted alone"),
        pytest.param((accepted(HOUR), published(HOUR)), DAY + 21 * HOUR, id="a day ages from its beginning"),
        pytest.param((accepted(HOUR), seen(published(HOUR), NOON - HOUR)), 10 * HOUR, id="the newest event as it was read"),
        pytest.param((accepted(HOUR), published(HOUR), refused(2 * HOUR, "b", partition="2026-10-02")), DAY + 21 * HOUR, id="a refusal makes nothing newer"),
        pytest.param(
            (accepted(HOUR), seen(published(HOUR), NOON), accepted(HOUR, "b"), seen(published(2 * HOUR, "b"), NOON - HOUR)), 10 * HOUR,
            id="a correction that took the newest event back",
        ),
    ],
)  # fmt: skip
def test_the_age_is_that_of_the_newest_event_that_consumers_see(
    entries: tuple[LedgerEntry, ...], age: timedelta | None
) -> None:
    """[S1-034]"""
    assert told(*entries).newest_event_age == (None if age is None else age.total_seconds())


def test_the_age_of_the_last_publication_is_another_number() -> None:
    """[S1-034]"""
    assert told(published(HOUR), published(2 * HOUR, "b")).newest_publication_age == 7 * 3600.0
    assert told(refused(HOUR)).newest_publication_age is None


@pytest.mark.parametrize(
    ("contract", "entries", "after", "is_stale"),
    [
        pytest.param(PLAIN, (published(HOUR),), 9 * DAY, None, id="no age is promised"),
        pytest.param(FRESH, (refused(HOUR),), 9 * DAY, None, id="nothing is published"),
        pytest.param(FRESH, (published(HOUR),), 12 * HOUR, False, id="just as old as promised"),
        pytest.param(FRESH, (published(HOUR),), 13 * HOUR, True, id="older"),
    ],
)
def test_it_is_stale_where_it_is_older_than_promised(
    contract: Any, entries: tuple[LedgerEntry, ...], after: timedelta, is_stale: bool | None
) -> None:
    """[S1-016]"""
    assert told(*entries, at=NOON + after, contract=contract).is_stale is is_stale


@pytest.mark.parametrize(
    ("entries", "open_", "seconds"),
    [
        pytest.param((), 0, [], id="nothing"),
        pytest.param((refused(HOUR),), 1, [], id="open"),
        pytest.param((refused(HOUR), accepted(2 * HOUR, "b")), 1, [], id="accepted and not published"),
        pytest.param((refused(HOUR), refused(2 * HOUR, "b"), published(4 * HOUR, "c")), 0, [3], id="from the first decision"),
        pytest.param((refused(HOUR), published(2 * HOUR, "b", partition="2026-10-02")), 1, [], id="another partition"),
        pytest.param((refused(HOUR), published(2 * HOUR, "b"), published(9 * HOUR, "c")), 0, [1], id="to the first publication"),
        pytest.param((refused(HOUR), published(2 * HOUR, "b"), refused(3 * HOUR, "c")), 1, [1], id="again"),
        pytest.param((refused(HOUR), published(2 * HOUR, "b", reasons=("key",)), published(5 * HOUR, "c")), 0, [4], id="kept apart is not resolved"),
        pytest.param((refused(HOUR, "a", "key", "row_count"), published(3 * HOUR, "b")), 0, [2, 2], id="two rules are two breaches"),
        pytest.param((refused(HOUR), refused(2 * HOUR, "b", partition="2026-10-02"), published(3 * HOUR, "c")), 1, [2], id="two partitions are two breaches"),
    ],
)  # fmt: skip
def test_a_breach_lasts_from_the_first_decision_that_is_held_back_to_the_publication_that_is_not(
    entries: tuple[LedgerEntry, ...], open_: int, seconds: list[int]
) -> None:
    """[S1-035]"""
    found = told(*entries).resolution
    assert (found.open, found.resolved, found.seconds) == (open_, len(seconds), spread_of(3600.0 * n for n in seconds))


def test_delivering_again_what_is_published_ends_a_breach() -> None:
    """[S1-035] A refused delivery that was sent once more by mistake; its correction, said again, publishes nothing anew."""
    story = (published(0 * HOUR, "b"), refused(HOUR, "a", "key"), accepted(3 * HOUR, "b"))
    found = told(*story).resolution
    assert (found.open, found.seconds.total) == (0, 2 * 3600.0)


def test_the_time_to_resolve_is_told_by_rule() -> None:
    """[S1-035]"""
    story = (
        refused(HOUR, "a", "row_count"),
        refused(2 * HOUR, "b", "key", "row_count"),
        published(4 * HOUR, "c", reasons=("key",)),
    )
    found = {rule: (own.open, own.resolved, own.seconds.total) for rule, own in told(*story).resolution_by_rule.items()}
    assert found == {"key": (1, 0, 0.0), "row_count": (0, 1, 3 * 3600.0)}


def test_incidents_are_counted_by_kind_and_state() -> None:
    found = told(refused(HOUR), published(2 * HOUR, "b"), refused(3 * HOUR, "c"), accepted(HOUR, "d", partition="p"))
    told_of = {kind: found.incidents[kind] for kind in ("refused", "failed", "overdue", "stale")}
    assert told_of == {"refused": Tally(1, 1), "failed": Tally(), "overdue": Tally(), "stale": Tally()}


def test_partitions_are_counted_by_state_where_they_are_due() -> None:
    """[S2-041]"""
    at = datetime(2026, 10, 3, 9, tzinfo=UTC)
    none = dict.fromkeys(("published", "late", "unpublished", "refused", "missing", "waiting"), 0)
    assert told(published(HOUR, received_at=NOON - 3 * HOUR, as_of=NOON), at=at, contract=DUE).partitions == none | {
        "published": 1, "waiting": 2,
    }  # fmt: skip
    assert told(published(HOUR)).partitions is None


def test_rows_in_quarantine_are_those_of_what_consumers_see() -> None:
    story = (
        published(HOUR, quarantined=4),
        published(2 * HOUR, "b", quarantined=1),
        published(3 * HOUR, "c", partition="p", quarantined=2),
    )
    decided = tuple(
        accepted(0 * HOUR, name, partition=part)
        for name, part in (("a", "2026-10-01"), ("b", "2026-10-01"), ("c", "p"))
    )
    assert told(*decided, *story).quarantined_rows == 3


def test_a_request_is_open_until_another_submission_is_published() -> None:
    """[S1-036]"""
    asked = entry(Event.REQUESTED, 2 * HOUR, by="weekly_report", reference="T-1")
    other = replace(asked, reference="T-2")
    first = (accepted(HOUR), published(HOUR), asked)
    second = (accepted(3 * HOUR, "b"), published(3 * HOUR, "b"))
    assert told(*first, other, published(3 * HOUR)).requests == Tally(2, 0)
    assert told(*first, *second, replace(other, submission="b" * 64)).requests == Tally(1, 1)
    assert told(*first, *second, published(4 * HOUR)).requests == Tally(1, 0)


def test_effort_is_that_of_the_last_decisions_and_of_the_publications() -> None:
    spent = {"take_seconds": 1.0, "validate_seconds": 2.0, "delivered_bytes": 10.0, "candidate_bytes": 5.0}
    found = told(
        accepted(0 * HOUR, "a", effort=spent),
        accepted(HOUR, "a", effort=spent | {"validate_seconds": 4.0}),
        published(2 * HOUR, "a", effort={"publish_seconds": 8.0}),
        accepted(3 * HOUR, "b", effort=spent),
    ).effort
    assert found["validate_seconds"] == Spread(2, 6.0, 2.0, 3.0, 4.0)
    assert (found["publish_seconds"].total, found["delivered_bytes"].total, found["take_seconds"].count) == (
        8.0,
        20.0,
        2,
    )


def test_judging_a_candidate_again_leaves_what_taking_it_cost() -> None:
    spent = {"take_seconds": 1.0, "take_peak_bytes": 9.0, "validate_seconds": 2.0, "delivered_bytes": 10.0}
    found = told(accepted(0 * HOUR, effort=spent), accepted(HOUR, effort={"validate_seconds": 4.0}), refused(2 * HOUR))
    assert (found.effort["take_seconds"], found.effort["delivered_bytes"].total) == (spread_of([1.0]), 10.0)
    assert (found.effort["validate_seconds"], found.effort["take_peak_bytes"].most) == (spread_of([4.0]), 9.0)


def test_what_a_stage_cost_last_is_told_beside_the_spread() -> None:
    found = told(
        accepted(0 * HOUR, "a", effort={"take_peak_bytes": 9.0, "take_rows_per_second": 5.0}),
        published(HOUR, "a", effort={"publish_peak_bytes": 7.0, "candidate_bytes": 3.0}),
        accepted(2 * HOUR, "b", effort={"take_peak_bytes": 4.0}),
    )
    assert found.last_effort == {"take_peak_bytes": 4.0, "take_rows_per_second": 5.0, "publish_peak_bytes": 7.0}
    assert (found.effort["take_peak_bytes"].most, found.effort["candidate_bytes"].count) == (9.0, 0)


def test_a_submission_whose_publication_failed_counts_none() -> None:
    failed = entry(Event.FAILED, HOUR, effort={"publish_seconds": 9.0})
    assert told(accepted(0 * HOUR), failed).effort["publish_seconds"] == NOTHING


def test_entries_from_before_effort_was_recorded_do_not_count_as_nothing() -> None:
    assert set(told(accepted(HOUR), published(2 * HOUR)).effort.values()) == {NOTHING}


def test_of_no_numbers_there_is_no_least_and_no_most() -> None:
    assert (spread_of(()), spread_of((3, 1))) == (NOTHING, Spread(2, 4.0, 1, 2.0, 3))
