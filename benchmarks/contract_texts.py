"""Contracts of forty fields each, no two of them alike, and the same contracts in a later version: made, not measured."""

from pathlib import Path

FIELDS = 40
_SHAPES = (
    'type: string, pattern: "[A-Z]{2}[0-9]{4}", max_length: 6, description: "Text of column %d."',
    "type: int64, min: 0, max: 1000000, unit: cases",
    'type: "decimal(12,2)", min: 0, nullable: true, semantics: "Net of tax, in euro."',
    "type: date, min: 2020-01-01",
    "type: string, enum: [open, paid, sent, lost], severity: {enum: warn}",
    "type: boolean, required: false, nullable: true",
    'type: "timestamp[us,UTC]"',
    "type: string, not_blank: true, trimmed: true",
)
_TEXT = """\
contract: c{number}
version: "{version}"
status: active
description: Contract number {number}.
grain: One row per f0 and f3.
owners:
  producer: {{name: maker, contact: "team:maker"}}
  consumers:
    - {{name: reader, contact: "reader@example.org", relies_on: [f0, f1]}}
key: [f0, f3]
fields:
{fields}
rules:
  - {{name: paid_has_amount, sql: "f4 <> 'paid' OR f2 > {number}"}}
  - {{name: in_order, sql: "f1 <= f9 + {number} OR f9 IS NULL", severity: warn}}
delivery:
  path: "c{number}/{{partition}}/*.parquet"
  format: {{type: parquet}}
  partition: {{every: day, column: f3, timezone: UTC, start: 2026-10-01}}
freshness: {{column: f3, max_age: 2d, severity: warn}}
"""


def write_contracts(folder: Path, count: int) -> Path:
    """So many contracts, one file each, in a folder that is made."""
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"c{number}.yaml").write_text(_contract(number, "1.0.0", _SHAPES))
    return folder


def write_later_contracts(folder: Path, count: int) -> Path:
    """The same contracts, in which every eighth field takes larger numbers and one more word is allowed."""
    folder.mkdir(parents=True)
    shapes = (
        _SHAPES[0],
        _SHAPES[1].replace("1000000", "2000000"),
        *_SHAPES[2:4],
        _SHAPES[4].replace("lost", "lost, held"),
    )
    for number in range(count):
        (folder / f"c{number}.yaml").write_text(_contract(number, "2.0.0", (*shapes, *_SHAPES[5:])))
    return folder


def _contract(number: int, version: str, shapes: tuple[str, ...]) -> str:
    fields = "\n".join(f"  - {{name: f{index}, {_shape(shapes, index)}}}" for index in range(FIELDS))
    return _TEXT.format(number=number, version=version, fields=fields)


def _shape(shapes: tuple[str, ...], index: int) -> str:
    return shapes[index % len(shapes)].replace("%d", str(index))
