"""How contracts stand, as a person wants to read it and as JSON: those first that need somebody."""

from collections.abc import Iterable, Iterator
from typing import Any

from contract_core.candidate.landing import landing_path
from contract_core.operations.standing import Standing
from contract_core.publication.history import DecisionRecord
from contract_core.rendering.attention import attention_lines, incident_document
from contract_core.rendering.coverage import Signs, coverage_document, coverage_lines, legend
from contract_core.rendering.deadlines import deadline_lines, deadlines_document
from contract_core.rendering.history import quiet_document, quiet_lines, status_document
from contract_core.rendering.moments import MINUTE
from contract_core.rendering.remarks import request_lines
from contract_core.rendering.reports import quarantine_place
from contract_core.rendering.shown import event_age_words, partition_words
from contract_core.rendering.styled import Line, in_rows, wrapped

_STYLES = {True: "bold red", False: "green", None: ""}


def overview_lines(standings: Iterable[Standing], signs: Signs, width: int) -> Iterator[Line]:
    """A block for each contract, one line for those of which all is well, and at the end what the signs mean."""
    is_drawn = False
    for standing in sorted(standings, key=lambda each: (not each.needs_somebody, each.contract.name)):
        yield from standing_lines(standing, signs, width)
        is_drawn = is_drawn or (standing.coverage is not None and bool(standing.coverage.partitions))
    if is_drawn:
        yield ()
        yield from in_rows(legend(signs), width)


def standing_lines(standing: Standing, signs: Signs, width: int) -> Iterator[Line]:
    """What is shown and how old it is, the last partitions, what is wrong, and what else one should know."""
    yield from _headline(standing, width)
    yield from coverage_lines(standing.contract, standing.coverage, signs, width)
    yield from attention_lines(standing, width)
    status = standing.status
    if status.quarantined:
        verb = "row is" if status.quarantined == 1 else "rows are"
        where = quarantine_place(status.contract)
        said = f"{status.quarantined:,} {verb} in {where}, of what was delivered for what is shown"
        yield from wrapped((("    ", ""),), said, width)
    others = (*request_lines(status.requested), *deadline_lines(standing.deadlines), *quiet_lines(standing.quiet))
    for line in others:
        yield from wrapped((("    ", ""),), line.strip(), width)


def _headline(standing: Standing, width: int) -> Iterator[Line]:
    contract, status = standing.contract, standing.status
    is_usual = contract.status in ("active", "draft")
    name = (
        (f"{contract.name} {contract.version}", "bold"),
        ("" if is_usual else f" ({contract.status})", ""),
        (": ", ""),
    )
    if status.newest is None:
        yield (*name, ("nothing is published", ""))
        said = "nothing was accepted yet" if standing.is_offered else "nothing was delivered yet"
        yield from wrapped((("    ", ""),), f"{said}; deliveries land in landing/{landing_path(contract)}", width)
        return
    word = {True: "stale", False: "fresh", None: ""}[status.is_stale]
    shown = f"shows {partition_words(status)}, {event_age_words(status)}"
    yield (*name, (f"{shown}, " if word else shown, ""), (word, _STYLES[status.is_stale]))
    yield from wrapped((("    ", ""),), _origin(status.newest), width)


def _origin(record: DecisionRecord) -> str:
    """When what is shown was published, and what it is."""
    moment = record.published_at or record.decided_at
    return f"published {moment:{MINUTE}}, submission {record.submission[:12]}"


def standing_document(standing: Standing) -> dict[str, Any]:
    """How one contract stands, as JSON."""
    return status_document(standing.status) | {
        "deadlines": deadlines_document(standing.deadlines),
        "quiet": quiet_document(standing.quiet),
        "coverage": coverage_document(standing.coverage),
        "incidents": [incident_document(item) for item in standing.incidents],
    }
