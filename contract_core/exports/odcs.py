"""A contract as a document of the Open Data Contract Standard.

What the standard has words for stands where its readers look for it. The rest stands in custom properties of our own, so that the
document read again is the same contract to the letter.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import yaml

from contract_core.contract.model import Contract, Field
from contract_core.contract.odcs_draft import Account
from contract_core.contract.odcs_quality import OWN
from contract_core.contract.odcs_shape import NEWEST
from contract_core.contract.odcs_tables import PARAGRAPHS, read_table
from contract_core.contract.odcs_terms import AGE, is_address
from contract_core.contract.odcs_types import letter_pattern, logical_name, physical_name, spelled, width_format
from contract_core.contract.yaml_document import Document, Value
from contract_core.contract.yaml_text import number_text, share_text
from contract_core.exports.exported import Exported
from contract_core.exports.odcs_rules import Placed, custom, placed_promises

Entry = dict[str, Any]
_UNITS = (("w", timedelta(weeks=1)), ("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("m", timedelta(minutes=1)))
_LINE_ENDS = re.compile("[\r\x85\u2028\u2029\ufeff]")
_FREQUENCIES = {"hour": "h", "day": "d", "week": "w", "month": "mo"}


def odcs_document(contract: Contract) -> Exported:
    """The contract as YAML of the standard; `not_carried` names what only readers of our custom properties will find."""
    document = _natural(contract)
    fields, terms = _unsaid(contract, document)
    table = document["schema"][0]
    for index, values in fields.items():
        table["properties"][index]["customProperties"] = custom(values)
    if terms:
        table["customProperties"] = custom(terms)
    names = [f"fields.{contract.fields[index].name}.{name}" for index, values in fields.items() for name in values]
    names += [place for name, value in terms.items() for place in _places(name, value)]
    why = f"the standard has no words for it; only readers of the custom properties {OWN}* find it"
    text = yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return Exported(text, tuple(f"`{name}`: {why}" for name in names))


def _places(name: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - any part of a contract
    return tuple(f"{name}.{part}" for part in value) if isinstance(value, dict) else (name,)


def plain(contract: Contract) -> Entry:
    """All that the contract states, as values that YAML and JSON both have; what is said by default is left out."""
    stated = contract.model_dump(mode="python", by_alias=True, exclude_defaults=True)
    return {
        name: [_plain_field(entry) for entry in value] if name == "fields" else _plain(value)
        for name, value in stated.items()
    }


def _plain_field(entry: Mapping[str, Any]) -> Entry:
    """Bounds and listed values are numbers as they stand; elsewhere a decimal is a share."""
    bounds = ("min", "max", "enum")
    return {name: _spelled(value) if name in bounds else _plain(value) for name, value in entry.items()}


def _spelled(value: Any) -> Any:  # noqa: ANN401 - a bound of any type
    return [spelled(item) for item in value] if isinstance(value, tuple) else spelled(value)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value of a contract
    match value:
        case dict():
            return {str(name): _plain(item) for name, item in value.items()}
        case tuple() | list():
            return [_plain(item) for item in value]
        case Decimal():
            written = share_text(value)
            return written.strip('"') if written.startswith('"') else value
        case datetime() | date():
            return value.isoformat()
        case time():
            return value.strftime("%H:%M")
        case str():
            return str(value)
        case _:
            return value


def _natural(contract: Contract) -> Entry:
    """The document in the standard's own words alone."""
    words, about = _paragraphs(contract)
    placed = placed_promises(contract)
    document: Entry = {"apiVersion": NEWEST, "kind": "DataContract", "id": contract.name, "name": contract.name}
    document |= {"version": contract.version, "status": contract.status}
    if contract.domain is not None:
        document["domain"] = contract.domain
    if about:
        document["description"] = about
    table: Entry = {
        "name": contract.name,
        "physicalName": contract.name,
        "logicalType": "object",
        "physicalType": "table",
    }
    if words is not None:
        table["description"] = words
    if contract.grain is not None:
        table["dataGranularityDescription"] = contract.grain
    table["properties"] = [_property(contract, field, placed) for field in contract.fields]
    table |= {"quality": placed.table_quality} if placed.table_quality else {}
    table |= {"relationships": placed.table_relationships} if placed.table_relationships else {}
    document["schema"] = [table]
    levels = list(_levels(contract))
    return {**document, **_owners(contract), **({"slaProperties": levels} if levels else {})}


def _paragraphs(contract: Contract) -> tuple[str | None, Entry]:
    """The description of the table, and what the document says of usage and limitations in paragraphs of its own."""
    words: str | None = contract.description
    about: Entry = {}
    for name, label in reversed(PARAGRAPHS.items()):
        before, mark, after = ("", "", "") if words is None else f"\n\n{words}".rpartition(f"\n\n{label}")
        if mark and after.strip():
            about = {name: after, **about}
            words = before[2:] if before else None
    if contract.purpose is not None:
        about = {"purpose": contract.purpose, **about}
    return words, about


