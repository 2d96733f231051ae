"""The version gate: may this version follow that one? Every change is judged, and what is missing is told, all at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from contract_core.contract.model import Contract
from contract_core.diff.change import Change
from contract_core.diff.changes import find_changes, reused_names
from contract_core.diff.judging import Terms, Verdict, days_of, judge
from contract_core.diff.kinds import ChangeKind, Class
from contract_core.diff.notes import notes_of
from contract_core.diff.policy import Policy
from contract_core.diff.record import ChangeRecord, digest_of
from contract_core.diff.record_draft import RecordDraft, Wanted, drafted, unsaid
from contract_core.diff.versions import is_new_major, major_of, required_version, version_of

_AGREED = (
    ChangeKind.PRODUCER_CHANGED, ChangeKind.CONSUMER_REMOVED, ChangeKind.CONSUMER_TERMS_CHANGED,
    ChangeKind.AUTHORITY_NAMED,
)  # fmt: skip
"""Changes that break nothing and that somebody has to agree to all the same."""


@dataclass(frozen=True, slots=True)
class Shortcoming:
    """Something without which the version does not pass, and what to do about it."""

    what: str
    hint: str


@dataclass(frozen=True, slots=True)
class Successor:
    """One version held against the one before: every change with its verdict, and all that is missing.

    `digest` names the changes that an approval is given to; `approvals` says for each name that must agree whether it did.
    The verdicts hold under `profile` and for the consumers whom the version before names: nothing is compatible by itself.
    `before` is None for the first version of a contract.
    """

    contract: str
    before: str | None
    after: str
    verdicts: tuple[Verdict, ...]
    required_version: str
    digest: str
    approvals: tuple[tuple[str, bool], ...]
    missing: tuple[Shortcoming, ...]
    notes: tuple[str, ...] = ()
    profile: str = "default"
    draft: RecordDraft | None = None

    @property
    def passes(self) -> bool:
        """True where nothing is missing."""
        return not self.missing


@dataclass(frozen=True, slots=True)
class Published:
    """What a new version follows: the last version, those before it, and which of them are still supported beside it."""

    last: Contract
    earlier: tuple[Contract, ...] = ()
    supported: tuple[Contract, ...] = ()


def compare(old: Contract, new: Contract, today: date, policy: Policy | None = None) -> Successor:
    """Two contracts side by side: only the changes, and the version that they ask for; nobody has to agree to anything."""
    terms = Terms(old, new, today, policy or Policy())
    verdicts = tuple(judge(change, terms) for change in find_changes(old, new))
    needed = required_version(old.version, _heaviest(verdicts))
    missing = (*_refused(verdicts, ""), *_version(old, new, verdicts, needed))
    digest, profile = _digest(verdicts, old), terms.profile
    return Successor(new.name, old.version, new.version, verdicts, needed, digest, (), missing, (), profile)


def examine(
    published: Published | None, new: Contract, today: date, policy: Policy, record: ChangeRecord | None = None
) -> Successor:
    """Whether `new` may follow what is published; the policy is the one that was in force when that was published."""
    if published is None:
        return Successor(new.name, None, new.version, (), new.version, digest_of((), new.name), (), ())
    old = published.last
    record = _fitting(record, old, new)
    terms = Terms(old, new, today, policy, record.meaning)
    verdicts = _judged(published, terms)
    digest = _digest(verdicts, old)
    if old.status == "draft":
        note = f"version {old.version} is a draft and binds nobody: its changes need no version and no approval"
        return Successor(
            new.name, old.version, new.version, verdicts, old.version, digest, (), (), (note,), terms.profile
        )
    if old.changes.authority in record.approvers(digest):
        verdicts = _judged(published, replace(terms, approved_by_authority=True))
    needed = required_version(old.version, _heaviest(verdicts))
    approvals = _approvals(old, new, verdicts, record.approvers(digest))
    place, ends = _place(new, needed), tuple(_window(terms, verdicts, record))
    missing = (
        *_refused(verdicts, f": in {place}, approvals: [{{by: {old.changes.authority}, changes: {digest}}}]"),
        *_version(old, new, verdicts, needed),
        *_agreement(place, record, digest, approvals),
        *ends,
    )
    wanted = Wanted(
        contract=new.name,
        version=_record_version(new, needed),
        digest=digest,
        approvals=tuple(name for name, is_given in approvals if not is_given),
        until=terms.earliest_end if ends else None,
        meanings=unsaid(verdicts),
    )
    return Successor(
        contract=new.name,
        before=old.version,
        after=new.version,
        verdicts=verdicts,
        required_version=needed,
        digest=digest,
        approvals=approvals,
        missing=missing,
        notes=tuple(notes_of(terms, verdicts, needed, record)),
        profile=terms.profile,
        draft=drafted(wanted),
    )


def farewell(published: Published, today: date) -> Successor:
    """A contract that is gone: that passes where nobody was promised anything any more."""
    last = published.last
    change = Change(ChangeKind.CONTRACT_REMOVED, "contract", "is gone")
    verdict = judge(change, Terms(last, last, today))
    is_over = last.status in ("draft", "retired") or (
        last.status == "deprecated" and last.sunset is not None and last.sunset < today
    )
    hint = "keep it, deprecate it with a sunset in a version of its own, and remove it when that is over"
    missing = (
        () if is_over else (Shortcoming(f"version {last.version} is {last.status}, and its contract is gone", hint),)
    )
    return Successor(last.name, last.version, "", (verdict,), last.version, _digest((verdict,), last), (), missing)


def _fitting(record: ChangeRecord | None, old: Contract, new: Contract) -> ChangeRecord:
    """The record of just this version; another one says nothing about it, and that of the published one was for its own changes."""
    is_next = new.version != old.version
    if record is not None and is_next and (record.contract, record.version) == (new.name, new.version):
        return record
    return ChangeRecord(contract=new.name, version=new.version)


def _judged(published: Published, terms: Terms) -> tuple[Verdict, ...]:
    """Against the last version, and under transitive terms against each that is still supported; the same change once."""
    found: dict[tuple[ChangeKind, str, str], Verdict] = {}
    judged = [
        judge(change, replace(terms, old=old))
        for old in _olds(published, terms.policy)
        for change in find_changes(old, terms.new)
    ]
    judged += [judge(change, terms) for change in reused_names(terms.new, published.last, published.earlier)]
    for verdict in judged:
        key = (verdict.change.kind, verdict.change.path, verdict.change.what)
        found[key] = _heavier(found[key], verdict) if key in found else verdict
    return tuple(found.values())


def _olds(published: Published, policy: Policy) -> list[Contract]:
    """What a version is held against. What an earlier major promised was broken with everybody's agreement, and is left out."""
    last = published.last
    is_transitive = policy.transitive or last.changes.transitive
    supported = published.supported if is_transitive else ()
    return [
        last,
        *(old for old in supported if old.version != last.version and not is_new_major(old.version, last.version)),
    ]


