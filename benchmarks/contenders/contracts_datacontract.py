"""datacontract-cli: every document of a folder, linted by its own check of the standard's schema."""

import sys
from pathlib import Path

from datacontract.data_contract import DataContract


def main() -> None:
    """Lint every file, and say how many are good."""
    runs = [DataContract(data_contract_file=str(path)).lint() for path in sorted(Path(sys.argv[1]).iterdir())]
    print(sum(run.result.value == "passed" for run in runs), "contracts")


if __name__ == "__main__":
    main()
