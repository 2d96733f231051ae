"""What a contract says of its parts besides their names: which table lists them, and how the producer knows that one is complete."""

from contract_core.contract.scalars import NamedText, Term


class RequiredFrom(Term):
    """Where another contract's published table lists the required parts: the field with their names, and those with their days."""

    contract: NamedText
    field: NamedText
    valid_from: NamedText | None = None
    valid_until: NamedText | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that are read, that of the names first."""
        return tuple(name for name in (self.field, self.valid_from, self.valid_until) if name is not None)


class Completion(Term):
    """How the producer knows that a part is complete, and where one can look that up: words, since no check here can prove it."""

    mechanism: NamedText
    evidence: NamedText
