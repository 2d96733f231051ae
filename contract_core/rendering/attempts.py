"""Two submissions side by side, as text and JSON: rules, counts, files and moments, and never a value."""

from collections.abc import Iterable, Iterator
from typing import Any

from contract_core.candidate.facts import FileFacts
from contract_core.contract.partition import name_of
from contract_core.operations.attempts_compared import Attempt, Compared, FileStep, NotKept, Step
from contract_core.rendering.counts import many
from contract_core.rendering.moments import SECOND, stamp
from contract_core.rendering.next_steps import failure_words
from contract_core.rendering.restatements import restated_document, restated_words

_CLEANED = "its candidate is not stored any more, so that its files are not known"
_MANY = 20


def comparison_document(found: Compared) -> dict[str, Any]:
    """Both submissions and what became of each rule and file, as JSON."""
    return {
        "contract": found.first.record.contract,
        "first": _attempt_document(found.first),
        "second": _attempt_document(found.second),
        "same_contract": not found.is_under_another_contract,
        "mended": [_step_document(step) for step in found.mended],
        "still_broken": [_step_document(step) for step in found.still_broken],
        "newly_broken": [_step_document(step) for step in found.newly_broken],
        "files": None if found.files is None else [_file_step_document(step) for step in found.files],
    }


def comparison_lines(found: Compared) -> Iterator[str]:
    """The same as a person reads it: the two submissions, then the rules, then what came in."""
    for which, attempt in (("first", found.first), ("second", found.second)):
        yield from _attempt_lines(which, attempt)
    if found.is_under_another_contract:
        yield "the contract is another text for the second: a rule that is not broken there may be gone from it"
    yield from _step_lines("mended", found.mended)
    yield from _step_lines("still broken", found.still_broken)
    yield from _step_lines("newly broken", found.newly_broken)
    if not (found.mended or found.still_broken or found.newly_broken):
        yield "both keep every rule"
    yield from _file_lines(found)


def _attempt_lines(which: str, attempt: Attempt) -> Iterator[str]:
    record = attempt.record
    about = name_of(record.contract, record.partition)
    yield f"{which}: {about}  {record.version}  submission {record.submission[:12]}, {many(record.rows, 'row')}"
    received = "" if record.received_at is None else f"received {record.received_at:{SECOND}}, "
    yield f"    {received}decided {record.decided_at:{SECOND}}: {_fate(attempt)}"
    yield f"    candidate {attempt.decided.candidate_digest[:12]}"
    if record.restated:
        yield f"    {restated_words(record.restated)}"


def _fate(attempt: Attempt) -> str:
    record = attempt.record
    apart = f"{record.quarantined:,} kept apart" if record.quarantined else ""
    return ", ".join(word for word in (record.outcome.value, apart, failure_words(record.reason)) if word)


def _step_lines(title: str, steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        sides = [side for side in (step.first, step.second) if side is not None]
        words = list(dict.fromkeys(_count_words(side) for side in sides))
        as_before = ", as before" if len(words) < len(sides) else ""
        weight = " (only warns)" if all(side.is_warning for side in sides) else ""
        yield f"{title:<14}{step.rule}: {' → '.join(words)}{as_before}{weight}"


def _count_words(side: NotKept) -> str:
    if side.is_unjudged:
        return "not judged"
    return "exceeded" if side.breaches is None else f"{side.breaches:,}"


def _file_lines(found: Compared) -> Iterator[str]:
    for which, attempt in (("first", found.first), ("second", found.second)):
        if attempt.files is None:
            yield f"files         of the {which}: {_CLEANED}"
    steps = found.files or ()
    differing = [step for step in steps if not step.is_same]
    for step in differing[:_MANY]:
        yield f"files         {step.name}: {_file_words(step)}"
    if len(differing) > _MANY:
        yield f"files         and {len(differing) - _MANY:,} more that differ"
    if same := len(steps) - len(differing):
        yield f"files         {same:,} with the same bytes in both"


def _file_words(step: FileStep) -> str:
    if step.second is None:
        return f"only in the first, {_size(step.first)}"
    if step.first is None:
        return f"only in the second, {_size(step.second)}"
    return f"{_size(step.first)} → {_size(step.second)}, other bytes"


def _size(file: FileFacts | None) -> str:
    assert file is not None, "a file is in one of the two"
    return "unreadable" if file.unreadable is not None else many(file.rows, "row")


def _attempt_document(attempt: Attempt) -> dict[str, Any]:
    record, decided = attempt.record, attempt.decided
    return {
        "submission": record.submission,
        "partition": record.partition,
        "version": record.version,
        "contract_digest": decided.contract_digest,
        "candidate": decided.candidate_digest,
        "received_at": stamp(record.received_at),
        "decided_at": stamp(record.decided_at),
        "decision": record.decision.value,
        "outcome": record.outcome.value,
        "reason": record.reason,
        "rows": record.rows,
        "quarantined": record.quarantined,
        "restated": restated_document(record.restated),
        "files": None if attempt.files is None else [_file_document(file) for file in attempt.files],
    }


def _step_document(step: Step) -> dict[str, Any]:
    return {"rule": step.rule, "first": _side_document(step.first), "second": _side_document(step.second)}


def _side_document(side: NotKept | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {"breaches": side.breaches, "unjudged": side.is_unjudged, "only_warns": side.is_warning}


def _file_step_document(step: FileStep) -> dict[str, Any]:
    sides = {"first": step.first, "second": step.second}
    return {"name": step.name, "same": step.is_same} | {
        name: None if file is None else _file_document(file) for name, file in sides.items()
    }


def _file_document(file: FileFacts) -> dict[str, Any]:
    return {
        "name": file.name,
        "rows": file.rows,
        "bytes": file.size,
        "sha256": file.sha256,
        "readable": file.unreadable is None,
    }
