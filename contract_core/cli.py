"""The command line: arguments in, exit code out. 0 fine, 1 the promise is broken, 2 the question could not be answered."""

import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from contract_core.contract.registry import contract_files, find_contract
from contract_core.contract.unsupported import unsupported
from contract_core.environment import Environment
from contract_core.errors import ContractCoreError, Problem, WrongUsageError
from contract_core.terminal import accept_every_name, print_json, print_lines, progress

app = typer.Typer(
    name="contract-gate",
    help="Data contracts that decide what is published.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _given_path(text: str) -> Path:
    if not text:
        raise typer.BadParameter("is empty")
    return Path(text)


ContractArgument = Annotated[
    str, typer.Argument(metavar="CONTRACT", help="A contract file, or the name of a contract in the contracts folder.")
]
PathsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="PATH…", help="Delivered files, or the folder that holds them.", parser=_given_path),
]
RootOption = Annotated[
    Path | None,
    typer.Option(
        "--root", help="The environment's folder (default: CONTRACT_GATE_ROOT, else ./data).", parser=_given_path
    ),
]
PartitionOption = Annotated[
    str | None, typer.Option("--partition", help="The partition that is offered, for example 2026-10-01.")
]
AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", help="The moment of judgement in ISO 8601, UTC unless it says otherwise (default: now)."),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output and nothing else there.")
]

BROKEN = 1
UNANSWERED = 2


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; every failure leaves with its exit code and a message, never with a traceback."""
    accept_every_name()
    try:
        app(arguments, standalone_mode=True)
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # Click leaves with 1, which here means a broken promise
            sys.exit(UNANSWERED)
        raise
    except ContractCoreError as error:
        typer.echo(str(error), err=True)
        sys.exit(UNANSWERED)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        typer.echo(f"input or output failed: {reason}\n    nothing more was done; repair it and try again", err=True)
        sys.exit(UNANSWERED)
    except BaseException as error:  # noqa: BLE001 - the edge: texts and panics of libraries may quote a value, a class does not
        place = _own_place(error)
        typer.echo(
            f"contract-gate stopped at {place}: {type(error).__name__}\n    this is a fault of ours: report it with that place",
            err=True,
        )
        sys.exit(UNANSWERED)
    sys.exit(0)


def _own_place(error: BaseException) -> str:
    """Where in our own code an unexpected error passed last, without its text."""
    place, trace = "the start", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.startswith("contract_"):
            place = f"{name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


@app.command()
def lint(
    references: Annotated[list[str], typer.Argument(metavar="CONTRACT…", help="Contract files, folders or names.")],
    root: RootOption = None,
) -> None:
    """Check contract files: every problem of every file as file:line:column and what to write instead."""
    problems: list[Problem] = []
    notes: list[str] = []
    count = 0
    for reference in references:
        for target in _lint_targets(reference):
            count += 1
            try:
                contract = find_contract(target, _environment(root).contracts)
                notes += [f"{target}: note: {complaint.what}" for complaint in unsupported(contract)]
            except ContractCoreError as error:
                problems.extend(error.problems)
    for problem in problems:
        typer.echo(str(problem), err=True)
    if problems:
        raise typer.Exit(UNANSWERED)
    typer.echo(f"{count} contract{'' if count == 1 else 's'} without problems")
    for note in notes:
        typer.echo(note, err=True)


def _lint_targets(reference: str) -> tuple[str, ...]:
    """The contract files of a folder; anything else is a file or a name itself."""
    if not reference or not Path(reference).is_dir():
        return (reference,)
    files = contract_files(Path(reference))
    if not files:
        raise WrongUsageError(
            Problem(reference, "the folder holds no contract file (*.yaml)", "name another folder or a file")
        )
    return tuple(str(file) for file in files)


@app.command()
def schema() -> None:
    """Print the JSON Schema of the contract language, for editors."""
    from contract_core.exports.language_schema import language_schema

    print_json(language_schema())


@app.command()
def show(reference: ContractArgument, root: RootOption = None, as_json: JsonOption = False) -> None:
    """Show a contract: version, owners, policy, fields with their rules."""
    from contract_core.rendering.contracts import contract_lines

    contract = find_contract(reference, _environment(root).contracts)
    if as_json:
        print_json(contract.model_dump(mode="json", by_alias=True))
    else:
        print_lines(contract_lines(contract))


@app.command()
def check(
    reference: ContractArgument,
    paths: PathsArgument,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a delivery without publishing or recording anything."""
    contract = find_contract(reference, _environment(root).contracts)
    moment = _moment(as_of)
    from contract_core.candidate.delivery import collect_delivery
    from contract_core.candidate.snapshot import take_candidate
    from contract_core.contract.partition import check_key
    from contract_core.publication.submit import judge
    from contract_core.rendering.reports import check_document, report_lines

    with progress("checking", is_quiet=as_json), tempfile.TemporaryDirectory(prefix="contract-gate-") as folder:
        delivery = collect_delivery(contract, paths, check_key(contract, partition))
        candidate = take_candidate(contract, delivery, Path(folder), received_at=_now())
        judged = judge(contract, candidate, moment)
    if as_json:
        print_json(check_document(judged.report, judged.decision))
    else:
        print_lines(report_lines(judged.report, judged.decision))
    raise typer.Exit(0 if judged.is_accepted else BROKEN)


