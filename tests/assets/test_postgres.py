"""Dagster with its runs and events in PostgreSQL, as several machines share them: the same gate, and the same record."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from tests.assets.bench import BAD, DAY, GOOD, NEXT, Bench, failures
from tests.postgres import WHY_NOT

pytest.importorskip("dagster_postgres", reason="dagster-postgres is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
ROOT = Path(__file__).parents[2]
CONFIGURED = """\
storage: {{postgres: {{postgres_url: "{address}"}}}}
telemetry: {{enabled: false}}
python_logs: {{python_log_level: CRITICAL}}
"""


@pytest.fixture
def home(tmp_path: Path, postgres: str | None) -> Path:
    """A home of Dagster whose storage is PostgreSQL."""
    if postgres is None:
        pytest.skip(WHY_NOT)
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "dagster.yaml").write_text(CONFIGURED.format(address=postgres.replace("://", "+psycopg2://")))
    return folder


@pytest.fixture
def shared(tmp_path: Path, home: Path) -> Iterator[Bench]:
    """An environment, and the shared instance without what tests before have left in it."""
    with dg.DagsterInstance.from_config(str(home)) as instance:
        instance.wipe()
        yield Bench(tmp_path / "environment", instance)


def at_once(bench: Bench, home: Path, *partitions: str) -> list[int]:
    """How each of several processes ended that run these partitions at the same time."""
    command = [sys.executable, "-m", "tests.assets.over_postgres", str(bench.root), str(home)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    started = [subprocess.Popen([*command, partition], cwd=ROOT, env=environment) for partition in partitions]
    return [process.wait(timeout=240) for process in started]


def test_what_is_published_and_refused_is_told_and_recorded(shared: Bench) -> None:
    assert shared.take(GOOD).success
    refused = shared.take(BAD.replace(DAY, NEXT), NEXT)
    assert failures(refused)[0].startswith("refused")
    assert shared.materialized(shared.published) == shared.materialized(shared.candidate) == {DAY}
    assert len(shared.shown()) == 2
    assert not shared.run(shared.published, partition=NEXT).success
    tags = shared.instance.get_run_by_id(refused.run_id).tags
    assert (tags["contract"], tags["dagster/max_retries"]) == ("cases", "0")


def test_the_checks_of_each_partition_are_kept_apart(shared: Bench) -> None:
    shared.take(GOOD)
    shared.take(BAD.replace(DAY, NEXT), NEXT)
    key = dg.AssetCheckKey(shared.candidate, "field_n")
    told = shared.instance.event_log_storage.get_asset_check_execution_history(key, limit=10)
    found = {record.event.dagster_event.asset_check_evaluation_data.partition: record.status.value for record in told}
    assert found == {DAY: "SUCCEEDED", NEXT: "FAILED"}


def test_two_processes_publish_two_partitions_at_once(shared: Bench, home: Path) -> None:
    shared.land(GOOD)
    shared.land(GOOD.replace(DAY, NEXT), NEXT)
    assert at_once(shared, home, DAY, NEXT) == [0, 0]
    assert len(shared.shown()) == 4
    assert shared.publications() == 2
    assert shared.materialized(shared.published) == {DAY, NEXT}


def test_two_processes_with_the_same_delivery_publish_it_once(shared: Bench, home: Path) -> None:
    """Pools throttle and are no lock: what keeps it single is the commit."""
    shared.land(GOOD)
    assert at_once(shared, home, DAY, DAY) == [0, 0]
    assert len(shared.shown()) == 2
    assert shared.publications() == 1
