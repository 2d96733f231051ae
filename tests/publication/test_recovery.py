"""A run that stops at any instant is completed by the next one: one publication, one record."""

from datetime import timedelta

import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from contract_core.errors import GateClosedError
from contract_core.publication import commits as commits_module
from contract_core.publication import publish as publish_module
from contract_core.publication import store as store_module
from contract_core.publication.entry import Event
from contract_core.publication.ledger import Ledger
from contract_core.publication.store import Store
from tests.publication.processes import run_until_killed
from tests.publication.samples import CASES, NOW, Site, contract_of, events, publications, rows

LATER = NOW + timedelta(hours=1)
RULED = CASES.replace("type: integer", "type: integer, min: 0")
"""A contract whose table is given a constraint between its creation and its first rows."""


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


def creates(*arguments) -> bool:
    return arguments[2] is None


def writes(*arguments) -> bool:
    return not creates(*arguments)


def shows_just(site: Site, regions: list[str], count: int) -> None:
    """The rows of the last of so many publications, in a table that takes no row which breaks a rule."""
    versions = publications(site.table())
    assert [row[0] for row in site.shown()] == regions
    assert len(versions) == count
    assert versions[-1] == DeltaTable(site.table()).version()
    with pytest.raises(DeltaError):
        write_deltalake(site.table(), rows("x", n=-1), mode="append")


STEPS = {
    "before verifying": (kill_before, publish_module, "verify", None),
    "after verifying": (kill_after, publish_module, "verify", None),
    "before the columns are compared": (kill_before, store_module, "prepare", None),
    "after the columns are compared": (kill_after, store_module, "prepare", None),
    "before the constraints": (kill_before, store_module, "settle", None),
    "after the constraints": (kill_after, store_module, "settle", None),
    "before the rows": (kill_before, Store, "_attempted", writes),
    "after the rows": (kill_after, Store, "_attempted", writes),
    "after the store answered": (kill_after, Store, "publish_partition", None),
    "before the record": (kill_before, Ledger, "append", is_publication),
    "after the record": (kill_after, Ledger, "append", is_publication),
}
STEPS_OF_THE_FIRST = {
    "before the table is created": (kill_before, Store, "_attempted", creates),
    "after the table is created": (kill_after, Store, "_attempted", creates),
}
EARLIER = {"first publication": None, "correction": RULED, "correction under another version": CASES}
STOPS = {
    f"{step}-{name}": (*how, earlier)
    for name, earlier in EARLIER.items()
    for step, how in (STEPS if earlier else STEPS | STEPS_OF_THE_FIRST).items()
}


@pytest.mark.parametrize("kill, owner, name, matches, earlier", STOPS.values(), ids=STOPS)
def test_a_run_that_stops_anywhere_is_completed_by_the_next(site, monkeypatch, kill, owner, name, matches, earlier):
    contract = contract_of(RULED.replace("1.0.0", "1.1.0"))
    if earlier:
        site.accept(contract_of(earlier), rows("z"))
    candidate = site.take(contract, rows("a", "b"))
    site.decide(contract, candidate)
    with monkeypatch.context() as patched:
        kill(patched, owner, name, *([matches] if matches else []))
        with pytest.raises(Killed):
            site.publish(contract, candidate)
    record = site.publish(contract, candidate, LATER)
    assert site.publish(contract, candidate, LATER) == record
    shows_just(site, ["a", "b"], 2 if earlier else 1)
    assert record.table_version == publications(site.table())[-1]
    assert len(site.ledger.entries()) == (4 if earlier else 2)


KILLED = f"""
import os, signal
from pathlib import Path
from contract_core.publication import commits, constraints, store
from contract_core.publication.ledger import Ledger
from tests.publication.samples import Site, contract_of, rows
site, contract = Site(Path(FOLDER)), contract_of({RULED!r})
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
candidate = site.take(contract, rows("a", "b"))
site.decide(contract, candidate)
"""
DEATHS = {
    "between commit and record": (KILLED + "Ledger.append = die\n", True),
    "inside the store, after the commit": (KILLED + "store._version_shown = die\n", True),
    "before the commit": (KILLED + "commits.write_deltalake = die\n", False),
    "between constraints and rows": (KILLED + "store.write_rows = die\n", False),
    "between the constraints and their record": (KILLED + "constraints._record = die\n", False),
    "between the table and its constraints": (KILLED + "constraints._change = die\n", False),
    "before the table is there": (KILLED + "store.create_table = die\n", False),
}


@pytest.mark.parametrize("code, is_committed", DEATHS.values(), ids=DEATHS)
def test_a_killed_process_leaves_one_publication_and_one_record(site, code, is_committed):
    assert run_until_killed(code + "site.publish(contract, candidate)\n", site.root) == -9
    assert events(site) == ["decided"]
    assert len(publications(site.table())) == is_committed
    contract = contract_of(RULED)
    record = site.publish(contract, site.take(contract, rows("a", "b")), LATER)
    assert record.already_published == is_committed
    assert events(site) == ["decided", "published"]
    shows_just(site, ["a", "b"], 1)


SWEPT = f"""
import signal
from pathlib import Path
from tests.publication.samples import Site, contract_of, rows
site, contract = Site(Path(FOLDER)), contract_of({RULED!r})
candidate = site.take(contract, rows("a", "b"))
signal.setitimer(signal.ITIMER_REAL, DELAY)
site.decide(contract, candidate)
site.publish(contract, candidate)
"""


@pytest.mark.parametrize("milliseconds", [5, 20, 40, 60, 80, 100, 130, 160, 200, 250, 300])
def test_a_process_that_ends_at_any_instant_leaves_nothing_that_the_next_run_cannot_complete(site, milliseconds):
    assert run_until_killed(SWEPT.replace("DELAY", str(milliseconds / 1000)), site.root) in (0, -14)
    record = site.accept(contract_of(RULED), rows("a", "b"))
    assert events(site) == ["decided", "published"]
    shows_just(site, ["a", "b"], 1)
    assert (record.table_version,) == publications(site.table())


def test_a_crash_before_the_record_is_completed_by_the_successor_too(site, monkeypatch):
    contract = contract_of()
    first = site.take(contract, rows("a"))
    site.decide(contract, first)
    with monkeypatch.context() as patched:
        kill_before(patched, Ledger, "append", is_publication)
        with pytest.raises(Killed):
            site.publish(contract, first)
    second = site.accept(contract, rows("b"))
    published = [entry for entry in site.ledger.entries() if entry.event is Event.PUBLISHED]
    assert [entry.submission for entry in published] == [first.submission, second.submission]
    assert tuple(entry.table_version for entry in published) == publications(site.table())
    again = site.accept(contract, rows("a"))
    assert (again.superseded_by, again.already_published) == (second.submission, True)
    assert [row[0] for row in site.shown()] == ["b"]


def test_a_decision_taken_while_an_older_one_is_on_its_way_stops_it(site, monkeypatch):
    contract = contract_of()
    site.accept(contract, rows("z"))
    older, newer = site.take(contract, rows("older")), site.take(contract, rows("newer"))
    site.decide(contract, older)
    write, todo = commits_module.write_deltalake, ["once"]

    def overtaken(*args, **kwargs):
        if todo:
            todo.pop()
            site.decide(contract, newer)
            site.publish(contract, newer)
        return write(*args, **kwargs)

    monkeypatch.setattr(commits_module, "write_deltalake", overtaken)
    with pytest.raises(GateClosedError, match="about another submission"):
        site.publish(contract, older)
    assert [row[0] for row in site.shown()] == ["newer"]
