"""The least that reading typed YAML takes: the loader in C, and a flat pydantic model that checks kinds of values alone."""

import sys
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """Something with a name, and whatever else is said of it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str


class Field(Part):
    """One column."""

    type: str
    required: bool = True
    nullable: bool = False
    enum: list[Any] | None = None
    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    trimmed: bool = False
    unit: str | None = None
    description: str | None = None
    semantics: str | None = None


class Contract(BaseModel):
    """One file."""

    model_config = ConfigDict(frozen=True, extra="allow")

    contract: str
    version: str
    fields_: list[Field] = []
    rules: list[Part] = []


def main() -> None:
    """Read every file, and say how many there are."""
    read = [_read(path) for path in sorted(Path(sys.argv[1]).iterdir())]
    print(len(read), "contracts")


def _read(path: Path) -> Contract:
    loaded = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
    loaded["fields_"] = loaded.pop("fields")
    return Contract.model_validate(loaded)


if __name__ == "__main__":
    main()
