"""The command that holds a failed submission and its retry side by side: compare."""

from typing import Annotated

import typer

from contract_core.commands.arguments import ContractArgument, JsonOption, RootOption, contract_of, environment_of
from contract_core.terminal import print_json, print_lines


def compare(
    reference: ContractArgument,
    submissions: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUBMISSION", help="Which two, by the first letters of each."),
    ] = None,
    partition: Annotated[
        str | None, typer.Option("--partition", help="The last two submissions of this partition.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a retry mended, what is still broken and what came in; without names, of the last one that failed."""
    from contract_core.operations.attempts_compared import Attempt, chosen, compared, last_decision
    from contract_core.operations.stored_files import files_of
    from contract_core.publication.ledger import Ledger
    from contract_core.rendering.attempts import comparison_document, comparison_lines

    environment = environment_of(root)
    contract = contract_of(reference, environment)
    entries = Ledger(environment.ledger).entries(contract=contract.name)
    told = [
        (record, last_decision(record, entries)) for record in chosen(contract, entries, partition, submissions or ())
    ]
    first, second = (Attempt(record, entry, files_of(entry, environment.candidates)) for record, entry in told)
    found = compared(first, second)
    if as_json:
        print_json(comparison_document(found))
    else:
        print_lines(comparison_lines(found))
