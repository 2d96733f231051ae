"""What the log of a published table tells: which commits are the gate's, and which are not and should have been."""

import json
import shutil
from dataclasses import replace

import polars as pl
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake

from contract_core.errors import PublicationError
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, latest
from contract_core.publication.markers import marker_number
from contract_core.publication.stated import REBUILT
from contract_core.publication.table_log import Fault, read_log
from tests.publication.logs import as_0_1, commit_file, cut, rewrite
from tests.publication.samples import DAY, NOW, WHOLE, Severity, contract_of, finding, publications, rows


def log_of(site, name: str = "cases"):
    return read_log(site.table(name), name)


def faults(site) -> list[tuple[int, Fault | None]]:
    return [(commit.version, commit.fault) for commit in log_of(site).suspects]


@pytest.mark.parametrize("text, partition", [(None, DAY), (WHOLE, None)], ids=["partition", "whole table"])
def test_a_publication_says_of_its_decision_what_the_ledger_says(site, text, partition):
    """S1-093: rows, marks and decision stand in one commit."""
    contract = contract_of(text) if text else contract_of()
    candidate = site.take(contract, rows("a", "b"), partition)
    site.decide(contract, candidate, finding("n.range", severity=Severity.WARN), at=NOW)
    record = site.publish(contract, candidate)
    decided = latest(site.ledger.entries(), Event.DECIDED)
    [publication] = log_of(site).publications
    expected = replace(decided, reason=REBUILT, runtime={}, sequence=0, identity="")
    assert (publication.version, publication.decided) == (record.table_version, expected)
    assert (publication.decided.warned, publication.decided.counts) == (("n.range",), {"n.range": 3})
    assert publication.is_under(decided)
    assert log_of(site).marks == {partition: marker_number(candidate.submission)}


def test_publications_are_told_oldest_first(site):
    contract = contract_of()
    told = [site.accept(contract, rows(name)).submission for name in ("a", "b", "c")]
    log = log_of(site)
    assert [publication.decided.submission for publication in log.publications] == told
    assert [publication.version for publication in log.publications] == list(publications(site.table()))
    assert (log.first, log.newest) == (0, DeltaTable(site.table()).version())


def test_without_a_table_there_is_no_log(site):
    assert log_of(site) is None


def test_a_table_that_cannot_be_opened_is_an_error_without_a_value(site):
    site.accept(contract_of(), rows("a"))
    commit_file(site.table(), 0).write_text('{"Jan Jansen"')
    with pytest.raises(PublicationError, match="the log of its published table cannot be read") as failure:
        log_of(site)
    assert "Jan" not in str(failure.value)


def compacted(table: DeltaTable) -> None:
    table.optimize.compact()


def cleaned(table: DeltaTable) -> None:
    table.vacuum(0, dry_run=False, enforce_retention_duration=False)


def constrained(table: DeltaTable) -> None:
    table.alter.add_constraint({"other": "n > -100"})


@pytest.mark.parametrize("upkeep", [compacted, cleaned, constrained])
def test_setting_a_table_up_and_keeping_it_is_no_fault(site, upkeep):
    for name in "ab":
        site.accept(contract_of(), rows(name))
    write_deltalake(site.table(), rows("c"), mode="append")
    version = DeltaTable(site.table()).version()
    upkeep(DeltaTable(site.table()))
    assert DeltaTable(site.table()).version() > version
    assert faults(site) == [(version, Fault.FOREIGN)]


def appended(table: DeltaTable) -> None:
    write_deltalake(table, rows("x"), mode="append")


def overwritten(table: DeltaTable) -> None:
    write_deltalake(table, rows("x"), mode="overwrite")


def deleted(table: DeltaTable) -> None:
    table.delete("region = 'Jan Jansen'")


def updated(table: DeltaTable) -> None:
    table.update(updates={"n": "7"}, predicate="region = 'Jan Jansen'")


def merged(table: DeltaTable) -> None:
    merger = table.merge(rows("x"), "s.region = t.region", source_alias="s", target_alias="t")
    merger.when_not_matched_insert_all().execute()


def rolled_back(table: DeltaTable) -> None:
    table.restore(0)


