"""Two submissions side by side, a failed one and its retry: what was mended, what was not, and what came in. Told from the ledger.

Which files came in is known as long as the candidate is stored; how they are found is left to `stored_files`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from contract_core.candidate.facts import FileFacts
from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key, name_of
from contract_core.errors import Problem, WrongUsageError
from contract_core.publication.entry import Event, LedgerEntry, latest
from contract_core.publication.history import DecisionRecord, Fate, decisions

_PAIR = 2
_FAILED = (Fate.REFUSED, Fate.PUBLICATION_FAILED)


@dataclass(frozen=True, slots=True)
class NotKept:
    """A rule that a submission did not keep; `breaches` is None where nothing was counted, as for what could not be judged."""

    rule: str
    breaches: int | None
    is_unjudged: bool = False
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One submission as it was decided last; `files` is None where its candidate is not stored any more."""

    record: DecisionRecord
    decided: LedgerEntry
    files: tuple[FileFacts, ...] | None = None

    @property
    def not_kept(self) -> dict[str, NotKept]:
        """What was not kept, by rule in the report's order, and the budgets that were exceeded after it."""
        entry = self.decided
        names = dict.fromkeys((*entry.breached, *entry.unjudged, *entry.reasons))
        return {
            name: NotKept(name, entry.counts.get(name), name in entry.unjudged, name in entry.warned) for name in names
        }


@dataclass(frozen=True, slots=True)
class Step:
    """One rule in both submissions; None where it was kept there."""

    rule: str
    first: NotKept | None
    second: NotKept | None


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file in both submissions; None where it was not delivered."""

    name: str
    first: FileFacts | None
    second: FileFacts | None

    @property
    def is_same(self) -> bool:
        """True where both hold the same bytes."""
        return self.first is not None and self.second is not None and self.first.sha256 == self.second.sha256


@dataclass(frozen=True, slots=True)
class Compared:
    """Two submissions, and rule by rule and file by file what became of them; `files` is None where one side's are not known."""

    first: Attempt
    second: Attempt
    mended: tuple[Step, ...] = ()
    still_broken: tuple[Step, ...] = ()
    newly_broken: tuple[Step, ...] = ()
    files: tuple[FileStep, ...] | None = field(default=None)

    @property
    def is_under_another_contract(self) -> bool:
        """True where the two were judged by different texts, so that a rule may be gone and not mended."""
        return self.first.decided.contract_digest != self.second.decided.contract_digest


def chosen(
    contract: Contract, entries: tuple[LedgerEntry, ...], partition: str | None, submissions: Sequence[str]
) -> tuple[DecisionRecord, DecisionRecord]:
    """The two submissions that are meant, by the ledger's entries about the contract.

    Those that are named, by their first letters; else the last two of the partition; else, where no partition is named, the
    last one that failed and the one that followed it. Raises WrongUsageError where there are no such two.
    """
    records = decisions(entries)
    if submissions:
        return _named(contract, records, submissions)
    if partition is None and contract.delivery.partition is not None:
        return _failed_and_followed(contract, records)
    key = check_key(contract, partition)
    own = [record for record in records if record.partition == key]
    if len(own) < _PAIR:
        about = name_of(contract.name, key)
        what = f"{len(own)} submission{'' if len(own) == 1 else 's'} of it decided, and a comparison needs two"
        raise WrongUsageError(Problem(about, what, "`contract-gate decisions` lists what was decided"))
    return own[-2], own[-1]


def _named(
    contract: Contract, records: Iterable[DecisionRecord], submissions: Sequence[str]
) -> tuple[DecisionRecord, DecisionRecord]:
    if len(submissions) != _PAIR:
        raise WrongUsageError(Problem("SUBMISSION", f"{len(submissions)} named", "name two submissions, or none"))
    known = list(records)
    first, second = (_one(contract, known, beginning) for beginning in submissions)
    if first == second:
        raise WrongUsageError(Problem("SUBMISSION", "one submission is named twice", "name two submissions"))
    return first, second


def _one(contract: Contract, records: list[DecisionRecord], beginning: str) -> DecisionRecord:
    found = [record for record in records if beginning and record.submission.startswith(beginning)]
    if len(found) == 1:
        return found[0]
    what = (
        f"'{beginning}' begins {'more than one submission' if found else 'no submission'} of contract '{contract.name}'"
    )
    raise WrongUsageError(Problem("SUBMISSION", what, "`contract-gate decisions` lists them"))


def _failed_and_followed(
    contract: Contract, records: Sequence[DecisionRecord]
) -> tuple[DecisionRecord, DecisionRecord]:
    for place in range(len(records) - 1, -1, -1):
        failed = records[place]
        following = [record for record in records[place + 1 :] if record.partition == failed.partition]
        if failed.outcome in _FAILED and following:
            return failed, following[0]
    what = "no submission that failed was followed by another one of its partition"
    hint = "name a --partition, or two submissions; `contract-gate decisions` lists them"
    raise WrongUsageError(Problem(contract.name, what, hint))


def last_decision(record: DecisionRecord, entries: tuple[LedgerEntry, ...]) -> LedgerEntry:
    """The ledger's entry of the decision that a record is about."""
    decided = latest(tuple(entry for entry in entries if entry.submission == record.submission), Event.DECIDED)
    assert decided is not None, "a record is of a decision"
    return decided


def compared(first: Attempt, second: Attempt) -> Compared:
    """What the second submission did better than the first, what it did not, and what it did worse."""
    before, after = first.not_kept, second.not_kept
    steps = [Step(rule, before.get(rule), after.get(rule)) for rule in dict.fromkeys((*before, *after))]
    return Compared(
        first,
        second,
        mended=tuple(step for step in steps if step.second is None),
        still_broken=tuple(step for step in steps if step.first is not None and step.second is not None),
        newly_broken=tuple(step for step in steps if step.first is None),
        files=_file_steps(first.files, second.files),
    )


def _file_steps(
    first: tuple[FileFacts, ...] | None, second: tuple[FileFacts, ...] | None
) -> tuple[FileStep, ...] | None:
    if first is None or second is None:
        return None
    before, after = ({file.name: file for file in files} for files in (first, second))
    return tuple(FileStep(name, before.get(name), after.get(name)) for name in sorted({*before, *after}))
