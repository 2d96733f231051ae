"""The command that begins a Dagster project: init."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from contract_core.commands.arguments import given_path
from contract_core.errors import on_one_line


def init(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="The project's folder; contracts in DIR/contracts are taken as they are.",
            parser=given_path,
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be written.")] = False,
) -> None:
    """Write a Dagster project around a folder of contracts, or around an example; nothing that is there is overwritten."""
    from contract_core.bootstrap.project import plan_project, write_project

    project = plan_project(folder)
    told = "would write" if dry_run else "wrote"
    written = project.missing() if dry_run else write_project(project)
    for name in written:
        typer.echo(on_one_line(f"{told} {folder / name}"))
    if not dry_run:
        typer.echo("next:")
        for command in (f"cd {quote(str(folder))}", *project.next_commands):
            typer.echo(f"    {command}")
