"""Publishing: only what the last decision allows, exactly once, and recoverable wherever it stops."""

import shutil
from dataclasses import replace
from datetime import timedelta

import pytest
from deltalake import DeltaTable

from contract_core.contract.promises import Severity
from contract_core.errors import (
    CandidateAlteredError,
    GateClosedError,
    LedgerDamagedError,
    NotYetSupportedError,
    PublicationConflictError,
    PublicationError,
)
from contract_core.publication import publish as publish_module
from contract_core.publication import store as store_module
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.entry import Event
from contract_core.publication.history import Fate, decisions
from contract_core.publication.ledger import Ledger
from contract_core.publication.publish import publish, record_decision
from contract_core.publication.store import Store
from contract_core.validation.report import Outcome
from tests.publication.processes import at_once, run_until_killed
from tests.publication.samples import CASES, DAY, NOW, Site, contract_of, finding, report_of, rows
from tests.publication.unchanged import unchanged

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def site(tmp_path) -> Site:
    return Site(tmp_path)


def events(site: Site) -> list[str]:
    return [entry.event.value for entry in site.ledger.entries()]


def test_an_accepted_candidate_becomes_visible_and_recorded(site):
    record = site.accept(contract_of(), rows("a", "b"))
    assert len(site.shown()) == 2
    assert (record.table, record.table_version, record.rows, record.already_published) == (site.table(), 0, 2, False)
    assert events(site) == ["decided", "published"]


def test_publishing_twice_gives_the_same_record(site):
    contract = contract_of()
    first = site.accept(contract, rows("a"))
    with unchanged(site.table()):
        again = site.publish(contract, site.take(contract, rows("a")), LATER)
    assert again == first
    assert (first.already_published, again.already_published) == (False, True)
    assert events(site) == ["decided", "published"]


def test_nothing_is_published_without_a_decision(site):
    contract = contract_of()
    with unchanged(site.root / "published"), pytest.raises(GateClosedError, match="no decision was ever taken"):
        site.publish(contract, site.take(contract, rows("a")))
    assert events(site) == []


def test_a_decision_for_another_partition_opens_nothing(site):
    contract = contract_of()
    site.accept(contract, rows("a", day="2026-10-02"), "2026-10-02")
    with unchanged(site.table()), pytest.raises(GateClosedError, match="no decision was ever taken"):
        site.publish(contract, site.take(contract, rows("a")))


REFUSALS = {
    "broken": finding("n.range"),
    "unjudged": finding("n.type", Outcome.UNJUDGED),
}


@pytest.mark.parametrize("found", REFUSALS.values(), ids=REFUSALS)
def test_a_refused_candidate_changes_nothing_and_names_the_rule(site, found):
    contract = contract_of()
    site.accept(contract, rows("a"))
    candidate = site.take(contract, rows("b"))
    site.decide(contract, candidate, found)
    with unchanged(site.table()), pytest.raises(GateClosedError, match=f"refused \\({found.id}\\)"):
        site.publish(contract, candidate)
    assert [row[0] for row in site.shown()] == ["a"]


def test_a_refused_first_candidate_makes_no_table(site):
    contract = contract_of()
    candidate = site.take(contract, rows("b"))
    site.decide(contract, candidate, finding("n.range"))
    with unchanged(site.root / "published"), pytest.raises(GateClosedError):
        site.publish(contract, candidate)
    assert not site.table().exists()


def test_a_later_refusal_closes_the_gate_for_the_candidate_before(site):
    contract = contract_of()
    accepted, refused = site.take(contract, rows("a")), site.take(contract, rows("b"))
    site.decide(contract, accepted)
    site.decide(contract, refused, finding("n.range"))
    with pytest.raises(GateClosedError, match="about another submission"):
        site.publish(contract, accepted)
    site.decide(contract, accepted)
    site.publish(contract, accepted)
    assert [row[0] for row in site.shown()] == ["a"]


def test_a_candidate_judged_worse_later_is_closed_too(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate, finding("freshness"), at=LATER)
    with unchanged(site.table()), pytest.raises(GateClosedError, match="refused"):
        site.publish(contract, candidate)


ALTERED = {
    "another contract version": CASES.replace("1.0.0", "1.0.1"),
    "other terms under the same version": CASES.replace("type: integer", "type: integer, min: 0"),
}


