"""The check that nothing is wrong with a published table: what is, since when, what consumers see, what to do and who must act."""

from collections.abc import Iterable
from contextlib import suppress

import dagster as dg

from contract_assets.check_events import Context, log_checks
from contract_assets.failures import told_to_dagster
from contract_assets.labels import plain, published_key
from contract_assets.shown import Shown
from contract_core.contract.model import Contract
from contract_core.operations.standing import Standing
from contract_core.rendering.attention import Told, told_incidents
from contract_core.rendering.shown import partition_words

INCIDENTS = "incidents"
_MOST = 20
_COLUMNS = ("kind", "what is wrong", "what to do", "to act")


def incidents_check_spec(contract: Contract, catalog: str | None = None) -> dg.AssetCheckSpec:
    """About the contract and no single partition: one may be wrong that Dagster never saw."""
    return dg.AssetCheckSpec(
        INCIDENTS,
        asset=published_key(contract, catalog),
        description="Nothing is refused, failed, overdue or stale. Told at each judgement and publication, "
        f"and by the job watch_{contract.name}.",
        blocking=False,
    )


def incidents_result(seen: Shown, catalog: str | None = None) -> dg.AssetCheckResult:
    """All that is open, the newest first; a few by name and the rest by number."""
    told = told_incidents(seen.standing)
    return dg.AssetCheckResult(
        check_name=INCIDENTS,
        asset_key=published_key(seen.contract, catalog),
        passed=not told,
        severity=dg.AssetCheckSeverity.WARN,
        description=_words(seen.standing, told),
        metadata={"open": dg.MetadataValue.int(len(told)), **({"incidents": _table(told[:_MOST])} if told else {})},
    )


def log_incidents(context: Context, seen: Shown, catalog: str | None = None) -> None:
    """Answers the check from another step than the publication; what cannot be told does not hide what that step says."""
    with suppress(dg.Failure), told_to_dagster():
        found = incidents_result(seen, catalog)
        log_checks(context, None, [found], [incidents_check_spec(seen.contract, catalog)])


def _words(standing: Standing, told: tuple[Told, ...]) -> str:
    """A sentence, and an item of a Markdown list for each incident, which reads well where Markdown is not known too."""
    seen = f"consumers see {plain(partition_words(standing.status))}"
    if not told:
        return f"nothing is open; {seen}"
    items = [f"- {item.kind.value}: {plain(item.what)} (to act: {plain(item.who)})" for item in told[:_MOST]]
    rest = [f"- and {len(told) - _MOST:,} more"] if len(told) > _MOST else []
    return "\n".join([f"{len(told):,} open; {seen}", "", *items, *rest])


def _table(told: Iterable[Told]) -> dg.MetadataValue:
    records = [
        dg.TableRecord(
            dict(zip(_COLUMNS, (item.kind.value, item.what, "; ".join(item.actions), item.who), strict=True))
        )
        for item in told
    ]
    return dg.MetadataValue.table(
        records=records, schema=dg.TableSchema(columns=[dg.TableColumn(name, "string") for name in _COLUMNS])
    )
