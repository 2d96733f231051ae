"""Which stored candidates may go, and that nothing goes that a publication or an open decision needs."""

import json
from datetime import timedelta

import pytest

from contract_core.candidate.snapshot import load_candidate
from contract_core.errors import WrongUsageError
from contract_core.operations.cleaning import Kind, Why
from contract_core.operations.retention import remove
from contract_core.publication.publish import publish, publish_older
from contract_core.publication.submit import judge_again
from tests.operations.keeping import DAY, LATER, NOW, House, rows

GOOD, BETTER, BAD = rows(12, 3), rows(13, 3), rows(-12, 3)
MODES = ["replace_partition", "append", "upsert"]


@pytest.fixture
def house(tmp_path):
    return House(tmp_path, "{keep_candidates: 30d}")


def refused_before(house: House, at=NOW) -> str:
    """A refused candidate that another decision about its partition followed."""
    submission = house.judged(BAD, at).candidate.submission
    house.judged(rows(-1), NOW + timedelta(days=30))
    return submission


def test_without_candidates_nothing_goes(house):
    plan = house.plan(Kind.CANDIDATES)
    assert (plan.goes, plan.stays, plan.size, plan.files) == ((), 0, 0, ())


def test_a_refused_candidate_goes_when_it_is_older_than_the_contract_keeps_it(house):
    """S1-071, S1-096"""
    submission = refused_before(house)
    assert house.names(NOW + timedelta(days=30)) == set()
    assert [(item.name, item.why, item.partition, item.since) for item in house.going(Kind.CANDIDATES)] == [
        (submission, Why.REFUSED, DAY, NOW)
    ]


def test_refused_candidates_have_an_age_of_their_own(tmp_path):
    """S1-071: keep on reject, or a shorter time for what was rejected."""
    house = House(tmp_path, "{keep_candidates: 30d, keep_refused: 90d}")
    submission = refused_before(house)
    assert house.names() == set()
    assert house.names(NOW + timedelta(days=91)) == {submission}


def test_a_time_of_nothing_is_a_time(tmp_path):
    house = House(tmp_path, "{keep_candidates: 0d}")
    submission = refused_before(house)
    assert house.names(NOW + timedelta(seconds=1)) == {submission}


def test_the_newest_candidates_stay_however_old_they_are(tmp_path):
    """S1-071: count."""
    house = House(tmp_path, "{keep_newest: 2}")
    received = [house.published(rows(n), NOW + timedelta(days=n)).submission for n in range(4)]
    assert house.names(NOW + timedelta(days=400)) == set(received[:2])


@pytest.mark.parametrize("mode", MODES)
def test_what_the_table_shows_stays(tmp_path, mode):
    house = House(tmp_path, f"{{mode: {mode}}}")
    house.published(GOOD)
    house.judged(BAD)
    assert house.names() == set()


@pytest.mark.parametrize("mode", MODES)
def test_a_published_candidate_goes_once_another_publication_of_its_partition_followed(tmp_path, mode):
    """Where rows are added, it is never superseded; nobody reads it again all the same."""
    house = House(tmp_path, f"{{mode: {mode}}}")
    first = house.published(GOOD)
    house.published(rows(1, day="2026-10-02"), day="2026-10-02")
    assert house.names() == set()
    house.published(rows(5, first=7))
    assert [(item.name, item.why) for item in house.going(Kind.CANDIDATES)] == [(first.submission, Why.FOLLOWED)]


def test_what_waits_for_its_publication_stays(house):
    house.judged(GOOD)
    house.failed(house.judged(BETTER))
    house.judged(BAD)
    assert house.names() == set()
    assert house.plan(Kind.CANDIDATES).stays == 3


def test_a_candidate_that_was_never_decided_stays(house):
    house.taken(BAD)
    house.published(GOOD)
    assert house.names() == set()


def test_what_the_last_decision_of_a_partition_is_about_stays(house):
    """Judging it again loads it, and so does publishing what was decided last."""
    house.published(GOOD)
    last = house.judged(BAD).candidate.submission
    house.cleaned()
    assert judge_again(house.contract, DAY, house.places, LATER, LATER).candidate.submission == last


def test_an_older_publication_that_was_asked_for_again_stays(house):
    """S1-071: the table shows it once more, and a crash kept that from being recorded."""
    first = house.judged(GOOD)
    publish(house.contract, first.candidate, house.ledger, house.store, NOW)
    second = house.published(BETTER, NOW + timedelta(hours=1))
    again = house.judged(GOOD)
    assert house.names() == set()
    entries = house.ledger.entries("cases")
    publish_older(house.contract, again.candidate, house.ledger, house.store, NOW + timedelta(hours=2))
    house.judged(BAD)
    recorded = house.ledger.entries("cases")
    assert len(recorded) == len(entries) + 2
    assert house.names() == {second.submission}


