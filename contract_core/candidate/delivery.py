"""What a producer put into landing: which files belong to a delivery, their bytes' digests, and the submission id.

Nothing is decoded here; `rows` does that.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from contract_core.candidate.delivered_paths import (
    DELIVER_AGAIN,
    MANIFEST_NAME,
    files_below,
    refuse_foreign,
    shown,
)
from contract_core.contract.model import Contract
from contract_core.errors import CandidateUnreadableError, Problem

SUFFIXES: dict[str, tuple[str, ...]] = {
    "csv": (".csv", ".tsv", ".txt"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet", ".pq"),
    "ipc": (".arrow", ".feather", ".ipc"),
    "envelope": (".json",),
}


@dataclass(frozen=True, slots=True)
class DeliveredFile:
    """One file as delivered; the name is relative to what was handed over, never a path of this machine."""

    name: str
    path: Path
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """What was delivered for one partition: files in the order of their names, and perhaps a manifest."""

    partition: str | None
    files: tuple[DeliveredFile, ...]
    manifest: DeliveredFile | None = None


def collect_delivery(contract: Contract, paths: Sequence[Path], partition: str | None) -> Delivery:
    """The files below `paths` that the contract's format could be, each with the digest of its bytes."""
    if not paths:
        raise CandidateUnreadableError(Problem("delivery", "no path was given", "name a file or a folder"))
    try:
        _refuse_unreadable(paths)
        absolute = [path.absolute() for path in paths]  # Polars looks elsewhere for a path that begins with ~ or s3:
        found = [entry for path in absolute for entry in _found(contract, path)]
        named = [(name, path) for name, path in found if path.name != MANIFEST_NAME]
        manifest = _manifest(contract, absolute, [name for name, path in found if path.name == MANIFEST_NAME])
        if not named and manifest is None:
            raise CandidateUnreadableError(_nothing_found(contract, paths))
        _refuse_namesakes(named)
        return Delivery(partition, tuple(_digested(name, path) for name, path in sorted(named)), manifest)
    except OSError as error:
        where = f"delivery {shown(Path(error.filename or paths[0]))}"
        raise CandidateUnreadableError(Problem(where, f"cannot be read: {error.strerror}", DELIVER_AGAIN)) from None


def submission_id(contract: Contract, delivery: Delivery) -> str:
    """The digest of who promises what, for which partition, and every delivered byte: equal on every machine."""
    content = {
        "contract": contract.name,
        "version": contract.version,
        "contract_digest": contract.digest,
        "partition": delivery.partition,
        "files": [[file.name, file.sha256] for file in delivery.files],
        "manifest": delivery.manifest.sha256 if delivery.manifest else None,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def refuse_changed(delivery: Delivery) -> None:
    """Raise CandidateUnreadableError where delivered bytes are no longer those that the delivery was collected with."""
    files = (*delivery.files, *([delivery.manifest] if delivery.manifest else []))
    changed = [file for file in files if not _is_unchanged(file)]
    if changed:
        hint = "nothing was validated or written; wait until the producer has finished and take it again"
        raise CandidateUnreadableError(
            *(Problem(f"delivery {file.name}", "changed while it was read", hint) for file in changed)
        )


def part_name(contract: Contract, name: str) -> str:
    """The part that a file stands for: its own name without the suffix of the format, dots inside it stay."""
    base = PurePosixPath(name).name
    known = [suffix for suffix in _suffixes(contract) if base.lower().endswith(suffix) and len(base) > len(suffix)]
    return base[: -len(known[0])] if known else base


def _is_unchanged(file: DeliveredFile) -> bool:
    try:
        return file.path.stat().st_size == file.size and digest_of(file.path) == file.sha256
    except OSError:
        return False


def _digested(name: str, path: Path) -> DeliveredFile:
    digest = digest_of(path)
    return DeliveredFile(name, path, path.stat().st_size, digest)


def _suffixes(contract: Contract) -> tuple[str, ...]:
    """Suffixes of the format, and the one that the contract's own path ends with."""
    pattern = PurePosixPath(contract.delivery.path or "").name
    own = "".join(PurePosixPath(pattern.replace("{partition}", "")).suffixes).lower()
    plain = own if own and not set(own) & set("*?[]") else ""
    return (*([plain] if plain else []), *SUFFIXES[contract.delivery.format.type])


def _found(contract: Contract, path: Path) -> Iterator[tuple[str, Path]]:
    if not path.is_dir():
        yield shown(Path(path.name)), path
        return
    for found in files_below(path, _suffixes(contract)):
        yield shown(found.relative_to(path)), found


def _manifest(contract: Contract, paths: Sequence[Path], found: Sequence[str]) -> DeliveredFile | None:
    """The manifest beside the files, where the contract knows manifests at all; `found` names those among the files."""
    if contract.delivery.manifest == "none":
        return None
    hint = "take each folder with its manifest as a delivery of its own"
    if nested := [name for name in found if name != MANIFEST_NAME]:
        what = "is a manifest inside the delivery, and would not be read"
        raise CandidateUnreadableError(*(Problem(f"delivery {name}", what, hint) for name in nested))
    manifests = {(path if path.is_dir() else path.parent) / MANIFEST_NAME for path in paths}
    there = {manifest.resolve(): manifest for manifest in manifests if os.path.lexists(manifest)}
    if len(there) > 1:
        raise CandidateUnreadableError(Problem("delivery", f"{len(there)} manifests were delivered together", hint))
    for manifest in there.values():
        if manifest not in paths:
            refuse_foreign(manifest, manifest.parent)
    return _digested(MANIFEST_NAME, *there) if there else None


def _refuse_unreadable(paths: Sequence[Path]) -> None:
    """Raise CandidateUnreadableError for every path that is neither a folder nor a regular file: a pipe may never end."""
    problems = [
        Problem(f"delivery {shown(path)}", "is no file" if path.exists() else "is not there", DELIVER_AGAIN)
        for path in paths
        if not path.is_dir() and not path.is_file()
    ]
    if problems:
        raise CandidateUnreadableError(*problems)


def _nothing_found(contract: Contract, paths: Sequence[Path]) -> Problem:
    where = f"delivery {', '.join(shown(path) for path in paths)}"
    suffixes = ", ".join(sorted(set(_suffixes(contract))))
    return Problem(where, f"holds no file that could be '{contract.delivery.format.type}'", f"looked for {suffixes}")


def _refuse_namesakes(named: Sequence[tuple[str, Path]]) -> None:
    times = Counter(name for name, _ in named)
    if twice := sorted(name for name, count in times.items() if count > 1):
        hint = "give each file once, or the folder that holds them all"
        raise CandidateUnreadableError(
            *(Problem(f"delivery {name}", "was given more than once", hint) for name in twice)
        )
