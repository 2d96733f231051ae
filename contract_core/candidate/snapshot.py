"""A delivery → one immutable Parquet file under its own digest, which is all that validation and publication ever read.

Everything is written below a temporary name first: a final name either holds a whole candidate or does not exist.
"""

import errno
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.candidate.columns import column
from contract_core.candidate.delivered_paths import is_unicode, shown
from contract_core.candidate.delivery import Delivery, digest_of, refuse_changed, submission_id
from contract_core.candidate.facts import METADATA_KEY, Facts
from contract_core.candidate.file_rows import FileRows
from contract_core.candidate.read_ahead import read_little_ahead
from contract_core.candidate.rows import DeliveredRows, brought_together, read_files
from contract_core.candidate.sealing import is_taken, recorded, sealed
from contract_core.candidate.spool import attempt_folder
from contract_core.contract.model import Contract
from contract_core.errors import CandidateAlteredError, CandidateUnreadableError, Problem

SUBMISSION_KEY = "contract-gate-submission"
_ROW_GROUP, _GROUP_BYTES = 250_000, 256 * 1024 * 1024
_LEVEL = 1
"""Of zstd: a tenth more bytes than by its own default, written in two thirds of the time and read in less."""
_LENGTHS: Mapping[type[pl.DataType], Callable[[pl.Expr], pl.Expr]] = {
    pl.String: lambda values: values.str.len_bytes(),
    pl.Binary: lambda values: values.bin.size(),
}
_UNREADABLE_REASONS = {"parquet": "the Parquet data is damaged", "ipc": "the Arrow data is damaged"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A delivery that was taken: where its rows are, the digest they were taken with, and the facts about it."""

    path: Path
    digest: str
    submission: str
    contract: str
    version: str
    partition: str | None
    rows: int
    facts: Facts

    def scanned(self) -> pl.LazyFrame:
        """Its rows, lazily; from now on Polars reads little ahead in this process, whoever took the candidate."""
        read_little_ahead()
        return pl.scan_parquet(self.path.absolute(), glob=False, hive_partitioning=False)


def take_candidate(contract: Contract, delivery: Delivery, root: Path, received_at: datetime) -> Candidate:
    """The candidate of this delivery. The same submission again gives the stored one, verified, and writes nothing."""
    submission = submission_id(contract, delivery)
    place = _place(root)
    folder = place / contract.name
    if is_taken(folder, submission):
        return load_candidate(root, contract.name, submission)
    with _told_as_ours(root / contract.name):
        _private(folder)
        with attempt_folder(place) as attempt:
            taken = attempt / "candidate.parquet"
            facts = _written(contract, delivery, attempt, taken)
            refuse_changed(delivery)
            record = _record(contract, delivery, submission, facts, digest_of(taken)) | {
                "received_at": received_at.isoformat()
            }
            final = folder / f"{record['digest']}.parquet"
            sealed(taken, final)
            if recorded(record, attempt / "record.json", folder / f"{submission}.json"):
                return _candidate(final, record, facts)
    return load_candidate(root, contract.name, submission)


def load_candidate(root: Path, contract_name: str, submission: str) -> Candidate:
    """The candidate of a submission, its bytes held against the digest they were taken with."""
    where = f"candidate {contract_name}/{submission}"
    folder = _place(root) / contract_name
    with _told_as_ours(root / contract_name):
        try:
            record = json.loads((folder / f"{submission}.json").read_bytes())
            path = folder / f"{record['digest']}.parquet"
            _refuse_altered(path, record["digest"], where)
            facts = Facts.from_json(pl.read_parquet_metadata(path)[METADATA_KEY])
            return _candidate(path, record, facts)
        except FileNotFoundError:
            raise CandidateUnreadableError(Problem(where, "is not stored here", "take the delivery again")) from None
        except (ValueError, KeyError, TypeError, pl.exceptions.PolarsError):
            raise CandidateAlteredError(
                Problem(where, "has a record that was not written by us", _TAKE_AGAIN)
            ) from None


def verify(candidate: Candidate) -> None:
    """Raise CandidateAlteredError where the candidate's bytes are no longer those that were taken."""
    where = f"candidate {candidate.contract}/{candidate.submission}"
    with _told_as_ours(candidate.path.parent):
        try:
            _refuse_altered(candidate.path, candidate.digest, where)
        except FileNotFoundError:
            raise CandidateAlteredError(Problem(where, "is gone", _TAKE_AGAIN)) from None


_TAKE_AGAIN = "nothing was published; remove it and take the delivery again"


def _candidate(path: Path, record: dict[str, Any], facts: Facts) -> Candidate:
    names = ("digest", "submission", "contract", "version", "partition", "rows")
    return Candidate(path, **{name: record[name] for name in names}, facts=facts)


def _written(contract: Contract, delivery: Delivery, attempt: Path, target: Path) -> Facts:
    """Read and write in one pass; files that fail in it are read again with care or given up, once."""
    read_little_ahead()
    careful: dict[str, str] = {}
    for _ in range(2):
        spool = attempt / f"spool-{len(careful)}"
        files = read_files(contract, delivery, spool, careful)
        try:
            delivered = brought_together(contract, delivery, files, spool)
            _sink(contract, delivery, delivered, target, max((item.widest for item in files), default=0))
            if _rows_of(target) == delivered.facts.rows:
                return delivered.facts
            careful = _doubtful(files)
        except READ_FAILURES as failure:
            _refuse_full_disk(failure)
            careful = _failing(files, contract)
        if not careful:
            break
    refuse_changed(delivery)
    raise CandidateUnreadableError(
        Problem(f"candidate {contract.name}", "cannot be written", "nothing was written")
    ) from None


def _rows_of(candidate: Path) -> int:
    return int(pl.scan_parquet(candidate, glob=False).select(pl.len()).collect(engine="streaming").item())


def _group_rows(delivered: DeliveredRows, widest: int) -> int:
    """How many rows are held in memory at once: fewer where they are wide. A small Parquet file can hold very long texts."""
    facts = delivered.facts
    width = max((widest, *(file.size // file.rows for file in facts.files if file.rows)))
    if facts.format in _UNREADABLE_REASONS:
        types = delivered.frame.collect_schema()
        lengths = [
            _LENGTHS[type(dtype)](column(name)).max() for name, dtype in types.items() if type(dtype) in _LENGTHS
        ]
        if lengths:
            longest = delivered.frame.select(lengths).collect(engine="streaming").row(0)
            width = max(width, sum(length or 0 for length in longest))
    return max(1, min(_ROW_GROUP, _GROUP_BYTES // max(1, width)))


def _sink(contract: Contract, delivery: Delivery, delivered: DeliveredRows, target: Path, widest: int) -> None:
    submission = _record(contract, delivery, submission_id(contract, delivery), delivered.facts, None)
    delivered.frame.sink_parquet(
        target,
        engine="streaming",
        maintain_order=True,
        row_group_size=_group_rows(delivered, widest),
        compression="zstd",
        compression_level=_LEVEL,
        metadata={METADATA_KEY: delivered.facts.to_json(), SUBMISSION_KEY: json.dumps(submission, sort_keys=True)},
    )


def _failing(files: tuple[FileRows, ...], contract: Contract) -> dict[str, str]:
    """The files whose rows cannot be read to their end, with the reason where there is no other way to read them."""
    reason = _UNREADABLE_REASONS.get(contract.delivery.format.type, "cannot be read")
    return {item.facts.name: reason for item in files if item.frame is not None and not _is_readable(item.frame)}


def _doubtful(files: tuple[FileRows, ...]) -> dict[str, str]:
    return {
        item.facts.name: "does not give the rows it was counted to have" for item in files if item.frame is not None
    }


def _is_readable(frame: pl.LazyFrame) -> bool:
    try:
        frame.sink_batches(_forget, engine="streaming")
    except READ_FAILURES:
        return False
    return True


def _forget(_: pl.DataFrame) -> None:
    """Read only to see that it can be read."""


def _record(
    contract: Contract, delivery: Delivery, submission: str, facts: Facts, digest: str | None
) -> dict[str, Any]:
    return {
        "submission": submission,
        "digest": digest,
        "contract": contract.name,
        "version": contract.version,
        "partition": delivery.partition,
        "rows": facts.rows,
    }


def _place(root: Path) -> Path:
    """The root from the top of the file system: Polars looks elsewhere for a path that begins with ~ or s3:."""
    if not is_unicode(root.absolute()):
        problem = Problem(f"candidates {shown(root)}", "lie below a path that is not UTF-8", "choose another root")
        raise CandidateUnreadableError(problem)
    return root.absolute()


def _private(folder: Path) -> None:
    """The folder of a contract's candidates, and the one above it, made so that nobody else may enter; what is there stays."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _refuse_altered(path: Path, digest: str, where: str) -> None:
    if digest_of(path) != digest:
        raise CandidateAlteredError(Problem(where, "has other bytes than those that were taken", _TAKE_AGAIN))


def _refuse_full_disk(failure: BaseException) -> None:
    """An error of the place that we write to is none of the delivery's, so no file is given up for it."""
    if _system_error(failure) in _WRITE_ERRORS:
        raise failure


def _system_error(failure: BaseException) -> int | None:
    """The operating system's number of an error, which Polars 2.1 only writes into its text."""
    if isinstance(failure, OSError) and failure.errno:
        return failure.errno
    found = re.search(r"\(os error ([0-9]{1,4})\)", str(failure))
    return int(found[1]) if found else None


_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextmanager
def _told_as_ours(folder: Path) -> Iterator[None]:
    """An error of the operating system in our words, and no text of a library's, which could carry values."""
    try:
        yield
    except READ_FAILURES as failure:
        number = _system_error(failure)
        reason = os.strerror(number) if number else "input or output failed"
        hint = "nothing was kept under a final name; repair it and take the delivery again"
        where = f"candidates {folder}"
        raise CandidateUnreadableError(Problem(where, f"cannot be written or read: {reason}", hint)) from None
