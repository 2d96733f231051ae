"""Where a delivery lies and which partition it is: told by the days of its rows, and by the same day in its path."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import polars as pl

from contract_core.bootstrap.draft import REVIEW, Draft
from contract_core.bootstrap.text_kinds import Reading
from contract_core.candidate.columns import FILE_INDEX, column
from contract_core.candidate.decoding import decoded
from contract_core.contract.logical_type import Family, LogicalType
from contract_core.contract.yaml_document import Path as Place
from contract_core.errors import Problem, WrongUsageError

_KEY = "{partition}"
_NUMBERED = re.compile(r"[0-9]{4}")
_TIMED = (Family.DATE, Family.TIMESTAMP)


@dataclass(frozen=True, slots=True)
class Partitions:
    """A partition by one column: the key of each file, in the order of the files."""

    column: str
    every: str | None
    keys: tuple[str, ...]

    @property
    def groups(self) -> dict[str, list[int]]:
        """The places of the files of each partition, in the order of the keys."""
        return {key: [place for place, own in enumerate(self.keys) if own == key] for key in sorted(set(self.keys))}


def found_partitions(draft: Draft, rows: pl.LazyFrame, files: Sequence[Path]) -> Partitions | None:
    """The first column of days of which every file holds just the one that its path names; None where there is none."""
    for item in draft.fields:
        if _family(item.terms) not in _TIMED or item.terms.get("nullable") or not item.terms.get("required", True):
            continue
        if keys := _named_days(_spans(rows, item.name, len(files)), files):
            return Partitions(item.name, "day", keys)
    return None


def settled_by_paths(reading: Reading, rows: pl.LazyFrame, name: str, files: Sequence[Path]) -> Reading:
    """The reading of two possible ones that gives every file the one day that its path names, if only one does."""
    values = pl.when(~column(name).is_in(["", *reading.tokens])).then(column(name))
    fitting = [
        kind
        for kind in reading.either
        if _named_days(_spans(rows.with_columns(decoded(values, kind.terms).alias(name)), name, len(files)), files)
    ]
    if len(fitting) != 1:
        return reading
    note = f"read as {fitting[0].formats[0]}, since the day in the path of {_many(len(files), 'file')} agrees"
    return replace(reading, kind=fitting[0], note=note)


def _named_days(spans: Sequence[tuple[date | None, date | None]], files: Sequence[Path]) -> tuple[str, ...]:
    """The one day of each file where its path names it too; empty where that is not so for all."""
    keys = tuple(first.isoformat() if first == last and first is not None else "" for first, last in spans)
    is_named = all(key and key in file.as_posix() for key, file in zip(keys, files, strict=True))
    return keys if is_named else ()


def stated_partitions(draft: Draft, rows: pl.LazyFrame, files: Sequence[Path], name: str) -> Partitions:
    """The partitions by the column that was named. Raises WrongUsageError where files do not keep to one of its spans or values."""
    known = {item.name: item for item in draft.fields}
    if name not in known:
        raise _refused("is no field of what was found", f"one of: {', '.join(known)}")
    item = known[name]
    if item.terms.get("nullable") or not item.terms.get("required", True):
        raise _refused(f"'{name}' is missing in some rows", "a partition needs a value in every row")
    if _family(item.terms) in _TIMED:
        spans = _spans(rows, name, len(files))
        return Partitions(name, *_by_span(name, spans))
    if _family(item.terms) not in (Family.STRING, Family.INTEGER):
        raise _refused(f"'{name}' is of type {item.terms['type']}", "name a field of dates, texts or whole numbers")
    values = _spans(rows, name, len(files), is_timed=False)
    if any(first is None or first != last for first, last in values):
        raise _refused(f"'{name}' has several values in one file", "deliver one value a file, or leave the option out")
    return Partitions(name, None, tuple(str(first) for first, _ in values))


def with_partitions(draft: Draft, found: Partitions, files: Sequence[Path], landing: Path) -> Draft:
    """The draft with the terms of partition, and with the path where that is not the usual one."""
    terms: dict[str, object] = {"column": found.column}
    note = f"partition: {_each(len(files))} holds one value of it"
    if found.every is not None:
        terms |= {"every": found.every, "start": date.fromisoformat(min(found.keys))}
        note = f"partition: {_each(len(files))} holds the rows of one {found.every}, in UTC or without a zone; start is the first of them"
    delivery: dict[str, object] = {"partition": terms}
    notes: dict[Place, str] = {("delivery", "partition"): REVIEW + note}
    path = _path(found, files, landing)
    usual = f"{draft.terms['contract']}/{_KEY}/"
    if path is not None and not (path.startswith(usual) and path.count("/") == 2):
        delivery["path"] = path
        notes[("delivery", "path")] = f"{REVIEW}path: seen in {_many(len(files), 'file')}, below the landing folder"
    changed = draft.having(delivery=delivery)
    return Draft(changed.fields, changed.terms, changed.format, {**changed.notes, **notes}, changed.told)


def with_path(draft: Draft, files: Sequence[Path], landing: Path) -> Draft:
    """The draft of a delivery without partitions, with the path of its files where they lie together in landing.

    A folder with a number in its name is the place of one delivery, and not of the next.
    """
    folders = {file.resolve().parent for file in files}
    folder = next(iter(folders))
    if len(folders) > 1 or not folder.is_relative_to(landing.resolve()):
        return draft
    place = folder.relative_to(landing.resolve()).as_posix()
    if place in (".", str(draft.terms["contract"])) or _NUMBERED.search(place):
        return draft
    suffixes = {file.suffix for file in files}
    path = f"{place}/*{suffixes.pop() if len(suffixes) == 1 else ''}"
    changed = draft.having(delivery={**draft.terms.get("delivery", {}), "path": path})
    note = f"{REVIEW}path: seen in {_many(len(files), 'file')}, below the landing folder"
    return Draft(
        changed.fields, changed.terms, changed.format, {**changed.notes, ("delivery", "path"): note}, changed.told
    )


def _spans(
    rows: pl.LazyFrame, name: str, files: int, *, is_timed: bool = True
) -> list[tuple[date | None, date | None]]:
    """The first and the last day (or value) of each file; files without rows have none."""
    values = column(name).dt.date() if is_timed and rows.collect_schema()[name] != pl.Date else column(name)
    found = rows.group_by(FILE_INDEX).agg(first=values.min(), last=values.max()).collect(engine="streaming").iter_rows()
    by_file = {place: (first, last) for place, first, last in found}
    return [by_file.get(place, (None, None)) for place in range(files)]


def _by_span(name: str, spans: Sequence[tuple[date | None, date | None]]) -> tuple[str, tuple[str, ...]]:
    whole = [(first, last) for first, last in spans if first is not None and last is not None]
    if len(whole) == len(spans) and all(first == last for first, last in whole):
        return "day", tuple(first.isoformat() for first, _ in whole)
    months = [(first.replace(day=1), last.replace(day=1)) for first, last in whole]
    if len(set(months)) == len(spans) and all(first == last for first, last in months):
        return "month", tuple(first.isoformat() for first, _ in months)
    what = f"the rows of one file lie on several days of '{name}', in UTC or without a zone"
    raise _refused(what, "deliver one day or month a file, or leave the option out and write the partition by hand")


def _family(terms: Mapping[str, object]) -> Family:
    return LogicalType.parse(str(terms["type"])).family


def _path(found: Partitions, files: Sequence[Path], landing: Path) -> str | None:
    """The one pattern that all paths have, with the partition in its place; the files' own names give way first."""
    places = [_below(file, files, landing) for file in files]
    filled = [path.replace(key, _KEY) for path, key in zip(places, found.keys, strict=True)]
    if any(path.count(_KEY) != 1 for path in filled):
        return None
    if len(set(filled)) == 1:
        return filled[0]
    loose = {f"{Path(path).parent.as_posix()}/*{Path(path).suffix}" for path in filled}
    pattern = loose.pop() if len(loose) == 1 else ""
    return pattern if pattern.count(_KEY) == 1 else None


def _below(file: Path, files: Sequence[Path], landing: Path) -> str:
    resolved, root = file.resolve(), landing.resolve()
    if resolved.is_relative_to(root):
        return resolved.relative_to(root).as_posix()
    parents = [set(other.resolve().parents) for other in files]
    shared = max(set.intersection(*parents), key=lambda parent: len(parent.parts))
    shared = shared.parent if len(files) == 1 else shared
    return resolved.relative_to(shared).as_posix()


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _each(count: int) -> str:
    return "the one file" if count == 1 else f"each of {count:,} files"


def _refused(what: str, hint: str) -> WrongUsageError:
    return WrongUsageError(Problem("--partition-column", what, hint))
