"""A judged delivery from its recorded decision to its recorded publication: `publish_ours FOLDER TARGET MODE`."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.linked_folders import linked
from benchmarks.published_orders import contract_in
from contract_core.environment import Environment
from contract_core.publication.submit import publish_latest


def main(folder: Path, target: Path, mode: str) -> None:
    """Publish it in a copy of the environment."""
    gate = Environment.at(linked(folder / "gate", target))
    publish_latest(contract_in(mode), None, gate, datetime(2026, 1, 2, tzinfo=UTC))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
