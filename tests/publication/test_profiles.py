"""Which publications a delivery is compared with, from the ledger's events; and that a profile is kept with what was published."""

import json
import shutil
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from deltalake import DeltaTable

from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.errors import ContractCoreError
from contract_core.operations.reconciliation import complete, reconcile_contract
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.ledger import Ledger
from contract_core.publication.past import past_of
from contract_core.publication.publish import publish_older
from contract_core.publication.stated import NotStated, stated_decision
from contract_core.publication.submit import Judged, judge, judge_again, publish_judged, take_and_decide
from contract_core.validation.report import Finding, Outcome

START = datetime(2026, 11, 1, tzinfo=UTC)
FIRST = date(2026, 10, 1)
CASES = """\
contract: cases
version: "1.0.0"
key: [id]
fields:
  - {name: id, type: integer}
  - {name: day, type: date}
  - {name: n, type: integer, nullable: true, min: 0}
  - {name: s, type: string, enum: [a, b]}
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
monitors:
  volume: {max_change: 50%, min_history: 3}
  fields: {n: {null_rate: 10%, mean_change: 50%, min_history: 3}, s: {shares: 20%, min_history: 3}}
"""
WHOLE = CASES.replace("delivery: {partition: {column: day, every: day, start: 2026-10-01}}\n", "")
BY_STATUS = CASES.replace("{column: day, every: day, start: 2026-10-01}", "{column: s}")
DRIFT = ("volume", "n.drift.null_rate", "n.drift.mean", "s.drift.shares")


class Gate:
    """One environment, to which deliveries come one after another."""

    def __init__(self, root: Path, text: str = CASES) -> None:
        self.contract = parse_contract(text, "cases.yaml")
        self.environment = Environment.at(root)
        self.root = root
        self.at = START

    def take(self, rows: int, place: int = 0, number: int = 10, status: str = "a", partition: str = "day") -> Judged:
        """A delivery of so many rows for the day at a place; published where it is accepted."""
        self.at += timedelta(minutes=1)
        day = (FIRST + timedelta(days=place)).isoformat()
        path = self.root / f"{self.at:%H%M%S%f}.csv"
        path.write_text("id,day,n,s\n" + "".join(f"{row},{day},{number + row % 3},{status}\n" for row in range(rows)))
        key = {"day": day, "status": status, "none": None}[partition]
        delivery = collect_delivery(self.contract, [path], key)
        judged = take_and_decide(self.contract, delivery, self.environment, self.at, self.at)
        publish_judged(judged, self.environment, self.at)
        return judged

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.environment.ledger)


def finding(judged: Judged, name: str = "volume") -> Finding:
    (found,) = [item for item in judged.report.findings if item.id == name]
    return found


def compared(judged: Judged) -> int:
    """With how many partitions the volume was compared."""
    return finding(judged).details["partitions"]


def outcomes(judged: Judged) -> dict[str, Outcome]:
    return {name: finding(judged, name).outcome for name in DRIFT}


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


def test_a_first_delivery_passes_and_so_does_each_that_is_like_those_before(gate: Gate) -> None:
    """[S4-022]"""
    judged = [gate.take(rows, place) for place, rows in enumerate([100, 104, 96, 101, 99])]
    assert [one.decision.verdict for one in judged] == [Verdict.PUBLISH] * 5
    assert [compared(one) for one in judged] == [0, 1, 2, 3, 4]
    assert {outcome for one in judged for outcome in outcomes(one).values()} == {Outcome.KEPT}


def test_what_is_unlike_the_days_before_is_told_and_published(gate: Gate) -> None:
    """[S4-022]"""
    for place in range(4):
        gate.take(100, place)
    judged = gate.take(20, 4, number=1000, status="b")
    assert (judged.decision.verdict, judged.decision.warnings) == (
        Verdict.PUBLISH,
        ("volume", "n.drift.mean", "s.drift.shares"),
    )


def test_a_monitor_of_severity_error_holds_back_and_what_it_refused_counts_for_nothing(tmp_path: Path) -> None:
    """[S4-022]"""
    gate = Gate(
        tmp_path, CASES.replace("max_change: 50%, min_history", "max_change: 50%, severity: error, min_history")
    )
    for place in range(3):
        gate.take(100, place)
    refused = gate.take(10, 3)
    assert (refused.decision.verdict, refused.decision.reasons) == (Verdict.REFUSE, ("volume",))
    assert compared(gate.take(100, 4)) == 3


