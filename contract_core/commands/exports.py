"""The command that writes a contract in another format, or asks whether a generated file is still what it would be: export."""

import shlex
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import (
    BROKEN,
    ContractArgument,
    RootOption,
    contract_of,
    environment_of,
    given_path,
)
from contract_core.errors import Problem, WrongUsageError
from contract_core.exports.formats import FORMATS, ExportFormat
from contract_core.terminal import print_lines

if TYPE_CHECKING:
    from contract_core.contract.model import Contract


def export(
    reference: ContractArgument,
    format_name: Annotated[
        str,
        typer.Option(
            "--format", metavar="FORMAT", help="; ".join(f"{item.name}: {item.what}" for item in FORMATS.values()) + "."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The file to write (default: standard output).", parser=given_path),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; leave with 1 where FILE is not what would be written.")
    ] = False,
    root: RootOption = None,
) -> None:
    """Write a contract in another format; what the format cannot carry is named on standard error."""
    chosen = _format_of(format_name)
    if check and out is None:
        raise WrongUsageError(Problem("--check", "has no file to look at", "name it: --out FILE"))
    contract = contract_of(reference, environment_of(root))
    from contract_core.exports.artefact import refuse_foreign, write_artefact
    from contract_core.rendering.log_lines import log_line

    exported = chosen.write(contract)
    for sentence in exported.not_carried:
        typer.echo(f"note: {log_line(sentence)}", err=True)
    if out is None:
        typer.echo(exported.text, nl=False)
    elif check:
        _tell_drift(contract, chosen, out, exported.text, _command(reference, chosen, out, root))
    else:
        _refuse_the_contract_itself(reference, out)
        refuse_foreign(out)
        write_artefact(out, exported.text)


def _format_of(name: str) -> ExportFormat:
    if name in FORMATS:
        return FORMATS[name]
    close = get_close_matches(name, FORMATS, n=1)
    known = f"formats: {', '.join(FORMATS)}"
    raise WrongUsageError(
        Problem("--format", f"'{name}' is no format", f"did you mean '{close[0]}'? {known}" if close else known)
    )


def _tell_drift(contract: "Contract", chosen: ExportFormat, out: Path, text: str, command: str) -> None:
    """Leaves with 1 where the file has drifted, and says by what and how to mend it."""
    from contract_core.exports.artefact import drift_of
    from contract_core.rendering.log_lines import log_line

    drift = drift_of(out, text)
    if drift is None:
        return
    told = (
        f"{out}: {drift.what}; it should be what contract '{contract.name}' {contract.version} gives as {chosen.name}"
    )
    difference = (f"    {log_line(line)}" for line in drift.difference)
    print_lines([told, *difference, f"    mend it: {command}"])
    raise typer.Exit(BROKEN)


def _command(reference: str, chosen: ExportFormat, out: Path, root: Path | None) -> str:
    named_root = [] if root is None else ["--root", str(root)]
    words = ["contract-gate", "export", reference, "--format", chosen.name, "--out", str(out), *named_root]
    return shlex.join(words)


def _refuse_the_contract_itself(reference: str, out: Path) -> None:
    if out.exists() and Path(reference).exists() and out.samefile(reference):
        raise WrongUsageError(Problem(str(out), "is the contract itself", "name another file"))
