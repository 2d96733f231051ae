"""A code location of contracts: read from YAML and built, with every check that they ask for."""

import sys
from pathlib import Path

from contract_assets.code_location import build_definitions
from contract_assets.resources import GateResource
from contract_core.contract.registry import read_contracts


def main() -> None:
    """Build it and say what it holds."""
    contracts = read_contracts(Path(sys.argv[1]))
    repository = build_definitions(contracts, GateResource()).get_repository_def()
    checks = len(repository.asset_graph.asset_check_keys)
    print(f"{len(contracts)} contracts, {len(repository.asset_graph.get_all_asset_keys())} assets, {checks} checks")


if __name__ == "__main__":
    main()
