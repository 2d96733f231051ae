"""Bytes → text in the encoding that the contract states, with a byte order mark dropped and faults placed by line."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_BLOCK = 1 << 20
_MARKS = {"utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)}


_NOT_OF_FILES = ("idna", "punycode", "undefined")


class Unreadable(Exception):  # noqa: N818 - a fact about one file, never seen outside this package
    """Why a file gives no rows; the text holds no value of it."""


@contextmanager
def opened_text(path: Path, encoding: str, newline: str) -> Iterator[TextIO]:
    """The text of a file after its byte order mark; raises Unreadable where a mark is needed, or no file is in this encoding."""
    name = _name(encoding)
    with path.open("rb") as stream:
        start = stream.read(4)
    marks = _MARKS.get(name, ())
    if marks and not start.startswith(marks):
        raise Unreadable(f"has no byte order mark, which {name} needs; state {name}-le or {name}-be")
    with path.open(encoding="utf-8-sig" if name == "utf-8" else encoding, newline=newline) as text:
        if name.startswith(("utf-16-", "utf-32-")) and text.read(1) != "\ufeff":
            text.seek(0)
        yield text


def _name(encoding: str) -> str:
    """Python's name of an encoding of text; it calls a few things an encoding that bytes of a file are never in."""
    name = codecs.lookup(encoding).name
    try:
        b"a".decode(name, errors="replace")
    except (LookupError, UnicodeError):
        name = "undefined"
    if name in _NOT_OF_FILES:
        raise Unreadable(f"{encoding} is no encoding of text files; state another in the contract")
    return name


def is_utf8(encoding: str) -> bool:
    """True where Polars, which reads UTF-8 alone, can read the bytes as they are."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


def undecodable(path: Path, encoding: str) -> str:
    """Which line holds the first bytes that are no text in this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, last = 1, ""
    try:
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                lines, last = _counted(lines, last, decoder.decode(block))
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(encoding, errors="ignore")
        lines, last = _counted(lines, last, before)
    return f"line {lines} is not {encoding} text"


def _counted(lines: int, last: str, text: str) -> tuple[int, str]:
    r"""Line ends are \n, \r\n and \r, also where a block ends between \r and \n."""
    ends = text.count("\n") + text.count("\r") - text.count("\r\n") - (last == "\r" and text.startswith("\n"))
    return lines + ends, text[-1:] or last
