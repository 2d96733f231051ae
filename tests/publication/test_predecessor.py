"""Which published rows a delivery is compared with: the whole way through the gate, so that it is the published table that tells."""

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import load_candidate
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.errors import PublicationError
from contract_core.operations.reconciliation import complete, reconcile_contract
from contract_core.publication.entry import Event
from contract_core.publication.ledger import Ledger
from contract_core.publication.publish import publish_older
from contract_core.publication.submit import Judged, judge, judge_again, publish_judged, take_and_decide
from contract_core.validation import shares
from contract_core.validation.report import Finding

NOW = datetime(2026, 10, 9, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
RULES = "history: [{name: grows, sql: n >= previous.n}, {name: back, vanished: true, severity: warn}]\n"
GROWS = "history: [{name: grows, sql: n >= previous.n}]\n"
CASES = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string}
  - {name: day, type: date}
  - {name: n, type: integer}
rows: {min: 0}
"""
BY_DAY = "delivery: {partition: {column: day, every: day, start: 2026-10-01}}\n"
BY_REGION = "delivery: {partition: {column: region}}\n"
WHOLE = ""
FIRST, SECOND, THIRD, FOURTH = (f"2026-10-0{day}" for day in (1, 2, 3, 4))
NOTHING = "nothing is published that it could be compared with"


@dataclass
class Gate:
    """One environment, and what is offered to it one after the other, an hour apart."""

    root: Path
    text: str = CASES + BY_DAY + RULES
    hours: int = 0

    @property
    def places(self) -> Environment:
        return Environment.at(self.root)

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.places.ledger)

    def judged(self, partition: str | None, **counts: int) -> Judged:
        """The decision about one row for each region; the day is the partition's, or the first."""
        day = partition if partition is not None and partition.startswith("2026") else FIRST
        return self.delivered(partition, *(f"{region},{day},{n}" for region, n in counts.items()))

    def delivered(self, partition: str | None, *lines: str) -> Judged:
        self.hours += 1
        folder = self.root / "landing" / f"{self.hours}"
        folder.mkdir(parents=True)
        (folder / "cases.csv").write_text("\n".join(["region,day,n", *lines, ""]))
        contract = parse_contract(self.text, "cases.yaml")
        at = NOW + self.hours * HOUR
        return take_and_decide(contract, collect_delivery(contract, [folder], partition), self.places, at, at)

    def published(self, partition: str | None, **counts: int) -> Judged:
        return self.shown(self.judged(partition, **counts))

    def shown(self, judged: Judged, how=None) -> Judged:
        record = publish_judged(judged, self.places, NOW + self.hours * HOUR, *([how] if how else []))
        assert record is not None, judged.decision.reasons
        return judged


@pytest.fixture
def gate(tmp_path) -> Gate:
    return Gate(tmp_path)


def found(judged: Judged, name: str = "grows") -> Finding:
    (finding,) = [item for item in judged.report.findings if item.id == f"{name}.history"]
    return finding


def told(judged: Judged) -> tuple[int, int, int]:
    """How many rows were compared, broke the rule, and had no predecessor."""
    details = found(judged).details
    return details["judged"], details["broken"], details["skipped"]


def test_a_first_delivery_passes_and_says_that_there_was_nothing_to_compare_with(gate):
    first = gate.published(FIRST, a=1)
    assert (found(first).outcome.value, found(first).reason, first.report.learned.baseline) == ("kept", NOTHING, None)


def test_a_delivery_is_compared_with_the_partition_before(gate):
    first = gate.published(FIRST, a=5)
    second = gate.judged(SECOND, a=4, b=1)
    assert (told(second), second.is_accepted) == ((1, 1, 1), False)
    assert second.report.learned.baseline == first.candidate.submission


def test_the_ledger_keeps_whose_rows_it_was_compared_with(gate):
    first = gate.published(FIRST, a=5)
    gate.published(SECOND, a=6)
    assert [entry.baseline for entry in gate.ledger.partition_entries("cases", SECOND)] == [
        first.candidate.submission
    ] * 2


