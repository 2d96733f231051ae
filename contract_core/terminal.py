"""What a terminal is given: lines, one JSON document, a sign that something runs. Knows nothing about contracts."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper

import typer


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


@contextmanager
def progress(what: str, *, is_quiet: bool) -> Iterator[None]:
    """A moving sign on standard error while something long runs, where a person is watching."""
    if is_quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - most commands do not need it

    with Console(stderr=True).status(f"{what}…"):
        yield
