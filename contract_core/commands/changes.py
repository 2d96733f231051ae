"""Commands about changes of contracts: diff, gate, release."""

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import (
    BROKEN,
    JsonOption,
    RootOption,
    environment_of,
    given_path,
    now,
    variables,
)
from contract_core.errors import Problem, WrongUsageError
from contract_core.terminal import print_json, print_lines

if TYPE_CHECKING:
    from contract_core.contract.model import Contract
    from contract_core.diff.release import Successor
    from contract_core.environment import Environment
    from contract_core.operations.version_gate import Held, Working
    from contract_core.releases.release import Release

_LONGEST_NAME = 200


class Output(StrEnum):
    """In which form the answer is printed."""

    TEXT = "text"
    GITHUB = "github"
    MARKDOWN = "markdown"
    SARIF = "sarif"


FormatOption = Annotated[
    Output, typer.Option("--format", help="text; github (annotations of Actions); markdown (a summary); sarif.")
]
AsOfDay = Annotated[
    str | None,
    typer.Option("--as-of", metavar="DAY", help="Judge as on this day, for sunsets and windows (default: today)."),
]


def diff(
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="As it was: a contract file, or a release such as orders@1.")
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="As it is: a contract file, or a release.")],
    root: RootOption = None,
    output: FormatOption = Output.TEXT,
    as_of: AsOfDay = None,
    as_json: JsonOption = False,
) -> None:
    """Every difference of two contracts, whom it breaks, and the version that it asks for; 1 where the new version is too low."""
    from contract_core.diff.release import compare
    from contract_core.operations.record_files import POLICY, RECORDS, policy_of
    from contract_core.operations.version_gate import Held
    from contract_core.rendering.changes import successor_document

    environment = environment_of(root)
    before, after = (_either(reference, environment) for reference in (old, new))
    policy = policy_of(before.file.parent / RECORDS / POLICY)
    held = Held(compare(before.contract, after.contract, _day(as_of), policy), after.file, after)
    if as_json:
        print_json(successor_document(held.successor))
    else:
        _print((held,), output)
    _leave((held,))


def _either(reference: str, environment: "Environment") -> "Working":
    """The contract of a file, or a released one with the text that was released."""
    from contract_core.operations.version_gate import Working, working_contract
    from contract_core.releases.pins import look_up

    if "@" not in reference or Path(reference).exists():
        return working_contract(given_path(reference))
    found = look_up(reference, environment, now().date())
    assert found.release is not None, "only a release is named with @"
    return Working(found.contract, Path(reference), found.release.text.encode())


def gate(
    references: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[CONTRACT…]", help="Contract files (default: all of the folder).", parser=given_path),
    ] = None,
    base: Annotated[str | None, typer.Option("--base", help="The commit that is published: a branch, a tag.")] = None,
    registry: Annotated[
        Path | None, typer.Option("--registry", help="The registry of released versions.", parser=given_path)
    ] = None,
    root: RootOption = None,
    output: FormatOption = Output.TEXT,
    as_json: JsonOption = False,
) -> None:
    """May these contracts follow what is published? 1 where a version, an approval or a deprecation window is missing."""
    from contract_core.rendering.changes import NOT_SEEN, successor_document

    if (base is None) == (registry is None):
        raise WrongUsageError(
            Problem("gate", "needs to know what is published", "name --base REF, or --registry DIR; not both")
        )
    folder, today = environment_of(root).contracts, now().date()
    if base is not None:
        held = _against_commit(references, base, folder, today)
    else:
        assert registry is not None, "one of the two is named"
        held = _against_registry(references, registry, folder, today)
    if as_json:
        passes = all(item.successor.passes for item in held)
        documents = [successor_document(item.successor) for item in held]
        print_json({"contracts": documents, "not_seen": NOT_SEEN, "verdict": "pass" if passes else "fail"})
    else:
        _print(held, output)
    _leave(held)


def _against_commit(references: list[Path] | None, base: str, folder: Path, today: date) -> "tuple[Held, ...]":
    from contract_core.operations.version_gate import files_against_commit, folder_against_commit

    return files_against_commit(base, references, today) if references else folder_against_commit(base, folder, today)


def _against_registry(references: list[Path] | None, place: Path, folder: Path, today: date) -> "tuple[Held, ...]":
    from contract_core.operations.version_gate import against_registry, working_contract, working_contracts

    working = tuple(map(working_contract, references)) if references else working_contracts(folder)
    if not working:
        raise WrongUsageError(Problem(str(folder), "holds no contract", "name another --root, or contract files"))
    return against_registry(place, working, today)