def _property(contract: Contract, field: Field, placed: Placed) -> Entry:
    entry: Entry = {"name": field.name, "logicalType": logical_name(field.type)}
    entry["physicalType"] = physical_name(field.type, field.max_length)
    options = {**_options(contract, field), **placed.options.get(field.name, {})}
    texts = {"description": field.description, "businessName": field.semantics, "classification": field.classification}
    entry |= {name: text for name, text in texts.items() if text is not None}
    entry |= {"logicalTypeOptions": options} if options else {}
    entry["required"] = not field.nullable
    if field.name in contract.key:
        entry |= {"primaryKey": True, "primaryKeyPosition": contract.key.index(field.name) + 1}
    partition = contract.delivery.partition
    if partition is not None and partition.column == field.name:
        entry |= {"partitioned": True, "partitionKeyPosition": 1}
    if field.name in placed.unique:
        entry["unique"] = True
    for name, listed in (("quality", placed.quality), ("relationships", placed.relationships)):
        entry |= {name: listed[field.name]} if field.name in listed else {}
    return entry


def _options(contract: Contract, field: Field) -> Entry:
    values = {
        "minLength": field.min_length,
        "maxLength": field.max_length,
        "pattern": field.pattern,
        "minimum": spelled(field.min),
        "maximum": spelled(field.max),
        "format": width_format(field.type) or _date_pattern(contract, field),
    }
    options = {name: value for name, value in values.items() if value is not None}
    zone = field.type.timezone
    return {**options, **({"timezone": True, "defaultTimezone": zone} if zone is not None else {})}


def _date_pattern(contract: Contract, field: Field) -> str | None:
    formats = contract.delivery.format.date_formats(field.name)
    return (
        letter_pattern(formats[0])
        if len(formats) == 1 and logical_name(field.type) in ("date", "time", "timestamp")
        else None
    )


def _owners(contract: Contract) -> Entry:
    if contract.owners is None:
        return {}
    producer, consumers = contract.owners.producer, contract.owners.consumers
    owners: Entry = {"team": {"name": producer.name}}
    if producer.contact is not None:
        address = {"url": producer.contact} if is_address(producer.contact) else {}
        owners["support"] = [{"channel": producer.contact, **address}]
    if consumers:
        owners["roles"] = [{"role": consumer.name, "access": "read"} for consumer in consumers]
    return owners


def _levels(contract: Contract) -> Iterator[Entry]:
    fresh, partition, due = contract.freshness, contract.delivery.partition, contract.delivery.due
    if fresh is not None:
        number, unit = _age(fresh.max_age)
        yield {"property": AGE, "value": number, "unit": unit, "element": f"{contract.name}.{fresh.column}"}
    if contract.sunset is not None and contract.status != "draft":
        yield {"property": "endOfLife", "value": contract.sunset.isoformat()}
    if partition is not None and partition.every is not None:
        yield {"property": "frequency", "value": 1, "unit": _FREQUENCIES[partition.every]}
    if due is not None:
        yield {"property": "timeOfAvailability", "value": due.by.strftime("%H:%M")}


def _age(age: timedelta) -> tuple[int, str]:
    for unit, length in _UNITS:
        if age and not age % length:
            return age // length, unit
    return int(age.total_seconds()), "s"


def _unsaid(contract: Contract, document: Entry) -> tuple[dict[int, Entry], Entry]:
    """What a reader of the document would not know of the contract: by field, and of the contract as a whole."""
    value = _frozen(document)
    assert isinstance(value, dict), "a document is a mapping"
    draft, _ = read_table(Account(Document(value)), value, 0)
    said, stated = plain(Contract.model_validate(draft.whole())), plain(contract)
    fields = {
        index: found
        for index, (before, after) in enumerate(zip(said.pop("fields"), stated.pop("fields"), strict=True))
        if (found := _change(before, after))
    }
    return {
        index: {name: after.get(name) for name in found} for index, found, after in _with(fields, contract)
    }, _change(said, stated)


def _with(fields: dict[int, Entry], contract: Contract) -> Iterator[tuple[int, Entry, Entry]]:
    stated = plain(contract)["fields"]
    return ((index, found, stated[index]) for index, found in fields.items())


def _change(before: Entry, after: Entry) -> Entry:
    """What to lay over `before` so that it becomes `after`: part by part in mappings, None where a part goes."""
    change: Entry = {name: None for name in before if name not in after}
    for name, value in after.items():
        present = before.get(name)
        if isinstance(value, dict) and isinstance(present, dict):
            if part := _change(present, value):
                change[name] = part
        elif name not in before or value != present:
            change[name] = value
    return change


def _frozen(value: Any) -> Value:  # noqa: ANN401 - any part of a document
    if isinstance(value, dict):
        return {name: _frozen(item) for name, item in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


class _Dumper(yaml.SafeDumper):
    """Writes exact numbers as they are, and every list and mapping out, without anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401, ARG002 - the signature of PyYAML
        return True


def _write_decimal(dumper: yaml.SafeDumper, value: Decimal) -> yaml.ScalarNode:
    written = number_text(value)
    return dumper.represent_scalar("tag:yaml.org,2002:float", written if "." in written else f"{written}.0")


def _write_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    """Signs that end a line to YAML are escaped: PyYAML 6 writes them as they are, and reads them as other ones."""
    style = '"' if _LINE_ENDS.search(value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style)


_Dumper.add_representer(Decimal, _write_decimal)
_Dumper.add_representer(str, _write_text)
