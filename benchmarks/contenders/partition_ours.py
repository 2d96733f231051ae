"""contract-gate in Dagster: candidate, its checks, published, its checks, in one run for each partition."""

import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contenders.partition_contract import contract, environment_of
from benchmarks.contenders.partition_dagster import runs_of
from benchmarks.contenders.partition_times import say
from contract_assets.code_location import build_definitions
from contract_assets.resources import GateResource
from contract_core.publication.submit import store_of


def main() -> None:
    """Publish every partition."""
    warnings.simplefilter("ignore")
    known = contract()
    with TemporaryDirectory() as folder:
        environment = environment_of(Path(folder, "root"), Path(sys.argv[1]))
        definitions = build_definitions([known], GateResource())
        with runs_of(definitions, f"publish_{known.name}", sys.argv[3], Path(folder)) as run:
            say(run, int(sys.argv[2]), lambda: store_of(environment).rows(known.name).collect().height)


if __name__ == "__main__":
    main()
