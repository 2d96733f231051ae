"""The command about released versions: releases."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import BROKEN, JsonOption, RootOption, environment_of, given_path, now
from contract_core.terminal import print_json, print_lines

if TYPE_CHECKING:
    from contract_core.environment import Environment


def releases(
    reference: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONTRACT]", help="Only the releases of this contract; with @RANGE only those versions."
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Verify every text, record and digest; leave with 1 where one was altered.")
    ] = False,
    place: Annotated[
        Path | None, typer.Option("--registry", help="The registry (default: the environment's).", parser=given_path)
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the released versions with their state, digest and changes; with --check, verify that they are as they were released."""
    from contract_core.releases.registry import open_registry, verify
    from contract_core.releases.versions import Range, parse_range
    from contract_core.rendering import releases as rendering

    environment = environment_of(root)
    environment = environment if place is None else replace(environment, registry=place)
    today = now().date()
    registry = open_registry(environment.registry)
    name, _, text = (reference or "").partition("@")
    wanted = parse_range(text) if text else Range("")
    about = _name_of(name, environment, today) if reference is not None else None
    if check:
        problems = verify(registry, about)
        count = sum(len(known) for each, known in registry.versions().items() if about in (None, each))
        if as_json:
            print_json(rendering.check_document(problems, count))
        else:
            print_lines(rendering.check_lines(problems, count))
        raise typer.Exit(BROKEN if problems else 0)
    told = rendering.in_states(registry.releases(about), today)
    told = tuple(item for item in told if wanted.holds(item.release.number))
    if as_json:
        print_json([rendering.release_document(item) for item in told])
    else:
        print_lines(rendering.release_lines(told))


def _name_of(reference: str, environment: "Environment", today: date) -> str:
    """The name of the contract that is meant. Raises UnknownContractError for one that neither folder nor registry has."""
    from contract_core.contract.model import NAME
    from contract_core.releases.pins import look_up
    from contract_core.releases.registry import open_registry

    if NAME.fullmatch(reference) and reference in open_registry(environment.registry).versions():
        return reference
    return look_up(reference, environment, today).contract.name
