"""How accepted rows enter the table: in place of a partition, in place of the row of their key, or beside the others."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import nan
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.errors import (
    GateClosedError,
    InvalidContractError,
    OlderSubmissionError,
    PublicationError,
)
from contract_core.publication import store as store_module
from contract_core.publication.history import decisions
from contract_core.publication.ledger import Ledger
from contract_core.publication.publish import publish, publish_older
from contract_core.publication.record import PublicationRecord
from contract_core.publication.store import Store
from contract_core.publication.submit import Judged, judge_again, publish_judged, store_of, take_and_decide
from contract_core.validation import shares
from tests.publication.samples import publications
from tests.publication.unchanged import unchanged

NOW = datetime(2026, 10, 5, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
FIRST, SECOND = "2026-10-01", "2026-10-02"
MODES = ("replace_partition", "upsert", "append")
KEYED = """\
contract: cases
version: "1.0.0"
key: [k]
fields:
  - {name: k, type: string}
  - {name: day, type: date}
  - {name: n, type: integer, min: 0}
rows: {min: 0}
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
"""
DAILY_KEY = KEYED.replace("key: [k]", "key: [k, day]")
PARQUET = """\
contract: cases
version: "1.0.0"
key: [k]
delivery: {format: {type: parquet}}
"""


@dataclass(frozen=True)
class Gate:
    """One environment, and the whole way of a delivery through it."""

    root: Path

    @property
    def places(self) -> Environment:
        return Environment.at(self.root)

    @property
    def store(self) -> Store:
        return store_of(self.places)

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.places.ledger)

    def judged(
        self, text: str, content: str | pl.DataFrame, partition: str | None = FIRST, at: datetime = NOW
    ) -> Judged:
        """What the gate says of one file, received at that moment."""
        landing = self.places.landing / str(len(list(self.places.landing.glob("*"))))
        landing.mkdir(parents=True)
        if isinstance(content, str):
            (landing / "cases.csv").write_text(content)
        else:
            content.write_parquet(landing / "cases.parquet")
        contract = parse_contract(text, "cases.yaml")
        return take_and_decide(contract, collect_delivery(contract, [landing], partition), self.places, at, at)

    def publish(self, judged: Judged, at: datetime = NOW, how: Any = publish) -> PublicationRecord:
        record = publish_judged(judged, self.places, at, how)
        assert record is not None, f"refused: {judged.decision.reasons}"
        return record

    def offered(
        self, text: str, content: str | pl.DataFrame, partition: str | None = FIRST, at: datetime = NOW
    ) -> PublicationRecord:
        return self.publish(self.judged(text, content, partition, at), at)

    def decide_again(self, judged: Judged, at: datetime) -> Judged:
        """The same candidate judged once more, so that the last decision is about it."""
        contract, folder = judged.contract, judged.candidate.path.parent
        found = sorted(self.places.landing.glob("*/*"), key=lambda path: int(path.parent.name))
        for path in found:
            delivery = collect_delivery(contract, [path.parent], judged.candidate.partition)
            again = take_and_decide(contract, delivery, self.places, at, at)
            if again.candidate.submission == judged.candidate.submission:
                return again
        raise AssertionError(f"not delivered below {folder}")

    def shown(self) -> list[tuple[Any, ...]]:
        return sorted(self.store.rows("cases").collect().rows(), key=str)

    def pairs(self) -> list[tuple[Any, Any]]:
        """Key and number of each published row."""
        return sorted(self.store.rows("cases").select("k", "n").collect().rows(), key=str)

    def at(self, record: PublicationRecord) -> list[tuple[Any, Any]]:
        """The same, as it was right after a publication."""
        rows = self.store.rows_at("cases", record.submission)
        return sorted(rows.select("k", "n").collect().rows(), key=str)

    @property
    def table(self) -> Path:
        return self.store.path_of("cases")


@pytest.fixture
def gate(tmp_path) -> Gate:
    return Gate(tmp_path / "root")


def in_mode(mode: str, text: str = KEYED, policy: str = "fail") -> str:
    return f"{text}publication: {{mode: {mode}}}\nenforcement: {{on_breach: {policy}}}\n"


def rows(*values: tuple[str, int] | tuple[str, int, str], day: str = FIRST) -> str:
    lines = [",".join((value[0], value[2] if len(value) > 2 else day, str(value[1]))) for value in values]
    return "\n".join(["k,day,n", *lines, ""])


SAME_PARTITION = {
    "replace_partition": [("b", 2), ("c", 2)],
    "upsert": [("a", 1), ("b", 2), ("c", 2)],
}


@pytest.mark.parametrize(("mode", "expected"), SAME_PARTITION.items(), ids=SAME_PARTITION)
def test_two_deliveries_with_one_key_in_one_partition_leave_one_row_of_it(gate, mode, expected):
    """[S1-067, S1-068] And what the table showed before can still be read."""
    text = in_mode(mode)
    first = gate.offered(text, rows(("a", 1), ("b", 1)))
    second = gate.offered(text, rows(("b", 2), ("c", 2)), at=NOW + HOUR)
    assert gate.pairs() == gate.at(second) == expected
    assert gate.at(first) == [("a", 1), ("b", 1)]


OTHER_PARTITION = {
    "replace_partition": (KEYED, [("a", 1), ("b", 1), ("b", 2), ("c", 2)]),
    "upsert": (KEYED, [("a", 1), ("b", 2), ("c", 2)]),
    "upsert, the partition in the key": (DAILY_KEY, [("a", 1), ("b", 1), ("b", 2), ("c", 2)]),
    "append, the partition in the key": (DAILY_KEY, [("a", 1), ("b", 1), ("b", 2), ("c", 2)]),
}


@pytest.mark.parametrize(("text", "expected"), OTHER_PARTITION.values(), ids=OTHER_PARTITION)
def test_two_deliveries_with_one_key_in_two_partitions(gate, request, text, expected):
    """[S1-067] A key tells rows apart within a delivery, and across them where the mode works by key."""
    mode = request.node.callspec.id.partition(",")[0]
    first = gate.offered(in_mode(mode, text), rows(("a", 1), ("b", 1)))
    gate.offered(in_mode(mode, text), rows(("b", 2), ("c", 2), day=SECOND), SECOND, NOW + HOUR)
    assert gate.pairs() == expected
    assert gate.at(first) == [("a", 1), ("b", 1)]


@pytest.mark.parametrize("partition", [FIRST, SECOND])
def test_an_appended_key_that_is_published_already_refuses_the_delivery(gate, partition):
    """[S1-067, S1-042] In whichever partition it stands."""
    text = in_mode("append")
    gate.offered(text, rows(("a", 1), ("b", 1)))
    with unchanged(gate.table):
        judged = gate.judged(text, rows(("b", 2), ("c", 2), day=partition), partition, NOW + HOUR)
        assert publish_judged(judged, gate.places, NOW + HOUR) is None
    assert judged.decision.reasons == ("key.published",)
    assert {item.id: item.breaches for item in judged.report.breached()} == {"key.published": 1}


def test_an_appended_key_that_is_published_already_goes_to_quarantine_where_the_contract_says_so(gate):
    """[S1-067, S3-019]"""
    text = in_mode("append", policy="quarantine")
    gate.offered(text, rows(("a", 1), ("b", 1)))
    record = gate.offered(text, rows(("b", 2), ("c", 2), ("d", -1)), at=NOW + HOUR)
    assert (record.rows, record.quarantined) == (1, 2)
    assert gate.pairs() == [("a", 1), ("b", 1), ("c", 2)]
    apart = gate.store.quarantine.rows("cases").sort("row").collect()
    assert apart.select("row", "rules").rows() == [(1, ["key.published"]), (3, ["n.range"])]


def test_a_contract_whose_deliveries_correct_rows_cannot_append(gate):
    """[S1-042]"""
    text = in_mode("append").replace("delivery: {", "delivery: {corrections: true, ")
    with pytest.raises(InvalidContractError, match="append cannot take corrections"):
        parse_contract(text, "cases.yaml")
    assert parse_contract(text.replace("mode: append", "mode: upsert"), "cases.yaml").delivery.corrections


@pytest.mark.parametrize("mode", ["upsert", "append"])
def test_what_works_by_key_needs_one(mode):
    """[S1-042]"""
    with pytest.raises(InvalidContractError, match="works by key"):
        parse_contract(in_mode(mode).replace("key: [k]\n", ""), "cases.yaml")


@pytest.mark.parametrize("mode", MODES)
def test_a_retry_publishes_nothing_twice(gate, mode):
    """[S1-067] And it is not held against its own publication."""
    text, delivery = in_mode(mode), rows(("a", 1), ("b", 1))
    judged = gate.judged(text, delivery)
    first = gate.publish(judged)
    again = gate.publish(judged, NOW + HOUR)
    offered = gate.judged(text, delivery, at=NOW + 2 * HOUR)
    assert offered.is_accepted
    last = gate.publish(offered, NOW + 2 * HOUR)
    assert first.table_version == again.table_version == last.table_version
    assert (again.already_published, last.already_published) == (True, True)
    assert (gate.pairs(), len(publications(gate.table))) == ([("a", 1), ("b", 1)], 1)


@pytest.mark.parametrize("mode", MODES)
def test_a_publication_whose_record_was_lost_is_recorded_and_not_done_again(gate, monkeypatch, mode):
    """[S1-067] Judged again after the crash, its own rows do not count as published before."""
    text, delivery = in_mode(mode), rows(("a", 1))
    judged = gate.judged(text, delivery)
    write = store_module.write_rows

    def killed(*arguments):
        write(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(store_module, "write_rows", killed)
        with pytest.raises(KeyboardInterrupt):
            gate.publish(judged)
    again = gate.judged(text, delivery, at=NOW + HOUR)
    assert again.is_accepted
    assert gate.publish(again, NOW + HOUR).already_published
    assert (gate.pairs(), len(publications(gate.table))) == ([("a", 1)], 1)
    assert [entry.event.value for entry in gate.ledger.entries()][-1] == "published"


RIVALS = {
    "fail": ("fail", [("a", 1), ("b", 1)], ("key.published",), [("b", 2)]),
    "quarantine": ("quarantine", [("a", 1), ("b", 1)], ("key.published",), [("a", 1), ("b", 2)]),
    "quarantine, some rows broken": (
        "quarantine",
        [("a", 1), ("b", 1), ("x", -1)],
        ("n.range", "key.published"),
        [("a", 1), ("b", 2)],
    ),
}


@pytest.mark.parametrize(("policy", "delivered", "reasons", "expected"), RIVALS.values(), ids=RIVALS)
def test_a_rival_that_appends_a_key_after_the_judgement_is_found(gate, policy, delivered, reasons, expected):
    """[S1-069] The loser is told to look again, shows nothing, and is then judged by what is published."""
    text = in_mode("append", policy=policy)
    loser = gate.judged(text, rows(*delivered))
    gate.offered(text, rows(("b", 2), day=SECOND), SECOND, NOW + HOUR)
    with unchanged(gate.table), pytest.raises(PublicationError, match="check the delivery again"):
        gate.publish(loser, NOW + 2 * HOUR)
    again = judge_again(loser.contract, FIRST, gate.places, NOW + 3 * HOUR, NOW + 3 * HOUR)
    assert again.decision.reasons == reasons
    assert again.is_accepted is (policy == "quarantine")
    publish_judged(again, gate.places, NOW + 3 * HOUR)
    assert gate.pairs() == expected


@pytest.mark.parametrize("mode", MODES)
def test_a_rival_that_commits_at_the_last_moment_makes_the_attempt_start_anew(gate, monkeypatch, mode):
    """[S1-069] Of two publishers that looked at one table one wins; the other looks again, and nobody's rows are lost."""
    text = in_mode(mode, DAILY_KEY)
    gate.offered(text, rows(("z", 0), day="2026-10-03"), "2026-10-03")
    mine = gate.judged(text, rows(("a", 1)), at=NOW + HOUR)
    rival = gate.judged(text, rows(("b", 2), day=SECOND), SECOND, NOW + HOUR)
    write, done = store_module.write_rows, []

    def late(*arguments):
        if not done:
            done.append(True)
            gate.publish(rival, NOW + HOUR)
        return write(*arguments)

    monkeypatch.setattr(store_module, "write_rows", late)
    gate.publish(mine, NOW + HOUR)
    assert gate.pairs() == [("a", 1), ("b", 2), ("z", 0)]
    assert len(publications(gate.table)) == 3


