"""Which paths are what a producer put there: files and no links elsewhere; and how a path is shown."""

import os
from collections.abc import Iterator
from pathlib import Path

from contract_core.errors import CandidateUnreadableError, Problem

DELIVER_AGAIN = "nothing was validated or written; deliver it again"
MANIFEST_NAME = "_manifest.json"


def files_below(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """The manifests, and the files with these suffixes, of a folder and all below; what is hidden or set aside is not delivered.

    Raises CandidateUnreadableError for whatever else stands under such a name, a pipe or a link, and for linked folders.
    """
    for place, subfolders, names in os.walk(folder, onerror=_raise):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith((".", "_")))
        for name in subfolders:
            _refuse_link(Path(place) / name, folder)
        for name in names:
            is_delivered = not name.startswith((".", "_")) and name.lower().endswith(suffixes)
            if is_delivered or name == MANIFEST_NAME:
                refuse_foreign(Path(place) / name, folder)
                yield Path(place) / name


def refuse_foreign(path: Path, folder: Path) -> None:
    """Raise CandidateUnreadableError where `path` is no regular file, or a link that leads out of `folder`."""
    refuse_outward_link(path, folder)
    if not path.is_file():
        raise _refused(path, "is no file", DELIVER_AGAIN)


def refuse_outward_link(path: Path, folder: Path) -> None:
    """Raise CandidateUnreadableError where `path` is a link whose end does not lie below `folder`."""
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise _refused(path, "is a link that leads out of its folder", "deliver the file itself")


def is_unicode(path: Path) -> bool:
    """True where the path can be written in UTF-8, as Polars needs it."""
    return str(path) == shown(path)


def shown(path: Path) -> str:
    """The path for a message, bytes that are no UTF-8 written out as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _refuse_link(path: Path, folder: Path) -> None:
    """A linked folder is not walked into, so that its files would be missing without a word."""
    if path.is_symlink():
        raise _refused(path, "is a link to a folder", f"deliver the files themselves below {shown(folder)}")


def _refused(path: Path, what: str, hint: str) -> CandidateUnreadableError:
    return CandidateUnreadableError(Problem(f"delivery {shown(path)}", what, hint))


def _raise(error: OSError) -> None:
    raise error
