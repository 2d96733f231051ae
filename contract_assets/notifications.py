"""The check that everybody was told of what is open, and the scheduled job that tells: one job for all contracts of a code location."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import dagster as dg

from contract_assets.check_events import log_checks
from contract_assets.failures import told_to_dagster
from contract_assets.labels import plain, published_key
from contract_assets.resources import GateResource, variables
from contract_assets.shown import Shown
from contract_core.contract.model import Contract
from contract_core.operations.identity import refuse_other_identity
from contract_core.operations.notices import Moments, Notified
from contract_core.operations.notifying import notify, plan, planned
from contract_core.publication.ledger import Ledger
from contract_core.rendering.notifications import message_of, notified_lines, untold_words

NOTIFIED = "notified"
NOTIFY = "notify"
_EVERY = "*/5 * * * *"


def notified_check_spec(contract: Contract, catalog: str | None = None) -> dg.AssetCheckSpec:
    """About the contract and no single partition: an incident may be about one that Dagster never saw."""
    return dg.AssetCheckSpec(
        NOTIFIED,
        asset=published_key(contract, catalog),
        description=f"Everybody whom the contract names was told of what is open. Told at each publication, and by the job {NOTIFY}.",
        blocking=False,
    )


def notified_result(seen: Shown, catalog: str | None = None) -> dg.AssetCheckResult:
    """Whether anybody is left who should have been told of what is open; nobody is told here."""
    left = planned(seen.contract, seen.entries, seen.environment, variables(), seen.standing.at)
    return _answer(seen.contract, left, catalog)


def _answer(contract: Contract, found: Notified, catalog: str | None) -> dg.AssetCheckResult:
    untold = untold_words(found)
    return dg.AssetCheckResult(
        check_name=NOTIFIED,
        asset_key=published_key(contract, catalog),
        passed=not untold,
        severity=dg.AssetCheckSeverity.WARN,
        description=plain("; ".join(untold) or "nobody is left who should have been told"),
        metadata={
            "open_and_not_told": dg.MetadataValue.int(found.untold),
            "not_named": dg.MetadataValue.int(len(found.unaddressed)),
        },
    )


def build_notify_job(contracts: Iterable[Contract], catalog: str | None = None, suffix: str = "") -> dg.JobDefinition:
    """Tells the open incidents of all contracts, and answers the check of each; what fails for one does not keep others from it.

    `suffix` ends its name where a code location has several.
    """
    known = tuple(contracts)

    @dg.op(name=f"tell_incidents{suffix}")
    def tell(context: dg.OpExecutionContext, gate: GateResource) -> None:
        quiet = _quiet(known, gate)
        failed = [
            contract.name
            for contract in known
            if not _is_told(context, contract, gate, quiet.get(contract.name), catalog)
        ]
        if failed:
            raise dg.Failure(f"could not be asked: {', '.join(failed)}", allow_retries=False)

    @dg.job(
        name=NOTIFY + suffix,
        description="Tell people, once each, what is refused, failed, overdue, stale or silent, and when it is over.",
    )
    def notifying() -> None:
        tell()

    return notifying


def build_notify_schedule(suffix: str = "") -> dg.ScheduleDefinition:
    """A run every few minutes. Two at a time tell nothing twice."""
    return dg.ScheduleDefinition(
        name=f"{NOTIFY}{suffix}_schedule",
        job_name=NOTIFY + suffix,
        cron_schedule=_EVERY,
        description="Tell people of incidents soon after they begin and end.",
    )


def _quiet(contracts: Sequence[Contract], gate: GateResource) -> Mapping[str, Notified]:
    """Of the contracts of which nothing is to be told, what that leaves to say; all by one reading of the ledger.

    The others are read again, one by one, before somebody is told; where that reading fails, all are.
    """
    found: dict[str, Notified] = {}
    with suppress(dg.Failure), told_to_dagster():
        environment, moment = gate.environment(), gate.moment_of_judgement()
        refuse_other_identity(environment)
        entries_of = Ledger(environment.ledger).at_once([contract.name for contract in contracts])
        for contract in contracts:
            with suppress(dg.Failure), told_to_dagster():
                left = planned(contract, entries_of(contract.name), environment, variables(), moment)
                found |= {} if left.told else {contract.name: left}
    return found


def _is_told(
    context: dg.OpExecutionContext, contract: Contract, gate: GateResource, quiet: Notified | None, catalog: str | None
) -> bool:
    try:
        with told_to_dagster():
            found = _tell(contract, gate) if quiet is None else quiet
            result = _answer(contract, _left(contract, gate) if found.told else found, catalog)
    except dg.Failure as failure:
        context.log.warning("%s: %s", contract.name, failure.description)
        return False
    for line in notified_lines(found, is_dry=False) if found.told or found.unaddressed else ():
        context.log.info(line)
    log_checks(context, None, [result], [notified_check_spec(contract, catalog)])
    return True


def _left(contract: Contract, gate: GateResource) -> Notified:
    return plan(contract, gate.environment(), variables(), gate.moment_of_judgement())


def _tell(contract: Contract, gate: GateResource) -> Notified:
    environment = gate.environment()
    refuse_other_identity(environment)
    return notify(contract, environment, variables(), Moments(gate.moment_of_judgement(), gate.now()), message_of)
