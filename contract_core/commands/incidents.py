"""The command that tells people of incidents: notify."""

from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import (
    UNANSWERED,
    AsOfOption,
    JsonOption,
    RootOption,
    contracts_of,
    environment_of,
    moment_of,
    now,
    variables,
)
from contract_core.terminal import print_json, print_lines

if TYPE_CHECKING:
    from datetime import datetime

    from contract_core.contract.model import Contract
    from contract_core.environment import Environment
    from contract_core.operations.notices import Notified


def notify(
    reference: Annotated[
        str | None, typer.Argument(metavar="[CONTRACT]", help="Only the incidents of this contract.")
    ] = None,
    root: RootOption = None,
    as_of: AsOfOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be told to whom; nothing is sent or recorded.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Tell people once each what is refused, failed, overdue, stale or silent, and when it is over; 2 where somebody could not be told."""
    from contract_core.operations.identity import refuse_other_identity
    from contract_core.operations.notifying import plan
    from contract_core.rendering.log_lines import log_line
    from contract_core.rendering.notifications import notified_document, notified_lines

    environment, moment = environment_of(root), moment_of(as_of)
    if not dry_run:
        refuse_other_identity(environment)
    contracts = contracts_of(reference, environment)
    if dry_run:
        found = [plan(contract, environment, variables(), moment) for contract in contracts]
    else:
        found = [told_of(contract, environment, moment) for contract in contracts]
    if as_json:
        print_json([notified_document(item, is_dry=dry_run) for item in found])
    else:
        print_lines(log_line(line) for item in found for line in notified_lines(item, is_dry=dry_run))
    raise typer.Exit(0 if all(item.is_complete for item in found) else UNANSWERED)


def told_of(contract: "Contract", environment: "Environment", as_of: "datetime") -> "Notified":
    """Tells the incidents of one contract that nobody has told yet."""
    from contract_core.operations.notices import Moments
    from contract_core.operations.notifying import notify
    from contract_core.rendering.notifications import message_of

    return notify(contract, environment, variables(), Moments(as_of, now()), message_of)


def note_told(contract: "Contract", environment: "Environment") -> None:
    """The same beside another answer, on standard error: what was decided stands, whether or not anybody could be told."""
    from contract_core.rendering.log_lines import log_line
    from contract_core.rendering.notifications import notified_lines

    found = told_of(contract, environment, now())
    for line in notified_lines(found, is_dry=False) if found.told or found.unaddressed else ():
        typer.echo(f"note: {log_line(line)}", err=True)
