"""One table of an Open Data Contract Standard document, with what the document says of all its tables → the draft of a contract."""

import re
from collections.abc import Mapping

from contract_core.contract.model import NAME, VERSION
from contract_core.contract.odcs_columns import read_column, read_reference
from contract_core.contract.odcs_draft import Account, Draft
from contract_core.contract.odcs_quality import Subject, hold_own, own_values, read_quality
from contract_core.contract.odcs_shape import NEWEST
from contract_core.contract.odcs_terms import read_owners, read_service_levels
from contract_core.contract.yaml_document import Path, Value

_LOOSE_VERSION = re.compile(r"[vV]?([0-9]{1,9})(?:\.([0-9]{1,9}))?(?:\.([0-9]{1,9}))?(?:[-+.].*)?", re.DOTALL)
_STATUSES = {name: name for name in ("draft", "active", "deprecated", "retired")} | {
    "proposed": "draft", "development": "draft", "in development": "draft", "production": "active",
}  # fmt: skip
PARAGRAPHS = {"usage": "Usage: ", "limitations": "Limitations: "}
"""What the description of a contract says in a paragraph of its own, and how the paragraph begins."""
TABLE_WORDS = {"physicalType": "table", "logicalType": "object"}
Obstacle = tuple[Path, str, str]
"""Why no contract can be made of a table: where, what, and what to write instead."""


def read_table(account: Account, document: Mapping[str, Value], index: int) -> tuple[Draft, tuple[Obstacle, ...]]:
    """The draft for one table of the document, and what stands in the way of a contract."""
    path: Path = ("schema", index)
    table = _mapping(_items(document, "schema")[index])
    draft = Draft()
    obstacles = [*_head(draft, account, document), *_name(draft, account, document, path)]
    _words(draft, account, document, path)
    columns = _items(table, "properties")
    for place, column in enumerate(columns):
        where = (*path, "properties", place)
        if why := read_column(draft, account, where, _mapping(column), place):
            obstacles.append((where, why, "write logicalType: string, or another of the standard's types"))
    if not columns:
        obstacles.append(
            (path, "the table has no properties, and a contract promises at least one field", "write properties:")
        )
        return draft, tuple(obstacles)
    _keys(draft, account, path, columns)
    _partition(draft, account, path, columns)
    for place, rule in enumerate(_items(table, "quality")):
        read_quality(draft, account, (*path, "quality", place), _mapping(rule), Subject())
    for place, relation in enumerate(_items(table, "relationships")):
        read_reference(draft, account, (*path, "relationships", place), _mapping(relation), ())
    read_owners(draft, account, document)
    read_service_levels(draft, account, document, table)
    _delivery(draft)
    for holder, where in ((document, ()), (table, path)):
        _own(draft, account, where, holder)
    return draft, tuple(obstacles)


def contract_name(table: str) -> str:
    """The name of a table as contracts are named: small letters, digits and underscores, a letter first."""
    if NAME.fullmatch(table):
        return table
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", table)
    written = re.sub(r"[^a-z0-9]+", "_", parted.lower()).strip("_")
    return (written if written[:1].isalpha() else f"table_{written}".rstrip("_"))[:100]


def _mapping(value: Value) -> Mapping[str, Value]:
    return value if isinstance(value, dict) else {}


def _items(holder: Mapping[str, Value], name: str) -> tuple[Value, ...]:
    found = holder.get(name)
    return found if isinstance(found, tuple) else ()


def _head(draft: Draft, account: Account, document: Mapping[str, Value]) -> list[Obstacle]:
    account.hold(("kind",))
    if document.get("apiVersion") == NEWEST:
        account.hold(("apiVersion",))
    else:
        account.leave(("apiVersion",), f"a contract has its own language; it is written as {NEWEST}")
    status = str(document.get("status"))
    found = _STATUSES.get(status.lower(), "draft")
    draft.put("status", found, ("status",))
    account.hold(("status",))
    if found != status:
        account.leave(("status",), f"'{status}' is read as '{found}'")
    version = str(document.get("version"))
    match = _LOOSE_VERSION.fullmatch(version)
    if match is None:
        return [
            (("version",), "the version has no numbers that major, minor and patch could be", 'write version: "1.0.0"')
        ]
    written = ".".join(str(int(number or 0)) for number in match.groups())
    draft.put("version", written, ("version",))
    account.hold(("version",))
    if not VERSION.fullmatch(version):
        account.leave(("version",), f"versions have major, minor and patch: it is read as '{written}'")
    return []


