"""The command about test deliveries: fixtures."""

from pathlib import Path
from typing import Annotated

import typer

from contract_core.commands.arguments import (
    AsOfOption,
    ContractArgument,
    JsonOption,
    PartitionOption,
    RootOption,
    contract_of,
    environment_of,
    given_path,
    moment_of,
)
from contract_core.terminal import print_json, progress


def fixtures(
    reference: ContractArgument,
    sample: Annotated[
        Path, typer.Argument(metavar="SAMPLE", help="A small file that keeps the contract.", parser=given_path)
    ],
    out: Annotated[Path, typer.Option("--out", help="A new folder for the files.", parser=given_path)],
    invented: Annotated[
        bool, typer.Option("--invented", help="No value of the sample belongs to anybody: it may be copied.")
    ] = False,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write one delivery for each promise, with that promise broken, and what the gate says of it: for the producer's own tests."""
    contract = contract_of(reference, environment_of(root))
    moment = moment_of(as_of)
    from contract_core.bootstrap.fixtures import Asked, refuse_classified, write_fixtures
    from contract_core.contract.partition import check_key
    from contract_core.rendering.log_lines import log_line

    if not invented:
        refuse_classified(contract, sample)
    with progress("writing", is_quiet=as_json):
        made = write_fixtures(contract, sample, out, Asked(check_key(contract, partition), moment))
    if as_json:
        found = [{"file": item.file, "breaks": item.breaks, "breached": list(item.breached)} for item in made.fixtures]
        print_json({"contract": contract.name, "fixtures": found, "not_shown": list(made.not_shown)})
        return
    for item in made.fixtures:
        typer.echo(f"{out / item.file}: breaks {log_line(item.breaks)}")
    for obligation in made.not_shown:
        typer.echo(f"note: no file breaks {log_line(obligation)}: write one that does by hand", err=True)
