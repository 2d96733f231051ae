"""The ledger is completed, or written anew, from the tables; what disagrees is told, and nothing is repaired in silence."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake

import contract_core as core
from contract_core.errors import PublicationConflictError
from contract_core.operations.difference import Kind
from contract_core.operations.reconciliation import complete, known_names, reconcile_contract
from contract_core.operations.status import status_of
from contract_core.publication import store as store_module
from contract_core.publication.entry import Event
from contract_core.publication.history import Fate, decisions
from contract_core.publication.ledger import Ledger
from contract_core.publication.publish import publish_older
from contract_core.publication.stated import REBUILT
from contract_core.rendering.history import decision_document
from tests.publication.attempts import CASES, FIRST, SECOND, START, Delivered, stated_by, walked
from tests.publication.invariants import Found as Sound
from tests.publication.invariants import assert_complete
from tests.publication.logs import as_0_1, cut
from tests.publication.samples import DAY, NOW, Site, contract_of, finding, publications, rows

END = START + timedelta(days=1)
FAR = datetime(9000, 1, 1, tzinfo=UTC)
"""After every commit that a test makes, whatever the clock says."""
APART = CASES.replace("contract: cases", "contract: apart") + "enforcement: {on_breach: quarantine}\n"
ADDED = CASES.replace("contract: cases", "contract: added") + "publication: {mode: append}\n"
KEYED = CASES.replace("contract: cases", "contract: keyed") + "publication: {mode: upsert}\n"
STORY = (
    (CASES, Delivered(FIRST, {"NL": 1}, 1)),
    (APART, Delivered(FIRST, {"NL": 1, "BE": -1}, 2)),
    (CASES, Delivered(SECOND, {"NL": 1, "BE": 2, "DE": 3}, 3)),
    (ADDED, Delivered(FIRST, {"NL": 1}, 4)),
    (ADDED, Delivered(FIRST, {"BE": 2, "DE": 2}, 5)),
    (KEYED, Delivered(FIRST, {"NL": 1, "BE": 1}, 6)),
    (KEYED, Delivered(FIRST, {"NL": 2, "DE": 1}, 7)),
    (APART, Delivered(SECOND, {"NL": 1}, 8)),
    (CASES, Delivered(FIRST, {"NL": 2, "BE": 1}, 9)),
)
TEXTS = (CASES, APART, ADDED, KEYED)
UNKNOWN = ("published_at", "superseded_at", "effort")


class Killed(SystemExit):
    """The process ends here."""


def found_in(root: Path, text: str = CASES, at=END):
    return reconcile_contract(stated_by(text), core.Environment.at(root), at)


def completed(root: Path, text: str = CASES):
    found = found_in(root, text, FAR)
    complete(found, ledger_of(root))
    return found


def ledger_of(root: Path) -> Ledger:
    return Ledger(core.Environment.at(root).ledger)


def told(root: Path, contract: str) -> list[dict]:
    return [decision_document(record) for record in decisions(ledger_of(root).entries(contract=contract))]


def kinds(found) -> list[Kind]:
    return [difference.kind for difference in found.differences]


def lose_ledger(root: Path) -> None:
    shutil.rmtree(root / "ledger")


def walk(root: Path, *story) -> None:
    for text, delivered in story:
        walked(root, text, delivered)


@pytest.fixture(scope="module")
def lived(tmp_path_factory) -> Path:
    """An environment in which four contracts were published to, in every way that there is."""
    root = tmp_path_factory.mktemp("lived")
    walk(root, *STORY)
    return root


@pytest.fixture
def root(lived, tmp_path) -> Path:
    return shutil.copytree(lived, tmp_path / "environment")


def killed_before_the_record(monkeypatch, act) -> None:
    append = Ledger.append

    def killed(ledger, entry):
        if entry.event is Event.PUBLISHED:
            raise Killed
        return append(ledger, entry)

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "append", killed)
        with pytest.raises(Killed):
            act()


@pytest.mark.parametrize("text", TEXTS)
def test_where_nothing_was_lost_nothing_is_found(root, text):
    found = found_in(root, text)
    assert (found.missing, found.differences) == ((), ())
    assert found.publications == len([told for told, _ in STORY if told == text])


def test_a_publication_without_its_record_gets_it(tmp_path, monkeypatch):
    """S1-093: published, not recorded: the commit is found and the record completed, and a retry publishes nothing."""
    crashed = Delivered(FIRST, {"NL": 1, "BE": 2})
    killed_before_the_record(monkeypatch, lambda: walked(tmp_path, CASES, crashed))
    found = completed(tmp_path)
    assert [(entry.event, entry.reason) for entry in found.missing] == [(Event.PUBLISHED, None)]
    assert_complete(Sound.at(tmp_path))
    [record] = decisions(ledger_of(tmp_path).entries())
    assert (record.outcome, record.table_version) == (Fate.PUBLISHED, publications(tmp_path / "published/cases")[0])
    before = ledger_of(tmp_path).entries()
    walked(tmp_path, CASES, crashed)
    assert ledger_of(tmp_path).entries() == before
    assert len(publications(tmp_path / "published/cases")) == 1


def test_a_publication_and_its_retry_at_the_same_time_are_one_record(tmp_path, monkeypatch):
    """S1-086: reconciling and a retry say the same entry."""
    crashed = Delivered(FIRST, {"NL": 1})
    killed_before_the_record(monkeypatch, lambda: walked(tmp_path, CASES, crashed))
    found = found_in(tmp_path)
    walked(tmp_path, CASES, crashed)
    with pytest.raises(PublicationConflictError):
        complete(found, ledger_of(tmp_path))
    before = ledger_of(tmp_path).entries()
    assert ledger_of(tmp_path).append(found.missing[0]) == before[-1]
    assert found_in(tmp_path).missing == ()


def test_a_republication_of_an_older_delivery_without_its_record_gets_it(tmp_path, monkeypatch):
    contract, site = contract_of(), Site(tmp_path)
    first = site.take(contract, rows("a"))
    site.decide(contract, first)
    site.publish(contract, first)
    site.accept(contract, rows("b"))
    site.decide(contract, first, at=NOW + timedelta(hours=1))
    killed_before_the_record(monkeypatch, lambda: publish_older(contract, first, site.ledger, site.store, NOW))
    found = reconcile_contract(contract, core.Environment.at(tmp_path), END)
    assert [entry.table_version for entry in found.missing] == [publications(site.table())[-1]]
    complete(found, site.ledger)
    assert reconcile_contract(contract, core.Environment.at(tmp_path), END).differences == ()
    assert site.ledger.entries()[-1].submission == first.submission


@pytest.mark.parametrize("text", TEXTS)
def test_a_ledger_that_is_lost_says_the_same_again(root, text):
    """S1-093: everything but refusals, and the moments at which a record was written, stands in the tables."""
    contract = stated_by(text)
    before, entries = told(root, contract.name), ledger_of(root).entries(contract=contract.name)
    lose_ledger(root)
    found = completed(root, text)
    after = told(root, contract.name)
    assert [{name: record[name] for name in record if name not in UNKNOWN} for record in after] == [
        {name: record[name] for name in record if name not in UNKNOWN} for record in before
    ]
    rebuilt = ledger_of(root).entries(contract=contract.name)
    for name in OF_ENTRIES:
        assert [getattr(entry, name) for entry in rebuilt] == [getattr(entry, name) for entry in entries], name
    assert {(entry.event, entry.reason) for entry in rebuilt} == {(Event.DECIDED, REBUILT), (Event.PUBLISHED, None)}
    assert [entry.runtime for entry in rebuilt] == [{}] * len(rebuilt)
    assert {entry.table_version: int(entry.at.timestamp() * 1000) for entry in rebuilt if entry.table_version} == {
        commit["version"]: commit["timestamp"]
        for commit in DeltaTable(root / "published" / contract.name).history()
        if "submission" in commit
    }
    assert (len(found.rebuilt), len(found.recorded), kinds(found)) == (len(before), len(before), [])


OF_ENTRIES = (
    "event", "version", "contract_digest", "partition", "submission", "candidate_digest", "verdict", "report_digest", "rows", "as_of",
    "received_at", "breached", "unjudged", "warned", "counts", "table_version", "quarantined", "reasons", "mode",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_what_consumers_see_is_told_as_before(root, text):
    contract = stated_by(text)
    before = status_of(contract, ledger_of(root).entries(contract=contract.name), END)
    lose_ledger(root)
    completed(root, text)
    after = status_of(contract, ledger_of(root).entries(contract=contract.name), END)
    assert (after.partitions, after.newest.submission, after.age) == (
        before.partitions,
        before.newest.submission,
        before.age,
    )


@pytest.mark.parametrize("text", TEXTS)
def test_reconciling_twice_changes_nothing(root, text):
    lose_ledger(root)
    completed(root, text)
    entries = ledger_of(root).entries()
    found = completed(root, text)
    assert (found.missing, found.differences, ledger_of(root).entries()) == ((), (), entries)


@pytest.mark.parametrize("text", TEXTS)
def test_after_it_a_retry_publishes_nothing_and_a_new_delivery_is_published(root, text):
    """S1-093"""
    table = root / "published" / stated_by(text).name
    lose_ledger(root)
    completed(root, text)
    published = publications(table)
    walk(root, *(step for step in STORY if step[0] == text))
    assert publications(table) == published
    assert walked(root, text, Delivered(SECOND, {"FR": 1}, 20))["ended"] == "published"
    assert len(publications(table)) == len(published) + 1
    assert (found_in(root, text).missing, kinds(found_in(root, text))) == ((), [])


def test_after_it_an_older_delivery_replaces_nothing(root):
    """The moment at which a delivery was received stands in the commit, so that the gate still knows what is older."""
    lose_ledger(root)
    completed(root)
    before = publications(root / "published/cases")
    with pytest.raises(core.ContractCoreError, match="was received before"):
        walked(root, CASES, Delivered(SECOND, {"FR": 1}, 2))
    assert publications(root / "published/cases") == before


def test_the_last_word_about_a_partition_stays_the_last(root):
    """A refusal that was recorded since the ledger was lost is not passed over by an older decision that is rebuilt."""
    lose_ledger(root)
    walk(root, (CASES, Delivered(FIRST, {"NL": -1}, 30)))
    refusal = ledger_of(root).latest_decision("cases", FIRST)
    found = completed(root)
    assert ledger_of(root).latest_decision("cases", FIRST).submission == refusal.submission
    assert [entry.submission for entry in found.said_again] == [refusal.submission]
    assert ledger_of(root).latest_decision("cases", SECOND).reason == REBUILT
    status = status_of(stated_by(CASES), ledger_of(root).entries(contract="cases"), END)
    assert (status.partitions, [record.partition for record in status.refused_since]) == (2, [FIRST])
    assert completed(root).missing == ()


@pytest.mark.parametrize("written", range(8))
def test_a_crash_while_completing_is_made_up_for(root, written):
    """Whatever was appended before it: the next run goes on, and the last word stays the last."""
    lose_ledger(root)
    walk(root, (CASES, Delivered(FIRST, {"NL": -1}, 30)))
    refusal = ledger_of(root).latest_decision("cases", FIRST)
    whole = found_in(root).missing
    assert len(whole) == 7
    for entry in whole[:written]:
        ledger_of(root).append(entry)
    completed(root)
    assert (found_in(root).missing, kinds(found_in(root))) == ((), [])
    assert ledger_of(root).latest_decision("cases", FIRST).submission == refusal.submission
    recorded = [entry.table_version for entry in ledger_of(root).entries() if entry.event is Event.PUBLISHED]
    assert recorded == list(publications(root / "published/cases"))


def test_a_ledger_from_a_copy_is_carried_on(tmp_path):
    walk(tmp_path, *STORY[:1])
    shutil.copytree(tmp_path / "ledger", tmp_path / "copy")
    walk(tmp_path, *STORY[2:])
    before = [record["submission"] for record in told(tmp_path, "cases")]
    lose_ledger(tmp_path)
    shutil.move(tmp_path / "copy", tmp_path / "ledger")
    completed(tmp_path)
    assert [record["submission"] for record in told(tmp_path, "cases")] == before
    assert ledger_of(tmp_path).latest_decision("cases", FIRST).table_version is None
    assert kinds(found_in(tmp_path)) == []


def test_what_a_later_record_keeps_out_is_told_and_left(root):
    """An entry is never put before others: an older publication at the end would pass for the one that is shown."""
    lose_ledger(root)
    newest = walked(root, CASES, Delivered(FIRST, {"NL": 9}, 30))["submission"]
    found = completed(root)
    first = publications(root / "published/cases")
    assert [(item.kind, item.partition, item.version) for item in found.differences] == [
        (Kind.LEFT_OUT, FIRST, first[0]),
        (Kind.LEFT_OUT, FIRST, first[2]),
    ]
    assert [entry.partition for entry in found.recorded] == [SECOND]
    assert ledger_of(root).partition_entries("cases", FIRST)[-1].submission == newest
    assert (found_in(root).missing, kinds(found_in(root))) == ((), [Kind.LEFT_OUT, Kind.LEFT_OUT])


def test_a_delivery_that_was_published_again_is_decided_last(tmp_path):
    contract, site = contract_of(), Site(tmp_path)
    first = site.take(contract, rows("a"))
    site.decide(contract, first)
    site.publish(contract, first)
    site.accept(contract, rows("b"))
    site.decide(contract, first, at=NOW + timedelta(hours=1))
    publish_older(contract, first, site.ledger, site.store, NOW)
    before = [(entry.event, entry.submission, entry.table_version) for entry in site.ledger.entries()]
    lose_ledger(tmp_path)
    complete(reconcile_contract(contract, core.Environment.at(tmp_path), END), site.ledger)
    assert [(entry.event, entry.submission, entry.table_version) for entry in site.ledger.entries()] == before


def test_a_table_of_an_older_version_gives_a_ledger_too(tmp_path):
    """What 0.1.0 did not write is what it always did; the moment of judgement is that of the decision."""
    walk(tmp_path, *(step for step in STORY if step[0] == CASES))
    before = told(tmp_path, "cases")
    as_0_1(tmp_path / "published/cases")
    lose_ledger(tmp_path)
    assert kinds(completed(tmp_path)) == []
    unknown = (*UNKNOWN, "received_at")
    assert [{name: record[name] for name in record if name not in unknown} for record in told(tmp_path, "cases")] == [
        {name: record[name] for name in record if name not in unknown} for record in before
    ]
    assert walked(tmp_path, CASES, STORY[-1][1])["ended"] == "published"
    assert walked(tmp_path, CASES, Delivered(FIRST, {"FR": 1}, 40))["ended"] == "published"
    assert len(publications(tmp_path / "published/cases")) == 4


@pytest.mark.parametrize("text", TEXTS)
def test_a_contract_whose_file_is_gone_is_reconciled_by_its_table(root, text):
    name = stated_by(text).name
    lose_ledger(root)
    found = reconcile_contract(name, core.Environment.at(root), END)
    complete(found, ledger_of(root))
    again = reconcile_contract(name, core.Environment.at(root), END)
    assert (again.missing, again.differences, len(found.rebuilt)) == ((), (), found.publications)


def test_tables_and_entries_name_the_contracts(root):
    shutil.rmtree(root / "published/cases")
    (root / "published/notes").mkdir()
    assert known_names(core.Environment.at(root)) == ("added", "apart", "cases", "keyed")
    lose_ledger(root)
    assert known_names(core.Environment.at(root)) == ("added", "apart", "keyed")


def test_where_nothing_is_there_nothing_is_found(tmp_path):
    found = found_in(tmp_path)
    assert (found.versions, found.publications, found.missing, found.differences) == (None, 0, (), ())
    assert complete(found, ledger_of(tmp_path)) == ()
    assert list(tmp_path.iterdir()) == []


def appended(table: DeltaTable) -> None:
    write_deltalake(table, rows("x", day=FIRST), mode="append")


def appended_elsewhere(table: DeltaTable) -> None:
    write_deltalake(table, rows("x", day="2026-10-09"), mode="append")


def deleted(table: DeltaTable) -> None:
    table.delete("region = 'NL'")


def rolled_back(table: DeltaTable) -> None:
    table.restore(publications(Path(table.table_uri.removeprefix("file://")))[1])


@pytest.mark.parametrize(
    "foreign, told",
    [
        (appended, [(Kind.FOREIGN, None, None, None), (Kind.OTHER_ROWS, FIRST, 2, 3)]),
        (appended_elsewhere, [(Kind.FOREIGN, None, None, None), (Kind.ROWS_OUTSIDE, None, None, 1)]),
        (
            deleted,
            [
                (Kind.FOREIGN, None, None, None),
                (Kind.OTHER_ROWS, FIRST, 2, 1),
                (Kind.OTHER_ROWS, SECOND, 3, 2),
            ],
        ),
        (rolled_back, [(Kind.FOREIGN, None, None, None), (Kind.OTHER_ROWS, FIRST, 2, 1)]),
    ],
)
def test_what_others_did_to_the_rows_is_told(root, foreign, told):
    """S1-108, S1-112: by the commit, and by the rows that each partition shows."""
    foreign(DeltaTable(root / "published/cases"))
    found = found_in(root)
    assert found.missing == ()
    assert sorted((item.kind, item.partition, item.recorded, item.shown) for item in found.differences) == sorted(told)


def test_without_the_contract_the_rows_are_compared_in_all(root):
    appended_elsewhere(DeltaTable(root / "published/cases"))
    found = reconcile_contract("cases", core.Environment.at(root), END)
    assert [(item.kind, item.recorded, item.shown) for item in found.differences][1:] == [(Kind.OTHER_ROWS, 5, 6)]


def test_under_append_a_partition_shows_the_rows_of_all_its_submissions(root):
    appended(DeltaTable(root / "published/added"))
    assert [(item.kind, item.recorded, item.shown) for item in found_in(root, ADDED).differences][1:] == [
        (Kind.OTHER_ROWS, 3, 4)
    ]


def test_a_table_that_is_gone_is_told(root):
    shutil.rmtree(root / "published/cases")
    assert [(item.kind, item.recorded) for item in found_in(root).differences] == [(Kind.NO_TABLE, 2)]


def test_a_table_from_an_older_copy_is_told(tmp_path):
    walk(tmp_path, *STORY[:1])
    shutil.copytree(tmp_path / "published", tmp_path / "copy")
    walk(tmp_path, STORY[2], STORY[-1])
    shutil.rmtree(tmp_path / "published")
    shutil.move(tmp_path / "copy", tmp_path / "published")
    assert sorted(kinds(found_in(tmp_path))) == [
        Kind.NO_COMMIT, Kind.NO_COMMIT, Kind.OTHER_MARK, Kind.OTHER_MARK, Kind.OTHER_ROWS, Kind.OTHER_ROWS,
    ]  # fmt: skip


def test_a_log_that_was_cleaned_is_no_difference(root):
    cut(root / "published/cases")
    found = found_in(root)
    assert (found.missing, found.differences, found.versions[0]) == ((), (), found.versions[1])


def test_what_neither_ledger_nor_log_knows_is_seen_by_its_rows(root):
    cut(root / "published/cases")
    lose_ledger(root)
    found = completed(root)
    assert [(item.kind, item.shown) for item in found.differences] == [(Kind.ROWS_OUTSIDE, 3)]
    assert [entry.partition for entry in found.recorded] == [FIRST]


def test_rows_that_cannot_be_read_are_told(root):
    for path in (root / "published/cases").rglob("*.parquet"):
        path.unlink()
    assert kinds(found_in(root)) == [Kind.ROWS_UNREADABLE]


def test_quarantined_rows_of_a_publication_that_stopped_are_told_until_it_is_tried_again(tmp_path, monkeypatch):
    """S3-023: quarantine and publication are two commits; where only the first is there, that is found, and a retry heals it."""

    def killed(*_) -> None:
        raise Killed

    stopped = Delivered(FIRST, {"NL": 1, "BE": -1})
    with monkeypatch.context() as patched:
        patched.setattr(store_module, "write_rows", killed)
        with pytest.raises(Killed):
            walked(tmp_path, APART, stopped)
    [difference] = found_in(tmp_path, APART).differences
    assert (difference.kind, difference.partition, difference.shown) == (Kind.QUARANTINE_UNPUBLISHED, FIRST, 1)
    walked(tmp_path, APART, stopped)
    assert kinds(found_in(tmp_path, APART)) == []


def test_quarantined_rows_that_are_gone_are_told_while_the_contract_keeps_them(root):
    """S3-023"""
    DeltaTable(root / "quarantine/apart").delete()
    [difference] = found_in(root, APART).differences
    assert (difference.kind, difference.recorded, difference.shown) == (Kind.QUARANTINE_OTHER_ROWS, 1, 0)
    assert kinds(found_in(root, APART, START + timedelta(days=29))) == [Kind.QUARANTINE_OTHER_ROWS]
    assert kinds(found_in(root, APART, START + timedelta(days=31))) == []
    shutil.rmtree(root / "quarantine")
    assert kinds(found_in(root, APART)) == [Kind.QUARANTINE_OTHER_ROWS]


def test_a_quarantine_that_cannot_be_read_keeps_nothing_from_being_completed(root):
    (root / "quarantine/apart/_delta_log" / f"{0:020d}.json").write_text("{")
    lose_ledger(root)
    found = completed(root, APART)
    assert (kinds(found), len(found.recorded)) == ([Kind.QUARANTINE_UNREADABLE], 2)


def test_constraints_that_somebody_changed_are_told(root):
    """S1-108"""
    table = DeltaTable(root / "published/cases")
    name = next(key for key in table.metadata().configuration if key.startswith("delta.constraints."))
    table.alter.drop_constraint(name.removeprefix("delta.constraints."))
    assert kinds(found_in(root)) == [Kind.ALTERED_CONSTRAINTS]


def test_whoever_writes_to_the_ledger_meanwhile_is_not_written_over(root):
    lose_ledger(root)
    found = found_in(root)
    walk(root, (CASES, Delivered(FIRST, {"NL": -1}, 30)))
    before = ledger_of(root).entries()
    with pytest.raises(PublicationConflictError, match="somebody else wrote to the ledger"):
        complete(found, ledger_of(root))
    assert ledger_of(root).entries() == before


def test_a_rival_in_the_middle_is_told_and_made_up_for(root, monkeypatch):
    lose_ledger(root)
    found, append = found_in(root), Ledger.append

    def rival(ledger, entry):
        written = append(ledger, entry)
        if entry == found.missing[0]:
            monkeypatch.setattr(Ledger, "append", append)
            walk(root, (CASES, Delivered(FIRST, {"NL": -1}, 30)))
        return written

    monkeypatch.setattr(Ledger, "append", rival)
    with pytest.raises(PublicationConflictError):
        complete(found, ledger_of(root))
    completed(root)
    assert ledger_of(root).latest_decision("cases", FIRST).verdict is core.Verdict.REFUSE
    assert (found_in(root).missing, kinds(found_in(root))) == ((), [])


def test_a_damaged_ledger_is_not_taken_for_a_lost_one(root):
    for path in (root / "ledger/_delta_log").iterdir():
        path.unlink()
    with pytest.raises(core.ContractCoreError, match="its data is there and its log is not"):
        found_in(root)


def test_a_decision_that_was_judged_anew_is_not_what_was_published(tmp_path, monkeypatch):
    """The record of a publication is about the decision that allowed it, even if a later one refuses the same delivery."""
    contract, site = contract_of(), Site(tmp_path)
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate)
    killed_before_the_record(monkeypatch, lambda: site.publish(contract, candidate))
    site.decide(contract, candidate, finding("n.range"), at=NOW + timedelta(hours=1))
    [entry] = reconcile_contract(contract, core.Environment.at(tmp_path), END).missing
    assert (entry.event, entry.verdict, entry.partition) == (Event.PUBLISHED, core.Verdict.PUBLISH, DAY)
