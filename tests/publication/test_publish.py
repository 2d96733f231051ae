"""Publishing: only what the last decision allows, exactly once, and recoverable wherever it stops."""

import json
import shutil
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

import pytest

from contract_core.contract.promises import Severity
from contract_core.errors import (
    CandidateAlteredError,
    GateClosedError,
    LedgerDamagedError,
    NotYetSupportedError,
    OlderSubmissionError,
    PublicationConflictError,
    PublicationError,
)
from contract_core.publication import commits as commits_module
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.entry import Event
from contract_core.publication.history import Fate, decisions
from contract_core.publication.ledger import Ledger
from contract_core.publication.publish import publish, publish_older, record_decision
from contract_core.publication.store import Store
from contract_core.validation.report import Outcome
from tests.publication.samples import CASES, NOW, contract_of, events, finding, publications, report_of, rows
from tests.publication.unchanged import nothing_shown, unchanged

LATER = NOW + timedelta(hours=1)


def test_an_accepted_candidate_becomes_visible_and_recorded(site):
    record = site.accept(contract_of(), rows("a", "b"))
    assert len(site.shown()) == 2
    (version,) = publications(site.table())
    assert (record.table, record.table_version) == (site.table(), version)
    assert (record.rows, record.already_published) == (2, False)
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
    """[S3-030] What is running counts: the version that was decided under must be the one that publishes."""
    contract = contract_of()
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate)
    with (
        unchanged(site.root / "published"),
        pytest.raises(GateClosedError, match="decided under contract version"),
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
    contract = contract_of(CASES + "  parts: {from: file, required_file: x.csv}\n")
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
        patched.setattr(commits_module, "write_deltalake", failing)
        for _ in range(2):
            with nothing_shown(site.table()), pytest.raises(PublicationError):
                site.publish(contract, candidate)
        with unchanged(site.table()), pytest.raises(PublicationError):
            site.publish(contract, candidate)
    assert [(entry.event, entry.reason) for entry in site.ledger.entries()] == [
        (Event.DECIDED, None),
        (Event.FAILED, "PublicationError"),
    ]
    assert decisions(site.ledger.entries())[0].outcome is Fate.PUBLICATION_FAILED
    site.publish(contract, candidate)
    assert events(site) == ["decided", "failed", "published"]
    assert decisions(site.ledger.entries())[0].outcome is Fate.PUBLISHED


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
    assert (site.publish(contract, candidate).table_version,) == publications(site.table())


def test_a_crash_while_going_back_to_an_older_submission_is_completed(site):
    """S1-093: the second publication of one submission is recorded like any other."""
    contract = contract_of()
    first = site.take(contract, rows("a"))
    site.decide(contract, first)
    site.publish(contract, first)
    site.accept(contract, rows("b"))
    site.decide(contract, first)
    with pytest.raises(KeyboardInterrupt), dies_before_recording():
        publish_older(contract, first, site.ledger, site.store, NOW)
    again = site.publish(contract, first)
    assert (again.already_published, again.superseded_by) == (True, None)
    assert [record.superseded_by is None for record in decisions(site.ledger.entries())] == [True, False]
    assert [row[0] for row in site.shown()] == ["a"]


def test_an_older_submission_stays_older_when_it_is_taken_anew(site):
    """S1-068: the ledger knows when it was received first, whatever became of the candidate since."""
    contract = contract_of()
    first = received(site, site.take(contract, rows("a")), NOW)
    site.decide(contract, first)
    second = received(site, site.take(contract, rows("b")), NOW + timedelta(minutes=1))
    site.decide(contract, second)
    site.publish(contract, second)
    anew = received(site, first, LATER)
    site.decide(contract, anew)
    with pytest.raises(OlderSubmissionError):
        site.publish(contract, anew)
    assert [row[0] for row in site.shown()] == ["b"]


def received(site, candidate, moment):
    """The candidate, as if it had been taken at that moment."""
    candidate.path.with_name(f"{candidate.submission}.json").write_text(json.dumps({"received_at": moment.isoformat()}))
    return candidate


@contextmanager
def dies_before_recording():
    """The process ends between commit and record."""
    append = Ledger.append

    def appended(ledger, entry):
        if entry.event is Event.PUBLISHED:
            raise KeyboardInterrupt
        return append(ledger, entry)

    with patch.object(Ledger, "append", appended):
        yield