def test_of_two_that_append_one_key_at_once_one_wins(gate, monkeypatch):
    """[S1-069] The rival commits between the look at the table and the write."""
    text = in_mode("append")
    gate.offered(text, rows(("z", 0), day="2026-10-03"), "2026-10-03")
    mine = gate.judged(text, rows(("a", 1)), at=NOW + HOUR)
    rival = gate.judged(text, rows(("a", 2), day=SECOND), SECOND, NOW + HOUR)
    write, done = store_module.write_rows, []

    def late(*arguments):
        if not done:
            done.append(True)
            gate.publish(rival, NOW + HOUR)
        return write(*arguments)

    monkeypatch.setattr(store_module, "write_rows", late)
    with pytest.raises(PublicationError, match="check the delivery again"):
        gate.publish(mine, NOW + HOUR)
    assert gate.pairs() == [("a", 2), ("z", 0)]


NULLABLE = KEYED.replace("{name: k, type: string}", "{name: k, type: string, nullable: true}")


def test_null_keys_are_one_key_under_upsert(gate):
    """[S1-067] A merge by equality would add such a row each time."""
    text = in_mode("upsert", NULLABLE)
    gate.offered(text, rows(("", 1), ("a", 1)))
    gate.offered(text, rows(("", 2)), at=NOW + HOUR)
    gate.offered(text, rows(("", 3), day=SECOND), SECOND, NOW + 2 * HOUR)
    assert gate.pairs() == [("a", 1), (None, 3)]


