"""Reconciling: the ledger is completed, or written anew, from the commits of a published table; what disagrees is told.

The commit is the truth, since rows, marks and what the decision was stand in it together. Only what can stand at the end of the
ledger is added: an entry is never put before others, so that the last one about a partition stays the last word about it.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.errors import Problem, PublicationConflictError
from contract_core.operations.comparison import Sides, find_differences
from contract_core.operations.difference import Difference, Found, Kind
from contract_core.publication.entry import Event, LedgerEntry, latest
from contract_core.publication.ledger import Ledger
from contract_core.publication.stated import REBUILT
from contract_core.publication.submit import store_of
from contract_core.publication.table_log import Publication, read_log


def known_names(environment: Environment) -> tuple[str, ...]:
    """The contracts that have a table or an entry in the ledger, whether their files are still there or not."""
    folders = [
        path.name
        for root in (environment.published, environment.quarantine)
        for path in (root.iterdir() if root.is_dir() else ())
        if (path / "_delta_log").is_dir()
    ]
    return tuple(sorted({*folders, *Ledger(environment.ledger).contracts()}))


def reconcile_contract(contract: Contract | str, environment: Environment, at: datetime) -> Found:
    """Ledger, log, table and quarantine of one contract against each other. Writes nothing.

    A contract that is given by its name alone is one whose file is gone: then nothing is asked that only the contract tells.
    Raises PublicationError or LedgerDamagedError where table or ledger cannot be read.
    """
    name, stated = (contract, None) if isinstance(contract, str) else (contract.name, contract)
    store = store_of(environment)
    # The ledger before the log: a rival that records in between would have an entry without a commit.
    entries = Ledger(environment.ledger).entries(contract=name)
    log = read_log(store.path_of(name), name, {entry.partition for entry in entries})
    publications = () if log is None else log.publications
    left_out, placeable = _divided(publications, entries)
    missing = _missing(placeable, entries, at)
    sides = Sides(name, stated, log, (*entries, *missing), store)
    return Found(
        contract=name,
        table=store.path_of(name),
        versions=None if log is None else (log.first, log.newest),
        publications=len(publications),
        entries=entries,
        missing=missing,
        differences=(*map(_left_out, left_out), *find_differences(sides, at)),
    )


def complete(found: Found, ledger: Ledger) -> tuple[LedgerEntry, ...]:
    """Appends what the ledger lacks, and gives those entries as they stand there now. After a crash the next run goes on.

    Raises PublicationConflictError where somebody else wrote about the contract since it was looked at, or meanwhile: what is
    missing then, and what must stand last, is for the next run to say.
    """
    if not found.missing:
        return ()
    _refuse_changed(found, ledger, found.entries)
    written = tuple(ledger.append(entry) for entry in found.missing)
    _refuse_changed(found, ledger, (*found.entries, *written))
    return written


def _refuse_changed(found: Found, ledger: Ledger, expected: tuple[LedgerEntry, ...]) -> None:
    now = [entry.identity for entry in ledger.entries(contract=found.contract)]
    if now != list(dict.fromkeys(entry.identity for entry in expected)):
        what, hint = "somebody else wrote to the ledger while it was completed", "reconcile it again"
        raise PublicationConflictError(Problem(f"contract '{found.contract}'", what, hint))


def _divided(
    publications: tuple[Publication, ...], entries: tuple[LedgerEntry, ...]
) -> tuple[tuple[Publication, ...], tuple[Publication, ...]]:
    """The publications that the ledger lacks: those that a later one of their partition keeps out, and those that can be recorded.

    The ledger tells by its order which publication of a partition is the last one, and with it what may still replace it.
    """
    told = {(entry.submission, entry.table_version) for entry in entries if entry.event is Event.PUBLISHED}
    last = {
        publication.decided.partition: publication.version
        for publication in publications
        if (publication.decided.submission, publication.version) in told
    }
    lacking = [item for item in publications if (item.decided.submission, item.version) not in told]
    left_out = tuple(item for item in lacking if item.version < last.get(item.decided.partition, -1))
    return left_out, tuple(item for item in lacking if item not in left_out)


def _missing(
    publications: tuple[Publication, ...], entries: tuple[LedgerEntry, ...], at: datetime
) -> tuple[LedgerEntry, ...]:
    missing: list[LedgerEntry] = []
    for publication in publications:
        known = next((entry for entry in reversed(entries) if publication.is_under(entry)), None)
        if known is None:
            missing.append(publication.decided)
        missing.append(_published(publication, known or publication.decided, at))
    return (*missing, *_said_again((*entries, *missing)))


def _published(publication: Publication, decided: LedgerEntry, at: datetime) -> LedgerEntry:
    """The record as it would have been written, at the moment of the commit: age is told from it. By whose runtime is not known."""
    moment = at if publication.at is None else min(publication.at, at)
    return replace(
        decided,
        event=Event.PUBLISHED,
        at=moment,
        table_version=publication.version,
        reason=None,
        runtime={},
        sequence=0,
        identity="",
    )


def _said_again(entries: tuple[LedgerEntry, ...]) -> Iterator[LedgerEntry]:
    """The gate's own last decision about a partition where one that was rebuilt, and is older, would stand after it.

    Told from the ledger alone, so that it is made up for even where an earlier run stopped in between.
    """
    for partition in dict.fromkeys(entry.partition for entry in entries):
        own = tuple(entry for entry in entries if entry.partition == partition)
        last = latest(own, Event.DECIDED)
        known = latest(tuple(entry for entry in own if entry.reason != REBUILT), Event.DECIDED)
        if last is not None and known is not None and last.reason == REBUILT and known.at > last.at:
            yield replace(known, sequence=0, identity="")


def _left_out(publication: Publication) -> Difference:
    decided = publication.decided
    return Difference(Kind.LEFT_OUT, decided.partition, decided.submission, publication.version)
