"""What a judgement and a publication cost stands in the report, the ledger and the documents; it decides nothing."""

import json
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contract_core import resident_memory
from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.errors import PublicationError
from contract_core.publication import effort as effort_module
from contract_core.publication.effort import Watch
from contract_core.publication.entry import Event, latest
from contract_core.publication.history import decisions
from contract_core.publication.ledger import Ledger
from contract_core.publication.store import Store
from contract_core.publication.submit import judge_again, publish_judged, take_and_decide
from contract_core.resident_memory import MemoryWatch
from tests.commands import Run, written
from tests.publication.samples import DAY, NOW, contract_of
from tests.publication.test_quarantine import CASES as DIVIDING
from tests.publication.test_quarantine import MIXED

TEXT = "region,day,n\nNL,2026-10-01,1\n"
CONTRACT = contract_of().model_copy(
    update={"delivery": contract_of().delivery.model_copy(update={"format": contract_of().delivery.format.model_copy(update={"type": "csv"})})}
)  # fmt: skip
APART = parse_contract(DIVIDING, "cases.yaml")
READ = {"delivered_bytes", "candidate_bytes"}
TAKEN, VALIDATED, PUBLISHED = (
    {f"{stage}_{measure}" for measure in ("seconds", "cpu_seconds", "rows", "rows_per_second")}
    for stage in ("take", "validate", "publish")
)
RECORDED = {"record_seconds", "record_cpu_seconds"}
JUDGED = TAKEN | VALIDATED | READ


@pytest.fixture
def environment(tmp_path):
    written(tmp_path, cases_csv=TEXT)
    return Environment.at(tmp_path / "data")


def taken(environment, tmp_path):
    return take_and_decide(CONTRACT, collect_delivery(CONTRACT, [tmp_path / "cases.csv"], DAY), environment, NOW, NOW)


def named(effort):
    """The names of its numbers, but for the peaks of memory, which not every system tells."""
    return {name for name in effort if not name.endswith("_peak_bytes")}


def entries(environment, event):
    return [entry for entry in Ledger(environment.ledger).entries() if entry.event is event]


def test_a_judgement_says_what_it_cost(environment, tmp_path):
    """[S1-103]"""
    judged = taken(environment, tmp_path)
    assert named(judged.report.effort) == JUDGED | RECORDED
    assert judged.report.effort["delivered_bytes"] == len(TEXT)
    assert judged.report.effort["candidate_bytes"] == judged.candidate.path.stat().st_size
    assert judged.report.effort["validate_seconds"] > 0
    assert (judged.report.effort["take_rows"], judged.report.effort["validate_rows"]) == (1, 1)
    assert judged.report.effort["validate_cpu_seconds"] > 0
    (decided,) = entries(environment, Event.DECIDED)
    assert named(decided.effort) == JUDGED
    assert decided.effort.items() <= judged.report.effort.items()


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells it")
def test_each_stage_says_how_high_the_memory_rose(environment, tmp_path):
    judged = taken(environment, tmp_path)
    record = publish_judged(judged, environment, NOW)
    told = {name: size for name, size in (judged.report.effort | record.effort).items() if name.endswith("_peak_bytes")}
    assert told.keys() == {"take_peak_bytes", "validate_peak_bytes", "record_peak_bytes", "publish_peak_bytes"}
    assert min(told.values()) > 10_000_000


def test_where_the_system_tells_no_memory_the_rest_is_told(environment, tmp_path, monkeypatch):
    monkeypatch.setattr(resident_memory, "_STATM", tmp_path / "nowhere")
    judged = taken(environment, tmp_path)
    assert set(judged.report.effort) == JUDGED | RECORDED
    assert set(entries(environment, Event.DECIDED)[0].effort) == JUDGED


def test_a_delivery_without_rows_has_a_rate_of_nothing(environment, tmp_path):
    written(tmp_path, cases_csv="region,day,n\n")
    effort = taken(environment, tmp_path).report.effort
    assert (effort["take_rows"], effort["take_rows_per_second"], effort["validate_rows_per_second"]) == (0, 0, 0)


def test_a_clock_that_stands_still_gives_no_rate(monkeypatch):
    monkeypatch.setattr(effort_module, "perf_counter", lambda: 5.0)
    effort = Watch("take", MemoryWatch(), rows=7, begun=5.0).spent()
    assert named(effort) == {"take_seconds", "take_cpu_seconds", "take_rows"}
    assert (effort["take_seconds"], effort["take_rows"]) == (0, 7)


