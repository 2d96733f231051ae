"""The command that writes a contract in another format, or asks whether a generated file is still what it would be: export."""

import shlex
from collections.abc import Mapping
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
        typer.Option(
            "--out",
            metavar="FILE",
            help="The file to write (default: standard output), or the folder where the format is one.",
            parser=given_path,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; leave with 1 where FILE is not what would be written.")
    ] = False,
    root: RootOption = None,
) -> None:
    """Write a contract in another format; what the format cannot carry is named on standard error."""
    chosen = _format_of(format_name)
    _refuse_no_place(chosen, out, check=check)
    contract = contract_of(reference, environment_of(root))
    from contract_core.rendering.log_lines import log_line

    exported = chosen.write(contract)
    for sentence in exported.not_carried:
        typer.echo(f"note: {log_line(sentence)}", err=True)
    if out is None:
        typer.echo(exported.text, nl=False)
        return
    texts = {out / name: text for name, text in exported.files.items()} if chosen.is_folder else {out: exported.text}
    if check:
        _tell_drift(contract, chosen, texts, _command(reference, chosen, out, root))
    else:
        _write(reference, chosen, out, texts)


def _refuse_no_place(chosen: ExportFormat, out: Path | None, *, check: bool) -> None:
    hint = "name it: --out DIR" if chosen.is_folder else "name it: --out FILE"
    if check and out is None:
        raise WrongUsageError(Problem("--check", f"has no {'folder' if chosen.is_folder else 'file'} to look at", hint))
    if chosen.is_folder and out is None:
        raise WrongUsageError(Problem("--format", f"'{chosen.name}' is a folder of files", hint))
    if chosen.is_folder and out is not None and out.exists() and not out.is_dir():
        raise WrongUsageError(Problem(str(out), "is no folder", "name the folder to write"))


def _write(reference: str, chosen: ExportFormat, out: Path, texts: Mapping[Path, str]) -> None:
    """Every file of the format, or none where something of somebody else has the place of one."""
    from contract_core.exports.artefact import refuse_foreign, write_artefact

    if chosen.is_folder:
        for folder in (out, *sorted({path.parent for path in texts} - {out})):
            _made(folder)
    for path in texts:
        _refuse_the_contract_itself(reference, path)
        refuse_foreign(path)
    for path, text in texts.items():
        write_artefact(path, text)


def _made(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise WrongUsageError(Problem(str(folder), "is no folder", "move it away, or name another --out")) from None
    except FileNotFoundError:
        raise WrongUsageError(Problem(str(folder.parent), "is no folder that is there", "make it first")) from None


def _format_of(name: str) -> ExportFormat:
    if name in FORMATS:
        return FORMATS[name]
    close = get_close_matches(name, FORMATS, n=1)
    known = f"formats: {', '.join(FORMATS)}"
    raise WrongUsageError(
        Problem("--format", f"'{name}' is no format", f"did you mean '{close[0]}'? {known}" if close else known)
    )


def _tell_drift(contract: "Contract", chosen: ExportFormat, texts: Mapping[Path, str], command: str) -> None:
    """Leaves with 1 where a file has drifted, and says by what and how to mend it."""
    from contract_core.exports.artefact import drift_of
    from contract_core.rendering.log_lines import log_line

    found = {path: drift for path, text in texts.items() if (drift := drift_of(path, text)) is not None}
    for path, drift in found.items():
        should = f"it should be what contract '{contract.name}' {contract.version} gives as {chosen.name}"
        print_lines([f"{path}: {drift.what}; {should}", *(f"    {log_line(line)}" for line in drift.difference)])
    if found:
        print_lines([f"    mend it: {command}"])
        raise typer.Exit(BROKEN)


def _command(reference: str, chosen: ExportFormat, out: Path, root: Path | None) -> str:
    named_root = [] if root is None else ["--root", str(root)]
    words = ["contract-gate", "export", reference, "--format", chosen.name, "--out", str(out), *named_root]
    return shlex.join(words)


def _refuse_the_contract_itself(reference: str, out: Path) -> None:
    if out.exists() and Path(reference).exists() and out.samefile(reference):
        raise WrongUsageError(Problem(str(out), "is the contract itself", "name another file"))
