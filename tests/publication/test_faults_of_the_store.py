"""A store that is full, read-only or holds half-written files, and writers who do not know us: nothing lost, nothing twice.

Each publication either happens or says in our words why not, and is done when it is tried again on a sound store.
"""

import ctypes
import errno
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

import contract_core as core
from tests.publication.attempts import CASES, FIRST, SECOND, Delivered, answered, attempt
from tests.publication.faults import AFTER, BEFORE, Effects
from tests.publication.forks import Ended, Forks, forks
from tests.publication.invariants import Found, assert_complete, assert_sound

ONE = Delivered(FIRST, {"BE": 3, "NL": 12})
BETTER = Delivered(FIRST, {"BE": 3, "DE": 1, "NL": 14}, minute=10)
LARGE = Delivered(FIRST, {f"region {number}": number * 7919 % 10007 for number in range(4000)}, minute=10)
STARTS = {"first publication": ((), ONE), "correction": ((ONE,), BETTER)}
FULL, READ_ONLY, FORBIDDEN = errno.ENOSPC, errno.EROFS, errno.EACCES


@pytest.fixture(scope="module")
def servers() -> Iterator[Forks]:
    with forks() as started:
        yield started


def shown(root: Path) -> dict[str, int]:
    return {region: n for region, _, n in Found.at(root).rows}


def begun(root: Path, *earlier: Delivered) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    assert [answered(root, CASES, delivered)["ended"] for delivered in earlier] == ["published"] * len(earlier)
    return root


def assert_ours(answer: dict[str, Any], *endings: str) -> None:
    """An error in our words, without a word of a library's."""
    assert answer["is_ours"], answer
    assert answer["ended"] in endings
    assert "secret-value" not in answer["text"]


def assert_ends_well(root: Path, delivered: Delivered, runs: int = 2) -> None:
    """On a sound store the next run ends it: published once and recorded once, whatever was recorded as failed before."""
    for _ in range(runs):
        assert answered(root, CASES, delivered)["ended"] == "published"
        found = Found.at(root)
        assert_complete(found)
        assert shown(root) == delivered.numbers


SAID = ("published", "CandidateUnreadableError", "LedgerDamagedError", "PublicationError")


def refused_at(root: str, base: str, delivered: dict[str, Any], fault: dict[str, Any]) -> dict[str, Any]:
    """In a process of its own: one attempt with a fault, what consumers see then, and the next run on a sound store."""
    place, offered = Path(shutil.copytree(base, root)), Delivered(**delivered)
    before = shown(place)
    answer = attempt(root, CASES, delivered, fault)
    assert_ours(answer, *SAID)
    found = Found.at(place)
    assert_sound(found)
    is_published = any(commit["submission"] == answer.get("submission") for commit in found.commits)
    assert shown(place) in ((offered.numbers,) if is_published else (before, offered.numbers))
    assert_ends_well(place, offered, runs=1)
    shutil.rmtree(place)
    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "number", "is_lasting"),
    [
        pytest.param("first publication", FULL, True, id="full from there on, first publication"),
        pytest.param("correction", FULL, False, id="full for a moment, correction"),
        pytest.param("correction", READ_ONLY, True, id="read-only from there on, correction"),
        pytest.param("first publication", FORBIDDEN, False, id="forbidden for a moment, first publication"),
    ],
)
def test_a_store_that_refuses_any_one_effect_loses_nothing(servers, tmp_path, start, number, is_lasting):
    """S1-066, S1-086, S1-093: the system refuses each effect in turn, before it and half way through it."""
    earlier, delivered = STARTS[start]
    base = begun(tmp_path / "base", *earlier)
    whole = Path(shutil.copytree(base, tmp_path / "whole"))
    found = servers.call(attempt, root=str(whole), contract=CASES, delivered=asdict(delivered)).answer["effects"]
    faults = [
        {"number": place, "moment": moment, "errno": number, "is_lasting": is_lasting}
        for place, (_, moments) in enumerate(found, 1)
        for moment in moments
        if moment != AFTER
    ]

    def refused(fault: dict[str, Any]) -> Ended:
        root = str(tmp_path / f"{fault['number']}-{fault['moment']}")
        return servers.call(refused_at, root=root, base=str(base), delivered=asdict(delivered), fault=fault)

    endings = zip(faults, servers.each(refused, faults), strict=True)
    assert [(found[fault["number"] - 1], fault, ended.answer) for fault, ended in endings if ended.code != 0] == []