@pytest.mark.parametrize(
    "foreign, operation",
    [
        (appended, "WRITE"),
        (overwritten, "WRITE"),
        (deleted, "DELETE"),
        (updated, "UPDATE"),
        (merged, "MERGE"),
        (rolled_back, "RESTORE"),
    ],
)
def test_a_commit_of_others_that_changes_rows_is_told_without_its_values(site, foreign, operation):
    """S1-108, S1-112: whoever writes beside the gate stands in the log, by operation and engine."""
    site.accept(contract_of(), rows("Jan Jansen", "b"))
    foreign(DeltaTable(site.table()))
    [suspect] = log_of(site).suspects
    assert (suspect.operation, suspect.engine[:8], suspect.fault) == (operation, "delta-rs", Fault.FOREIGN)
    assert "Jansen" not in repr(suspect)


def test_a_commit_without_a_word_about_itself_is_told_too(site):
    site.accept(contract_of(), rows("a"))
    appended(DeltaTable(site.table()))
    file = commit_file(site.table(), DeltaTable(site.table()).version())
    file.write_text("\n".join(line for line in file.read_text().splitlines() if "commitInfo" not in line))
    [suspect] = log_of(site).suspects
    assert (suspect.operation, suspect.engine, suspect.fault) == (
        "an unnamed operation",
        "an unnamed engine",
        Fault.FOREIGN,
    )


@pytest.mark.parametrize("name", ["operation", "engineInfo", "clientVersion"])
@pytest.mark.parametrize("text", ["Jan Jansen's <file>", "x" * 200, {"Jan": 1}, None, 10**400])
def test_a_name_that_is_none_is_not_passed_on(site, name, text):
    site.accept(contract_of(), rows("a"))
    appended(DeltaTable(site.table()))
    rewrite(site.table(), DeltaTable(site.table()).version(), lambda about: about.update({name: text}))
    [suspect] = log_of(site).suspects
    assert "Jan" not in suspect.operation + suspect.engine
    assert len(suspect.operation + suspect.engine) < 60


