"""The main job on shipped data, without a server: a delivery accepted, one refused, its repair, rows kept apart, a correction.

What lies in landing runs through Dagster; what is offered by hand takes the path of `contract-gate publish`.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import polars as pl
from typer import echo

from contract_assets.assets import build_contract_assets
from contract_assets.checks import DECISION
from contract_assets.labels import candidate_key, published_key, spoken
from contract_assets.resources import GateResource, environment_at
from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.model import Contract
from contract_core.contract.registry import find_contract
from contract_core.environment import Environment
from contract_core.operations.status import status_of
from contract_core.publication.history import DecisionRecord, decisions
from contract_core.publication.ledger import Ledger
from contract_core.publication.submit import publish_judged, store_of, take_and_decide
from contract_core.rendering.history import publication_lines
from contract_core.rendering.reports import decision_words
from contract_core.rendering.shown import shown_words
from contract_core.rendering.stories import story_lines

_QUIET = {"python_logs": {"python_log_level": "CRITICAL"}}


@dataclass(frozen=True, slots=True)
class Step:
    """One delivery and what it should lead to: so many rows of it published (None for a refusal), so many kept apart.

    `offered` names the folder below corrections of what is offered by hand; without it, the delivery in landing is taken.
    """

    title: str
    contract: str
    day: str
    rows: int | None
    quarantined: int = 0
    offered: str = ""


STEPS = (
    Step("Accepted: real figures that keep their contract", "ita_regions", "2020-03-05", 21),
    Step("Refused: the date was dragged down the column", "ita_regions", "2020-03-17", None),
    Step("Repaired: what the publisher put out 26 minutes later", "ita_regions", "2020-03-17", 21, offered="r1"),
    Step("Quarantine: two bad orders do not hold up the others", "orders", "2026-10-03", 48, 2),
    Step("Corrected: the whole day again, in order", "orders", "2026-10-03", 50, offered="second"),
)
CORRECTED = STEPS[-2:]
Outcome = tuple[int | None, int]


def main() -> int:
    """Run the steps and tell what became visible, what did not, and why. 0 where all went as it should."""
    root = sys.argv[1] if len(sys.argv) > 1 else ""
    environment = environment_at(Path(root) if root else None)
    contracts = {step.contract: find_contract(step.contract, environment.contracts) for step in STEPS}
    steps_went_well = [
        _play(number, step, contracts[step.contract], GateResource(root=root, as_of=f"{step.day}T22:00:00"))
        for number, step in enumerate(STEPS, start=1)
    ]
    for contract in contracts.values():
        entries = Ledger(environment.ledger).entries(contract=contract.name)
        _tell(f"What happened to {contract.name}", story_lines(decisions(entries)))
        _tell("What consumers see", [shown_words(status_of(contract, entries, datetime.now(UTC)))])
    both_are_readable = _compare_versions(environment)
    return 0 if all(steps_went_well) and both_are_readable else 1


def _play(number: int, step: Step, contract: Contract, gate: GateResource) -> bool:
    """One step; true where it ended as it should."""
    echo(f"\n{number}. {step.title} ({step.contract}, {step.day})")
    outcome = publish_by_hand(contract, gate, step) if step.offered else run_day(contract, gate, step.day)
    return _is_as_it_should_be(outcome, (step.rows, step.quarantined))


def run_day(contract: Contract, gate: GateResource, day: str) -> Outcome:
    """Take, judge and publish what landed for one day in a Dagster run of its own; rows published and rows kept apart."""
    with dg.DagsterInstance.ephemeral(settings=_QUIET) as instance:
        result = dg.materialize(
            build_contract_assets(contract),
            selection=[candidate_key(contract), published_key(contract)],
            resources={"gate": gate},
            partition_key=day,
            instance=instance,
            raise_on_error=False,
        )
    checks = result.get_asset_check_evaluations()
    echo(f"   {sum(check.passed for check in checks)} of {len(checks)} checks passed")
    for check in checks:
        if not check.passed or check.check_name == DECISION:
            echo(
                f"   {check.severity.value if not check.passed else 'PASSED'}: {check.check_name}: {spoken(check.description or '')}"
            )
    if not result.success:
        echo("   refused: the published table is as it was")
        return None, 0
    told = result.asset_materializations_for_node("__".join(published_key(contract).path))[0].metadata
    echo(f"   {spoken(str(told['outcome'].value))}")
    decided = gate.ledger().latest_decision(contract.name, day)
    assert decided is not None, "the run has just published it"
    return decided.published_rows, decided.quarantined


def publish_by_hand(contract: Contract, gate: GateResource, step: Step) -> Outcome:
    """Offer a delivery from outside of landing, as `contract-gate publish` does; rows published and rows kept apart."""
    environment = gate.environment()
    folder = environment.landing.parent / "corrections" / contract.name / step.day / step.offered
    echo(f"   $ contract-gate publish {contract.name} {folder} --partition {step.day}")
    delivery = collect_delivery(contract, [folder], step.day)
    judged = take_and_decide(contract, delivery, environment, gate.now(), gate.moment_of_judgement())
    record = publish_judged(judged, environment, gate.now())
    echo(f"   {judged.decision.verdict.value}: {decision_words(judged.report, judged.decision)}")
    for line in publication_lines(record):
        echo(f"   {line}")
    return (None, 0) if record is None else (record.rows, record.quarantined)


def _compare_versions(environment: Environment) -> bool:
    """A correction supersedes and takes nothing away: the day as each of its submissions showed it."""
    before, after = CORRECTED
    records = decisions(Ledger(environment.ledger).entries(contract=after.contract))
    versions = [_version(environment, record) for record in records if record.partition == after.day]
    _tell("The day before and after its correction, each still readable", (told for _, told in versions))
    return _is_as_it_should_be([rows for rows, _ in versions], [before.rows, after.rows])


def _version(environment: Environment, record: DecisionRecord) -> tuple[int, str]:
    """The day as its submission showed it, which stays readable after another one replaced it: a count and one sum."""
    shown = store_of(environment).rows_at(record.contract, record.submission)
    day = pl.col("ordered_at").dt.convert_time_zone("Europe/Amsterdam").dt.date().cast(pl.String) == record.partition
    euros = pl.col("amount").filter(pl.col("currency") == "EUR").sum().alias("euros")
    rows, total = shown.filter(day).select(pl.len(), euros).collect().row(0)
    return rows, f"submission {record.submission[:12]}: {rows} orders, {total} EUR in all"


def _is_as_it_should_be(found: object, expected: object) -> bool:
    if found != expected:
        echo(f"   NOT AS IT SHOULD BE: found {found}, expected {expected}")
    return found == expected


def _tell(title: str, lines: Iterable[str]) -> None:
    echo(f"\n{title}:")
    for line in lines:
        echo(f"   {line}")


if __name__ == "__main__":
    sys.exit(main())
