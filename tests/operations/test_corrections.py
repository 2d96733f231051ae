"""What people say of a publication: recorded once, open until another submission is published, and no reader of the ledger minds."""

from dataclasses import replace
from datetime import timedelta

import pytest

from contract_core.errors import WrongUsageError
from contract_core.operations.corrections import LONGEST, confirm_publication, request_correction
from contract_core.operations.deadlines import deadlines_of
from contract_core.operations.incidents import incidents_of
from contract_core.operations.quiet import quiet_of
from contract_core.operations.reconciled import reconcile
from contract_core.operations.reconciliation import complete, reconcile_contract
from contract_core.operations.retention import plan_cleaning
from contract_core.operations.status import status_of
from contract_core.publication.entry import Event
from contract_core.publication.history import Remark, arrived_at, decisions
from contract_core.publication.publish import publish_older
from contract_core.publication.submit import publish_judged
from contract_core.rendering.history import decision_document, status_document
from contract_core.rendering.remarks import request_lines
from contract_core.rendering.stories import story_lines
from tests.publication.correcting import CASES, FIRST, NOW, SECOND, Desk, lines

OWNED = CASES + "owners: {producer: {name: onboarding}, consumers: [{name: weekly_report}, {name: map}]}\n"
WATCHED = OWNED.replace("start: 2026-10-01}", 'start: 2026-10-01}, due: {by: "09:00", days_after: 1}').replace(
    "rows: {min: 0}", "freshness: {column: day, max_age: 3d}"
)
ALL = ["replace_partition", "upsert", "append"]


def said(by="weekly_report", reference="T-1", hours=9) -> Remark:
    return Remark(by, reference, NOW + timedelta(hours=hours))


def requested(desk, partition=FIRST, remark=None):
    return request_correction(desk.contract, partition, remark or said(), desk.ledger)


def confirmed(desk, partition=FIRST, remark=None):
    return confirm_publication(desk.contract, partition, remark or said(reference="run-7"), desk.ledger)


def open_requests(desk):
    return [
        (record.partition, request.reference)
        for record in decisions(desk.ledger.entries())
        for request in record.requests
        if request.is_open
    ]


@pytest.fixture
def desk(tmp_path) -> Desk:
    """One published partition."""
    desk = Desk.of(tmp_path, OWNED)
    desk.published(lines(NL=1, BE=2))
    return desk


def test_a_request_and_a_confirmation_stand_in_the_ledger_with_the_publication_they_are_about(desk):
    """[S1-036]"""
    published = desk.ledger.entries()[-1]
    requested(desk)
    confirmed(desk)
    asked, agreed = desk.ledger.entries()[-2:]
    assert (asked.event, asked.by, asked.reference, asked.at) == (
        Event.REQUESTED, "weekly_report", "T-1", NOW + timedelta(hours=9),
    )  # fmt: skip
    assert (agreed.event, agreed.by, agreed.reference) == (Event.CONFIRMED, "weekly_report", "run-7")
    assert {entry.submission for entry in (asked, agreed)} == {published.submission}


def test_what_was_measured_stands_with_the_publication_alone(desk):
    desk.published(lines(NL=3))
    requested(desk)
    published, asked = desk.ledger.entries()[-2:]
    assert (published.restated["keys_restated"], asked.restated, asked.profile, asked.effort) == (1, {}, {}, {})


@pytest.mark.parametrize("say", [requested, confirmed], ids=["request", "confirm"])
def test_the_same_said_twice_is_one_entry(desk, say):
    """[S1-036]"""
    first, again = say(desk, remark=said(hours=5)), say(desk, remark=said(hours=6))
    assert (first.is_new, again.is_new, again.entry) == (True, False, first.entry)
    assert len(desk.ledger.entries()) == 3


def test_another_reference_or_another_person_says_something_else(desk):
    told = [
        requested(desk, remark=remark) for remark in (said(), said(reference="T-2"), said("map"), said("onboarding"))
    ]
    assert [recorded.is_new for recorded in told] == [True] * 4


@pytest.mark.parametrize("mode", ALL)
def test_a_request_is_open_until_another_submission_of_the_partition_is_published(tmp_path, mode):
    """[S1-036] Nothing else closes it: not another partition, a refusal, or the same delivery again."""
    desk = Desk.of(tmp_path, OWNED + f"publication: {{mode: {mode}}}\n")
    shown = desk.published(lines(NL=1))
    requested(desk)
    desk.published(lines(SECOND, NL=1), SECOND)
    publish_judged(shown, desk.places, desk.at)
    desk.judged(lines(BE=-1))
    assert open_requests(desk) == [(FIRST, "T-1")]
    desk.published(lines(BE=2))
    assert open_requests(desk) == []


