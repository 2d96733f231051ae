"""What does it cost to send the rows that break a rule to quarantine, beside the check and a plain copy of the file?

    python -m benchmarks.quarantine --rows 10000000 --rounds 5

No time is printed before both splits have kept the same rows and sent the others away for the same rules. With `--breaches 0`
nothing goes, and the table tells what quarantine costs then.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import REPOSITORY, measured, medians, table
from benchmarks.orders_data import BREACHES, orders_file

OURS = ("judged", "judged_for_quarantine", "judged_and_rewritten", "published")
_PYTHON = (sys.executable, "-m")


def main() -> None:
    """Print the table for the arguments of the command line."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--rows", type=int, default=1_000_000)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--breaches", type=float, default=BREACHES)
    reader.add_argument("--data", type=Path, default=REPOSITORY / ".bench" / "data")
    asked = reader.parse_args()
    path = orders_file(asked.data, asked.rows, asked.breaches)
    with TemporaryDirectory(dir=asked.data) as folder:
        commands = _commands(path, Path(folder))
        gone = _gone(commands, Path(folder))
        print(f"{asked.rows:,} rows, {gone} of them go, median of {asked.rounds}\n")
        print("\n".join(table(medians(commands, asked.rounds), "judged_and_rewritten")))


def _commands(path: Path, folder: Path) -> Mapping[str, Sequence[str]]:
    """Each in a process of its own, the taking of the candidate too: a process begins as large as the one that starts it."""
    module, candidates = "benchmarks.contenders.quarantine_ours", folder / "candidates"
    measured([*_PYTHON, module, "taken", str(candidates), str(path)])
    commands = {way: [*_PYTHON, module, way, str(candidates), str(folder / way)] for way in OURS}
    (candidate,) = candidates.glob("orders/*.parquet")
    by_hand = [*_PYTHON, "benchmarks.contenders.quarantine_by_hand", str(candidate), str(folder / "polars_by_hand")]
    return {**commands, "polars_by_hand": by_hand}


def _gone(commands: Mapping[str, Sequence[str]], folder: Path) -> str:
    """How many rows went; raises Failed where the two splits differ."""
    splits = ("published", "polars_by_hand")
    for name in splits:
        measured(commands[name])
    return measured(
        [*_PYTHON, "benchmarks.contenders.quarantine_compared", *(str(folder / name) for name in splits)]
    ).said


if __name__ == "__main__":
    main()
