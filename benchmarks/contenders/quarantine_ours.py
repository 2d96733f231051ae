"""contract-gate on a candidate whose breaking rows go to quarantine: judged only, judged and copied, or judged and published.

    python -m benchmarks.contenders.quarantine_ours published CANDIDATES FOLDER

`python -m benchmarks.contenders.quarantine_ours taken CANDIDATES FILE` takes the candidate first.
"""

import shutil
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from benchmarks.contenders.ours import CONTRACT
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import Candidate, load_candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.publication.decision import decide
from contract_core.publication.ledger import Ledger
from contract_core.publication.publish import publish, record_decision
from contract_core.publication.store import Store
from contract_core.validation.plan import validate

AT = datetime(2026, 1, 1, tzinfo=UTC)


def contract_for(policy: str) -> Contract:
    """The orders' contract under a policy."""
    return parse_contract(f"{CONTRACT.read_text()}\nenforcement: {{on_breach: {policy}}}\n", CONTRACT.name)


def candidate_in(candidates: Path) -> Candidate:
    """The one candidate that was taken there, for quarantine."""
    (record,) = candidates.glob("orders/*.json")
    return load_candidate(candidates, "orders", record.stem)


def taken(candidates: Path, file: Path) -> None:
    """The candidate that all others read."""
    contract = contract_for("quarantine")
    take_candidate(contract, collect_delivery(contract, [file], None), candidates, AT)


def judged(candidates: Path, _: Path) -> None:
    """The gate alone: nothing of a candidate with breaches would be published."""
    validate(contract_for("fail"), candidate_in(candidates), AT)


def judged_for_quarantine(candidates: Path, _: Path) -> None:
    """The same, and which rows would go."""
    validate(contract_for("quarantine"), candidate_in(candidates), AT)


def judged_and_rewritten(candidates: Path, folder: Path) -> None:
    """The gate, and a plain copy of the file: the least that a split could cost."""
    judged(candidates, folder)
    rows = pl.scan_parquet(candidate_in(candidates).path, glob=False)
    rows.sink_parquet(folder / "all.parquet", compression="zstd", row_group_size=250_000)


def published(candidates: Path, folder: Path) -> None:
    """All of it: judged, decided, recorded, what breaks a rule in the quarantine table, and the rest in the published one."""
    contract, candidate = contract_for("quarantine"), candidate_in(candidates)
    ledger, store = Ledger(folder / "ledger"), Store(folder / "published")
    report = validate(contract, candidate, AT)
    record_decision(contract, candidate, report, decide(report, contract), ledger, AT)
    publish(contract, candidate, ledger, store, AT)


def outcome(folder: Path) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """What stayed, and the place and rules of what went."""
    store = Store(folder / "published")
    return store.rows("orders"), store.quarantine.rows("orders").select("row", "rules")


WAYS: Mapping[str, Callable[[Path, Path], None]] = {
    way.__name__: way for way in (judged, judged_for_quarantine, judged_and_rewritten, published)
}


def main(way: str, candidates: Path, place: Path) -> None:
    """One way, into an empty folder."""
    if way == taken.__name__:
        return taken(candidates, place)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return WAYS[way](candidates, place)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
