"""Team, roles, support and service levels of an Open Data Contract Standard document → owners, freshness and end of a contract."""

import re
from collections.abc import Iterator, Mapping

from contract_core.contract.odcs_draft import Account, Draft
from contract_core.contract.odcs_quality import own_values
from contract_core.contract.yaml_document import Path, Value

_UNITS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "min", "minute", "minutes"), "m"),
    **dict.fromkeys(("h", "hr", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("w", "wk", "week", "weeks"), "w"),
}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:\S+")
AGE = "latency"
"""The service level that is written for freshness."""


def read_owners(draft: Draft, account: Account, document: Mapping[str, Value]) -> None:
    """The team is the producer, its first channel of support the contact, and who has a role to read is a consumer."""
    producer, origin = _producer(account, document)
    if not producer:
        return
    owner: dict[str, Value] = {"name": producer}
    if contact := _contact(account, document):
        owner["contact"] = contact
    owners: dict[str, Value] = {"producer": owner}
    readers = [(place, role) for place, role in _items(document, "roles") if role.get("access") == "read"]
    if readers:
        owners["consumers"] = tuple({"name": role.get("role")} for _, role in readers)
        for place, _ in readers:
            account.hold(("roles", place, "role"))
            account.hold(("roles", place, "access"))
    draft.put("owners", owners, origin)


def read_service_levels(
    draft: Draft, account: Account, document: Mapping[str, Value], table: Mapping[str, Value]
) -> None:
    """Latency of a column of this table is its freshness, the end of life of the data the sunset of the contract."""
    own = own_values(table)
    for place, level in _items(document, "slaProperties"):
        path: Path = ("slaProperties", place)
        match level.get("property"):
            case "latency" | "freshness" if "freshness" not in draft.value:
                _age(draft, account, path, level, (document, table))
            case "endOfLife":
                _end(draft, account, path, level)
            case "frequency" | "timeOfAvailability" if "delivery" in own:
                account.hold(path)  # written for readers of the document; our own attribute says it in full


def is_address(contact: str) -> bool:
    """Whether a contact is an address that can be followed."""
    return _ADDRESS.fullmatch(contact) is not None


def _items(holder: Mapping[str, Value], name: str) -> Iterator[tuple[int, Mapping[str, Value]]]:
    found = holder.get(name)
    listed = found if isinstance(found, tuple) else ()
    return ((place, item) for place, item in enumerate(listed) if isinstance(item, dict))


def _producer(account: Account, document: Mapping[str, Value]) -> tuple[str, Path]:
    team = document.get("team")
    if isinstance(team, dict):
        name = team.get("name")
        account.hold(("team", "name"))
        return (name, ("team", "name")) if isinstance(name, str) and name.strip() else ("", ())
    present = [(place, member) for place, member in _items(document, "team") if member.get("dateOut") is None]
    leading = [
        entry for entry in present if str(entry[1].get("role")).lower() in ("owner", "data owner", "product owner")
    ]
    if len(leading) != 1:
        return "", ()
    place, member = leading[0]
    path: Path = ("team", place, "username")
    account.leave(path, "the owner is the producer, and is written as the name of the team")
    name = member.get("username")
    return (name, path) if isinstance(name, str) and name.strip() else ("", ())


def _contact(account: Account, document: Mapping[str, Value]) -> str:
    first = next(_items(document, "support"), None)
    if first is None:
        return ""
    place, channel = first
    url, name = channel.get("url"), channel.get("channel")
    is_url = isinstance(url, str) and is_address(url)
    contact = url if is_url else name
    account.hold(("support", place, "url" if is_url else "channel"))
    if is_url and name == url:
        account.hold(("support", place, "channel"))
    return contact if isinstance(contact, str) and contact.strip() else ""


def _age(
    draft: Draft, account: Account, path: Path, level: Mapping[str, Value],
    holders: tuple[Mapping[str, Value], Mapping[str, Value]],
) -> None:  # fmt: skip
    document, table = holders
    column = _column(str(level.get("element") or document.get("slaDefaultElement") or ""), table)
    number, unit = level.get("value"), _UNITS.get(str(level.get("unit", "")).lower())
    if not column or unit is None or isinstance(number, bool) or not isinstance(number, int) or number < 0:
        account.doubt(path, "is no whole number of seconds to weeks for a column of a table that is described here")
        return
    draft.put("freshness", {"column": column, "max_age": f"{number}{unit}"}, path)
    for name in ("property", "value", "unit", "element"):
        account.hold((*path, name))
    if level.get("property") != AGE:
        account.leave((*path, "property"), f"is written as '{AGE}'")
    if level.get("unit") != unit:
        account.leave((*path, "unit"), f"is written as '{unit}'")
    if level.get("element") != f"{table.get('name')}.{column}":
        account.leave((*path, "element"), "is written with the names of table and column")
    account.leave(("slaDefaultElement",), "a promise names its own column")


def _column(element: str, table: Mapping[str, Value]) -> str:
    """The name of the column of this table that an element such as table.column means, or nothing."""
    holder, _, name = element.rpartition(".")
    if holder and holder not in (table.get("name"), table.get("physicalName")):
        return ""
    for _, column in _items(table, "properties"):
        if name and name in (column.get("name"), column.get("physicalName")):
            return str(column.get("name"))
    return ""


def _end(draft: Draft, account: Account, path: Path, level: Mapping[str, Value]) -> None:
    written = level.get("value")
    text = written if isinstance(written, str) else ""
    if not _DAY.match(text) or draft.value.get("status") == "draft":
        return
    draft.put("sunset", text[:10], path)
    account.hold((*path, "property"))
    account.hold((*path, "value"))
    if text != text[:10]:
        account.leave((*path, "value"), "a contract ends on a day, at no time of it")
