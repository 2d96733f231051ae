"""How monitors fit the fields that they watch, the partitions that they compare, and who may see what they measure."""

from collections.abc import Iterator, Mapping

from contract_core.contract.complaint import Complaint
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import FieldMonitor, Monitor
from contract_core.contract.yaml_document import Path

CLASSIFIED = ("confidential", "restricted")
"""Fields of which no aggregate leaves the candidate: a mean or a share of few values can give one of them away."""
NUMERIC = (Family.INTEGER, Family.NUMBER, Family.DURATION)
COUNTABLE = tuple(family for family in Family if family not in (Family.OBJECT, Family.ARRAY))
LIMITS: Mapping[str, str] = {
    "null_rate": "null_rate",
    "distinct_change": "distinct",
    "mean_change": "mean",
    "quantiles_change": "quantiles",
    "shares": "shares",
}
"""The measure that each limit of a field is about."""


def why_unmeasured(field: Field, limit: str) -> tuple[str, str] | None:
    """Why a field cannot have the measure that a limit is about, and what to write instead; None where it can."""
    if limit == "null_rate":
        return None
    if field.classification in CLASSIFIED:
        what = f"'{field.name}' is {field.classification}, and no aggregate of its values is kept"
        return what, "watch its null_rate, or another field"
    if limit in ("mean_change", "quantiles_change") and field.type.family not in NUMERIC:
        return f"'{field.name}' holds no numbers", "watch its null_rate or distinct_change"
    if limit == "distinct_change" and field.type.family not in COUNTABLE:
        return f"'{field.name}' is an {field.type.family.value}, and no two of them are compared", "watch its null_rate"
    if limit == "shares" and field.enum is None:
        return f"'{field.name}' has no enum whose values could have shares", "declare enum: [...], or remove shares"
    return None


def limits_of(monitor: FieldMonitor, field: Field) -> tuple[str, ...]:
    """The limits that are held: those that are stated, or, where a deviation stands alone, one for each measure of the field."""
    stated = tuple(limit for limit in LIMITS if getattr(monitor, limit) is not None)
    if stated or monitor.max_deviation is None:
        return stated
    return tuple(limit for limit in LIMITS if why_unmeasured(field, limit) is None)


def monitor_complaints(contract: Contract) -> Iterator[Complaint]:
    """Everything about the monitors that does not fit; names that are no field are complained of elsewhere."""
    volume = contract.monitors.volume
    if volume is not None:
        path: Path = ("monitors", "volume")
        yield from _terms(path, volume, contract)
        if volume.max_change is None and volume.max_deviation is None:
            others = ((*path, "max_change"), (*path, "max_deviation"))
            yield Complaint(path, "sets no limit", 'write max_change: "50%", max_deviation: 6, or both', others)
    for name, monitor in contract.monitors.fields.items():
        path = ("monitors", "fields", name)
        yield from _terms(path, monitor, contract)
        yield from _limits(path, monitor, contract)


def _terms(path: Path, monitor: Monitor, contract: Contract) -> Iterator[Complaint]:
    if "min_history" in monitor.model_fields_set and monitor.min_history > monitor.window:
        what = f"min_history {monitor.min_history} is above window {monitor.window}, so that nothing is ever compared"
        yield Complaint((*path, "min_history"), what, "lower it, or raise window")
    terms = contract.delivery.partition
    if monitor.season is not None and (terms is None or terms.every != "day"):
        yield Complaint(
            (*path, "season"),
            "compares days of the same weekday, and the contract has no partitions by day",
            "remove season, or write every: day in delivery.partition",
            depends_on=(("delivery", "partition"),),
        )


def _limits(path: Path, monitor: FieldMonitor, contract: Contract) -> Iterator[Complaint]:
    stated = [limit for limit in LIMITS if getattr(monitor, limit) is not None]
    if not stated and monitor.max_deviation is None:
        names = (*LIMITS, "max_deviation")
        yield Complaint(
            path, "sets no limit", f"write one of: {', '.join(names)}", tuple((*path, name) for name in names)
        )
    name = str(path[-1])
    if name not in contract.field_names:
        return
    for limit in stated:
        if (why := why_unmeasured(contract.field(name), limit)) is not None:
            what, hint = why
            yield Complaint((*path, limit), what, hint)