def test_a_request_is_open_again_where_one_goes_back_to_what_should_be_corrected(tmp_path):
    desk = Desk.of(tmp_path, OWNED)
    first = desk.published(lines(NL=1))
    requested(desk)
    desk.published(lines(NL=2))
    desk.hours = 0
    again = desk.judged(lines(NL=1))
    assert (again.candidate.submission, open_requests(desk)) == (first.candidate.submission, [])
    publish_judged(again, desk.places, desk.at, publish_older)
    assert open_requests(desk) == [(FIRST, "T-1")]


def test_of_a_correction_itself_another_one_can_be_asked(desk):
    requested(desk)
    desk.published(lines(NL=2))
    assert requested(desk).is_new
    assert open_requests(desk) == [(FIRST, "T-1")]


@pytest.mark.parametrize("say", [requested, confirmed], ids=["request", "confirm"])
@pytest.mark.parametrize("partition", [SECOND, "2026-10-03"], ids=["refused", "never delivered"])
def test_of_what_is_not_published_nothing_can_be_said(desk, say, partition):
    """[S1-036]"""
    desk.judged(lines(SECOND, NL=-1), SECOND)
    before = desk.ledger.entries()
    with pytest.raises(WrongUsageError, match=f"cases/{partition}: nothing of it is published"):
        say(desk, partition)
    assert desk.ledger.entries() == before


def test_a_table_without_partitions_is_spoken_of_as_a_whole(tmp_path):
    text = "\n".join(line for line in OWNED.splitlines() if not line.startswith("delivery"))
    desk = Desk.of(tmp_path, text)
    desk.published(lines(NL=1), None)
    assert requested(desk, None).entry.partition is None
    with pytest.raises(WrongUsageError):
        requested(desk, FIRST)


@pytest.mark.parametrize(
    ("say", "by", "hint"),
    [
        pytest.param(requested, "weekly_repot", "did you mean 'weekly_report'? known: onboarding, weekly_report, map", id="misspelt"),
        pytest.param(confirmed, "onboarding", "known: weekly_report, map", id="a producer confirms nothing"),
        pytest.param(requested, "somebody", "known: onboarding, weekly_report, map", id="unknown"),
    ],
)  # fmt: skip
def test_those_speak_whom_the_contract_names(desk, say, by, hint):
    """[S1-036]"""
    with pytest.raises(WrongUsageError) as refused:
        say(desk, remark=said(by))
    assert refused.value.problems[0].hint == hint


def test_where_a_contract_names_nobody_anyone_speaks(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1))
    assert requested(desk, remark=said("anyone")).is_new


@pytest.mark.parametrize(
    "text",
    ["", " ", " T-1", "T-1\n", "T-1 ", "T\n1", "T\t1", "T\x1b[31m1", "T\u20281", "x" * (LONGEST + 1)],
    ids=repr,
)
@pytest.mark.parametrize("place", ["by", "reference"])
def test_a_name_is_one_short_printable_text(tmp_path, place, text):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1))
    with pytest.raises(WrongUsageError, match=f"--{place}: "):
        requested(desk, remark=replace(said(), **{place: text}))


@pytest.mark.parametrize("reference", ["x" * LONGEST, "Zug 4711/b", "#12", "Ü"], ids=str)
def test_a_reference_takes_names_of_tickets_and_runs(desk, reference):
    assert requested(desk, remark=said(reference=reference)).entry.reference == reference


def test_story_and_status_show_an_open_request(desk):
    """[S1-036]"""
    requested(desk)
    confirmed(desk, remark=said("map", "run-7", 10))
    records = decisions(desk.ledger.entries())
    assert list(story_lines(records))[-2:] == [
        "    requested   2026-10-03 18:00:00Z  a correction, by weekly_report (T-1); open",
        "    confirmed   2026-10-03 19:00:00Z  by map (run-7)",
    ]
    status = status_of(desk.contract, desk.ledger.entries(), desk.at)
    assert list(request_lines(status.requested))[-1] == (
        "    correction of 2026-10-01 requested by weekly_report (T-1) at 2026-10-03 18:00:00Z, open"
    )


