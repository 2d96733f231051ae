"""How long does a command take before it has anything to do? Beside bare Python, the libraries below it, and the peers' commands.

python -m benchmarks.start_up --rounds 9
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import REPOSITORY, medians, table

BARE = "python -c pass"
_CONTRACT = 'contract: cases\nversion: "1.0.0"\nfields:\n  - {name: region, type: string}\n  - {name: count, type: integer, min: 0}\n'
_RULE = "rules:\n  - {name: counted, sql: \"region <> 'NL' OR count > 0\"}\n"
_PEERS = {"datacontract --help": "datacontract/bin/datacontract", "pointblank: pb --help": "pointblank/bin/pb"}


def main() -> None:
    """Print the table for the arguments of the command line."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--rounds", type=int, default=9)
    asked = reader.parse_args()
    with TemporaryDirectory() as folder:
        found = medians({**_bare(), **_ours(Path(folder)), **_peers()}, asked.rounds)
    print(f"median of {asked.rounds}\n")
    print("\n".join(table(found, BARE)))


def _bare() -> dict[str, list[str]]:
    imports = {f"import {name}": [sys.executable, "-c", f"import {name}"] for name in ("typer", "sqlglot", "polars")}
    model = [sys.executable, "-c", "import yaml; from pydantic import BaseModel"]
    return {BARE: [sys.executable, "-c", "pass"], **imports, "import yaml, pydantic": model}


def _ours(folder: Path) -> dict[str, list[str]]:
    """Commands that have next to nothing to do: one small contract, and two rows."""
    plain, ruled, rows = folder / "cases.yaml", folder / "ruled.yaml", folder / "cases.csv"
    plain.write_text(_CONTRACT)
    ruled.write_text(_CONTRACT + _RULE)
    rows.write_text("region,count\nNL,1\nBE,2\n")
    program = [sys.executable, "-m", "contract_core.cli"]
    asked = {
        "--help": ["--help"],
        "lint": ["lint", plain],
        "lint, with a rule in SQL": ["lint", ruled],
        "diff": ["diff", plain, plain],
        "check of two rows": ["check", plain, rows],
        "publish of two rows": ["publish", plain, rows, "--root", folder / "root"],
    }
    return {f"contract-gate {name}": [*program, *map(str, words)] for name, words in asked.items()}


def _peers() -> dict[str, list[str]]:
    """The commands of those whose environments are there (`make bench-peers`)."""
    places = {name: REPOSITORY / ".bench" / place for name, place in _PEERS.items()}
    return {name: [str(place), "--help"] for name, place in places.items() if place.exists()}


if __name__ == "__main__":
    main()