def test_a_delivery_that_was_taken_before_is_not_read_again(environment, tmp_path):
    """Its candidate is found and verified, which says nothing of how quickly rows are taken."""
    taken(environment, tmp_path)
    delivery = collect_delivery(CONTRACT, [tmp_path / "cases.csv"], DAY)
    later = take_and_decide(CONTRACT, delivery, environment, NOW + timedelta(hours=1), NOW + timedelta(hours=1))
    assert named(later.report.effort) == {"take_seconds", "take_cpu_seconds", "candidate_bytes"} | VALIDATED | RECORDED


def test_what_rows_kept_apart_cost_is_a_part_of_the_publication(environment, tmp_path):
    written(tmp_path, cases_csv=MIXED)
    judged = take_and_decide(APART, collect_delivery(APART, [tmp_path / "cases.csv"], DAY), environment, NOW, NOW)
    record = publish_judged(judged, environment, NOW)
    kept_apart = {f"quarantine_{measure}" for measure in ("seconds", "cpu_seconds", "rows", "rows_per_second")}
    (published,) = entries(environment, Event.PUBLISHED)
    assert named(published.effort) == PUBLISHED | kept_apart | {"candidate_bytes"}
    assert (published.effort["publish_rows"], published.effort["quarantine_rows"]) == (1, 2)
    assert 0 < published.effort["quarantine_seconds"] < published.effort["publish_seconds"]
    assert named(record.effort) == named(published.effort) | RECORDED


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
    assert again.report == report


def test_a_publication_says_what_it_cost_and_one_that_was_there_cost_nothing(environment, tmp_path):
    judged = taken(environment, tmp_path)
    first, again = (publish_judged(judged, environment, NOW) for _ in range(2))
    (published,) = entries(environment, Event.PUBLISHED)
    assert named(published.effort) == PUBLISHED | {"candidate_bytes"}
    assert published.effort.items() <= first.effort.items()
    assert (named(first.effort) - published.effort.keys(), again.effort) == (RECORDED, {})
    assert published.effort["publish_seconds"] > 0
    assert (first == again, first.received_at) == (True, NOW)


def test_a_publication_that_failed_says_what_it_cost(environment, tmp_path, monkeypatch):
    judged = taken(environment, tmp_path)

    def fail(*_):
        raise PublicationError

    monkeypatch.setattr(Store, "publish_partition", fail)
    with pytest.raises(PublicationError):
        publish_judged(judged, environment, NOW)
    assert named(entries(environment, Event.FAILED)[0].effort) == {"publish_seconds", "publish_cpu_seconds"}


def test_judging_a_stored_candidate_again_takes_nothing(environment, tmp_path):
    taken(environment, tmp_path)
    again = judge_again(CONTRACT, DAY, environment, NOW + timedelta(hours=1), NOW)
    assert named(again.report.effort) == VALIDATED | RECORDED | {"candidate_bytes"}


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
    assert (named(checked["effort"]), named(published["effort"])) == (JUDGED, JUDGED | PUBLISHED | RECORDED)


def test_decisions_and_status_say_what_each_submission_cost(run: Run):
    run("publish", "cases.yaml", "good.csv", "--partition", DAY, "--root", "data")
    (decided,) = json.loads(run("decisions", "--root", "data", "--json")[1])
    assert named(decided["effort"]) == JUDGED | PUBLISHED
    (decided,) = decisions(Ledger(Path("data/ledger")).entries())
    assert decided == replace(decided, effort={})


def test_a_person_who_asks_is_told_in_a_table(run: Run):
    checked = run("check", "cases.yaml", "good.csv", "--partition", DAY, "-v")[1]
    published = run("publish", "cases.yaml", "good.csv", "--partition", DAY, "--root", "data", "--verbose")[1]
    assert [line.split()[0] for line in checked.splitlines()[-3:]] == ["cost", "take", "validate"]
    assert [line.split()[0] for line in published.splitlines()[-5:]] == [
        "cost",
        "take",
        "validate",
        "record",
        "publish",
    ]
    assert "cost" not in run("publish", "cases.yaml", "good.csv", "--partition", DAY, "--root", "data")[1]


def test_a_check_says_what_each_rule_costs_where_that_is_asked_for(run: Run):
    """[S1-103]"""
    code, out, _ = run("check", "cases.yaml", "bad.csv", "--partition", DAY, "--by-rule")
    assert (code, "  rules  each by itself" in out, "   cost  " in out) == (1, True, False)
    told = json.loads(run("check", "cases.yaml", "bad.csv", "--partition", DAY, "--by-rule", "--json")[1])
    findings = {finding["id"] for finding in told["findings"]}
    assert {"count.range", "region.pattern", "key"} <= told["rule_costs"].keys() <= findings
    assert set(told["rule_costs"]["key"]) == {"seconds", "cpu_seconds"}
