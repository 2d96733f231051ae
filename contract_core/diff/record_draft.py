"""The change record that a version still lacks, as a whole file: what people have to fill in stands there, ready to be reviewed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from contract_core.diff.judging import Verdict
from contract_core.diff.kinds import Class


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """Where the record belongs, below the folder of contracts, and its text."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a record has to say: who agreed to the changes of which digest, until when the old version stays, what means the same."""

    contract: str
    version: str
    digest: str
    approvals: tuple[str, ...] = ()
    until: date | None = None
    meanings: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where the record belongs."""
        return f"changes/{self.contract}/{self.version}.yaml"


def unsaid(verdicts: tuple[Verdict, ...]) -> tuple[str, ...]:
    """The paths of which only their author can say whether they mean the same."""
    return tuple(
        verdict.change.path for verdict in verdicts if verdict.verdict is Class.REFUSED and not verdict.needs_authority
        and verdict.asks.startswith("say in the change record")
    )  # fmt: skip


def drafted(wanted: Wanted) -> RecordDraft | None:
    """The file, None where nothing of it is wanted."""
    if not (wanted.approvals or wanted.until or wanted.meanings):
        return None
    return RecordDraft(wanted.place, "".join(f"{line}\n" for line in _lines(wanted)))


def _lines(wanted: Wanted) -> Iterator[str]:
    yield f"contract: {wanted.contract}"
    yield f'version: "{wanted.version}"'
    if wanted.meanings:
        yield "meaning:"
        yield from (f"  {_quoted(path)}: same  # or changed" for path in wanted.meanings)
    if wanted.approvals:
        yield "approvals:  # each once they agree"
        yield from (f'  - {{by: {_quoted(name)}, changes: "{wanted.digest}"}}' for name in wanted.approvals)
    if wanted.until is not None:
        yield f"supported_until: {wanted.until}  # or a later day"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
