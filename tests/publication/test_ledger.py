"""The ledger: append-only, one entry per event, in an order that all writers agree on."""

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError

from contract_core.errors import LedgerDamagedError, WrongUsageError
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry, runtime_versions
from contract_core.publication.ledger import Ledger
from tests.publication.processes import at_once
from tests.publication.samples import DAY, NOW


def entry(submission: str = "5" * 64, **changes: object) -> LedgerEntry:
    made = LedgerEntry(
        event=Event.DECIDED,
        contract="cases",
        version="1.0.0",
        contract_digest="c" * 64,
        partition=DAY,
        submission=submission,
        candidate_digest="d" * 64,
        verdict=Verdict.PUBLISH,
        report_digest="e" * 64,
        rows=3,
        as_of=NOW,
        at=NOW,
        received_at=NOW,
        breached=("n.range",),
        unjudged=(),
        warned=("n.range",),
        counts={"n.range": 2},
        runtime=runtime_versions(),
    )
    return replace(made, **changes)


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    return Ledger(tmp_path / "ledger")


def test_a_folder_that_is_not_there_is_an_empty_ledger(ledger):
    assert ledger.entries() == ()
    assert ledger.latest_decision("cases", DAY) is None
    assert not ledger.root.exists()


def test_an_empty_folder_is_an_empty_ledger(ledger):
    ledger.root.mkdir()
    assert ledger.entries() == ()


def test_an_entry_comes_back_as_it_was_written(ledger):
    written = ledger.append(entry())
    assert ledger.entries() == (written,)
    assert replace(written, sequence=0, identity="") == entry()


def test_a_ledger_from_before_quarantine_and_modes_is_read_and_continued(ledger):
    """An entry that says nothing of them is about a partition that was replaced whole."""
    written = ledger.append(entry())
    before = pl.read_delta(str(ledger.root)).drop("quarantined", "reasons", "mode")
    shutil.rmtree(ledger.root)
    for frame in (before.clear(), before):  # a version for the table itself, as it was
        write_deltalake(ledger.root, frame, mode="append", partition_by=["contract"])
    assert ledger.entries() == (written,)
    assert (written.quarantined, written.reasons, written.mode) == (0, (), "replace_partition")
    assert ledger.append(entry()) == written
    added = ledger.append(entry("6" * 64, quarantined=2, reasons=("n.range",), mode="upsert"))
    assert ledger.entries() == (written, added)


COLUMNS_OF_0_1 = (
    "event", "contract", "version", "contract_digest", "partition", "submission", "candidate_digest", "verdict", "report_digest",
    "rows", "as_of", "at", "received_at", "breached", "unjudged", "warned", "counts", "table_version", "reason", "runtime",
    "sequence", "identity",
)  # fmt: skip


@pytest.mark.parametrize(
    "columns", [COLUMNS_OF_0_1, (*COLUMNS_OF_0_1, "quarantined", "reasons", "mode")], ids=["0.1", "with modes"]
)
def test_a_ledger_without_any_of_the_later_columns_is_read_and_continued(ledger, columns):
    known = ledger.append(entry())
    before = pl.read_delta(str(ledger.root)).select(columns)
    shutil.rmtree(ledger.root)
    for frame in (before.clear(), before):  # a version for the table itself, as it was
        write_deltalake(ledger.root, frame, mode="append", partition_by=["contract"])
    assert ledger.entries() == (known,)
    later = ledger.append(entry("6" * 64, event_age=5, baseline="7" * 64, effort={"take_seconds": 0.5}))
    assert ledger.entries() == (known, later)
    assert [found.effort for found in ledger.entries()] == [{}, {"take_seconds": 0.5}]


