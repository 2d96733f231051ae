"""What the tests of this folder share: small contracts, deliveries written on the spot, and the candidate taken of them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.contract.model import Contract

RECEIVED = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)


def contract_of(fields: dict[str, str], *, form: dict[str, Any] | None = None, **terms: Any) -> Contract:
    """A contract with nullable fields of these types; everything else as the caller says."""
    delivery = {"format": form or {}, **terms.pop("delivery", {})}
    described = [{"name": name, "type": kind, "nullable": True} for name, kind in fields.items()]
    return Contract.model_validate(
        {"contract": "cases", "version": "1.0.0", "fields": described, "delivery": delivery, **terms}
    )


def written(folder: Path, files: dict[str, bytes | str]) -> Path:
    """A landing folder that holds these files."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    folder.mkdir(exist_ok=True)
    return folder


def taken(contract: Contract, folder: Path, files: dict[str, bytes | str], partition: str | None = None) -> Candidate:
    """The candidate of a delivery of these files."""
    landing = written(folder / "landing", files)
    return take_candidate(contract, collect_delivery(contract, [landing], partition), folder / "candidates", RECEIVED)


def rows(candidate: Candidate) -> pl.DataFrame:
    return pl.read_parquet(candidate.path)


def reason(candidate: Candidate) -> str | None:
    """Why the one delivered file is unreadable."""
    (file,) = candidate.facts.files
    return file.unreadable
