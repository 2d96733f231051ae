"""Commands about one delivery: check and publish."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import (
    BROKEN,
    AsOfOption,
    ContractArgument,
    JsonOption,
    PartitionOption,
    PathsArgument,
    RootOption,
    VerboseOption,
    contract_of,
    environment_of,
    moment_of,
    now,
)
from contract_core.commands.incidents import note_told
from contract_core.terminal import print_json, print_lines, progress

if TYPE_CHECKING:
    from contract_core.environment import Environment
    from contract_core.publication.record import PublicationRecord
    from contract_core.publication.submit import Judged
    from contract_core.validation.report import RuleCost, ValidationReport


def check(
    reference: ContractArgument,
    paths: PathsArgument,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    by_rule: Annotated[
        bool, typer.Option("--by-rule", help="Also say what each rule costs: each is asked once more, by itself.")
    ] = False,
    root: RootOption = None,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Judge a delivery without publishing or recording anything; where it holds several partitions, each of them."""
    environment = environment_of(root)
    contract = contract_of(reference, environment)
    moment = moment_of(as_of)
    from contract_core.candidate.offered import holds_several, offered_deliveries
    from contract_core.publication.submit import take_and_judge
    from contract_core.rendering.costs import cost_lines, rule_document, rule_lines
    from contract_core.rendering.log_lines import log_line
    from contract_core.rendering.reports import check_document, report_lines

    with progress("checking", is_quiet=as_json), tempfile.TemporaryDirectory(prefix="contract-gate-") as folder:
        aside = replace(environment, candidates=Path(folder))
        every = [
            take_and_judge(contract, delivery, aside, moment, moment)
            for delivery in offered_deliveries(contract, paths, partition)
        ]
        costs = [_by_rule(judged, aside) for judged in every] if by_rule else [()] * len(every)
    told = list(zip(every, costs, strict=True))
    if as_json:
        documents = [
            check_document(judged.report, judged.decision) | ({"rule_costs": rule_document(spent)} if by_rule else {})
            for judged, spent in told
        ]
        print_json(documents if holds_several(contract, partition) else documents[0])
    for judged, spent in () if as_json else told:
        print_lines(map(log_line, [*report_lines(judged.report, judged.decision), *rule_lines(spent)]))
        print_lines(cost_lines(judged.report.effort if verbose else {}))
    raise typer.Exit(0 if all(judged.is_accepted for judged in every) else BROKEN)


def publish(
    reference: ContractArgument,
    paths: PathsArgument,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    allow_older: Annotated[
        bool,
        typer.Option("--allow-older", help="Publish it even where it replaces a delivery that was received later."),
    ] = False,
    notify: Annotated[
        bool, typer.Option("--notify", help="Tell people at once what of this contract is refused, or no longer is.")
    ] = False,
    root: RootOption = None,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take a delivery, judge it, record the decision, and publish it if it is accepted; each partition by itself where it holds several."""
    environment = environment_of(root)
    contract = contract_of(reference, environment)
    moment = moment_of(as_of)
    from contract_core.candidate.offered import holds_several, offered_deliveries
    from contract_core.operations.identity import refuse_other_identity
    from contract_core.publication.publish import publish as publish_candidate
    from contract_core.publication.publish import publish_older
    from contract_core.publication.submit import publish_judged, take_and_decide
    from contract_core.rendering.costs import cost_lines
    from contract_core.rendering.history import publication_document, publication_lines
    from contract_core.rendering.log_lines import log_line
    from contract_core.rendering.reports import check_document, report_lines

    refuse_other_identity(environment)
    with progress("publishing", is_quiet=as_json):
        how, every = publish_older if allow_older else publish_candidate, []
        for delivery in offered_deliveries(contract, paths, partition):
            judged = take_and_decide(contract, delivery, environment, now(), moment)
            every.append((judged, publish_judged(judged, environment, now(), how)))
    if as_json:
        documents = [
            check_document(_told(judged, record), judged.decision) | publication_document(judged.decision, record)
            for judged, record in every
        ]
        print_json(documents if holds_several(contract, partition) else documents[0])
    for judged, record in () if as_json else every:
        told = _told(judged, record)
        print_lines(map(log_line, [*report_lines(told, judged.decision), *publication_lines(record)]))
        print_lines(cost_lines(told.effort if verbose else {}))
    if notify:
        note_told(contract, environment)
    raise typer.Exit(0 if all(judged.is_accepted for judged, _ in every) else BROKEN)


def _by_rule(judged: "Judged", environment: "Environment") -> "tuple[RuleCost, ...]":
    """What each rule costs by itself, against the same past as the judgement."""
    from contract_core.publication.past import past_of
    from contract_core.validation.rule_costs import rule_costs

    past = past_of(judged.contract, judged.candidate, environment, judged.report.as_of)
    return rule_costs(judged.contract, judged.candidate, past)


def _told(judged: "Judged", record: "PublicationRecord | None") -> "ValidationReport":
    """The report with what publishing cost too, and without what a delivery restates that was replaced long ago."""
    if record is None:
        return judged.report
    learned = judged.report.learned
    learned = learned if record.superseded_by is None else replace(learned, restated={})
    from contract_core.publication.stages import together

    return replace(judged.report, effort=together(judged.report.effort, record.effort), learned=learned)
