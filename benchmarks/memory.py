"""How much memory does a question take that needs keys or values, in passes and at once, as the rows grow?

    python -m benchmarks.memory --rows 1000000 4000000 10000000 --rounds 3

No number is printed of a question whose answers differ.
"""

import argparse
import sys
from collections.abc import Iterator

from benchmarks.contenders.ours_by_key import QUESTIONS
from benchmarks.measuring import REPOSITORY, medians
from benchmarks.orders_data import BREACHES, orders_file

_WAYS = ("at_once", "passes")


def main() -> None:
    """Print the table for the arguments of the command line."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 4_000_000, 10_000_000])
    reader.add_argument("--rounds", type=int, default=3)
    reader.add_argument("--only", nargs="*", choices=QUESTIONS, default=list(QUESTIONS))
    asked = reader.parse_args()
    print("| question | rows | at once: peak MB | CPU s | in passes: peak MB | CPU s |\n|---|---:|---:|---:|---:|---:|")
    for question in asked.only:
        for rows in asked.rows:
            print("\n".join(_line(question, rows, asked.rounds)), flush=True)


def _line(question: str, rows: int, rounds: int) -> Iterator[str]:
    path = orders_file(REPOSITORY / ".bench" / "data", rows, BREACHES)
    start = [sys.executable, "-m", "benchmarks.contenders.ours_by_key", question]
    found = medians({way: [*start, way, str(path)] for way in _WAYS}, rounds)
    if len({item.said for item in found}) > 1:
        print(f"left out: {question} of {rows:,} rows is answered otherwise in passes", file=sys.stderr)
        return
    numbers = " | ".join(f"{item.peak_mb:,.0f} | {item.cpu_seconds:.1f}" for item in found)
    yield f"| {question} | {rows:,} | {numbers} |"


if __name__ == "__main__":
    main()
