"""How long is a file of orders judged? Ours, the same plan by hand, and the peers, beside the mere reading of the same columns.

    python -m benchmarks.validation --rows 10000000 --rounds 5 --peers

No time is printed before all have counted the same breaches.
"""

import argparse
import json
import sys

from benchmarks.measuring import REPOSITORY, Failed, Median, measured, medians, table
from benchmarks.orders_data import BREACHES, orders_file

HERE = ("floor", "ours", "ours_rows", "ours_one_key", "polars_by_hand", "duckdb_by_hand", "pandera_schema")
PEERS = {
    "dataframely_schema": "dataframely",
    "pointblank_checks": "pointblank",
    "datacontract_test": "datacontract",
    "great_expectations_suite": "great_expectations",
}
"""Those that run in an environment of their own, below `.bench`: `make bench-peers` makes them."""
ENVIRONMENTS = REPOSITORY / ".bench"


def main() -> None:
    """Print the table for the arguments of the command line."""
    asked = _arguments()
    path = orders_file(ENVIRONMENTS / "data", asked.rows, asked.breaches)
    names = [name for name in (*HERE, *(PEERS if asked.peers else ())) if not asked.only or name in asked.only]
    commands = {name: [_python(name), "-m", f"benchmarks.contenders.{name}", str(path)] for name in names}
    answers = {}
    for name, command in list(commands.items()):
        try:
            answers[name] = json.loads(measured(command).said)
        except Failed as error:
            print(f"left out: {error}", file=sys.stderr)
            del commands[name]
    for name, why in _disagreements(answers):
        print(f"left out: {name} counts otherwise: {why}", file=sys.stderr)
        del commands[name]
    print(
        f"{asked.rows:,} rows, {path.stat().st_size / 1e6:,.0f} MB, breaches {asked.breaches:g}, median of {asked.rounds}\n"
    )
    found: tuple[Median, ...] = medians(commands, asked.rounds)
    print("\n".join(table(found, "floor")))


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--rows", type=int, default=1_000_000)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--breaches", type=float, default=BREACHES)
    reader.add_argument(
        "--peers", action="store_true", help="those with environments of their own too (make bench-peers)"
    )
    reader.add_argument("--only", nargs="*", help="only these contenders")
    return reader.parse_args()


def _python(name: str) -> str:
    return str(ENVIRONMENTS / PEERS[name] / "bin" / "python") if name in PEERS else sys.executable


def _disagreements(answers: dict[str, dict[str, int]]) -> list[tuple[str, str]]:
    """Those who count otherwise than ours, with the first rule in which they do; rules that one cannot express do not count."""
    ours = answers["ours"]
    told = []
    for name, answer in answers.items():
        differing = [rule for rule, count in answer.items() if ours.get(rule) != count]
        if differing:
            told.append((name, f"{differing[0]}: {answer[differing[0]]:,} against {ours.get(differing[0], 0):,}"))
    return told


if __name__ == "__main__":
    main()
