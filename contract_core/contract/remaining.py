"""What is left of a contract when broken parts are taken out, so that one run finds the problems of all the other parts."""

from collections.abc import Iterable
from typing import Any

from contract_core.contract.yaml_document import Path, Value

_PLACEHOLDERS: dict[str, Any] = {
    "contract": "unnamed",
    "version": "0.0.0",
    "fields": [{"name": "unnamed", "type": "string"}],
}


def plain_path(location: Iterable[str | int]) -> Path:
    """A place in the model's words as a path in the text: without what normalising added."""
    return tuple(part for part in location if part not in ("*", "[key]"))


class Remaining:
    """A copy of a document's value that shrinks, and that still knows where everything stood in the text."""

    def __init__(self, value: dict[str, Value]) -> None:
        self.value: dict[str, Any] = {key: _mutable(item) for key, item in value.items()}
        self._left_out: set[Path] = set()
        self._origin = {key: list(range(len(item))) for key, item in self.value.items() if isinstance(item, list)}

    def original(self, path: Path) -> Path:
        """The place in the text of something at `path` in what remains."""
        if len(path) > 1 and path[0] in self._origin and isinstance(path[1], int):
            return (path[0], self._origin[str(path[0])][path[1]], *path[2:])
        return path

    def explains(self, error: Any) -> bool:
        """True where an error may only be there because something was left out: it is missing, or its holder does not fit."""
        path = self.original(plain_path(error["loc"]))
        if error["type"] == "missing":
            return path in self._left_out
        return any(len(gone) > len(path) and gone[: len(path)] == path for gone in self._left_out)

    def touches(self, paths: Iterable[Path]) -> bool:
        """True where one of these places, something below it or something that holds it was left out."""
        return any(
            gone[: len(path)] == path[: len(gone)] for path in map(self.original, paths) for gone in self._left_out
        )

    def leave_out(self, errors: Iterable[Any]) -> None:
        """Take out what these errors are about: the smallest part that can go."""
        targets = set()
        for error in errors:
            path = plain_path(error["loc"])
            targets.add(self._target(path[:-1] if error["type"] == "missing" and len(path) > 1 else path))
        for path in sorted(targets, key=lambda target: [str(part).rjust(12) for part in target], reverse=True):
            self._delete(path)
        for key, placeholder in _PLACEHOLDERS.items():
            if not self.value.get(key):
                self.value[key] = placeholder
                self._origin.setdefault(key, [-1])

    def _target(self, path: Path) -> Path:
        while len(path) > 1:
            holder = self._at(path[:-1])
            if isinstance(holder, dict) and path[-1] in holder:
                return path
            if isinstance(holder, list) and len(path) == 2 and isinstance(path[1], int) and path[1] < len(holder):
                return path
            path = path[:-1]
        return path

    def _at(self, path: Path) -> Any:
        value: Any = self.value
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def _delete(self, path: Path) -> None:
        holder = self._at(path[:-1])
        self._left_out.add(self.original(path))
        if isinstance(holder, dict):
            holder.pop(path[-1], None)
        elif isinstance(holder, list) and isinstance(path[-1], int) and path[-1] < len(holder):
            del holder[path[-1]]
            del self._origin[str(path[0])][path[-1]]


def _mutable(value: Value) -> Any:
    if isinstance(value, dict):
        return {key: _mutable(item) for key, item in value.items()}
    return [_mutable(item) for item in value] if isinstance(value, tuple) else value
