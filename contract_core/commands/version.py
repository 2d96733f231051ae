"""The command line as a whole: which contract-gate this is, as the installed distribution says."""

from typing import Annotated

import typer

_DISTRIBUTION = "contract-gate"


def _tell(is_asked: bool) -> None:  # noqa: FBT001 - what typer calls it with
    if is_asked:
        typer.echo(_version())
        raise typer.Exit


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{_DISTRIBUTION} {version(_DISTRIBUTION)}"
    except PackageNotFoundError:
        return f"{_DISTRIBUTION} runs from its source: it is not installed, and so it has no version"


def whole(
    _version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_tell, help="Show the version of contract-gate and exit."),
    ] = False,
) -> None:
    """Data contracts that decide what is published."""
