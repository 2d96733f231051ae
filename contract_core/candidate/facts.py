"""What was found in a delivery besides its rows: files, parts, declarations and everything that did not fit.

Facts travel inside the candidate file itself. They hold names that come from the data (undeclared columns, parts),
which are kept for the restricted area and never belong in a message.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

METADATA_KEY = "contract-gate"
Presence = Literal["none", "present", "unreadable"]


@dataclass(frozen=True, slots=True)
class ColumnFact:
    """One delivered column: its name and type as delivered, and its place, counted from 1."""

    name: str
    type: str
    position: int


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One delivered file; `unreadable` says why it gave no rows: with the line where known, without a value."""

    name: str
    size: int
    sha256: str
    rows: int = 0
    columns: tuple[ColumnFact, ...] = ()
    unreadable: str | None = None


@dataclass(frozen=True, slots=True)
class PartFacts:
    """One part as declared and as found; `complete` is None where nobody declared it, `rows` are those found.

    `deliveries` counts how often it was delivered, which should be once.
    """

    name: str
    complete: bool | None = None
    rows: int = 0
    declared_rows: int | None = None
    source_file: str | None = None
    problems: tuple[str, ...] = ()
    deliveries: int = 1


@dataclass(frozen=True, slots=True)
class ExtraColumn:
    """A delivered column or key that the contract does not declare; `rows` are the records that carry it."""

    position: int
    file: str
    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class DeliveryProblem:
    """One thing that a delivery declares wrongly: the rule that it breaks and a text without values."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a producer says about the delivery as a whole, as it stands in the envelope or the manifest."""

    contract: str | None = None
    version: str | None = None
    partition: str | None = None
    unit: str | None = None
    parts: tuple[PartFacts, ...] = ()
    problems: tuple[DeliveryProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything about a candidate that its rows do not say."""

    format: str
    files: tuple[FileFacts, ...] = ()
    parts: tuple[PartFacts, ...] = ()
    extra_columns: tuple[ExtraColumn, ...] = ()
    missing: Mapping[str, int] = field(default_factory=dict)
    absent_somewhere: tuple[str, ...] = ()
    mixed_types: tuple[str, ...] = ()
    mixed_rows: Mapping[str, int] = field(default_factory=dict)
    declared_contract: str | None = None
    declared_version: str | None = None
    declared_partition: str | None = None
    declared_unit: str | None = None
    manifest: Presence = "none"
    undeclared_files: tuple[str, ...] = ()
    problems: tuple[DeliveryProblem, ...] = ()
    share: int | None = None
    """How many rows are this candidate's, where the delivery holds several partitions."""

    @property
    def rows(self) -> int:
        """How many rows the candidate has: all that the readable files gave, or the share of its partition."""
        return sum(file.rows for file in self.files) if self.share is None else self.share

    def to_json(self) -> str:
        """One canonical text: the same facts give the same bytes."""
        stated = asdict(self)
        if self.share is None:  # so that a delivery of one partition has the bytes that it always had
            del stated["share"]
        return json.dumps(stated, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The facts that `to_json` wrote; raises ValueError, TypeError or KeyError for any other text."""
        stored: dict[str, Any] = json.loads(text)
        stored["files"] = tuple(_file_facts(item) for item in stored["files"])
        stored["parts"] = tuple(PartFacts(**{**item, "problems": tuple(item["problems"])}) for item in stored["parts"])
        stored["extra_columns"] = tuple(ExtraColumn(**item) for item in stored["extra_columns"])
        stored["problems"] = tuple(DeliveryProblem(**item) for item in stored["problems"])
        for name in ("absent_somewhere", "mixed_types", "undeclared_files"):
            stored[name] = tuple(stored[name])
        return cls(**stored)


def _file_facts(stored: dict[str, Any]) -> FileFacts:
    columns = tuple(ColumnFact(**item) for item in stored["columns"])
    return FileFacts(**{**stored, "columns": columns})
