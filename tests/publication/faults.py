"""Every durable effect on the way from landing to ledger, named and counted, so that a test can stop the path at each of them.

The effects are found and never listed: whatever is made, renamed, removed, flushed or committed below an environment's root is
one, whichever module does it. So a new step of the product is walked without a change here.
"""

import builtins
import errno as errors
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote

import deltalake
import polars as pl
from deltalake.exceptions import DeltaError
from deltalake.table import TableAlterer, TableMerger, TableOptimizer

import contract_core

BEFORE, WITHIN, AFTER = "before", "within", "after"


@dataclass(frozen=True, slots=True)
class Effect:
    """One durable effect: what happens to which path, and the moments at which it can be stopped; one that failed has no others."""

    name: str
    kind: str
    moments: tuple[str, ...] = (BEFORE,)


class Effects:
    """All effects below `root`, in order; `strike` is asked around each of them and may end it all or raise."""

    def __init__(self, root: Path, strike: Callable[[int, str, Effect], None] = lambda *_: None) -> None:
        self.found: list[Effect] = []
        self._root = os.path.realpath(root)
        self._strike = strike
        self._nested = threading.local()
        self._order = threading.Lock()

    def perform(self, what: str, path: str, kind: str, call: Callable[[], Any], half: Callable[[], Any] | None) -> Any:
        """The answer of `call`, an effect of its own unless it is part of another one or lies outside the root."""
        name = shown(path, self._root)
        if name is None or getattr(self._nested, "is_inside", False):
            return call()
        effect = Effect(what.format(name), kind)
        with self._order:
            self.found.append(effect)
            number = len(self.found)
        self._nested.is_inside = True
        try:
            self._strike(number, BEFORE, effect)
            if half is not None:
                try:
                    self._strike(number, WITHIN, effect)
                except HalfDoneError as stopped:
                    half()
                    stopped.strike()
            answer = call()
            self.found[number - 1] = replace(effect, moments=_moments(effect, half))
            self._strike(number, AFTER, effect)
            return answer
        finally:
            self._nested.is_inside = False

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """What this thread does in here is none of the effects: it is what somebody else does in between."""
        was_inside, self._nested.is_inside = getattr(self._nested, "is_inside", False), True
        try:
            yield
        finally:
            self._nested.is_inside = was_inside

    @contextmanager
    def watched(self) -> Iterator["Effects"]:
        """Within it every effect of this process is found; for one thread of it or for many."""
        with ExitStack() as patches:
            for owner, name, wrapper in _wrappers(self):
                patches.enter_context(patch.object(owner, name, wrapper))
            yield self


def shown(path: str, root: str) -> str | None:
    """The path below the root without digests and names drawn by lot; None for one outside, or in landing, which is not ours."""
    parent, _, name = path.rpartition("/")
    whole = f"{os.path.realpath(parent or '.')}/{name}"
    if path == root or not whole.startswith(root + "/") or f"{whole}/".startswith(f"{root}/landing/"):
        return None
    below = re.sub(r"[0-9a-f]{64}", "<digest>", whole.removeprefix(root + "/"))
    below = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<lot>", below)
    below = re.sub(r"#[0-9]+ \(deleted\)", "unnamed file", below)
    return re.sub(r"(take-|tmp)[a-z0-9_]{8}\b", r"\1*", below)


def _moments(effect: Effect, half: Callable[[], Any] | None) -> tuple[str, ...]:
    """All at which a process can die with another state on disk; after a flush or a probe it is that of before."""
    if effect.name.startswith(("flush", "probe")):
        return (BEFORE,)
    return (BEFORE, AFTER) if half is None else (BEFORE, WITHIN, AFTER)


