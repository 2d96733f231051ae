"""Where deliveries land: which partitions have something in landing, and which paths belong to one of them."""

import re
from collections.abc import Iterator
from pathlib import Path

from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key
from contract_core.errors import CandidateUnreadableError, Problem, WrongUsageError

_PARTITION = "{partition}"


def landing_path(contract: Contract) -> str:
    """The contract's path below the landing root; by default one folder for each contract and partition."""
    default = f"{contract.name}/{_PARTITION}/*" if contract.delivery.partition is not None else f"{contract.name}/*"
    return contract.delivery.path or default


def landed_paths(contract: Contract, landing: Path, partition: str | None) -> tuple[Path, ...]:
    """Everything in landing that belongs to one partition. Raises CandidateUnreadableError where nothing does."""
    key = check_key(contract, partition)
    pattern = landing_path(contract)
    filled = pattern if key is None else pattern.replace(_PARTITION, _literal(key))
    found = tuple(sorted(path for path in landing.glob(filled) if not path.name.startswith((".", "_"))))
    if not found:
        shown = landing / (pattern if key is None else pattern.replace(_PARTITION, key))
        what = "nothing has landed"
        raise CandidateUnreadableError(Problem(str(shown), what, "deliver the files there, or correct delivery.path"))
    return found


def landed_partitions(contract: Contract, landing: Path) -> tuple[str, ...]:
    """The keys of all partitions that have something in landing, sorted; names that are no key are passed over."""
    pattern = landing_path(contract)
    if contract.delivery.partition is None:
        return ()
    segments = pattern.split("/")
    depth = next(index for index, segment in enumerate(segments) if _PARTITION in segment)
    shape = re.compile("/".join(_as_regex(segment) for segment in segments[: depth + 1]))
    searched = "/".join(segments[: depth + 1]).replace(_PARTITION, "*")
    found = (shape.fullmatch(path.relative_to(landing).as_posix()) for path in landing.glob(searched))
    return tuple(sorted({key for match in found if match for key in _keys(contract, match["partition"])}))


def _keys(contract: Contract, text: str) -> Iterator[str]:
    try:
        key = check_key(contract, text)
    except WrongUsageError:
        return
    if key is not None and not key.startswith((".", "_")):
        yield key


def _literal(key: str) -> str:
    return re.sub(r"([*?\[\]])", r"[\1]", key)


def _as_regex(segment: str) -> str:
    before, found, after = segment.partition(_PARTITION)
    return _wildcards(before) + ("(?P<partition>[^/]+?)" if found else "") + _wildcards(after)


def _wildcards(text: str) -> str:
    return "".join({"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character)) for character in text)
