"""What crashes left below the candidates goes when it is old, and never while somebody may still need it."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contract_core.candidate.spool import attempt_folder
from contract_core.errors import WrongUsageError
from contract_core.operations.cleaning import Kind, Why
from contract_core.operations.retention import remove
from contract_core.publication.unneeded import remove_files
from tests.operations.keeping import LATER, NOW, House, rows

BAD, GOOD = rows(-1), rows(1)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def aged(path: Path, moment: datetime = NOW) -> Path:
    os.utime(path, (moment.timestamp(),) * 2)
    return path


def unrecorded(house: House) -> Path:
    """Rows whose taking was killed before they were recorded."""
    candidate = house.taken(GOOD)
    (house.candidates / f"{candidate.submission}.json").unlink()
    return aged(candidate.path)


def test_rows_without_a_record_go_after_a_day(house):
    """S1-071"""
    path = unrecorded(house)
    assert house.names(NOW + timedelta(days=1), Kind.UNRECORDED) == set()
    [item] = house.going(Kind.UNRECORDED, NOW + timedelta(days=1, seconds=1))
    assert (item.name, item.why, item.size) == (path.name, Why.LEFT_OVER, path.stat().st_size)
    house.cleaned()
    assert not path.exists()


def test_rows_that_are_recorded_are_none(house):
    house.judged(GOOD)
    assert house.plan(Kind.UNRECORDED, LATER).goes == ()


def test_no_rows_are_unrecorded_while_a_record_cannot_be_read(house):
    unrecorded(house)
    (house.candidates / f"{'f' * 64}.json").write_text("{")
    assert house.names(kind=Kind.UNRECORDED) == set()


def test_rows_that_are_recorded_while_one_looks_are_none(house, monkeypatch):
    path = unrecorded(house)
    glob = Path.glob

    def recorded_meanwhile(folder, pattern):
        found = list(glob(folder, pattern))
        if pattern.endswith("parquet"):
            house.taken(GOOD)
        return found

    monkeypatch.setattr(Path, "glob", recorded_meanwhile)
    assert house.names(kind=Kind.UNRECORDED) == set()
    assert path.exists()


def test_a_folder_of_an_attempt_that_was_killed_goes_after_a_day(house):
    """S1-071"""
    folder = house.places.candidates / ".attempts" / "take-dead"
    folder.mkdir(parents=True)
    (folder / "lock").touch()
    (folder / "candidate.parquet").write_bytes(b"12345")
    aged(folder)
    assert house.names(NOW + timedelta(days=1), Kind.ATTEMPTS) == set()
    assert [(item.name, item.size) for item in house.going(Kind.ATTEMPTS)] == [("take-dead", 5)]
    house.cleaned()
    assert not folder.exists()
    assert house.plan(Kind.ATTEMPTS).goes == ()


def test_a_folder_that_was_killed_before_it_had_a_lock_goes_too(house):
    folder = house.places.candidates / ".attempts" / "take-dead"
    folder.mkdir(parents=True)
    aged(folder)
    house.cleaned()
    assert not folder.exists()


def test_an_attempt_that_lives_is_left_alone_however_old_it_is(house):
    with attempt_folder(house.places.candidates) as folder:
        aged(folder)
        plan = house.plan(Kind.ATTEMPTS)
        assert (plan.goes, plan.stays) == ((), 1)
        remove(type(plan)(Kind.ATTEMPTS, None, (), 0, (folder,)), house.places)
        assert folder.exists()


def test_an_attempt_that_may_not_be_removed_is_told(house, monkeypatch):
    folder = house.places.candidates / ".attempts" / "take-dead"
    folder.mkdir(parents=True)
    aged(folder)
    plan = house.plan(Kind.ATTEMPTS)

    def refuse(_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(WrongUsageError, match="cannot be removed: Operation not permitted"):
        remove(plan, house.places)


def test_an_attempt_that_ends_meanwhile_is_no_fault(house):
    folder = house.places.candidates / ".attempts" / "take-dead"
    folder.mkdir(parents=True)
    aged(folder)
    plan = house.plan(Kind.ATTEMPTS)
    folder.rmdir()
    remove(plan, house.places)


@pytest.mark.parametrize("removed", [1, 2, 3])
def test_a_kill_in_between_leaves_what_the_next_run_finds(house, monkeypatch, removed):
    """Records go before rows: what is left is rows that no record names, and never a record without its rows."""
    for count in (-1, -2, -3):
        house.judged(rows(count))
    plan = house.plan(Kind.CANDIDATES)
    assert [path.suffix for path in plan.files] == [".json", ".json", ".parquet", ".parquet"]
    unlink, done = Path.unlink, []

    def killed(path, missing_ok=False):
        if len(done) == removed:
            raise KeyboardInterrupt
        done.append(path)
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            remove(plan, house.places)
    left = {path.stem for path in house.candidates.glob("*.json")}
    assert len(left) == 3 - min(removed, 2)
    for path in house.candidates.glob("*.parquet"):
        aged(path)
    house.cleaned()
    assert len(list(house.candidates.iterdir())) == 2


def test_files_that_are_gone_are_no_fault(tmp_path):
    remove_files([tmp_path / "gone"])


def test_moments_of_files_are_told_in_utc(house):
    unrecorded(house)
    assert [item.since for item in house.going(Kind.UNRECORDED)] == [NOW.astimezone(UTC)]
