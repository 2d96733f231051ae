"""What the commit of a publication says of itself, read back as the decision that allowed it: the reverse of `commit_metadata`.

Anyone who can write a log can write anything there, so that nothing is taken that the gate would not have written.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, Json, ValidationError

from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.validation.promise_kinds import QUANTILES

REBUILT = "rebuilt from the published table"
"""The reason of a decision that the ledger has from the table's commit and not from the gate."""

_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Utf8 = AfterValidator(lambda text: text.encode().decode())
_Text = Annotated[str, Field(min_length=1), _Utf8]
_Rows = Annotated[str, Field(pattern="^[0-9]{1,18}$")]
_Moment = Annotated[AwareDatetime, BeforeValidator(datetime.fromisoformat)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Part = Annotated[float, Field(ge=0, le=1)]
_MayBeNothing = BeforeValidator(lambda given: given or None)


class NotStated(Exception):  # noqa: N818 - no error of ours: the log says where it stands
    """The commit names a submission and does not say what the gate says of one."""


class _Found(BaseModel):
    """What the report said, by the ids of its findings."""

    model_config = ConfigDict(frozen=True, strict=True)

    breached: tuple[str, ...] = Field(default=(), strict=False)
    unjudged: tuple[str, ...] = Field(default=(), strict=False)
    warned: tuple[str, ...] = Field(default=(), strict=False)
    reasons: tuple[str, ...] = Field(default=(), strict=False)
    counts: Mapping[str, Annotated[int, Field(ge=0)]] = {}


class _Profile(BaseModel):
    """The aggregates of one field."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    null_rate: _Part | None = None
    distinct: Annotated[int, Field(ge=0)] | None = None
    mean: _Number | None = None
    quantiles: (
        Annotated[tuple[_Number, ...], Field(min_length=len(QUANTILES), max_length=len(QUANTILES), strict=False)] | None
    ) = None
    shares: Annotated[tuple[_Part, ...], Field(strict=False)] | None = None
    enum: Annotated[str, Field(pattern="^[0-9a-f]{12}$")] | None = None


class _Learned(BaseModel):
    """What was told besides the findings."""

    model_config = ConfigDict(frozen=True)

    event_age: int | None = None
    baseline: _Digest | None = None
    profile: Mapping[Annotated[str, _Utf8], _Profile] = {}
    restated: Mapping[str, Annotated[int, Field(ge=0)]] = {}


class _Stated(BaseModel):
    """The metadata of a publication; what 0.1.0 did not write may be absent."""

    model_config = ConfigDict(frozen=True)

    submission: _Digest
    contract: _Text
    contract_version: _Text
    contract_digest: _Digest
    partition: Annotated[str, _Utf8]
    candidate_digest: _Digest
    rows: _Rows
    decision: Literal["publish", "publish_with_quarantine"]
    report_digest: _Digest
    decided_at: _Moment
    quarantined: _Rows = "0"
    mode: Literal["replace_partition", "upsert", "append"] = "replace_partition"
    as_of: _Moment | None = None
    received_at: Annotated[_Moment | None, _MayBeNothing] = None
    found: Json[_Found] = Field(default="{}", validate_default=True)
    learned: Json[_Learned] = Field(default="{}", validate_default=True)


def stated_decision(about: Mapping[str, Any], contract: str) -> LedgerEntry:
    """The decision that a commit in the table of `contract` says it was made under; its runtime is not known.

    A commit of 0.1.0 does not tell for which moment it was judged: the moment of the decision stands for it.
    Raises NotStated.
    """
    try:
        stated = _Stated.model_validate(dict(about))
        rows, quarantined = int(stated.rows), int(stated.quarantined)
        decided_at = stated.decided_at.astimezone(UTC)
        as_of = (stated.as_of or decided_at).astimezone(UTC)
        received_at = None if stated.received_at is None else stated.received_at.astimezone(UTC)
    except (ValidationError, OverflowError, ValueError, TypeError, RecursionError):
        raise NotStated from None
    if stated.contract != contract or quarantined > rows:
        raise NotStated
    return LedgerEntry(
        event=Event.DECIDED,
        contract=contract,
        version=stated.contract_version,
        contract_digest=stated.contract_digest,
        partition=stated.partition or None,
        submission=stated.submission,
        candidate_digest=stated.candidate_digest,
        verdict=Verdict(stated.decision),
        report_digest=stated.report_digest,
        rows=rows,
        as_of=as_of,
        at=decided_at,
        received_at=received_at,
        breached=stated.found.breached,
        unjudged=stated.found.unjudged,
        warned=stated.found.warned,
        counts=dict(stated.found.counts),
        reason=REBUILT,
        quarantined=quarantined,
        reasons=stated.found.reasons,
        mode=stated.mode,
        event_age=stated.learned.event_age,
        baseline=stated.learned.baseline,
        profile={
            name: field.model_dump(mode="json", exclude_none=True) for name, field in stated.learned.profile.items()
        },
        restated=dict(stated.learned.restated),
    )
