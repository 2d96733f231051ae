"""What is said where a registry cannot be read or written, in our words alone."""

from collections.abc import Iterator
from contextlib import contextmanager

from contract_core.errors import Problem, RegistryUnavailableError
from contract_core.publication.causes import cause_of


def unavailable(place: object, what: str, hint: str) -> RegistryUnavailableError:
    """The error for a registry that gives no answer; it says nothing against any release."""
    return RegistryUnavailableError(Problem(f"registry {place}", what, hint))


@contextmanager
def told_reading(place: object) -> Iterator[None]:
    """An error of the operating system while reading, as ours. Raises RegistryUnavailableError."""
    try:
        yield
    except OSError as error:
        cause = cause_of(error)
    else:
        return
    raise unavailable(place, f"cannot be read: {cause}", "check the path and your rights")


@contextmanager
def told_writing(place: object) -> Iterator[None]:
    """An error of the operating system while writing, as ours. Raises RegistryUnavailableError."""
    try:
        yield
    except OSError as error:
        cause = cause_of(error)
    else:
        return
    raise unavailable(place, f"cannot be written: {cause}", WRITE_HINT)


WRITE_HINT = "make room or repair the rights on the folder, and release again: what was begun is finished then"
