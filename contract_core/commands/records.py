"""Commands about what was decided and what is kept: decisions, status, clean."""

from typing import Annotated

import typer

from contract_core.commands.arguments import (
    AsOfOption,
    JsonOption,
    RootOption,
    contract_of,
    contracts_of,
    environment_of,
    moment_of,
)
from contract_core.terminal import can_draw, line_width, print_json, print_lines, print_styled


def decisions(
    reference: Annotated[
        str | None, typer.Argument(metavar="[CONTRACT]", help="Only the decisions about this contract.")
    ] = None,
    partition: Annotated[
        str | None, typer.Option("--partition", help="Only this partition, with everything that happened to it.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every decided submission and the rules that broke; with --partition, when it was received, decided, published, superseded."""
    from contract_core.publication.history import decisions as decision_records
    from contract_core.publication.ledger import Ledger
    from contract_core.rendering.history import decision_document, decision_lines
    from contract_core.rendering.stories import story_lines

    environment = environment_of(root)
    name = contract_of(reference, environment).name if reference is not None else None
    records = decision_records(Ledger(environment.ledger).entries(contract=name))
    told = [record for record in records if partition is None or record.partition == partition]
    if as_json:
        print_json([decision_document(record) for record in told])
    else:
        print_lines(decision_lines(told) if partition is None else story_lines(told))


def status(
    reference: Annotated[str | None, typer.Argument(metavar="[CONTRACT]", help="Only this contract.")] = None,
    root: RootOption = None,
    as_of: AsOfOption = None,
    last: Annotated[int, typer.Option("--last", min=1, max=10_000, help="How many partitions are looked back.")] = 30,
    as_json: JsonOption = False,
) -> None:
    """Say for each contract what consumers see now, how old it is, what became of the last partitions, what is wrong and who must act."""
    from contract_core.operations.standing import standing_of
    from contract_core.publication.ledger import Ledger
    from contract_core.rendering.coverage import DRAWN, PLAIN
    from contract_core.rendering.overview import overview_lines, standing_document

    environment = environment_of(root)
    moment = moment_of(as_of)
    contracts = contracts_of(reference, environment)
    entries_of = Ledger(environment.ledger).at_once([contract.name for contract in contracts])
    found = tuple(standing_of(contract, entries_of(contract.name), moment, last) for contract in contracts)
    if as_json:
        print_json([standing_document(standing) for standing in found])
        return
    signs = DRAWN if can_draw("".join(DRAWN.states.values()) + DRAWN.refused_correction) else PLAIN
    print_styled(overview_lines(found, signs, line_width()))


def clean(
    reference: Annotated[
        str | None, typer.Argument(metavar="[CONTRACT]", help="Only what is kept of this contract.")
    ] = None,
    root: RootOption = None,
    as_of: AsOfOption = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove them; without it, only say what would go.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say which old candidates, rows in quarantine and table versions may go by their contracts; with --remove, remove them."""
    from contract_core.operations import retention
    from contract_core.operations.identity import refuse_other_identity
    from contract_core.rendering.history import retention_document, retention_lines

    environment = environment_of(root)
    moment = moment_of(as_of)
    if remove:
        refuse_other_identity(environment)
    contracts = contracts_of(reference, environment)
    plans = [plan for contract in contracts for plan in retention.plan_cleaning(contract, environment, moment)]
    if reference is None:
        plans.append(retention.plan_attempts(environment, moment))
    for plan in plans if remove else ():
        retention.remove(plan, environment)
    if as_json:
        print_json([retention_document(plan, is_removed=remove) for plan in plans])
    else:
        print_lines(line for plan in plans for line in retention_lines(plan, is_removed=remove))
