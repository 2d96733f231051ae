"""The terms of delivery: what arrives, how its text is read, which parts and partitions it covers, when it is due."""

import codecs
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from contract_core.contract.deadlines import due_at
from contract_core.contract.delivery_terms import (
    ANY_FIELD,
    Delivery,
    Due,
    Format,
    PartitionTerms,
    PartTerms,
    Period,
)
from contract_core.contract.model import Contract
from contract_core.contract.part_sources import Completion
from contract_core.contract.partition import begun
from contract_core.contract.promises import Severity
from contract_core.diff.change import Change
from contract_core.diff.kinds import ChangeKind as Is

_MEANING_OF_TEXT = ("decimal", "null_values", "true_values", "false_values", "dates", "integral", "encoding")
_MANIFESTS = ("none", "optional", "required")

_ALWAYS = Period.model_construct()
_SAMPLE, _LAST = timedelta(days=40), date(9990, 1, 1)
_UNORDERED = ("null_values", "true_values", "false_values")

Finder = Callable[[Delivery, Delivery], Iterator[Change]]


def delivery_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """Each attribute of the delivery by itself; how text of a field is read that comes or goes belongs to the field."""
    kept = {field.name for field in new.fields if {field.name, field.renamed_from} & set(old.field_names)}
    common = frozenset({ANY_FIELD, *kept})
    before, after = (_of(item.delivery, common) for item in (old, new))
    for attribute, finder in DELIVERY_FINDERS.items():
        if getattr(before, attribute) != getattr(after, attribute):
            yield from finder(before, after)


def _of(delivery: Delivery, fields: frozenset[str]) -> Delivery:
    """The delivery as far as it is about these fields."""
    stated = delivery.format
    update: dict[str, object] = {
        name: {field: tuple(sorted(texts)) if name in _UNORDERED else texts for field, texts in by_field.items()}
        for name, by_field in _by_field(stated, fields).items()
    }
    update["integral"] = tuple(sorted(fields & set(stated.integral)))
    update["encoding"] = codecs.lookup(stated.encoding).name
    return delivery.model_copy(update={"format": stated.model_copy(update=update)})


def _by_field(stated: Format, fields: frozenset[str]) -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        name: {field: texts for field, texts in getattr(stated, name).items() if field in fields}
        for name in (*_UNORDERED, "dates")
    }


def _path(_old: Delivery, _new: Delivery) -> Iterator[Change]:
    yield Change(Is.DELIVERY_CHANGED, "delivery.path", "is another one")


def _format(old: Delivery, new: Delivery) -> Iterator[Change]:
    for name in Format.model_fields:
        before, after = getattr(old.format, name), getattr(new.format, name)
        if before != after:
            kind = Is.DECODING_CHANGED if name in _MEANING_OF_TEXT else Is.DELIVERY_CHANGED
            what = f"from {before} to {after}" if isinstance(before, str) else "is another one"
            yield Change(kind, f"delivery.format.{name}", what)


def _partition(old: Delivery, new: Delivery) -> Iterator[Change]:
    before, after = old.partition, new.partition
    if before is None or after is None:
        what = "is introduced" if before is None else "is dropped"
        yield Change(Is.PARTITION_CHANGED, "delivery.partition", what)
        return
    for name in PartitionTerms.model_fields:
        one, other = getattr(before, name), getattr(after, name)
        if one == other:
            continue
        if name == "split":
            what = "holds the rows of several partitions" if after.split else "is told by where the delivery lies"
            yield Change(Is.PARTITION_CHANGED, "delivery.partition", what)
        else:
            is_earlier = name == "start" and one and other and other < one
            kind = Is.PARTITION_START_EARLIER if is_earlier else Is.PARTITION_CHANGED
            yield Change(kind, f"delivery.partition.{name}", f"from {one or 'none'} to {other or 'none'}")


def _parts(old: Delivery, new: Delivery) -> Iterator[Change]:
    before, after = old.parts, new.parts
    if before is None or after is None:
        kind = Is.PARTS_INTRODUCED if before is None else Is.PARTS_DROPPED
        yield Change(kind, "delivery.parts", "are required" if before is None else "are no longer required")
        return
    if _source(before) != _source(after):
        yield Change(Is.PARTS_SOURCE_CHANGED, "delivery.parts", "are found, or listed, in another way")
    if before.required_from is None and after.required_from is None:  # else the names are not the contract's to compare
        yield from _required(before, after)
    yield from _completion(before.completion, after.completion)


def _completion(before: Completion | None, after: Completion | None) -> Iterator[Change]:
    path = "delivery.parts.completion"
    if (before.mechanism if before else None) != (after.mechanism if after else None):
        yield Change(Is.ASSUMPTION_CHANGED, path, "is known to the producer in another way")
    elif before != after:
        yield Change(Is.WORDS_EDITED, path, "names other evidence")


def _source(terms: PartTerms) -> tuple[object, ...]:
    return terms.source, terms.column, terms.required_file, terms.required_from


