"""Runs commands in processes of their own, one after the other in rounds, and tells what each took at the median."""

import os
import statistics
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TextIO

REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took, and what it printed last."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    said: str


@dataclass(frozen=True, slots=True)
class Median:
    """What a command took at the median of its rounds."""

    name: str
    seconds: float
    cpu_seconds: float
    peak_mb: float
    said: str


class Failed(Exception):  # noqa: N818 - it is told in a table
    """A command that did not end well."""


def medians(commands: Mapping[str, Sequence[str]], rounds: int) -> tuple[Median, ...]:
    """All commands once in every round, so that what the machine does meanwhile meets all of them alike."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(measured(command))
    return tuple(_median(name, of_it) for name, of_it in runs.items())


def measured(command: Sequence[str]) -> Run:
    """One run of a command. Raises Failed with the end of what it said."""
    with TemporaryFile("w+") as said, TemporaryFile("w+") as complained:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONWARNINGS": "ignore"},
            stdout=said,
            stderr=complained,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        if status:
            raise Failed(f"{' '.join(command)}: {_text(complained).strip()[-500:]}")
        last = (_text(said).strip().splitlines() or [""])[-1]
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, last)


def _text(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def table(found: Iterable[Median], base: str) -> Iterable[str]:
    """A Markdown table of medians, with their ratios to one of them."""
    known = tuple(found)
    (floor,) = [item for item in known if item.name == base]
    yield f"| | wall s | × {base} | CPU s | peak MB |"
    yield "|---|---:|---:|---:|---:|"
    for item in known:
        ratio = item.seconds / floor.seconds
        yield f"| {item.name} | {item.seconds:.2f} | {ratio:.1f} | {item.cpu_seconds:.1f} | {item.peak_mb:,.0f} |"


def _median(name: str, runs: Sequence[Run]) -> Median:
    of = statistics.median
    return Median(
        name,
        of(run.seconds for run in runs),
        of(run.cpu_seconds for run in runs),
        of(run.peak_mb for run in runs),
        runs[-1].said,
    )
