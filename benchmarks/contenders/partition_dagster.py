"""Runs a job in process for one partition after the other, on an instance in memory or on one in SQLite files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from benchmarks.contenders.partition_contract import partition


@contextmanager
def runs_of(definitions: dg.Definitions, job: str, storage: str, folder: Path) -> Iterator[Callable[[int], None]]:
    """What runs the job for the partition of a number."""
    quiet = {"python_logs": {"python_log_level": "CRITICAL"}}
    resolved = definitions.resolve_job_def(job)
    is_kept = storage == "sqlite"
    opened = dg.DagsterInstance.local_temp if is_kept else dg.DagsterInstance.ephemeral
    with opened(str(folder), overrides=quiet) if is_kept else opened(settings=quiet) as instance:

        def run(number: int) -> None:
            assert resolved.execute_in_process(partition_key=partition(number), instance=instance).success

        yield run
