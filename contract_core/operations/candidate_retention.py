"""Which stored candidates may go: old ones that neither a publication nor an open decision needs any more.

A candidate that was never decided, that is accepted and not yet published, that the table shows, or that the last decision of
its partition is about is never removed, however old it is: publishing and judging again read it. The ledger keeps its entries.
Where a record cannot be read, nobody knows which rows it names, so that all rows stay.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.operations.cleaning import KEPT_BY_DEFAULT, LEFT_OVER_AFTER, Cleaning, Going, Kind, Why
from contract_core.publication.entry import Event, LedgerEntry, latest
from contract_core.publication.history import Fate, decisions
from contract_core.publication.markers import marker_number
from contract_core.publication.submit import store_of

_DIGEST = re.compile(r"[0-9a-f]{64}")
_SETTLED: Mapping[Fate, Why] = {Fate.REFUSED: Why.REFUSED, Fate.PUBLISHED: Why.FOLLOWED}


@dataclass(frozen=True, slots=True)
class _Stored:
    """One record of a candidate that was taken, and the file of rows that it names."""

    submission: str
    partition: str | None
    received_at: datetime
    record: Path
    rows: Path
    size: int


def plan_candidates(
    contract: Contract, environment: Environment, entries: tuple[LedgerEntry, ...], at: datetime
) -> Cleaning:
    """What may go at `at` by what the contract says of candidates; `entries` are the contract's own. Nothing is removed here."""
    folder = environment.candidates / contract.name
    stored = tuple(_stored(folder))
    goes = tuple(_unshown(contract, environment, _due(contract, stored, _settled(entries), at)))
    needed = _named(folder, {item.record for item, _ in goes})
    sizes = {item.rows: item.size for item, _ in goes if needed is not None and item.rows.stem not in needed}
    # Records first: a crash in between leaves rows that no record names.
    files = (*(item.record for item, _ in goes), *sizes)
    told = tuple(
        Going(item.submission, why, sizes.pop(item.rows, 0), item.partition, item.received_at) for item, why in goes
    )
    return Cleaning(Kind.CANDIDATES, contract.name, told, len(stored) - len(told), files)


def plan_unrecorded(contract: Contract, environment: Environment, at: datetime) -> Cleaning:
    """Files of rows that a crash left without a record."""
    folder = environment.candidates / contract.name
    found = tuple(_unrecorded(folder))
    goes = tuple(item for item in found if item.since is not None and at - item.since > LEFT_OVER_AFTER)
    files = tuple(folder / item.name for item in goes)
    return Cleaning(Kind.UNRECORDED, contract.name, goes, len(found) - len(goes), files)


def _settled(entries: tuple[LedgerEntry, ...]) -> Mapping[str, Why]:
    """The submissions of which nothing will be asked again, and why: refused, or another publication of the partition followed.

    Followed is told by the partition's last publication and not by what it replaced: where rows are appended or corrected, it
    replaced nothing, and all the same nobody reads the earlier candidate again.
    """
    found: dict[str, Why] = {}
    for partition in dict.fromkeys(entry.partition for entry in entries):
        own = tuple(entry for entry in entries if entry.partition == partition)
        needed = {entry.submission for event in (Event.DECIDED, Event.PUBLISHED) if (entry := latest(own, event))}
        found |= {
            record.submission: _SETTLED[record.outcome]
            for record in decisions(own)
            if record.outcome in _SETTLED and record.submission not in needed
        }
    return found


def _due(
    contract: Contract, stored: tuple[_Stored, ...], settled: Mapping[str, Why], at: datetime
) -> Iterator[tuple[_Stored, Why]]:
    terms = contract.publication
    general = KEPT_BY_DEFAULT if terms.keep_candidates is None else terms.keep_candidates
    refused = general if terms.keep_refused is None else terms.keep_refused
    by_age = sorted(stored, key=lambda item: (item.received_at, item.submission), reverse=True)
    newest = {item.submission for item in by_age[: terms.keep_newest]}
    for item in stored:
        why = settled.get(item.submission)
        keep = refused if why is Why.REFUSED else general
        if why is not None and item.submission not in newest and at - item.received_at > keep:
            yield item, why


def _unshown(
    contract: Contract, environment: Environment, due: Iterator[tuple[_Stored, Why]]
) -> Iterator[tuple[_Stored, Why]]:
    """Those that the published table itself does not bear the mark of, whatever the ledger says."""
    store, markers = store_of(environment), dict[str | None, int | None]()
    for item, why in due:
        if item.partition not in markers:
            shown = store.current(contract.name, item.partition)
            markers[item.partition] = None if shown is None else shown.marker
        if markers[item.partition] != marker_number(item.submission):
            yield item, why


def _unrecorded(folder: Path) -> Iterator[Going]:
    rows = _own(folder, "parquet")  # looked at before the records are, so that one which is just being recorded is none
    named = _named(folder)
    if named is None:
        return
    for path in rows:
        if path.stem not in named:
            with suppress(FileNotFoundError):
                facts = path.stat()
                moment = datetime.fromtimestamp(facts.st_mtime, UTC)
                yield Going(path.name, Why.LEFT_OVER, facts.st_size, since=moment)


def _own(folder: Path, ending: str) -> list[Path]:
    """The files that bear a digest for their name, as ours do."""
    return (
        sorted(path for path in folder.glob(f"*.{ending}") if _DIGEST.fullmatch(path.stem)) if folder.is_dir() else []
    )


def _stored(folder: Path) -> Iterator[_Stored]:
    for path in _own(folder, "json"):
        try:
            record = json.loads(path.read_bytes())
            digest, received_at = record["digest"], datetime.fromisoformat(record["received_at"])
            if record["submission"] != path.stem or not _DIGEST.fullmatch(digest) or received_at.tzinfo is None:
                continue
            rows = folder / f"{digest}.parquet"
            yield _Stored(path.stem, record["partition"], received_at, path, rows, rows.stat().st_size)
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a record that is not ours, or whose rows are gone, is left to a person


def _named(folder: Path, removed: Collection[Path] = ()) -> set[str] | None:
    """The digests of the rows that records name, the removed ones apart; None where a record cannot be read."""
    records = [path for path in _own(folder, "json") if path not in removed]
    try:
        return {str(json.loads(path.read_bytes())["digest"]) for path in records}
    except (OSError, ValueError, KeyError, TypeError):
        return None
