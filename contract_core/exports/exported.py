"""What an export gives: the text, and what it could not carry."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exported:
    """A contract in another format. `not_carried` names each promise that the format cannot hold, and why, in plain sentences."""

    text: str
    not_carried: tuple[str, ...] = ()