def test_the_newest_partition_that_is_published_counts_and_no_refused_one(gate):
    gate.published(FIRST, a=5)
    assert not gate.judged(SECOND, a=1).is_accepted
    assert told(gate.judged(THIRD, a=6)) == (1, 0, 0)


def test_a_partition_that_is_accepted_and_not_published_is_none(gate):
    gate.published(FIRST, a=5)
    assert gate.judged(SECOND, a=9).is_accepted
    assert told(gate.judged(THIRD, a=6)) == (1, 0, 0)


def test_a_later_delivery_after_a_refusal_is_compared_with_the_same_partition(gate):
    gate.published(FIRST, a=5)
    assert not gate.judged(SECOND, a=1).is_accepted
    again = gate.published(SECOND, a=7)
    assert (told(again), told(gate.judged(THIRD, a=6))) == ((1, 0, 0), (1, 1, 0))


def test_a_correction_of_an_older_partition_is_compared_with_what_precedes_it(gate):
    first = gate.published(FIRST, a=5)
    gate.published(SECOND, a=10)
    gate.published(THIRD, a=11)
    correction = gate.judged(SECOND, a=6)
    assert (told(correction), correction.report.learned.baseline) == ((1, 0, 0), first.candidate.submission)


def test_the_first_partition_has_no_predecessor_though_later_ones_are_published(gate):
    gate.published(SECOND, a=10)
    assert found(gate.judged(FIRST, a=99)).reason == NOTHING


def test_a_corrected_predecessor_is_the_one_that_counts(gate):
    gate.published(FIRST, a=5)
    corrected = gate.published(FIRST, a=50)
    second = gate.judged(SECOND, a=6)
    assert (told(second), second.report.learned.baseline) == ((1, 1, 0), corrected.candidate.submission)


def test_a_predecessor_without_rows_has_none_to_compare_with(gate):
    gate.shown(gate.delivered(FIRST))
    second = gate.judged(SECOND, a=6)
    assert (told(second), found(second, "back").details) == ((0, 0, 1), {"keys": 0, "gone": 0, "undecoded": 0})


def test_a_retry_of_what_is_published_is_compared_as_before(gate):
    gate.published(FIRST, a=5)
    second = gate.published(SECOND, a=6)
    at = NOW + 9 * HOUR
    again = judge_again(second.contract, SECOND, gate.places, at, at)
    assert (again.report.findings, again.report.learned) == (second.report.findings, second.report.learned)


def test_keys_that_are_gone_are_told(gate):
    gate.published(FIRST, a=5, b=6, c=7)
    second = gate.judged(SECOND, a=5, d=1)
    assert (found(second, "back").breaches, second.decision.warnings) == (2, ("back.history",))


EVERY = [
    pytest.param("hour", "2026-10-01-13:00", "2026-10-01-14:00", "2026-10-01T13:30:00", "2026-10-01T14:59:59", id="hour"),
    pytest.param("week", "2026-10-04", "2026-10-11", "2026-10-06T00:00:00", "2026-10-17T00:00:00", id="week"),
    pytest.param("month", "2026-10-01", "2026-12-01", "2026-10-06T00:00:00", "2026-12-17T00:00:00", id="month, with one between"),
]  # fmt: skip


@pytest.mark.parametrize(("every", "before", "after", "then", "now"), EVERY)
def test_partitions_of_every_length_follow_each_other(every, before, after, then, now, tmp_path):
    terms = f"delivery: {{partition: {{column: day, every: {every}, start: 2026-10-01}}}}\n"
    gate = Gate(tmp_path, CASES.replace("type: date", "type: timestamp") + terms + GROWS)
    gate.shown(gate.delivered(before, f"a,{then},5"))
    assert told(gate.delivered(after, f"a,{now},4")) == (1, 1, 0)


def test_a_partition_by_value_is_compared_with_what_it_replaces(tmp_path):
    gate = Gate(tmp_path, CASES + BY_REGION + RULES)
    gate.shown(gate.delivered("a", "a,2026-10-01,5"))
    other = gate.shown(gate.delivered("b", "b,2026-10-01,1"))
    assert (found(other).reason, told(gate.delivered("a", "a,2026-10-01,4"))) == (NOTHING, (1, 1, 0))


