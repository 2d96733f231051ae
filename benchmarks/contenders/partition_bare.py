"""The core alone: take a delivery, judge it, record the decision, publish it; what a step of ours does, and no Dagster."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contenders.partition_contract import contract, environment_of, partition
from benchmarks.contenders.partition_times import say
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.landing import landed_paths
from contract_core.publication.submit import publish_judged, store_of, take_and_decide


def main() -> None:
    """Publish every partition."""
    known = contract()
    with TemporaryDirectory() as folder:
        environment = environment_of(Path(folder), Path(sys.argv[1]))

        def publish(number: int) -> None:
            paths = landed_paths(known, environment.landing, partition(number))
            delivery = collect_delivery(known, paths, partition(number))
            now = datetime.now(UTC)
            publish_judged(take_and_decide(known, delivery, environment, now, now), environment, now)

        say(publish, int(sys.argv[2]), lambda: store_of(environment).rows(known.name).collect().height)


if __name__ == "__main__":
    main()
