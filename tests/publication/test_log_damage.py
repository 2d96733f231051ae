"""A damaged file of a log is named, with what mends it; nothing is written before, and nothing is lost after."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from contract_core.errors import ContractCoreError, LedgerDamagedError, PublicationError
from contract_core.publication.table_log import read_log
from tests.publication.logs import commit_file
from tests.publication.samples import Site, contract_of, rows

SECRET = "Jan Jansen"
TABLES = {"published table": ("published/cases", PublicationError), "ledger": ("ledger", LedgerDamagedError)}


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def overwritten(file: Path) -> None:
    file.write_bytes(SECRET.encode() * 40)


HOW: list[Callable[[Path], None]] = [truncated, emptied, overwritten]


@pytest.fixture
def filled(site: Site) -> Site:
    """Three publications, a checkpoint of each table after the second."""
    for number, region in enumerate((SECRET, "b", "c")):
        site.accept(contract_of(), rows(region, n=number))
        if number == 1:
            for place, _ in TABLES.values():
                DeltaTable(site.root / place).create_checkpoint()
    return site


def log_of(site: Site, table: str) -> Path:
    return site.root / TABLES[table][0] / "_delta_log"


def checkpoint_in(log: Path) -> Path:
    [found] = log.glob("*.checkpoint.parquet")
    return found


def seen(site: Site) -> dict[str, Any]:
    return {"shown": site.shown(), "entries": site.ledger.entries(), "log": read_log(site.table(), "cases")}


def assert_as_before(site: Site, before: dict[str, Any]) -> None:
    """All that was there; the ledger has the decision about what could not be published then as well."""
    found = seen(site)
    assert found["entries"][: len(before["entries"])] == before["entries"]
    assert found | {"entries": before["entries"]} == before


def bytes_below(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(site: Site, table: str) -> ContractCoreError:
    """What every question about the table is answered with; nothing in it changes by asking, nor by publishing."""
    before = bytes_below(site.root / TABLES[table][0])
    asked: list[Callable[[], object]] = [lambda: site.accept(contract_of(), rows("d"))]
    asked += (
        [site.shown, lambda: read_log(site.table(), "cases")] if table == "published table" else [site.ledger.entries]
    )
    told = []
    for ask in asked:
        with pytest.raises(TABLES[table][1]) as failure:
            ask()
        assert SECRET not in str(failure.value)
        told.append(failure.value)
    assert len({str(error).partition(": ")[2].partition("the file")[2] for error in told}) == 1
    assert bytes_below(site.root / TABLES[table][0]) == before
    return told[0]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_checkpoint_is_named_and_can_be_done_without(
    filled: Site, table: str, how: Callable[[Path], None]
) -> None:
    before, log = seen(filled), log_of(filled, table)
    how(checkpoint_in(log))
    [problem] = refused(filled, table).problems
    assert f"the file {checkpoint_in(log)} is no checkpoint that can be read: " in problem.what
    assert problem.hint == (
        "nothing was written; move that file and '_last_checkpoint' beside it away: every commit is there, and the table is "
        "read from them"
    )
    checkpoint_in(log).unlink()
    (log / "_last_checkpoint").unlink()
    assert_as_before(filled, before)
    assert filled.accept(contract_of(), rows("d")).already_published is False


@pytest.mark.parametrize("table", TABLES)
def test_a_checkpoint_that_commits_were_cut_behind_can_only_be_restored(filled: Site, table: str) -> None:
    before, log = seen(filled), log_of(filled, table)
    checkpoint = checkpoint_in(log)
    copy = shutil.copy(checkpoint, filled.root / "copy")
    commit_file(log.parent, 0).unlink()
    truncated(checkpoint)
    [problem] = refused(filled, table).problems
    assert str(checkpoint) in problem.what
    assert problem.hint == "nothing was written; restore that file from a copy"
    shutil.copy(copy, checkpoint)
    assert_as_before(filled, before | {"log": read_log(filled.table(), "cases")})


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_hint_to_the_newest_checkpoint_hides_nothing(
    filled: Site, table: str, how: Callable[[Path], None]
) -> None:
    """delta-rs looks through the folder then."""
    before = seen(filled)
    how(log_of(filled, table) / "_last_checkpoint")
    assert_as_before(filled, before)
    assert filled.accept(contract_of(), rows("d")).already_published is False


@pytest.mark.parametrize("table", TABLES)
def test_a_hint_to_a_checkpoint_that_is_not_there_is_named(filled: Site, table: str) -> None:
    before, log = seen(filled), log_of(filled, table)
    (log / "_last_checkpoint").write_text('{"version":999,"size":3}')
    [problem] = refused(filled, table).problems
    assert f"the file {log / '_last_checkpoint'} names a checkpoint that is not there" in problem.what
    assert "move that file away" in problem.hint
    (log / "_last_checkpoint").unlink()
    assert_as_before(filled, before)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_commit_is_named(filled: Site, table: str, how: Callable[[Path], None]) -> None:
    """An empty one too, which delta-rs takes for a commit that did nothing: its rows would be gone without a word."""
    before, log = seen(filled), log_of(filled, table)
    newest = commit_file(log.parent, DeltaTable(log.parent).version())
    copy = shutil.copy(newest, filled.root / "copy")
    how(newest)
    [problem] = refused(filled, table).problems
    assert f"the file {newest} is " in problem.what
    assert problem.hint == "nothing was written; restore that file from a copy"
    shutil.copy(copy, newest)
    assert_as_before(filled, before)


@pytest.mark.parametrize("table", TABLES)
def test_a_commit_that_is_missing_is_named(filled: Site, table: str) -> None:
    filled.accept(contract_of(), rows("again", n=9))
    log = log_of(filled, table)
    missing = commit_file(log.parent, DeltaTable(log.parent).version() - 1)
    DeltaTable(log.parent).create_checkpoint()  # else the newest after the gap is just not seen
    checkpoint = max(log.glob("*.checkpoint.parquet"))
    checkpoint.unlink()
    (log / "_last_checkpoint").unlink()
    missing.unlink()
    [problem] = refused(filled, table).problems
    assert f"the file {missing} is missing" in problem.what


def test_where_a_submission_stands_is_told_in_our_words(filled: Site) -> None:
    """An old commit, behind the checkpoint: the rows are there, its words are not."""
    commit_file(filled.table(), 2).write_text(SECRET)
    assert len(filled.shown()) == 1
    with pytest.raises(PublicationError, match="the log of its published table cannot be read") as failure:
        filled.store.commit_of("cases", "0" * 64)
    assert SECRET not in str(failure.value)
