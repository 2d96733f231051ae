"""One delivery's way from landing to ledger as a process takes it, with or without a fault, and contracts to take it under."""

import hashlib
import os
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import contract_core as core
from contract_core.errors import ContractCoreError, GateClosedError
from contract_core.publication.submit import publish_judged, take_and_decide
from tests.publication.faults import Effects, Fault
from tests.publication.invariants import Found, assert_complete, assert_sound

START = datetime(2026, 10, 5, 9, 0, tzinfo=UTC)
CASES = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string}
  - {name: day, type: date}
  - {name: n, type: int64, min: 0}
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
"""
QUARANTINE = CASES + "enforcement: {on_breach: quarantine, quarantine: {max_rows: 10}}\n"
FIRST, SECOND = "2026-10-01", "2026-10-02"


@dataclass(frozen=True, slots=True)
class Delivered:
    """What a producer puts into landing for one partition, a number for each region; `minute` tells when it is offered."""

    partition: str
    numbers: dict[str, int]
    minute: int = 0

    @property
    def text(self) -> str:
        lines = (f"{region},{self.partition},{number}\n" for region, number in sorted(self.numbers.items()))
        return "region,day,n\n" + "".join(lines)

    @property
    def at(self) -> datetime:
        return START + timedelta(minutes=self.minute)

    def landed(self, folder: Path) -> Path:
        """The file in landing: whole or not there, and the same for the same content."""
        place = folder / f"{hashlib.sha256(self.text.encode()).hexdigest()[:12]}.csv"
        if place.exists():
            return place
        folder.mkdir(parents=True, exist_ok=True)
        written = folder / f".{place.name}-{os.getpid()}-{threading.get_ident()}"
        written.write_text(self.text)
        return written.replace(place)


def attempt(root: str, contract: str, delivered: dict[str, Any], fault: dict[str, Any] | None = None) -> dict[str, Any]:
    """The whole path in this process: what came of it and the effects that it had; all arguments as JSON has them."""
    effects = Effects(Path(root), Fault(**fault) if fault else lambda *_: None)
    with effects.watched():
        answer = answered(Path(root), contract, Delivered(**delivered))
    return answer | {"effects": [(effect.name, effect.moments) for effect in effects.found]}


def resumed(root: str, contract: str, delivered: dict[str, Any], submission: str) -> list[dict[str, Any]]:
    """In a fresh process: what an earlier one left behind, then the same path once more and again, and what is there then."""
    left = Found.at(Path(root))
    assert_sound(left)
    views = [left.view(submission)]
    for _ in range(2):
        answer = answered(Path(root), contract, Delivered(**delivered))
        found = Found.at(Path(root))
        assert_complete(found)
        views.append(found.view(submission) | {name: answer[name] for name in ("ended", "text")})
    return views


def answered(root: Path, contract: str, delivered: Delivered) -> dict[str, Any]:
    """How a process ends that takes the whole path: an error of ours is an answer, and one of a library's is told as such."""
    try:
        return walked(root, contract, delivered) | {"is_ours": True, "text": ""}
    except GateClosedError as error:
        return {"ended": "gate closed", "is_ours": True, "text": str(error)}
    except ContractCoreError as error:
        return {"ended": type(error).__name__, "is_ours": True, "text": str(error)}
    except Exception as error:  # noqa: BLE001 - just this is asked: does a library's own error come out?
        return {"ended": type(error).__name__, "is_ours": False, "text": str(error)}


def walked(root: Path, contract: str, delivered: Delivered) -> dict[str, Any]:
    """As the command `publish` does it."""
    stated, places = stated_by(contract), core.Environment.at(root)
    landed = delivered.landed(places.landing)
    taken = core.collect_delivery(stated, [landed], delivered.partition)
    judged = take_and_decide(stated, taken, places, delivered.at, delivered.at)
    record = publish_judged(judged, places, delivered.at)
    return {"ended": "refused" if record is None else "published", "submission": judged.candidate.submission}


@cache
def stated_by(text: str) -> core.Contract:
    return core.parse_contract(text, "cases.yaml")
