"""Commits are our record: no checkpoint of delta-rs takes one away, however old it is, and tables of before learn it too."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable

from contract_core.publication.entry import Event
from contract_core.publication.kept_logs import WHOLE_LOG, lacking
from contract_core.publication.table_log import read_log
from tests.publication.logs import commit_file
from tests.publication.processes import at_once
from tests.publication.samples import Site, contract_of, rows

OFTEN = {"delta.checkpointInterval": "5"}
"""Every fifth commit instead of every hundredth."""


def aged(table: Path) -> None:
    """The log as if all of it had been written forty days ago."""
    then = time.time() - 40 * 86_400
    for file in (table / "_delta_log").iterdir():
        os.utime(file, (then, then))


def tables(site: Site) -> tuple[Path, Path]:
    return site.table(), site.root / "ledger"


def until_a_checkpoint(table: Path, act: Callable[[int], object]) -> None:
    """Acts until delta-rs has written a checkpoint of its own accord, and once more."""
    DeltaTable(table).alter.set_table_properties(OFTEN)
    aged(table)
    number = 0
    while not list((table / "_delta_log").glob("*.checkpoint.parquet")):
        assert number < 20
        act(number)
        number += 1
    act(number)


def of_before(table: Path) -> None:
    """The table as 0.2 made it, without a word about its log."""
    for file in (table / "_delta_log").glob("*.json"):
        actions = [json.loads(line) for line in file.read_text().splitlines()]
        for action in actions:
            for name in WHOLE_LOG:
                action.get("metaData", {}).get("configuration", {}).pop(name, None)
        file.write_text("\n".join(map(json.dumps, actions)))
    assert set(lacking(DeltaTable(table), WHOLE_LOG)) == set(WHOLE_LOG)


def test_tables_are_made_to_keep_their_logs(site: Site) -> None:
    site.accept(contract_of(), rows("a"))
    assert [lacking(DeltaTable(table), WHOLE_LOG) for table in tables(site)] == [{}, {}]


def test_a_checkpoint_takes_no_old_publication_away(site: Site) -> None:
    """After it the decision can still be told from the table alone, and the ledger be written anew from it."""
    contract = contract_of()
    first = site.accept(contract, rows("a"))
    until_a_checkpoint(site.table(), lambda number: site.accept(contract, rows("b", n=number)))
    assert commit_file(site.table(), 0).exists()
    assert site.store.commit_of("cases", first.submission) == first.table_version
    log = read_log(site.table(), "cases")
    assert log is not None
    assert (log.first, log.publications[0].decided.submission) == (0, first.submission)


def test_a_checkpoint_of_the_ledger_takes_no_commit_away(site: Site) -> None:
    contract = contract_of()
    site.accept(contract, rows("a"))
    candidate = site.take(contract, rows("b"))
    entry = site.decide(contract, candidate)
    until_a_checkpoint(
        site.root / "ledger",
        lambda number: site.ledger.append(replace(entry, event=Event.FAILED, reason=f"R{number}")),
    )
    assert commit_file(site.root / "ledger", 0).exists()


@pytest.mark.parametrize("place", [0, 1], ids=["published table", "ledger"])
def test_a_table_of_before_is_told_to_keep_its_log_and_loses_nothing(site: Site, place: int) -> None:
    contract = contract_of()
    first = site.accept(contract, rows("a"))
    table = tables(site)[place]
    of_before(table)
    second = site.accept(contract, rows("b"))
    assert lacking(DeltaTable(table), WHOLE_LOG) == {}
    published = [entry.submission for entry in site.ledger.entries() if entry.event is Event.PUBLISHED]
    assert published == [first.submission, second.submission]
    before = DeltaTable(table).version()
    assert site.publish(contract, site.take(contract, rows("b"))).already_published
    assert DeltaTable(table).version() == before


def test_the_commit_that_states_it_cleans_nothing_up_itself(site: Site) -> None:
    """Were it the hundredth, its own checkpoint would remove what it is to keep."""
    contract = contract_of()
    site.accept(contract, rows("a"))
    of_before(site.table())
    DeltaTable(site.table()).alter.set_table_properties({"delta.checkpointInterval": "1"})
    for checkpoint in (site.table() / "_delta_log").glob("*checkpoint*"):
        checkpoint.unlink()
    aged(site.table())
    site.accept(contract, rows("b"))
    assert commit_file(site.table(), 0).exists()
    log = read_log(site.table(), "cases")
    assert log is not None
    assert (len(log.publications), log.suspects, log.is_altered) == (2, (), False)


RACING = """
from tests.publication.processes import at_once
from tests.publication.samples import Site, contract_of, rows
site, day = Site(Path(FOLDER)), f"2026-10-{NUMBER + 2:02}"
candidate = site.take(contract_of(), rows("b", day=day), day)
ready()
site.decide(contract_of(), candidate)
site.publish(contract_of(), candidate)
"""


def test_many_who_find_a_table_of_before_all_publish(site: Site) -> None:
    """One of them tells the table, and the others look at it anew."""
    first = site.accept(contract_of(), rows("a"))
    for table in tables(site):
        of_before(table)
    assert at_once(4, RACING, site.root) == [0, 0, 0, 0]
    assert [lacking(DeltaTable(table), WHOLE_LOG) for table in tables(site)] == [{}, {}]
    published = [entry.submission for entry in site.ledger.entries() if entry.event is Event.PUBLISHED]
    assert (len(set(published)), len(published), len(site.shown())) == (5, 5, 5)
    assert first.submission in published
