"""The command that tells contracts in numbers: metrics."""

from pathlib import Path
from typing import Annotated

import typer

from contract_core.commands.arguments import (
    AsOfOption,
    JsonOption,
    RootOption,
    contracts_of,
    environment_of,
    given_path,
    moment_of,
)
from contract_core.errors import Problem, WrongUsageError
from contract_core.terminal import print_json


def metrics(
    reference: Annotated[str | None, typer.Argument(metavar="[CONTRACT]", help="Only this contract.")] = None,
    root: RootOption = None,
    as_of: AsOfOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Write the text to this file in one step, for a collector.", parser=given_path
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell what became of deliveries, what broke and how long things took, in numbers that Prometheus reads."""
    if out is not None and as_json:
        hint = "leave one of them out; standard output takes the document"
        raise WrongUsageError(Problem("--out", "writes what Prometheus reads, and --json asks for JSON", hint))
    from contract_core.exports.artefact import refuse_foreign, write_artefact
    from contract_core.operations.metrics import metrics_of
    from contract_core.publication.ledger import Ledger
    from contract_core.rendering.metrics import metrics_document
    from contract_core.rendering.prometheus import prometheus_text

    environment = environment_of(root)
    moment = moment_of(as_of)
    ledger = Ledger(environment.ledger)
    contracts = contracts_of(reference, environment)
    found = [metrics_of(contract, ledger.entries(contract=contract.name), moment) for contract in contracts]
    if as_json:
        print_json(metrics_document(found, moment))
    elif out is None:
        typer.echo(prometheus_text(found), nl=False)
    else:
        refuse_foreign(out)
        write_artefact(out, prometheus_text(found))
