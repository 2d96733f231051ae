"""One change, judged: its class under a profile and a policy, whom it hits, and which consumers it breaks by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from contract_core.contract.model import Consumer, Contract, Field
from contract_core.diff.change import Change
from contract_core.diff.compatibility import COMPATIBILITY, Row
from contract_core.diff.kinds import ChangeKind as Is
from contract_core.diff.kinds import Class, Direction, Side
from contract_core.diff.policy import Override, Policy, Profile

_HITS_READERS = {Side.CONSUMER, Side.MEANING}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a change means. `consumers` are those whom it breaks; `asks` what a person has to say or do before it may pass.

    `lightest` is the class that it has at least: another one only while its author has not said whether the meaning changed.
    """

    change: Change
    verdict: Class
    lightest: Class
    direction: Direction
    breaks: tuple[Side, ...]
    reason: str
    consumers: tuple[str, ...] = ()
    asks: str = ""
    override: Override | None = None
    needs_authority: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """What changes are held against: the published contract, its successor, the team's policy, what was said, and the day."""

    old: Contract
    new: Contract
    today: date
    policy: Policy = Policy()  # noqa: RUF009 - frozen
    meaning: Mapping[str, str] = field(default_factory=dict)
    approved_by_authority: bool = False

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profile of the published contract and that of the policy, of which the heavier class counts; never the new version's."""
        both = dict.fromkeys((self.old.changes.profile, self.policy.profile or self.old.changes.profile))
        return ("full",) if "full" in both else tuple(both)

    @property
    def profile(self) -> str:
        """The profiles in words."""
        return " and ".join(self.profiles)

    @property
    def earliest_end(self) -> date:
        """The first day on which something may end that is announced now; a part of a day counts as a whole one."""
        window = self.old.changes.window
        return date.fromordinal(min(date.max.toordinal(), self.today.toordinal() + days_of(window)))


def days_of(window: timedelta) -> int:
    """A window in days, a part of a day as a whole one."""
    return -(-window // timedelta(days=1))


def judge(change: Change, terms: Terms) -> Verdict:
    """What the change means under these terms."""
    change = _in_time(change, terms)
    row = COMPATIBILITY[change.kind]
    broken = _broken(change, row, terms.old)
    judged = max((_class(row, profile, has_broken=bool(broken)) for profile in terms.profiles), key=_weight)
    given, asks = _said(change, row, judged, terms)
    verdict, override = terms.policy.verdict(terms.old.name, change, given, terms.today)
    if override is not None and verdict is Class.REFUSED:
        asks = "the policy refuses it: take the change back, or have the policy changed first"
    is_heavy = verdict in (Class.BREAKING, Class.REFUSED)
    return Verdict(
        change=change,
        verdict=verdict,
        lightest=judged if row.asks_meaning and given is Class.REFUSED else verdict,
        direction=row.direction,
        breaks=row.breaks,
        reason=row.reason,
        consumers=broken if is_heavy else (),
        asks=asks if verdict is Class.REFUSED else "",
        override=override,
        needs_authority=row.needs_process and terms.old.changes.authority is not None and given is Class.REFUSED,
    )


def _class(row: Row, profile: Profile, *, has_broken: bool) -> Class:
    depends = Class.BREAKING if has_broken else Class.COMPATIBLE
    classes = {
        "default": row.default or depends,
        "consumer_strict": row.strict or depends,
        "producer": _for_the_producer(row, row.default or depends),
    }
    return max(classes.values(), key=_weight) if profile == "full" else classes[profile]


def _weight(verdict: Class) -> int:
    return verdict.weight


def _for_the_producer(row: Row, default: Class) -> Class:
    """What accepts less breaks, what accepts more does not; what is neither, or the same everywhere, stays as it is."""
    if row.is_fixed or row.asks_meaning or Side.MEANING in row.breaks:
        return default
    if row.direction is Direction.TIGHTENS:
        return Class.BREAKING if Side.PRODUCER in row.breaks else default
    return Class.COMPATIBLE if row.direction is Direction.LOOSENS else default


def _broken(change: Change, row: Row, old: Contract) -> tuple[str, ...]:
    """The consumers whom the change hits by what they rely on, without those who say that they live with it."""
    if old.owners is None or not _HITS_READERS & set(row.breaks):
        return ()
    return tuple(
        consumer.name
        for consumer in old.owners.consumers
        if _relies(consumer, change, row) and not (row.tolerance and getattr(consumer.tolerates, row.tolerance))
    )


def _relies(consumer: Consumer, change: Change, row: Row) -> bool:
    is_of_all = change.field is None or row.tolerance == "new_fields" or not consumer.relies_on
    return is_of_all or change.field in consumer.relies_on


def _said(change: Change, row: Row, given: Class, terms: Terms) -> tuple[Class, str]:
    """The class after what people said, and what they have still to say."""
    if row.asks_meaning:
        said = terms.meaning.get(change.path)
        asked = f"say in the change record: meaning: {{{change.path}: same}}, or changed"
        return (given, "") if said == "same" else (Class.BREAKING, "") if said else (Class.REFUSED, asked)
    if row.needs_process:
        authority = terms.old.changes.authority
        asked = (
            f"'{authority}' must approve just these changes"
            if authority
            else "the published contract names no changes.authority who could approve it"
        )
        return (Class.BREAKING, "") if terms.approved_by_authority else (Class.REFUSED, asked)
    return given, "take the change back" if given is Class.REFUSED else ""


def _in_time(change: Change, terms: Terms) -> Change:
    """The change as it is on this day: before a sunset, or at shorter notice than was promised."""
    match change.kind:
        case Is.FIELD_REMOVED_AFTER_SUNSET | Is.FIELD_RENAMED:
            sunset = terms.old.field(change.field or "").sunset
            is_early = sunset is not None and terms.today <= sunset
            return replace(change, kind=Is.FIELD_REMOVED_BEFORE_SUNSET) if is_early else change
        case Is.FIELD_DEPRECATED:
            sunset = _successor(change.field or "", terms.new).sunset
            return _noticed(change, sunset, terms.earliest_end, Is.FIELD_DEPRECATED_AT_SHORT_NOTICE)
        case Is.STATUS_DEPRECATED:
            return _noticed(change, terms.new.sunset, terms.earliest_end, Is.STATUS_DEPRECATED_AT_SHORT_NOTICE)
    return change


def _successor(name: str, new: Contract) -> Field:
    """The field of that name in the newer version, else the one that it was renamed to."""
    return next((item for item in new.fields if item.name == name), None) or next(
        item for item in new.fields if item.renamed_from == name
    )


def _noticed(change: Change, sunset: date | None, earliest: date, short: Is) -> Change:
    return change if sunset is not None and sunset >= earliest else replace(change, kind=short)