def test_null_keys_are_one_key_under_append(gate):
    """[S1-067]"""
    text = in_mode("append", NULLABLE)
    gate.offered(text, rows(("", 1), ("a", 1)))
    judged = gate.judged(text, rows(("", 2), ("b", 1)), at=NOW + HOUR)
    assert judged.decision.reasons == ("key.published",)


def test_published_keys_are_found_in_however_many_passes_they_are_looked_for(gate, monkeypatch):
    """[S1-067] A key with a null among them."""
    monkeypatch.setattr(shares, "MOST_HELD", 1)
    monkeypatch.setattr(shares, "FEW_KEYS", 0)
    text = in_mode("append", NULLABLE)
    gate.offered(text, rows(("a", 1), ("b", 1), ("", 1)))
    judged = gate.judged(text, rows(("b", 2), ("c", 2), ("", 2), ("a", 2), ("d", 2)), at=NOW + HOUR)
    assert {item.id: item.breaches for item in judged.report.breached()} == {"key.published": 3}


def test_two_nullable_fields_of_a_key_are_compared_each_by_itself(gate):
    """[S1-067]"""
    text = (
        PARQUET
        + "fields: [{name: k, type: integer, nullable: true}, {name: j, type: string, nullable: true}, {name: n, type: integer}]\n"
    )
    text = in_mode("upsert", text.replace("key: [k]", "key: [k, j]"))
    gate.offered(text, pl.DataFrame({"k": [1, None, None], "j": ["a", "a", None], "n": [1, 1, 1]}), None)
    gate.offered(text, pl.DataFrame({"k": [1, None, 1], "j": [None, "a", "a"], "n": [2, 2, 2]}), None, NOW + HOUR)
    assert gate.shown() == sorted([(1, "a", 2), (1, None, 2), (None, "a", 2), (None, None, 1)], key=str)


