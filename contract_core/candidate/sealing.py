"""A candidate and its record → their final names, read-only and on disk for good: there they are whole or not at all."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any


def sealed(taken: Path, final: Path) -> None:
    """The file under its final name, read-only, on disk for good; the name is its content, so a rival writes the same."""
    taken.chmod(0o444)
    _flushed(taken)
    taken.replace(final)
    _flushed(final.parent)


def recorded(record: dict[str, Any], draft: Path, final: Path) -> bool:
    """The record beside it, and whether it is this one. Of two rivals the first one's stands; one whose file was cleaned away is
    replaced.
    """
    draft.write_text(json.dumps(record, sort_keys=True, indent=1) + "\n", encoding="utf-8")
    draft.chmod(0o444)
    _flushed(draft)
    if is_taken(final.parent, record["submission"]):
        return False
    with suppress(FileNotFoundError):
        final.unlink()
    try:
        os.link(draft, final)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        draft.replace(final)
    _flushed(final.parent)
    return True


def is_taken(folder: Path, submission: str) -> bool:
    """True where a record and the file that it names are both there; a candidate that was cleaned away is taken anew."""
    try:
        record = json.loads((folder / f"{submission}.json").read_bytes())
        return not isinstance(record, dict) or (folder / f"{record.get('digest')}.parquet").exists()
    except OSError:
        return False
    except ValueError:
        return True


def _flushed(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
