"""What the stages cost over all deliveries of a contract, from the ledger alone: each number spread out, and as it was last."""

from collections.abc import Iterable, Mapping

from contract_core.operations.spread import Spread, spread_of
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.stages import MEASURES, READ, name_of

OF_DECISIONS, OF_PUBLICATIONS = ("take", "validate"), ("quarantine", "publish")
RECORDED = (*OF_DECISIONS, *OF_PUBLICATIONS)
"""The stages of which the ledger tells: its own writing is not among them."""
_DECIDED = (
    *(name_of(stage, measure) for stage in OF_DECISIONS for measure in MEASURES),
    *(READ[stage] for stage in OF_DECISIONS),
)
_PUBLISHED = tuple(name_of(stage, measure) for stage in OF_PUBLICATIONS for measure in MEASURES)
EFFORTS = (*_DECIDED, *_PUBLISHED)


def spread_efforts(entries: Iterable[LedgerEntry]) -> Mapping[str, Spread]:
    """Each number over the submissions, and over the publications. Entries that do not say it are left out, and are no zero."""
    told = _told(entries)
    return {name: spread_of(told[name]) for name in EFFORTS}


def last_efforts(entries: Iterable[LedgerEntry]) -> Mapping[str, float]:
    """Each number as the last entry says it that does."""
    return {name: entry.effort[name] for entry in entries for name in _names_in(entry) if name in entry.effort}


def _told(entries: Iterable[LedgerEntry]) -> Mapping[str, list[float]]:
    """A submission counts once, by the last decision that says the number: judging it again takes nothing anew."""
    decided: dict[str, dict[str, float]] = {name: {} for name in _DECIDED}
    published: dict[str, list[float]] = {name: [] for name in _PUBLISHED}
    for entry in entries:
        for name in _names_in(entry):
            if name not in entry.effort:
                continue
            if entry.event is Event.DECIDED:
                decided[name][entry.submission] = entry.effort[name]
            else:
                published[name].append(entry.effort[name])
    return {name: list(numbers.values()) for name, numbers in decided.items()} | published


def _names_in(entry: LedgerEntry) -> tuple[str, ...]:
    return {Event.DECIDED: _DECIDED, Event.PUBLISHED: _PUBLISHED}.get(entry.event, ())