def test_a_correction_takes_the_place_of_what_it_corrects(gate: Gate) -> None:
    for place in range(3):
        gate.take(100, place)
    gate.take(300, 1)
    gate.take(300, 2)
    judged = gate.take(290, 3)
    assert (compared(judged), finding(judged).outcome) == (3, Outcome.KEPT)


def test_an_older_delivery_that_was_published_again_is_the_current_one(gate: Gate) -> None:
    first = gate.take(100, 0)
    gate.take(900, 0)
    gate.take(100, 1)
    gate.take(100, 2)
    again = take_again(gate, first)
    assert again.candidate.submission == first.candidate.submission
    judged = gate.take(100, 3)
    assert (compared(judged), finding(judged).details["moved_basis_points"]) == (3, 0)


def take_again(gate: Gate, judged: Judged) -> Judged:
    """The same files once more, and published although a later delivery is there."""
    gate.at += timedelta(minutes=1)
    path = min(gate.root.glob("*.csv"))
    delivery = collect_delivery(gate.contract, [path], judged.candidate.partition)
    again = take_and_decide(gate.contract, delivery, gate.environment, gate.at, gate.at)
    publish_judged(again, gate.environment, gate.at, publish_older)
    return again


def test_a_correction_of_an_old_day_is_compared_with_the_days_before_that_day(gate: Gate) -> None:
    for place in range(6):
        gate.take(100, place)
    assert [compared(gate.take(101, place)) for place in (4, 0)] == [4, 0]


def test_a_day_that_comes_late_is_compared_with_the_days_before_it(gate: Gate) -> None:
    for place in (0, 1, 2, 5, 6):
        gate.take(100, place)
    assert compared(gate.take(100, 4)) == 3


def test_a_retry_is_not_compared_with_itself(gate: Gate) -> None:
    for place in range(3):
        gate.take(100, place)
    judged = gate.take(20, 3)
    again = judge_again(gate.contract, "2026-10-04", gate.environment, gate.at, gate.at)
    assert again.report.digest == judged.report.digest
    assert finding(again) == finding(judged)


@pytest.mark.parametrize(
    ("text", "partition"),
    [pytest.param(WHOLE, "none", id="no partitions"), pytest.param(BY_STATUS, "status", id="by value")],
)
def test_where_partitions_are_no_spans_the_publications_before_count(text: str, partition: str, tmp_path: Path) -> None:
    gate = Gate(tmp_path, text)
    judged = [gate.take(100 + number, partition=partition, status="ab"[number % 2]) for number in range(5)]
    assert [compared(one) for one in judged] == [0, 1, 2, 3, 4]
    again = judge_again(gate.contract, judged[-1].candidate.partition, gate.environment, gate.at, gate.at)
    assert compared(again) == 4


def test_a_submission_is_judged_again_by_what_came_before_it(tmp_path: Path) -> None:
    gate = Gate(tmp_path, BY_STATUS)
    for status in ("a", "b", "a"):
        gate.take(100, partition="status", status=status)
    assert compared(judge_again(gate.contract, "b", gate.environment, gate.at, gate.at)) == 1


def test_profiles_do_not_reach_back_before_the_monitor_was_there(tmp_path: Path) -> None:
    """The rows of a partition are known in any case, its means are not."""
    before = Gate(tmp_path, CASES[: CASES.index("monitors:")])
    for place in range(3):
        before.take(100, place)
    gate = Gate(tmp_path, CASES.replace("1.0.0", "1.1.0"))
    gate.at = before.at
    judged = gate.take(20, 3, number=1000)
    assert (finding(judged).outcome, finding(judged, "n.drift.mean").reason) == (
        Outcome.BREACHED,
        "too little history: 0 of 3",
    )


def test_a_season_finds_the_same_weekday_of_earlier_weeks(tmp_path: Path) -> None:
    gate = Gate(tmp_path, CASES.replace("volume: {", "volume: {season: weekday, "))
    for place in (0, 1, 7, 8, 9, 14):
        gate.take(100, place)
    assert compared(gate.take(100, 21)) == 3


