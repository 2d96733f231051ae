"""What is true of an environment whatever happened in it, and what consumers see; every fault and every race is held to this.

Read with the library's public parts and with Delta's own history, never with what the gate keeps to itself.
"""

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl
from deltalake import DeltaTable

import contract_core as core
from contract_core.candidate.snapshot import load_candidate
from contract_core.errors import CandidateUnreadableError
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.tables import rows_of

NOTHING, TAKEN, DECIDED, PUBLISHED, RECORDED = ORDER = (
    "nothing happened yet",
    "candidate taken",
    "decided",
    "published, not recorded",
    "recorded",
)
_COLUMNS = ("region", "day", "n")
PASSING = {verdict for verdict in core.Verdict if verdict is not core.Verdict.REFUSE}


@dataclass(frozen=True, slots=True)
class Found:
    """What an environment holds about one contract: the ledger's entries, the commits of submissions, and rows as consumers see them."""

    root: Path
    contract: str
    entries: tuple[LedgerEntry, ...]
    commits: tuple[dict[str, Any], ...]
    rows: list[tuple[Any, ...]]
    set_aside: Counter[str]

    @classmethod
    def at(cls, root: Path, contract: str = "cases") -> Self:
        places = core.Environment.at(root)
        table, quarantine = _opened(places.published / contract), _opened(places.quarantine / contract)
        return cls(
            root,
            contract,
            core.Ledger(places.ledger).entries(contract=contract),
            () if table is None else tuple(commit for commit in reversed(table.history()) if "submission" in commit),
            [] if table is None else sorted(rows_of(table).select(_COLUMNS).collect().rows()),
            Counter() if quarantine is None else Counter(rows_of(quarantine).collect()["submission"].to_list()),
        )

    @property
    def published(self) -> list[LedgerEntry]:
        return [entry for entry in self.entries if entry.event is Event.PUBLISHED]

    def rows_of(self, partition: str) -> list[tuple[Any, ...]]:
        return [row for row in self.rows if str(row[1]) == partition]

    def outcome_of(self, submission: str) -> str:
        """How far a submission came, in a word of `ORDER`."""
        mine = {entry.event for entry in self.entries if entry.submission == submission}
        if Event.PUBLISHED in mine:
            return RECORDED
        if any(commit["submission"] == submission for commit in self.commits):
            return PUBLISHED
        if Event.DECIDED in mine:
            return DECIDED
        return TAKEN if self.candidate_of(submission) is not None else NOTHING

    def candidate_of(self, submission: str) -> core.Candidate | None:
        """The candidate, verified; None where it was not taken."""
        try:
            return load_candidate(core.Environment.at(self.root).candidates, self.contract, submission)
        except CandidateUnreadableError:
            return None

    def view(self, submission: str) -> dict[str, Any]:
        """What is there to be seen, of one submission and of the table, in words of JSON."""
        return {
            "outcome": self.outcome_of(submission),
            "shown": [[region, str(day), n] for region, day, n in self.rows],
            "events": [entry.event.value for entry in self.entries if entry.submission == submission],
            "commits": len(self.commits),
            "aside": self.set_aside[submission],
        }


def assert_sound(found: Found) -> None:
    """At any instant: nothing is there twice, half, altered or without a decision. `assert_complete` is for when all is done."""
    _assert_once(found)
    _assert_allowed(found)
    _assert_whole_candidates(found)


def assert_complete(found: Found) -> None:
    """And after the last retry: each commit has its record and each record its commit, in each partition in the table's order."""
    assert_sound(found)
    recorded, committed = defaultdict(list), defaultdict(list)
    for entry in found.published:
        recorded[entry.partition].append((entry.submission, entry.table_version))
    for commit in found.commits:
        committed[commit["partition"] or None].append((commit["submission"], commit["version"]))
    assert recorded == committed, "the ledger does not tell what the table shows"
    kept_apart = {entry.submission: entry.quarantined for entry in found.published}
    assert {name: found.set_aside[name] for name in kept_apart} == kept_apart, "quarantine and publication do not agree"


def assert_shows_last(found: Found, partitions: tuple[str, ...]) -> None:
    """Each partition shows just the good rows of the candidate that was committed last; for partitions that are replaced."""
    last = {commit["partition"]: commit["submission"] for commit in found.commits}
    for partition in partitions:
        candidate = found.candidate_of(last[partition]) if partition in last else None
        assert found.rows_of(partition) == _good_rows(candidate), f"{partition} does not show its last publication"


def assert_newest_last(found: Found) -> None:
    """No commit shows a delivery that was received before the one that its partition showed already."""
    received = {entry.submission: entry.received_at for entry in found.entries}
    for partition in {commit["partition"] for commit in found.commits}:
        moments = [received[commit["submission"]] for commit in found.commits if commit["partition"] == partition]
        assert moments == sorted(moments), f"an older delivery replaced a newer one in {partition}"


def _good_rows(candidate: core.Candidate | None) -> list[tuple[Any, ...]]:
    if candidate is None:
        return []
    return sorted(pl.read_parquet(candidate.path, glob=False).filter(pl.col("n") >= 0).select(_COLUMNS).rows())


def _opened(folder: Path) -> DeltaTable | None:
    return DeltaTable(folder) if DeltaTable.is_deltatable(str(folder)) else None


def _assert_once(found: Found) -> None:
    recorded = Counter(entry.submission for entry in found.published)
    committed = Counter(commit["submission"] for commit in found.commits)
    assert [name for name, times in recorded.items() if times > 1] == [], "recorded as published twice"
    assert [name for name, times in committed.items() if times > 1] == [], "committed twice"
    assert set(recorded) <= set(committed), "recorded as published, and no commit is there"
    order = [entry.sequence for entry in found.entries]
    assert order == sorted(set(order)), "two entries have one place"
    assert len({entry.identity for entry in found.entries}) == len(found.entries), "an entry stands there twice"


def _assert_allowed(found: Found) -> None:
    """Every commit has a passing decision in the ledger on just its candidate, contract and report, taken before its record."""
    for commit in found.commits:
        stated = tuple(commit[name] for name in _STATED)
        allowing = [
            entry.sequence
            for entry in found.entries
            if entry.event is Event.DECIDED and entry.verdict in PASSING and _stated(entry) == stated
        ]
        assert allowing, f"no decision allows the commit of version {commit['version']}"
        recorded = [entry.sequence for entry in found.published if entry.submission == commit["submission"]]
        assert all(sequence > allowing[0] for sequence in recorded), "recorded before it was decided"


_STATED = (
    "submission",
    "contract_version",
    "contract_digest",
    "candidate_digest",
    "report_digest",
    "decision",
    "partition",
)


def _stated(entry: LedgerEntry) -> tuple[str, ...]:
    about = (entry.submission, entry.version, entry.contract_digest, entry.candidate_digest, entry.report_digest)
    return (*about, entry.verdict.value, entry.partition or "")


def _assert_whole_candidates(found: Found) -> None:
    folder = core.Environment.at(found.root).candidates / found.contract
    for path in folder.glob(f"{'[0-9a-f]' * 64}.parquet"):
        assert hashlib.sha256(path.read_bytes()).hexdigest() == path.stem, "a final name holds half a candidate"
    for path in folder.glob(f"{'[0-9a-f]' * 64}.json"):
        assert json.loads(path.read_bytes())["submission"] == path.stem
    for submission in {entry.submission for entry in found.entries}:
        assert found.candidate_of(submission) is not None, "a candidate was decided and is gone"
