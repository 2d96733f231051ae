"""Rows in quarantine go by age, for good, and nothing else of the quarantine does."""

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable

from contract_core.errors import PublicationError, WrongUsageError
from contract_core.operations.cleaning import Kind, Why
from contract_core.operations.retention import remove
from tests.operations.keeping import DAY, LATER, NOW, House, rows

MIXED, OTHER = rows(-471147114711, 3), rows(-471247124712, 3)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path, on_breach="{on_breach: quarantine}")


@pytest.fixture
def unpublished(house, monkeypatch):
    """A submission whose rows are in quarantine and whose process ended after that."""

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("contract_core.publication.store.write_rows", killed)
        with pytest.raises(KeyboardInterrupt):
            house.published(MIXED)
    return house.ledger.entries("cases")[0].submission


def bytes_below(folder: Path) -> bytes:
    """Everything on disk, the log decoded: a checkpoint is a compressed file."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    read = [
        str(pl.read_parquet(path).to_dicts()).encode() if path.suffix == ".parquet" else path.read_bytes()
        for path in found
    ]
    return b"".join(read)


def test_without_a_quarantine_nothing_goes(house):
    plan = house.plan(Kind.QUARANTINE)
    assert (plan.goes, plan.stays) == ((), 0)
    house.cleaned()
    assert not house.places.quarantine.exists()


@pytest.mark.parametrize(("terms", "days"), [("", 30), ("keep: 3d, ", 3), ("keep: 400d, ", 400)])
def test_rows_go_when_they_are_older_than_the_contract_keeps_them(tmp_path, terms, days):
    """S1-096: retention of rejected data."""
    house = House(tmp_path, on_breach=f"{{on_breach: quarantine, quarantine: {{{terms}max_rows: 9}}}}")
    record = house.published(MIXED)
    assert house.going(Kind.QUARANTINE, NOW + timedelta(days=days)) == []
    [item] = house.going(Kind.QUARANTINE, NOW + timedelta(days=days, seconds=1))
    assert (item.name, item.why, item.partition, item.since, item.rows) == (
        record.submission,
        Why.PUBLISHED,
        DAY,
        NOW,
        1,
    )
    assert item.size == sum(path.stat().st_size for path in house.places.quarantine.rglob("part-*.parquet"))


def test_only_old_rows_go_and_their_bytes_with_them(house):
    """S1-096: a row that an earlier version gives back, or that the log quotes, is not removed."""
    house.published(MIXED)
    young = house.published(rows(-888888888888, 3, day="2026-10-02"), LATER, day="2026-10-02").submission
    assert b"471147114711" in bytes_below(house.places.quarantine)
    house.cleaned()
    assert dict(house.store.quarantine.counts("cases")) == {young: 1}
    DeltaTable(str(house.places.quarantine / "cases")).create_checkpoint()
    assert b"471147114711" not in bytes_below(house.places.quarantine)
    assert b"888888888888" in bytes_below(house.places.quarantine)


def test_the_log_of_a_quarantine_never_quotes_a_row(house):
    house.published(MIXED)
    DeltaTable(str(house.places.quarantine / "cases")).create_checkpoint()
    assert b"471147114711" not in bytes_below(house.places.quarantine / "cases" / "_delta_log")


def test_rows_that_were_stored_anew_leave_no_earlier_copy(house, unpublished, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("contract_core.publication.quarantine.Quarantine.count_of", lambda *_: 0)
        house.published(MIXED)
    left = house.going(Kind.QUARANTINE, NOW)
    assert {(item.why, item.rows) for item in left} == {(Why.LEFT_OVER, None)}
    house.cleaned(NOW)
    assert dict(house.store.quarantine.counts("cases")) == {unpublished: 1}
    assert house.going(Kind.QUARANTINE, NOW) == []


def test_rows_of_a_submission_that_was_never_published_are_told_apart(house, unpublished):
    assert [(item.name, item.why) for item in house.going(Kind.QUARANTINE)] == [(unpublished, Why.NEVER_PUBLISHED)]
    house.cleaned()
    assert dict(house.store.quarantine.counts("cases")) == {}
    assert house.published(MIXED, LATER).quarantined == 1
    assert dict(house.store.quarantine.counts("cases")) == {unpublished: 1}


def test_a_publication_that_a_crash_kept_from_being_recorded_is_one(house, monkeypatch):
    append = type(house.ledger).append

    def dies(ledger, entry):
        if entry.event.value == "published":
            raise KeyboardInterrupt
        return append(ledger, entry)

    with monkeypatch.context() as patched:
        patched.setattr(type(house.ledger), "append", dies)
        with pytest.raises(KeyboardInterrupt):
            house.published(MIXED)
    assert [item.why for item in house.going(Kind.QUARANTINE)] == [Why.PUBLISHED]


def test_rows_that_are_stored_anew_between_plan_and_removal_stay(house, unpublished):
    plan = house.plan(Kind.QUARANTINE)
    house.judged(OTHER, LATER)
    assert house.published(MIXED, LATER).quarantined == 1
    remove(plan, house.places)
    assert dict(house.store.quarantine.counts("cases")) == {unpublished: 1}
    assert house.names(kind=Kind.QUARANTINE) == set()


def test_a_rival_in_between_is_met_with_another_attempt(house, monkeypatch):
    house.published(MIXED)
    delete, rivals = DeltaTable.delete, []

    def late(table, predicate):
        if not rivals:
            rivals.append(house.published(OTHER, LATER).submission)
            delete(DeltaTable(table.table_uri), "submission IS NOT NULL AND rule = 'nothing'")
            house.store.quarantine._open("cases").delete(predicate)
        return delete(table, predicate)

    monkeypatch.setattr(DeltaTable, "delete", late)
    house.cleaned()
    assert dict(house.store.quarantine.counts("cases")) == {rivals[0]: 1}


@pytest.mark.parametrize("step", ["delete", "unlink"])
def test_a_kill_in_between_leaves_what_the_next_run_finds(house, monkeypatch, step):
    house.published(MIXED)

    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(DeltaTable if step == "delete" else Path, step, killed)
        with pytest.raises(KeyboardInterrupt):
            house.cleaned()
    assert [item.why for item in house.going(Kind.QUARANTINE)] == [Why.PUBLISHED if step == "delete" else Why.LEFT_OVER]
    house.cleaned()
    assert house.going(Kind.QUARANTINE) == []
    assert b"471147114711" not in bytes_below(house.places.quarantine)


@pytest.mark.parametrize(
    ("failure", "cause"),
    [
        pytest.param(OSError(13, "Permission denied"), "Permission denied", id="the system's words"),
        pytest.param(OSError("row 4711"), "OSError", id="the class of the error and no text"),
    ],
)
def test_what_cannot_be_removed_is_told_without_the_librarys_words(house, monkeypatch, failure, cause):
    house.published(MIXED)

    def refuse(*_):
        raise failure

    monkeypatch.setattr(DeltaTable, "delete", refuse)
    with pytest.raises(PublicationError) as told:
        house.cleaned()
    assert told.value.problems[0].what == f"rows in its quarantine cannot be removed: {cause}"
    assert told.value.__cause__ is None


def test_a_file_that_may_not_be_removed_is_told(house, monkeypatch):
    house.published(MIXED)

    def refuse(*_, **__):
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(WrongUsageError, match="Operation not permitted"):
            house.cleaned()
    house.cleaned()
    assert b"471147114711" not in bytes_below(house.places.quarantine)


def test_a_quarantine_that_cannot_be_read_is_told(house):
    house.published(MIXED)
    for path in house.places.quarantine.rglob("part-*.parquet"):
        path.unlink()
    with pytest.raises(PublicationError, match="its quarantine cannot be read"):
        house.plan(Kind.QUARANTINE)


def test_a_withheld_quarantine_is_cleaned_the_same_way(tmp_path):
    house = House(tmp_path, on_breach="{on_breach: quarantine, quarantine: {rows: withheld, keep: 1d}}")
    house.published(MIXED)
    house.cleaned()
    assert dict(house.store.quarantine.counts("cases")) == {}
