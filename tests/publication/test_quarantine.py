"""Rows that break a promise are kept apart, each with its reasons, and the others are published: once, or not at all."""

import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from contract_core.candidate import snapshot
from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.errors import GateClosedError, PublicationError
from contract_core.publication import store as store_module
from contract_core.publication import windows
from contract_core.publication.decision import Verdict
from contract_core.publication.history import Fate, decisions
from contract_core.publication.ledger import Ledger
from contract_core.publication.quarantine import SCHEMA, Quarantine
from contract_core.publication.record import PublicationRecord
from contract_core.publication.store import Store
from contract_core.publication.submit import Judged, publish_judged, store_of, take_and_decide
from contract_core.validation import breaking_rows, query, remembered
from contract_core.validation.broken_rows import counted_alone
from tests.publication.unchanged import unchanged

NOW = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = "2026-10-01"
CASES = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}"}
  - {name: day, type: date}
  - {name: n, type: integer, min: 0}
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
enforcement: {on_breach: quarantine}
"""
PLAIN = """\
contract: cases
version: "1.0.0"
fields:
  - {name: n, type: integer, min: 0}
enforcement: {on_breach: quarantine}
"""
MIXED = "region,day,n\nNL,2026-10-01,12\nBE,2026-10-01,-3\nde,2026-10-01,many\n"


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
    def quarantine(self) -> Quarantine:
        return self.store.quarantine

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.places.ledger)

    def judged(
        self,
        text: str,
        files: Mapping[str, str | bytes | pl.DataFrame] | str,
        partition: str | None = None,
        at: datetime = NOW,
    ) -> Judged:
        """What the gate says of these files; a text is one CSV file."""
        landing = self.places.landing / str(len(list(self.places.landing.glob("*"))))
        landing.mkdir(parents=True)
        for name, content in ({"cases.csv": files} if isinstance(files, str) else files).items():
            if isinstance(content, pl.DataFrame):
                content.write_parquet(landing / name)
            else:
                (landing / name).write_bytes(content.encode() if isinstance(content, str) else content)
        contract = parse_contract(text, "cases.yaml")
        return take_and_decide(contract, collect_delivery(contract, [landing], partition), self.places, at, at)

    def publish(self, judged: Judged, at: datetime = NOW) -> PublicationRecord | None:
        return publish_judged(judged, self.places, at)

    def offered(
        self,
        text: str,
        files: Mapping[str, str | bytes | pl.DataFrame] | str,
        partition: str | None = None,
        at: datetime = NOW,
    ) -> PublicationRecord | None:
        return self.publish(self.judged(text, files, partition, at), at)

    def apart(self) -> pl.DataFrame:
        return self.quarantine.rows("cases").collect().sort("quarantined_at", "submission", "file", "row")

    def shown(self) -> list[tuple[Any, ...]]:
        """The published rows; none where nothing is published."""
        is_there = self.store.current("cases", DAY) is not None
        return sorted(self.store.rows("cases").collect().rows()) if is_there else []

    def versions(self) -> int:
        return DeltaTable(self.store.path_of("cases")).version()


@pytest.fixture
def gate(tmp_path) -> Gate:
    return Gate(tmp_path / "root")


GROUPED = CASES + 'groups: [{name: total, by: [day], sql: "sum(n) = 12"}]\n'


def test_groups_that_hold_once_rows_are_kept_apart_let_the_others_be_published(gate):
    assert gate.offered(GROUPED, MIXED, DAY) is not None
    assert gate.store.rows("cases").collect().get_column("n").to_list() == [12]


def test_a_group_that_does_not_hold_refuses_the_whole_delivery(gate):
    judged = gate.judged(GROUPED, MIXED.replace("12", "11"), DAY)
    assert (judged.decision.verdict, judged.decision.quarantined) == (Verdict.REFUSE, 0)
    assert "total.group" in judged.decision.reasons
    assert gate.publish(judged) is None
    assert gate.quarantine.counts("cases") == {}


def numbers(*values: object) -> str:
    return "\n".join(["n", *map(str, values), ""])


def test_a_breaking_row_stands_in_an_envelope_and_the_others_are_published(gate):
    """[S3-019] Where it stood, under which contract version it was judged, what it breaks first and in all, and what it was."""
    judged = gate.judged(CASES, MIXED, DAY)
    record = gate.publish(judged)
    assert (judged.decision.verdict, judged.decision.quarantined) == (Verdict.PUBLISH_WITH_QUARANTINE, 2)
    assert (record.rows, record.quarantined) == (1, 2)
    assert gate.shown() == [("NL", date(2026, 10, 1), 12)]
    same = {
        "submission": judged.candidate.submission,
        "contract": "cases",
        "version": "1.0.0",
        "partition": DAY,
        "kind": "contract_breach",
        "file": "cases.csv",
        "quarantined_at": NOW,
    }
    assert gate.apart().to_dicts() == [
        same | {
            "row": 2, "field": "n", "rule": "n.range", "rules": ["n.range"],
            "record": '{"region":"BE","day":"2026-10-01","n":"-3"}',
        },
        same | {
            "row": 3, "field": "region", "rule": "region.pattern", "rules": ["region.pattern", "n.type"],
            "record": '{"region":"de","day":"2026-10-01","n":"many"}',
        },
    ]  # fmt: skip
    assert gate.apart().schema == SCHEMA == pl.Schema(DeltaTable(gate.quarantine.path_of("cases")).schema())


def test_a_reason_that_is_about_no_single_field_names_none(gate):
    text = PLAIN + 'rules: [{name: small, sql: "n < 5"}]\n'
    gate.offered(text, numbers(9, 1))
    assert gate.apart().select("field", "rule", "partition").rows() == [(None, "small.row_rule", None)]


def test_each_version_of_the_contract_stands_with_the_rows_that_it_sent_away(gate):
    """[S3-019]"""
    gate.offered(CASES, MIXED, DAY)
    gate.offered(CASES.replace("1.0.0", "1.1.0").replace("min: 0", "min: 10"), MIXED, DAY, NOW + HOUR)
    assert gate.apart().select("version", "row").rows() == [("1.0.0", 2), ("1.0.0", 3), ("1.1.0", 2), ("1.1.0", 3)]


def test_the_ledger_and_the_commit_tell_how_many_rows_were_kept_apart(gate):
    judged = gate.judged(CASES, MIXED, DAY)
    gate.publish(judged)
    assert [(entry.event.value, entry.rows, entry.quarantined) for entry in gate.ledger.entries()] == [
        ("decided", 3, 2),
        ("published", 3, 2),
    ]
    commit = DeltaTable(gate.store.path_of("cases")).history(1)[0]
    assert (commit["rows"], commit["quarantined"], commit["decision"]) == ("3", "2", "publish_with_quarantine")
    assert gate.quarantine.counts("cases") == {judged.candidate.submission: 2}


BUDGETS = {
    "none at all": ("max_rows: 0", 9, 1, ["quarantine.max_rows"]),
    "just as many": ("max_rows: 2", 8, 2, []),
    "one more": ("max_rows: 2", 8, 3, ["quarantine.max_rows"]),
    "just the rate": ('max_rate: "1%"', 99, 1, []),
    "one more than the rate": ('max_rate: "1%"', 98, 2, ["quarantine.max_rate"]),
    "a little more than the rate": ('max_rate: "1%"', 98, 1, ["quarantine.max_rate"]),
    "29% of a hundred, which is less in binary numbers": ('max_rate: "29%"', 71, 29, []),
    "7% of a hundred, which is more in binary numbers": ('max_rate: "7%"', 92, 8, ["quarantine.max_rate"]),
    "a share of a percent": ('max_rate: "0.5%"', 199, 1, []),
    "no rate at all": ('max_rate: "0%"', 9, 1, ["quarantine.max_rate"]),
    "all but one": ('max_rate: "100%"', 1, 9, []),
    "both": ('max_rows: 1, max_rate: "10%"', 8, 2, ["quarantine.max_rows", "quarantine.max_rate"]),
    "the rows alone": ('max_rows: 1, max_rate: "50%"', 8, 2, ["quarantine.max_rows"]),
    "no budget": ("", 1, 9, []),
}


@pytest.mark.parametrize(("terms", "kept", "broken", "exceeded"), BUDGETS.values(), ids=BUDGETS)
def test_rows_go_to_quarantine_up_to_the_budget_and_the_whole_is_refused_beyond_it(gate, terms, kept, broken, exceeded):
    """[S3-020] The share is counted exactly."""
    text = PLAIN.replace("on_breach: quarantine", f"on_breach: quarantine, quarantine: {{{terms}}}")
    judged = gate.judged(text, numbers(*[1] * kept, *[-1] * broken))
    assert judged.decision.reasons == ("n.range", *exceeded)
    assert judged.is_accepted is (not exceeded)
    assert len(judged.decision.explanations) == len(exceeded)
    gate.publish(judged)
    assert gate.apart().height == (0 if exceeded else broken)
    assert gate.store.path_of("cases").exists() is (not exceeded)


def test_every_kind_of_broken_row_counts_once_in_one_budget(gate):
    """[S3-020] A row that breaks two rules is one row, and so is each row of a repeated key."""
    text = """\
