"""Which stored candidates may go, and that nothing goes that a publication or an open decision needs."""

from datetime import UTC, datetime, timedelta

import pytest

from contract_core.candidate.snapshot import load_candidate
from contract_core.operations.retention import plan_retention, remove
from contract_core.publication.publish import publish
from tests.test_the_path import CASES, GOOD, NOW, Walk

BAD = GOOD.replace("12", "-12")
LATER = NOW + timedelta(days=31)


@pytest.fixture
def walk(tmp_path):
    return Walk(tmp_path, CASES + "publication: {keep_candidates: 30d}\n")


def going(walk, at: datetime = LATER) -> list[str]:
    plan = plan_retention(walk.contract, walk.places.candidates, walk.ledger.entries(contract="cases"), at)
    return [stored.submission for stored in plan.removable]


def test_without_candidates_nothing_goes(walk):
    assert going(walk) == []


def test_a_refused_candidate_goes_when_it_is_older_than_the_contract_keeps_it(walk):
    """S1-071, S1-096"""
    candidate, _, _ = walk.judged(BAD)
    assert going(walk, NOW + timedelta(days=30)) == []
    assert going(walk) == [candidate.submission]


def test_what_the_table_shows_stays(walk):
    walk.published(GOOD)
    assert going(walk) == []


def test_an_accepted_candidate_that_waits_for_its_publication_stays(walk):
    walk.judged(GOOD)
    assert going(walk) == []


def test_a_candidate_that_was_never_decided_stays(walk):
    candidate, _, _ = walk.judged(BAD)
    plan = plan_retention(walk.contract, walk.places.candidates, (), LATER)
    assert ([stored.submission for stored in plan.kept], plan.removable) == ([candidate.submission], ())


def test_a_superseded_candidate_goes(walk):
    first = walk.published(GOOD)
    walk.published(GOOD.replace("12", "13"))
    assert going(walk) == [first.submission]


def test_without_a_stated_time_candidates_stay_for_thirty_days(tmp_path):
    walk = Walk(tmp_path)
    candidate, _, _ = walk.judged(BAD)
    assert going(walk, NOW + timedelta(days=29)) == []
    assert going(walk) == [candidate.submission]


def test_removing_takes_what_was_planned_and_nothing_else(walk):
    refused, _, _ = walk.judged(BAD)
    walk.published(GOOD)
    plan = plan_retention(walk.contract, walk.places.candidates, walk.ledger.entries(contract="cases"), LATER)
    remove(plan)
    remove(plan)
    assert not refused.path.exists()
    assert going(walk) == []
    kept = plan.kept[0].submission
    candidate = load_candidate(walk.places.candidates, "cases", kept)
    assert publish(walk.contract, candidate, walk.ledger, walk.store, LATER).already_published


def test_rows_that_another_record_names_stay(walk, tmp_path):
    """The same rows under two contract versions are two submissions; their file goes with the last of them."""
    refused, _, _ = walk.judged(BAD)
    record = refused.path.parent / f"{'f' * 64}.json"
    record.write_text(
        (refused.path.parent / f"{refused.submission}.json").read_text().replace(refused.submission, "f" * 64)
    )
    plan = plan_retention(walk.contract, walk.places.candidates, walk.ledger.entries(contract="cases"), LATER)
    assert (len(plan.removable), refused.path in plan.files, plan.size) == (1, False, 0)


def test_a_removed_candidate_is_taken_anew(walk):
    walk.judged(BAD)
    remove(plan_retention(walk.contract, walk.places.candidates, walk.ledger.entries(contract="cases"), LATER))
    again, _, decision = walk.judged(BAD)
    assert again.path.exists()
    assert decision.reasons == ("count.range",)


def test_a_file_that_is_no_record_of_ours_is_left_alone(walk):
    candidate, _, _ = walk.judged(BAD)
    stranger = candidate.path.parent / "notes.json"
    stranger.write_text("{}")
    remove(
        plan_retention(
            walk.contract,
            walk.places.candidates,
            walk.ledger.entries(contract="cases"),
            datetime(2030, 1, 1, tzinfo=UTC),
        )
    )
    assert stranger.exists()
