"""How long does the ledger take to tell the last decision of a partition, at a thousand entries and at a hundred thousand?

python -m benchmarks.ledger
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from deltalake import write_deltalake

from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.ledger import Ledger
from contract_core.publication.ledger_rows import as_row

SIZES = (1_000, 10_000, 100_000)
_ROUNDS, _FILES = 9, 50
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_FIRST = LedgerEntry(
    event=Event.DECIDED,
    contract="orders",
    version="1.0.0",
    contract_digest="c" * 64,
    partition="2026-01-01",
    submission="0" * 64,
    candidate_digest="d" * 64,
    verdict=Verdict.PUBLISH,
    report_digest="e" * 64,
    rows=1_000,
    as_of=_BEGIN,
    at=_BEGIN,
    received_at=_BEGIN,
)


def main() -> None:
    """Print a table."""
    print(
        "| entries | last decision, ms | × | one more entry, ms | × | all entries, ms |\n|---:|---:|---:|---:|---:|---:|"
    )
    base: tuple[float, float] | None = None
    for size in SIZES:
        with TemporaryDirectory() as folder:
            found, more, everything = _measured(_filled(Path(folder) / "ledger", size), size)
        base = base or (found, more)
        print(
            f"| {size:,} | {found:.1f} | {found / base[0]:.1f} | {more:.1f} | {more / base[1]:.1f} | {everything:,.0f} |"
        )


def _measured(ledger: Ledger, size: int) -> tuple[float, float, float]:
    found = _milliseconds(lambda: ledger.latest_decision("orders", _partition(size // 2)))
    more = _milliseconds(lambda: ledger.append(replace(_FIRST, submission=f"{time.perf_counter_ns():064x}")))
    return found, more, _milliseconds(lambda: ledger.entries("orders"), rounds=1)


def _filled(root: Path, size: int) -> Ledger:
    """A ledger whose entries were written in a few files, as merging leaves them."""
    ledger = Ledger(root)
    ledger.append(_FIRST)
    for begin in range(1, size, size // _FILES):
        numbers = range(begin, min(begin + size // _FILES, size))
        write_deltalake(root, pl.concat([as_row(_entry(number)) for number in numbers]), mode="append")
    return ledger


def _entry(number: int) -> LedgerEntry:
    at = _BEGIN + timedelta(minutes=number)
    told = replace(_FIRST, partition=_partition(number), submission=f"{number:064x}", at=at, as_of=at)
    return replace(told, sequence=number + 1, identity=f"{number:064x}")


def _partition(number: int) -> str:
    """Three submissions for each day."""
    return f"{_BEGIN.date() + timedelta(days=number // 3)}"


def _milliseconds(act: Callable[[], object], rounds: int = _ROUNDS) -> float:
    taken = []
    for _ in range(rounds):
        begin = time.perf_counter()
        act()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken) * 1000


if __name__ == "__main__":
    main()