HOSTILE = {
    "no digest": {"submission": "Jan Jansen"},
    "a digest and a line": {"submission": "a" * 64 + "\n"},
    "a number for a text": {"submission": 7},
    "a table for a text": {"partition": {"a": [1]}},
    "nothing for a text": {"contract_version": ""},
    "half a character": {"partition": "\ud800"},
    "another contract": {"contract": "orders"},
    "no verdict": {"decision": "perhaps"},
    "a refusal": {"decision": "refuse"},
    "no number": {"rows": "many"},
    "a number as only Python writes it": {"rows": "1_0"},
    "a number past 64 bits": {"rows": "9" * 30},
    "a negative number": {"quarantined": "-1"},
    "more apart than there are": {"quarantined": "1000"},
    "no moment": {"decided_at": "yesterday"},
    "a moment without zone": {"decided_at": "2026-10-02T09:00:00"},
    "a moment that is a number": {"as_of": 1790931600},
    "a moment before all years": {"decided_at": "0001-01-01T00:00:00+14:00"},
    "no mode": {"mode": "overwrite"},
    "half a document": {"found": '{"breached": ['},
    "a deep document": {"found": "[" * 100_000},
    "a document of other things": {"found": "[]"},
    "ids that are none": {"found": '{"breached": [1]}'},
    "a text for ids": {"found": '{"breached": "abc"}'},
    "counts that are none": {"found": '{"counts": {"n.range": true}}'},
    "fewer than none": {"found": '{"counts": {"n.range": -1}}'},
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_metadata_that_the_gate_would_not_write_is_told_as_unreadable(site, change):
    """S1-108: what stands there is believed no further than it can be read. A checkpoint opens a table whatever stands there."""
    record = site.accept(contract_of(), rows("a"))
    DeltaTable(site.table()).create_checkpoint()
    rewrite(site.table(), record.table_version, lambda about: about.update(change))
    assert faults(site) == [(record.table_version, Fault.UNREADABLE)]
    assert log_of(site).publications == ()


@pytest.mark.parametrize("name", ["contract_digest", "partition", "rows", "decision", "report_digest", "decided_at"])
def test_metadata_that_lack_what_every_version_wrote_are_unreadable(site, name):
    record = site.accept(contract_of(), rows("a"))
    rewrite(site.table(), record.table_version, lambda about: about.pop(name))
    assert faults(site) == [(record.table_version, Fault.UNREADABLE)]


@pytest.mark.parametrize("stamp", [None, "today", 1e300, True, 10**30, -(10**30)])
def test_a_commit_without_a_moment_is_still_a_publication(site, stamp):
    record = site.accept(contract_of(), rows("a"))
    rewrite(site.table(), record.table_version, lambda about: about.update(timestamp=stamp))
    [publication] = log_of(site).publications
    assert publication.at is None


def test_a_commit_of_an_older_version_is_read(site):
    """A commit of 0.1.0 says less: all its rows were published, in place of those before, and judged when they were decided."""
    site.accept(contract_of(), rows("a", "b"))
    as_0_1(site.table())
    [publication] = log_of(site).publications
    told = publication.decided
    assert (told.verdict, told.rows, told.quarantined, told.mode) == (Verdict.PUBLISH, 2, 0, "replace_partition")
    assert (told.at, told.as_of, told.received_at, told.breached, told.counts) == (NOW, NOW, None, (), {})


def test_a_commit_that_names_a_submission_without_its_mark_is_no_publication(site):
    """S1-108: metadata can be copied by anyone who writes rows."""
    record = site.accept(contract_of(), rows("a"))
    said = json.loads(commit_file(site.table(), record.table_version).read_text().splitlines()[0])["commitInfo"]
    copied = {name: text for name, text in said.items() if isinstance(text, str) and name not in OF_DELTA}
    write_deltalake(site.table(), rows("x"), mode="append", commit_properties=CommitProperties(custom_metadata=copied))
    assert faults(site) == [(record.table_version + 1, Fault.UNMARKED)]
    assert [publication.version for publication in log_of(site).publications] == [record.table_version]


OF_DELTA = ("operation", "engineInfo", "clientVersion", "timestamp", "operationParameters", "operationMetrics")


def test_a_table_under_another_name_has_no_publications_of_its_own(site):
    record = site.accept(contract_of(), rows("a"))
    shutil.copytree(site.table(), site.table("copied"))
    assert [(commit.version, commit.fault) for commit in log_of(site, "copied").suspects] == [
        (record.table_version, Fault.UNREADABLE)
    ]


def test_a_log_that_was_cleaned_tells_what_is_left_and_the_marks(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    second = site.accept(contract, rows("b", day="2026-10-02"), "2026-10-02")
    first = cut(site.table())
    log = read_log(site.table(), "cases", [DAY, "2026-10-02", "2026-10-03"])
    assert (log.first, log.newest, [item.version for item in log.publications]) == (
        first,
        first,
        [second.table_version],
    )
    assert set(log.marks) == {DAY, "2026-10-02"}


def test_a_commit_that_is_no_json_is_told_as_unreadable(site):
    """A table opens from its checkpoint, whatever stands in the log before it."""
    site.accept(contract_of(), rows("a"))
    DeltaTable(site.table()).create_checkpoint()
    for broken in ("{", "[1]", '{"commitInfo": []}', '{"txn": {}}', "\udcff", "[" * 100_000):
        commit_file(site.table(), 0).write_bytes(broken.encode(errors="surrogateescape"))
        assert faults(site)[0] == (0, Fault.UNREADABLE)


def test_constraints_that_somebody_changed_are_seen(site):
    """S1-108: the target's own defence is there, or its absence is told."""
    text = 'contract: cases\nversion: "1.0.0"\nfields:\n  - {name: region, type: string}\n  - {name: n, type: integer, min: 0}\n'
    contract = contract_of(text + "delivery: {format: {type: parquet}}\n")
    site.accept(contract, pl.DataFrame({"region": ["a"], "n": [1]}), None)
    assert not log_of(site).is_altered
    table = DeltaTable(site.table())
    name = next(key for key in table.metadata().configuration if key.startswith("delta.constraints."))
    table.alter.drop_constraint(name.removeprefix("delta.constraints."))
    assert log_of(site).is_altered
