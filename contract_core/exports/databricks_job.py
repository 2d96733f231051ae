"""The Python file that a job of Databricks runs: which partitions are due at a moment and are there, and `contract-gate publish` of each.

It is the same text for every contract; all that differs comes as arguments, since tasks without a cluster take no variables of their own.
"""

SOURCE = '''\
"""Run contract-gate for the deliveries of one contract that are due by a moment, or for one partition that is named."""

import argparse
import os
import subprocess
import sys
from datetime import datetime
from itertools import islice
from pathlib import Path

from contract_core.candidate.landing import landed_partitions, landed_paths
from contract_core.contract.deadlines import deadline
from contract_core.contract.partition import begun
from contract_core.contract.registry import read_contract
from contract_core.errors import ContractCoreError


def main() -> int:
    given = arguments()
    contract = read_contract(Path(given.contract))
    codes = [publish(given, contract, partition) for partition in wanted(given, contract)]
    return max(codes, default=0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("contract", "landing", "root", "published", "moment"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--partition", default="")
    parser.add_argument("--look-back", type=int, required=True)
    return parser.parse_args()


def wanted(given: argparse.Namespace, contract) -> list[str | None]:
    """The newest partition that is due, whether it is there or not, and of the ones before those that are there, the oldest first."""
    terms, due = contract.delivery.partition, contract.delivery.due
    if given.partition:
        return [given.partition]
    if terms is None or terms.split:
        return [None]
    landed = landed_partitions(contract, Path(given.landing))
    if terms.every is None:
        return list(landed)
    moment = datetime.fromisoformat(given.moment)
    moments = {key: deadline(contract, key) for key in islice(begun(terms, moment), 1000)}
    past = [key for key, at in moments.items() if due is None or (at is not None and at <= moment)]
    newest = past[: given.look_back]
    return [key for key in reversed(newest) if key in landed or (due is not None and key == newest[0])]


def publish(given: argparse.Namespace, contract, partition: str | None) -> int:
    try:
        paths = landed_paths(contract, Path(given.landing), partition)
    except ContractCoreError as error:
        print(error, file=sys.stderr)
        return 2
    named = [] if partition is None else ["--partition", partition]
    command = [sys.executable, "-m", "contract_core.cli", "publish", given.contract, *map(str, paths), *named]
    return subprocess.run(command, env=variables(given), check=False).returncode


def variables(given: argparse.Namespace) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CONTRACT_GATE_")}
    places = {"ROOT": given.root, "LANDING": given.landing, "PUBLISHED": given.published}
    return kept | {f"CONTRACT_GATE_{name}": place for name, place in places.items()}


if __name__ == "__main__" and (code := main()):
    sys.exit(code)
'''