contract: cases
version: "1.0.0"
key: [k]
fields: [{name: k, type: integer}, {name: n, type: integer, min: 0}, {name: t, type: string, enum: [a]}]
rules: [{name: r, sql: "n < 100"}]
duplicate_rows: error
delivery: {format: {type: jsonl}}
enforcement: {on_breach: quarantine, quarantine: {max_rows: 8}}
"""
    lines = [
        '{"k": 1, "n": 1, "t": "a"}',
        '"no object"',
        '{"k": 2, "n": 1}',
        '{"k": 3, "n": "x", "t": "a"}',
        '{"k": null, "n": 1, "t": "a"}',
        '{"k": 5, "n": -1, "t": "b"}',
        '{"k": 6, "n": 100, "t": "a"}',
        '{"k": 7, "n": 1, "t": "a"}',
        '{"k": 7, "n": 1, "t": "a"}',
    ]
    fits = gate.judged(text, {"a.jsonl": "\n".join(lines)})
    assert (fits.is_accepted, fits.decision.quarantined) == (True, 8)
    gate.publish(fits)
    assert gate.apart()["rules"].to_list() == [
        ["not_object"],
        ["t.missing"],
        ["n.type"],
        ["k.null"],
        ["n.range", "t.enum"],
        ["r.row_rule"],
        ["key", "duplicate_rows"],
        ["key", "duplicate_rows"],
    ]
    tight = gate.judged(
        text.replace("max_rows: 8", "max_rows: 7").replace("1.0.0", "1.1.0"), {"a.jsonl": "\n".join(lines)}
    )
    assert (tight.is_accepted, tight.decision.reasons[-1]) == (False, "quarantine.max_rows")


@pytest.mark.parametrize("rows", ["", "rows: {min: 0}\n"], ids=["some are owed", "none are owed"])
def test_a_delivery_of_which_no_row_would_stay_is_refused_and_says_so(gate, rows):
    """Whatever the contract says about empty deliveries: this one is not empty."""
    judged = gate.judged(PLAIN + rows, numbers(-1, -2))
    assert not judged.is_accepted
    assert "quarantine.no_row_left" in judged.decision.reasons
    assert gate.apart().is_empty()


def test_a_budget_is_told_beside_what_refuses_the_whole(gate):
    """[S3-020] Who corrects the one should hear of the other."""
    text = (
        PLAIN.replace("on_breach: quarantine", "on_breach: quarantine, quarantine: {max_rows: 0}") + "rows: {min: 9}\n"
    )
    judged = gate.judged(text, numbers(1, -2))
    assert set(judged.decision.reasons) == {"n.range", "row_count", "quarantine.max_rows"}


WHOLE = {
    "an undeclared column": (PLAIN, "n,x\n1,1\n-1,1\n", None, "extra_field"),
    "a column that is not there": (
        PLAIN.replace("fields:", "fields:\n  - {name: m, type: integer}"),
        "n\n1\n-1\n",
        None,
        "m.missing",
    ),
    "too few rows that stay": (PLAIN + "rows: {min: 2}\n", "n\n1\n-1\n", None, "row_count"),
    "rows of another partition": (
        CASES,
        "region,day,n\nNL,2026-10-02,1\nNL,2026-10-01,-1\n",
        DAY,
        "partition",
    ),
    "a part that is not there": (
        PLAIN.replace("fields:", "fields:\n  - {name: p, type: string}")
        + "delivery: {parts: {from: column, column: p, required: [a, b]}}\n",
        "p,n\na,1\na,-1\n",
        None,
        "coverage.missing",
    ),
    "no manifest": (PLAIN + "delivery: {manifest: required}\n", "n\n1\n-1\n", None, "completeness"),
    "nothing new": (
        PLAIN.replace("fields:", "fields:\n  - {name: d, type: date}") + "freshness: {column: d, max_age: 1d}\n",
        "d,n\n2026-09-01,1\n2026-10-02,-1\n",
        None,
        "freshness",
    ),
    "a ragged row": (PLAIN, "n\n1\n-1\n1,2\n", None, "unreadable"),
}


@pytest.mark.parametrize(("text", "rows", "partition", "reason"), WHOLE.values(), ids=WHOLE)
def test_a_breach_of_the_whole_refuses_the_whole_and_keeps_no_row_apart(gate, text, rows, partition, reason):
    """[S3-018, S3-019] It is judged on the rows that stay."""
    judged = gate.judged(text, rows, partition)
    assert (judged.decision.verdict, judged.decision.quarantined) == (Verdict.REFUSE, 0)
    assert reason in judged.decision.reasons
    assert gate.publish(judged) is None
    assert not gate.quarantine.path_of("cases").exists()
    assert not gate.store.path_of("cases").exists()


def test_a_column_of_another_type_refuses_the_whole(gate):
    """[S3-018]"""
    text = PLAIN.replace("fields:", "fields:\n  - {name: m, type: string}") + "delivery: {format: {type: parquet}}\n"
    judged = gate.judged(text, {"a.parquet": pl.DataFrame({"m": [1, 2], "n": [1, -1]})})
    assert (judged.is_accepted, judged.decision.reasons) == (False, ("m.null", "m.type", "n.range"))
    assert gate.apart().is_empty()


PARTS = {
    "column": (
        "from: column, column: p",
        {"x.csv": "p,n\na,1\na,-1\nb,-1\nb,-2\n"},
        "b",
    ),
    "file": ("from: file", {"a.csv": "p,n\na,1\n", "b.csv": "p,n\nb,-1\n"}, "b"),
}


@pytest.mark.parametrize(("source", "files", "gone"), PARTS.values(), ids=PARTS)
def test_a_required_part_of_which_no_row_stays_is_missing(gate, source, files, gone):
    """[S3-019] All of it was broken, which is another thing than an empty part."""
    text = PLAIN.replace("fields:", "fields:\n  - {name: p, type: string}")
    judged = gate.judged(f"{text}delivery: {{parts: {{{source}, required: [a, b]}}}}\n", files)
    states = {part.name: part.state.value for part in judged.report.parts}
    assert (states[gone], judged.is_accepted) == ("missing", False)
    assert "coverage.missing" in judged.decision.reasons


def test_a_part_that_is_declared_empty_stays_so(gate):
    text = """\