def on_a_small_disk(root: str, delivered: dict[str, Any], size: int) -> dict[str, Any]:
    """As a disk that is full after so many bytes of a file: the libraries themselves leave half of it."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    return attempt(root, CASES, delivered)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("size", [0, 100, 700, 2000, 3000, 4095, 4096, 6000, 12000, 20000, 40000])
def test_a_file_that_the_disk_takes_half_of_is_no_publication(servers, tmp_path, start, size):
    """S1-066, S1-086"""
    root = begun(tmp_path, *STARTS[start][0])
    before = shown(root)
    LARGE.landed(root / "landing")
    answer = servers.call(on_a_small_disk, root=str(root), delivered=asdict(LARGE), size=size).answer
    assert_ours(answer, *SAID)
    assert_sound(Found.at(root))
    assert shown(root) == (LARGE.numbers if answer["ended"] == "published" else before)
    assert_ends_well(root, LARGE)


def without_privileges(root: str, delivered: dict[str, Any]) -> dict[str, Any]:
    """As a user for whom the rights on folders count, also where the tests are run by root."""
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None, use_errno=True).capset(header, nothing) == 0
    return attempt(root, CASES, delivered)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    ("folder", "ending"),
    [
        pytest.param(".", None, id="the root"),
        pytest.param("candidates", "CandidateUnreadableError", id="candidates"),
        pytest.param("candidates/cases", "CandidateUnreadableError", id="candidates of the contract"),
        pytest.param("ledger", "LedgerDamagedError", id="ledger"),
        pytest.param("ledger/_delta_log", "LedgerDamagedError", id="log of the ledger"),
        pytest.param("published", None, id="published"),
        pytest.param("published/cases", "PublicationError", id="published table"),
        pytest.param("published/cases/_delta_log", "PublicationError", id="log of the published table"),
        pytest.param("published/cases/day=2026-10-01", "PublicationError", id="folder of the partition"),
    ],
)
def test_a_folder_without_rights_is_told_and_nothing_is_lost(servers, tmp_path, start, folder, ending):
    """S1-086: rights that are missing stop a publication where they are needed, and no earlier state is touched."""
    earlier, delivered = STARTS[start]
    root = begun(tmp_path / "root", *earlier)
    before = shown(root)
    delivered.landed(root / "landing")
    place = root / folder
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o555)
    answer = servers.call(without_privileges, root=str(root), delivered=asdict(delivered)).answer
    place.chmod(0o755)
    assert_ours(answer, *(SAID if ending is None else (ending, "published")))
    assert_sound(Found.at(root))
    assert shown(root) == (delivered.numbers if answer["ended"] == "published" else before)
    assert_ends_well(root, delivered)


HALF = b"PAR1\x15\x04half"
LEFTOVERS = {
    "a candidate of a killed attempt": ("candidates/.attempts/take-deadbeef/candidate.parquet", HALF),
    "a record of a killed attempt": ("candidates/.attempts/take-deadbeef/record.json", b'{"half'),
    "a stranger beside the candidates": ("candidates/cases/.tmp-candidate.parquet", HALF),
    "an orphan in the table's folder": ("published/cases/part-00000-dead.parquet", HALF),
    "an orphan in the partition's folder": ("published/cases/day=2026-10-01/part-00000-dead.parquet", HALF),
    "an orphan in the ledger": ("ledger/contract=cases/part-00000-dead.parquet", HALF),
    "a commit of the table under its temporary name": ("published/cases/_delta_log/_commit_dead.json.tmp", b'{"half'),
    "a commit of the ledger under its temporary name": ("ledger/_delta_log/_commit_dead.json.tmp", b'{"half'),
    "a commit that was not linked": ("published/cases/_delta_log/00000000000000000001.json.tmp", b'{"half'),
    "a checkpoint under its temporary name": (
        "published/cases/_delta_log/00000000000000000000.checkpoint.parquet.tmp",
        HALF,
    ),
    "a file of the system's": ("published/cases/.nfs0001", b""),
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("name", "content"), LEFTOVERS.values(), ids=LEFTOVERS)
def test_a_half_written_file_is_never_taken_for_a_whole_one(tmp_path, start, name, content):
    """S1-066, S1-086: what a dead writer left behind is ignored, or told and left as it is."""
    earlier, delivered = STARTS[start]
    root = begun(tmp_path, *earlier)
    before = shown(root)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(content)
    answer = answered(root, CASES, delivered)
    assert_ours(answer, *SAID)
    if answer["ended"] != "published":
        (root / name).unlink()
        assert shown(root) == before
    assert_ends_well(root, delivered)


@pytest.mark.parametrize(
    ("folder", "ending"),
    [("published/cases", "PublicationError"), ("ledger", "LedgerDamagedError")],
    ids=["the published table", "the ledger"],
)
def test_a_commit_that_the_file_system_kept_half_of_stops_everything(tmp_path, folder, ending):
    """S1-086: nothing is written beside a newest commit that cannot be read; with it taken away all is as it was."""
    root = begun(tmp_path, ONE)
    log = root / folder / "_delta_log"
    damaged = log / f"{len(list(log.glob('*.json'))):020d}.json"
    damaged.write_bytes(b'{"commitInfo":{"half')
    answer = answered(root, CASES, BETTER)
    assert_ours(answer, ending)
    damaged.unlink()
    assert shown(root) == ONE.numbers
    assert_ends_well(root, BETTER)


def taken_only(root: Path) -> core.Candidate:
    contract = core.parse_contract(CASES, "cases.yaml")
    places = core.Environment.at(root)
    delivery = core.collect_delivery(contract, [BETTER.landed(places.landing)], BETTER.partition)
    return core.take_candidate(contract, delivery, places.candidates, received_at=BETTER.at)


@pytest.mark.parametrize("content", [b"", b'{"digest": "', b"{}", b"[]"], ids=["empty", "half", "no fields", "a list"])
def test_a_half_written_record_of_a_candidate_is_told_and_never_believed(tmp_path, content):
    """S1-086"""
    root = begun(tmp_path, ONE)
    candidate = taken_only(root)
    record = candidate.path.with_name(f"{candidate.submission}.json")
    record.chmod(0o644)
    record.write_bytes(content)
    answer = answered(root, CASES, BETTER)
    assert_ours(answer, "CandidateAlteredError", "published")
    if answer["ended"] != "published":
        assert shown(root) == ONE.numbers
        record.unlink()
    assert_ends_well(root, BETTER)


@pytest.mark.parametrize("has_record", [True, False], ids=["with its record", "without a record"])
def test_a_candidate_that_the_file_system_kept_half_of_is_never_published(tmp_path, has_record):
    """S1-086"""
    root = begun(tmp_path, ONE)
    candidate = taken_only(root)
    os.truncate(candidate.path, candidate.path.stat().st_size // 2)
    record = candidate.path.with_name(f"{candidate.submission}.json")
    if not has_record:
        record.unlink()
    answer = answered(root, CASES, BETTER)
    assert_ours(answer, "CandidateAlteredError" if has_record else "published")
    assert shown(root) == (ONE if has_record else BETTER).numbers
    if has_record:
        record.unlink()
        candidate.path.unlink()
    assert_ends_well(root, BETTER)


def foreign(day: str, n: int = 99) -> pl.DataFrame:
    frame = pl.DataFrame({"region": ["XX"], "day": [day], "n": [n]}, schema_overrides={"n": pl.Int64})
    return frame.with_columns(pl.col("day").str.to_date())


def appended(table: Path) -> None:
    write_deltalake(table, foreign(SECOND), mode="append")


def appended_to_ours(table: Path) -> None:
    write_deltalake(table, foreign(FIRST), mode="append")


def overwritten(table: Path) -> None:
    write_deltalake(table, foreign(SECOND), mode="overwrite")


def compacted(table: Path) -> None:
    DeltaTable(table).optimize.compact()


def told_otherwise(table: Path) -> None:
    DeltaTable(table).alter.set_table_properties({"delta.logRetentionDuration": "interval 60 days"})


def constrained(table: Path) -> None:
    DeltaTable(table).alter.add_constraint({"few": "n < 13"})


def widened(table: Path) -> None:
    frame = foreign(SECOND).with_columns(note=pl.lit("x"))
    write_deltalake(table, frame, mode="append", schema_mode="merge")


def emptied(table: Path) -> None:
    DeltaTable(table).delete()


XX = {"XX": 99}
FOREIGN: dict[str, tuple[Callable[[Path], None], dict[str, int], str]] = {
    "rows in another partition": (appended, BETTER.numbers | XX, "published"),
    "rows in our partition": (appended_to_ours, BETTER.numbers, "published"),
    "an overwrite of all": (overwritten, BETTER.numbers | XX, "published"),
    "a compaction": (compacted, BETTER.numbers, "published"),
    "a property": (told_otherwise, BETTER.numbers, "published"),
    "a constraint": (constrained, ONE.numbers, "PublicationError"),
    "a column": (widened, ONE.numbers | XX, "PublicationError"),
    "a deletion": (emptied, BETTER.numbers, "published"),
}


def between(root: Path, place: str, moment: str, deed: Callable[[], None]) -> dict[str, Any]:
    """The whole path, with a deed of somebody else right at the first effect of this name."""
    todo = [deed]

    def strike(_: int, when: str, effect: Any) -> None:
        if todo and when == moment and effect.name == place:
            todo.pop()()

    effects = Effects(root, strike)
    with effects.watched():
        answer = answered(root, CASES, BETTER)
    assert not todo, f"'{place}' is none of {[effect.name for effect in effects.found]}"
    return answer


@pytest.mark.parametrize("moment", [BEFORE, AFTER])
@pytest.mark.parametrize(("deed", "rows", "ending"), FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_commit_between_our_read_and_our_commit_loses_nothing(tmp_path, deed, rows, ending, moment):
    """S1-069: somebody who knows nothing of the gate writes just before our commit, or just after it."""
    root = begun(tmp_path, ONE)
    table = root / "published" / "cases"
    answer = between(root, "published/cases: overwrite", moment, lambda: deed(table))
    if moment == BEFORE:
        assert_ours(answer, ending)
        assert shown(root) == rows
    else:
        assert_ours(answer, "published")
    assert_sound(Found.at(root))
    assert answered(root, CASES, BETTER)["is_ours"]
    assert_sound(Found.at(root))


@pytest.mark.parametrize("event", ["decided", "published"])
@pytest.mark.parametrize("deed", [compacted, told_otherwise], ids=["a compaction", "a property"])
def test_a_foreign_commit_in_the_ledger_costs_no_entry(tmp_path, deed, event):
    """S1-093"""
    root = begun(tmp_path, ONE)
    answer = between(root, f"ledger: append {event}", BEFORE, lambda: deed(root / "ledger"))
    assert_ours(answer, "published")
    assert_complete(Found.at(root))
    assert [entry.event.value for entry in Found.at(root).entries] == ["decided", "published"] * 2


def test_a_table_that_somebody_else_creates_first_is_never_written_over(tmp_path):
    """S1-069, S1-086"""
    root, table = begun(tmp_path), tmp_path / "published" / "cases"
    answer = between(root, "probe published/cases", AFTER, lambda: write_deltalake(table, foreign(SECOND)))
    assert_ours(answer, "published", "PublicationError", "PublicationConflictError")
    assert [region for region, *_ in Found.at(root).rows][-1:] == ["XX"]
    assert_sound(Found.at(root))
