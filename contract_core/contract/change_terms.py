"""The terms of change: how strictly a new version is judged against this one, who must agree, and how long this one stays."""

from datetime import timedelta
from typing import Literal

from contract_core.contract.scalars import Duration, NamedText, Term, YesNo


class ChangeTerms(Term):
    """What a later version of the contract is held to; the terms of the published version count, never those of the branch."""

    profile: Literal["default", "consumer_strict", "producer", "full"] = "default"
    transitive: YesNo = False
    approvals: tuple[NamedText, ...] = ()
    window: Duration = timedelta(days=30)
    authority: NamedText | None = None
    migration: NamedText | None = None
    announce: NamedText | None = None
