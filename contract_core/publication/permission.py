"""Which decision allows a candidate to be published, if any does: asked of the ledger's entries, and of nothing else."""

from typing import NoReturn

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.partition import name_of
from contract_core.errors import GateClosedError, Problem
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry, latest


def passing(contract: Contract, candidate: Candidate, entries: tuple[LedgerEntry, ...]) -> LedgerEntry:
    """The last decision of the entries of the candidate's partition, if it allows just this candidate under just this contract.

    Raises GateClosedError, saying what stands in the way.
    """
    entry = latest(entries, Event.DECIDED)
    if entry is None:
        _closed(candidate, "no decision was ever taken", "check the delivery first; nothing is published unjudged")
    if entry.submission != candidate.submission:
        what = (
            f"the last decision is about another submission ({entry.submission[:12]}), not {candidate.submission[:12]}"
        )
        _closed(candidate, what, "publish that one, or check this delivery again so that it is the last one decided")
    if (entry.version, entry.contract_digest) != (contract.version, contract.digest):
        decided, asked = (
            f"{entry.version} ({entry.contract_digest[:12]})",
            f"{contract.version} ({contract.digest[:12]})",
        )
        _closed(
            candidate,
            f"it was decided under contract version {decided}, now it is {asked}",
            "check it again under this version",
        )
    if entry.candidate_digest != candidate.digest:
        what = f"the decision covers a candidate with digest {entry.candidate_digest[:12]}, this one has {candidate.digest[:12]}"
        _closed(candidate, what, "check this candidate first")
    if entry.verdict is Verdict.REFUSE:
        what = f"it was refused ({', '.join(entry.held_back) or entry.verdict})"
        _closed(
            candidate, what, "have the delivery corrected and check it; the table still shows what was accepted last"
        )
    return entry


def _closed(candidate: Candidate, what: str, hint: str) -> NoReturn:
    raise_closed(GateClosedError, candidate, what, hint)


def raise_closed(kind: type[GateClosedError], candidate: Candidate, what: str, hint: str) -> NoReturn:
    """Raise an error of this kind about the candidate's partition."""
    about = name_of(candidate.contract, candidate.partition)
    raise kind(Problem(f"gate for {about}", what, hint))
