"""What a producer put into landing: which files belong to a delivery, their bytes' digests, and the submission id.

Nothing is decoded here; `rows` does that.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from contract_core.contract.model import Contract
from contract_core.errors import CandidateUnreadableError, Problem

MANIFEST_NAME = "_manifest.json"
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
        named = [entry for path in paths for entry in _named_files(contract, path)]
        manifest = _manifest(contract, paths)
        if not named and manifest is None:
            raise CandidateUnreadableError(_nothing_found(contract, paths))
        _refuse_namesakes(named)
        return Delivery(partition, tuple(_digested(name, path) for name, path in sorted(named)), manifest)
    except OSError as error:
        where = f"delivery {error.filename or paths[0]}"
        raise CandidateUnreadableError(Problem(where, f"cannot be read: {error.strerror}", _DELIVER_AGAIN)) from None


_DELIVER_AGAIN = "nothing was validated or written; deliver it again"


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


def _named_files(contract: Contract, path: Path) -> Iterator[tuple[str, Path]]:
    if not path.is_dir():
        if path.name != MANIFEST_NAME:
            yield path.name, path
        return
    for folder, subfolders, names in os.walk(path, onerror=_raise):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith((".", "_")))
        for name in names:
            found = Path(folder) / name
            if not name.startswith((".", "_")) and name.lower().endswith(_suffixes(contract)) and found.is_file():
                yield found.relative_to(path).as_posix(), found


def _raise(error: OSError) -> None:
    raise error


def _manifest(contract: Contract, paths: Sequence[Path]) -> DeliveredFile | None:
    """The manifest beside the files, where the contract knows manifests at all."""
    if contract.delivery.manifest == "none":
        return None
    folders = {path if path.is_dir() else path.parent for path in paths}
    found = sorted({(folder / MANIFEST_NAME).resolve() for folder in folders if (folder / MANIFEST_NAME).is_file()})
    if len(found) > 1:
        what = f"{len(found)} manifests were delivered together"
        raise CandidateUnreadableError(
            Problem("delivery", what, "take each folder with its manifest as a delivery of its own")
        )
    return _digested(MANIFEST_NAME, found[0]) if found else None


def _refuse_unreadable(paths: Sequence[Path]) -> None:
    """Raise CandidateUnreadableError for every path that is neither a folder nor a regular file: a pipe may never end."""
    problems = [
        Problem(f"delivery {path}", "is no file" if path.exists() else "is not there", _DELIVER_AGAIN)
        for path in paths
        if not path.is_dir() and not path.is_file()
    ]
    if problems:
        raise CandidateUnreadableError(*problems)


def _nothing_found(contract: Contract, paths: Sequence[Path]) -> Problem:
    where = f"delivery {', '.join(str(path) for path in paths)}"
    suffixes = ", ".join(sorted(set(_suffixes(contract))))
    return Problem(where, f"holds no file that could be '{contract.delivery.format.type}'", f"looked for {suffixes}")


def _refuse_namesakes(named: Sequence[tuple[str, Path]]) -> None:
    names = [name for name, _ in named]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        hint = "give each file once, or the folder that holds them all"
        raise CandidateUnreadableError(
            *(Problem(f"delivery {name}", "was given more than once", hint) for name in twice)
        )
