"""Where an environment keeps its things, and who acts there. Only places and identities differ between environments, never rules."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Self

from contract_core.errors import Problem, WrongUsageError

DEFAULT_ROOT = "data"
FOLDERS = ("contracts", "landing", "candidates", "published", "quarantine", "ledger", "registry")

VARIABLE = "CONTRACT_GATE_"
ROOT, CHOSEN, CONFIG = f"{VARIABLE}ROOT", f"{VARIABLE}ENV", f"{VARIABLE}CONFIG"
VARIABLES = (ROOT, CHOSEN, CONFIG, *(VARIABLE + name.upper() for name in FOLDERS))
"""Every variable that means something; another one with our prefix is refused, so that nobody believes it did something."""

_CHANGE_THE_CONTRACT = "a rule is changed in its contract, under a new version"
_OF_RULES = re.compile(
    r"(allow|block|breach|budget|bypass|check|complete|coverage|disabl|drift|enabl|enforc|error|fail|forc|fresh|ignor|lenien|limit"
    r"|monitor|nullable|obligation|overrid|qualit|required|rule|sever|skip|strict|threshold|tolera|unique|valid|warn).*"
    r"|fields?|keys?|max|min|mode|rows?|volume"
)
"""Words, and beginnings of words, by which one would try to switch or loosen a rule."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The folders of one environment: contracts and landing are read, the others belong to the gate alone.

    `catalog` is put before the keys of Dagster's assets. `publisher` is the user that may publish, `readers` the group
    that reads what is published; where they are None, whoever has the rights may. `channels` are the addresses by name under
    which contracts announce their releases, and people are told of incidents.
    """

    contracts: Path
    landing: Path
    candidates: Path
    published: Path
    quarantine: Path
    ledger: Path
    registry: Path
    name: str | None = None
    catalog: str | None = None
    publisher: str | None = None
    readers: str | None = None
    channels: tuple[tuple[str, str], ...] = ()

    @classmethod
    def at(cls, root: Path) -> Self:
        """The usual layout: every folder under its own name below one root."""
        return cls(*(_plain(root / name) for name in FOLDERS))  # type: ignore[arg-type]  # as many as there are folders

    @classmethod
    def of(cls, variables: Mapping[str, str], root: Path | None = None, configured: Self | None = None) -> Self:
        """The layout below `root`, else CONTRACT_GATE_ROOT, else as `configured`, else ./data; CONTRACT_GATE_LANDING and its like
        move one folder. Raises WrongUsageError for a variable that means nothing, or a name that nothing explains.
        """
        refuse_unknown(variables)
        if configured is None and variables.get(CHOSEN):
            hint = f"write environments.yaml, or name a file in {CONFIG}"
            raise WrongUsageError(Problem(CHOSEN, "is set, and no file says what environments there are", hint))
        base = configured if configured is not None else cls.at(Path(DEFAULT_ROOT))
        below = root if root is not None else Path(variables[ROOT]) if variables.get(ROOT) else None
        layout = base if below is None else cls.at(below)
        moved = {name: variables.get(VARIABLE + name.upper()) for name in FOLDERS}
        places = {name: _plain(Path(place) if place else getattr(layout, name)) for name, place in moved.items()}
        return replace(base, **places)  # type: ignore[arg-type]  # folders, and nothing but folders


def refuse_unknown(variables: Iterable[str]) -> None:
    """Raises WrongUsageError with every variable that begins as ours do and is none of them; its value is never told."""
    unknown = sorted(name for name in variables if name.startswith(VARIABLE) and name not in VARIABLES)
    if unknown:
        raise WrongUsageError(
            *(Problem(name, *told_unknown(name, "is no variable of contract-gate", VARIABLES)) for name in unknown)
        )


def told_unknown(name: str, what: str, known: Iterable[str]) -> tuple[str, str]:
    """What is said of a name that is none of the known ones, and what to do; a name that is meant for rules gets another answer."""
    short = {other.removeprefix(VARIABLE): other for other in sorted(known)}
    listed, own = ", ".join(short.values()), name.removeprefix(VARIABLE)
    if any(_OF_RULES.fullmatch(word.lower()) for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", own)):
        return f"{what}, and rules never differ between environments", f"{_CHANGE_THE_CONTRACT}; known: {listed}"
    close = get_close_matches(own, short, n=1, cutoff=0.4)
    return what, f"{f'did you mean {short[close[0]]}? ' if close else ''}known: {listed}"


def _plain(place: Path) -> Path:
    """The place as no library takes it for another: Polars reads `~x` as a home and `s3:/x` as a bucket where a path begins with it."""
    first = place.parts[0] if place.parts else ""
    return place.absolute() if first.startswith("~") or ":" in first else place
