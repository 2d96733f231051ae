"""Commands that keep an environment whole: reconcile, access."""

from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import (
    BROKEN,
    UNANSWERED,
    JsonOption,
    RootOption,
    contract_of,
    environment_of,
    now,
)
from contract_core.errors import ContractCoreError, Problem, UnknownContractError, WrongUsageError
from contract_core.terminal import print_json, print_lines, progress

if TYPE_CHECKING:
    from contract_core.contract.model import Contract
    from contract_core.environment import Environment


def reconcile(
    reference: Annotated[
        str | None,
        typer.Argument(metavar="[CONTRACT]", help="Only this contract; its name, where its file is gone."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what differs and what would be recorded.")
    ] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Complete the ledger from the commits of the published tables, and tell where they disagree."""
    from contract_core.operations.access import open_places
    from contract_core.operations.difference import Found
    from contract_core.operations.identity import refuse_other_identity
    from contract_core.operations.reconciliation import complete, reconcile_contract
    from contract_core.publication.ledger import Ledger
    from contract_core.rendering.reconciliation import is_in_order, reconciliation_document, reconciliation_lines

    environment = environment_of(root)
    if not dry_run:
        refuse_other_identity(environment)
    found: list[Found] = []
    unanswered: list[Problem] = []
    with progress("reconciling", is_quiet=as_json):
        for contract in _meant(reference, environment):
            try:
                item = reconcile_contract(contract, environment, now())
                if not dry_run:
                    complete(item, Ledger(environment.ledger))
                found.append(item)
            except ContractCoreError as error:
                unanswered += error.problems
        places = open_places(environment)
    if as_json:
        print_json(reconciliation_document(found, places, is_complete=not dry_run))
    else:
        lines = (line for item in found for line in reconciliation_lines(item, is_complete=not dry_run))
        print_lines([*lines, *(str(place) for place in places)])
    for problem in unanswered:
        typer.echo(str(problem), err=True)
    if unanswered:
        raise typer.Exit(UNANSWERED)
    raise typer.Exit(0 if is_in_order(found, places, is_complete=not dry_run) else BROKEN)


def _meant(reference: str | None, environment: "Environment") -> list["Contract | str"]:
    """The contracts that are asked about; by name alone those that only a table or the ledger still knows."""
    from contract_core.contract.registry import read_contracts
    from contract_core.operations.reconciliation import known_names

    names = known_names(environment)
    if reference is not None:
        try:
            return [contract_of(reference, environment)]
        except UnknownContractError:
            if reference not in names:
                raise
            return [reference]
    contracts = {contract.name: contract for contract in read_contracts(environment.contracts)}
    if not contracts and not names:
        what = "there is no contract, no published table and no ledger"
        raise WrongUsageError(Problem(str(environment.contracts), what, "name another --root"))
    return [contracts.get(name, name) for name in sorted({*contracts, *names})]


def access(root: RootOption = None, as_json: JsonOption = False) -> None:
    """Say who can in effect read and change each place of the environment: owners, groups, access lists, and the folders above."""
    from contract_core.operations.accounts import Accounts
    from contract_core.operations.effective_access import effective_access
    from contract_core.rendering.access import access_document, access_lines

    found = effective_access(environment_of(root), Accounts.of_this_machine())
    if as_json:
        print_json(access_document(found))
    else:
        print_lines(access_lines(found))