def _heavier(one: Verdict, other: Verdict) -> Verdict:
    """The heavier of two verdicts on the same change, with the consumers of both."""
    heavy = max(one, other, key=lambda verdict: verdict.verdict.weight)
    return replace(heavy, consumers=tuple(dict.fromkeys((*one.consumers, *other.consumers))))


def _heaviest(verdicts: tuple[Verdict, ...]) -> Class | None:
    return max((verdict.lightest for verdict in verdicts), key=lambda item: item.weight, default=None)


def _heavy(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """What asks for a new major version and for agreement; not what only waits for its author's word."""
    return tuple(verdict for verdict in verdicts if verdict.lightest in (Class.BREAKING, Class.REFUSED))


def _digest(verdicts: tuple[Verdict, ...], old: Contract) -> str:
    """Of all that somebody may have to agree to: the same before and after the authority did."""
    asked: list[Change] = [verdict.change for verdict in _heavy(verdicts)]
    asked += [verdict.change for verdict in verdicts if verdict.change.kind in _AGREED]
    return digest_of(dict.fromkeys(asked), f"{old.name} {major_of(old.version)}")


def _refused(verdicts: tuple[Verdict, ...], record: str) -> Iterator[Shortcoming]:
    """What is refused, and what to do; `record` says where and how an approval of the authority is written down."""
    for verdict in verdicts:
        if verdict.verdict is Class.REFUSED:
            hint = verdict.asks + (record if verdict.needs_authority else "")
            yield Shortcoming(f"{verdict.change.path} {verdict.change.what}: {verdict.reason}", hint)


def _version(old: Contract, new: Contract, verdicts: tuple[Verdict, ...], needed: str) -> Iterator[Shortcoming]:
    if not verdicts and new.version == old.version:
        return
    if version_of(new.version) < version_of(old.version):
        yield Shortcoming(
            f"version {new.version} is below {old.version}, which is published", f'write version: "{needed}"'
        )
    elif version_of(new.version) < version_of(needed):
        count = len(_heavy(verdicts))
        several = count or len(verdicts)
        why = (
            f"{several} {'breaking ' * bool(count)}change{'s' * (several != 1)} ask{'s' * (several == 1)} for {needed}"
        )
        left = "is the version before" if new.version == old.version else "is not enough"
        hint = f'write version: "{needed}"' + (", or take the breaking changes back" if count else "")
        yield Shortcoming(f"version {new.version} {left}: {why}", hint)


def _approvals(
    old: Contract, new: Contract, verdicts: tuple[Verdict, ...], given: frozenset[str]
) -> tuple[tuple[str, bool], ...]:
    """Whoever must agree, in order of name: those whom a change breaks or is about, and those whom the published contract names."""
    breaking = [
        verdict for verdict in _heavy(verdicts) if verdict.change.kind is not ChangeKind.FIELD_REMOVED_AFTER_SUNSET
    ]
    needed = {name for verdict in breaking for name in verdict.consumers}
    needed |= set(old.changes.approvals) if breaking else set()
    for verdict in verdicts:
        needed |= _concerned(verdict.change, old, new)
    return tuple((name, name in given) for name in sorted(needed))


def _concerned(change: Change, old: Contract, new: Contract) -> set[str]:
    """Whoever must agree to a change that breaks nothing today, so that none of them is deprived in two steps."""
    match change.kind:
        case ChangeKind.PRODUCER_CHANGED:
            return {contract.owners.producer.name for contract in (old, new) if contract.owners}
        case ChangeKind.CONSUMER_REMOVED | ChangeKind.CONSUMER_TERMS_CHANGED:
            return {change.path.removeprefix("owners.consumers.")}
        case ChangeKind.AUTHORITY_NAMED:
            consumers = old.owners.consumers if old.owners else ()
            return {*old.changes.approvals, *(consumer.name for consumer in consumers)}
    return set()


def _place(new: Contract, needed: str) -> str:
    """Where the record belongs, below the folder of contracts: under the version that this one will have to be."""
    return f"changes/{new.name}/{_record_version(new, needed)}.yaml"


def _record_version(new: Contract, needed: str) -> str:
    return new.version if version_of(new.version) >= version_of(needed) else needed


def _agreement(
    place: str, record: ChangeRecord, digest: str, approvals: tuple[tuple[str, bool], ...]
) -> Iterator[Shortcoming]:
    stale = {approval.by for approval in record.approvals if approval.changes != digest}
    for name, is_given in approvals:
        if not is_given:
            what = f"'{name}' has not approved these changes"
            what += "; an earlier approval was for others" if name in stale else ""
            yield Shortcoming(
                what,
                f"once they agree, record beside the contract, in {place}: approvals: [{{by: {name}, changes: {digest}}}]",
            )


def _window(terms: Terms, verdicts: tuple[Verdict, ...], record: ChangeRecord) -> Iterator[Shortcoming]:
    old = terms.old
    days = days_of(old.changes.window)
    if not _heavy(verdicts) or old.status == "retired" or days == 0:
        return
    earliest, until = terms.earliest_end, record.supported_until
    if until is None or until < earliest:
        found = "nobody says how long" if until is None else f"only until {until}"
        what = f"{found} version {old.version} stays supported; its own terms promise {days} day{'s' * (days != 1)}"
        yield Shortcoming(what, f"record supported_until: {earliest} or a later day")
