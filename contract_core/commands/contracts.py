"""Commands about contracts themselves: lint, schema, show."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import (
    UNANSWERED,
    ContractArgument,
    JsonOption,
    RootOption,
    contract_of,
    environment_of,
)
from contract_core.errors import ContractCoreError, Problem, WrongUsageError
from contract_core.terminal import print_json, print_lines

if TYPE_CHECKING:
    from contract_core.contract.model import Contract
    from contract_core.environment import Environment


def lint(
    references: Annotated[list[str], typer.Argument(metavar="CONTRACT…", help="Contract files, folders or names.")],
    root: RootOption = None,
) -> None:
    """Check contract files: every problem of every file as file:line:column and what to write instead."""
    from contract_core.rendering.log_lines import log_line

    environment = environment_of(root)
    problems: list[Problem] = []
    notes: list[str] = []
    count = 0
    for reference in references:
        problems += _beside(reference)
        seen: dict[str, str] = {}
        for target in _lint_targets(reference):
            count += 1
            try:
                contract = contract_of(target, environment)
                problems += [*_unenforced(target, contract), *_repeated(target, contract.name, seen)]
                notes += [f"{target}: note: {note}" for note in _notes(target, contract, environment)]
            except ContractCoreError as error:
                problems.extend(error.problems)
    for problem in problems:
        typer.echo(str(problem), err=True)
    if problems:
        raise typer.Exit(UNANSWERED)
    typer.echo(f"{count} contract{'' if count == 1 else 's'} without problems")
    for note in notes:
        typer.echo(log_line(note), err=True)


def _lint_targets(reference: str) -> tuple[str, ...]:
    """The contract files of a folder; anything else is a file or a name itself."""
    if not reference or not Path(reference).is_dir():
        return (reference,)
    from contract_core.contract.registry import contract_files

    files = contract_files(Path(reference))
    if not files:
        raise WrongUsageError(
            Problem(reference, "the folder holds no contract file (*.yaml)", "name another folder or a file")
        )
    return tuple(str(file) for file in files)


def _notes(target: str, contract: "Contract", environment: "Environment") -> list[str]:
    """What nobody enforces yet, where that is no problem, and what was not carried over from another standard."""
    from contract_core.contract.unsupported import unsupported

    waiting = [] if contract.status == "active" else [complaint.what for complaint in unsupported(contract)]
    return [*waiting, *_not_carried(target, environment)]


def _repeated(target: str, name: str, seen: dict[str, str]) -> list[Problem]:
    """That another file of the folder holds a contract of this name; remembers the name in `seen`."""
    first = seen.setdefault(name, target)
    return [] if first == target else [Problem(target, f"contract '{name}' stands in {first} too", "keep one")]


def _beside(reference: str) -> list[Problem]:
    """What is wrong with the policy and the change records beside the contracts of a folder."""
    if not reference or not Path(reference).is_dir():
        return []
    from contract_core.operations.record_files import record_problems

    return list(record_problems(Path(reference)))


def _unenforced(target: str, contract: "Contract") -> list[Problem]:
    """What an active contract promises and nobody enforces; any other contract may still become one that somebody does."""
    if contract.status != "active":
        return []
    from contract_core.contract.unsupported import unsupported

    hint = "an active contract promises nothing that nobody enforces"
    return [Problem(target, complaint.what, f"{hint}: {complaint.hint}") for complaint in unsupported(contract)]


def _not_carried(target: str, environment: "Environment") -> tuple[str, ...]:
    """What a contract does not hold of the document that it was read from, where that follows another standard."""
    from contract_core.contract.registry import SUFFIXES, contract_files, read_file
    from contract_core.contract.standards import may_be_odcs

    is_file = Path(target).suffix in SUFFIXES
    files = (
        [Path(target)] if is_file else [file for file in contract_files(environment.contracts) if file.stem == target]
    )
    texts = [(str(file), text) for file in files if may_be_odcs(text := read_file(file))]
    if not texts:
        return ()
    from contract_core.contract.odcs import notes_of

    return tuple(left for file, text in texts for left in notes_of(text, file))


def schema() -> None:
    """Print the JSON Schema of the contract language, for editors."""
    from contract_core.exports.language_schema import language_schema

    print_json(language_schema())


def show(
    reference: ContractArgument,
    enforcement: Annotated[
        bool, typer.Option("--enforcement", help="Say where each promise is enforced, and what nobody checks.")
    ] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a contract: version, owners, policy, fields with their rules; or where each promise is enforced."""
    from contract_core.rendering.contracts import contract_lines
    from contract_core.rendering.log_lines import log_line

    environment = environment_of(root)
    contract = contract_of(reference, environment)
    if enforcement:
        _show_enforcement(contract, environment, as_json=as_json)
    elif as_json:
        print_json(contract.model_dump(mode="json", by_alias=True))
    else:
        print_lines(map(log_line, contract_lines(contract)))


def _show_enforcement(contract: "Contract", environment: "Environment", *, as_json: bool) -> None:
    from contract_core.operations.targets import target_of
    from contract_core.rendering.enforcement import OnTarget, enforcement_document, enforcement_lines
    from contract_core.rendering.log_lines import log_line

    rules = {
        name: OnTarget(rule.name if rule.predicate is not None else None, rule.why_not)
        for name, rule in target_of(contract, environment).rules.items()
    }
    if as_json:
        print_json(enforcement_document(contract, rules))
    else:
        print_lines(map(log_line, enforcement_lines(contract, rules)))
