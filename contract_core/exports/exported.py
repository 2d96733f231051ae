"""What an export gives: the text, or the files of a folder, and what it could not carry."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Exported:
    """A contract in another format. `not_carried` names each promise that the format cannot hold, and why, in plain sentences.

    A format of several files gives `files`, texts by their paths below a folder with `/` between names, and no text of its own.
    """

    text: str
    not_carried: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
