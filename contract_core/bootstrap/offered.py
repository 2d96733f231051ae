"""What is offered to infer a contract from: which files, and in which format. Bytes decide before names do."""

import os
from collections.abc import Sequence
from pathlib import Path

from contract_core.candidate.arrow_footer import ARROW_MAGIC
from contract_core.candidate.columnar import PARQUET_MAGIC
from contract_core.candidate.delivered_paths import DELIVER_AGAIN, MANIFEST_NAME, files_below, is_unicode, shown
from contract_core.candidate.delivery import SUFFIXES, DeliveredFile, digest_of
from contract_core.errors import CandidateUnreadableError, Problem, WrongUsageError

_MAGICS = {PARQUET_MAGIC: "parquet", ARROW_MAGIC: "ipc"}
_COMPRESSED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2"}
_EVERY = tuple(dict.fromkeys(suffix for suffixes in SUFFIXES.values() for suffix in suffixes))


def offered_files(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The files at these paths that a delivery could consist of, in order. Raises CandidateUnreadableError where there are none."""
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise CandidateUnreadableError(
            *(Problem(f"delivery {shown(path)}", "is not there", DELIVER_AGAIN) for path in missing)
        )
    try:
        found = [file for path in paths for file in (sorted(files_below(path, _EVERY)) if path.is_dir() else (path,))]
    except OSError as error:
        where = f"delivery {shown(Path(error.filename or paths[0]))}"
        raise CandidateUnreadableError(Problem(where, f"cannot be read: {error.strerror}", DELIVER_AGAIN)) from None
    different = {file.resolve(): file for file in found if file.name != MANIFEST_NAME}
    files = tuple(different.values())
    if not files:
        where = f"delivery {', '.join(map(shown, paths))}"
        raise CandidateUnreadableError(Problem(where, "holds no file", f"looked for {', '.join(sorted(_EVERY))}"))
    if foreign := [file for file in files if not is_unicode(file.absolute())]:
        what = "stands under a path that is not UTF-8"
        raise CandidateUnreadableError(*(Problem(f"delivery {shown(file)}", what, DELIVER_AGAIN) for file in foreign))
    return files


def named_files(files: Sequence[Path]) -> tuple[DeliveredFile, ...]:
    """The files with the digest of their bytes, named by their paths below the folder that they share."""
    places = [file.absolute() for file in files]
    shared = Path(os.path.commonpath([place.parent for place in places]))
    return tuple(
        sorted(
            (
                DeliveredFile(shown(place.relative_to(shared)), place, place.stat().st_size, digest_of(place))
                for place in places
            ),
            key=lambda file: file.name,
        )
    )


def format_of(files: Sequence[Path]) -> str:
    """The one format that all files have. Raises WrongUsageError for several, CandidateUnreadableError for none that is read."""
    formats = {_format(file): file for file in reversed(files)}
    if len(formats) > 1:
        what = f"the files are of several formats: {', '.join(sorted(formats))}"
        raise WrongUsageError(Problem("delivery", what, "name the files of one of them"))
    return next(iter(formats))


def _format(file: Path) -> str:
    if not file.is_file():
        raise CandidateUnreadableError(Problem(f"delivery {shown(file)}", "is no file", DELIVER_AGAIN))
    try:
        with file.open("rb") as stream:
            start = stream.read(4096)
    except OSError as error:
        raise CandidateUnreadableError(
            Problem(f"delivery {shown(file)}", f"cannot be read: {error.strerror}", DELIVER_AGAIN)
        ) from None
    if not start:
        raise CandidateUnreadableError(
            Problem(f"delivery {shown(file)}", "is empty: 0 bytes", "infer from a delivery with rows")
        )
    known = next((kind for magic, kind in _MAGICS.items() if start.startswith(magic)), None)
    packed = next((kind for magic, kind in _COMPRESSED.items() if start.startswith(magic)), None)
    if packed is not None:
        raise CandidateUnreadableError(
            Problem(f"delivery {shown(file)}", f"is packed with {packed}", "unpack it first")
        )
    return known or _text_format(file, start)


def _text_format(file: Path, start: bytes) -> str:
    suffix = file.suffix.lower()
    for kind in ("parquet", "ipc"):
        if suffix in SUFFIXES[kind]:
            return kind
    if suffix == ".json" and b'"partitions"' in start and b'"contract"' in start:
        hint = "write the contract by hand: delivery: {format: {type: envelope}} and the parts that it requires"
        raise CandidateUnreadableError(
            Problem(f"delivery {shown(file)}", "is an envelope, which names its contract itself", hint)
        )
    is_json = suffix in SUFFIXES["jsonl"] or (suffix not in SUFFIXES["csv"] and start.lstrip().startswith(b"{"))
    return "jsonl" if is_json else "csv"
