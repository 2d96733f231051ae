"""Files of replaced table versions go by age where the contract says so; the current version is always whole."""

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from deltalake import DeltaTable

from contract_core.errors import PublicationError
from contract_core.operations.cleaning import Kind, Why
from contract_core.operations.retention import remove
from contract_core.publication import store
from tests.operations.keeping import NOW, House, rows
from tests.publication.unchanged import unchanged

MODES = ["replace_partition", "append", "upsert"]


@pytest.fixture
def house(tmp_path):
    return House(tmp_path, "{keep_versions: 7d}")


def moment(house: House, version: int) -> datetime:
    """When a version of the published table was written, by its own log."""
    [stamp] = [commit["timestamp"] for commit in DeltaTable(str(house.table)).history() if commit["version"] == version]
    return datetime.fromtimestamp(stamp / 1000, UTC)


def newest(house: House) -> int:
    return DeltaTable(str(house.table)).version()


def files(house: House) -> set[str]:
    return {path.name for path in house.table.rglob("*.parquet") if "_delta_log" not in path.parts}


def after(house: House, **more: float) -> datetime:
    return moment(house, newest(house)) + timedelta(**more)


def test_without_a_stated_time_versions_are_not_looked_at(tmp_path):
    house = House(tmp_path)
    house.published(rows(1))
    with pytest.raises(ValueError, match="not enough values"):
        house.plan(Kind.VERSIONS)


def test_without_a_table_nothing_goes(house):
    plan = house.plan(Kind.VERSIONS)
    assert (plan.goes, plan.stays) == ((), 0)


def test_files_go_once_the_last_version_that_needs_them_was_replaced_long_enough_ago(house):
    """S1-071"""
    house.published(rows(1))
    [first] = files(house)
    house.published(rows(2))
    assert house.names(after(house, days=6, hours=23), Kind.VERSIONS) == set()
    [item] = house.going(Kind.VERSIONS, after(house, days=7, seconds=1))
    assert (item.name, item.why, item.size > 0) == (first, Why.REPLACED, True)


def test_a_version_that_stays_can_be_read_and_one_that_went_is_told(house):
    records = [house.published(rows(n)) for n in (1, 2, 3)]
    middle = moment(house, records[2].table_version) + timedelta(days=7) - timedelta(milliseconds=1)
    house.cleaned(middle)
    assert house.store.rows_at("cases", records[1].submission).collect()["count"].to_list() == [2]
    assert house.shown() == [3]
    with pytest.raises((PublicationError, FileNotFoundError)):  # the files are looked for when the rows are read
        house.store.rows_at("cases", records[0].submission).collect()


@pytest.mark.parametrize("mode", MODES)
def test_the_current_table_is_as_it_was(tmp_path, mode):
    house = House(tmp_path, f"{{mode: {mode}, keep_versions: 0d}}")
    for n in (1, 2):
        house.published(rows(n, first=0 if mode == "upsert" else n))
    before, version = house.shown(), newest(house)
    with unchanged(house.table / "_delta_log"):
        plans = house.cleaned(after(house, days=400))
    assert (house.shown(), newest(house)) == (before, version)
    assert files(house) == {Path(path).name for path in DeltaTable(str(house.table)).file_uris()}
    assert house.names(after(house, days=400), Kind.VERSIONS) == set()
    assert {plan.kind for plan in plans} == set(Kind)


@pytest.mark.parametrize("mode", MODES)
def test_the_gate_goes_on_as_before(tmp_path, mode):
    """Marks, the lookup of a submission's commit and the next publication do not notice that files went."""
    house = House(tmp_path, f"{{mode: {mode}, keep_versions: 0d}}")
    first, second = house.published(rows(1)), house.published(rows(2, first=5))
    house.cleaned(after(house, days=400))
    assert house.store.commit_of("cases", first.submission) == first.table_version
    assert house.published(rows(2, first=5)) == second
    assert house.published(rows(3, first=9)).table_version == newest(house)
    assert 3 in house.shown()


def test_a_reader_that_opened_the_current_version_reads_it_to_its_end(house):
    house.published(rows(1))
    house.published(rows(2))
    reader = house.store.rows("cases")
    house.cleaned(after(house, days=400))
    assert reader.collect()["count"].to_list() == [2]