def test_a_table_without_partitions_is_compared_with_itself(tmp_path):
    gate = Gate(tmp_path, CASES + WHOLE + RULES)
    first = gate.published(None, a=5, b=1)
    second = gate.judged(None, a=4, c=1)
    assert (told(second), found(second, "back").breaches) == ((1, 1, 1), 1)
    assert second.report.learned.baseline == first.candidate.submission


SHRINKS = CASES + WHOLE + "history: [{name: grows, sql: n > previous.n}]\n"


def test_a_retry_is_not_compared_with_its_own_publication(tmp_path):
    """Every row would stand beside itself, and no number be larger than before."""
    gate = Gate(tmp_path, SHRINKS)
    first = gate.published(None, a=5)
    second = gate.published(None, a=6)
    again = judge(second.contract, second.candidate, gate.places, NOW + 9 * HOUR)
    assert (told(again), again.report.learned.baseline) == ((1, 0, 0), first.candidate.submission)
    assert gate.shown(gate.judged(None, a=6)).candidate.submission == second.candidate.submission


def test_a_retry_of_the_first_delivery_has_nothing_before_it(tmp_path):
    gate = Gate(tmp_path, SHRINKS)
    first = gate.published(None, a=5)
    assert found(judge(first.contract, first.candidate, gate.places, NOW + 9 * HOUR)).reason == NOTHING


def test_what_was_replaced_and_cleaned_away_leaves_a_retry_unjudged(tmp_path):
    gate = Gate(tmp_path, SHRINKS)
    gate.published(None, a=5)
    old = set((gate.places.published / "cases").glob("*.parquet"))
    second = gate.published(None, a=6)
    [path.unlink() for path in old]
    again = judge(second.contract, second.candidate, gate.places, NOW + 9 * HOUR)
    assert found(again).reason == "what this delivery replaced when it was published is no longer kept"
    assert not again.is_accepted


def test_a_retry_of_a_delivery_that_was_replaced_is_compared_with_what_is_published(tmp_path):
    gate = Gate(tmp_path, SHRINKS)
    gate.published(None, a=5)
    second = gate.published(None, a=6)
    gate.published(None, a=7)
    assert told(judge(second.contract, second.candidate, gate.places, NOW + 9 * HOUR)) == (1, 1, 0)


def test_going_back_to_an_older_delivery_shows_it_again(tmp_path):
    gate = Gate(tmp_path, CASES + WHOLE + "history: [{name: grows, sql: n <> previous.n}]\n")
    first = gate.published(None, a=5)
    gate.published(None, a=6)
    at = NOW + 8 * HOUR
    again = take_and_decide(
        first.contract, collect_delivery(first.contract, [gate.root / "landing" / "1"], None), gate.places, at, at
    )
    gate.shown(again, publish_older)
    assert told(gate.judged(None, a=5)) == (1, 0, 0)  # compared with the 6 that it replaced, and not with itself


NONE_COMPARED = dict.fromkeys(("judged", "broken", "unknown", "skipped", "ambiguous", "undecoded"), 0)
UPSERT = CASES + BY_DAY + "publication: {mode: upsert}\n" + GROWS


def test_under_upsert_a_row_is_compared_with_the_published_row_of_its_key(tmp_path):
    """Whatever partition names the delivery, and whichever rows it does not bring."""
    gate = Gate(tmp_path, UPSERT)
    gate.shown(gate.delivered(FIRST, "a,2026-10-01,5", "b,2026-10-01,5"))
    gate.shown(gate.delivered(SECOND, "a,2026-10-02,1"))
    third = gate.delivered(THIRD, "a,2026-10-01,4", "a,2026-10-02,2", "c,2026-10-01,1")
    assert told(third) == (2, 1, 1)