contract: cases
version: "1.0.0"
fields: [{name: n, type: integer, min: 0}]
delivery: {format: {type: envelope}, parts: {from: envelope, required: [a, b]}}
enforcement: {on_breach: quarantine}
"""
    parts = {"a": {"complete": True, "rows": [{"n": 1}, {"n": -1}]}, "b": {"complete": True, "rows": []}}
    judged = gate.judged(text, {"a.json": json.dumps({"contract": "cases/v1", "partitions": parts})})
    assert [(part.state.value, part.rows) for part in judged.report.parts] == [("complete", 1), ("complete, empty", 0)]
    assert judged.is_accepted


def test_the_same_delivery_again_keeps_nothing_apart_twice(gate):
    """Retried at any stage."""
    judged = gate.judged(CASES, MIXED, DAY)
    first = gate.publish(judged)
    again = gate.publish(judged, NOW + HOUR)
    offered = gate.offered(CASES, MIXED, DAY, NOW + 2 * HOUR)
    assert first.table_version == again.table_version == offered.table_version == gate.versions()
    assert gate.apart()["row"].to_list() == [2, 3]
    assert gate.apart()["quarantined_at"].unique().to_list() == [NOW]


def test_a_crash_between_quarantine_and_publication_is_completed_by_the_next_run(gate, monkeypatch):
    """One set of rows apart, one publication, one record."""
    judged = gate.judged(CASES, MIXED, DAY)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(store_module, "write_rows", killed)
        with pytest.raises(KeyboardInterrupt):
            gate.publish(judged)
    assert gate.apart()["row"].to_list() == [2, 3]
    assert gate.shown() == []
    assert gate.publish(judged, NOW + HOUR).quarantined == 2
    assert (gate.apart()["row"].to_list(), len(gate.shown())) == ([2, 3], 1)
    assert [entry.event.value for entry in gate.ledger.entries()] == ["decided", "published"]


def test_a_commit_that_fails_shows_no_row_and_doubles_none_when_tried_again(gate, monkeypatch):
    """And what the library says of it, which quotes rows, is not told."""
    gate.offered(CASES, MIXED.replace("12", "11"), DAY)
    judged = gate.judged(CASES, MIXED, DAY, NOW + HOUR)

    def failing(*_):
        raise DeltaError("secret-value")

    with unchanged(gate.store.path_of("cases")), monkeypatch.context() as patched:
        patched.setattr(store_module, "write_rows", failing)
        with pytest.raises(PublicationError) as refused:
            gate.publish(judged, NOW + HOUR)
    assert "secret-value" not in f"{refused.value} {refused.value.__context__}"
    assert gate.publish(judged, NOW + 2 * HOUR).rows == 1
    assert gate.quarantine.counts("cases") == dict.fromkeys(
        sorted(entry.submission for entry in gate.ledger.entries() if entry.event.value == "published"), 2
    )


def test_nothing_is_published_where_the_rows_cannot_be_kept_apart(gate, monkeypatch):
    """[S3-019] A row is in the table or in quarantine, and never in neither."""
    judged = gate.judged(CASES, MIXED, DAY)
    gate.places.quarantine.parent.mkdir(parents=True, exist_ok=True)
    gate.places.quarantine.write_text("no folder")
    with pytest.raises(PublicationError, match="quarantine"):
        gate.publish(judged)
    assert gate.shown() == []
    gate.places.quarantine.unlink()
    assert gate.publish(judged, NOW + HOUR).quarantined == 2


def test_a_correction_is_published_in_place_and_what_was_kept_apart_before_stays_on_record(gate):
    """[S1-068] Each submission has its own rows in quarantine; the history says which of them is followed by which."""
    first = gate.judged(CASES, MIXED, DAY)
    gate.publish(first)
    second = gate.judged(CASES, MIXED.replace("many", "4").replace("de", "DE"), DAY, NOW + HOUR)
    gate.publish(second, NOW + HOUR)
    assert gate.shown() == [("DE", date(2026, 10, 1), 4), ("NL", date(2026, 10, 1), 12)]
    assert gate.quarantine.counts("cases") == {first.candidate.submission: 2, second.candidate.submission: 1}
    old, new = decisions(gate.ledger.entries())
    assert (old.superseded_by, old.quarantined, new.quarantined) == (second.candidate.submission, 2, 1)
    assert new.outcome is Fate.PUBLISHED
    third = gate.judged(CASES, "region,day,n\nNL,2026-10-01,1\n", DAY, NOW + 2 * HOUR)
    gate.publish(third, NOW + 2 * HOUR)
    assert third.candidate.submission not in gate.quarantine.counts("cases")


def test_rows_that_may_not_be_kept_leave_their_rules_and_places_alone(gate):
    """[S1-096]"""
    text = CASES.replace("on_breach: quarantine", "on_breach: quarantine, quarantine: {rows: withheld}")
    gate.offered(text, MIXED, DAY)
    assert gate.apart().select("row", "rule", "record").rows() == [(2, "n.range", None), (3, "region.pattern", None)]
    assert not _is_anywhere(gate.places.quarantine, b"many")


def test_a_restricted_value_is_never_copied_into_quarantine(gate):
    """[S1-096] Neither decoded nor as the text that did not decode."""
    text = CASES.replace("type: integer, min: 0", "type: integer, min: 0, classification: restricted")
    gate.offered(text, MIXED.replace("-3", "-31415"), DAY)
    assert [json.loads(record) for record in gate.apart()["record"]] == [
        {"region": "BE", "day": DAY},
        {"region": "de", "day": DAY},
    ]
    assert not _is_anywhere(gate.places.quarantine, b"many")
    assert not _is_anywhere(gate.places.quarantine, b"31415")


@pytest.mark.parametrize("level", ["public", "internal", "confidential"])
def test_values_of_other_classes_are_kept(gate, level):
    text = PLAIN.replace("min: 0", f"min: 0, classification: {level}")
    gate.offered(text, numbers(1, -1))
    assert gate.apart()["record"].to_list() == ['{"n":"-1"}']


def test_where_all_values_are_restricted_a_record_is_empty(gate):
    gate.offered(PLAIN.replace("min: 0", "min: 0, classification: restricted"), numbers(1, -1))
    assert gate.apart()["record"].to_list() == ["{}"]


def _is_anywhere(folder: Path, text: bytes) -> bool:
    """True where the bytes stand in any file below, or in the values of any Parquet file."""
    for path in folder.rglob("*"):
        if path.is_file() and text in path.read_bytes():
            return True
        if path.suffix == ".parquet" and text.decode() in pl.read_parquet(path, hive_partitioning=False).write_json():
            return True
    return False


def test_nobody_but_its_owner_may_enter_the_quarantine(gate):
    """[S1-096]"""
    gate.offered(CASES, MIXED, DAY)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (gate.places.quarantine, gate.quarantine.path_of("cases"))]
    assert modes == [0o700, 0o700]


def test_there_is_no_quarantine_where_nothing_broke(gate):
    gate.offered(CASES, "region,day,n\nNL,2026-10-01,12\n", DAY)
    assert not gate.places.quarantine.exists()
    assert gate.apart().schema == SCHEMA
    assert gate.quarantine.counts("cases") == {}


def test_a_warning_keeps_no_row_apart(gate):
    record = gate.offered(PLAIN.replace("min: 0", "min: 0, severity: {range: warn}"), numbers(1, -1))
    assert (record.rows, record.quarantined, gate.apart().height) == (2, 0, 0)


AMSTERDAM = pl.Datetime("us", "Europe/Amsterdam")
MOMENT = datetime(2026, 10, 1, 12, 30, 0, 123456)
RECORDS = {
    "text": ("string", pl.String, 'é👍 "quoted"\n\\ \u2028', 'é👍 "quoted"\n\\ \u2028'),
    "no text": ("string", pl.String, "", ""),
    "nothing": ("string", pl.String, None, None),
    "the word null": ("string", pl.String, "null", "null"),
    "a NUL": ("string", pl.String, "a\x00b", "a\x00b"),
    "a category": ("string", pl.Categorical, "a", "a"),
    "one of an enum": ("string", pl.Enum(["a"]), "a", "a"),
    "the largest integer": ("integer", pl.Int64, 2**63 - 1, "9223372036854775807"),
    "the largest unsigned one": ("uint64", pl.UInt64, 2**64 - 1, "18446744073709551615"),
    "a decimal": ("decimal(20,4)", pl.Decimal(20, 4), Decimal("1.1000"), "1.1000"),
    "a small decimal": ("decimal(38,10)", pl.Decimal(38, 10), Decimal("-0.0000000001"), "-0.0000000001"),
    "a number": ("number", pl.Float64, 0.1, "0.1"),
    "a number of all digits": ("number", pl.Float64, 1 / 3, "0.3333333333333333"),
    "a short number": ("float32", pl.Float32, 0.10000000149011612, "0.1"),
    "a negative zero": ("number", pl.Float64, -0.0, "-0.0"),
    "NaN": ("number", pl.Float64, nan, "NaN"),
    "infinity": ("number", pl.Float64, -inf, "-inf"),
    "a boolean": ("boolean", pl.Boolean, False, "false"),
    "a day": ("date", pl.Date, date(2026, 10, 1), "2026-10-01"),
    "a moment without a zone": ("timestamp", pl.Datetime("us"), MOMENT, "2026-10-01 12:30:00.123456"),
    "a moment of nanoseconds": ("timestamp[ns]", pl.Datetime("ns"), MOMENT, "2026-10-01 12:30:00.123456000"),
    "a moment with a zone": ("timestamp", AMSTERDAM, MOMENT, "2026-10-01 12:30:00.123456+02:00"),
    "a time": ("time", pl.Time, time(12, 30), "12:30:00"),
    "a duration": ("duration", pl.Duration("us"), timedelta(hours=1, microseconds=1), "PT3600.000001S"),
    "bytes": ("binary", pl.Binary, b"\xff\x00", "/wA="),
    "a record": ("object", pl.Struct({"x": pl.Int64, "y": pl.String}), {"x": 1, "y": "é"}, '{"x":1,"y":"é"}'),
    "a record of decimals": ("object", pl.Struct({"x": pl.Decimal(5, 2)}), {"x": Decimal("1.10")}, '{"x":"1.10"}'),
    "no record": ("object", pl.Struct({"x": pl.Int64}), None, None),
    "a list": ("array", pl.List(pl.Int64), [1, None], '{"values":[1,null]}'),
    "an empty list": ("array", pl.List(pl.Int64), [], '{"values":[]}'),
    "no list": ("array", pl.List(pl.Int64), None, None),
    "an array": ("array", pl.Array(pl.Int64, 2), [1, 2], '{"values":[1,2]}'),
}


@pytest.mark.parametrize(("field", "dtype", "value", "expected"), RECORDS.values(), ids=RECORDS)
def test_a_record_holds_each_value_as_it_is_written(gate, field, dtype, value, expected):
    """[S3-019] As text in JSON, whatever the type, and null where there is none."""
    text = f"""\
