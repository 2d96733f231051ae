"""What does Dagster add to taking, judging and publishing one partition, and what do we add to a Dagster run that does nothing?

python -m benchmarks.partition_run --partitions 20 --rows 10000
"""

import argparse
import json
import statistics
import sys
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import measured
from benchmarks.orders_data import orders

FIRST_DAY = date(2025, 1, 1)
_MODULE = "benchmarks.contenders.partition_"


def main() -> None:
    """Print the table for the arguments of the command line."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--partitions", type=int, default=20)
    reader.add_argument("--rows", type=int, default=10_000)
    reader.add_argument("--rounds", type=int, default=3)
    asked = reader.parse_args()
    with TemporaryDirectory() as folder:
        landing = Path(folder)
        _land(landing, asked.partitions, asked.rows)
        count = str(asked.partitions)
        commands = {
            "bare core": ["bare", folder, count],
            "plain run, ephemeral": ["plain", "ephemeral", count],
            "our run, ephemeral": ["ours", folder, count, "ephemeral"],
            "plain run, SQLite": ["plain", "sqlite", count],
            "our run, SQLite": ["ours", folder, count, "sqlite"],
        }
        found = _medians(commands, asked.rounds)
    assert len({item["rows"] for name, item in found.items() if "plain" not in name}) == 1, "all publish the same"
    print(f"{asked.partitions} partitions of {asked.rows:,} rows, one run each, median of {asked.rounds}\n")
    print("\n".join(_table(found)))


def _land(landing: Path, partitions: int, rows: int) -> None:
    """One file for each day, without breaches."""
    for number in range(partitions):
        day = FIRST_DAY + timedelta(days=number)
        path = landing / "orders" / day.isoformat() / "orders.parquet"
        path.parent.mkdir(parents=True)
        orders(rows, 0).with_columns(ordered_on=day).sink_parquet(path)


def _medians(commands: Mapping[str, list[str]], rounds: int) -> Mapping[str, dict[str, float]]:
    """All of them once in every round; of each number the median."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, (module, *arguments) in commands.items():
            said = measured([sys.executable, "-m", f"{_MODULE}{module}", *arguments]).said
            runs[name].append(json.loads(said))
    return {
        name: {key: statistics.median(run[key] for run in of_it) for key in of_it[0]} for name, of_it in runs.items()
    }


def _table(found: Mapping[str, dict[str, float]]) -> Iterable[str]:
    """A Markdown table: what one partition takes at the median, once everything is loaded."""
    yield "| | wall ms | CPU ms |"
    yield "|---|---:|---:|"
    for name, item in found.items():
        yield f"| {name} | {item['wall_ms']:.0f} | {item['cpu_ms']:.0f} |"


if __name__ == "__main__":
    main()
