"""How high the resident memory of this process rises while something runs, where the system tells it.

It is read now and then. The kernel could set its own record back instead, but that one belongs to the whole process: whoever else
reads it, such as a test of memory, would be told too little.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

_STATM = Path("/proc/self/statm")
_EVERY = 0.02
"""Seconds between two looks: often enough to be within one per cent of the truth, and below 1 % of one core."""
_KIB = 1024


class MemoryWatch:
    """What is known of the memory since this was made. One thread alone writes what it saw, so that nothing it saw is lost."""

    def __init__(self) -> None:
        self._at_first = resident()
        self._record = None if self._at_first is None else _record()
        self._seen = 0
        self._ended = Event()

    def highest(self) -> int | None:
        """The most bytes until now; None where the system does not tell."""
        if self._at_first is None or self._record is None:
            return None
        record = _record()
        is_broken = record > self._record  # then it happened since, between two looks perhaps
        return max(self._at_first, self._seen, resident() or 0, record if is_broken else 0)

    def look_on(self) -> None:
        """Look until it is ended."""
        while not self._ended.wait(_EVERY):
            self._seen = max(self._seen, resident() or 0)

    def end(self) -> None:
        """Look no more."""
        self._ended.set()


@contextmanager
def watched_memory() -> Iterator[MemoryWatch]:
    """Watches until it is left; where no thread can be started, the beginning and the moment of asking are all that is seen."""
    watch = MemoryWatch()
    looking = Thread(target=watch.look_on, name="contract-gate memory", daemon=True)
    if watch.highest() is None:
        yield watch
        return
    is_started = False
    with suppress(RuntimeError):
        looking.start()
        is_started = True
    try:
        yield watch
    finally:
        watch.end()
        if is_started:
            looking.join()


def resident() -> int | None:
    """The bytes of this process that are in memory now; None where the system does not tell, which is everywhere but on Linux."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _record() -> int:
    """The most bytes in the life of this process."""
    from resource import RUSAGE_SELF, getrusage  # noqa: PLC0415 - Windows has no such module, and is not asked

    return getrusage(RUSAGE_SELF).ru_maxrss * _KIB
