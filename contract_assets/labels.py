"""What is said of a contract's assets before any run: keys, group, owners, tags, descriptions, as far as Dagster can hold it."""

import re

import dagster as dg

from contract_core.contract.model import Contract

_EMAIL = re.compile(r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_TAG_VALUE = re.compile(r"[A-Za-z0-9_.-]{1,63}")
_WHAT_APPEARS = {
    "fail": "Only deliveries that keep the contract appear here.",
    "quarantine": "Only rows that keep the contract appear here; the others of an accepted delivery are kept apart in quarantine.",
    "warn": "Only accepted deliveries appear here; rows of theirs that break a rule appear too, and the checks count them.",
}
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARKUP = re.compile(
    r"[\\`*~<|&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=\])[(\[:]|^[#>+=-]",
    re.MULTILINE,
)


_ESCAPED = re.compile(r"\\([\\`*~<|&_(\[:#>+=-])")


def plain(text: str) -> str:
    """Text that Markdown shows as it is: the UI reads descriptions as Markdown. What is not markup stays readable elsewhere."""
    return _MARKUP.sub(r"\\\g<0>", in_order(text))


def spoken(text: str) -> str:
    """What `plain` has written, for a terminal, which shows signs as they are."""
    return _ESCAPED.sub(r"\1", text)


def in_order(text: str) -> str:
    """Text without signs that turn the direction of what stands around it, so that it reads as it was written."""
    return _TURNING.sub("", text)


def landing_key(contract: Contract, catalog: str | None = None) -> dg.AssetKey:
    """The key of what producers deliver."""
    return _key(catalog, "landing", contract)


def candidate_key(contract: Contract, catalog: str | None = None) -> dg.AssetKey:
    """The key of what is offered for publication."""
    return _key(catalog, "candidate", contract)


def published_key(contract: Contract, catalog: str | None = None) -> dg.AssetKey:
    """The key of what consumers read."""
    return _key(catalog, "published", contract)


def _key(catalog: str | None, layer: str, contract: Contract) -> dg.AssetKey:
    """The environment's catalogue, where it has one, stands before all the rest."""
    return dg.AssetKey([*([] if catalog is None else [catalog]), layer, contract.name])


def group_of(contract: Contract) -> str:
    """The group of a contract's assets: its domain."""
    return contract.domain or "contracts"


def owners_of(contract: Contract) -> list[str]:
    """The producer's contact where Dagster takes it as an owner: an e-mail address or a team."""
    producer = contract.owners.producer if contract.owners is not None else None
    contact = producer.contact or "" if producer is not None else ""
    is_team = contact.startswith("team:") and len(contact) > len("team:")
    return [contact] if is_team or _EMAIL.fullmatch(contact) else []


def tags_of(contract: Contract) -> dict[str, str]:
    """Name, version and status; a name longer than Dagster's tags stands in the asset's key alone."""
    tags = {"contract": contract.name, "contract_version": contract.version, "contract_status": contract.status}
    return {name: value for name, value in tags.items() if _TAG_VALUE.fullmatch(value)}


def promise_of(contract: Contract) -> str:
    """What consumers may rely on, in the contract's words."""
    words = [
        plain(contract.description or f"The published table of {contract.name}."),
        f"Grain: {plain(contract.grain)}" if contract.grain else "",
        _WHAT_APPEARS[contract.enforcement.on_breach],
    ]
    return "\n\n".join(word for word in words if word)
