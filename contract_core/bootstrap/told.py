"""What is told beside a first contract: what it was held against, what was left out, and how much is to be reviewed."""

from collections.abc import Iterator, Mapping, Sequence

from contract_core.bootstrap.draft import REVIEW
from contract_core.contract.yaml_document import Path
from contract_core.validation.report import ValidationReport


def inferred_lines(
    told: Sequence[str], reports: Sequence[ValidationReport], notes: Mapping[Path, str]
) -> Iterator[str]:
    """Each thing that was left out, that the delivery keeps the contract, and how many marks wait for a person."""
    yield from (f"note: {sentence}" for sentence in told)
    rows = sum(report.rows for report in reports)
    partitions = f" in {_many(len(reports), 'partition')}" if reports and reports[0].partition is not None else ""
    obligations = len(reports[0].findings) if reports else 0
    yield f"{_many(rows, 'row')}{partitions} {'keeps' if rows == 1 else 'keep'} all {_many(obligations, 'obligation')} of this contract"
    marks = sum(note.startswith(REVIEW) for note in notes.values())
    yield f"{_many(marks, 'guess', 'guesses')} marked 'review' {'waits' if marks == 1 else 'wait'} for the people who answer for the values"


def _many(count: int, word: str, several: str = "") -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {several or word + 's'}"
