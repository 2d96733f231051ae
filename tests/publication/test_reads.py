"""What one publication reads and writes: the ledger, the table's log and the candidate no more often than the answer needs."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.publication import batches, opened, publish, store, tables
from contract_core.publication.ledger import Ledger
from contract_core.publication.submit import Judged, publish_judged, take_and_decide
from tests.publication.samples import NOW, publications

TEXT = """\
contract: cases
version: "1.0.0"
status: draft
key: [k]
fields:
  - {name: k, type: integer}
  - {name: n, type: integer}
delivery: {format: {type: parquet}}
"""
MODES = ("replace_partition", "append", "upsert")
Counts = Counter[str]


@pytest.fixture
def environment(tmp_path) -> Environment:
    return Environment.at(tmp_path / "data")


def judged(environment: Environment, mode: str, *keys: int) -> Judged:
    landing = environment.landing / str(keys[0])
    landing.mkdir(parents=True)
    pl.DataFrame({"k": keys, "n": keys}).write_parquet(landing / "cases.parquet")
    contract = parse_contract(f"{TEXT}publication: {{mode: {mode}}}\n", "cases.yaml")
    return take_and_decide(contract, collect_delivery(contract, [landing], None), environment, NOW, NOW)


@contextmanager
def counting(*places: tuple[Any, str]) -> Iterator[Counts]:
    """How often each of these is called, by its name."""
    found: Counts = Counter()
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in places:
            patch.setattr(owner, name, _counted(found, name, getattr(owner, name)))
        yield found


def _counted(found: Counts, name: str, original: Any) -> Any:
    def called(*args: Any, **more: Any) -> Any:
        found[name] += 1
        return original(*args, **more)

    return called


@pytest.mark.parametrize("mode", MODES)
def test_the_ledger_is_read_once_before_the_gate_once_under_the_table_and_once_to_append(environment, mode):
    publish_judged(judged(environment, mode, 1, 2), environment, NOW)
    second = judged(environment, mode, 3, 4)
    with counting((Ledger, "_read")) as found:
        publish_judged(second, environment, NOW)
    assert found["_read"] == 3


@pytest.mark.parametrize(("mode", "reads"), [("replace_partition", 1), ("append", 2), ("upsert", 1)])
def test_a_judgement_reads_entries_only_where_a_promise_looks_back(environment, mode, reads):
    """Once more to append its own."""
    judged(environment, mode, 8, 9)
    with counting((Ledger, "_read")) as found:
        judged(environment, mode, 1, 2)
    assert found["_read"] == reads


@pytest.mark.parametrize("mode", MODES)
def test_a_candidate_is_verified_once_and_written_in_one_commit(environment, mode):
    publish_judged(judged(environment, mode, 1, 2), environment, NOW)
    second, table = judged(environment, mode, 3, 4), environment.published / "cases"
    before = DeltaTable(table).version()
    with counting((publish, "verify"), (store, "write_rows")) as found:
        publish_judged(second, environment, NOW)
    assert (found["verify"], found["write_rows"]) == (1, 1)
    assert DeltaTable(table).version() == before + 1
    assert len(publications(table)) == 2


def test_the_table_is_opened_once(environment):
    publish_judged(judged(environment, "replace_partition", 1, 2), environment, NOW)
    second = judged(environment, "replace_partition", 3, 4)
    with counting((opened, "open_table")) as found:
        record = publish_judged(second, environment, NOW)
    assert found["open_table"] == 1
    assert record.table_version == DeltaTable(environment.published / "cases").version()


@pytest.mark.parametrize("mode", MODES)
def test_no_more_of_a_delivery_than_a_batch_is_given_to_the_writer_at_a_time(environment, mode, monkeypatch):
    """[S1-067] Nor of the published rows that stay."""
    monkeypatch.setattr("contract_core.publication.windows.BATCH_ROWS", 10)
    heights: list[int] = []
    original = batches.Table.from_arrow

    class Watched:
        @staticmethod
        def from_arrow(frame: pl.DataFrame) -> Any:
            heights.append(frame.height)
            return original(frame)

    monkeypatch.setattr(batches, "Table", Watched)
    publish_judged(judged(environment, mode, *range(100)), environment, NOW)
    publish_judged(judged(environment, mode, *range(200, 300)), environment, NOW)
    assert max(heights) == 10


def test_reading_rows_of_a_file_alone_gives_what_the_table_shows(environment):
    for first in (1, 5):
        publish_judged(judged(environment, "append", first, first + 1), environment, NOW)
    table = DeltaTable(environment.published / "cases")
    found = pl.concat(tables.rows_by_file(table).values()).sort("k").collect()
    assert found.equals(tables.rows_of(table).sort("k").collect())
    assert [Path(path).suffix for path in tables.rows_by_file(table)] == [".parquet", ".parquet"]
