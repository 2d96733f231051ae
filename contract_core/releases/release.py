"""A released version of a contract as a frozen value: its text, who released it and when, and what it changed."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Self, TypedDict, Unpack

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    field_serializer,
)

from contract_core.contract.model import NAME, VERSION, Contract
from contract_core.diff.versions import Version, version_of
from contract_core.errors import Problem, WrongUsageError

_LINE = re.compile(r"(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8}))?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError from None


def _one_line(text: str) -> str:
    if not text.strip() or _CONTROL.search(text):
        raise ValueError
    return text


def _writable(text: str) -> str:
    text.encode()
    return text


def _as_json(documents: tuple[dict[str, JsonValue], ...]) -> tuple[dict[str, JsonValue], ...]:
    json.dumps(documents, allow_nan=False, ensure_ascii=False).encode()
    return documents


def line_numbers(line: str) -> tuple[int, ...]:
    """The numbers of a line of versions: `1` is all of 1.x, `0.3` all of 0.3.x."""
    return tuple(map(int, line.split(".")))


def _by_line(until: dict[str, date]) -> dict[str, date]:
    if not all(_LINE.fullmatch(line) for line in until):
        raise ValueError
    return dict(sorted(until.items(), key=lambda item: line_numbers(item[0])))


_Name = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
_Version = Annotated[str, Field(pattern=f"^{VERSION.pattern}$")]
_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
_Line = Annotated[str, Field(max_length=200), AfterValidator(_one_line), AfterValidator(_writable)]
_Prose = Annotated[str, AfterValidator(_writable)]
_Documents = Annotated[tuple[dict[str, JsonValue], ...], AfterValidator(_as_json)]
_ByLine = Annotated[dict[str, date], AfterValidator(_by_line)]


class About(TypedDict, total=False):
    """What is said of a release beside its contract and text; `released_at` and `released_by` are needed."""

    released_at: datetime
    released_by: str
    changes: tuple[Mapping[str, Any], ...]
    required_version: str | None
    replaces: str | None
    supported_until: Mapping[str, date]
    approvals: tuple[Mapping[str, Any], ...]
    announcement: str | None
    note: str | None


_NOTHING = ("is nothing that a release can hold", "leave it out")
_WANTED = {
    "released_at": ("is no moment with a time zone", "give the moment in UTC"),
    "released_by": ("is no name on one line", "say who releases it, in up to 200 characters"),
    "supported_until": ("is no last day by major version", "write for example 1: 2027-01-31"),
    "changes": ("holds what JSON cannot", "give plain documents"),
    "approvals": ("holds what JSON cannot", "give plain documents"),
    "announcement": ("is no text", "write it in Unicode"),
    "note": ("is no text", "write it in Unicode"),
    "replaces": ("is no version", "write major, minor and patch"),
    "required_version": ("is no version", "write major, minor and patch"),
}
"""What is said of a value that a release cannot hold; the value itself never is."""


class Release(BaseModel):
    """One version of one contract as it was released. `text` is the YAML to the letter, `digest` that of the contract in it.

    `changes` are the differences to `replaces`, the version before; `supported_until` says how long older majors stay, such as `1`
    or, before 1.0.0, `0.3`.
    `status` and `sunset` are the contract's own, so that a long list is read without parsing every text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Name
    version: _Version
    digest: _Digest
    text: _Prose
    status: Literal["draft", "active", "deprecated", "retired"]
    sunset: date | None = None
    released_at: _Moment
    released_by: _Line
    changes: _Documents = ()
    required_version: _Version | None = None
    replaces: _Version | None = None
    supported_until: _ByLine = {}
    approvals: _Documents = ()
    announcement: _Prose | None = None
    note: _Prose | None = None

    @classmethod
    def of(cls, contract: Contract, text: str, **about: Unpack[About]) -> Self:
        """The release of a contract whose YAML is `text`. Raises WrongUsageError for what a release cannot hold."""
        of_contract: dict[str, Any] = {"name": contract.name, "version": contract.version, "digest": contract.digest}
        of_contract |= {"status": contract.status, "sunset": contract.sunset}
        try:
            return cls.model_validate({**of_contract, "text": text, **about})
        except ValidationError as error:
            wrong = sorted({str(each["loc"][0]) for each in error.errors(include_input=False) if each["loc"]})
        where = f"release of contract '{contract.name}' {contract.version}"
        raise WrongUsageError(*(Problem(f"{where}: {name}", *_WANTED.get(name, _NOTHING)) for name in wrong))

    @property
    def number(self) -> Version:
        """The version as numbers."""
        return version_of(self.version)

    @property
    def day(self) -> date:
        """The day of the release, in UTC."""
        return self.released_at.date()

    @field_serializer("released_at", when_used="json")
    def _stamp(self, moment: datetime) -> str:
        return moment.isoformat()