contract: cases
version: "1.0.0"
fields: [{{name: n, type: integer, min: 0}}, {{name: v, type: "{field}", nullable: true}}]
delivery: {{format: {{type: parquet}}}}
enforcement: {{on_breach: quarantine}}
"""
    text = text.replace("true}]", "true, allow_nan: true}]") if field in ("number", "float32") else text
    naive = pl.Datetime("us") if dtype == AMSTERDAM else dtype
    values = pl.Series([value, None], dtype=naive)
    values = values.dt.replace_time_zone("Europe/Amsterdam") if dtype == AMSTERDAM else values
    record = gate.offered(text, {"a.parquet": pl.DataFrame({"n": [-1, 1], "v": values})})
    assert (record.rows, record.quarantined) == (1, 1)
    assert [json.loads(kept) for kept in gate.apart()["record"]] == [{"n": "-1", "v": expected}]


NESTED = {
    "bytes in a list": ("array", pl.List(pl.Binary), [b"\xff"]),
    "bytes in a record": ("object", pl.Struct({"x": pl.Binary}), {"x": b"\xff"}),
}


@pytest.mark.parametrize(("field", "dtype", "value"), NESTED.values(), ids=NESTED)
def test_no_row_is_lost_because_its_values_have_no_json(gate, field, dtype, value):
    """[S3-019] It is kept in some form, or nothing is published."""
    text = f"""\