def test_an_upsert_by_a_nullable_key_takes_no_longer_than_by_another(tmp_path):
    """Each row is looked up by its key, and not compared with all others."""
    taken, count = {}, 60_000
    for nullable in ("false", "true"):
        gate = Gate(tmp_path / nullable)
        fields = f"fields: [{{name: k, type: integer, nullable: {nullable}}}, {{name: n, type: integer}}]\n"
        text = in_mode("upsert", PARQUET + fields)
        gate.offered(text, pl.DataFrame({"k": range(count), "n": [1] * count}), None)
        judged = gate.judged(text, pl.DataFrame({"k": range(1, count + 1), "n": [2] * count}), None, NOW + HOUR)
        start = datetime.now(UTC)
        gate.publish(judged, NOW + HOUR)
        taken[nullable] = (datetime.now(UTC) - start).total_seconds()
        rows = gate.store.rows("cases").select(pl.len(), pl.col("n").sum()).collect()
        assert rows.row(0) == (count + 1, 2 * count + 1)
    assert taken["true"] < 4 * taken["false"] + 1


def test_an_upsert_moves_a_row_to_another_partition(gate):
    """[S1-067] It stands in one of them at a time."""
    text = in_mode("upsert")
    first = gate.offered(text, rows(("a", 1), ("b", 1)))
    gate.offered(text, rows(("a", 2), day=SECOND), SECOND, NOW + HOUR)
    assert gate.shown() == [("a", date(2026, 10, 2), 2), ("b", date(2026, 10, 1), 1)]
    assert gate.at(first) == [("a", 1), ("b", 1)]


def test_an_upsert_corrects_rows_of_any_partition(gate):
    """[S1-042] The partition names the delivery."""
    text = in_mode("upsert")
    gate.offered(text, rows(("a", 1), ("b", 1)))
    gate.offered(text, rows(("a", 3, FIRST), ("c", 2, SECOND)), SECOND, NOW + HOUR)
    assert gate.shown() == [("a", date(2026, 10, 1), 3), ("b", date(2026, 10, 1), 1), ("c", date(2026, 10, 2), 2)]


@pytest.mark.parametrize("mode", ["replace_partition", "append"])
def test_rows_of_another_partition_are_refused_where_none_is_corrected(gate, mode):
    judged = gate.judged(in_mode(mode), rows(("a", 3, FIRST), ("c", 2, SECOND)), SECOND)
    assert judged.decision.reasons == ("partition",)


def test_an_upsert_that_changes_no_row_is_published_and_recorded_once(gate):
    """[S1-067] Delta commits nothing for a merge without effect; a submission has its commit all the same."""
    text = in_mode("upsert")
    gate.offered(text, rows(("a", 1), ("b", 1)))
    same = gate.judged(text, rows(("b", 1), ("a", 1)), at=NOW + HOUR)
    record = gate.publish(same, NOW + HOUR)
    again = gate.publish(same, NOW + 2 * HOUR)
    assert (record.already_published, again.already_published) == (False, True)
    assert [entry.event.value for entry in gate.ledger.entries()].count("published") == 2
    assert (len(publications(gate.table)), gate.pairs()) == (2, [("a", 1), ("b", 1)])


EMPTY = {
    "replace_partition": [("c", 1)],
    "upsert": [("a", 1), ("c", 1)],
    "append": [("a", 1), ("c", 1)],
}


@pytest.mark.parametrize(("mode", "expected"), EMPTY.items(), ids=EMPTY)
def test_an_empty_delivery_is_published_and_recorded_once(gate, mode, expected):
    """[S1-067] It empties the partition that it replaces, and changes nothing where rows are added or corrected."""
    text = in_mode(mode, DAILY_KEY)
    gate.offered(text, rows(("a", 1)))
    gate.offered(text, rows(("c", 1), day=SECOND), SECOND, NOW + HOUR)
    judged = gate.judged(text, rows(), at=NOW + 2 * HOUR)
    record = gate.publish(judged, NOW + 2 * HOUR)
    assert gate.publish(judged, NOW + 3 * HOUR).already_published
    assert (record.rows, gate.pairs(), len(publications(gate.table))) == (0, expected, 3)


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_delivery_may_be_the_first(gate, mode):
    gate.offered(in_mode(mode), rows())
    gate.offered(in_mode(mode), rows(("a", 1)), at=NOW + HOUR)
    assert gate.pairs() == [("a", 1)]