@pytest.mark.parametrize(
    ("text", "partition"), [(CASES + BY_DAY + RULES, SECOND), (UPSERT, FIRST)], ids=["by day", "upsert"]
)
def test_in_however_many_passes_rows_are_compared_the_findings_are_the_same(tmp_path, monkeypatch, text, partition):
    at_once, in_passes = Gate(tmp_path / "once", text), Gate(tmp_path / "passes", text)
    told = []
    for gate, most in ((at_once, shares.MOST_HELD), (in_passes, 1)):
        monkeypatch.setattr(shares, "MOST_HELD", most)
        monkeypatch.setattr(shares, "FEW_KEYS", 0)
        gate.published(FIRST, a=3, b=2, c=1)
        told.append(gate.judged(partition, a=1, b=2, d=1).report.findings)
    assert told[0] == told[1]
    assert next(item for item in told[0] if item.id == "grows.history").details == {
        **NONE_COMPARED,
        "judged": 2,
        "broken": 1,
        "skipped": 1,
    }


def test_under_upsert_a_retry_is_compared_with_what_it_replaced(tmp_path):
    gate = Gate(tmp_path, UPSERT.replace("n >= previous.n", "n > previous.n"))
    first = gate.shown(gate.delivered(FIRST, "a,2026-10-01,5"))
    second = gate.shown(gate.delivered(SECOND, "a,2026-10-01,6"))
    again = judge(second.contract, second.candidate, gate.places, NOW + 9 * HOUR)
    assert (told(again), again.report.learned.baseline) == ((1, 0, 0), first.candidate.submission)
    assert (
        found(judge(second.contract, gate.delivered(THIRD, "a,2026-10-01,6").candidate, gate.places, NOW)).breaches == 1
    )


def test_under_append_a_delivery_is_compared_with_all_of_the_partition_before(tmp_path):
    gate = Gate(tmp_path, CASES + BY_DAY + "publication: {mode: append}\n" + RULES)
    gate.published(FIRST, a=5)
    later = gate.published(FIRST, b=5)
    second = gate.judged(SECOND, a=4, b=6)
    assert (told(second), found(second, "back").breaches) == ((2, 1, 0), 0)
    assert second.report.learned.baseline == later.candidate.submission


def test_what_went_to_quarantine_is_no_predecessor(tmp_path):
    gate = Gate(
        tmp_path,
        CASES.replace("integer}", "integer, min: 0}") + BY_DAY + RULES + "enforcement: {on_breach: quarantine}\n",
    )
    gate.published(FIRST, a=5, b=-1)
    second = gate.judged(SECOND, a=-9, b=3)
    assert (told(second), found(second, "back").breaches) == ((0, 0, 1), 1)
    assert second.decision.verdict.value == "publish_with_quarantine"


def test_a_table_that_was_started_anew_has_no_predecessors_of_the_old_one(gate):
    """The ledger is never cut, and still names what only the old table held."""
    gate.published(FIRST, a=5)
    shutil.rmtree(gate.places.published / "cases")
    assert found(gate.judged(SECOND, a=1)).reason == NOTHING
    gate.published(THIRD, a=2)
    assert told(gate.judged(FOURTH, a=1)) == (1, 1, 0)


def test_a_column_that_is_not_published_yet_leaves_its_rule_unjudged(gate):
    gate.text = gate.text.replace(RULES, "")
    gate.published(FIRST, a=5)
    gate.text = gate.text.replace("1.0.0", "1.1.0").replace(
        "rows: {min: 0}", "  - {name: m, type: integer, required: false, nullable: true}\nrows: {min: 0}"
    ) + "history: [{name: grows, sql: n >= previous.m}]\n"  # fmt: skip
    second = gate.judged(SECOND, a=1)
    hint = "let the rule only warn until a delivery with it is published"
    reason = f"the published table has no column 'm' yet: {hint}"
    assert (found(second).outcome.value, found(second).reason) == ("unjudged", reason)
    assert not second.is_accepted


