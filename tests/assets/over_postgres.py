"""One run of a contract's assets, in a process of its own, on an instance that keeps its events in PostgreSQL.

Run as a module with the folder of the environment, the home of Dagster and a partition.
"""

import sys
from pathlib import Path

import dagster as dg

from tests.assets.bench import Bench


def main(root: str, home: str, partition: str) -> None:
    with dg.DagsterInstance.from_config(home) as instance:
        ended = Bench(Path(root), instance).run(partition=partition)
    sys.exit(0 if ended.success else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
