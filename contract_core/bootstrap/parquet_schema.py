"""The schema of a Parquet file → a contract: names, exact types and which columns can hold nulls. No row is read."""

from pathlib import Path

import polars as pl

from contract_core.bootstrap.draft import Draft, FieldDraft
from contract_core.bootstrap.imported import Imported, as_imported, new_draft, with_fields
from contract_core.bootstrap.names import declarable
from contract_core.bootstrap.parquet_footer import NotUnderstood, required_columns
from contract_core.bootstrap.physical_fields import language_type
from contract_core.candidate.columnar import read_parquet
from contract_core.candidate.delivered_paths import is_unicode, shown
from contract_core.candidate.text_lines import Unreadable
from contract_core.errors import CandidateUnreadableError, Problem


def read_parquet_schema(path: Path, name: str) -> Imported:
    """The contract that this file's schema states. Raises CandidateUnreadableError where it is no Parquet file."""
    if not path.is_file():
        raise _refused(path, "is no file" if path.exists() else "is not there")
    if not is_unicode(path.absolute()):
        raise _refused(path, "stands under a path that is not UTF-8")
    try:
        schema = read_parquet(path.absolute()).schema
    except Unreadable as fault:
        raise _refused(path, str(fault)) from None
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror}") from None
    names, told = declarable(tuple(schema))
    draft = new_draft(name, "parquet").telling(*told)
    draft = draft.having(extra_fields="ignore") if told else draft
    required = _required(path)
    if required is None:
        draft = draft.telling("which columns can hold nulls: the footer does not say it in a way that is understood")
    return as_imported(_with_columns(draft, {column: schema[column] for column in names}, required or frozenset()))


def _with_columns(draft: Draft, schema: dict[str, pl.DataType], required: frozenset[str]) -> Draft:
    fields = []
    for column, dtype in schema.items():
        written, reason = language_type(dtype)
        draft = draft.telling(f"`{column}`: {reason}") if reason else draft
        if written is None:
            draft = draft.having(extra_fields="ignore")
        else:
            loose = {} if column in required else {"nullable": True}
            fields.append(FieldDraft(column, {"type": written, **loose}))
    if not fields:
        raise CandidateUnreadableError(
            Problem("schema", "has no column that a contract could declare", "name another file")
        )
    return with_fields(draft, tuple(fields))


def _required(path: Path) -> frozenset[str] | None:
    try:
        return required_columns(path)
    except NotUnderstood:
        return None


def _refused(path: Path, what: str) -> CandidateUnreadableError:
    return CandidateUnreadableError(Problem(f"file {shown(path)}", what, "name a Parquet file"))
