"""A folder that takes no bytes stops a publication at once, with the operating system's reason, and leaves everything as it was."""

import errno
import os
import resource
from contextlib import contextmanager

import polars as pl
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from contract_core.errors import LedgerDamagedError, PublicationConflictError, PublicationError
from contract_core.publication import ledger as ledger_module
from contract_core.publication import store as store_module
from contract_core.publication import tables
from contract_core.publication.causes import cause_of, system_cause
from tests.publication.processes import run_until_killed
from tests.publication.samples import CASES, Site, contract_of, publications, put, rows
from tests.publication.unchanged import unchanged


@contextmanager
def no_byte_can_be_written():
    """As a full disk, for this process: every write fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def never_waiting(monkeypatch):
    def waited(*_):
        raise AssertionError("waited for a rival that is not there")

    for module in (ledger_module, store_module):
        monkeypatch.setattr(module, "wait", waited)


@pytest.mark.parametrize("is_first", [True, False], ids=["first entry", "later entry"])
def test_a_ledger_without_room_says_so_at_once(site: Site, never_waiting, is_first):
    contract = contract_of()
    if not is_first:
        site.accept(contract, rows("z"))
    candidate = site.take(contract, rows("a"))
    with (
        unchanged(site.root / "ledger"),
        no_byte_can_be_written(),
        pytest.raises(LedgerDamagedError, match=r"File too large") as full,
    ):
        site.decide(contract, candidate)
    assert "room" in str(full.value)
    site.decide(contract, candidate)


@pytest.mark.parametrize("is_first", [True, False], ids=["first publication", "correction"])
def test_a_published_root_without_room_says_so_at_once(site: Site, never_waiting, is_first):
    contract = contract_of()
    if not is_first:
        site.accept(contract, rows("z"))
    candidate = site.take(contract, rows("a"))
    with (
        unchanged(site.table()),
        no_byte_can_be_written(),
        pytest.raises(PublicationError, match="cannot be written: File too large"),
    ):
        put(site, contract, candidate)
    put(site, contract, candidate)
    assert [row[0] for row in site.shown()] == ["a"]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC], ids=errno.errorcode.get)
def test_what_the_system_refuses_is_told_in_its_words(site: Site, never_waiting, monkeypatch, number):
    contract = contract_of()
    candidate = site.take(contract, rows("a"))
    site.decide(contract, candidate)

    def refused(**_):
        raise OSError(number, "secret-value")

    monkeypatch.setattr(tables.tempfile, "TemporaryFile", refused)
    with pytest.raises(PublicationError, match=f"cannot be written: {os.strerror(number)}") as told:
        put(site, contract, candidate)
    with pytest.raises(LedgerDamagedError, match=f"cannot be written: {os.strerror(number)}") as noted:
        site.decide(
            contract_of(CASES.replace("1.0.0", "1.0.1")),
            site.take(contract_of(CASES.replace("1.0.0", "1.0.1")), rows("b")),
        )
    for error in (told.value, noted.value):
        assert "secret-value" not in str(error)
        assert error.__context__ is None


def test_a_folder_that_cannot_be_made_is_no_race(site: Site, never_waiting):
    contract = contract_of()
    (site.root / "ledger").write_text("a file")
    (site.root / "published").write_text("a file")
    with pytest.raises(LedgerDamagedError, match="Not a directory"):
        site.decide(contract, site.take(contract, rows("a")))
    with pytest.raises(PublicationError, match="Not a directory"):
        put(site, contract, site.take(contract, rows("a")))


def test_a_ledger_that_cannot_be_created_is_no_race(site: Site, never_waiting, monkeypatch):
    def failing(*_, **__):
        raise DeltaError("secret-value (os error 28)")

    monkeypatch.setattr(ledger_module.DeltaTable, "create", failing)
    with pytest.raises(LedgerDamagedError, match="cannot be created: No space left on device") as told:
        site.decide(contract_of(), site.take(contract_of(), rows("a")))
    assert "secret-value" not in str(told.value)


def test_a_table_that_lets_nothing_be_replaced_is_no_race(site: Site, never_waiting):
    site.accept(contract_of(), rows("a"))
    DeltaTable(site.table()).alter.set_table_properties({"delta.appendOnly": "true"})
    candidate = site.take(contract_of(), rows("b"))
    with pytest.raises(PublicationError, match="lets rows be added only") as refused:
        put(site, contract_of(), candidate)
    assert not isinstance(refused.value, PublicationConflictError)
    assert [row[0] for row in site.shown()] == ["a"]


def test_only_a_number_of_the_system_is_read_from_a_text():
    assert cause_of(DeltaError("secret: Permission denied (os error 13)")) == os.strerror(13)
    assert cause_of(DeltaError("Error: Os { code: 28, kind: secret }")) == os.strerror(28)
    assert cause_of(OSError(30, "secret")) == os.strerror(30)
    assert (cause_of(ValueError("secret")), system_cause(ValueError("secret"))) == ("ValueError", None)


NEXT = CASES.replace('"1.0.0"', '"1.1.0"').replace(
    "delivery:", "  - {name: note, type: string, required: false, nullable: true}\ndelivery:"
)
KILLED = f"""
import os, signal
from contract_core.publication import commits, store
from tests.publication.samples import *
site, contract = Site(Path(FOLDER)), contract_of({NEXT!r})
candidate = site.take(contract, rows("b", day="2026-10-02").with_columns(note=pl.lit("x")), "2026-10-02")
site.decide(contract, candidate)
write = commits.write_deltalake
def dying(table, data, **more):
    write(table, data, **more)
    os.kill(os.getpid(), signal.SIGKILL)