@pytest.mark.parametrize("mode", MODES)
def test_an_optional_field_that_is_new_is_added_in_each_mode(gate, mode):
    """Rows published before have no value in it, and a delivery that leaves it out is taken afterwards."""
    text = in_mode(mode, DAILY_KEY)
    newer = text.replace("1.0.0", "1.1.0").replace(
        "rows: {min", "  - {name: note, type: string, required: false, nullable: true}\nrows: {min"
    )
    gate.offered(text, rows(("a", 1)))
    noted = f"k,day,n,note\nb,{SECOND},2,seen\n"
    gate.offered(newer, noted, SECOND, NOW + HOUR)
    gate.offered(newer, rows(("c", 3), day="2026-10-03"), "2026-10-03", NOW + 2 * HOUR)
    found = gate.store.rows("cases").select("k", "n", "note").sort("k").collect()
    assert found.rows() == [("a", 1, None), ("b", 2, "seen"), ("c", 3, None)]


def test_an_upsert_without_an_optional_field_takes_its_value_away(gate):
    """A row is replaced whole: what its correction does not say, it does not have."""
    text = in_mode("upsert").replace(
        "rows: {min", "  - {name: note, type: string, required: false, nullable: true}\nrows: {min"
    )
    gate.offered(text, f"k,day,n,note\na,{FIRST},1,seen\n")
    gate.offered(text, rows(("a", 2)), at=NOW + HOUR)
    assert gate.store.rows("cases").select("k", "n", "note").collect().rows() == [("a", 2, None)]


@pytest.mark.parametrize("text", [DAILY_KEY, KEYED], ids=["the key has the partition's column", "it has not"])
def test_keys_are_looked_for_in_the_partitions_that_could_hold_them_alone(gate, text):
    """A file of another partition is gone: who reads it fails."""
    gate.offered(in_mode("append", text), rows(("a", 1)))
    gate.offered(in_mode("append", text), rows(("b", 1), day=SECOND), SECOND, NOW + HOUR)
    [file] = [path for path in gate.table.rglob("*.parquet") if f"day={FIRST}" in str(path)]
    file.unlink()
    more = rows(("c", 1), day=SECOND)
    if text == DAILY_KEY:
        judged = gate.judged(in_mode("append", text), more, SECOND, NOW + 2 * HOUR)
        assert gate.publish(judged, NOW + 2 * HOUR).rows == 1
    else:
        with pytest.raises(PublicationError, match="published table cannot be read"):
            gate.judged(in_mode("append", text), more, SECOND, NOW + 2 * HOUR)


def test_a_partition_of_moments_finds_its_published_keys(gate):
    """[S1-067] Where no folder tells them."""
    text = PARQUET.replace(
        "delivery: {format: {type: parquet}}",
        "delivery: {format: {type: parquet}, partition: {column: at, every: hour, start: 2026-10-01}}",
    ).replace("key: [k]", "key: [k, at]")
    text = in_mode(
        "append",
        text + 'fields: [{name: k, type: string}, {name: at, type: "timestamp[us,UTC]"}, {name: n, type: integer}]\n',
    )
    moment = datetime(2026, 10, 1, 7, 59, 59, 999999, tzinfo=UTC)
    frame = pl.DataFrame({"k": ["a"], "at": [moment], "n": [1]}).cast({"at": pl.Datetime("us", "UTC")})
    gate.offered(text, frame, "2026-10-01-07:00")
    judged = gate.judged(text, frame.with_columns(n=pl.lit(2, pl.Int64)), "2026-10-01-07:00", NOW + HOUR)
    assert judged.decision.reasons == ("key.published",)


UTC_MOMENT, NANO = pl.Datetime("us", "UTC"), pl.Datetime("ns")
KEY_TYPES: Mapping[str, tuple[str, Any, Any, list[Any], list[Any]]] = {
    "integers": ("integer", pl.Int64, pl.Int64, [1, 2], [2, 3]),
    "integers of other widths": ("integer", pl.Int8, pl.UInt32, [1, 2], [2, 3]),
    "unsigned integers": ("uint64", pl.UInt64, pl.UInt64, [1, 2**64 - 1], [2**64 - 1, 3]),
    "unsigned integers of a family": ("integer", pl.UInt64, pl.Int64, [1, 2**63 - 1], [2**63 - 1, 3]),
    "texts": ("string", pl.String, pl.String, ["a", "it's \\ \"b\""], ["it's \\ \"b\"", "B"]),
    "texts and categories": ("string", pl.String, pl.Categorical, ["a", "b"], ["b", "c"]),
    "categories and enums": ("string", pl.Categorical, pl.Enum(["b", "c"]), ["a", "b"], ["b", "c"]),
    "days": ("date", pl.Date, pl.Date, [date(1, 1, 1), date(2026, 10, 1)], [date(2026, 10, 1), date(9999, 12, 31)]),
    "decimals": (
        "decimal(20,2)", pl.Decimal(20, 2), pl.Decimal(20, 2), [Decimal("1.10"), Decimal("2.00")], [Decimal(2), Decimal("2.01")],
    ),
    "moments": (
        "timestamp[us]", pl.Datetime("us"), pl.Datetime("us"),
        [datetime(2026, 1, 1), datetime(2026, 1, 1, 0, 0, 0, 1)], [datetime(2026, 1, 1, 0, 0, 0, 1), datetime(2026, 1, 2)],
    ),
    "moments of other units": (
        "timestamp", NANO, pl.Datetime("ms"), [datetime(2026, 1, 1), datetime(2026, 1, 2)], [datetime(2026, 1, 2), datetime(2026, 1, 3)],
    ),
    "moments with a zone": (
        "timestamp[us,UTC]", UTC_MOMENT, UTC_MOMENT,
        [datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)],
        [datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 3, tzinfo=UTC)],
    ),
    "booleans": ("boolean", pl.Boolean, pl.Boolean, [True, None], [None, False]),
    "bytes": ("binary", pl.Binary, pl.Binary, [b"", b"\xff\x00"], [b"\xff\x00", b"\xff"]),
    "numbers": ("number", pl.Float64, pl.Float64, [1.5, 0.0], [-0.0, 0.1]),
    "numbers of other widths": ("number", pl.Float64, pl.Float32, [1.5, 0.25], [0.25, 0.5]),
    "no numbers": ("number", pl.Float64, pl.Float64, [1.5, nan], [nan, 0.1]),
    "times": ("time", pl.Time, pl.Time, [datetime(1, 1, 1, 1).time(), datetime(1, 1, 1, 2).time()], [datetime(1, 1, 1, 2).time(), datetime(1, 1, 1, 3).time()]),
    "durations": ("duration", pl.Duration("us"), pl.Duration("ms"), [timedelta(1), timedelta(2)], [timedelta(2), timedelta(3)]),
}  # fmt: skip


