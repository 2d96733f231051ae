"""Measures what a stage costs: seconds, those of the processors, rows, bytes, memory. No moment is asked for."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter, process_time

from contract_core.candidate.delivery import Delivery
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.publication.stages import (
    CPU_SECONDS,
    PEAK_BYTES,
    READ,
    ROWS,
    ROWS_PER_SECOND,
    SECONDS,
    Effort,
    name_of,
    together,
    with_rates,
)
from contract_core.resident_memory import MemoryWatch, watched_memory
from contract_core.tracing import span, tell

_DIGITS = 6
_TOLD = (CPU_SECONDS, ROWS_PER_SECOND, PEAK_BYTES)
"""What a span says beside its own duration."""


@dataclass(slots=True)
class Watch:
    """Runs from when it is made. `rows` and `read` are those of the stage, once they are known: the bytes are those of what it reads.

    `within` is what stages cost that lay within this one; their costs are a part of its own.
    """

    stage: str
    memory: MemoryWatch
    rows: int | None = None
    read: int | None = None
    within: Effort = field(default_factory=dict)
    begun: float = field(default_factory=perf_counter)
    cpu_begun: float = field(default_factory=process_time)
    ended: Effort | None = None

    def spent(self) -> Effort:
        """What it cost until now or until its end, and what lay within it."""
        if self.ended is not None:
            return self.ended
        highest = self.memory.highest()
        own: dict[str, float] = {
            name_of(self.stage, SECONDS): round(perf_counter() - self.begun, _DIGITS),
            name_of(self.stage, CPU_SECONDS): round(process_time() - self.cpu_begun, _DIGITS),
        }
        own |= {} if self.rows is None else {name_of(self.stage, ROWS): float(self.rows)}
        own |= {} if highest is None else {name_of(self.stage, PEAK_BYTES): float(highest)}
        own |= {} if self.read is None else {READ[self.stage]: float(self.read)}
        return with_rates({**self.within, **own})


_RUNNING: ContextVar[Watch | None] = ContextVar("running stage", default=None)


@contextmanager
def stage(name: str, known: Mapping[str, str | None]) -> Iterator[Watch]:
    """A stage while it runs, as a span too. Where it lies within another one, that one knows in the end what it cost."""
    around = _RUNNING.get()
    with span(name, **known), watched_memory() as memory:
        watch = Watch(name, memory)
        token = _RUNNING.set(watch)
        try:
            yield watch
        finally:
            _RUNNING.reset(token)
            watch.ended = spent = watch.spent()
            tell(read_bytes=watch.read, **{measure: spent.get(name_of(name, measure)) for measure in _TOLD})
            if around is not None:
                around.within = together(around.within, spent)


def about(contract: Contract, candidate: Candidate) -> Mapping[str, str | None]:
    """What is known of a stage that a candidate goes through."""
    known = {"contract": contract.name, "version": contract.version, "partition": candidate.partition}
    return {**known, "submission": candidate.submission}


def delivered_size(delivery: Delivery) -> int:
    """The bytes of a delivery, its manifest included."""
    files = (*delivery.files, *([delivery.manifest] if delivery.manifest is not None else []))
    return sum(file.size for file in files)


def candidate_size(candidate: Candidate) -> int | None:
    """The bytes of a candidate's one file; None where it is gone, which is for others to tell."""
    try:
        return candidate.path.stat().st_size
    except OSError:
        return None