def test_a_table_that_cannot_be_read_is_said_without_a_word_of_it(gate):
    first = gate.published(FIRST, a=5)
    [path.write_bytes(b"no log") for path in (gate.places.published / "cases" / "_delta_log").glob("*.json")]
    with pytest.raises(PublicationError) as refused:
        judge(first.contract, first.candidate, gate.places, NOW)
    (problem,) = refused.value.problems
    assert (problem.where, problem.what.split(":")[0]) == ("contract 'cases'", "its published table cannot be read")


@pytest.mark.parametrize("content", [b"", b"PAR1 no rows PAR1"], ids=["empty", "no Parquet"])
def test_published_rows_that_cannot_be_read_are_said_without_a_word_of_them(content, gate):
    gate.published(FIRST, a=5)
    [path.write_bytes(content) for path in (gate.places.published / "cases").rglob("*.parquet")]
    with pytest.raises(PublicationError) as refused:
        gate.judged(SECOND, a=5)
    (problem,) = refused.value.problems
    said = "its published table, or the candidate, cannot be read: ComputeError"
    assert (problem.what, refused.value.__context__) == (said, None)


def test_a_ledger_that_was_written_anew_still_names_the_predecessor(gate):
    first = gate.published(FIRST, a=5)
    gate.published(SECOND, a=6)
    shutil.rmtree(gate.places.ledger)
    complete(reconcile_contract(first.contract, gate.places, NOW), gate.ledger)
    published = [entry for entry in gate.ledger.entries("cases") if entry.event is Event.PUBLISHED]
    assert [entry.baseline for entry in published] == [None, first.candidate.submission]
    assert told(gate.judged(THIRD, a=5)) == (1, 1, 0)


OTHER_TYPES = [
    pytest.param("time", "13:00:00", "12:59:59.5", id="time"),
    pytest.param("uint64", "18446744073709551615", "18446744073709551614", id="uint64"),
    pytest.param("uint8", "200", "199", id="uint8"),
    pytest.param("decimal(5,2)", "1.10", "1.09", id="decimal"),
    pytest.param("timestamp", "2026-10-01T10:00:00", "2026-10-01T09:59:59", id="timestamp"),
    pytest.param("boolean", "true", "false", id="boolean"),
]  # fmt: skip


@pytest.mark.parametrize(("promised", "before", "now"), OTHER_TYPES)
def test_values_that_a_table_holds_in_another_type_are_compared_as_promised(promised, before, now, tmp_path):
    """The table has no times and no unsigned numbers; what it has for them is read back."""
    gate = Gate(tmp_path, CASES.replace("name: n, type: integer", f'name: n, type: "{promised}"') + BY_DAY + GROWS)
    gate.shown(gate.delivered(FIRST, f"a,{FIRST},{before}", f"b,{FIRST},{now}"))
    assert told(gate.delivered(SECOND, f"a,{SECOND},{now}", f"b,{SECOND},{now}")) == (2, 1, 0)


def test_durations_are_compared_as_promised(tmp_path):
    text = CASES.replace("type: integer", "type: duration") + GROWS + "delivery: {format: {type: parquet}}\n"
    contract, places = parse_contract(text, "cases.yaml"), Environment.at(tmp_path)
    for number, (seconds, expected) in enumerate([(2, None), (1, (1, 1, 0))]):
        rows = {"region": ["a"], "day": [NOW.date()], "n": [timedelta(seconds=seconds)]}
        (tmp_path / f"{number}").mkdir()
        pl.DataFrame(rows).with_columns(pl.col("n").cast(pl.Duration("ms"))).write_parquet(
            tmp_path / f"{number}" / "x.parquet"
        )
        delivery = collect_delivery(contract, [tmp_path / f"{number}"], None)
        judged = take_and_decide(contract, delivery, places, NOW + number * HOUR, NOW)
        publish_judged(judged, places, NOW + number * HOUR)
        assert expected is None or told(judged) == expected


def test_a_candidate_is_loaded_and_judged_alike(gate):
    gate.published(FIRST, a=5)
    second = gate.judged(SECOND, a=4)
    candidate = load_candidate(gate.places.candidates, "cases", second.candidate.submission)
    assert judge(second.contract, candidate, gate.places, NOW).report.findings == second.report.findings
