"""What is said of a contract's assets before any run: keys, group, owners, tags, descriptions, as far as Dagster can hold it."""

import re

import dagster as dg

from contract_core.contract.model import Contract

_EMAIL = re.compile(r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_TAG_VALUE = re.compile(r"[A-Za-z0-9_.-]{1,63}")
_MARKUP = re.compile(
    r"[\\`*~<|&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=\])[(\[:]|^[#>+=-]",
    re.MULTILINE,
)


def plain(text: str) -> str:
    """Text that Markdown shows as it is: the UI reads descriptions as Markdown. What is not markup stays readable elsewhere."""
    return _MARKUP.sub(r"\\\g<0>", text)


def landing_key(contract: Contract) -> dg.AssetKey:
    """The key of what producers deliver."""
    return dg.AssetKey(["landing", contract.name])


def candidate_key(contract: Contract) -> dg.AssetKey:
    """The key of what is offered for publication."""
    return dg.AssetKey(["candidate", contract.name])


def published_key(contract: Contract) -> dg.AssetKey:
    """The key of what consumers read."""
    return dg.AssetKey(["published", contract.name])


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
        "Only deliveries that keep the contract appear here.",
    ]
    return "\n\n".join(word for word in words if word)