contract: cases
version: "1.0.0"
fields: [{{name: n, type: integer, min: 0}}, {{name: v, type: {field}}}]
delivery: {{format: {{type: parquet}}}}
enforcement: {{on_breach: quarantine}}
"""
    rows = pl.DataFrame({"n": [-1, 1], "v": pl.Series([value, value], dtype=dtype)})
    try:
        gate.offered(text, {"a.parquet": rows})
    except PublicationError:
        assert gate.shown() == []
    else:
        assert gate.apart()["row"].to_list() == [1]


def test_numbers_inside_a_record_keep_what_json_has_no_word_for(gate):
    """NaN and infinities inside nested values are not null."""
    text = """\
contract: cases
version: "1.0.0"
fields: [{name: n, type: integer, min: 0}, {name: v, type: object}]
delivery: {format: {type: parquet}}
enforcement: {on_breach: quarantine}
"""
    gate.offered(text, {"a.parquet": pl.DataFrame({"n": [-1, -1, 1], "v": [{"x": nan}, {"x": None}, {"x": 1.0}]})})
    first, second = (json.loads(record)["v"] for record in gate.apart()["record"])
    assert first != second


def test_a_text_that_did_not_decode_stands_in_its_record_as_it_came(gate):
    gate.offered(PLAIN, 'n\n1\n"1,5\n""x"""\n')
    assert [json.loads(record) for record in gate.apart()["record"]] == [{"n": '1,5\n"x"'}]