@pytest.mark.parametrize("text", ALTERED.values(), ids=ALTERED)
def test_a_decision_under_another_contract_opens_nothing(site, text):
    contract = contract_of()
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate)
    with (
        unchanged(site.root / "published"),
        pytest.raises(GateClosedError, match="decided under contract version 1.0.0"),
    ):
        site.publish(contract_of(text), candidate)


def test_a_decision_about_another_candidate_of_the_submission_opens_nothing(site):
    contract = contract_of()
    candidate, other = site.take(contract, rows("a")), site.take(contract, rows("b"))
    site.decide(contract, candidate)
    forged = replace(other, submission=candidate.submission)
    with unchanged(site.root / "published"), pytest.raises(GateClosedError, match="candidate with digest"):
        site.publish(contract, forged)


@pytest.mark.parametrize(
    "act",
    [lambda path: path.write_bytes(path.read_bytes() + b" "), lambda path: path.unlink()],
    ids=["altered", "gone"],
)
def test_an_altered_candidate_is_refused(site, act):
    contract = contract_of()
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate)
    act(candidate.path)
    with unchanged(site.root / "published"), pytest.raises(CandidateAlteredError):
        site.publish(contract, candidate)


def test_a_report_about_something_else_is_not_recorded(site):
    contract = contract_of()
    candidate, other = site.take(contract, rows("a")), site.take(contract, rows("b"))
    report = report_of(contract, other)
    with pytest.raises(GateClosedError, match="about another candidate"):
        record_decision(contract, candidate, report, Decision(Verdict.PUBLISH), site.ledger, NOW)
    assert events(site) == []


def test_what_is_not_supported_is_refused_before_anything(site):
    contract = contract_of(CASES + "enforcement: {on_breach: quarantine}\n")
    with pytest.raises(NotYetSupportedError):
        publish(contract, site.take(contract, rows("a")), site.ledger, site.store, NOW)


def test_a_damaged_ledger_closes_the_gate(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    shutil.rmtree(site.ledger.root / "_delta_log")
    with unchanged(site.table()), pytest.raises(LedgerDamagedError):
        site.publish(contract, site.take(contract, rows("a")))


def test_a_superseded_submission_is_not_published_again(site):
    contract = contract_of()
    first = site.accept(contract, rows("a"))
    second = site.accept(contract, rows("b"))
    for _ in range(2):
        with unchanged(site.table()):
            again = site.accept(contract, rows("a"))
        assert (again.already_published, again.superseded_by, again.table_version) == (
            True,
            second.submission,
            first.table_version,
        )
    assert [row[0] for row in site.shown()] == ["b"]


def test_a_decision_tells_who_was_judged_when_and_with_what(site):
    contract = contract_of()
    candidate = site.take(contract, rows("a"))
    entry = site.decide(
        contract,
        candidate,
        finding("n.range"),
        finding("n.drift", severity=Severity.WARN),
        finding("n.type", Outcome.UNJUDGED),
    )
    assert entry == site.ledger.entries()[0]
    assert (entry.verdict, entry.breached, entry.unjudged, entry.warned) == (
        Verdict.REFUSE,
        ("n.range", "n.drift"),
        ("n.type",),
        ("n.drift",),
    )
    assert entry.counts == {"n.range": 3, "n.drift": 3}
    assert (entry.at, entry.as_of, entry.received_at, entry.rows) == (NOW, NOW, NOW, 1)
    assert set(entry.runtime) == {"python", "polars", "deltalake", "contract-gate"}


def test_a_failed_publication_is_recorded_by_its_class_alone(site, monkeypatch):
    contract = contract_of()
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate)

    def failing(*args, **kwargs):
        raise OSError("secret-value")

    with monkeypatch.context() as patched:
        patched.setattr(store_module, "write_deltalake", failing)
        for _ in range(2):
            with unchanged(site.root / "published"), pytest.raises(PublicationError):
                site.publish(contract, candidate)
    assert [(entry.event, entry.reason) for entry in site.ledger.entries()] == [
        (Event.DECIDED, None),
        (Event.FAILED, "PublicationError"),
    ]
    assert decisions(site.ledger.entries())[0].outcome is Fate.PUBLICATION_FAILED
    site.publish(contract, candidate)
    assert events(site) == ["decided", "failed", "published"]
    assert decisions(site.ledger.entries())[0].outcome is Fate.PUBLISHED


class Killed(BaseException):
    """The process ends here."""


