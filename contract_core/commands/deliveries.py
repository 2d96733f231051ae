"""Commands about one delivery: check and publish."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from contract_core.commands.arguments import (
    BROKEN,
    AsOfOption,
    ContractArgument,
    JsonOption,
    PartitionOption,
    PathsArgument,
    RootOption,
    contract_of,
    environment_of,
    moment_of,
    now,
)
from contract_core.terminal import print_json, print_lines, progress


def check(
    reference: ContractArgument,
    paths: PathsArgument,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a delivery without publishing or recording anything."""
    environment = environment_of(root)
    contract = contract_of(reference, environment)
    moment = moment_of(as_of)
    from contract_core.candidate.delivery import collect_delivery
    from contract_core.candidate.snapshot import take_candidate
    from contract_core.contract.partition import check_key
    from contract_core.publication.submit import judge
    from contract_core.rendering.annotations import log_line
    from contract_core.rendering.reports import check_document, report_lines

    with progress("checking", is_quiet=as_json), tempfile.TemporaryDirectory(prefix="contract-gate-") as folder:
        delivery = collect_delivery(contract, paths, check_key(contract, partition))
        candidate = take_candidate(contract, delivery, Path(folder), received_at=moment)
        judged = judge(contract, candidate, environment, moment)
    if as_json:
        print_json(check_document(judged.report, judged.decision))
    else:
        print_lines(map(log_line, report_lines(judged.report, judged.decision)))
    raise typer.Exit(0 if judged.is_accepted else BROKEN)


def publish(
    reference: ContractArgument,
    paths: PathsArgument,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    allow_older: Annotated[
        bool,
        typer.Option("--allow-older", help="Publish it even where it replaces a delivery that was received later."),
    ] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a delivery, judge it, record the decision, and publish it if it is accepted."""
    environment = environment_of(root)
    contract = contract_of(reference, environment)
    moment = moment_of(as_of)
    from contract_core.candidate.delivery import collect_delivery
    from contract_core.contract.partition import check_key
    from contract_core.operations.identity import refuse_other_identity
    from contract_core.publication.publish import publish as publish_candidate
    from contract_core.publication.publish import publish_older
    from contract_core.publication.submit import publish_judged, take_and_decide
    from contract_core.rendering.annotations import log_line
    from contract_core.rendering.history import publication_document, publication_lines
    from contract_core.rendering.reports import check_document, report_lines

    refuse_other_identity(environment)
    with progress("publishing", is_quiet=as_json):
        delivery = collect_delivery(contract, paths, check_key(contract, partition))
        judged = take_and_decide(contract, delivery, environment, now(), moment)
        how = publish_older if allow_older else publish_candidate
        record = publish_judged(judged, environment, now(), how)
    if as_json:
        print_json(check_document(judged.report, judged.decision) | publication_document(judged.decision, record))
    else:
        print_lines(map(log_line, [*report_lines(judged.report, judged.decision), *publication_lines(record)]))
    raise typer.Exit(0 if judged.is_accepted else BROKEN)