def test_an_undeclared_column_that_is_kept_stands_in_the_record(gate):
    """Whatever its name: those of our own columns are nothing special there."""
    names = ["rule", "rules", "record", "submission", "row", "file", "__row", "__rule", "_delta_log"]
    text = PLAIN + "extra_fields: keep\n"
    gate.offered(text, f"n,{','.join(names)}\n1{',ok' * len(names)}\n-1,{','.join(map(str, range(len(names))))}\n")
    record = json.loads(gate.apart()["record"].item())
    assert record == {"n": "-1"} | {
        f"__extra.{name}" if name.startswith("__") else name: str(place) for place, name in enumerate(names)
    }
    assert gate.store.rows("cases").collect().height == 1


def test_fields_may_have_the_names_of_the_envelope(gate):
    names = [*SCHEMA, "rows", "size", "name", "values"]
    fields = "\n".join(f'  - {{name: {name}, type: string, pattern: "[a-z]+"}}' for name in names)
    text = (
        f'contract: cases\nversion: "1.0.0"\nkey: [rule]\nfields:\n{fields}\nenforcement: {{on_breach: quarantine}}\n'
    )
    good, bad = ["a"] * len(names), ["B"] * len(names)
    gate.offered(text, "\n".join(map(",".join, (names, good, bad))))
    assert json.loads(gate.apart()["record"].item()) == dict(zip(names, bad, strict=True))
    assert gate.apart()["rules"].to_list() == [[f"{name}.pattern" for name in names]]
    assert gate.shown() == [tuple(good)]