def kill_before(monkeypatch, owner, name, matches=lambda *_: True):
    call = getattr(owner, name)

    def killed(*args, **kwargs):
        if matches(*args):
            raise Killed
        return call(*args, **kwargs)

    monkeypatch.setattr(owner, name, killed)


def kill_after(monkeypatch, owner, name, matches=lambda *_: True):
    call = getattr(owner, name)

    def killed(*args, **kwargs):
        answer = call(*args, **kwargs)
        if matches(*args):
            raise Killed
        return answer

    monkeypatch.setattr(owner, name, killed)


def is_publication(_, entry) -> bool:
    return entry.event is Event.PUBLISHED


STEPS = {
    "before verifying": (kill_before, publish_module, "verify", None),
    "after verifying": (kill_after, publish_module, "verify", None),
    "before the columns are compared": (kill_before, store_module, "prepare", None),
    "after the columns are compared": (kill_after, store_module, "prepare", None),
    "after the store answered": (kill_after, Store, "publish_partition", None),
    "before the record": (kill_before, Ledger, "append", is_publication),
    "after the record": (kill_after, Ledger, "append", is_publication),
}


@pytest.mark.parametrize("is_first", [True, False], ids=["first publication", "correction"])
@pytest.mark.parametrize("kill, owner, name, matches", STEPS.values(), ids=STEPS)
def test_a_run_that_stops_anywhere_is_completed_by_the_next(site, monkeypatch, kill, owner, name, matches, is_first):
    contract = contract_of()
    if not is_first:
        site.accept(contract, rows("z"))
    versions, records = (0, 2) if is_first else (1, 4)
    candidate = site.take(contract, rows("a", "b"))
    site.decide(contract, candidate)
    with monkeypatch.context() as patched:
        kill(patched, owner, name, *([matches] if matches else []))
        with pytest.raises(Killed):
            site.publish(contract, candidate)
    record = site.publish(contract, candidate, LATER)
    assert site.publish(contract, candidate, LATER) == record
    assert [row[0] for row in site.shown()] == ["a", "b"]
    assert (DeltaTable(site.table()).version(), record.table_version) == (versions, versions)
    assert len(site.ledger.entries()) == records


KILLED = """
import os, signal
from pathlib import Path
from contract_core.publication import store
from contract_core.publication.ledger import Ledger
from tests.publication.samples import Site, contract_of, rows
site, contract = Site(Path(FOLDER)), contract_of()
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
candidate = site.take(contract, rows("a", "b"))
site.decide(contract, candidate)
"""
DEATHS = {
    "between commit and record": (KILLED + "Ledger.append = die\n", True),
    "inside the store, after the commit": (KILLED + "store._version_shown = die\n", True),
    "before the commit": (KILLED + "store._properties = die\n", False),
}


@pytest.mark.parametrize("code, is_committed", DEATHS.values(), ids=DEATHS)
def test_a_killed_process_leaves_one_publication_and_one_record(site, code, is_committed):
    assert run_until_killed(code + "site.publish(contract, candidate)\n", site.root) == -9
    assert events(site) == ["decided"]
    assert site.table().joinpath("_delta_log", f"{0:020d}.json").exists() == is_committed
    contract = contract_of()
    record = site.publish(contract, site.take(contract, rows("a", "b")), LATER)
    assert record.already_published == is_committed
    assert events(site) == ["decided", "published"]
    assert len(site.shown()) == 2
    assert DeltaTable(site.table()).version() == 0


SWEPT = """
import signal
from pathlib import Path
from tests.publication.samples import Site, contract_of, rows
site, contract = Site(Path(FOLDER)), contract_of()
candidate = site.take(contract, rows("a", "b"))
signal.setitimer(signal.ITIMER_REAL, DELAY)
site.decide(contract, candidate)
site.publish(contract, candidate)
"""


@pytest.mark.parametrize("milliseconds", [5, 20, 40, 60, 80, 100, 130, 160, 200])
def test_a_process_that_ends_at_any_instant_leaves_nothing_that_the_next_run_cannot_complete(site, milliseconds):
    assert run_until_killed(SWEPT.replace("DELAY", str(milliseconds / 1000)), site.root) in (0, -14)
    record = site.accept(contract_of(), rows("a", "b"))
    assert events(site) == ["decided", "published"]
    assert len(site.shown()) == 2
    assert DeltaTable(site.table()).version() == record.table_version == 0


