"""Which files a stored candidate was made of, as its own facts say, without reading its rows or holding its bytes against its digest."""

from pathlib import Path

import polars as pl

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.candidate.facts import METADATA_KEY, Facts, FileFacts
from contract_core.publication.entry import LedgerEntry

_UNKNOWN: tuple[type[BaseException], ...] = (*READ_FAILURES, ValueError, KeyError, TypeError)


def files_of(entry: LedgerEntry, candidates: Path) -> tuple[FileFacts, ...] | None:
    """The delivered files of a decided candidate; None where it was cleaned away, or does not say."""
    path = candidates / entry.contract / f"{entry.candidate_digest}.parquet"
    try:
        return Facts.from_json(pl.read_parquet_metadata(path)[METADATA_KEY]).files
    except _UNKNOWN:
        return None