def test_a_reader_of_a_version_that_was_replaced_just_now_reads_it_to_its_end(tmp_path):
    house = House(tmp_path, "{keep_versions: 0d}")
    house.published(rows(1))
    reader = house.store.rows("cases")
    house.published(rows(2))
    house.cleaned(after(house, minutes=59))
    assert reader.collect()["count"].to_list() == [1]


def test_a_publication_between_plan_and_removal_keeps_its_rows(house):
    for n in (1, 2):
        house.published(rows(n))
    plan = house.plan(Kind.VERSIONS, after(house, days=400))
    house.published(rows(3))
    remove(plan, house.places)
    assert house.shown() == [3]


def test_a_publication_that_opened_the_table_before_the_removal_succeeds(house, monkeypatch):
    for n in (1, 2):
        house.published(rows(n))
    late = after(house, days=400)
    write = store.write_rows

    def cleaned_first(*given):
        house.cleaned(late)
        write(*given)

    with monkeypatch.context() as patched:
        patched.setattr(store, "write_rows", cleaned_first)
        house.published(rows(3))
    assert house.shown() == [3]


def test_what_a_crashed_write_left_goes_after_a_day(house):
    """S1-071"""
    house.published(rows(1))
    folder = next(path.parent for path in house.table.rglob("part-*.parquet"))
    old, young, stranger = folder / "part-old.parquet", folder / "part-young.parquet", folder / "notes.txt"
    for path in (old, young, stranger):
        path.write_bytes(b"123")
    for path in (old, stranger):
        os.utime(path, (NOW.timestamp(),) * 2)
    assert [(item.name, item.size) for item in house.going(Kind.VERSIONS, NOW)] == [("part-old.parquet", 3)]
    house.cleaned(NOW)
    assert [path.exists() for path in (old, young, stranger)] == [False, True, True]


def test_files_that_a_checkpoint_has_forgotten_go_too(house):
    """A checkpoint names a replaced file for a week only; nobody but a full listing finds it then."""
    house.published(rows(1))
    house.published(rows(2))
    _age(house.table, timedelta(days=20))
    DeltaTable(str(house.table)).create_checkpoint()
    assert DeltaTable(str(house.table)).vacuum(0, dry_run=True, enforce_retention_duration=False) == []
    assert len(house.names(after(house, days=8), Kind.VERSIONS)) == 1
    assert house.names(after(house, days=6), Kind.VERSIONS) == set()


def test_versions_from_before_the_log_begins_need_nothing(house):
    for n in (1, 2, 3):
        house.published(rows(n))
    table = DeltaTable(str(house.table))
    table.create_checkpoint()
    for path in sorted((house.table / "_delta_log").glob("*.json"))[: table.version()]:
        path.unlink()
    _age(house.table, timedelta(days=2))
    plan = house.plan(Kind.VERSIONS, after(house))
    assert (len(plan.goes), plan.stays) == (2, 1)


def test_a_kill_in_between_leaves_what_the_next_run_finds(house, monkeypatch):
    for n in (1, 2, 3):
        house.published(rows(n))
    late, unlink, done = after(house, days=8), Path.unlink, []

    def killed(path, missing_ok=False):
        if done:
            raise KeyboardInterrupt
        done.append(path)
        unlink(path, missing_ok=missing_ok)

    plan = house.plan(Kind.VERSIONS, late)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            remove(plan, house.places)
    assert len(house.names(late, Kind.VERSIONS)) == len(plan.goes) - 1 == 1
    house.cleaned(late)
    assert house.shown() == [3]


def test_a_table_that_cannot_be_read_is_told_and_nothing_goes(house):
    house.published(rows(1))
    for path in (house.table / "_delta_log").glob("*.json"):
        path.write_text("{")
    with pytest.raises(PublicationError):
        house.plan(Kind.VERSIONS)


def _age(table: Path, by: timedelta) -> None:
    """The table as it would be some time later, by its log and by its files."""
    back = int(by.total_seconds() * 1000)
    stamps = re.compile(r'("(?:timestamp|deletionTimestamp|modificationTime)":)([0-9]+)')
    for path in (table / "_delta_log").glob("*.json"):
        path.write_text(stamps.sub(lambda found: found[1] + str(int(found[2]) - back), path.read_text()))
    for path in table.rglob("*"):
        if path.is_file():
            os.utime(path, (path.stat().st_mtime - by.total_seconds(),) * 2)
