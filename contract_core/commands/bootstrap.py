"""Commands that make a first contract: infer it from delivered files, or import it from another language."""

import os
import re
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contract_core.commands.arguments import PathsArgument, RootOption, environment_of, now
from contract_core.errors import InvalidContractError, Problem, WrongUsageError
from contract_core.terminal import progress

if TYPE_CHECKING:
    from contract_core.bootstrap.imported import Imported
    from contract_core.contract.model import Contract


class Language(StrEnum):
    """What a contract can be taken over from."""

    ODCS = "odcs"
    PANDERA = "pandera"
    PARQUET = "parquet"
    JSON_SCHEMA = "json-schema"


OutOption = Annotated[
    Path | None, typer.Option("--out", help="Write the contract to this file, which must not be there yet.")
]


def infer(
    paths: PathsArgument,
    name: Annotated[str, typer.Option("--name", help="The contract's name: small letters, digits, underscores.")],
    partition_column: Annotated[
        str | None,
        typer.Option(
            "--partition-column", help="The field whose value (or day, or month) is the same in all rows of a file."
        ),
    ] = None,
    out: OutOption = None,
    root: RootOption = None,
) -> None:
    """Infer a first contract from delivered files: every guess is marked for review, and these files keep it."""
    environment = environment_of(root)
    _refuse_present(out)
    _refuse_name(name)
    from contract_core.bootstrap.inference import Source, inferred
    from contract_core.bootstrap.told import inferred_lines
    from contract_core.contract.writing import contract_text
    from contract_core.rendering.log_lines import log_line

    with progress("inferring", is_quiet=False), tempfile.TemporaryDirectory(prefix="contract-gate-") as work:
        found = inferred(Source(tuple(paths), name, Path(work), environment.landing, now(), partition_column))
    _give(contract_text(found.draft.contract, found.draft.comments), out)
    for line in inferred_lines(found.draft.told, found.reports, found.draft.comments):
        typer.echo(log_line(line), err=True)


def import_contract(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="The file; for pandera module:object, whose module is run by importing it."
        ),
    ],
    language: Annotated[Language, typer.Option("--from", help="The language that it is written in.")],
    name: Annotated[
        str | None,
        typer.Option("--name", help="The contract's name (default: the file's or the schema's, in small letters)."),
    ] = None,
    table: Annotated[
        str | None, typer.Option("--table", help="The table that is meant, where the document holds several (odcs).")
    ] = None,
    out: OutOption = None,
) -> None:
    """Take a contract over from another language; what a contract cannot hold is named. `--from pandera` runs the module's code."""
    _refuse_present(out)
    if name is not None:
        _refuse_name(name)
    if table is not None and language is not Language.ODCS:
        raise WrongUsageError(Problem("--table", f"{language.value} describes one table", "leave it out"))
    from contract_core.contract.writing import contract_text
    from contract_core.rendering.log_lines import log_line

    if language is Language.ODCS:
        contract, not_carried = _of_odcs(Path(source), name, table)
        text = contract_text(contract)
    else:
        found = _of_schema(source, language, name)
        text, not_carried = contract_text(found.contract, found.notes), found.not_carried
    _give(text, out)
    for sentence in not_carried:
        typer.echo(f"note: {log_line(sentence)}", err=True)


def _of_schema(source: str, language: Language, name: str | None) -> "Imported":
    own = name or _name_of(source, language)
    match language:
        case Language.PARQUET:
            from contract_core.bootstrap.parquet_schema import read_parquet_schema

            return read_parquet_schema(Path(source), own)
        case Language.JSON_SCHEMA:
            from contract_core.bootstrap.json_schema_source import read_json_schema

            return read_json_schema(Path(source), own)
        case _:
            from contract_core.bootstrap.pandera_source import read_pandera

            return read_pandera(source, name, Path.cwd(), own)


def _of_odcs(path: Path, name: str | None, table: str | None) -> tuple["Contract", tuple[str, ...]]:
    from contract_core.contract.odcs import read_odcs
    from contract_core.contract.yaml_document import MAX_BYTES

    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise WrongUsageError(
            Problem(str(path), f"cannot be read: {error.strerror}", "check the path and your rights")
        ) from None
    reading = read_odcs(text, str(path))
    if reading.obstacles and not reading.contracts:
        raise InvalidContractError(*reading.obstacles)
    found = [contract for contract in reading.contracts if table in (None, contract.name)]
    if len(found) != 1:
        names = ", ".join(contract.name for contract in reading.contracts) or "none"
        what = "holds several tables" if len(found) > 1 else "holds no such table"
        raise WrongUsageError(Problem(str(path), what, f"name one with --table: {names}"))
    contract = found[0] if name is None else found[0].model_copy(update={"contract": name})
    return contract, reading.not_carried


def _name_of(source: str, language: Language) -> str:
    """A contract's name made from that of the file or the schema."""
    from contract_core.contract.model import NAME

    stem = source.rpartition(":")[2] if language is Language.PANDERA else Path(source).name.partition(".")[0]
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", stem.rpartition(".")[2])
    name = re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")
    if NAME.fullmatch(name) is None:
        raise WrongUsageError(
            Problem("--name", "is needed: the source's own name makes none", "write --name and a name")
        )
    return name


def _refuse_name(name: str) -> None:
    from contract_core.contract.model import NAME

    if NAME.fullmatch(name) is None:
        hint = "write small letters, digits and underscores, a letter first: regional_daily_cases"
        raise WrongUsageError(Problem("--name", "is no contract name", hint))


def _refuse_present(out: Path | None) -> None:
    if out is not None and os.path.lexists(out):
        raise WrongUsageError(Problem(str(out), "is there already", "name another file, or move it away"))


def _give(text: str, out: Path | None) -> None:
    """The contract on standard output, or in a file that was not there."""
    if out is None:
        typer.echo(text, nl=False)
        return
    from contract_core.exports.artefact import write_new

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_new(out, text)
    except OSError as error:
        raise WrongUsageError(Problem(str(out), f"cannot be written: {error.strerror}", "name another file")) from None