def keyed_by(field: str, mode: str) -> str:
    nan_is_fine = ", allow_nan: true" if field == "number" else ""
    return in_mode(
        mode,
        f'{PARQUET}fields: [{{name: k, type: "{field}", nullable: true{nan_is_fine}}}, {{name: n, type: integer}}]\n',
    )


@pytest.mark.parametrize(("field", "first", "second", "old", "new"), KEY_TYPES.values(), ids=KEY_TYPES)
def test_a_key_of_any_type_finds_its_published_row_under_upsert(gate, field, first, second, old, new):
    """[S1-067] One key is common to both deliveries, in whichever physical type each of them has it."""
    text = keyed_by(field, "upsert")
    gate.offered(text, pl.DataFrame({"k": pl.Series(old, dtype=first), "n": [1, 2]}), None)
    gate.offered(text, pl.DataFrame({"k": pl.Series(new, dtype=second), "n": [3, 4]}), None, NOW + HOUR)
    assert sorted(gate.store.rows("cases").select("n").collect()["n"].to_list()) == [1, 3, 4]


@pytest.mark.parametrize(("field", "first", "second", "old", "new"), KEY_TYPES.values(), ids=KEY_TYPES)
def test_a_key_of_any_type_finds_its_published_row_under_append(gate, field, first, second, old, new):
    """[S1-067]"""
    text = in_mode("append", keyed_by(field, "append").split("publication:", maxsplit=1)[0], "quarantine")
    gate.offered(text, pl.DataFrame({"k": pl.Series(old, dtype=first), "n": [1, 2]}), None)
    judged = gate.judged(text, pl.DataFrame({"k": pl.Series(new, dtype=second), "n": [3, 4]}), None, NOW + HOUR)
    assert {item.id: item.breaches for item in judged.report.breached()} == {"key.published": 1}
    gate.publish(judged, NOW + HOUR)
    assert sorted(gate.store.rows("cases").select("n").collect()["n"].to_list()) == [1, 2, 4]


def test_any_two_numbers_that_are_none_are_one_key_under_upsert(gate):
    """[S1-067] As they are within a delivery, whatever their bits."""
    text = keyed_by("number", "upsert")
    gate.offered(text, pl.DataFrame({"k": [nan], "n": [1]}), None)
    gate.offered(text, pl.DataFrame({"k": [-nan], "n": [2]}), None, NOW + HOUR)
    assert gate.store.rows("cases").select("n").collect()["n"].to_list() == [2]


def test_a_key_that_did_not_decode_is_not_the_published_key_without_a_value(gate):
    """It is compared as its text within a delivery, and has no published row to be held against."""
    text = in_mode(
        "append", KEYED.replace("{name: k, type: string}", "{name: k, type: integer, nullable: true}"), "quarantine"
    )
    gate.offered(text, rows(("", 1)))
    judged = gate.judged(text, rows(("many", 1), ("7", 1)), at=NOW + HOUR)
    assert {item.id: item.breaches for item in judged.report.breached()} == {"k.type": 1}


def test_a_record_without_a_key_is_not_the_published_key_without_a_value(gate):
    """Neither one that is no object, nor one whose key is absent."""
    text = """\
contract: cases
version: "1.0.0"
key: [k]
fields: [{name: k, type: integer, nullable: true}, {name: n, type: integer}]
delivery: {format: {type: jsonl}}
"""
    text = in_mode("append", text, "quarantine")
    for place, lines in enumerate(['{"k": null, "n": 1}\n', '5\n{"n": 2}\n{"k": 2, "n": 2}\n']):
        landing = gate.places.landing / str(place)
        landing.mkdir(parents=True)
        (landing / "a.jsonl").write_text(lines)
        contract = parse_contract(text, "cases.yaml")
        delivery = collect_delivery(contract, [landing], None)
        judged = take_and_decide(contract, delivery, gate.places, NOW + place * HOUR, NOW)
        gate.publish(judged, NOW + place * HOUR)
    assert {item.id: item.breaches for item in judged.report.breached()} == {"not_object": 1, "k.missing": 1}


