"""The main job on shipped real data, without a server: one delivery that is published and one that is refused."""

import sys
from pathlib import Path

import dagster as dg
from typer import echo

from contract_assets.assets import build_contract_assets
from contract_assets.labels import candidate_key, published_key
from contract_assets.resources import GateResource, environment_at
from contract_core.contract.model import Contract
from contract_core.contract.registry import find_contract
from contract_core.operations.status import status_of
from contract_core.publication.history import decisions
from contract_core.publication.ledger import Ledger
from contract_core.rendering.history import decision_lines, status_lines
from contract_core.validation.obligations import obligations_of

CONTRACT = "ita_regions"
DAYS = ("2020-03-05", "2020-03-17")
_QUIET = {"python_logs": {"python_log_level": "CRITICAL"}}


def main() -> int:
    """Run both days and tell what became visible, what did not, and why. 0 where it went as it should."""
    environment = environment_at(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    contract = find_contract(CONTRACT, environment.contracts)
    root = sys.argv[1] if len(sys.argv) > 1 else ""
    outcomes = [run_day(contract, GateResource(root=root, as_of=f"{day}T20:00:00"), day) for day in DAYS]
    echo(
        f"\n{len(obligations_of(contract))} obligations of {contract.name} {contract.version}, judged in one query on each candidate."
    )
    entries = Ledger(environment.ledger).entries(contract=contract.name)
    echo("\nDecisions:")
    echo("\n".join(f"  {line}" for line in decision_lines(decisions(entries))))
    echo("\nWhat consumers see:")
    echo("\n".join(f"  {line}" for line in status_lines(status_of(contract, entries, GateResource(root=root).now()))))
    return 0 if outcomes == [True, False] else 1


def run_day(contract: Contract, gate: GateResource, day: str) -> bool:
    """Take, judge and publish one day in a Dagster run of its own; true where it was published."""
    echo(f"\n{contract.name}, delivery of {day}")
    assets = build_contract_assets(contract)
    with dg.DagsterInstance.ephemeral(settings=_QUIET) as instance:
        result = dg.materialize(
            assets,
            selection=[candidate_key(contract), published_key(contract)],
            resources={"gate": gate},
            partition_key=day,
            instance=instance,
            raise_on_error=False,
        )
    checks = result.get_asset_check_evaluations()
    echo(f"  {sum(check.passed for check in checks)} of {len(checks)} checks passed")
    for check in checks:
        if not check.passed:
            echo(f"  {check.severity.value}: {check.check_name}: {check.description}")
    if not result.success:
        echo("  refused: the published table is as it was")
        return False
    published = result.asset_materializations_for_node("__".join(published_key(contract).path))[0]
    echo(
        f"  published: version {published.metadata['table_version'].value} of {published.metadata['dagster/uri'].value}"
    )
    return True


if __name__ == "__main__":
    sys.exit(main())
