"""Where an environment keeps its things. Only places differ between environments, never rules."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

VARIABLE = "CONTRACT_GATE_"
DEFAULT_ROOT = "data"


@dataclass(frozen=True, slots=True)
class Environment:
    """The folders of one environment: contracts and landing are read, the others belong to the gate alone."""

    contracts: Path
    landing: Path
    candidates: Path
    published: Path
    quarantine: Path
    ledger: Path
    registry: Path

    @classmethod
    def at(cls, root: Path) -> Self:
        """The usual layout: every folder under its own name below one root."""
        return cls(**{field.name: _plain(root / field.name) for field in fields(cls)})

    @classmethod
    def of(cls, variables: Mapping[str, str], root: Path | None = None) -> Self:
        """The layout below `root` (else CONTRACT_GATE_ROOT, else ./data); CONTRACT_GATE_LANDING and its like move one folder."""
        base = root if root is not None else Path(variables.get(f"{VARIABLE}ROOT") or DEFAULT_ROOT)
        named = {field.name: variables.get(VARIABLE + field.name.upper()) for field in fields(cls)}
        return cls(**{name: _plain(Path(place) if place else base / name) for name, place in named.items()})


def _plain(place: Path) -> Path:
    """The place as no library takes it for another: Polars reads `~x` as a home and `s3:/x` as a bucket where a path begins with it."""
    first = place.parts[0] if place.parts else ""
    return place.absolute() if first.startswith("~") or ":" in first else place
