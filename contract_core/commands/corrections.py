"""Commands about what people say of a publication: request and confirm."""

from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import ContractArgument, JsonOption, RootOption, contract_of, environment_of, now
from contract_core.terminal import print_json, print_lines

if TYPE_CHECKING:
    from contract_core.operations.corrections import Recorded

_REFERENCE = "The name under which it is kept elsewhere, a ticket or a run; no data."

PublishedOption = Annotated[
    str | None, typer.Option("--partition", help="The published partition, for example 2026-10-01.")
]


def request(
    reference: ContractArgument,
    by: Annotated[str, typer.Option("--by", help="Who asks: the producer or a consumer of the contract.")],
    ticket: Annotated[str, typer.Option("--reference", help=_REFERENCE)],
    partition: PublishedOption = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Record that a correction of what is published is asked for; it is open until another submission of the partition is."""
    from contract_core.operations.corrections import request_correction
    from contract_core.publication.history import Remark
    from contract_core.publication.ledger import Ledger

    environment = environment_of(root)
    contract, remark = contract_of(reference, environment), Remark(by, ticket, now())
    _tell(request_correction(contract, partition, remark, Ledger(environment.ledger)), as_json=as_json)


def confirm(
    reference: ContractArgument,
    by: Annotated[str, typer.Option("--by", help="Which consumer of the contract says so.")],
    run: Annotated[str, typer.Option("--reference", help=_REFERENCE)],
    partition: PublishedOption = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Record that a consumer has reconciled its own numbers with what is published."""
    from contract_core.operations.corrections import confirm_publication
    from contract_core.publication.history import Remark
    from contract_core.publication.ledger import Ledger

    environment = environment_of(root)
    contract, remark = contract_of(reference, environment), Remark(by, run, now())
    _tell(confirm_publication(contract, partition, remark, Ledger(environment.ledger)), as_json=as_json)


def _tell(recorded: "Recorded", *, as_json: bool) -> None:
    from contract_core.rendering.remarks import recorded_document, recorded_line

    if as_json:
        print_json(recorded_document(recorded.entry, is_new=recorded.is_new))
    else:
        print_lines([recorded_line(recorded.entry, is_new=recorded.is_new)])
