"""What is judged: a candidate opened under its contract, with the columns that rules can be asked on."""

from dataclasses import dataclass

import polars as pl

from contract_core.candidate.columns import ABSENT
from contract_core.candidate.facts import Facts
from contract_core.candidate.physical_types import decoded_dtype, type_words
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.validation.schema_match import Columns


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged under which contract: the candidate, the types of its columns, and optional fields left out.

    A field that is left out stands among the columns as nulls, so that a condition across columns can be asked.
    """

    contract: Contract
    candidate: Candidate
    columns: Columns
    left_out: frozenset[str]

    @property
    def facts(self) -> Facts:
        """What was found in the delivery besides its rows."""
        return self.candidate.facts

    @property
    def part_column(self) -> str | None:
        """The column that tells each row's part, where there is one and it can be read."""
        terms = self.contract.delivery.parts
        name = terms.column if terms is not None else None
        return name if name is not None and not self.why_not(name) else None

    def refuses_missing(self, column: str) -> bool:
        """True where a row without a value in this column holds the delivery back already, whatever it means to other rules."""
        field = self.contract.field(column)
        weights = {field.severity_of(rule) for rule in ("missing", "null", "type")}
        is_owed = field.required and not field.nullable and weights == {Severity.ERROR}
        return is_owed and self.contract.enforcement.on_breach == "fail"

    def why_not(self, column: str) -> str:
        """Why rules on this column cannot be asked; empty where they can."""
        if column in self.left_out:
            return ""
        if not self.columns.has(column):
            return f"the delivery has no column '{column}'"
        promised = self.contract.field(column).type
        if not self.columns.fits(column, promised):
            return f"column '{column}' has the type {type_words(self.columns.types[column])}, promised is {promised}"
        return ""

    def is_one_by_one(self, name: str) -> bool:
        """True where each record tells for itself whether it has the field; in files with columns a whole file lacks it."""
        return self.facts.format in ("jsonl", "envelope") and self.columns.has(ABSENT + name)


def open_subject(contract: Contract, candidate: Candidate) -> tuple[pl.LazyFrame, Subject]:
    """The candidate's rows, lazily, with nulls for the optional fields that the delivery leaves out; and what is known of them."""
    rows = candidate.scanned()
    found = rows.collect_schema()
    left_out = [field for field in contract.fields if not field.required and field.name not in found]
    rows = rows.with_columns(pl.lit(None, dtype=decoded_dtype(field.type)).alias(field.name) for field in left_out)
    columns = Columns(rows.collect_schema(), contract.delivery.format.is_text)
    return rows, Subject(contract, candidate, columns, frozenset(field.name for field in left_out))
