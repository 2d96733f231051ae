"""The names and numbers of the application transactions that commits carry: who has written what, readable from a table alone."""

import hashlib
import json
from urllib.parse import quote

_PREFIX = "contract-gate"


def encoded(partition: str) -> str:
    """A partition key as one segment of a name; reversible with `unquote`, and two keys never share one."""
    return quote(partition, safe="")


def partition_marker(contract: str, partition: str | None) -> str:
    """The application id under which a table remembers what this partition shows; no partition can pass for the gate."""
    return f"{_PREFIX}/{contract}/{'table' if partition is None else f'partition={encoded(partition)}'}"


def gate_marker(contract: str) -> str:
    """The application id that all publications of a contract share, so that two from the same base conflict."""
    return f"{_PREFIX}/{contract}/gate"


def terms_marker(contract: str) -> str:
    """The application id under which a table remembers the partition terms that it is written with."""
    return f"{_PREFIX}/{contract}/terms"


def ledger_marker(contract: str) -> str:
    """The application id that all ledger entries of a contract share, so that their order is never in doubt."""
    return f"{_PREFIX}/ledger/{contract}"


def marker_number(digest: str) -> int:
    """The first 63 bits of a hexadecimal digest: an application transaction holds a signed 64-bit number."""
    return int(digest[:16], 16) >> 1


def digest_of(*parts: object) -> str:
    """SHA-256 over the canonical JSON of `parts`."""
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
