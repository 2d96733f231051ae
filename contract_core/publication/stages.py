"""The stages that a delivery goes through and what each cost: the names of these numbers, wherever they are kept and told.

They stand side by side in one mapping, `<stage>_<measure>`, as it is written into the ledger. None of them decides anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass

STAGES = ("take", "validate", "record", "quarantine", "publish")
"""`record` is the writing of the ledger, which no entry can say of itself; `quarantine` is a part of `publish`."""
READ = {"take": "delivered_bytes", "validate": "candidate_bytes", "publish": "candidate_bytes"}
"""What a stage reads, by the name of its size."""
SECONDS, CPU_SECONDS, ROWS, ROWS_PER_SECOND, PEAK_BYTES = MEASURES = (
    "seconds", "cpu_seconds", "rows", "rows_per_second", "peak_bytes",
)  # fmt: skip
_ADDED = (f"_{SECONDS}", f"_{ROWS}")
_DIGITS = 1
Effort = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class StageCost:
    """What one stage cost; None is what was not measured, or has no meaning for it."""

    stage: str
    seconds: float
    cpu_seconds: float | None
    rows: float | None
    rows_per_second: float | None
    peak_bytes: float | None
    read_bytes: float | None


def name_of(stage: str, measure: str) -> str:
    """The name under which a measure of a stage is kept."""
    return f"{stage}_{measure}"


def costs_of(effort: Effort) -> tuple[StageCost, ...]:
    """The stages that were gone through, in their order."""
    return tuple(
        StageCost(
            stage,
            effort[name_of(stage, SECONDS)],
            cpu_seconds=effort.get(name_of(stage, CPU_SECONDS)),
            rows=effort.get(name_of(stage, ROWS)),
            rows_per_second=effort.get(name_of(stage, ROWS_PER_SECOND)),
            peak_bytes=effort.get(name_of(stage, PEAK_BYTES)),
            read_bytes=effort.get(READ.get(stage, "")),
        )
        for stage in STAGES
        if name_of(stage, SECONDS) in effort
    )


def together(first: Effort, second: Effort) -> Effort:
    """Both as one: of a stage that is in both the times and rows are added, and the peak is the higher one."""
    found = dict(first)
    for name, number in second.items():
        is_added = name.endswith(_ADDED)
        found[name] = found.get(name, 0.0) + number if is_added else max(found.get(name, number), number)
    return with_rates(found)


def with_rates(effort: Effort) -> Effort:
    """The same with the rows per second of each stage that took any time to go through rows."""
    found = {name: number for name, number in effort.items() if not name.endswith(f"_{ROWS_PER_SECOND}")}
    for stage in STAGES:
        rows, seconds = effort.get(name_of(stage, ROWS)), effort.get(name_of(stage, SECONDS))
        if rows is not None and seconds:
            found[name_of(stage, ROWS_PER_SECOND)] = round(rows / seconds, _DIGITS)
    return found
