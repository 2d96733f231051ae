"""Why a library could not read or write, in the operating system's own words where it is the cause. No other word of a library passes."""

import os
import re

_NUMBER = re.compile(r"\(os error ([0-9]{1,4})\)|\bOs \{ code: ([0-9]{1,4})\b")


class DamagedFile:
    """What an error says that knows which file is damaged: what is wrong with it, and what mends it."""

    what: str
    remedy: str


def cause_of(error: BaseException) -> str:
    """What the operating system refused ("Permission denied"), or which file is damaged; else the class of the error."""
    return error.what if isinstance(error, DamagedFile) else system_cause(error) or type(error).__name__


def remedy_of(error: BaseException) -> str | None:
    """What mends a damaged file; None for every other error."""
    return error.remedy if isinstance(error, DamagedFile) else None


def system_cause(error: BaseException) -> str | None:
    """What the operating system refused, None where it is not the cause."""
    number = error.errno if isinstance(error, OSError) else None
    if not number and (
        found := _NUMBER.search(str(error))
    ):  # delta-rs 1.6 and Polars 2.1 write it into their texts only
        number = int(found[1] or found[2])
    return os.strerror(number) if number else None
