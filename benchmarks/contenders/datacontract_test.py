"""datacontract-cli: the rules as an ODCS document, tested on DuckDB by its own checks."""

from collections.abc import Mapping
from pathlib import Path

from datacontract.data_contract import DataContract

from benchmarks.contenders.answer import say

_DOCUMENT = r"""
apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: 1.0.0
status: active
servers: [{server: local, type: local, path: PATH, format: parquet}]
schema:
  - name: orders
    physicalType: table
    quality:
      - {type: library, metric: duplicateValues, name: key, mustBe: 0, arguments: {properties: [shop, ticket]}}
    properties:
      - {name: order_id, logicalType: integer, required: true, unique: true}
      - {name: shop, logicalType: string, required: true}
      - {name: ticket, logicalType: integer, required: true}
      - {name: email, logicalType: string, logicalTypeOptions: {pattern: '^[a-z0-9._]+@[a-z0-9.-]+\.[a-z]{2,}$'}}
      - {name: sku, logicalType: string, required: true, logicalTypeOptions: {pattern: '^[A-Z]{3}-[0-9]{5}$'}}
      - name: status
        logicalType: string
        required: true
        quality:
          - {type: library, metric: invalidValues, name: enum, mustBe: 0, arguments: {validValues: [open, paid, sent, returned, closed]}}
      - {name: quantity, logicalType: integer, required: true, logicalTypeOptions: {minimum: 1, maximum: 1000}}
      - {name: price, logicalType: number, logicalTypeOptions: {minimum: 0, maximum: 100000}}
      - name: note
        logicalType: string
        logicalTypeOptions: {maxLength: 60}
        quality:
          - {type: library, metric: invalidValues, name: blank, mustBe: 0, arguments: {pattern: '\S'}}
      - {name: ordered_on, logicalType: date, logicalTypeOptions: {minimum: 2024-01-01, maximum: 2025-12-31}}
      - {name: is_gift, logicalType: boolean}
      - {name: weight, logicalType: number}
"""
_KINDS = {
    "field_required": "null", "field_unique": "unique", "field_regex": "pattern", "field_minimum": "range",
    "field_maximum": "range", "field_max_length": "length",
}  # fmt: skip


def count(path: Path) -> Mapping[str, int]:
    """What each check measured. The key too, yet untold: rows with a null are none of its duplicates."""
    run = DataContract(data_contract_str=_DOCUMENT.replace("PATH", str(path))).test()
    found: dict[str, int] = {}
    for check in run.checks:
        measured = check.diagnostics or {}
        rule = _rule(check.type, check.field, measured)
        if rule is not None:
            found[rule] = found.get(rule, 0) + int(measured.get("failed_rows", measured.get("value", 0)))
    return found


def _rule(kind: str, field: str | None, measured: Mapping[str, object]) -> str | None:
    if kind in _KINDS:
        return f"{field}.{_KINDS[kind]}"
    by_field = {"status": "status.enum", "note": "note.blank"}
    return by_field.get(field or "") if measured.get("metric") == "invalid_count" else None


if __name__ == "__main__":
    say(count)
