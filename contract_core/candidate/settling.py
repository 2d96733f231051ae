"""What has landed and holds still: the deliveries that may be taken now, each with a digest that a re-delivery changes."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from contract_core.candidate.delivered_paths import MANIFEST_NAME
from contract_core.candidate.landing import found_paths, landed_partitions
from contract_core.contract.model import Contract


@dataclass(frozen=True, slots=True)
class Landed:
    """A settled delivery: its partition, and a digest over the names, sizes and times of its files."""

    partition: str | None
    digest: str


def settled_deliveries(
    contract: Contract, landing: Path, seen: Mapping[str, str], at: datetime, settle: timedelta
) -> tuple[Landed, ...]:
    """The deliveries that are new against `seen` (digest by partition) and hold still: complete by manifest, or unchanged for `settle`."""
    keys: tuple[str | None, ...] = (
        landed_partitions(contract, landing) if contract.delivery.partition is not None else (None,)
    )
    return tuple(
        landed
        for key in keys
        for landed in _settled(contract, landing, key, at - settle)
        if seen.get(key or "") != landed.digest
    )


def _settled(contract: Contract, landing: Path, key: str | None, before: datetime) -> Iterator[Landed]:
    files = sorted({file for path in found_paths(contract, landing, key) for file in _files(path)})
    stamps = []
    newest = 0.0
    for file in files:
        try:
            stat = file.stat()
        except OSError:
            return
        newest = max(newest, stat.st_mtime)
        stamps.append([file.relative_to(landing).as_posix(), stat.st_size, stat.st_mtime_ns])
    is_declared = contract.delivery.manifest != "none" and any(file.name == MANIFEST_NAME for file in files)
    if stamps and (is_declared or newest <= before.timestamp()):
        yield Landed(key, hashlib.sha256(json.dumps([contract.version, stamps]).encode()).hexdigest())


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
    else:
        yield path
        manifest = path.parent / MANIFEST_NAME
        if manifest.is_file():
            yield manifest