def _name(draft: Draft, account: Account, document: Mapping[str, Value], path: Path) -> list[Obstacle]:
    table = _mapping(_items(document, "schema")[int(path[1])])
    written = str(table.get("name"))
    name = contract_name(written)
    draft.put("contract", name, (*path, "name"))
    account.hold((*path, "name"))
    if name != written:
        account.leave(
            (*path, "name"), f"names of contracts are small letters, digits and underscores: it is called '{name}'"
        )
    for holder, where, attribute in ((document, (), "id"), (document, (), "name"), (table, path, "physicalName")):
        if holder.get(attribute) == name:
            account.hold((*where, attribute))
    if isinstance(document.get("name"), str) and document["name"] != name:
        account.leave(("name",), "a contract is called after its table")
    domain = document.get("domain")
    if isinstance(domain, str) and domain.strip():
        draft.put("domain", contract_name(domain), ("domain",))
        account.hold(("domain",))
        if contract_name(domain) != domain:
            account.leave(
                ("domain",), f"names are small letters, digits and underscores: it is called '{contract_name(domain)}'"
            )
    return []


def _words(draft: Draft, account: Account, document: Mapping[str, Value], path: Path) -> None:
    table, about = _mapping(_items(document, "schema")[int(path[1])]), _mapping(document.get("description"))
    _description(draft, account, (table, about), path)
    for holder, where, attribute, ours in (
        (about, ("description",), "purpose", "purpose"),
        (table, path, "dataGranularityDescription", "grain"),
    ):
        value = holder.get(attribute)
        if isinstance(value, str) and value.strip():
            draft.put(ours, value, (*where, attribute))
            account.hold((*where, attribute))
    for attribute, meant in TABLE_WORDS.items():
        if table.get(attribute) == meant:
            account.hold((*path, attribute))
        elif attribute in table:
            account.leave((*path, attribute), "a contract is about a table, whatever holds it")


def _description(
    draft: Draft, account: Account, holders: tuple[Mapping[str, Value], Mapping[str, Value]], path: Path
) -> None:
    table, about = holders
    paragraphs = [table["description"]] if isinstance(table.get("description"), str) else []
    for attribute, label in PARAGRAPHS.items():
        if isinstance(about.get(attribute), str) and str(about[attribute]).strip():
            paragraphs.append(f"{label}{about[attribute]}")
            account.hold(("description", attribute))
    if paragraphs:
        draft.put("description", "\n\n".join(map(str, paragraphs)), (*path, "description"))
        account.hold((*path, "description"))


def _keys(draft: Draft, account: Account, path: Path, columns: tuple[Value, ...]) -> None:
    parts = []
    for place, column in enumerate(map(_mapping, columns)):
        if column.get("primaryKey") is True:
            position = column.get("primaryKeyPosition")
            rank = position if isinstance(position, int) and position > 0 else len(columns) + place
            parts.append((rank, place, position))
    for number, (_, place, position) in enumerate(sorted(parts), start=1):
        where = (*path, "properties", place)
        account.hold((*where, "primaryKey"))
        if position == number:
            account.hold((*where, "primaryKeyPosition"))
        else:
            account.leave((*where, "primaryKeyPosition"), f"is number {number} of the key")
    if parts:
        draft.put("key", tuple(draft.names()[place] for _, place, _ in sorted(parts)), path)


def _partition(draft: Draft, account: Account, path: Path, columns: tuple[Value, ...]) -> None:
    places = [place for place, column in enumerate(columns) if _mapping(column).get("partitioned") is True]
    for place in places:
        where = (*path, "properties", place)
        if len(places) > 1:
            why = "a table is partitioned by one column"
        elif _mapping(columns[place]).get("required") is not True:
            why = "the column that tells the partition is in every row, and this one may be missing"
        else:
            draft.value["partition"] = {"column": draft.names()[place]}
            draft.origins[("delivery", "partition")] = (*where, "partitioned")
            account.hold((*where, "partitioned"))
            if _mapping(columns[place]).get("partitionKeyPosition") == 1:
                account.hold((*where, "partitionKeyPosition"))
            continue
        account.leave((*where, "partitioned"), why)
        account.leave((*where, "partitionKeyPosition"), why)


def _delivery(draft: Draft) -> None:
    """What the columns said about the delivery, in its own section."""
    dates, partition = draft.value.pop("dates", None), draft.value.pop("partition", None)
    delivery: dict[str, Value] = {}
    if dates is not None:
        delivery["format"] = {"dates": dates}
    if partition is not None:
        delivery["partition"] = partition
    if delivery:
        draft.put("delivery", delivery, ())


def _own(draft: Draft, account: Account, path: Path, holder: Mapping[str, Value]) -> None:
    for name, value in own_values(holder).items():
        merged = _merged(draft.value.get(name), value)
        if merged is None:
            draft.value.pop(name, None)
        else:
            draft.put(name, merged, (*path, "customProperties"))
            below = [place for place in draft.origins if len(place) > 1 and place[0] == name]
            for place in below:
                draft.origins[place] = (*path, "customProperties")
    hold_own(account, path, holder)


def _merged(present: Value, change: Value) -> Value:
    """A value with another laid over it: mappings part by part, nothing takes a part away, all else replaces."""
    if not isinstance(change, dict):
        return change
    start = dict(present) if isinstance(present, dict) else {}
    for name, value in change.items():
        part = _merged(start.get(name), value)
        if part is None:
            start.pop(name, None)
        else:
            start[name] = part
    return start
