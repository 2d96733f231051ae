"""Fresh processes at the price of a fork: a server that has imported everything and started no thread of Polars or Delta.

Each call runs in a process of its own, which may end as it likes; what is told is how it ended and what it answered.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any

_ROOT = Path(__file__).parents[2]
_LIMIT = 300
"""Seconds before a call that hangs is ended by the system's alarm."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended (-9 where it was killed), and its answer: None where it gave none, words where it failed."""

    code: int
    answer: Any


class Forks:
    """Some servers, each for one call at a time; from a thread of this process each."""

    def __init__(self, count: int) -> None:
        command = [sys.executable, "-c", "from tests.publication.forks import serve; serve()"]
        environment = {"PYTHONPATH": str(_ROOT), "PATH": "/usr/bin:/bin"}
        environment |= {"POLARS_MAX_THREADS": "1", "TOKIO_WORKER_THREADS": "1", "RUST_BACKTRACE": "0"}
        self._servers = [
            subprocess.Popen(command, cwd=_ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for _ in range(count)
        ]
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        for server in self._servers:
            self._idle.put(server)

    def call(self, function: Callable[..., Any], **arguments: Any) -> Ended:
        """Runs a function of a module in a fork; what it takes and gives is what JSON can say."""
        server = self._idle.get()
        try:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps([function.__module__, function.__name__, arguments]).encode() + b"\n")
            server.stdin.flush()
            return Ended(*json.loads(server.stdout.readline()))
        finally:
            self._idle.put(server)

    def each(self, function: Callable[..., Any], items: Sequence[Any]) -> list[Any]:
        """`function` of every item, in order, as many at a time as there are servers."""
        with ThreadPoolExecutor(len(self._servers)) as threads:
            return list(threads.map(function, items))

    def close(self) -> None:
        for server in self._servers:
            server.communicate()


@contextmanager
def forks(count: int | None = None) -> Iterator[Forks]:
    """Servers for the time of a test module."""
    servers = Forks(count or min(4, os.cpu_count() or 1))
    try:
        yield servers
    finally:
        servers.close()


def serve() -> None:
    """One request a line on standard input, one answer a line on standard output."""
    _prepare()
    answers = os.dup(1)
    os.dup2(2, 1)
    while line := sys.stdin.buffer.readline():
        module, name, arguments = json.loads(line)
        code, answer = forked(getattr(import_module(module), name), arguments)
        os.write(answers, json.dumps([code, answer]).encode() + b"\n")


def _prepare() -> None:
    """What every call would do first; and the memory that it shares with all of them is left alone by each."""
    import_module("tests.publication.faults").import_all()
    import_module("tests.publication.attempts")
    gc.collect()
    gc.freeze()


def forked(function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[int, Any]:
    """The end and the answer of one call in a fork of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(function, arguments, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), json.loads(text) if text else None


def _answer(function: Callable[..., Any], arguments: dict[str, Any], writing: int) -> None:
    """Never returns: nothing of the server's own is undone or flushed by the fork. An exception is told as the answer."""
    code, answer = 1, None
    try:
        signal.alarm(_LIMIT)
        answer, code = function(**arguments), 0
    except BaseException:  # noqa: BLE001 - however the call ends, the fork ends with it
        answer = traceback.format_exc()
    finally:
        with os.fdopen(writing, "wb") as stream:
            stream.write(json.dumps(answer).encode())
        os._exit(code)
