"""One difference between two versions of a contract, stated as a fact; what it means is judged elsewhere."""

from dataclasses import dataclass

from contract_core.diff.kinds import ChangeKind


@dataclass(frozen=True, slots=True)
class Change:
    """What changed, where, and in which words; `field` is the field that it is about, by its name in the older version.

    `hint` is a guess that a person should look at, such as a rename that nobody declared.
    """

    kind: ChangeKind
    path: str
    what: str
    field: str | None = None
    hint: str = ""
