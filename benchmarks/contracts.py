"""How long do a thousand contracts of forty fields take to read, to lint, to turn into obligations and to compare with a later version?

python -m benchmarks.contracts --contracts 1000 --peers

Half as many are measured too, since twice as many should take twice as long.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contract_texts import FIELDS, write_contracts, write_later_contracts
from benchmarks.measuring import REPOSITORY, Median, medians, table
from contract_core.contract.registry import contract_files, read_contract
from contract_core.exports.odcs import odcs_document

FLOOR = "yaml and pydantic"
_PEER = REPOSITORY / ".bench" / "datacontract" / "bin" / "python"


def main() -> None:
    """Print a table for each number of contracts."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--contracts", type=int, default=1000)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--peers", action="store_true", help="datacontract-cli too (make bench-peers)")
    asked = reader.parse_args()
    for count in (asked.contracts // 2, asked.contracts):
        with TemporaryDirectory() as folder:
            found = medians(_commands(Path(folder), count, with_peers=asked.peers), asked.rounds)
        _refuse_disagreement(found, count)
        print(f"{count:,} contracts of {FIELDS} fields, median of {asked.rounds}\n")
        print("\n".join(table(found, FLOOR)) + "\n")


def _commands(folder: Path, count: int, *, with_peers: bool) -> dict[str, list[str]]:
    before = str(write_contracts(folder / "before", count))
    after = str(write_later_contracts(folder / "after", count))
    ours = [sys.executable, "-m", "benchmarks.contenders.contracts_ours"]
    commands = {
        FLOOR: [sys.executable, "-m", "benchmarks.contenders.contracts_floor", before],
        "parse": [*ours, "parse", before],
        "parse, obligations": [*ours, "obligations", before],
        "parse both, diff": [*ours, "diff", before, after],
        "contract-gate lint": [sys.executable, "-m", "contract_core.cli", "lint", before],
    }
    if with_peers:
        documents = _as_documents(folder / "documents", Path(before))
        commands["datacontract lint"] = [str(_PEER), "-m", "benchmarks.contenders.contracts_datacontract", documents]
    return commands


def _as_documents(folder: Path, contracts: Path) -> str:
    """The same contracts in the standard that datacontract-cli reads."""
    folder.mkdir()
    for path in contract_files(contracts):
        (folder / f"{path.stem}.odcs.yaml").write_text(odcs_document(read_contract(path)).text)
    return str(folder)


def _refuse_disagreement(found: tuple[Median, ...], count: int) -> None:
    for item in found:
        assert item.said.split()[0] == str(count), f"{item.name} read other contracts: {item.said}"


if __name__ == "__main__":
    main()
