"""Which rows of the candidate that was judged last go to quarantine, so that its publication need not ask all its rules again.

The answer follows from bytes under a digest and from obligations, and these alone: an answer to any other question is none.
Publication verifies the bytes before it asks.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any

from contract_core.validation.broken_rows import BrokenRows
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import NewKey
from contract_core.validation.subject import Subject

_NEWEST: deque[tuple[Any, BrokenRows]] = deque(maxlen=1)


def remember(found: BrokenRows, obligations: Iterable[Obligation], subject: Subject) -> BrokenRows:
    """The same, which is given for the same obligations from now on; published keys apart, since they change."""
    _NEWEST.append((_question(obligations, subject), found))
    return found


def recalled(obligations: Iterable[Obligation], subject: Subject) -> BrokenRows | None:
    """What was found when just this was asked last; None where something else was."""
    asked = _question(obligations, subject)
    return next((found for question, found in tuple(_NEWEST) if question == asked), None)


def _question(obligations: Iterable[Obligation], subject: Subject) -> tuple[object, ...]:
    contract, candidate = subject.contract, subject.candidate
    lasting = [item for item in obligations if not isinstance(item.promise, NewKey)]
    return candidate.path, candidate.digest, contract.fields, contract.delivery.format, lasting
