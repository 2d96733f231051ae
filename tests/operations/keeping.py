"""One environment for the tests of retention: deliveries go the whole path at a stated moment, then it is cleaned at another."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import contract_core as core
from contract_core.candidate.snapshot import take_candidate
from contract_core.operations.cleaning import Cleaning, Going, Kind
from contract_core.operations.retention import plan_attempts, plan_cleaning, remove
from contract_core.publication.entry import Event
from contract_core.publication.record import PublicationRecord
from contract_core.publication.submit import Judged, publish_judged, store_of, take_and_decide

DAY = "2026-10-01"
NOW = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=31)
CASES = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string}
  - {name: day, type: date}
  - {name: count, type: int64, min: 0}
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
"""


def rows(*counts: int, first: int = 0, day: str = DAY) -> str:
    """A delivery of one row for each count; a negative one breaks its promise."""
    lines = [f"R{first + number},{day},{count}" for number, count in enumerate(counts)]
    return "\n".join(["region,day,count", *lines, ""])


class House:
    """One contract in one environment."""

    def __init__(self, folder: Path, publication: str = "{}", on_breach: str = "{}") -> None:
        text = f"{CASES}publication: {publication}\nenforcement: {on_breach}\n"
        self.contract = core.parse_contract(text, "cases.yaml")
        self.places = core.Environment.at(folder)
        self.ledger, self.store = core.Ledger(self.places.ledger), store_of(self.places)
        self.candidates = self.places.candidates / "cases"
        self.table = self.places.published / "cases"

    def delivery(self, text: str, day: str = DAY):
        self.places.landing.mkdir(parents=True, exist_ok=True)
        path = self.places.landing / "cases.csv"
        path.write_text(text)
        return core.collect_delivery(self.contract, [path], day)

    def taken(self, text: str, at: datetime = NOW):
        return take_candidate(self.contract, self.delivery(text), self.places.candidates, received_at=at)

    def judged(self, text: str, at: datetime = NOW, day: str = DAY) -> Judged:
        return take_and_decide(self.contract, self.delivery(text, day), self.places, at, at)

    def published(self, text: str, at: datetime = NOW, day: str = DAY) -> PublicationRecord:
        record = publish_judged(self.judged(text, at, day), self.places, at)
        assert record is not None
        return record

    def failed(self, judged: Judged) -> None:
        """The ledger says that publishing this was tried and did not work."""
        entry = self.ledger.decision_of(judged.candidate.submission)
        assert entry is not None
        self.ledger.append(replace(entry, event=Event.FAILED, reason="PublicationError"))

    def plan(self, kind: Kind, at: datetime = LATER) -> Cleaning:
        if kind is Kind.ATTEMPTS:
            return plan_attempts(self.places, at)
        [plan] = [plan for plan in plan_cleaning(self.contract, self.places, at) if plan.kind is kind]
        return plan

    def going(self, kind: Kind, at: datetime = LATER) -> list[Going]:
        return list(self.plan(kind, at).goes)

    def names(self, at: datetime = LATER, kind: Kind = Kind.CANDIDATES) -> set[str]:
        return {item.name for item in self.going(kind, at)}

    def cleaned(self, at: datetime = LATER) -> tuple[Cleaning, ...]:
        plans = (*plan_cleaning(self.contract, self.places, at), plan_attempts(self.places, at))
        for plan in plans:
            remove(plan, self.places)
        return plans

    def shown(self) -> list[int]:
        return sorted(self.store.rows("cases").collect()["count"])