def test_an_optional_field_that_was_left_out_stands_in_no_published_row_as_a_value(gate):
    text = PLAIN.replace("fields:", "fields:\n  - {name: o, type: string, required: false, min_length: 3}")
    gate.offered(text, numbers(1, -1))
    assert gate.shown() == [(None, 1)]
    assert json.loads(gate.apart()["record"].item()).get("o") is None


def test_each_row_is_found_again_in_the_file_that_it_came_from(gate):
    """By the file's name, whatever that is, and the row's number in it."""
    names = ["new\nline.csv", "quote'.csv", "ünï 👍.csv", "per%41cent.csv", "semi;--.csv", "a*[b].csv"]
    files = {name: numbers(*[1] * place, f"x{place}") for place, name in enumerate(names)}
    gate.offered(PLAIN, files)
    found = {
        name: (row, json.loads(record)["n"])
        for name, row, record in gate.apart().select("file", "row", "record").rows()
    }
    assert found == {name: (place + 1, f"x{place}") for place, name in enumerate(names)}


def test_many_rows_are_kept_apart_in_batches(gate):
    """More than are held in memory at a time."""
    count = 250_000
    text = PLAIN + "delivery: {format: {type: parquet}}\n"
    record = gate.offered(text, {"a.parquet": pl.DataFrame({"n": [-1, 1] * count})})
    assert (record.rows, record.quarantined) == (count, count)
    apart = gate.quarantine.rows("cases").select(pl.col("row").n_unique(), pl.len()).collect()
    assert apart.row(0) == (count, count)


