"""How high the resident memory of this process rises while something runs, where the system tells it.

It is read now and then. The kernel could set its own record back instead, but that one belongs to the whole process: whoever else
reads it, such as a test of memory, would be told too little.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread

_STATM = Path("/proc/self/statm")
_EVERY = 0.05
"""Seconds between two looks: often enough to be within one per cent of the truth, and at 70 to 170 µs each below 0.4 % of one core."""
_ENOUGH = 128
_KIB = 1024


class MemoryWatch:
    """What is known of the memory since this was made. One thread alone writes what it saw, so that nothing it saw is lost."""

    def __init__(self) -> None:
        self._source = _opened()
        self._at_first = self._resident()
        self._record = _record() if self._at_first else 0
        self._seen = 0
        self._running = Lock()
        self._running.acquire()

    def highest(self) -> int | None:
        """The most bytes until now or until it was ended; None where the system does not tell."""
        if not self._at_first:
            return None
        record = _record()
        is_broken = record > self._record  # then it happened since, between two looks perhaps
        return max(self._at_first, self._seen, self._resident(), record if is_broken else 0)

    def look_on(self) -> None:
        """Look until it is ended."""
        while not self._running.acquire(timeout=_EVERY):  # an event would cost half as much again
            self._seen = max(self._seen, self._resident())

    def end(self) -> None:
        """Look no more."""
        self._running.release()

    def close(self) -> None:
        """Let go of the source, once nobody looks."""
        if self._source is not None:
            os.close(self._source)
            self._source = None

    def _resident(self) -> int:
        """The bytes of this process that are in memory now; 0 where nothing tells it."""
        if self._source is None:
            return 0
        try:
            return int(os.pread(self._source, _ENOUGH, 0).split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0


@contextmanager
def watched_memory() -> Iterator[MemoryWatch]:
    """Watches until it is left; where no thread can be started, the beginning and the moment of asking are all that is seen."""
    watch = MemoryWatch()
    looking = Thread(target=watch.look_on, name="contract-gate memory", daemon=True)
    is_looking = False
    with suppress(RuntimeError):
        if watch.highest() is not None:
            looking.start()
            is_looking = True
    try:
        yield watch
    finally:
        watch.end()
        if is_looking:
            looking.join()
        watch.close()


def _opened() -> int | None:
    """The kernel's page of numbers about this process; None where it has none, which is everywhere but on Linux."""
    with suppress(OSError):
        return os.open(_STATM, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    return None


def _record() -> int:
    """The most bytes in the life of this process."""
    from resource import RUSAGE_SELF, getrusage  # noqa: PLC0415 - Windows has no such module, and is not asked

    return getrusage(RUSAGE_SELF).ru_maxrss * _KIB
