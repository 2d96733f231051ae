"""How long does a code location of a thousand contracts take to load, beside as many plain assets with as many checks?

python -m benchmarks.definitions --contracts 1000
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import medians, table

ORDERS = Path(__file__).with_name("orders.yaml")
_FLAT = "delivery: {format: {type: parquet}}"
_DAILY = (
    "delivery: {{path: '{name}/{{partition}}/*.parquet', format: {{type: parquet}}, "
    "partition: {{column: ordered_on, every: day, start: 2026-01-01}}}}"
)


def main() -> None:
    """Print the table for the arguments of the command line."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--contracts", type=int, default=1000)
    reader.add_argument("--rounds", type=int, default=5)
    asked = reader.parse_args()
    with TemporaryDirectory() as folder:
        for number in range(asked.contracts):
            name = f"c{number}"
            text = ORDERS.read_text().replace("contract: orders", f"contract: {name}")
            Path(folder, f"{name}.yaml").write_text(text.replace(_FLAT, _DAILY.format(name=name)))
        commands = {
            "plain assets": [sys.executable, "-m", "benchmarks.contenders.definitions_plain", str(asked.contracts)],
            "contracts": [sys.executable, "-m", "benchmarks.contenders.definitions_ours", folder],
        }
        found = medians(commands, asked.rounds)
    assert len({item.said for item in found}) == 1, "both hold as much"
    print(f"{found[0].said}, median of {asked.rounds}\n")
    print("\n".join(table(found, "plain assets")))


if __name__ == "__main__":
    main()