@app.command()
def publish(
    reference: ContractArgument,
    paths: PathsArgument,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a delivery, judge it, record the decision, and publish it if it is accepted."""
    environment = _environment(root)
    contract = find_contract(reference, environment.contracts)
    moment = _moment(as_of)
    from contract_core.candidate.delivery import collect_delivery
    from contract_core.contract.partition import check_key
    from contract_core.publication.submit import publish_judged, take_and_decide
    from contract_core.rendering.history import publication_document, publication_lines
    from contract_core.rendering.reports import check_document, report_lines

    with progress("publishing", is_quiet=as_json):
        delivery = collect_delivery(contract, paths, check_key(contract, partition))
        judged = take_and_decide(contract, delivery, environment, _now(), moment)
        record = publish_judged(judged, environment, _now())
    if as_json:
        print_json(check_document(judged.report, judged.decision) | publication_document(judged.decision, record))
    else:
        print_lines([*report_lines(judged.report, judged.decision), *publication_lines(record)])
    raise typer.Exit(0 if judged.is_accepted else BROKEN)


@app.command()
def decisions(
    reference: Annotated[
        str | None, typer.Argument(metavar="[CONTRACT]", help="Only the decisions about this contract.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every decided submission: received, decided, published, superseded, and the rules that broke."""
    from contract_core.publication.history import decisions as decision_records
    from contract_core.publication.ledger import Ledger
    from contract_core.rendering.history import decision_document, decision_lines

    environment = _environment(root)
    name = find_contract(reference, environment.contracts).name if reference is not None else None
    records = decision_records(Ledger(environment.ledger).entries(contract=name))
    if as_json:
        print_json([decision_document(record) for record in records])
    else:
        print_lines(decision_lines(records))


@app.command()
def status(
    reference: Annotated[str | None, typer.Argument(metavar="[CONTRACT]", help="Only this contract.")] = None,
    root: RootOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say for each contract what consumers see now, how old it is, and which newer delivery was refused."""
    from contract_core.contract.registry import read_contracts
    from contract_core.operations.status import status_of
    from contract_core.publication.ledger import Ledger
    from contract_core.rendering.history import status_document, status_lines

    environment = _environment(root)
    moment = _moment(as_of)
    contracts = (
        (find_contract(reference, environment.contracts),)
        if reference is not None
        else read_contracts(environment.contracts)
    )
    if not contracts:
        raise WrongUsageError(
            Problem(str(environment.contracts), "holds no contract", "name another --root, or a contract file")
        )
    ledger = Ledger(environment.ledger)
    states = [status_of(contract, ledger.entries(contract=contract.name), moment) for contract in contracts]
    if as_json:
        print_json([status_document(state) for state in states])
    else:
        print_lines(line for state in states for line in status_lines(state))


def _environment(root: Path | None) -> Environment:
    return Environment.of(os.environ, root)


def _now() -> datetime:
    return datetime.now(UTC)


def _moment(text: str | None) -> datetime:
    if text is None:
        return _now()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise WrongUsageError(
            Problem("--as-of", "is no moment in ISO 8601", "write for example 2026-10-02T09:00:00Z")
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


if __name__ == "__main__":
    main()
