"""Our own stages over a folder of contracts, without the command line."""

import sys
from datetime import date
from pathlib import Path

from contract_core.contract.registry import read_contracts
from contract_core.diff.release import compare
from contract_core.validation.obligations import obligations_of

_DAY = date(2026, 11, 30)


def main() -> None:
    """Do what is asked, and say of how many contracts."""
    stage, *folders = sys.argv[1:]
    contracts = read_contracts(Path(folders[0]))
    match stage:
        case "obligations":
            print(
                len(contracts),
                "contracts,",
                sum(len(obligations_of(contract)) for contract in contracts),
                "obligations",
            )
        case "diff":
            pairs = zip(contracts, read_contracts(Path(folders[1])), strict=True)
            verdicts = [compare(old, new, _DAY).verdicts for old, new in pairs]
            print(len(contracts), "contracts,", sum(map(len, verdicts)), "changes")
        case _:
            print(len(contracts), "contracts")


if __name__ == "__main__":
    main()