def test_a_monitor_of_months_compares_with_the_months_before(tmp_path: Path) -> None:
    text = CASES.replace("every: day, start: 2026-10-01", "every: month, start: 2026-01-01")
    gate = Gate(tmp_path, text)
    counted = []
    for month in (1, 2, 3, 4):
        day = date(2026, month, 1).isoformat()
        path = tmp_path / f"{day}.csv"
        path.write_text("id,day,n,s\n" + "".join(f"{row},{day},5,a\n" for row in range(20)))
        delivery = collect_delivery(gate.contract, [path], day)
        judged = take_and_decide(gate.contract, delivery, gate.environment, gate.at, gate.at)
        publish_judged(judged, gate.environment, gate.at)
        counted.append(compared(judged))
    assert counted == [0, 1, 2, 3]


def profiles(entries: Iterable[LedgerEntry]) -> dict[str | None, object]:
    return {entry.partition: dict(entry.profile) for entry in entries if entry.event is Event.PUBLISHED}


def test_a_ledger_that_was_lost_has_its_profiles_again(gate: Gate) -> None:
    """They stand in the commit of what was published."""
    for place in range(3):
        gate.take(100, place)
    before = profiles(gate.ledger.entries())
    shutil.rmtree(gate.environment.ledger)
    complete(reconcile_contract(gate.contract, gate.environment, gate.at), gate.ledger)
    assert profiles(gate.ledger.entries()) == before
    assert before["2026-10-01"]["n"] == {"mean": pytest.approx(10.99), "null_rate": 0.0}
    judged = gate.take(20, 3, number=1000, status="b")
    assert set(judged.decision.warnings) == {"volume", "n.drift.mean", "s.drift.shares"}


LEARNED = {"n": {"null_rate": 0.5, "distinct": 3, "mean": 1.5, "quantiles": [1, 2, 3, 4.5, 5], "shares": [0.5, 0.5], "enum": "0123456789ab"}}  # fmt: skip


def stated(gate: Gate, profile: object) -> LedgerEntry:
    """What a commit says that names this profile."""
    table = DeltaTable(gate.environment.published / "cases")
    (about,) = [commit for commit in table.history() if "submission" in commit]
    return stated_decision(about | {"learned": json.dumps({"profile": profile})}, "cases")


def test_a_profile_is_read_back_from_a_commit_as_it_was_written(gate: Gate) -> None:
    gate.take(20)
    assert stated(gate, LEARNED).profile == LEARNED
    assert stated(gate, {"n": {"mean": 1.5}}).profile == {"n": {"mean": 1.5}}


@pytest.mark.parametrize(
    "profile",
    [
        pytest.param({"n": {"mean": "12"}}, id="text"),
        pytest.param({"n": {"mean": float("nan")}}, id="no number"),
        pytest.param({"n": {"mean": True}}, id="true"),
        pytest.param({"n": {"null_rate": 1.5}}, id="more than all"),
        pytest.param({"n": {"distinct": -1}}, id="less than none"),
        pytest.param({"n": {"quantiles": [1, 2, 3]}}, id="three quantiles"),
        pytest.param({"n": {"shares": [2.0]}}, id="a share of two"),
        pytest.param({"n": {"enum": "a value"}}, id="a value for a digest"),
        pytest.param({"n": {"first": 5}}, id="another measure"),
        pytest.param({"n": 5}, id="a number for a profile"),
    ],
)
def test_what_the_gate_would_not_have_written_is_no_profile(gate: Gate, profile: object) -> None:
    """Anyone who can write a log can write anything there."""
    gate.take(20)
    with pytest.raises(NotStated):
        stated(gate, profile)


def test_a_check_records_nothing_and_compares_all_the_same(gate: Gate) -> None:
    for place in range(3):
        gate.take(100, place)
    judged = gate.take(20, 3)
    before = gate.ledger.entries()
    assert finding(judge(gate.contract, judged.candidate, gate.environment, gate.at)).outcome is Outcome.BREACHED
    assert gate.ledger.entries() == before


def test_without_monitors_the_ledger_is_not_asked(tmp_path: Path) -> None:
    gate = Gate(tmp_path, CASES[: CASES.index("monitors:")])
    judged = gate.take(10)
    gate.environment.ledger.joinpath("_delta_log").rename(tmp_path / "gone")
    assert past_of(gate.contract, judged.candidate, gate.environment, gate.at).earlier == ()
    with pytest.raises(ContractCoreError):
        past_of(parse_contract(CASES, "c.yaml"), judged.candidate, gate.environment, gate.at)
