"""A team's own policy: one reviewed file that raises the class of a kind of change, or lowers it with a reason, an owner and an end.

profile: consumer_strict
overrides:
  - {kind: field_added_optional_closed, class: breaking}
  - {kind: bound_relaxed, contract: orders, class: patch, reason: Vouchers, owner: web_shop, expires: 2027-01-31}
"""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from contract_core.contract.model import ContractName
from contract_core.contract.scalars import Day, NamedText, Term, YesNo, refuse
from contract_core.diff.change import Change
from contract_core.diff.compatibility import COMPATIBILITY
from contract_core.diff.kinds import ChangeKind, Class

Profile = Literal["default", "consumer_strict", "producer", "full"]


class Override(Term):
    """Another class for one kind of change; everywhere, or in one contract, or at one path of it."""

    kind: ChangeKind
    verdict: Annotated[Class, Field(alias="class")]
    contract: ContractName | None = None
    path: NamedText | None = None
    reason: NamedText | None = None
    owner: NamedText | None = None
    expires: Day | None = None

    @model_validator(mode="after")
    def _is_answered_for(self) -> "Override":
        told = (self.reason, self.owner, self.expires)
        if any(told) and not all(told):
            refuse(
                "says half of who answers for it",
                "write reason:, owner: and expires:, or none of them to raise a class",
            )
        row = COMPATIBILITY[self.kind]
        if all(told) and row.asks_meaning:
            refuse(f"only the author of a '{self.kind}' knows what it means", "say it in the record of the new version")
        if all(told) and Class.REFUSED in (row.default, row.strict):
            refuse(
                f"'{self.kind}' is refused until the authority approves it",
                "record that approval beside the new version",
            )
        return self

    @property
    def may_lower(self) -> bool:
        """True where somebody answers for it."""
        return self.expires is not None

    def asks_to_lower(self, contract: str, change: Change, given: Class) -> bool:
        """True where it would lower this change, and nobody answers for it."""
        return not self.may_lower and self.verdict.weight < given.weight and self.applies_to(contract, change)

    def applies_to(self, contract: str, change: Change) -> bool:
        """True for a change that this override is about."""
        is_here = self.contract in (None, contract) and self.path in (None, change.path)
        return is_here and self.kind is change.kind


class Policy(Term):
    """How changes are judged where the table is not enough. `profile` and `transitive` make contracts stricter, never milder."""

    profile: Profile | None = None
    transitive: YesNo = False
    overrides: tuple[Override, ...] = ()

    def verdict(self, contract: str, change: Change, given: Class, today: date) -> tuple[Class, Override | None]:
        """The class after the overrides, and the one that decided it; one that has expired lowers nothing."""
        decided: tuple[Class, Override | None] = (given, None)
        for override in self.overrides:
            if not override.applies_to(contract, change):
                continue
            is_heavier = override.verdict.weight > decided[0].weight
            is_allowed = override.expires is not None and today <= override.expires
            if is_heavier or (is_allowed and override.verdict is not decided[0]):
                decided = override.verdict, override
        return decided
