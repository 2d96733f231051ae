"""The ledger's events as one record per submission."""

from dataclasses import replace
from datetime import timedelta

import pytest

from contract_core.contract.promises import Severity
from contract_core.errors import GateClosedError
from contract_core.publication.decision import Verdict
from contract_core.publication.history import Fate, decisions
from contract_core.validation.report import Outcome
from tests.publication.samples import DAY, NOW, contract_of, finding, publications, rows


def test_no_entries_are_no_decisions():
    assert decisions(()) == ()


def test_each_fate_is_told_apart(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    refused, accepted = site.take(contract, rows("b")), site.take(contract, rows("c"))
    site.decide(contract, refused, finding("n.range"), finding("n.type", Outcome.UNJUDGED))
    site.decide(contract, accepted, finding("n.drift", severity=Severity.WARN))
    published, stopped, waiting = decisions(site.ledger.entries())
    (version,) = publications(site.table())
    assert (published.outcome, published.table_version, published.published_at) == (Fate.PUBLISHED, version, NOW)
    assert (stopped.outcome, stopped.decision, stopped.rules) == (Fate.REFUSED, Verdict.REFUSE, ("n.range", "n.type"))
    assert (waiting.outcome, waiting.rules, waiting.warnings) == (Fate.ACCEPTED, (), ("n.drift",))
    assert {record.partition for record in (published, stopped, waiting)} == {DAY}
    assert (stopped.received_at, stopped.decided_at, stopped.published_at) == (NOW, NOW, None)


def test_a_submission_is_superseded_by_the_next_publication_of_its_partition(site):
    contract = contract_of()
    first = site.accept(contract, rows("a"))
    other = site.accept(contract, rows("a", day="2026-10-02"), "2026-10-02")
    second, third = site.accept(contract, rows("b")), site.accept(contract, rows("c"))
    found = {record.submission: record.superseded_by for record in decisions(site.ledger.entries())}
    assert found == {
        first.submission: second.submission,
        other.submission: None,
        second.submission: third.submission,
        third.submission: None,
    }


def test_a_submission_decided_again_stands_where_it_was_decided_first_with_its_last_decision(site):
    contract = contract_of()
    first, second = site.take(contract, rows("a")), site.take(contract, rows("b"))
    site.decide(contract, first, finding("freshness"))
    site.decide(contract, second)
    site.decide(contract, first, at=NOW + timedelta(hours=1))
    records = decisions(site.ledger.entries())
    assert [record.submission for record in records] == [first.submission, second.submission]
    assert (records[0].outcome, records[0].rules, records[0].decided_at) == (
        Fate.ACCEPTED,
        (),
        NOW + timedelta(hours=1),
    )


def test_a_published_submission_stays_published_when_a_recheck_refuses_it(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate, finding("freshness"))
    with pytest.raises(GateClosedError):
        site.publish(contract, candidate)
    record = decisions(site.ledger.entries())[0]
    assert (record.outcome, record.decision, record.rules) == (Fate.PUBLISHED, Verdict.REFUSE, ("freshness",))


class Walked(tuple):
    """Entries that count how often somebody walks over all of them."""

    __slots__ = ()
    walks = 0

    def __iter__(self):
        Walked.walks += 1
        return super().__iter__()


def test_a_long_ledger_is_walked_no_more_often_than_a_short_one(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    entries = site.ledger.entries()
    many = [replace(entry, submission=f"{number}", sequence=number) for number in range(200) for entry in entries]
    walks = []
    for told in (entries, many):
        Walked.walks = 0
        decisions(Walked(told))
        walks.append(Walked.walks)
    assert walks[0] == walks[1]