def test_moments_in_any_zone_are_the_same_moments(ledger):
    moment = datetime(2026, 10, 1, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    assert ledger.append(entry(at=moment)).at == ledger.entries()[0].at == moment


def test_the_same_event_twice_is_one_entry(ledger):
    first = ledger.append(entry())
    assert ledger.append(entry(at=NOW + timedelta(hours=1))) == first
    assert len(ledger.entries()) == 1


EVENTS = {
    "another submission": {"submission": "6" * 64},
    "another report": {"report_digest": "f" * 64},
    "another verdict": {"verdict": Verdict.REFUSE},
    "another event": {"event": Event.PUBLISHED, "table_version": 0},
    "another partition": {"partition": "2026-10-02"},
    "no partition": {"partition": None},
    "another contract": {"contract": "other"},
}


@pytest.mark.parametrize("changes", EVENTS.values(), ids=EVENTS)
def test_another_event_is_another_entry(ledger, changes):
    ledger.append(entry())
    ledger.append(entry(**changes))
    assert len(ledger.entries()) == 2


def test_a_decision_taken_again_after_another_one_is_the_latest_again(ledger):
    ledger.append(entry())
    ledger.append(entry("6" * 64, verdict=Verdict.REFUSE))
    ledger.append(entry())
    ledger.append(entry())
    assert [each.submission[0] for each in ledger.entries()] == ["5", "6", "5"]
    assert ledger.latest_decision("cases", DAY).submission == "5" * 64
    assert len({each.identity for each in ledger.entries()}) == 3


def test_publications_and_failures_are_recorded_once(ledger):
    for _ in range(2):
        ledger.append(entry())
        ledger.append(entry(event=Event.FAILED, reason="PublicationError"))
        ledger.append(entry(event=Event.PUBLISHED, table_version=4))
    assert [each.event for each in ledger.entries()] == [Event.DECIDED, Event.FAILED, Event.PUBLISHED]


def test_entries_are_found_by_contract_partition_and_submission(ledger):
    for contract in ("cases", "other"):
        for partition in (DAY, "2026-10-02", None):
            ledger.append(
                entry(
                    contract=contract,
                    partition=partition,
                    submission=f"{contract}{partition}".ljust(64, "0").encode().hex()[:64],
                )
            )
    assert len(ledger.entries("cases")) == 3
    assert len(ledger.entries("cases", DAY)) == 1
    assert len(ledger.entries(partition=DAY)) == 2
    assert len(ledger.partition_entries("cases", None)) == 1
    some = ledger.entries("other")[1]
    assert ledger.entries(submission=some.submission) == (some,)
    assert ledger.decision_of(some.submission) == some
    assert ledger.decision_of("0" * 64) is None


def test_the_latest_decision_is_no_publication_event(ledger):
    decided = ledger.append(entry())
    ledger.append(entry(event=Event.PUBLISHED, table_version=1))
    assert ledger.latest_decision("cases", DAY) == decided


def test_a_contract_has_files_of_its_own_so_that_reading_one_prunes(ledger):
    ledger.append(entry())
    ledger.append(entry(contract="other"))
    assert DeltaTable(ledger.root).metadata().partition_columns == ["contract"]


def test_nothing_can_be_taken_out(ledger):
    ledger.append(entry())
    with pytest.raises(CommitFailedError):
        DeltaTable(ledger.root).delete("contract = 'cases'")
    with pytest.raises(CommitFailedError):
        write_deltalake(ledger.root, pl.read_delta(str(ledger.root)).clear(), mode="overwrite")


def test_merging_small_files_changes_no_entry(ledger, monkeypatch):
    monkeypatch.setattr("contract_core.publication.ledger_merging._MERGED_EVERY", 4)
    written = [ledger.append(entry(f"{number:064x}")) for number in range(9)]
    assert ledger.entries() == tuple(written)
    assert len(DeltaTable(ledger.root).file_uris()) < 9


class Panic(BaseException):
    """What delta-rs raises on a full disk is no Exception."""


@pytest.mark.parametrize(
    "failure", [OSError("secret-value"), Exception("secret-value"), Panic("secret-value")], ids=repr
)
def test_who_claimed_a_message_has_it_though_files_cannot_be_merged(ledger, monkeypatch, failure):
    def failing(*_: object) -> int:
        raise failure

    monkeypatch.setattr("contract_core.publication.ledger_merging.files_of", failing)
    assert ledger.claim(entry(event=Event.NOTIFIED, reference="one"))
    assert not ledger.claim(entry(event=Event.NOTIFIED, reference="one"))


DAMAGES = {
    "no log": lambda root: shutil.rmtree(root / "_delta_log"),
    "a gap in the log": lambda root: (root / "_delta_log" / f"{1:020d}.json").unlink(),
    "no beginning": lambda root: (root / "_delta_log" / f"{0:020d}.json").unlink(),
    "a broken log": lambda root: (root / "_delta_log" / f"{1:020d}.json").write_text('{"add": {broken secret-value'),
    "a lost file": lambda root: next(root.rglob("*.parquet")).unlink(),
    "an empty file": lambda root: next(root.rglob("*.parquet")).write_bytes(b""),
    "a scrambled file": lambda root: next(root.rglob("*.parquet")).write_bytes(
        b"PAR1" + b"secret-value" * 99 + b"PAR1"
    ),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_ledger_says_so_and_what_to_do(ledger, damage):
    ledger.append(entry())
    ledger.append(entry("6" * 64))
    damage(ledger.root)
    for act in (ledger.entries, lambda: ledger.append(entry("7" * 64)), lambda: ledger.latest_decision("cases", DAY)):
        with pytest.raises(LedgerDamagedError, match="restore") as damaged:
            act()
        assert "secret-value" not in str(damaged.value)
        assert damaged.value.__context__ is None


def test_copies_of_an_entry_are_one_entry(ledger):
    """Two hosts that merge the same files leave each entry twice, which says nothing new."""
    first = ledger.append(entry())
    write_deltalake(ledger.root, pl.read_delta(str(ledger.root)), mode="append")
    assert ledger.entries() == (first,)
    assert ledger.append(entry()) == first
    assert ledger.append(entry("6" * 64)) == ledger.entries()[1]
    assert ledger.at_once(["cases"])("cases") == ledger.entries()


def test_an_entry_that_stands_twice_with_different_words_is_damage(ledger):
    ledger.append(entry())
    other = pl.read_delta(str(ledger.root)).with_columns(rows=pl.lit(7, pl.Int64))
    write_deltalake(ledger.root, other, mode="append")
    with pytest.raises(LedgerDamagedError, match="twice"):
        ledger.entries()


POISON = {
    "a moment after the last year": {"as_of": pl.lit(253_402_344_000_000_000).cast(pl.Datetime("us", "UTC"))},
    "a moment before the first year": {"received_at": pl.lit(-62_135_596_800_000_001).cast(pl.Datetime("us", "UTC"))},
    "no sequence": {"sequence": pl.lit(None, pl.Int64)},
    "no rules": {"breached": pl.lit(None, pl.List(pl.String))},
    "an unknown event": {"event": pl.lit("secret-value")},
    "an unknown verdict": {"verdict": pl.lit("secret-value")},
    "no JSON": {"counts": pl.lit("secret-value")},
    "a list for an object": {"counts": pl.lit("[1]")},
    "texts for numbers": {"counts": pl.lit('{"a": "secret-value"}')},
    "deep JSON": {"runtime": pl.lit("[" * 100_000)},
}


@pytest.mark.parametrize("changes", POISON.values(), ids=POISON)
def test_an_entry_that_cannot_be_understood_is_damage(ledger, changes):
    ledger.append(entry())
    poisoned = pl.read_delta(str(ledger.root)).with_columns(identity=pl.lit("f" * 64), **changes)
    write_deltalake(ledger.root, poisoned, mode="append")
    for act in (ledger.entries, lambda: ledger.append(entry("7" * 64)), lambda: ledger.latest_decision("cases", DAY)):
        with pytest.raises(LedgerDamagedError, match="cannot be read") as damaged:
            act()
        assert "secret-value" not in str(damaged.value)
        assert damaged.value.__context__ is None


FAR = {
    "after the last year": datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-12))),
    "before the first year": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    "without a zone": datetime(2026, 10, 1),
}


