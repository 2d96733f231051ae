"""A ledger grows by every delivery and is read many times for each: what keeps that from growing with it."""

import polars as pl
from deltalake import DeltaTable

from contract_core.publication.ledger import Ledger
from contract_core.publication.ledger_merging import _MERGING, _alone, merge_files
from contract_core.publication.ledger_rows import as_entry
from tests.publication.samples import DAY
from tests.publication.test_ledger import entry


def test_a_long_ledger_lies_in_few_files(tmp_path):
    ledger = Ledger(tmp_path / "ledger")
    written = tuple(ledger.append(entry(f"{number:064x}")) for number in range(45))
    table = DeltaTable(ledger.root)
    assert len(table.file_uris()) < 20
    assert ledger.entries() == written


def test_two_that_make_one_file_of_many_at_once_leave_each_entry_once(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "ledger")
    written = tuple(ledger.append(entry(f"{number:064x}")) for number in range(5))
    monkeypatch.setattr("contract_core.publication.ledger_merging._MERGED_EVERY", 5)
    for table in [DeltaTable(ledger.root) for _ in range(2)]:  # both are opened before either is merged
        merge_files(ledger.root, table, written[-1].contract)
    assert ledger.entries() == written
    assert len(DeltaTable(ledger.root).file_uris()) == 1


def test_who_finds_another_at_it_merges_no_files(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "ledger")
    ledger.append(entry("1" * 64))
    monkeypatch.setattr("contract_core.publication.ledger_merging._MERGED_EVERY", 2)
    with _alone(ledger.root / _MERGING):
        ledger.append(entry("2" * 64))
    assert len(DeltaTable(ledger.root).file_uris()) == 2


def test_one_partition_is_read_without_understanding_the_others(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "ledger")
    for number in range(5):
        ledger.append(entry(f"{number:064x}", partition=f"2026-10-{number + 1:02}"))
    understood: list[str] = []

    def reading(row):
        understood.append(row["partition"])
        return as_entry(row)

    monkeypatch.setattr("contract_core.publication.ledger.as_entry", reading)
    ledger.partition_entries("cases", DAY)
    assert understood == [DAY]
    assert pl.read_delta(str(ledger.root)).height == 5


def test_an_entry_is_appended_without_understanding_other_partitions(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "ledger")
    ledger.append(entry(partition="2026-10-02"))
    understood: list[str] = []

    def reading(row):
        understood.append(row["partition"])
        return as_entry(row)

    monkeypatch.setattr("contract_core.publication.ledger.as_entry", reading)
    ledger.append(entry())
    assert understood == []