def _print(held: "tuple[Held, ...]", output: Output) -> None:
    from contract_core.rendering.changes import NOT_SEEN, successor_lines, successors_markdown
    from contract_core.rendering.log_lines import log_line

    if output is Output.MARKDOWN:
        typer.echo(successors_markdown([item.successor for item in held]))
        return
    if output is not Output.SARIF:
        for item in held:
            print_lines(log_line(line) for line in successor_lines(item.successor))
        typer.echo(f"note: {NOT_SEEN}")
    if output is not Output.TEXT:
        _print_places(held, output)


def _print_places(held: "tuple[Held, ...]", output: Output) -> None:
    from contract_core.rendering.annotations import github_lines, located, sarif_document

    found = [
        place
        for item in held
        for place in located(item.successor, str(item.file), b"" if item.working is None else item.working.text)
    ]
    if output is Output.GITHUB:
        print_lines(github_lines(found))
    else:
        print_json(sarif_document(found))


def _leave(held: "tuple[Held, ...]") -> None:
    if not all(item.successor.passes for item in held):
        raise typer.Exit(BROKEN)


def _day(text: str | None) -> date:
    if text is None:
        return now().date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise WrongUsageError(Problem("--as-of", "is no calendar day", "write for example 2026-10-02")) from None


def release(
    reference: Annotated[Path, typer.Argument(metavar="CONTRACT", help="The contract file.", parser=given_path)],
    by: Annotated[str, typer.Option("--by", help="Who releases it: a person, or the job that does.")],
    registry: Annotated[
        Path | None, typer.Option("--registry", help="The registry (default: the environment's).", parser=given_path)
    ] = None,
    root: RootOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be released.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a version into the registry for good, if it may follow what is there; the same version again changes nothing."""
    from contract_core.operations.version_gate import (
        existing_registry,
        hold,
        record_of,
        registry_policy,
        working_contract,
    )
    from contract_core.releases.publishing import Statement, published_before, release_of
    from contract_core.releases.sealed import refuse_other
    from contract_core.rendering.changes import successor_document, verdict_document

    _refuse_unnamed(by)
    environment, working, at = environment_of(root), working_contract(reference), now()
    kept, contract = existing_registry(registry or environment.registry), working.contract
    is_kept = contract.version in kept.versions().get(contract.name, ())
    held = hold(working, published_before(kept, contract, at.date()), registry_policy(kept), at.date())
    successor = held.successor
    changes = tuple(verdict_document(verdict) for verdict in successor.verdicts)
    said = Statement(by, at, record_of(working))
    offered = release_of(contract, working.whole_text, successor, changes, said)
    is_released = is_kept or (successor.passes and not dry_run)
    if is_kept and dry_run:
        refuse_other(next(item for item in kept.releases(contract.name) if item.version == contract.version), offered)
    elif is_released:  # a version that is kept is added again, which refuses another text under it
        kept.add(offered)
    if is_released and not is_kept:
        _announce(offered, contract, environment)
    if as_json:
        print_json(successor_document(successor) | {"released": is_released, "already_released": is_kept})
    else:
        _print((held,), Output.TEXT)
        typer.echo(
            f"{contract.name} {contract.version} {_outcome(successor, is_kept=is_kept, is_released=is_released)}"
        )
    _leave((held,))


def _announce(released: "Release", contract: "Contract", environment: "Environment") -> None:
    """Tells the channel that the contract names; a release stands whether or not anybody could be told."""
    from contract_core.operations.announcing import announce
    from contract_core.releases.changelog import announcement_text
    from contract_core.rendering.log_lines import log_line

    channel, terms = contract.changes.announce, contract.changes
    if channel is None:
        return
    title, text = f"{released.name} {released.version}", announcement_text(released, terms.migration)
    failure = announce(title, text, channel, environment, variables())
    told = f"told on channel '{channel}'" if failure is None else f"nobody was told: {failure}"
    typer.echo(f"note: {log_line(told)}", err=True)


def _refuse_unnamed(by: str) -> None:
    if not by.strip() or not by.isprintable() or len(by) > _LONGEST_NAME:
        what = f"is no name: 1 to {_LONGEST_NAME} characters on one line are needed"
        raise WrongUsageError(Problem("--by", what, "write who releases it, for example --by ci"))


def _outcome(successor: "Successor", *, is_kept: bool, is_released: bool) -> str:
    if is_kept:
        return "was released before"
    if is_released:
        return "is released"
    return "would be released" if successor.passes else "is not released"