def _required(before: PartTerms, after: PartTerms) -> Iterator[Change]:
    for name in after.required:
        if name not in before.required:
            yield Change(Is.PART_REQUIRED, "delivery.parts.required", f"'{name}' must be there")
    for name in before.required:
        if name not in after.required:
            yield Change(Is.PART_NO_LONGER_REQUIRED, "delivery.parts.required", f"'{name}' may be missing")
    for name in sorted({*before.periods, *after.periods} & {*before.required} & {*after.required}):
        yield from _period(name, before.periods.get(name, _ALWAYS), after.periods.get(name, _ALWAYS))


def _period(name: str, before: Period, after: Period) -> Iterator[Change]:
    """Days that come are required, days that go no longer are; one period may do both."""
    one, other = _span(before), _span(after)
    path = "delivery.parts.periods"
    if other[0] < one[0] or other[1] > one[1]:
        yield Change(Is.PART_REQUIRED, path, f"'{name}' must be there on other days too")
    if other[0] > one[0] or other[1] < one[1]:
        yield Change(Is.PART_NO_LONGER_REQUIRED, path, f"'{name}' may be missing on some days")


def _span(period: Period) -> tuple[date, date]:
    return period.valid_from or date.min, period.valid_until or date.max


def _manifest(old: Delivery, new: Delivery) -> Iterator[Change]:
    is_tighter = _MANIFESTS.index(new.manifest) > _MANIFESTS.index(old.manifest)
    kind = Is.COMPLETENESS_TIGHTENED if is_tighter else Is.COMPLETENESS_LOOSENED
    yield Change(kind, "delivery.manifest", f"from {old.manifest} to {new.manifest}")


def _corrections(_old: Delivery, new: Delivery) -> Iterator[Change]:
    what = "may change published rows" if new.corrections else "no longer change published rows"
    yield Change(Is.CORRECTIONS_CHANGED, "delivery.corrections", what)


def _due(old: Delivery, new: Delivery) -> Iterator[Change]:
    before, after = old.due, new.due
    if before is None or after is None:
        kind = Is.DEADLINE_EARLIER if before is None else Is.DEADLINE_LATER
        yield Change(kind, "delivery.due", "is promised" if before is None else "is no longer promised")
        return
    if _days(before) != _days(after):
        yield Change(Is.DEADLINE_CHANGED, "delivery.due", "follows another calendar or zone")
    if (before.days_after, before.by) != (after.days_after, after.by):
        kind = _moved(old.partition, before, after)
        yield Change(kind, "delivery.due", f"from {_shown(before)} to {_shown(after)}")
    if before.severity is not after.severity:
        kind = Is.SEVERITY_RAISED if after.severity is Severity.ERROR else Is.SEVERITY_LOWERED
        yield Change(kind, "delivery.due.severity", f"from {before.severity} to {after.severity}")


def _moved(terms: PartitionTerms | None, before: Due, after: Due) -> Is:
    """Whether partitions of the old terms are due earlier or later, days off left aside; neither where some are the one, some the other.

    No partition is due before it has ended, so that the day after may be what `days_after: 0` means. Where no moment differs,
    the terms themselves are compared.
    """
    moved = {_sign(one, other) for one, other in _deadlines(terms, before, after)} - {0}
    if len(moved) > 1:
        return Is.DEADLINE_CHANGED
    is_earlier = -1 in moved if moved else (after.days_after, after.by) < (before.days_after, before.by)
    return Is.DEADLINE_EARLIER if is_earlier else Is.DEADLINE_LATER


def _deadlines(
    terms: PartitionTerms | None, before: Due, after: Due
) -> Iterator[tuple[datetime | None, datetime | None]]:
    """When the partitions of the first days are due: at all hours of a day, where they are hours."""
    if terms is None or terms.start is None or terms.start > _LAST:
        return
    plain, moved = (
        Due(by=due.by, days_after=due.days_after, timezone=before.timezone, severity=due.severity)
        for due in (before, after)
    )
    until = datetime.combine(terms.start + _SAMPLE, time(), ZoneInfo(terms.timezone))
    for key in begun(terms, until):
        yield due_at(terms, plain, key), due_at(terms, moved, key)


def _sign(before: datetime | None, after: datetime | None) -> int:
    if before is None or after is None:
        return 0
    return (after > before) - (after < before)


def _days(due: Due) -> tuple[object, ...]:
    return due.timezone, due.calendar, frozenset(due.holidays), frozenset(map(str, due.not_for))


def _shown(due: Due) -> str:
    days = f" after {due.days_after} day{'s' * (due.days_after != 1)}" if due.days_after else ""
    return f"{due.by:%H:%M}{days}"


DELIVERY_FINDERS: Mapping[str, Finder] = {
    "path": _path,
    "format": _format,
    "partition": _partition,
    "parts": _parts,
    "manifest": _manifest,
    "corrections": _corrections,
    "due": _due,
}
"""One for each attribute of a delivery."""
