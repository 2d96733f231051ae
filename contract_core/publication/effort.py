"""What a stage costs, in seconds and bytes. Durations alone are measured here: no moment is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter

from contract_core.candidate.delivery import Delivery
from contract_core.candidate.snapshot import Candidate

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Watch:
    """Runs from when it is made."""

    begun: float = field(default_factory=perf_counter)

    def spent(self, stage: str) -> Mapping[str, float]:
        """The seconds until now, under the name of what took them."""
        return {f"{stage}_seconds": round(perf_counter() - self.begun, _DIGITS)}


def delivered_size(delivery: Delivery) -> Mapping[str, float]:
    """The bytes of a delivery, its manifest included."""
    files = (*delivery.files, *([delivery.manifest] if delivery.manifest is not None else []))
    return {"delivered_bytes": float(sum(file.size for file in files))}


def candidate_size(candidate: Candidate) -> Mapping[str, float]:
    """The bytes of a candidate's one file."""
    return {"candidate_bytes": float(candidate.path.stat().st_size)}