def test_documents_list_requests_and_confirmations(desk):
    """[S1-036]"""
    requested(desk)
    confirmed(desk)
    [record] = decisions(desk.ledger.entries())
    asked = {"by": "weekly_report", "reference": "T-1", "at": "2026-10-03T18:00:00+00:00"}
    shown = decision_document(record)
    assert (shown["requests"], shown["confirmations"]) == ([asked | {"open": True}], [asked | {"reference": "run-7"}])
    status = status_document(status_of(desk.contract, desk.ledger.entries(), desk.at))
    assert status["requests"] == [{"partition": FIRST, "submission": record.submission, **asked}]


def test_a_request_that_was_met_is_shown_as_such_and_no_longer_in_the_status(desk):
    requested(desk)
    desk.published(lines(NL=2))
    told = "\n".join(story_lines(decisions(desk.ledger.entries())))
    assert "a correction, by weekly_report (T-1); another submission was published since" in told
    assert status_of(desk.contract, desk.ledger.entries(), desk.at).requested == ()


@pytest.fixture
def watched(tmp_path) -> Desk:
    """A contract with everything that readers of the ledger ask for: deadline, freshness, a refusal and a correction."""
    desk = Desk.of(tmp_path, WATCHED + "enforcement: {on_breach: warn}\n")
    desk.published(lines(NL=1))
    desk.judged("region,day\n")
    desk.published(lines(NL=2))
    desk.published(lines(SECOND, NL=2), SECOND)
    return desk


def without_remarks(record):
    return replace(record, requests=(), confirmations=())


READERS = {
    "decisions": lambda desk: [without_remarks(record) for record in decisions(desk.ledger.entries())],
    "status": lambda desk: replace(
        status_of(desk.contract, desk.ledger.entries(), desk.at + timedelta(days=9)), requested=(), newest=None
    ),
    "arrival": lambda desk: arrived_at(desk.ledger.entries("cases", FIRST)),
    "deadlines": lambda desk: deadlines_of(desk.contract, desk.ledger.entries(), desk.at + timedelta(days=9)),
    "incidents": lambda desk: incidents_of(desk.contract, desk.ledger.entries(), desk.at + timedelta(days=9)),
    "quiet": lambda desk: quiet_of(desk.contract, desk.ledger.entries(), desk.at + timedelta(days=9)),
    "retention": lambda desk: [
        (plan.kind, plan.goes, plan.stays)
        for plan in plan_cleaning(desk.contract, desk.places, desk.at + timedelta(days=90))
    ],
    "one partition against the table": lambda desk: reconcile(desk.contract, FIRST, desk.places),
    "ledger and table": lambda desk: [
        getattr(reconcile_contract(desk.contract, desk.places, desk.at), name) for name in ("missing", "differences")
    ],
    "the last decision": lambda desk: desk.ledger.latest_decision("cases", FIRST),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_what_people_say_changes_no_other_answer(watched, reader):
    """[S1-036] Whoever reads the ledger for what was decided and published reads the same as before."""
    before = reader(watched)
    for partition in (FIRST, SECOND):
        requested(watched, partition)
        confirmed(watched, partition)
    assert (len(watched.ledger.entries()), reader(watched)) == (11, before)


def test_publishing_the_same_again_after_a_request_is_still_one_publication(desk):
    requested(desk)
    before = desk.ledger.entries()
    desk.hours = 0
    desk.published(lines(NL=1, BE=2))
    assert desk.ledger.entries() == before


def test_a_ledger_that_is_completed_keeps_what_people_said(desk, monkeypatch):
    """[S1-036] The publication that reconciling finds closes the request, as its own record would have."""
    requested(desk)
    said_before = desk.ledger.entries()
    judged = desk.judged(lines(NL=2))
    append = type(desk.ledger).append
    kept = lambda ledger, entry: entry if entry.event is Event.PUBLISHED else append(ledger, entry)  # noqa: E731
    monkeypatch.setattr(type(desk.ledger), "append", kept)
    publish_judged(judged, desk.places, desk.at)
    monkeypatch.undo()
    assert open_requests(desk) == [(FIRST, "T-1")]
    [added] = complete(reconcile_contract(desk.contract, desk.places, desk.at + timedelta(days=9999)), desk.ledger)
    assert (added.event, added.by, added.reference) == (Event.PUBLISHED, None, None)
    assert desk.ledger.entries()[: len(said_before)] == said_before
    assert open_requests(desk) == []
