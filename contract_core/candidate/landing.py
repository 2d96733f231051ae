"""Where deliveries land: which partitions have something in landing, and which paths belong to one of them."""

import re
from collections.abc import Iterator
from pathlib import Path

from contract_core.candidate.delivered_paths import MANIFEST_NAME, refuse_outward_link, shown
from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key
from contract_core.errors import CandidateUnreadableError, Problem, WrongUsageError

_PARTITION = "{partition}"


def landing_path(contract: Contract) -> str:
    """The contract's path below the landing root; by default one folder for each contract and partition."""
    terms = contract.delivery.partition
    has_own = terms is not None and not terms.split
    return contract.delivery.path or (f"{contract.name}/{_PARTITION}/*" if has_own else f"{contract.name}/*")


def landed_paths(contract: Contract, landing: Path, partition: str | None) -> tuple[Path, ...]:
    """Everything in landing that belongs to one partition. Raises CandidateUnreadableError where nothing does, or a link."""
    found = found_paths(contract, landing, partition)
    if not found:
        pattern, key = landing_path(contract), check_key(contract, partition)
        where = shown(landing / (pattern if key is None else pattern.replace(_PARTITION, key)))
        hint = "deliver the files there, or correct delivery.path"
        raise CandidateUnreadableError(Problem(where, "nothing has landed", hint))
    for path in found:
        refuse_outward_link(path, path.parent)
    return found


def found_paths(contract: Contract, landing: Path, partition: str | None) -> tuple[Path, ...]:
    """The same without a complaint. A manifest that stands where files could stand belongs to them, and alone to nothing."""
    key = check_key(contract, partition)
    pattern = landing_path(contract)
    filled = pattern if key is None else pattern.replace(_PARTITION, _literal(key))
    found = sorted(landing.glob(filled))
    files = [path for path in found if not path.name.startswith((".", "_"))]
    manifests = [path for path in found if path.name == MANIFEST_NAME and contract.delivery.manifest != "none"]
    return tuple(sorted([*files, *manifests])) if files else ()


def landed_partitions(contract: Contract, landing: Path) -> tuple[str, ...]:
    """The keys of all partitions that have something in landing, sorted; names that are no key are passed over.

    None where deliveries hold several: only their rows tell which.
    """
    pattern = landing_path(contract)
    if contract.delivery.partition is None or contract.delivery.partition.split:
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
