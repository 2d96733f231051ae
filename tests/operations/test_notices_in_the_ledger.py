"""Whoever reads the ledger learns the same of deliveries, whether people were told of incidents or not."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_core.contract.parsing import parse_contract
from contract_core.operations.deadlines import deadlines_of
from contract_core.operations.incidents import incidents_of
from contract_core.operations.quiet import quiet_of
from contract_core.operations.reconciled import current_publications, rows_recorded
from contract_core.operations.reconciliation import complete, reconcile_contract
from contract_core.operations.retention import plan_cleaning
from contract_core.operations.status import status_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.history import arrived_at, decisions
from contract_core.publication.publish import publish
from tests.operations.keeping import CASES, DAY, LATER, NOW, House, rows
from tests.operations.test_incidents import accepted, published, refused

HOUR = timedelta(hours=1)
DUE = CASES.replace("start: 2026-10-01}", 'start: 2026-10-01}, due: {by: "10:00", days_after: 1}')
CONTRACT = parse_contract(f"{DUE}freshness: {{column: day, max_age: 1d}}\n", "c.yaml")
WARNING = parse_contract(f"{CASES}enforcement: {{on_breach: warn}}\n", "c.yaml")
STORY = (refused(0 * HOUR), accepted(HOUR), published(2 * HOUR), refused(3 * HOUR, "c"), refused(30 * HOUR, "d"))
AT = NOW + 40 * HOUR
READERS = {
    "decisions": decisions,
    "arrival": arrived_at,
    "shown": current_publications,
    "rows": lambda entries: rows_recorded(entries, DAY),
    "status": lambda entries: status_of(CONTRACT, entries, AT),
    "deadlines": lambda entries: deadlines_of(CONTRACT, entries, AT),
    "incidents": lambda entries: incidents_of(CONTRACT, entries, AT),
    "quiet": lambda entries: quiet_of(WARNING, entries, AT),
}


def said(event: Event, after: timedelta, partition: str | None = DAY) -> LedgerEntry:
    """What the ledger holds of a message: nothing of a submission, though it needs words for all of it."""
    return LedgerEntry(
        event=event,
        contract="cases",
        version="1.0.0",
        contract_digest="d",
        partition=partition,
        submission="f" * 64,
        candidate_digest="",
        verdict=Verdict.REFUSE,
        report_digest="",
        rows=0,
        as_of=NOW - 99 * HOUR,
        at=NOW + after,
        by="contract-gate",
        reference="f:opened:1:team:shop",
    )


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@given(
    places=st.lists(st.integers(0, len(STORY)), max_size=5),
    event=st.sampled_from([Event.NOTIFIED, Event.NOT_NOTIFIED]),
    partition=st.sampled_from([DAY, "2026-10-03", None]),
)
def test_a_message_anywhere_in_the_ledger_changes_no_answer(reader, places, event, partition) -> None:
    story = list(STORY)
    for place in sorted(places, reverse=True):
        story.insert(place, said(event, place * HOUR, partition))
    assert reader(tuple(story)) == reader(STORY)


@pytest.fixture
def house(tmp_path: Path) -> House:
    """One published partition and one refused, of both of which messages stand in the ledger."""
    found = House(tmp_path)
    found.published(rows(1))
    found.judged(rows(-1), NOW + HOUR)
    for event in (Event.NOTIFIED, Event.NOT_NOTIFIED):
        for partition in (DAY, None, "2026-10-09"):
            found.ledger.append(said(event, 2 * HOUR, partition))
    return found


def test_table_and_ledger_agree_as_before(house: House) -> None:
    found = reconcile_contract(house.contract, house.places, LATER)
    assert (found.missing, found.differences) == ((), ())


def test_a_ledger_that_is_completed_keeps_what_people_were_told(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuilding adds the publications that are lacking behind what is there."""
    judged = house.judged(rows(5), NOW + 3 * HOUR)
    with monkeypatch.context() as patched:
        append = type(house.ledger).append
        patched.setattr(
            type(house.ledger),
            "append",
            lambda ledger, entry: entry if entry.event is Event.PUBLISHED else append(ledger, entry),
        )
        publish(judged.contract, judged.candidate, house.ledger, house.store, NOW + 3 * HOUR)
    before = house.ledger.entries()
    assert [
        entry.event for entry in complete(reconcile_contract(house.contract, house.places, LATER), house.ledger)
    ] == [Event.PUBLISHED]
    assert house.ledger.entries()[:-1] == before


def test_the_next_publication_of_such_a_partition_goes_its_way(house: House) -> None:
    assert house.published(rows(7), NOW + 3 * HOUR).rows == 1
    assert house.shown() == [7]


def test_cleaning_plans_the_same(house: House, tmp_path: Path) -> None:
    other = House(tmp_path / "other")
    other.published(rows(1))
    other.judged(rows(-1), NOW + HOUR)
    plans = [
        [(plan.kind, len(plan.goes), plan.stays) for plan in plan_cleaning(each.contract, each.places, LATER)]
        for each in (house, other)
    ]
    assert plans[0] == plans[1]


def test_a_message_is_read_back_as_it_was_written(house: House) -> None:
    (entry,) = [each for each in house.ledger.entries() if each.event is Event.NOTIFIED and each.partition is None]
    assert replace(entry, sequence=0, identity="") == said(Event.NOTIFIED, 2 * HOUR, None)