def test_a_crash_before_the_record_is_completed_by_the_successor_too(site, monkeypatch):
    contract = contract_of()
    first = site.take(contract, rows("a"))
    site.decide(contract, first)
    with monkeypatch.context() as patched:
        kill_before(patched, Ledger, "append", is_publication)
        with pytest.raises(Killed):
            site.publish(contract, first)
    second = site.accept(contract, rows("b"))
    assert [
        (entry.event.value, entry.table_version) for entry in site.ledger.entries() if entry.event is Event.PUBLISHED
    ] == [
        ("published", 0),
        ("published", 1),
    ]
    again = site.accept(contract, rows("a"))
    assert (again.superseded_by, again.already_published) == (second.submission, True)
    assert [row[0] for row in site.shown()] == ["b"]


def test_a_decision_taken_while_an_older_one_is_on_its_way_stops_it(site, monkeypatch):
    contract = contract_of()
    site.accept(contract, rows("z"))
    older, newer = site.take(contract, rows("older")), site.take(contract, rows("newer"))
    site.decide(contract, older)
    write, todo = store_module.write_deltalake, ["once"]

    def overtaken(*args, **kwargs):
        if todo:
            todo.pop()
            site.decide(contract, newer)
            site.publish(contract, newer)
        return write(*args, **kwargs)

    monkeypatch.setattr(store_module, "write_deltalake", overtaken)
    with pytest.raises(GateClosedError, match="about another submission"):
        site.publish(contract, older)
    assert [row[0] for row in site.shown()] == ["newer"]


RACE = """
from pathlib import Path
from contract_core.errors import GateClosedError, PublicationConflictError
from tests.publication.samples import Site, contract_of, rows
site, contract = Site(Path(FOLDER)), contract_of()
candidate = site.take(contract, FRAME, PARTITION)
ready()
try:
    site.decide(contract, candidate)
    site.publish(contract, candidate)
except GateClosedError:
    raise SystemExit(3)
except PublicationConflictError:
    raise SystemExit(4)
"""
SAME = RACE.replace("FRAME", 'rows("a", "b")').replace("PARTITION", '"2026-10-01"')
RIVALS = RACE.replace("FRAME", 'rows(f"r{NUMBER}")').replace("PARTITION", '"2026-10-01"')
NEIGHBOURS = RACE.replace("FRAME", 'rows("a", day=f"2026-10-0{NUMBER + 1}")').replace(
    "PARTITION", 'f"2026-10-0{NUMBER + 1}"'
)


@pytest.mark.parametrize("is_first", [True, False], ids=["first publication", "correction"])
def test_four_processes_with_one_submission_publish_it_once(site, is_first):
    if not is_first:
        site.accept(contract_of(), rows("z"))
    before = len(site.ledger.entries())
    assert at_once(4, SAME, site.root) == [0, 0, 0, 0]
    assert [row[0] for row in site.shown()] == ["a", "b"]
    assert DeltaTable(site.table()).version() == (0 if is_first else 1)
    assert len(site.ledger.entries()) == before + 2


@pytest.mark.parametrize("is_first", [True, False], ids=["first publication", "correction"])
def test_of_four_rival_submissions_the_last_decided_is_shown_whole(site, is_first):
    if not is_first:
        site.accept(contract_of(), rows("z"))
    codes = at_once(4, RIVALS, site.root)
    assert set(codes) <= {0, 3}
    last = site.ledger.latest_decision("cases", DAY)
    published = [entry for entry in site.ledger.entries() if entry.event is Event.PUBLISHED]
    assert published[-1].submission == last.submission
    assert len(site.shown()) == 1
    assert len(published) - (0 if is_first else 1) == codes.count(0)
    assert [entry.table_version for entry in published] == list(range(len(published)))


def test_four_neighbouring_partitions_are_all_published(site):
    assert at_once(4, NEIGHBOURS, site.root) == [0, 0, 0, 0]
    assert len(site.shown()) == 4
    assert len({row[1] for row in site.shown()}) == 4
    assert len(decisions(site.ledger.entries())) == 4


def test_a_conflict_is_recorded_and_can_be_tried_again(site, monkeypatch):
    contract = contract_of()
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate)

    def losing(*_):
        raise PublicationConflictError

    with monkeypatch.context() as patched:
        patched.setattr(Store, "publish_partition", losing)
        with pytest.raises(PublicationConflictError):
            site.publish(contract, candidate)
    assert site.ledger.entries()[-1].reason == "PublicationConflictError"
    assert site.publish(contract, candidate).table_version == 0
