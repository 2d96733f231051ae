"""What the stages of a delivery cost, and its rules, as small tables that are read at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from contract_core.publication.stages import StageCost, costs_of
from contract_core.rendering.counts import many
from contract_core.validation.report import RuleCost

_HEAD = ("", "seconds", "CPU s", "read", "rows", "rows/s", "memory")
_UNITS = ("B", "kB", "MB", "GB", "TB")
_STEP = 1000
_WHOLE = 10
_INDENT, _RULES = "   cost  ", "  rules  "
_RULE_HEAD = ("each by itself", "seconds", "CPU s")
_DEAREST = 10


def cost_lines(effort: Mapping[str, float]) -> Iterator[str]:
    """A line of headings and one for each stage; nothing where nothing was measured. What is not known is left empty."""
    rows = [_HEAD, *map(_cells, costs_of(effort))]
    return iter(()) if len(rows) == 1 else _table(_INDENT, rows)


def rule_lines(costs: Iterable[RuleCost]) -> Iterator[str]:
    """The dearest rules, and what the others cost together; each was asked by itself."""
    known = sorted(costs, key=lambda cost: cost.cpu_seconds, reverse=True)
    others = known[_DEAREST:]
    rows = [(cost.id, _seconds(cost.seconds), _seconds(cost.cpu_seconds)) for cost in known[:_DEAREST]]
    if others:
        seconds, cpu_seconds = sum(cost.seconds for cost in others), sum(cost.cpu_seconds for cost in others)
        rows.append((many(len(others), "other"), _seconds(seconds), _seconds(cpu_seconds)))
    return iter(()) if not rows else _table(_RULES, [_RULE_HEAD, *rows])


def rule_document(costs: Iterable[RuleCost]) -> dict[str, Any]:
    """What each rule cost by itself, as JSON."""
    return {cost.id: {"seconds": cost.seconds, "cpu_seconds": cost.cpu_seconds} for cost in costs}


def _table(indent: str, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The names to the left, the numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for place, (name, *numbers) in enumerate(rows):
        cells = [name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True))]
        yield f"{indent if place == 0 else ' ' * len(indent)}{'  '.join(cells)}".rstrip()


def _cells(cost: StageCost) -> tuple[str, ...]:
    return (
        cost.stage,
        _seconds(cost.seconds),
        _seconds(cost.cpu_seconds),
        _size(cost.read_bytes),
        _count(cost.rows),
        _count(cost.rows_per_second),
        _size(cost.peak_bytes),
    )


def _seconds(number: float | None) -> str:
    return "" if number is None else f"{number:,.2f}"


def _count(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}"


def _size(number: float | None) -> str:
    """With three digits that count, in the units that disks and files are sold in."""
    if number is None:
        return ""
    unit = 0
    while number >= _STEP and unit < len(_UNITS) - 1:
        number, unit = number / _STEP, unit + 1
    return f"{number:,.1f} {_UNITS[unit]}" if unit and number < _WHOLE else f"{number:,.0f} {_UNITS[unit]}"
