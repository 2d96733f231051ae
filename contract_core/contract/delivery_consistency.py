"""How the terms of delivery fit the fields: what is decoded, what tells the partition, where the parts come from."""

from collections.abc import Iterator

from contract_core.contract.complaint import Complaint, unknown_field, unknown_fields
from contract_core.contract.delivery_terms import ANY_FIELD
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.contract.yaml_document import Path

_TIMED = (Family.DATE, Family.TIMESTAMP)
_DECODED_BY_FORMAT = (Family.DATE, Family.TIMESTAMP, Family.TIME)
_VALUE_PARTITIONS = (Family.STRING, Family.INTEGER, Family.DATE)
_CLOSED = ("confidential", "restricted")
_FORMAT: Path = ("delivery", "format")
_TEXT_ONLY = (
    "encoding", "delimiter", "quote", "decimal", "null_values", "true_values", "false_values", "dates", "integral",
)  # fmt: skip


def delivery_complaints(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    """Everything about the delivery that does not fit the contract's fields; `names` are those of all fields."""
    yield from _format(contract)
    yield from _tokens(contract, names)
    yield from _decodings(contract)
    yield from _partition(contract, names)
    yield from _parts(contract, names)


def _format(contract: Contract) -> Iterator[Complaint]:
    terms = contract.delivery.format
    for name in () if terms.is_text else _TEXT_ONLY:
        if name in terms.model_fields_set:
            what = f"{terms.type} has types of its own, {name} would not be used"
            yield Complaint((*_FORMAT, name), what, "remove it")


def _tokens(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    terms = contract.delivery.format
    for name in ("null_values", "true_values", "false_values", "dates"):
        for field in getattr(terms, name):
            if field not in names and field != ANY_FIELD:
                yield unknown_field((*_FORMAT, name, field), field, names)
    yield from unknown_fields((*_FORMAT, "integral"), terms.integral, names)
    yield from _ambiguous(contract)


def _ambiguous(contract: Contract) -> Iterator[Complaint]:
    """A text that would mean two things in one field; null tokens do not concern JSON, which has a null of its own."""
    terms = contract.delivery.format
    told: set[tuple[str, str]] = set()
    for field in contract.fields:
        if field.type.family is not Family.BOOLEAN or terms.type != "csv":
            continue
        meanings = (terms.true_tokens(field.name), terms.false_tokens(field.name), terms.null_tokens(field.name))
        for name, (first, second) in {
            "false_values": meanings[:2],
            "null_values": (meanings[0] + meanings[1], meanings[2]),
        }.items():
            for token in sorted(set(first) & set(second)):
                if (name, token) not in told:
                    told.add((name, token))
                    yield Complaint(
                        (*_FORMAT, name), f"'{token}' means two things in '{field.name}'", "give each text one meaning"
                    )


def _decodings(contract: Contract) -> Iterator[Complaint]:
    terms = contract.delivery.format
    families = {field.name: field.type.family for field in contract.fields}
    for field, formats in terms.dates.items():
        if field in families and families[field] not in _DECODED_BY_FORMAT:
            yield Complaint(
                (*_FORMAT, "dates", field), f"'{field}' is no date, time or timestamp", "remove it or change its type"
            )
        if any("%" not in text for text in formats):
            yield Complaint(
                (*_FORMAT, "dates", field), "a format without % decodes nothing", 'write for example "%d-%m-%Y"'
            )
    for field in terms.integral:
        if field in families and families[field] not in (Family.INTEGER, Family.NUMBER):
            yield Complaint((*_FORMAT, "integral"), f"'{field}' is no number", "remove it or change its type")


def _partition(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    terms = contract.delivery.partition
    yield from _due(contract)
    if terms is None:
        return
    yield from _split(contract)
    path: Path = ("delivery", "partition", "column")
    if terms.column not in names:
        yield unknown_field(path, terms.column, names)
    if terms.column not in contract.field_names:
        return
    field = contract.field(terms.column)
    if not field.required or field.nullable or {"null", ANY_FIELD} & set(field.severity):
        yield Complaint(
            path, f"'{field.name}' tells the partition and so must be in every row", "make it required and not nullable"
        )
    yield from _told_by_name(path, field)
    fitting = (Family.TIMESTAMP,) if terms.every == "hour" else _TIMED if terms.every else _VALUE_PARTITIONS
    if field.type.family not in fitting:
        what = f"'{field.name}' is of type {field.type}, which cannot tell a partition of this kind"
        yield Complaint(path, what, f"use a field of type {' or '.join(fitting)}")


def _due(contract: Contract) -> Iterator[Complaint]:
    """What deadlines ask of partitions: that there are some, and that they are spans of time."""
    terms, due = contract.delivery.partition, contract.delivery.due
    if due is None:
        return
    path: Path = ("delivery", "due")
    if terms is None:
        hint = "declare delivery.partition or remove due"
        yield Complaint(path, "nothing is due without partitions", hint, depends_on=(("delivery", "partition"),))
    elif terms.every is None:
        yield Complaint(
            path,
            "a partition by value has no end from which days could be counted",
            "write every: hour, day, week or month in delivery.partition, or remove due",
            depends_on=(("delivery", "partition"), ("delivery", "due")),
        )
    elif due.not_for and terms.every in ("week", "month"):
        what = "names days, and a partition is longer than one"
        yield Complaint((*path, "not_for"), what, "remove it, or write every: day")


def _split(contract: Contract) -> Iterator[Complaint]:
    """What does not go with several partitions in one delivery."""
    terms, path = contract.delivery.partition, ("delivery", "partition", "split")
    if terms is None or not terms.split:
        return
    if contract.delivery.format.type == "envelope":
        what = "an envelope names the one partition that it is of"
        yield Complaint(path, what, "remove split, or use another format", depends_on=(("delivery", "format"),))
    if contract.publication.mode == "upsert":
        what = "under mode: upsert rows may belong to any partition, so nothing tells which are whose"
        hint = "remove split, or write mode: replace_partition or append"
        yield Complaint(path, what, hint, depends_on=(("publication", "mode"),))


def _told_by_name(path: Path, field: Field) -> Iterator[Complaint]:
    """Keys of partitions are the names of folders, and stand in messages, in the ledger and in the log of the table."""
    if field.classification in _CLOSED:
        what = f"'{field.name}' is {field.classification}, and its values would become the names of partitions"
        yield Complaint(path, what, "tell partitions by another field")


def _parts(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    delivery = contract.delivery
    terms = delivery.parts
    if delivery.format.type == "envelope" and delivery.manifest != "none":
        yield Complaint(("delivery", "manifest"), "an envelope is its own manifest", "remove manifest")
    if terms is None:
        return
    if terms.column is not None and terms.column not in names:
        yield unknown_field(("delivery", "parts", "column"), terms.column, names)
    elif terms.column in contract.field_names and contract.field(terms.column).type.family is not Family.STRING:
        yield Complaint(
            ("delivery", "parts", "column"), "names of parts are text", f"'{terms.column}' must be a string field"
        )
    if terms.source == "manifest" and delivery.manifest == "none":
        yield Complaint(
            ("delivery", "parts", "from"),
            "there is no manifest to take parts from",
            "write manifest: required",
            depends_on=(("delivery", "manifest"),),
        )
    if (terms.source == "envelope") != (delivery.format.type == "envelope") and terms.source != "column":
        what = f"parts from: {terms.source} do not go with format {delivery.format.type}"
        hint = "from: envelope belongs to format: {type: envelope}"
        yield Complaint(("delivery", "parts", "from"), what, hint, depends_on=(("delivery", "format"),))
    if terms.periods and (delivery.partition is None or delivery.partition.every is None):
        yield Complaint(
            ("delivery", "parts", "periods"),
            "names days, and the contract has no partitions that are spans of time",
            "remove periods, or write every: in delivery.partition",
            depends_on=(("delivery", "partition"),),
        )
    yield from _listed_elsewhere(contract)
    yield from _clashing_id(contract)


def _listed_elsewhere(contract: Contract) -> Iterator[Complaint]:
    """What can be said of a list in another contract's table without that contract."""
    delivery = contract.delivery
    source = delivery.parts.required_from if delivery.parts is not None else None
    if source is None:
        return
    path: Path = ("delivery", "parts", "required_from")
    if source.contract == contract.name:
        what = "what is delivered cannot say itself which parts are required"
        yield Complaint((*path, "contract"), what, "name another contract, or write required: [...]")
    if (source.valid_from or source.valid_until) and (delivery.partition is None or delivery.partition.every is None):
        what = "names days, and the contract has no partitions that are spans of time"
        hint = "remove valid_from and valid_until, or write every: in delivery.partition"
        yield Complaint(path, what, hint, depends_on=(("delivery", "partition"),))


def _clashing_id(contract: Contract) -> Iterator[Complaint]:
    """The one field whose rule would carry the id of another obligation."""
    for index, field in enumerate(contract.fields):
        if field.name == "coverage" and field.required:
            what = "'coverage.missing' would be the id of two obligations: of this field and of the required parts"
            yield Complaint(("fields", index, "name"), what, "rename the field")
