"""The record of one release, a reviewed file beside the contracts: what its author says of the meaning, and who agreed.

contract: orders
version: "2.0.0"
meaning: {fields.status.semantics: same}
approvals:
  - {by: revenue_report, changes: 3f9a12bc04de}
supported_until: 2027-03-31
"""

import hashlib
from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from contract_core.contract.model import ContractName
from contract_core.contract.scalars import Day, NamedText, Term, Text
from contract_core.diff.change import Change

_LENGTH = 12
_IS_TEXT = set("abcdf")
"""Letters that no number has, so that YAML reads a digest as text without quotes too."""


class Approval(Term):
    """Somebody's agreement to just these changes: another change makes another digest, and needs a new one."""

    by: NamedText
    changes: NamedText
    on: Day | None = None
    note: Text | None = None


class ChangeRecord(Term):
    """What people say about one release that no machine can find out."""

    contract: ContractName
    version: NamedText
    meaning: dict[Text, Literal["same", "changed"]] = Field(default={}, validate_default=False)
    approvals: tuple[Approval, ...] = ()
    supported_until: Day | None = None
    migration: NamedText | None = None
    announcement: NamedText | None = None

    def approvers(self, digest: str) -> frozenset[str]:
        """Who agreed to the changes of this digest."""
        return frozenset(approval.by for approval in self.approvals if approval.changes == digest)


def digest_of(changes: Iterable[Change], follows: str) -> str:
    """What an approval names: the same as long as the same changes of what they follow ask for it, whatever else is edited.

    `follows` is the contract with its major version, so that nobody's agreement is used a second time.
    """
    lines = sorted(f"{change.kind} {change.path} {change.what}" for change in changes)
    digest = hashlib.sha256("\n".join([follows, *lines]).encode()).hexdigest()
    starts = range(len(digest) - _LENGTH)
    return next(piece for start in starts if _IS_TEXT & set(piece := digest[start : start + _LENGTH]))
