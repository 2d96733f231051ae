"""How long is a judged delivery published? Ours, from the recorded decision to the recorded publication, beside a bare Delta write.

    python -m benchmarks.publication --rows 10000000 --rounds 5 --modes replace_partition append upsert

A first delivery is published before. No time is printed before all have ended in equal tables.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.measuring import REPOSITORY, measured, medians, table

FOLDER = REPOSITORY / ".bench"
MODES = ("replace_partition", "append", "upsert")
TABLES = {"bare": "plain", "bare_constrained": "gate/published/orders"}


def main() -> None:
    """Print a table for each mode."""
    asked = _arguments()
    for mode in asked.modes:
        _compared(mode, asked.rows, asked.rounds)


def _compared(mode: str, rows: int, rounds: int) -> None:
    place = FOLDER / "publication" / f"{mode}-{rows}"
    measured(_python("published_orders", "prepare", place, FOLDER / "data", rows, mode))
    targets = {whose: place.with_name(f"{place.name}-{whose}") for whose in (*TABLES, "ours")}
    commands = {
        whose: _python("contenders.publish_bare", place, of_it, targets[whose], mode) for whose, of_it in TABLES.items()
    }
    commands["ours"] = _python("contenders.publish_ours", place, targets["ours"], mode)
    found = {whose: _outcome(command, targets[whose]) for whose, command in commands.items()}
    if len(set(found.values())) > 1:
        raise SystemExit(f"{mode}: the tables differ: {found}")
    print(f"\n{mode}: {rows:,} rows into a table with as many before, median of {rounds}\n")
    print("\n".join(table(medians(commands, rounds), "bare")))


def _outcome(command: list[str], target: Path) -> str:
    measured(command)
    published = target / "published" / "orders"
    return measured(_python("published_orders", "tell", published if published.exists() else target)).said


def _python(module: str, *arguments: object) -> list[str]:
    return [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--rows", type=int, default=1_000_000)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    return reader.parse_args()


if __name__ == "__main__":
    main()
