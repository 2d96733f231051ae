"""Files that are written once and whole, under a lock that ends with its process. Knows nothing about contracts."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG

LOCK = ".lock"
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


class NoPlainFileError(Exception):
    """A link, a folder, a device or a file without end stands where a plain file is looked for."""


def read_plain_file(path: Path, limit: int) -> bytes:
    """The bytes of a file. Raises NoPlainFileError for what is none or is longer than `limit`, OSError where it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise NoPlainFileError from None
        raise
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NoPlainFileError
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise NoPlainFileError
    return content


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Alone in `folder` among all that ask for it; the lock of a process that was killed is free."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def draft_of(path: Path) -> Path:
    """The hidden name under which a file is written before it gets its own."""
    return path.with_name(f".{path.name}")


def write_draft(path: Path, content: bytes, mode: int) -> Path:
    """The whole content on disk under the draft's name."""
    draft = draft_of(path)
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    return draft


def place_once(path: Path) -> None:
    """Gives the draft of `path` its name, in one step. Raises FileExistsError where the name is taken."""
    draft = draft_of(path)
    try:
        os.link(draft, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        draft.rename(path)
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """The names of a folder on disk for good."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
