"""The command about the catalogue: catalog."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from contract_core.commands.arguments import RootOption, environment_of, given_path, now
from contract_core.errors import Problem, WrongUsageError


def catalog(
    out: Annotated[Path, typer.Option("--out", help="The folder of the site.", parser=given_path)],
    registry: Annotated[
        Path | None, typer.Option("--registry", help="The registry (default: the environment's).", parser=given_path)
    ] = None,
    root: RootOption = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DAY", help="Tell states and sunsets as on this day (default: today)."),
    ] = None,
) -> None:
    """Write every released contract as a static site that opens without a server; it takes the place of the one before as a whole."""
    from contract_core.catalogue.folder import refuse_other, write_catalogue
    from contract_core.catalogue.pages import catalogue_files
    from contract_core.operations.version_gate import existing_registry

    day = _day(as_of)
    refuse_other(out)
    releases = existing_registry(registry or environment_of(root).registry).releases()
    count = write_catalogue(catalogue_files(releases, day), out)
    contracts = len({release.name for release in releases})
    told = f"{contracts:,} contract{'' if contracts == 1 else 's'}, {len(releases):,} version{'' if len(releases) == 1 else 's'}"
    typer.echo(f"{told}: {count:,} files, open {out / 'index.html'}")


def _day(text: str | None) -> date:
    if text is None:
        return now().date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise WrongUsageError(Problem("--as-of", "is no calendar day", "write for example 2026-10-02")) from None
