"""Dagster keeps no value: no event, check, metadata, tick or captured output of any run, nor any file of its instance."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from contract_core.contract.parsing import parse_contract
from tests.assets.bench import Bench
from tests.assets.test_recheck import recheck
from tests.assets.test_sensors import tick
from tests.privacy.planting import AS_OF, BY_ID, DAMAGES, Heard, Planted, cases, published

TO_DEBUG = {"python_logs": {"python_log_level": "DEBUG", "managed_python_loggers": ["root"]}}


@dataclass
class Deployed:
    """An instance; `before` are runs that were listened to already."""

    instance: dg.DagsterInstance
    before: set[str] = field(default_factory=set)

    def bench(self, root: Path, text: str) -> Bench:
        return Bench(root, self.instance, parse_contract(text, "contract.yaml"), AS_OF.isoformat())

    def deliver(self, root: Path, planted: Planted) -> Bench:
        """Both assets run on the delivery, after the one that was published before."""
        if (before := planted.before) is not None:
            before.laid_out(root)
            assert self.bench(root, before.contract).run(partition=before.partition).success
        planted.laid_out(root)
        bench = self.bench(root, planted.contract)
        bench.run(partition=planted.partition)
        return bench

    def listen(self, heard: Heard) -> None:
        """All that the instance can be asked for about the runs since the last time, and each event as it is stored."""
        for record in self.instance.get_run_records():
            run = record.dagster_run
            if run.run_id in self.before:
                continue
            self.before.add(run.run_id)
            heard.add("run", f"{dg.serialize_value(run)} {record!r}")
            for entry in self.instance.all_logs(run.run_id):
                kind = entry.dagster_event.event_type_value if entry.dagster_event else "log"
                heard.add(f"event {kind}", f"{dg.serialize_value(entry)} {entry.message}")
        for key in self.instance.all_asset_keys():
            heard.add("asset", repr(self.instance.fetch_materializations(key, limit=10).records))


@pytest.fixture(scope="module")
def deployed() -> Iterator[Deployed]:
    with dg.DagsterInstance.ephemeral(settings=TO_DEBUG) as instance:
        yield Deployed(instance)


@pytest.fixture
def heard(deployed: Deployed, capfd: pytest.CaptureFixture[str]) -> Callable[[], Heard]:
    """What was said since the test began; by the instance, and on the streams of this process."""

    def listened() -> Heard:
        found = Heard()
        deployed.listen(found)
        out, err = capfd.readouterr()
        found.add("standard output", out)
        found.add("standard error", err)
        return found

    return listened


CHOSEN = (
    "rows, csv, fail, replace_partition", "rows, csv, quarantine, replace_partition", "rows, parquet, warn, upsert",
    "an envelope of mistakes", "a manifest of mistakes", "data that is damaged, ipc",
    "rows of another partition that break a new rule", "lists of categories, parquet", "a column that was kept and is no more",
)  # fmt: skip


@pytest.mark.parametrize("planted", cases(BY_ID[name] for name in CHOSEN))
def test_no_event_of_any_run_holds_a_value(
    tmp_path: Path, deployed: Deployed, heard: Callable[[], Heard], planted: Planted
) -> None:
    """S1-063, S1-064, S1-092, S3-015, S3-016."""
    bench = deployed.deliver(tmp_path, planted)
    recheck(bench, planted.partition)
    told, looked = heard(), repr(tick(bench))
    told.add("tick", looked)
    assert any(where == "event ASSET_CHECK_EVALUATION" for where, _ in told.pieces)
    assert told.leaks(planted.markers) == []


@pytest.mark.parametrize(
    "damage", ["a candidate of other bytes", "entries of the ledger that are garbage", "a constraint by somebody else"]
)
def test_no_event_holds_a_value_of_what_is_stored_and_damaged(
    tmp_path: Path, deployed: Deployed, heard: Callable[[], Heard], damage: str
) -> None:
    """S1-063, S1-092. Rows that somebody else's constraint refuses are quoted by delta-rs."""
    planted = published(f"in Dagster, {damage}")
    bench = deployed.deliver(tmp_path, planted)
    DAMAGES[damage](tmp_path, planted.markers)
    folder = tmp_path / "landing/cases" / planted.partition
    (folder / "d.csv").rename(folder / ("d.csv" if "candidate" in damage else "e.csv"))
    ended = bench.run(partition=planted.partition)
    recheck(bench, planted.partition)
    assert not ended.success
    assert heard().leaks(planted.markers) == []


@pytest.mark.parametrize("failure", [Exception, pl.exceptions.PanicException], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "place", ["contract_core.publication.commits.write_deltalake", "contract_core.publication.submit.validate"]
)
def test_a_step_that_fails_tells_none_of_the_words_of_a_library(
    tmp_path: Path,
    deployed: Deployed,
    heard: Callable[[], Heard],
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    failure: type[BaseException],
) -> None:
    """S1-063. The first is caught inside the core, the second by nothing but the edge."""
    planted = published(f"in Dagster, {place}, {failure.__name__}")

    def failing(*_: object, **__: object) -> None:
        cause = ValueError(planted.markers.text("the cause"))
        raise failure(planted.markers.text("the library's words")) from cause

    monkeypatch.setattr(place, failing)
    deployed.deliver(tmp_path, planted)
    told = heard()
    assert any(where == "event STEP_FAILURE" for where, _ in told.pieces)
    assert told.leaks(planted.markers) == []


IN_FILES = ("rows, csv, quarantine, replace_partition",)


def test_no_file_of_an_instance_holds_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1-063, S1-092. Databases, captured output and all else that runs leave where an instance keeps everything in files."""
    folder, found, planted = tmp_path / "instance", Heard(), [BY_ID[name] for name in IN_FILES]
    folder.mkdir()

    def failing(*_: object, **__: object) -> None:
        raise ValueError(" ".join(item.markers.text("the library's words") for item in planted))

    with dg.DagsterInstance.local_temp(str(folder), overrides=TO_DEBUG) as instance:
        for item in planted:
            Deployed(instance).deliver(tmp_path / item.markers.text("root")[2:], item)
        monkeypatch.setattr("contract_core.publication.submit.validate", failing)
        Deployed(instance).deliver(tmp_path / "failing", planted[0])
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found.add(f"file {path.name}", path.read_bytes())
    assert any(where.endswith(".db") for where, _ in found.pieces)
    assert any("ASSET_CHECK_EVALUATION" in said for _, said in found.pieces)
    assert [leak for item in planted for leak in found.leaks(item.markers)] == []
