"""What the stages of a delivery cost, as a small table that is read at once."""

from collections.abc import Iterator, Mapping

from contract_core.publication.stages import StageCost, costs_of

_HEAD = ("", "seconds", "CPU s", "read", "rows", "rows/s", "memory")
_UNITS = ("B", "kB", "MB", "GB", "TB")
_STEP = 1000
_WHOLE = 10
_INDENT = "   cost  "


def cost_lines(effort: Mapping[str, float]) -> Iterator[str]:
    """A line of headings and one for each stage; nothing where nothing was measured. What is not known is left empty."""
    rows = [_HEAD, *map(_cells, costs_of(effort))]
    if len(rows) == 1:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for place, row in enumerate(rows):
        name, *numbers = (cell if at == 0 else cell.rjust(widths[at]) for at, cell in enumerate(row))
        indent = _INDENT if place == 0 else " " * len(_INDENT)
        yield f"{indent}{'  '.join([name.ljust(widths[0]), *numbers])}".rstrip()


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