def test_no_output_and_no_record_outside_the_quarantine_shows_a_value(run, tmp_path):
    """[S1-096] Not the report, not the ledger, not the commit."""
    (tmp_path / "cases.yaml").write_text(CASES)
    (tmp_path / "a.csv").write_text(
        MIXED.replace("de,", "secret-value,").replace("-3", "-31415").replace("many", "secret-too")
    )
    code, out, err = run("publish", "cases.yaml", "a.csv", "--partition", DAY, "--root", "root")
    code_json, out_json, err_json = run(
        "publish", "cases.yaml", "a.csv", "--partition", DAY, "--root", "root", "--json"
    )
    told = [out, err, out_json, err_json]
    for folder in ("ledger", "published"):
        told += [path.read_text() for path in (tmp_path / "root" / folder).rglob("*.json")]
    told.append(pl.read_delta(str(tmp_path / "root/ledger")).write_json())
    assert (code, code_json) == (0, 0)
    assert [text for text in told if "secret" in text or "31415" in text] == []
    assert Quarantine(tmp_path / "root/quarantine").rows("cases").collect()["record"].str.contains("secret|31415").all()


def test_rows_leave_quarantine_again_where_the_gate_closes_before_the_commit(gate, monkeypatch):
    """[S3-023] A decision about another delivery came in between: nothing is published, and nothing is kept apart for it."""
    judged, settle = gate.judged(CASES, MIXED, DAY), store_module.settle

    def overtaken(*arguments):
        gate.judged(CASES, MIXED.replace("12", "11"), DAY, NOW + HOUR)
        return settle(*arguments)

    monkeypatch.setattr(store_module, "settle", overtaken)
    with pytest.raises(GateClosedError):
        gate.publish(judged)
    assert (dict(gate.quarantine.counts("cases")), gate.shown()) == ({}, [])


KEYED = PLAIN.replace("fields:", "key: [n]\nfields:")
MANY = [0, 1, -1, 2, 3, 3, 4, -2, 5, 6, 3]


@pytest.mark.parametrize(("group", "window"), [(1, 1), (1, 3), (4, 3), (3, 5), (11, 50)])
def test_published_and_kept_apart_are_all_rows_whatever_is_read_at_a_time(gate, monkeypatch, group, window):
    """[S3-019] The groups of rows in the candidate's file need not fit the windows that it is read in."""
    monkeypatch.setattr(snapshot, "_ROW_GROUP", group)
    monkeypatch.setattr(windows, "WINDOW_ROWS", window)
    monkeypatch.setattr(windows, "_FIRST_ROWS", window)
    record = gate.offered(KEYED, numbers(*MANY))
    assert (record.rows, record.quarantined) == (6, 5)
    assert sorted(gate.store.rows("cases").collect()["n"]) == [0, 1, 2, 4, 5, 6]
    assert gate.apart().select("row", "rules").rows() == [
        (3, ["n.range"]),
        (5, ["key"]),
        (6, ["key"]),
        (8, ["n.range"]),
        (11, ["key"]),
    ]


def test_the_rules_are_asked_once_from_judgement_to_publication(gate, monkeypatch):
    asked = []
    monkeypatch.setattr(query, "counted_alone", lambda *given: asked.append("judged") or counted_alone(*given))
    monkeypatch.setattr(breaking_rows, "counted_alone", lambda *given: asked.append("split") or counted_alone(*given))
    assert gate.offered(KEYED, numbers(*MANY)).quarantined == 5
    assert asked == ["judged"]


def test_what_was_judged_in_another_process_is_split_all_the_same(gate):
    judged = gate.judged(KEYED, numbers(*MANY))
    remembered._NEWEST.clear()
    record = gate.publish(judged)
    assert (record.rows, record.quarantined, gate.apart().height) == (6, 5, 5)