class HalfDoneError(BaseException):
    """Says to do half of an effect, and then `strike`."""

    def __init__(self, strike: Callable[[], None]) -> None:
        super().__init__()
        self.strike = strike


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens at effect `number`, or at each from there on: the process is killed, or the system refuses the effect."""

    number: int
    moment: str = BEFORE
    errno: int | None = None
    is_lasting: bool = False

    def __call__(self, number: int, moment: str, effect: Effect) -> None:
        is_due = number == self.number or (self.is_lasting and number > self.number and self._concerns(effect))
        if not is_due or moment != self.moment:
            return
        if moment == WITHIN:
            raise HalfDoneError(partial(self._strike, effect))
        self._strike(effect)

    def _concerns(self, effect: Effect) -> bool:
        """A full disk lets files be removed and rights be changed; one that is read-only lets nothing be done."""
        return self.errno != errors.ENOSPC or not effect.name.startswith(("remove", "flush", "chmod"))

    def _strike(self, effect: Effect) -> None:
        if self.errno is None:
            os.kill(os.getpid(), signal.SIGKILL)
        raise refusal(effect, self.errno or errors.EIO)


def refusal(effect: Effect, number: int) -> Exception:
    """What the library that performs an effect raises where the operating system refuses it; with a value that must not be told."""
    text = f"secret-value: {os.strerror(number)} (os error {number})"
    match effect.kind:
        case "delta":
            return DeltaError(text)
        case "polars":
            return pl.exceptions.ComputeError(text)
        case _:
            return OSError(number, os.strerror(number))


def _wrappers(effects: Effects) -> Iterator[tuple[Any, str, Any]]:
    """Every name that is replaced while effects are watched."""
    yield from ((os, name, _file_system(effects, name)) for name in _NAMES)
    yield os, "open", _opened_descriptor(effects)
    for owner in (builtins, io):
        yield owner, "open", _opened(effects)
    for owner, prefix in ((pl.LazyFrame, "sink_"), (pl.DataFrame, "write_")):
        for name in sorted(vars(owner)):
            if name.startswith(prefix):
                yield owner, name, _written_file(effects, getattr(owner, name))
    yield from _delta_wrappers(effects)


_NAMES = {
    "replace": "rename to {}",
    "rename": "rename to {}",
    "link": "link {}",
    "symlink": "link {}",
    "unlink": "remove {}",
    "remove": "remove {}",
    "rmdir": "remove {}",
    "chmod": "chmod {}",
    "mkdir": "make {}",
    "truncate": "truncate {}",
    "ftruncate": "truncate {}",
    "fsync": "flush {}",
    "fdatasync": "flush {}",
}
_SECOND = {"replace", "rename", "link", "symlink"}
_TABLE_ACTIONS = ("delete", "update", "restore", "vacuum", "repair", "create_checkpoint", "create_write_transaction")


def _file_system(effects: Effects, name: str) -> Callable[..., Any]:
    original = getattr(os, name)

    @wraps(original)
    def performed(*args: Any, **more: Any) -> Any:
        path = _path(args[name in _SECOND], more.get("dst_dir_fd", more.get("dir_fd")))
        return effects.perform(_NAMES[name], path, "file", partial(original, *args, **more), None)

    return performed


def _path(place: Any, folder: int | None = None) -> str:
    if isinstance(place, int):
        return str(Path(f"/proc/self/fd/{place}").readlink())
    if hasattr(place, "fileno"):
        return _path(place.fileno())
    return str(Path("" if folder is None else _path(folder), os.fsdecode(place)))


def _opened_descriptor(effects: Effects) -> Callable[..., Any]:
    original = os.open

    @wraps(original)
    def performed(path: Any, flags: int, *args: Any, **more: Any) -> Any:
        call = partial(original, path, flags, *args, **more)
        if not flags & (os.O_CREAT | os.O_TRUNC | os.O_TMPFILE & ~os.O_DIRECTORY):
            return call()
        return effects.perform("open {}", _path(path, more.get("dir_fd")), "file", call, None)

    return performed


def _opened(effects: Effects) -> Callable[..., Any]:
    original = io.open

    @wraps(original)
    def performed(file: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
        call = partial(original, file, mode, *args, **more)
        if isinstance(file, int) or not set(mode) & set("wax+"):
            return call()
        path = _path(file)
        if Path(path).is_dir():
            return effects.perform("probe {}", path, "file", call, None)

        def half() -> None:
            with original(file, "wb") as stream:
                stream.write(b'{"half')

        return effects.perform("write {}", path, "file", call, half)

    return performed


def _written_file(effects: Effects, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def performed(frame: Any, target: Any = None, *args: Any, **more: Any) -> Any:
        call = partial(original, frame, target, *args, **more)
        if not isinstance(target, str | os.PathLike):
            return call()

        def half() -> None:
            call()
            os.truncate(target, Path(target).stat().st_size // 2)

        return effects.perform("write {}", _path(target), "polars", call, half)

    return performed


def _delta_wrappers(effects: Effects) -> Iterator[tuple[Any, str, Any]]:
    import_all()
    original = deltalake.write_deltalake
    write = _committed(effects, original)
    for module in [
        module for name, module in sys.modules.items() if name.split(".")[0] in {"contract_core", "deltalake"}
    ]:
        for name, value in list(vars(module).items()):
            if value is original:
                yield module, name, write
    create = deltalake.DeltaTable.create
    yield deltalake.DeltaTable, "create", staticmethod(_committed(effects, create))
    for owner, names in (
        (deltalake.DeltaTable, _TABLE_ACTIONS),
        (TableAlterer, [name for name in vars(TableAlterer) if not name.startswith("_")]),
        (TableOptimizer, [name for name in vars(TableOptimizer) if not name.startswith("_")]),
        (TableMerger, ["execute"]),
    ):
        for name in names:
            yield owner, name, _committed(effects, getattr(owner, name))


@cache
def import_all() -> None:
    """Every module of the core: one that is imported later would have names that nobody replaced."""
    for module in walk_packages(contract_core.__path__, "contract_core."):
        import_module(module.name)


def _committed(effects: Effects, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def performed(target: Any, *args: Any, **more: Any) -> Any:
        folder = _folder_of(target)
        call = partial(original, target, *args, **more)

        def half() -> None:
            """The files are there and the commit is not: it stands under a name that no reader takes for one."""
            log = Path(folder, "_delta_log")
            before = set(log.glob("*.json"))
            call()
            for number, commit in enumerate(sorted(set(log.glob("*.json")) - before)):
                commit.rename(log / f"_commit_{number}.json.tmp")

        return effects.perform(f"{{}}: {_told(original.__name__, args, more)}", folder, "delta", call, half)

    return performed


def _folder_of(target: Any) -> str:
    if isinstance(target, str | os.PathLike):
        return unquote(os.fspath(target).removeprefix("file://"))
    table = getattr(target, "table", getattr(target, "_table", target))
    uri = table.table_uri
    return unquote((uri() if callable(uri) else uri).removeprefix("file://")).rstrip("/")


def _told(name: str, args: tuple[Any, ...], more: dict[str, Any]) -> str:
    """The operation in a word; for the ledger also the event that is recorded."""
    operation = {"write_deltalake": more.get("mode", "append"), "execute": "merge"}.get(name, name)
    entry = args[0] if args and isinstance(args[0], pl.DataFrame) else None
    return f"{operation} {entry['event'][0]}" if entry is not None and "event" in entry.columns else operation
