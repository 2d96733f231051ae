"""The arguments that commands share, what they mean, and the codes that commands leave with."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.errors import Problem, WrongUsageError

if TYPE_CHECKING:
    from contract_core.contract.model import Contract
    from contract_core.environment import Environment

BROKEN = 1
UNANSWERED = 2


def given_path(text: str) -> Path:
    if not text:
        raise typer.BadParameter("is empty")
    return Path(text)


ContractArgument = Annotated[
    str,
    typer.Argument(
        metavar="CONTRACT", help="A contract file, the name of a contract, or a released version such as orders@^1.2."
    ),
]
PathsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="PATH…", help="Delivered files, or the folder that holds them.", parser=given_path),
]
RootOption = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="The environment's folder (default: CONTRACT_GATE_ROOT, else what CONTRACT_GATE_ENV names, else ./data).",
        parser=given_path,
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

VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also say what each stage cost: time, bytes, rows, memory.")
]


def environment_of(root: Path | None) -> "Environment":
    from contract_core.environment_file import find_environment

    return find_environment(os.environ, root)


def variables() -> Mapping[str, str]:
    """The variables of this process, for what is told by name where it stands."""
    return os.environ


def now() -> datetime:
    return datetime.now(UTC)


def moment_of(text: str | None) -> datetime:
    if text is None:
        return now()
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        is_outside = isinstance(error, OverflowError)
        what = "lies outside the years 1 to 9999 in UTC" if is_outside else "is no moment in ISO 8601"
        raise WrongUsageError(Problem("--as-of", what, "write for example 2026-10-02T09:00:00Z")) from None
    return moment


def contract_of(reference: str, environment: "Environment") -> "Contract":
    """The contract that is meant: a file, a name, or `name@range` in the registry; what one should know of it goes to standard error."""
    from contract_core.releases.pins import look_up

    found = look_up(reference, environment, now().date())
    if found.note is not None:
        typer.echo(f"note: {found.note}", err=True)
    return found.contract


def contracts_of(reference: str | None, environment: "Environment") -> tuple["Contract", ...]:
    """The contract that is meant, or all of the environment's where none is named. Raises WrongUsageError where there is none."""
    if reference is not None:
        return (contract_of(reference, environment),)
    from contract_core.contract.registry import read_contracts, where_else

    contracts = read_contracts(environment.contracts)
    if not contracts:
        raise WrongUsageError(
            Problem(str(environment.contracts), "holds no contract", where_else(environment.contracts))
        )
    return contracts
