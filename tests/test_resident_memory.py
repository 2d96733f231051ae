"""How high memory rises while something runs: what is seen, and that nothing fails where nothing can be seen."""

import subprocess
import sys
import threading
from itertools import chain, repeat
from pathlib import Path

import pytest

from contract_core import resident_memory
from contract_core.resident_memory import MemoryWatch, watched_memory

ROOT = Path(__file__).parents[1]
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="no other system tells it")
OURS = "contract-gate memory"


class Looks:
    """A lock that is let go after so many looks."""

    def __init__(self, looks: int) -> None:
        self.answers = chain(repeat(False, looks), [True])

    def acquire(self, **_: float) -> bool:
        return next(self.answers)


def watch_of(monkeypatch: pytest.MonkeyPatch, *sizes: int, records: tuple[int, ...]) -> MemoryWatch:
    """A watch that sees these sizes, the last one again and again, and is told these records of the whole process."""
    told, known = chain(sizes, repeat(sizes[-1])), chain(records, repeat(records[-1]))
    monkeypatch.setattr(MemoryWatch, "_resident", lambda _: next(told))
    monkeypatch.setattr(resident_memory, "_record", lambda: next(known))
    watch = MemoryWatch()
    watch.close()
    watch._running = Looks(len(sizes) - 1)
    watch.look_on()
    return watch


@pytest.mark.parametrize("sizes", [(10, 90, 20), (90, 10, 20), (10, 20, 90)], ids=["between", "first", "last"])
def test_the_highest_is_the_most_that_was_seen(monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...]) -> None:
    assert watch_of(monkeypatch, *sizes, records=(100,)).highest() == 90


def test_a_record_of_the_process_that_was_broken_meanwhile_is_the_highest(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watch_of(monkeypatch, 10, 20, 15, records=(100, 130)).highest() == 130


def test_a_record_from_before_is_none_of_this(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watch_of(monkeypatch, 10, 20, 15, records=(100,)).highest() == 20


@ON_LINUX
def test_memory_that_is_given_back_at_once_is_seen_all_the_same() -> None:
    asked = (
        "from contract_core.resident_memory import watched_memory\n"
        "with watched_memory() as watch:\n"
        "    before = watch.highest()\n"
        "    len(bytearray(200_000_000))\n"
        "    print(watch.highest() - before > 190_000_000, watch._resident() - before < 50_000_000)\n"
    )
    ended = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "True True\n"


@ON_LINUX
def test_what_is_resident_is_told_in_bytes() -> None:
    with watched_memory() as watch:
        status = Path("/proc/self/status").read_text("ascii")
        told = int(status.split("VmRSS:")[1].split()[0]) * 1024
        assert watch._resident() == pytest.approx(told, rel=0.05)


@pytest.mark.parametrize("statm", ["", "1", "no number", "9 x"])
def test_where_the_system_does_not_tell_nothing_is_known_and_no_thread_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, statm: str
) -> None:
    (tmp_path / "statm").write_text(statm)
    monkeypatch.setattr(resident_memory, "_STATM", tmp_path / "statm")
    with watched_memory() as watch:
        assert (watch.highest(), names()) == (None, [])


def test_where_there_is_no_such_file_nothing_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resident_memory, "_STATM", tmp_path / "statm")
    with watched_memory() as watch:
        assert watch.highest() is None


@ON_LINUX
def test_where_no_thread_can_be_started_the_beginning_and_the_end_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with watched_memory() as watch:
        assert (watch.highest() or 0) > 1_000_000


@ON_LINUX
def test_what_was_seen_is_known_after_the_end_and_no_file_stays_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with watched_memory() as watch:
        pass
    assert (watch.highest() or 0) > 1_000_000
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@ON_LINUX
def test_the_thread_is_gone_afterwards_whatever_happened() -> None:
    with watched_memory():
        assert names() == [OURS]
    with pytest.raises(KeyboardInterrupt), watched_memory():
        raise KeyboardInterrupt
    assert names() == []


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == OURS]
