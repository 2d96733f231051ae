"""For each rule the shortest terms of a contract that ask for it, and what a breach of it counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

HEAD = 'contract: cases\nversion: "1.0.0"\n'
FIELDS = """\
fields:
  - {name: region, type: string}
  - {name: day, type: date}
  - {name: count, type: integer}
"""
_BY_DAY = "  partition: {every: day, column: day, start: 2026-10-01}\n"
_MANIFEST = "delivery:\n  manifest: required\n"
_THREE_ROWS = {"rows": 3}


@dataclass(frozen=True, slots=True)
class Broken:
    """One breach of an obligation, by its id: how often, what stands behind the number, and what is named."""

    id: str
    breaches: int = 1
    details: Mapping[str, int] = field(default_factory=lambda: _THREE_ROWS)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """Terms of a contract, without what every contract has, and the breaches of one rule that they make possible."""

    terms: str
    broken: tuple[Broken, ...]

    @property
    def text(self) -> str:
        """The whole contract."""
        return HEAD + self.terms + ("" if "fields:\n  - {" in self.terms else FIELDS)


def _of_field(rule: str, attributes: str, name: str = "region", type_: str = "string") -> Example:
    return Example(f"fields:\n  - {{name: {name}, type: {type_}{attributes}}}\n", (Broken(f"{name}.{rule}"),))


def _moved(identity: str) -> Broken:
    return Broken(identity, 1, {"moved_basis_points": 6000, "partitions": 14, "place": 0})


EXAMPLES: Mapping[str, Example] = {
    "unreadable": Example("delivery: {format: {type: csv}}\n", (Broken("unreadable", 1, {"files": 2}),)),
    "not_object": Example("delivery: {format: {type: jsonl}}\n", (Broken("not_object"),)),
    "extra_field": Example("extra_fields: reject\n", (Broken("extra_field", 1, {"first_position": 4}),)),
    "missing": Example(
        "fields:\n  - {name: region, type: string, required: true}\n", (Broken("region.missing", 1, {}),)
    ),
    "type": _of_field("type", "", "count", "integer"),
    "null": _of_field("null", ", nullable: false"),
    "not_finite": _of_field("not_finite", ", allow_nan: false", "share", "number"),
    "enum": _of_field("enum", ", enum: [open, shipped]", "status"),
    "pattern": _of_field("pattern", ', pattern: "[A-Z]{2}"'),
    "range": _of_field("range", ", min: 0, max: 1000", "count", "integer"),
    "length": _of_field("length", ", min_length: 2, max_length: 20"),
    "blank": _of_field("blank", ", not_blank: true"),
    "untrimmed": _of_field("untrimmed", ", trimmed: true"),
    "row_rule": Example(
        "rules:\n  - {name: counted, sql: \"count > 0 OR region = 'none'\"}\n", (Broken("counted.row_rule"),)
    ),
    "key": Example(
        "key: [region, day]\npublication: {mode: append}\n",
        (Broken("key", 1, {"rows": 2}), Broken("key.published")),
    ),
    "unique": Example(
        "unique:\n  - {name: one_region, fields: [region]}\n", (Broken("one_region.unique", 1, {"rows": 2}),)
    ),
    "duplicate_rows": Example("duplicate_rows: error\n", (Broken("duplicate_rows"),)),
    "group": Example(
        'groups:\n  - {name: all_regions, by: [day], sql: "count(DISTINCT region) = 12"}\n',
        (Broken("all_regions.group", 1, {"groups": 2, "unknown": 0}),),
    ),
    "history": Example(
        "key: [region, day]\n"
        'history:\n  - {name: no_collapse, sql: "count >= 0.8 * previous.count"}\n  - {name: all_again, vanished: true}\n'
        f"delivery:\n{_BY_DAY}",
        (
            Broken("no_collapse.history", 1, {"judged": 12, "unknown": 0, "skipped": 0, "ambiguous": 0}),
            Broken("all_again.history", 1, {"keys": 12}),
        ),
    ),
    "row_count": Example("rows: {min: 10, max: 1000}\n", (Broken("row_count"),)),
    "partition": Example(
        f"delivery:\n  manifest: required\n{_BY_DAY}",
        (Broken("partition"), Broken("partition.declared", 1, {})),
    ),
    "coverage": Example(
        "delivery:\n  parts: {from: column, column: region, required: [NL, BE]}\n",
        (
            Broken("coverage.missing", 1, {"missing": 1}, "BE"),
            Broken("coverage.unexpected", 1, {"unexpected": 1}),
        ),
    ),
    "completeness": Example(
        "delivery:\n  manifest: required\n  parts: {from: manifest, required: [NL, BE]}\n",
        (Broken("completeness", 1, {"incomplete": 1}, "BE"),),
    ),
    "contract": Example(_MANIFEST, (Broken("contract", 1, {}),)),
    "unit": Example(_MANIFEST, (Broken("unit", 1, {}),)),
    "deadline": Example(
        f'delivery:\n{_BY_DAY}  due: {{by: "09:00", timezone: Europe/Amsterdam, days_after: 1}}\n',
        (Broken("deadline", 1, {"late_seconds": 5400}),),
    ),
    "freshness": Example("freshness: {column: day, max_age: 2d}\n", (Broken("freshness", 1, {"age_seconds": 259200}),)),
    "volume": Example(f"delivery:\n{_BY_DAY}monitors:\n  volume: {{max_change: 50%}}\n", (_moved("volume"),)),
    "drift": Example(
        "fields:\n  - {name: day, type: date}\n  - {name: count, type: integer}\n"
        "  - {name: status, type: string, enum: [open, shipped]}\n"
        f"delivery:\n{_BY_DAY}monitors:\n  fields:\n"
        "    count: {null_rate: 5%, distinct_change: 50%, mean_change: 50%, quantiles_change: 50%}\n"
        "    status: {shares: 10%}\n",
        tuple(
            _moved(f"{name}.drift.{measure}")
            for name, measure in (
                ("count", "null_rate"),
                ("count", "distinct"),
                ("count", "mean"),
                ("count", "quantiles"),
                ("status", "shares"),
            )
        ),
    ),
}
"""By the label of the rule, in the order in which a report lists them."""
