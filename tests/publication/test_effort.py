"""What a judgement and a publication cost stands in the report, the ledger and the documents; it decides nothing."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.environment import Environment
from contract_core.errors import PublicationError
from contract_core.publication.entry import Event, latest
from contract_core.publication.ledger import Ledger
from contract_core.publication.store import Store
from contract_core.publication.submit import judge_again, publish_judged, take_and_decide
from tests.commands import Run, written
from tests.publication.samples import DAY, NOW, contract_of

TEXT = "region,day,n\nNL,2026-10-01,1\n"
CONTRACT = contract_of().model_copy(
    update={"delivery": contract_of().delivery.model_copy(update={"format": contract_of().delivery.format.model_copy(update={"type": "csv"})})}
)  # fmt: skip
JUDGED = {"take_seconds", "validate_seconds", "delivered_bytes", "candidate_bytes"}


@pytest.fixture
def environment(tmp_path):
    written(tmp_path, cases_csv=TEXT)
    return Environment.at(tmp_path / "data")


def taken(environment, tmp_path):
    return take_and_decide(CONTRACT, collect_delivery(CONTRACT, [tmp_path / "cases.csv"], DAY), environment, NOW, NOW)


def entries(environment, event):
    return [entry for entry in Ledger(environment.ledger).entries() if entry.event is event]


def test_a_judgement_says_what_it_cost(environment, tmp_path):
    judged = taken(environment, tmp_path)
    assert set(judged.report.effort) == JUDGED
    assert judged.report.effort["delivered_bytes"] == len(TEXT)
    assert judged.report.effort["candidate_bytes"] == judged.candidate.path.stat().st_size
    assert judged.report.effort["validate_seconds"] > 0
    (decided,) = entries(environment, Event.DECIDED)
    assert decided.effort == judged.report.effort


def test_a_manifest_belongs_to_the_bytes_of_a_delivery(environment, tmp_path):
    promised = CONTRACT.model_copy(update={"delivery": CONTRACT.delivery.model_copy(update={"manifest": "optional"})})
    written(tmp_path, _manifest_json=json.dumps({"contract": "cases"}))
    delivery = collect_delivery(promised, [tmp_path / "cases.csv"], DAY)
    judged = take_and_decide(promised, delivery, environment, NOW, NOW)
    assert judged.report.effort["delivered_bytes"] == len(TEXT) + len('{"contract": "cases"}')


def test_what_it_cost_is_none_of_what_was_found(environment, tmp_path):
    report = taken(environment, tmp_path).report
    assert replace(report, effort={"take_seconds": 9.0}).digest == report.digest
    again = taken(environment, tmp_path)
    assert (again.report.effort == report.effort, len(entries(environment, Event.DECIDED))) == (False, 1)


def test_a_publication_says_what_it_cost_and_one_that_was_there_cost_nothing(environment, tmp_path):
    judged = taken(environment, tmp_path)
    first, again = (publish_judged(judged, environment, NOW) for _ in range(2))
    (published,) = entries(environment, Event.PUBLISHED)
    assert set(published.effort) == {"publish_seconds"}
    assert (first.effort["publish_seconds"] > 0, first.effort, again.effort) == (True, published.effort, {})
    assert (first == again, first.received_at) == (True, NOW)


def test_a_publication_that_failed_says_what_it_cost(environment, tmp_path, monkeypatch):
    judged = taken(environment, tmp_path)

    def fail(*_):
        raise PublicationError

    monkeypatch.setattr(Store, "publish_partition", fail)
    with pytest.raises(PublicationError):
        publish_judged(judged, environment, NOW)
    assert set(entries(environment, Event.FAILED)[0].effort) == {"publish_seconds"}


def test_judging_a_stored_candidate_again_takes_nothing(environment, tmp_path):
    taken(environment, tmp_path)
    again = judge_again(CONTRACT, DAY, environment, NOW + timedelta(hours=1), NOW)
    assert set(again.report.effort) == {"validate_seconds", "candidate_bytes"}


def test_the_record_that_a_crash_left_out_claims_no_cost(environment, tmp_path, monkeypatch):
    judged, append = taken(environment, tmp_path), Ledger.append

    def lose(ledger, entry):
        if entry.event is Event.PUBLISHED:
            raise KeyboardInterrupt
        return append(ledger, entry)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "append", lose)
        with pytest.raises(KeyboardInterrupt):
            publish_judged(judged, environment, NOW)
    publish_judged(judged, environment, NOW)
    assert latest(Ledger(environment.ledger).entries(), Event.PUBLISHED).effort == {}


def test_check_and_publish_say_it_in_their_documents(run: Run):
    checked = json.loads(run("check", "cases.yaml", "good.csv", "--partition", DAY, "--json")[1])
    published = json.loads(run("publish", "cases.yaml", "good.csv", "--partition", DAY, "--root", "data", "--json")[1])
    assert (set(checked["effort"]), set(published["effort"])) == (JUDGED, JUDGED | {"publish_seconds"})
