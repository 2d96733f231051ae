"""Every exception that we raise on purpose, and the shape of its text: where, what, and what to do.

A breach is a value, never an exception: an error here means that a question could not be answered.
No text in an error carries a value from the data.
"""

from dataclasses import dataclass
from unicodedata import category


def on_one_line(text: str) -> str:
    """The text without a sign that ends a line or commands a terminal: names come from files that anybody may have written.

    The bytes of a path that is no Unicode stay: the terminal shows them by their numbers.
    """
    return "".join(letter if letter.isprintable() or category(letter) == "Cs" else " " for letter in text)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where it stands, what it is, and what to do about it."""

    where: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        first = on_one_line(f"{self.where}: {self.what}" if self.where else self.what)
        return f"{first}\n    {on_one_line(self.hint)}" if self.hint else first


class ContractCoreError(Exception):
    """The parent of all our errors; `problems` holds every problem that was found, in order."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class InvalidContractError(ContractCoreError):
    """A contract file cannot be used; all of its problems are listed."""


class UnknownContractError(ContractCoreError):
    """No contract of that name is known."""


class ContractAlteredError(ContractCoreError):
    """A released version no longer has the digest it was released with."""


class RegistryUnavailableError(ContractCoreError):
    """The registry of released versions cannot be read or written; nothing is said against any release."""


class WrongUsageError(ContractCoreError):
    """The question itself is wrong: an argument that the contract does not allow."""


class CandidateUnreadableError(ContractCoreError):
    """Nothing could be taken from landing: no file, or no right to read it."""


class CandidateAlteredError(ContractCoreError):
    """The bytes of a candidate are no longer those that were taken and judged."""


class GateClosedError(ContractCoreError):
    """No passing decision covers what should be published."""


class OlderSubmissionError(GateClosedError):
    """The submission was received before the one that it would replace; nobody said that it should."""


class PublicationError(ContractCoreError):
    """The published table cannot take the rows; nothing was written."""


class PublicationConflictError(PublicationError):
    """A rival publication of the same contract won; nothing of this one was written."""


class LedgerDamagedError(ContractCoreError):
    """The record of decisions cannot be read or does not hold together."""


class NotYetSupportedError(ContractCoreError):
    """The contract asks for an enforcement that this version does not have; it is refused, never ignored."""
