"""What a terminal is given: lines, one JSON document, a sign that something runs. Knows nothing about contracts."""

import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper

import typer

_READABLE = 140


def accept_every_name() -> None:
    """Let both streams write names of files that are no Unicode or that their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(document: object) -> None:
    """One document on standard output, which stays JSON whatever the stream can encode."""
    is_unicode = sys.stdout is not None and sys.stdout.encoding.lower().startswith("utf")
    typer.echo(json.dumps(document, indent=2, ensure_ascii=not is_unicode, default=str))


def print_lines(lines: Iterable[str]) -> None:
    """Lines on standard output."""
    for line in lines:
        typer.echo(line)


def print_styled(lines: Iterable[tuple[tuple[str, str], ...]]) -> None:
    """Lines on standard output, each of texts with their style; in colours where a person is watching, else as text alone."""
    if not is_watched():
        print_lines("".join(text for text, _ in line).rstrip() for line in lines)
        return
    from rich.console import Console  # noqa: PLC0415 - most commands do not need it
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*line))


def is_watched() -> bool:
    """True where a person reads standard output as it comes."""
    return sys.stdout is not None and sys.stdout.isatty()


def can_draw(signs: str) -> bool:
    """True where standard output is a terminal that has these signs."""
    if not is_watched():
        return False
    try:
        signs.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def line_width() -> int:
    """How wide a line may be: as wide as the terminal, or what is readable where there is none."""
    return shutil.get_terminal_size((_READABLE, 24)).columns if is_watched() else _READABLE


@contextmanager
def progress(what: str, *, is_quiet: bool) -> Iterator[None]:
    """A moving sign on standard error while something long runs, where a person is watching."""
    if is_quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - most commands do not need it

    with Console(stderr=True).status(f"{what}…"):
        yield