@pytest.mark.parametrize("name", ["as_of", "at", "received_at"])
@pytest.mark.parametrize("moment", FAR.values(), ids=FAR)
def test_a_moment_that_could_not_be_read_again_is_never_written(ledger, name, moment):
    with pytest.raises(WrongUsageError, match=f"moment '{name}'"):
        ledger.append(entry(**{name: moment}))
    assert not ledger.root.exists()


@pytest.mark.parametrize("moment", [datetime.min, datetime.max], ids=["first", "last"])
def test_the_first_and_the_last_moment_are_kept(ledger, moment):
    written = ledger.append(entry(as_of=moment.replace(tzinfo=UTC)))
    assert ledger.entries() == (written,)


SAME = """
from tests.publication.test_ledger import entry
from contract_core.publication.ledger import Ledger
from pathlib import Path
ready()
for turn in range(4):
    Ledger(Path(FOLDER) / "ledger").append(entry(f"{turn:064x}", partition=str(turn)))
"""
DIFFERENT = SAME.replace('f"{turn:064x}"', 'f"{turn * 10 + NUMBER:064x}"')


def test_four_processes_that_say_the_same_make_one_entry_each_time(tmp_path):
    assert at_once(4, SAME, tmp_path) == [0, 0, 0, 0]
    assert len(Ledger(tmp_path / "ledger").entries()) == 4


def test_four_processes_that_say_different_things_lose_none(tmp_path):
    assert at_once(4, DIFFERENT, tmp_path) == [0, 0, 0, 0]
    entries = Ledger(tmp_path / "ledger").entries()
    assert len({each.submission for each in entries}) == 16
    assert len({each.sequence for each in entries}) == 16


def test_an_entry_that_stands_is_written_although_what_follows_its_commit_fails(ledger, monkeypatch):
    def written_and_then(*arguments, **options):
        write_deltalake(*arguments, **options)
        raise DeltaError("no checkpoint")

    ledger.append(entry("6" * 64))
    monkeypatch.setattr("contract_core.publication.ledger.write_deltalake", written_and_then)
    assert ledger.append(entry()).sequence == 2
    assert len(ledger.entries()) == 2


def test_of_two_who_claim_the_same_with_equal_entries_the_one_whose_commit_came_second_has_not_claimed_it(
    ledger, monkeypatch
):
    """[S2-041] Equal entries have one identity and one mark, so only the commit itself says whose it is."""
    rivals: list[bool] = []
    message = entry(event=Event.NOTIFIED, reference="one")

    def behind_a_rival(*arguments, **options):
        if not rivals:
            rivals.append(True)
            rivals.append(Ledger(ledger.root).claim(message))
        write_deltalake(*arguments, **options)

    ledger.append(entry("6" * 64))
    monkeypatch.setattr("contract_core.publication.ledger.write_deltalake", behind_a_rival)
    assert ledger.claim(message) is False
    assert rivals == [True, True]
    assert len(ledger.entries()) == 2
