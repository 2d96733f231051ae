"""A catalogue is written whole or not at all, and takes nothing away that is not its own."""

import ctypes
import subprocess
import sys
import threading

import pytest

from contract_core.catalogue import folder as module
from contract_core.catalogue.folder import MARKER, write_catalogue
from contract_core.errors import ContractCoreError, WrongUsageError

OLD = [("index.html", b"old"), ("contracts/gone/index.html", b"gone")]
NEW = [("index.html", b"new"), ("contracts/here/index.html", b"here")]


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MARKER
    }


def test_a_new_folder_holds_the_files(tmp_path):
    assert write_catalogue(NEW, tmp_path / "deep" / "site") == 2
    assert content(tmp_path / "deep" / "site") == dict(NEW)


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "site").mkdir()
    write_catalogue(NEW, tmp_path / "site")
    assert content(tmp_path / "site") == dict(NEW)


@pytest.mark.parametrize("has_exchange", [True, False])
def test_files_of_contracts_that_are_gone_disappear(has_exchange, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_exchanged", module._exchanged if has_exchange else lambda *_: False)
    write_catalogue(OLD, tmp_path / "site")
    write_catalogue(NEW, tmp_path / "site")
    assert content(tmp_path / "site") == dict(NEW)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_that_is_no_catalogue_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years")
    with pytest.raises(
        WrongUsageError, match="holds something, and no catalogue of contract-gate; nothing was written"
    ):
        write_catalogue(NEW, tmp_path)
    assert content(tmp_path) == {"thesis.txt": b"years"}


@pytest.mark.parametrize("marker", ["", "[]", "{}", '{"files": 3}', "\x00"])
def test_a_marker_that_says_nothing_makes_no_catalogue(marker, tmp_path):
    (tmp_path / MARKER).write_text(marker)
    (tmp_path / "thesis.txt").write_text("years")
    with pytest.raises(WrongUsageError, match="no catalogue of contract-gate"):
        write_catalogue(NEW, tmp_path)


def test_a_file_that_somebody_put_into_a_catalogue_is_not_taken_away(tmp_path):
    write_catalogue(OLD, tmp_path / "site")
    (tmp_path / "site" / "contracts" / "CNAME").write_text("example.org")
    with pytest.raises(WrongUsageError, match="holds 1 file that no catalogue has written: 'contracts/CNAME'"):
        write_catalogue(NEW, tmp_path / "site")
    assert content(tmp_path / "site") == {**dict(OLD), "contracts/CNAME": b"example.org"}


def test_a_link_inside_a_catalogue_is_not_followed(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.txt").write_text("years")
    write_catalogue(OLD, tmp_path / "site")
    (tmp_path / "site" / "contracts" / "link").symlink_to(tmp_path / "own")
    with pytest.raises(WrongUsageError, match="'contracts/link'"):
        write_catalogue(NEW, tmp_path / "site")
    assert content(tmp_path / "own") == {"thesis.txt": b"years"}


def test_a_link_to_the_folder_stays_a_link(tmp_path):
    write_catalogue(OLD, tmp_path / "real")
    (tmp_path / "site").symlink_to("real")
    write_catalogue(NEW, tmp_path / "site")
    assert (tmp_path / "site").is_symlink()
    assert content(tmp_path / "real") == dict(NEW)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "site").write_text("file")
    with pytest.raises(WrongUsageError, match="is no folder"):
        write_catalogue(NEW, tmp_path / "site")


def failing():
    yield NEW[0]
    raise ContractCoreError


@pytest.mark.parametrize("before", [[], OLD])
def test_a_failure_on_the_way_leaves_the_catalogue_before(before, tmp_path):
    write_catalogue(before, tmp_path / "site")
    with pytest.raises(ContractCoreError):
        write_catalogue(failing(), tmp_path / "site")
    assert content(tmp_path / "site") == dict(before)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_failure_of_the_first_catalogue_leaves_nothing(tmp_path):
    with pytest.raises(ContractCoreError):
        write_catalogue(failing(), tmp_path / "site")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_has_left_is_taken_up(tmp_path):
    write_catalogue(OLD, tmp_path / "site")
    (tmp_path / "site").rename(tmp_path / ".site.catalogue-old")
    (tmp_path / ".site.catalogue-new").mkdir()
    with pytest.raises(ContractCoreError):
        write_catalogue(failing(), tmp_path / "site")
    assert content(tmp_path / "site") == dict(OLD)
    write_catalogue(NEW, tmp_path / "site")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_that_cannot_be_written_is_told_in_our_words(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ContractCoreError, match="cannot be written: File exists"):
        write_catalogue(NEW, tmp_path / "file" / "site")


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "renameat2"), reason="only Linux lets two folders change places in one step"
)
def test_a_reader_sees_the_old_catalogue_or_the_new_one_and_never_half_of_either(tmp_path):
    site = tmp_path / "site"
    pages = [f"{number}.html" for number in range(50)]
    write_catalogue([(name, b"0" * 100) for name in pages], site)
    reading = (
        "import sys; print(flush=True); [len(open(sys.argv[1]).read()) == 100 or sys.exit(3) for _ in range(30_000)]"
    )
    last = site / pages[-1]
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", reading, last], stdout=-1, stderr=-1) as reader:
        reader.stdout.readline()
        for number in range(20):
            write_catalogue([(name, str(number % 10).encode() * 100) for name in pages], site)
        assert (reader.wait(60), reader.stderr.read()) == (0, b"")


def test_two_writers_wait_for_each_other(tmp_path):
    writers = [
        threading.Thread(target=write_catalogue, args=([("index.html", bytes([number]))], tmp_path / "site"))
        for number in range(8)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert len(content(tmp_path / "site")) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