def test_what_only_the_table_knows_to_be_shown_stays(house, monkeypatch):
    first = house.published(GOOD)
    house.published(BETTER)
    house.judged(BAD)
    assert house.names() == {first.submission}
    shown = type(house.store.current("cases", DAY))(9, int(first.submission[:16], 16) >> 1)
    monkeypatch.setattr(type(house.store), "current", lambda *_: shown)
    assert house.names() == set()


def test_without_a_stated_time_candidates_stay_for_thirty_days(tmp_path):
    house = House(tmp_path)
    submission = refused_before(house)
    assert house.names(NOW + timedelta(days=30)) == set()
    assert house.names() == {submission}


def test_removing_takes_what_was_planned_and_nothing_else(house):
    refused = house.judged(BAD).candidate
    kept = house.published(GOOD).submission
    plan = house.plan(Kind.CANDIDATES)
    assert (plan.size, plan.stays) == (refused.path.stat().st_size, 1)
    remove(plan, house.places)
    remove(plan, house.places)
    assert sorted(path.suffix for path in house.candidates.iterdir()) == [".json", ".parquet"]
    assert house.names() == set()
    candidate = load_candidate(house.places.candidates, "cases", kept)
    assert publish(house.contract, candidate, house.ledger, house.store, LATER).already_published


def test_rows_that_another_record_names_stay(house):
    """The same rows under two contract versions are two submissions; their file goes with the last of them."""
    refused = house.judged(BAD).candidate
    house.judged(GOOD)
    record = (house.candidates / f"{refused.submission}.json").read_text()
    (house.candidates / f"{'f' * 64}.json").write_text(record.replace(refused.submission, "f" * 64))
    plan = house.plan(Kind.CANDIDATES)
    assert (len(plan.goes), refused.path in plan.files, plan.size) == (1, False, 0)


@pytest.mark.parametrize("damage", ["", "{", "{}", "[]", '{"digest": 3}'])
def test_no_rows_go_while_a_record_cannot_be_read(house, damage):
    refused = house.judged(BAD).candidate
    house.judged(GOOD)
    (house.candidates / f"{'f' * 64}.json").write_text(damage)
    assert house.plan(Kind.CANDIDATES).files[1:] == (() if damage != '{"digest": 3}' else (refused.path,))


def test_a_removed_candidate_is_taken_anew(house):
    refused_before(house)
    house.cleaned()
    again = house.judged(BAD)
    assert again.candidate.path.exists()
    assert again.decision.reasons == ("count.range",)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"received_at": "2026-10-02T09:00:00"}, id="a moment without a zone"),
        pytest.param({"submission": "a" * 64}, id="another submission"),
        pytest.param({"digest": "../../ledger/x"}, id="another folder"),
        pytest.param({"digest": "0" * 64}, id="rows that are gone"),
    ],
)
def test_a_record_that_is_not_as_we_write_it_is_left_to_a_person(house, change):
    submission = refused_before(house)
    path = house.candidates / f"{submission}.json"
    record = json.loads(path.read_text()) | change
    path.unlink()
    path.write_text(json.dumps(record))
    assert house.names() == set()


def test_what_is_not_ours_is_left_alone(house):
    submission = refused_before(house)
    strangers = [house.candidates / "notes.json", house.candidates / "mine.parquet", house.places.candidates / "other"]
    for stranger in strangers[:2]:
        stranger.write_text("{}")
    (house.places.candidates / "other").mkdir()
    house.cleaned(NOW + timedelta(days=4000))
    assert all(stranger.exists() for stranger in strangers)
    assert not (house.candidates / f"{submission}.json").exists()


def test_a_file_that_may_not_be_removed_is_told_and_the_next_run_goes_on(house, monkeypatch):
    refused_before(house)
    plan = house.plan(Kind.CANDIDATES)
    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.unlink", _refused)
        with pytest.raises(WrongUsageError) as told:
            remove(plan, house.places)
    [problem] = told.value.problems
    assert (problem.where, problem.what) == (str(plan.files[0]), "cannot be removed: Operation not permitted")
    house.cleaned()
    assert not any(path.exists() for path in plan.files)


def _refused(*_, **__):
    raise PermissionError(1, "Operation not permitted")
