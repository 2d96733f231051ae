"""When a partition arrived: a correction came with what it corrects, a retry when it came first, and nothing by being refused."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.history import arrived_at
from contract_core.publication.ledger import Ledger
from contract_core.publication.submit import Judged, judge_again, publish_judged, take_and_decide
from contract_core.validation.report import Outcome

DAY, OTHER = "2026-10-01", "2026-10-02"
CASES = """\
contract: cases
version: "1.0.0"
fields:
  - {name: day, type: date}
  - {name: n, type: integer, min: 0}
delivery:
  partition: {column: day, every: day, start: 2026-10-01}
  due: {by: "09:00", days_after: 1}
"""
STRICT = CASES.replace("days_after: 1", "days_after: 1, severity: error")
EARLY, LATE, LATER = (datetime(2026, 10, 2, hour, tzinfo=UTC) for hour in (8, 11, 15))


class Gate:
    """One environment, to which deliveries come at stated moments."""

    def __init__(self, root: Path, text: str = CASES) -> None:
        self.contract = parse_contract(text, "cases.yaml")
        self.environment = Environment.at(root)
        self.root = root

    def take(self, number: int, at: datetime, day: str = DAY, as_of: datetime | None = None) -> Judged:
        """A delivery of one row, taken, decided and, if it is accepted, published."""
        path = self.root / f"{day}-{number}.csv"
        path.write_text(f"day,n\n{day},{number}\n")
        delivery = collect_delivery(self.contract, [path], day)
        judged = take_and_decide(self.contract, delivery, self.environment, at, as_of or at)
        publish_judged(judged, self.environment, at)
        return judged

    def again(self, at: datetime) -> Judged:
        return judge_again(self.contract, DAY, self.environment, at, at)


def late(judged: Judged) -> int:
    """By how many seconds it came too late."""
    (found,) = [item for item in judged.report.findings if item.id == "deadline"]
    assert found.outcome is (Outcome.BREACHED if found.details["late_seconds"] else Outcome.KEPT)
    return found.details["late_seconds"]


def test_a_delivery_after_the_deadline_is_late_and_published(tmp_path: Path) -> None:
    """[S2-041] [S1-015]"""
    gate = Gate(tmp_path)
    judged = gate.take(1, LATE)
    assert (late(judged), judged.decision.verdict) == (7200, Verdict.PUBLISH)
    (decided, published) = Ledger(gate.environment.ledger).entries("cases")
    assert (decided.breached, decided.warned, published.event) == (("deadline",), ("deadline",), Event.PUBLISHED)


def test_a_correction_of_what_came_in_time_is_in_time(tmp_path: Path) -> None:
    """[S2-041]"""
    gate = Gate(tmp_path)
    gate.take(1, EARLY)
    assert late(gate.take(2, LATE)) == 0


def test_a_correction_of_what_came_late_is_as_late_as_that(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    gate.take(1, LATE)
    assert late(gate.take(2, LATER)) == 7200


def test_a_delivery_that_was_refused_in_time_meets_no_deadline(tmp_path: Path) -> None:
    """[S2-041] Rows that nobody could use did not arrive."""
    gate = Gate(tmp_path)
    assert gate.take(-1, EARLY).decision.verdict is Verdict.REFUSE
    assert late(gate.take(1, LATE)) == 7200


def test_another_partition_is_of_no_help(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    gate.take(1, EARLY, OTHER)
    assert late(gate.take(1, LATE)) == 7200


def test_the_same_delivery_again_came_when_it_came_first(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    assert (late(gate.take(1, EARLY)), late(gate.take(1, LATE)), late(gate.again(LATER))) == (0, 0, 0)


def test_a_delivery_judged_for_an_earlier_moment_came_no_later_than_that(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    assert late(gate.take(1, LATER, as_of=EARLY)) == 0
    assert late(gate.take(2, LATER)) == 0


def test_a_late_delivery_is_held_back_where_the_contract_says_so(tmp_path: Path) -> None:
    """[S2-041]"""
    gate = Gate(tmp_path, STRICT)
    assert gate.take(1, LATE).decision.reasons == ("deadline",)
    assert gate.again(LATER).decision.verdict is Verdict.REFUSE


def test_under_such_a_contract_a_correction_of_what_came_in_time_is_published(tmp_path: Path) -> None:
    gate = Gate(tmp_path, STRICT)
    gate.take(1, EARLY)
    assert gate.take(2, LATE).decision.verdict is Verdict.PUBLISH


def entry(event: Event, submission: str, received: datetime | None, as_of: datetime = LATER) -> LedgerEntry:
    return LedgerEntry(
        event, "cases", "1.0.0", "c", DAY, submission, "d", Verdict.PUBLISH, "r", 1, as_of, LATER, received_at=received
    )  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "moment"),
    [
        pytest.param((), None, id="nothing"),
        pytest.param((entry(Event.DECIDED, "a", EARLY),), None, id="decided alone"),
        pytest.param((entry(Event.DECIDED, "a", EARLY), entry(Event.FAILED, "a", EARLY)), None, id="not published"),
        pytest.param((entry(Event.DECIDED, "a", EARLY), entry(Event.PUBLISHED, "a", LATE)), EARLY, id="first received"),
        pytest.param((entry(Event.PUBLISHED, "a", LATE), entry(Event.PUBLISHED, "b", EARLY)), EARLY, id="either of two"),
        pytest.param((entry(Event.PUBLISHED, "a", None),), LATER, id="no receipt known"),
        pytest.param((entry(Event.PUBLISHED, "a", LATER, as_of=EARLY),), EARLY, id="judged for an earlier moment"),
    ],
)  # fmt: skip
def test_a_partition_arrived_with_the_first_delivery_that_was_published(
    entries: tuple[LedgerEntry, ...], moment: datetime | None
) -> None:
    assert arrived_at(entries) == moment


AGED = """\
contract: cases
version: "1.0.0"
fields:
  - {name: day, type: date}
  - {name: n, type: integer, min: 0}
freshness: {column: day, max_age: 36h}
delivery:
  partition: {column: day, every: day, start: 2026-10-01}
"""


def test_a_correction_of_an_old_day_is_accepted_while_the_table_is_fresh(tmp_path: Path) -> None:
    gate = Gate(tmp_path, AGED)
    assert [gate.take(1, EARLY).is_accepted, gate.take(1, EARLY, OTHER).is_accepted] == [True, True]
    corrected = gate.take(2, EARLY + timedelta(hours=20))
    assert (corrected.is_accepted, corrected.report.learned.event_age) == (True, 52 * 3600)
    assert not gate.take(3, EARLY + timedelta(hours=40)).is_accepted
