"""Deliveries that follow one another under one contract, each taken, judged and published as the commands do it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import contract_core as core
from contract_core.publication.submit import Judged, publish_judged, take_and_decide

NOW = datetime(2026, 10, 3, 9, 0, tzinfo=UTC)
FIRST, SECOND = "2026-10-01", "2026-10-02"
CASES = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string}
  - {name: day, type: date}
  - {name: n, type: integer, nullable: true, min: 0}
  - {name: note, type: string, required: false, nullable: true}
rows: {min: 0}
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
"""


@dataclass
class Desk:
    """One contract in one environment; each delivery comes an hour after the one before."""

    root: Path
    contract: core.Contract
    hours: int = 0

    @classmethod
    def of(cls, root: Path, text: str = CASES) -> "Desk":
        return cls(root, core.parse_contract(text, "cases.yaml"))

    @property
    def places(self) -> core.Environment:
        return core.Environment.at(self.root)

    @property
    def ledger(self) -> core.Ledger:
        return core.Ledger(self.places.ledger)

    @property
    def at(self) -> datetime:
        return NOW + timedelta(hours=self.hours)

    def judged(self, text: str, partition: str | None = FIRST) -> Judged:
        """A delivery of lines with the header of its columns, decided and not published."""
        self.hours += 1
        landed = self.root / "landing" / f"{self.hours}.csv"
        landed.parent.mkdir(parents=True, exist_ok=True)
        landed.write_text(text)
        delivery = core.collect_delivery(self.contract, [landed], partition)
        return take_and_decide(self.contract, delivery, self.places, self.at, self.at)

    def published(self, text: str, partition: str | None = FIRST) -> Judged:
        judged = self.judged(text, partition)
        publish_judged(judged, self.places, self.at)
        return judged


def lines(day: str = FIRST, **numbers: int | str) -> str:
    """A row for each region, with its number."""
    return "region,day,n\n" + "".join(f"{region},{day},{number}\n" for region, number in numbers.items())
