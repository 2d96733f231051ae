"""One release as a call in a process of its own, which a fault may end or refuse at any durable effect, and what is left then."""

from pathlib import Path
from typing import Any

from contract_core.errors import ContractCoreError
from contract_core.releases.registry import open_registry
from tests.publication.faults import Effects, Fault
from tests.releases.samples import WORDS, registry_of, release

FIRST = release("1.0.0")


def attempt(root: str, kind: str, fault: dict[str, Any] | None = None) -> dict[str, Any]:
    """Releases 1.1.0 where 1.0.0 is; how it ended, and every effect that it had."""
    strike = (lambda *_: None) if fault is None else Fault(**fault)
    ended = ""
    with Effects(Path(root), strike).watched() as effects:
        try:
            registry_of(kind, Path(root) / "registry", next_release())
        except ContractCoreError as error:
            ended = str(error)
    return {"effects": [(effect.name, effect.moments) for effect in effects.found], "ended": ended}


def next_release(more: str = "") -> Any:
    return release("1.1.0", "2026-11-01", replaces="1.0.0", changes=(WORDS,), more=more)


def prepared(root: Path, kind: str) -> None:
    registry_of(kind, root / "registry", FIRST)


def resumed(root: str, kind: str, more: str = "") -> dict[str, Any]:
    """What a reader sees after an attempt that ended badly, and how a registry looks once a release was made after it."""
    place = Path(root) / "registry"
    left = [each.version for each in open_registry(place).releases()]
    registry = registry_of(kind, place, next_release() if "1.1.0" in left else next_release(more))
    names = sorted(path.name for path in place.rglob("*") if kind == "folder" and path.is_file())
    return {
        "left": left,
        "now": [each.version for each in registry.releases()],
        "problems": [str(problem) for problem in registry.problems()],
        "names": names,
    }
