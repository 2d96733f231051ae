"""The deadline of a delivery: kept by what arrived in time, broken by how much later it came, and nothing else is asked."""

from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from contract_core.candidate.facts import Facts, FileFacts
from contract_core.publication.decision import Verdict, decide
from contract_core.rendering.reports import message, next_step
from contract_core.validation.obligations import Layer, obligations_of
from contract_core.validation.past import Past
from contract_core.validation.plan import validate
from contract_core.validation.promise_kinds import InTime
from contract_core.validation.report import Finding, Outcome
from tests.validation.judged import AS_OF, candidate_of, contract_of, finding, frame_of

DUE = """\
fields: [{{name: day, type: date}}]
delivery:
  format: {{type: {format}}}
  partition: {{column: day, every: day, start: 2026-09-01}}
  due: {{by: "08:00", days_after: 1{more}}}
"""
DAY = "2026-10-01"


def deadline(folder: Path, arrived: datetime | None, *, more: str = "", facts: Facts | None = None) -> Finding:
    """What is found for a delivery that is due at 08:00 and judged at 09:00."""
    contract = contract_of(DUE.format(format=facts.format if facts else "parquet", more=more))
    frame = frame_of({"day": pl.Date}, (AS_OF.date() - timedelta(days=1),))
    report = validate(contract, candidate_of(frame, folder, facts, DAY), AS_OF, Past(arrived=arrived))
    return finding(report, "deadline")


def test_a_deadline_is_one_obligation_of_the_operational_layer() -> None:
    """[S2-041] [S1-015]"""
    (found,) = [
        item
        for item in obligations_of(contract_of(DUE.format(format="csv", more="")))
        if isinstance(item.promise, InTime)
    ]
    assert (found.id, found.rule, found.layer, found.severity) == ("deadline", "deadline", Layer.OPERATIONS, "warn")


@pytest.mark.parametrize(
    ("before", "outcome", "late"),
    [
        pytest.param(timedelta(hours=2), Outcome.KEPT, 0, id="an hour early"),
        pytest.param(timedelta(hours=1), Outcome.KEPT, 0, id="at the last moment"),
        pytest.param(timedelta(minutes=59, seconds=59, milliseconds=500), Outcome.BREACHED, 1, id="half a second late"),
        pytest.param(timedelta(minutes=30), Outcome.BREACHED, 1800, id="half an hour late"),
        pytest.param(timedelta(0), Outcome.BREACHED, 3600, id="an hour late"),
    ],
)
def test_a_delivery_is_judged_by_when_it_arrived(
    before: timedelta, outcome: Outcome, late: int, tmp_path: Path
) -> None:
    """[S2-041]"""
    found = deadline(tmp_path, AS_OF - before)
    assert (found.outcome, found.breaches, found.details) == (outcome, 1 if late else 0, {"late_seconds": late})


def test_where_nobody_says_when_it_arrived_it_arrives_at_the_moment_of_judgement(tmp_path: Path) -> None:
    assert deadline(tmp_path, None).details == {"late_seconds": 3600}


def test_a_late_delivery_says_how_late_in_words(tmp_path: Path) -> None:
    found = deadline(
        tmp_path, AS_OF + timedelta(days=1, minutes=5), more=", calendar: weekdays, holidays: [2026-12-25]"
    )
    words = "it is there by 08:00 UTC on weekdays, 1 day after its partition, but on 1 named holiday"
    assert message(found) == f"broken: {words}; it came 1d 1h late"
    assert (
        next_step(found) == "ask the producer why it came late; a correction of it is judged by when the first one came"
    )


@pytest.mark.parametrize("format_", ["parquet", "envelope"])
def test_a_delivery_that_cannot_be_read_still_came_in_time(format_: str, tmp_path: Path) -> None:
    facts = Facts(format=format_, files=(FileFacts("a", 1, "0" * 64, unreadable="the data is damaged"),))
    assert deadline(tmp_path, AS_OF - timedelta(hours=1), facts=facts).outcome is Outcome.KEPT


@pytest.mark.parametrize(
    ("more", "verdict", "warnings"),
    [
        pytest.param("", Verdict.PUBLISH, ("deadline",), id="told and published"),
        pytest.param(", severity: error", Verdict.REFUSE, (), id="held back where the contract says so"),
    ],
)
def test_lateness_alone_holds_back_only_where_the_contract_says_so(
    more: str, verdict: Verdict, warnings: tuple[str, ...], tmp_path: Path
) -> None:
    """[S1-015] Correctness and timeliness are separate verdicts."""
    contract = contract_of(DUE.format(format="parquet", more=more))
    frame = frame_of({"day": pl.Date}, (AS_OF.date() - timedelta(days=1),))
    decision = decide(validate(contract, candidate_of(frame, tmp_path, None, DAY), AS_OF), contract)
    assert (decision.verdict, decision.warnings) == (verdict, warnings)
