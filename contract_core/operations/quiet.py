"""For how long a contract that only warns has been quiet, and whether it could hold publication back by now.

Only decisions under the contract as it stands count: an edited text has not been tried yet. A finding of severity `warn` is no
noise, since it would hold nothing back either.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from contract_core.contract.elapsed import elapsed
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.validation.obligations import obligations_of

NEEDED_SUBMISSIONS = 10
NEEDED_TIME = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Quiet:
    """What the last decisions say of a contract under `on_breach: warn`.

    `since` is when the first submission of the quiet run was decided, None where the last one had breaches; `noise` counts,
    among the last decided submissions, those in which each rule was not kept.
    """

    decided: int
    submissions: int
    partitions: int
    since: datetime | None
    lasting: timedelta
    noise: Mapping[str, int] = field(default_factory=dict)

    @property
    def lacking(self) -> int:
        """How many quiet submissions are still needed."""
        return max(0, NEEDED_SUBMISSIONS - self.submissions)

    @property
    def remaining(self) -> timedelta:
        """How long it must stay quiet still."""
        return max(timedelta(0), NEEDED_TIME - self.lasting)

    @property
    def can_block(self) -> bool:
        """True where it was quiet for enough submissions and long enough."""
        return not self.lacking and not self.remaining


def quiet_of(contract: Contract, entries: tuple[LedgerEntry, ...], as_of: datetime) -> Quiet | None:
    """How quiet the contract has been at `as_of`, by the ledger's entries about it; None where it does more than warn."""
    if contract.enforcement.on_breach != "warn":
        return None
    weights = {obligation.id: obligation.severity for obligation in obligations_of(contract)}
    last = _last_decisions(contract, tuple(entry for entry in entries if entry.at <= as_of))
    run = list(_quiet_run(last, weights))
    since = min((entry.at for entry in run), default=None)
    noise = Counter(rule for entry in last[-NEEDED_SUBMISSIONS:] for rule in _noise(entry, weights))
    return Quiet(
        decided=len(last),
        submissions=len(run),
        partitions=len({entry.partition for entry in run}),
        since=since,
        lasting=elapsed(since, as_of) if since is not None else timedelta(0),
        noise=dict(sorted(noise.items(), key=lambda item: (-item[1], item[0]))),
    )


def _last_decisions(contract: Contract, entries: tuple[LedgerEntry, ...]) -> list[LedgerEntry]:
    """The last decision about each submission under this very text, in the order in which they were taken."""
    decided = [entry for entry in entries if entry.event is Event.DECIDED and entry.contract_digest == contract.digest]
    newest = {entry.submission: place for place, entry in enumerate(decided)}
    return [entry for place, entry in enumerate(decided) if newest[entry.submission] == place]


def _quiet_run(last: list[LedgerEntry], weights: Mapping[str, Severity]) -> Iterator[LedgerEntry]:
    for entry in reversed(last):
        if _noise(entry, weights):
            return
        yield entry


def _noise(entry: LedgerEntry, weights: Mapping[str, Severity]) -> tuple[str, ...]:
    """What was not kept and would have held publication back under `fail`."""
    spoken = (*entry.breached, *entry.unjudged)
    return tuple(rule for rule in spoken if weights.get(rule, Severity.ERROR) is Severity.ERROR)