@pytest.mark.parametrize("mode", ["replace_partition", "upsert"])
def test_an_older_submission_does_not_replace_a_newer_one_unless_that_is_asked_for(gate, mode):
    """[S1-067, S1-068] By the moment at which each was received, not by that of its publication."""
    text = in_mode(mode)
    older = gate.judged(text, rows(("a", 1)))
    newer = gate.offered(text, rows(("a", 2)), at=NOW + HOUR)
    again = gate.decide_again(older, NOW + 2 * HOUR)
    with unchanged(gate.table), pytest.raises(OlderSubmissionError, match="--allow-older"):
        gate.publish(again, NOW + 2 * HOUR)
    record = gate.publish(again, NOW + 3 * HOUR, publish_older)
    assert (gate.pairs(), gate.at(newer), gate.at(record)) == ([("a", 1)], [("a", 2)], [("a", 1)])


def test_an_older_submission_of_another_partition_replaces_nothing(gate):
    text = in_mode("replace_partition")
    older = gate.judged(text, rows(("a", 1)))
    gate.offered(text, rows(("a", 2), day=SECOND), SECOND, NOW + HOUR)
    gate.publish(older, NOW + 2 * HOUR)
    assert gate.pairs() == [("a", 1), ("a", 2)]


def test_an_older_submission_of_another_partition_may_replace_rows_under_upsert(gate):
    """[S1-067] So it is refused as well."""
    text = in_mode("upsert")
    older = gate.judged(text, rows(("a", 1)))
    gate.offered(text, rows(("a", 2), day=SECOND), SECOND, NOW + HOUR)
    with unchanged(gate.table), pytest.raises(OlderSubmissionError):
        gate.publish(older, NOW + 2 * HOUR)
    gate.publish(older, NOW + 3 * HOUR, publish_older)
    assert gate.pairs() == [("a", 1)]


def test_an_older_submission_is_appended(gate):
    """[S1-067] It replaces nothing."""
    text = in_mode("append")
    older = gate.judged(text, rows(("a", 1)))
    gate.offered(text, rows(("b", 2), day=SECOND), SECOND, NOW + HOUR)
    gate.publish(older, NOW + 2 * HOUR)
    assert gate.pairs() == [("a", 1), ("b", 2)]


@pytest.mark.parametrize("mode", ["replace_partition", "upsert"])
def test_going_back_to_a_published_submission_has_to_be_asked_for(gate, mode):
    """[S1-068] A retry of it changes nothing; by name it is published anew, in a commit of its own."""
    text = in_mode(mode)
    first = gate.judged(text, rows(("a", 1)))
    gate.publish(first)
    gate.offered(text, rows(("a", 2)), at=NOW + HOUR)
    again = gate.decide_again(first, NOW + 2 * HOUR)
    with unchanged(gate.table):
        assert gate.publish(again, NOW + 2 * HOUR).already_published
    assert not gate.publish(again, NOW + 3 * HOUR, publish_older).already_published
    assert (gate.pairs(), len(publications(gate.table))) == ([("a", 1)], 3)


def test_going_back_to_an_appended_submission_adds_nothing_twice(gate):
    """[S1-067]"""
    text = in_mode("append")
    first = gate.judged(text, rows(("a", 1)))
    gate.publish(first)
    gate.offered(text, rows(("b", 2)), at=NOW + HOUR)
    again = gate.decide_again(first, NOW + 2 * HOUR)
    assert again.is_accepted
    for how in (publish, publish_older):
        with unchanged(gate.table):
            assert gate.publish(again, NOW + 2 * HOUR, how).already_published
    assert gate.pairs() == [("a", 1), ("b", 2)]


def test_going_back_under_upsert_reaches_a_submission_of_another_partition(gate):
    """[S1-068] Its rows were replaced by those of the other, though its own partition shows nothing newer."""
    text = in_mode("upsert")
    first = gate.judged(text, rows(("a", 1)))
    gate.publish(first)
    gate.offered(text, rows(("a", 2), day=SECOND), SECOND, NOW + HOUR)
    record = gate.publish(first, NOW + 2 * HOUR, publish_older)
    assert (gate.pairs(), record.already_published) == ([("a", 1)], False)


def test_only_what_replaces_a_partition_supersedes_a_submission(gate, tmp_path):
    """[S1-068] Where rows are added or corrected an earlier submission still counts."""
    for mode in MODES:
        other = Gate(tmp_path / mode)
        other.offered(in_mode(mode), rows(("a", 1)))
        second = other.offered(in_mode(mode), rows(("b", 1)), at=NOW + HOUR)
        old, new = decisions(other.ledger.entries())
        assert (old.superseded_by, new.superseded_by) == (
            second.submission if mode == "replace_partition" else None,
            None,
        )


