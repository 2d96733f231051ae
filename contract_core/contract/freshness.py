"""How the promised freshness fits the rest of a contract: its column holds moments, and its pause is one that the delivery can keep."""

from collections.abc import Iterator
from datetime import timedelta

from contract_core.contract.complaint import Complaint, unknown_field
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.yaml_document import Path

_TIMED = (Family.DATE, Family.TIMESTAMP)
_CLOSED = ("confidential", "restricted")
_DAY = timedelta(days=1)
_SPANS = {"hour": timedelta(hours=1), "day": _DAY, "week": 7 * _DAY, "month": 31 * _DAY}
_WEEKEND = 3 * _DAY


def freshness_complaints(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    """Everything about the freshness that does not fit; `names` are those of all fields."""
    if contract.freshness is None:
        return
    path: Path = ("freshness", "column")
    column = contract.freshness.column
    if column not in names:
        yield unknown_field(path, column, names)
    elif column in contract.field_names and contract.field(column).type.family not in _TIMED:
        yield Complaint(path, f"'{column}' holds no dates", "name a date or timestamp field")
    elif column in contract.field_names and contract.field(column).classification in _CLOSED:
        what = f"'{column}' is {contract.field(column).classification}, and the age of its newest value is that value"
        yield Complaint(path, what, "name a public or internal field")
    yield from _silence(contract)


def _silence(contract: Contract) -> Iterator[Complaint]:
    """A pause that is too long although every delivery comes in time would be an alarm for nothing."""
    allowed = contract.freshness.max_silence if contract.freshness is not None else None
    terms, due = contract.delivery.partition, contract.delivery.due
    if allowed is None or terms is None or terms.every is None or contract.publication.mode != "replace_partition":
        return
    is_over_weekends = due is not None and due.calendar == "weekdays" and terms.every in ("hour", "day")
    usual = _WEEKEND if is_over_weekends else _SPANS[terms.every]
    if allowed < usual:
        why = "from Friday's delivery to Monday's" if is_over_weekends else f"from one {terms.every} to the next"
        yield Complaint(
            ("freshness", "max_silence"),
            f"is shorter than the usual pause {why}",
            f"allow {_written(usual)} at least, and more where holidays or clocks make the pause longer",
            depends_on=(("delivery",), ("publication",)),
        )


def _written(length: timedelta) -> str:
    return f"{length // _DAY}d" if length >= _DAY else f"{length // timedelta(hours=1)}h"
