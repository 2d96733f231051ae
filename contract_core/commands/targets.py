"""The command about published tables as a second line of defence: constrain."""

from typing import Annotated

import typer

from contract_core.commands.arguments import (
    BROKEN,
    ContractArgument,
    JsonOption,
    RootOption,
    contract_of,
    environment_of,
)
from contract_core.terminal import print_json, print_lines


def constrain(
    reference: ContractArgument,
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without it, only say what would be done.")] = False,
    allow_upgrade: Annotated[
        bool,
        typer.Option("--allow-upgrade", help="Raise the writer protocol although other engines write to the table."),
    ] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the constraints of the published table to what the contract says; the table is made where it is not there."""
    from contract_core.operations.identity import refuse_other_identity
    from contract_core.operations.targets import changes_in, set_up, set_up_with_upgrade, target_of
    from contract_core.rendering.enforcement import TargetChanges, change_document, change_lines
    from contract_core.rendering.log_lines import log_line

    environment = environment_of(root)
    contract = contract_of(reference, environment)
    if apply:
        refuse_other_identity(environment)
        found = (set_up_with_upgrade if allow_upgrade else set_up)(contract, environment)
    else:
        found = target_of(contract, environment).pending
    changes = TargetChanges(**changes_in(found))
    if as_json:
        print_json(change_document(contract, changes, is_done=apply))
    else:
        print_lines(map(log_line, change_lines(contract, changes, is_done=apply)))
    raise typer.Exit(0 if apply or found.is_nothing else BROKEN)
