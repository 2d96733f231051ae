"""A run that stops at any instant is completed by the next one: one publication, one record."""

from datetime import timedelta

import pytest
from deltalake import DeltaTable

from contract_core.errors import GateClosedError
from contract_core.publication import publish as publish_module
from contract_core.publication import store as store_module
from contract_core.publication.entry import Event
from contract_core.publication.ledger import Ledger
from contract_core.publication.store import Store
from tests.publication.processes import run_until_killed
from tests.publication.samples import NOW, contract_of, events, rows

LATER = NOW + timedelta(hours=1)


class Killed(BaseException):
    """The process ends here."""


def kill_before(monkeypatch, owner, name, matches=lambda *_: True):
    call = getattr(owner, name)

    def killed(*args, **kwargs):
        if matches(*args):
            raise Killed
        return call(*args, **kwargs)

    monkeypatch.setattr(owner, name, killed)


def kill_after(monkeypatch, owner, name, matches=lambda *_: True):
    call = getattr(owner, name)

    def killed(*args, **kwargs):
        answer = call(*args, **kwargs)
        if matches(*args):
            raise Killed
        return answer

    monkeypatch.setattr(owner, name, killed)


def is_publication(_, entry) -> bool:
    return entry.event is Event.PUBLISHED


STEPS = {
    "before verifying": (kill_before, publish_module, "verify", None),
    "after verifying": (kill_after, publish_module, "verify", None),
    "before the columns are compared": (kill_before, store_module, "prepare", None),
    "after the columns are compared": (kill_after, store_module, "prepare", None),
    "after the store answered": (kill_after, Store, "publish_partition", None),
    "before the record": (kill_before, Ledger, "append", is_publication),
    "after the record": (kill_after, Ledger, "append", is_publication),
}


@pytest.mark.parametrize("is_first", [True, False], ids=["first publication", "correction"])
@pytest.mark.parametrize("kill, owner, name, matches", STEPS.values(), ids=STEPS)
def test_a_run_that_stops_anywhere_is_completed_by_the_next(site, monkeypatch, kill, owner, name, matches, is_first):
    contract = contract_of()
    if not is_first:
        site.accept(contract, rows("z"))
    versions, records = (0, 2) if is_first else (1, 4)
    candidate = site.take(contract, rows("a", "b"))
    site.decide(contract, candidate)
    with monkeypatch.context() as patched:
        kill(patched, owner, name, *([matches] if matches else []))
        with pytest.raises(Killed):
            site.publish(contract, candidate)
    record = site.publish(contract, candidate, LATER)
    assert site.publish(contract, candidate, LATER) == record
    assert [row[0] for row in site.shown()] == ["a", "b"]
    assert (DeltaTable(site.table()).version(), record.table_version) == (versions, versions)
    assert len(site.ledger.entries()) == records


KILLED = """
import os, signal
from pathlib import Path
from contract_core.publication import store
from contract_core.publication.ledger import Ledger
from tests.publication.samples import Site, contract_of, rows
site, contract = Site(Path(FOLDER)), contract_of()
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
candidate = site.take(contract, rows("a", "b"))
site.decide(contract, candidate)
"""
DEATHS = {
    "between commit and record": (KILLED + "Ledger.append = die\n", True),
    "inside the store, after the commit": (KILLED + "store._version_shown = die\n", True),
    "before the commit": (KILLED + "store._properties = die\n", False),
}


@pytest.mark.parametrize("code, is_committed", DEATHS.values(), ids=DEATHS)
def test_a_killed_process_leaves_one_publication_and_one_record(site, code, is_committed):
    assert run_until_killed(code + "site.publish(contract, candidate)\n", site.root) == -9
    assert events(site) == ["decided"]
    assert site.table().joinpath("_delta_log", f"{0:020d}.json").exists() == is_committed
    contract = contract_of()
    record = site.publish(contract, site.take(contract, rows("a", "b")), LATER)
    assert record.already_published == is_committed
    assert events(site) == ["decided", "published"]
    assert len(site.shown()) == 2
    assert DeltaTable(site.table()).version() == 0


SWEPT = """
import signal
from pathlib import Path
from tests.publication.samples import Site, contract_of, rows
site, contract = Site(Path(FOLDER)), contract_of()
candidate = site.take(contract, rows("a", "b"))
signal.setitimer(signal.ITIMER_REAL, DELAY)
site.decide(contract, candidate)
site.publish(contract, candidate)
"""


@pytest.mark.parametrize("milliseconds", [5, 20, 40, 60, 80, 100, 130, 160, 200])
def test_a_process_that_ends_at_any_instant_leaves_nothing_that_the_next_run_cannot_complete(site, milliseconds):
    assert run_until_killed(SWEPT.replace("DELAY", str(milliseconds / 1000)), site.root) in (0, -14)
    record = site.accept(contract_of(), rows("a", "b"))
    assert events(site) == ["decided", "published"]
    assert len(site.shown()) == 2
    assert DeltaTable(site.table()).version() == record.table_version == 0


def test_a_crash_before_the_record_is_completed_by_the_successor_too(site, monkeypatch):
    contract = contract_of()
    first = site.take(contract, rows("a"))
    site.decide(contract, first)
    with monkeypatch.context() as patched:
        kill_before(patched, Ledger, "append", is_publication)
        with pytest.raises(Killed):
            site.publish(contract, first)
    second = site.accept(contract, rows("b"))
    assert [
        (entry.event.value, entry.table_version) for entry in site.ledger.entries() if entry.event is Event.PUBLISHED
    ] == [
        ("published", 0),
        ("published", 1),
    ]
    again = site.accept(contract, rows("a"))
    assert (again.superseded_by, again.already_published) == (second.submission, True)
    assert [row[0] for row in site.shown()] == ["b"]


def test_a_decision_taken_while_an_older_one_is_on_its_way_stops_it(site, monkeypatch):
    contract = contract_of()
    site.accept(contract, rows("z"))
    older, newer = site.take(contract, rows("older")), site.take(contract, rows("newer"))
    site.decide(contract, older)
    write, todo = store_module.write_deltalake, ["once"]

    def overtaken(*args, **kwargs):
        if todo:
            todo.pop()
            site.decide(contract, newer)
            site.publish(contract, newer)
        return write(*args, **kwargs)

    monkeypatch.setattr(store_module, "write_deltalake", overtaken)
    with pytest.raises(GateClosedError, match="about another submission"):
        site.publish(contract, older)
    assert [row[0] for row in site.shown()] == ["newer"]