@pytest.mark.parametrize("mode", MODES)
def test_only_what_was_published_has_rows_in_quarantine(gate, monkeypatch, mode):
    """[S1-069, S3-019] One that lost to a rival and was refused for it leaves none behind."""
    text = in_mode(mode, policy="quarantine")
    gate.offered(text, rows(("z", 0), day="2026-10-03"), "2026-10-03")
    mine = gate.judged(text, rows(("a", 1), ("x", -1)), at=NOW + HOUR)
    rival = gate.judged(text, rows(("a", 2), ("y", -1), day=SECOND), SECOND, NOW + 2 * HOUR)
    write, done = store_module.write_rows, []

    def late(*arguments):
        if not done:
            done.append(True)
            gate.publish(rival, NOW + 2 * HOUR)
        return write(*arguments)

    with monkeypatch.context() as patched, suppress(PublicationError, GateClosedError):
        patched.setattr(store_module, "write_rows", late)
        gate.publish(mine, NOW + 3 * HOUR)
    published = {entry.submission for entry in gate.ledger.entries() if entry.event.value == "published"}
    assert set(gate.store.quarantine.counts("cases")) <= published


def test_time_travel_shows_what_stood_after_each_submission(gate):
    """[S1-068] All partitions as they were then."""
    text = in_mode("upsert")
    records = [
        gate.offered(text, rows(("a", place), day=day), day, NOW + place * HOUR)
        for place, day in enumerate([FIRST, SECOND, FIRST])
    ]
    assert [gate.at(record) for record in records] == [[("a", 0)], [("a", 1)], [("a", 2)]]
    with pytest.raises(PublicationError, match="no version of the published table"):
        gate.store.rows_at("cases", "0" * 64)


WARNED = {
    "replace_partition": [("a", -1), ("a", 2), ("z", 0)],
    "append": [("a", -1), ("a", 1), ("a", 2), ("z", 0)],
}


@pytest.mark.parametrize(("mode", "expected"), WARNED.items(), ids=WARNED)
def test_warnings_publish_all_rows_as_the_mode_says(gate, mode, expected):
    """[S1-067] Repeated keys among them, since only telling was asked for."""
    text = in_mode(mode, policy="warn")
    gate.offered(text, rows(("z", 0), day=SECOND), SECOND)
    gate.offered(text, rows(("a", 1)))
    judged = gate.judged(text, rows(("a", -1), ("a", 2)), at=NOW + HOUR)
    assert judged.decision.warnings == ("n.range", "key") + (("key.published",) if mode == "append" else ())
    gate.publish(judged, NOW + HOUR)
    assert gate.pairs() == expected


def test_warnings_let_no_repeated_key_into_a_table_that_is_kept_by_key(gate):
    """[S1-067] Of two rows neither can take the place of the published one."""
    text = in_mode("upsert", policy="warn")
    gate.offered(text, rows(("a", 1)))
    broken = gate.judged(text, rows(("a", -1), ("b", 2)), at=NOW + HOUR)
    gate.publish(broken, NOW + HOUR)
    assert gate.pairs() == [("a", -1), ("b", 2)]
    with unchanged(gate.table):
        judged = gate.judged(text, rows(("a", 3), ("a", 4), ("c", -1)), at=NOW + 2 * HOUR)
    assert (judged.is_accepted, judged.decision.reasons, judged.decision.warnings) == (False, ("key",), ("n.range",))


@pytest.mark.parametrize("mode", MODES)
def test_broken_rows_are_kept_apart_in_each_mode(gate, mode):
    """[S3-019]"""
    text = in_mode(mode, policy="quarantine")
    gate.offered(text, rows(("z", 0), day=SECOND), SECOND)
    record = gate.offered(text, rows(("a", 1), ("b", -1), ("c", 1), ("c", 2)), at=NOW + HOUR)
    assert (record.rows, record.quarantined, gate.pairs()) == (1, 3, [("a", 1), ("z", 0)])


@pytest.mark.parametrize("mode", MODES)
def test_another_delivery_of_the_partition_closes_the_gate_in_each_mode(gate, mode):
    """[S1-069] What is published is what was decided last."""
    text = in_mode(mode)
    first = gate.judged(text, rows(("a", 1)))
    gate.judged(text, rows(("b", 1)), at=NOW + HOUR)
    with pytest.raises(GateClosedError, match="another submission"):
        gate.publish(first, NOW + HOUR)


def test_the_command_line_goes_back_where_that_is_asked_for(run, tmp_path):
    """[S1-068]"""
    (tmp_path / "cases.yaml").write_text(in_mode("replace_partition"))
    for name, n in (("old", 1), ("new", 2)):
        (tmp_path / f"{name}.csv").write_text(rows(("a", n)))
    offer = ("publish", "cases.yaml", "--partition", FIRST, "--root", "root")
    assert [run(*offer, name)[0] for name in ("old.csv", "new.csv")] == [0, 0]
    assert "nothing changed" in run(*offer, "old.csv")[1]
    store = Store(tmp_path / "root/published")
    assert store.rows("cases").collect()["n"].to_list() == [2]
    assert run(*offer, "old.csv", "--allow-older")[0] == 0
    assert store.rows("cases").collect()["n"].to_list() == [1]
    assert DeltaTable(tmp_path / "root/published/cases").version() == store.commit_of("cases", _shown_last(tmp_path))


def _shown_last(folder: Path) -> str:
    return Ledger(folder / "root/ledger").entries()[-1].submission
