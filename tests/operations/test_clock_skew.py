"""Events of the future and clocks that differ: what lies ahead is said to, and no age, wait or pause is less than nothing."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contract_assets.measures import contract_measures, judgement_measures, publication_measures
from contract_assets.metadata import freshness_metadata
from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.elapsed import elapsed
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.operations.metrics import metrics_of
from contract_core.operations.status import status_of
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.ledger import Ledger
from contract_core.publication.record import PublicationRecord
from contract_core.publication.submit import Judged, publish_judged, take_and_decide
from contract_core.rendering.history import status_document
from contract_core.rendering.metrics import metrics_document
from contract_core.rendering.prometheus import prometheus_text
from contract_core.rendering.reports import check_document
from contract_core.rendering.shown import event_words, pause_words, shown_words
from tests.commands import Run

NOW = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)
AHEAD = timedelta(minutes=3)
TEXT = """\
contract: ticks
version: "1.0.0"
key: [id]
fields:
  - {name: id, type: string}
  - {name: at, type: "timestamp[us,UTC]"}
freshness: {column: at, max_age: 1h, max_silence: 2h}
"""
NEGATIVE = re.compile(r"(?<![\w.-])-[0-9]")


def contract_of() -> Contract:
    return parse_contract(TEXT, "ticks.yaml")


def published(
    root: Path, event: datetime, received: datetime = NOW, at: datetime = NOW
) -> tuple[Judged, PublicationRecord]:
    """A delivery with one event, received and published by clocks that need not agree."""
    (root / "d.csv").write_text(f"id,at\na,{event.isoformat()}\n")
    environment = Environment.at(root)
    judged = take_and_decide(
        contract_of(), collect_delivery(contract_of(), [root / "d.csv"], None), environment, received, at
    )
    record = publish_judged(judged, environment, at)
    assert record is not None
    return judged, record


def entries_of(root: Path) -> tuple[LedgerEntry, ...]:
    return Ledger(Environment.at(root).ledger).entries()


@pytest.mark.parametrize(("ahead", "expected"), [(-1, 1), (0, 0), (1, 0)])
def test_what_lies_ahead_is_no_time_ago(ahead: int, expected: int) -> None:
    assert elapsed(NOW + timedelta(seconds=ahead), NOW) == timedelta(seconds=expected)


def test_an_event_of_the_future_is_said_to_lie_ahead(tmp_path: Path) -> None:
    published(tmp_path, NOW + AHEAD)
    status = status_of(contract_of(), entries_of(tmp_path), NOW)
    assert (status.age, status.ahead, status.is_stale) == (timedelta(0), AHEAD, False)
    assert "its newest event 3m ahead; fresh" in shown_words(status)
    assert "its newest event 3m ahead; at most 1h is promised" in event_words(status)
    document = status_document(status)
    assert (document["age_seconds"], document["ahead_seconds"]) == (0, 180)
    later = status_of(contract_of(), entries_of(tmp_path), NOW + 2 * AHEAD)
    assert (later.age, later.ahead) == (AHEAD, timedelta(0))
    assert "3m old" in shown_words(later)


def test_the_finding_and_the_plotted_age_are_no_less_than_nothing(tmp_path: Path) -> None:
    judged, _ = published(tmp_path, NOW + AHEAD)
    found = check_document(judged.report, judged.decision)
    [fresh] = [item for item in judged.report.findings if item.rule == "freshness"]
    assert fresh.details["age_seconds"] == 0
    assert judgement_measures(judged.report)["newest_event_age_hours"].value == 0
    assert NEGATIVE.findall(json.dumps(found)) == []
    assert judged.report.learned.event_age == -180  # by which the moment itself is known again


def test_a_publisher_whose_clock_is_behind_has_waited_for_nothing(tmp_path: Path) -> None:
    _, record = published(tmp_path, NOW, received=NOW + AHEAD)
    measures = publication_measures(replace(record, already_published=False))
    assert measures["receipt_to_publication_seconds"].value == 0
    assert metrics_of(contract_of(), entries_of(tmp_path), NOW).receipt_to_publication.least == 0


def test_a_reader_whose_clock_is_behind_sees_no_negative_pause(tmp_path: Path) -> None:
    published(tmp_path, NOW + AHEAD)
    entries, early = entries_of(tmp_path), NOW - AHEAD
    status = status_of(contract_of(), entries, early)
    assert status.silence == timedelta(0)
    assert pause_words(status) == "the last publication was 0s ago, at most 2h is promised"
    told = [shown_words(status), event_words(status), json.dumps(status_document(status))]
    told += [str(value) for value in freshness_metadata(status, timedelta(hours=1)).values()]
    assert [text for text in told if NEGATIVE.search(re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "", text))] == []


def test_metrics_tell_no_negative_age(tmp_path: Path) -> None:
    published(tmp_path, NOW + AHEAD)
    found = metrics_of(contract_of(), entries_of(tmp_path), NOW)
    assert (found.newest_event_age, found.newest_publication_age) == (0, 0)
    assert contract_measures(found)["newest_event_age_hours"].value == 0
    lines = prometheus_text([found])
    assert "newest_event_age_seconds" in lines
    assert re.findall(r" -[0-9]", lines) == []
    ages = metrics_document([found], NOW)["contracts"][0]
    assert (ages["newest_event_age_seconds"], ages["newest_publication_age_seconds"]) == (0, 0)


def test_the_command_says_it_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data/contracts").mkdir(parents=True)
    (tmp_path / "data/contracts/ticks.yaml").write_text(TEXT)
    (tmp_path / "d.csv").write_text("id,at\na,2999-01-01T00:00:00Z\n")
    assert run("publish", "ticks", "d.csv")[0] == 0
    code, out, _ = run("status", "ticks")
    assert "ahead" in out
    assert re.findall(r"-[0-9]+[smhd]", out) == []
    assert code in (0, 1)