"""
DIE = "lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)\n"
COLUMNS_FIRST = {
    "before the column": (KILLED + f"store.settle = {DIE}", 3, 1),
    "between the column and its rows": (KILLED + f"commits.write_deltalake = {DIE}", 4, 1),
    "after the rows": (KILLED + "commits.write_deltalake = dying\n", 4, 2),
}


@pytest.mark.parametrize("code, columns, published", COLUMNS_FIRST.values(), ids=COLUMNS_FIRST)
def test_a_new_column_is_there_before_its_rows_and_a_crash_in_between_is_completed(
    site: Site, code, columns, published
):
    site.accept(contract_of(), rows("a"))
    before = site.shown()
    assert run_until_killed(code + "site.publish(contract, candidate)\n", site.root) == -9
    assert len(site.store.rows("cases").collect_schema()) == columns
    assert len(publications(site.table())) == published
    old = [row + (None,) * (columns - 3) for row in before]
    assert [row for row in site.shown() if row[0] == "a"] == old
    assert len(site.shown()) == published
    contract = contract_of(NEXT)
    candidate = site.take(contract, rows("b", day="2026-10-02").with_columns(note=pl.lit("x")), "2026-10-02")
    record = site.publish(contract, candidate)
    assert record.already_published == (published == 2)
    assert [(row[0], row[3]) for row in site.shown()] == [("a", None), ("b", "x")]
    assert (record.table_version,) == publications(site.table())[1:]
    assert site.publish(contract, candidate) == record


def test_a_crash_before_a_new_column_leaves_the_table_to_the_version_before(site: Site):
    site.accept(contract_of(), rows("a"))
    with unchanged(site.table()):
        code = KILLED + f"store.settle = {DIE}" + "site.publish(contract, candidate)\n"
        assert run_until_killed(code, site.root) == -9
    site.accept(contract_of(), rows("c"))
    assert [row[0] for row in site.shown()] == ["c"]


def test_a_new_column_whose_rows_are_not_written_is_not_there(site: Site):
    site.accept(contract_of(), rows("a"))
    frame = rows("b").with_columns(note=pl.lit("x"))
    candidate = site.take(contract_of(NEXT), frame)
    with unchanged(site.table()), no_byte_can_be_written(), pytest.raises(PublicationError, match="File too large"):
        put(site, contract_of(NEXT), candidate)
    site.accept(contract_of(), rows("c"))
    assert [row[0] for row in site.shown()] == ["c"]
