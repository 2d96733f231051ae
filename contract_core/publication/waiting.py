"""How long a writer that lost a race waits before it tries again. It follows from the writer's identity: the core throws no dice."""

import time

from contract_core.publication.markers import digest_of, marker_number

ATTEMPTS = 20
_FIRST_WAIT = 0.02
_LONGEST_WAIT = 1.0


def waiting_time(identity: str, attempt: int) -> float:
    """Seconds before attempt `attempt + 1`: doubling, bounded, and spread by the writer's own identity."""
    spread = marker_number(digest_of(identity, attempt)) % 1000 / 1000
    return float(min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT) * (0.5 + spread))


def wait(identity: str, attempt: int) -> None:
    """Sleep for `waiting_time`."""
    time.sleep(waiting_time(identity, attempt))
