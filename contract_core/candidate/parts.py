"""Parts as declared and as found, brought together: one value for each part, with everything that does not agree.

Whether a part is required, missing or unexpected is for validation to say.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from contract_core.candidate.delivery import part_name
from contract_core.candidate.facts import FileFacts, PartFacts
from contract_core.contract.model import Contract


def parts_of_files(
    contract: Contract, files: Sequence[FileFacts], manifest: Sequence[PartFacts]
) -> tuple[str | None, ...]:
    """The part whose rows each file holds, where the contract takes parts from files or from the manifest."""
    terms = contract.delivery.parts
    match terms.source if terms else None:
        case "file":
            return tuple(part_name(contract, file.name) for file in files)
        case "manifest":
            times = Counter(part.source_file for part in manifest)
            naming = {part.source_file: part.name for part in manifest if times[part.source_file] == 1}
            return tuple(naming.get(file.name) for file in files)
        case _:
            return (None,) * len(files)


def parts_with_files(
    contract: Contract, files: Sequence[FileFacts], manifest: Sequence[PartFacts]
) -> tuple[PartFacts, ...]:
    """The manifest's parts; one that names no file stands for the file that carries its name, if there is one."""
    if not _by_manifest(contract):
        return tuple(manifest)
    taken = {part.source_file for part in manifest}
    free = {part_name(contract, file.name): file for file in files if file.name not in taken}
    return tuple(_with_file(part, free.get(part.name)) for part in manifest)


def undeclared_files(
    contract: Contract, files: Sequence[FileFacts], envelope: Sequence[PartFacts], manifest: Sequence[PartFacts] | None
) -> tuple[str, ...]:
    """The files that nobody declares anything about, where a manifest or an envelope was read.

    Parts that a file's name or a column tells are declared by name, and judged as parts.
    """
    if contract.delivery.format.type == "envelope":
        told = {part.source_file for part in envelope}
        return tuple(file.name for file in files if file.unreadable is None and file.name not in told)
    if manifest is None or not _by_manifest(contract):
        return ()
    told = {part.source_file for part in manifest}
    return tuple(file.name for file in files if file.name not in told)


def found_parts(
    contract: Contract,
    files: Sequence[FileFacts],
    envelope: Sequence[PartFacts],
    manifest: Sequence[PartFacts],
    counts: Mapping[str, int] | None,
) -> tuple[PartFacts, ...]:
    """Every part that was declared or found; `counts` are rows by part where a column names it, None elsewhere."""
    terms = contract.delivery.parts
    source = terms.source if terms else None
    parts: dict[str, PartFacts] = {}
    for part in envelope:
        parts[part.name] = _twice(parts[part.name], part) if part.name in parts else part
    for part in _from_files(contract, files) if source == "file" else ():
        parts[part.name] = _twice(parts[part.name], part) if part.name in parts else part
    for part in manifest:
        if source in ("file", "envelope"):
            parts[part.name] = _declared(parts.get(part.name), part)
        elif counts is not None:
            parts[part.name] = replace(part, rows=counts.get(part.name, 0))
        else:
            parts[part.name] = part
    unreadable = {file.name for file in files if file.unreadable}
    are_counted = source in ("file", "envelope") or counts is not None
    return tuple(_held_together(part, unreadable, is_counted=are_counted) for part in parts.values())


def _by_manifest(contract: Contract) -> bool:
    """True where nothing but the manifest says which part a file holds."""
    terms = contract.delivery.parts
    return terms is None or terms.source == "manifest"


def _with_file(part: PartFacts, file: FileFacts | None) -> PartFacts:
    if part.source_file is not None or file is None:
        return part
    return replace(part, rows=file.rows, source_file=file.name)


def _from_files(contract: Contract, files: Sequence[FileFacts]) -> list[PartFacts]:
    return [PartFacts(part_name(contract, file.name), rows=file.rows, source_file=file.name) for file in files]


def _twice(first: PartFacts, second: PartFacts) -> PartFacts:
    """One part delivered in two files: its rows add up, and somebody should know."""
    complete = first.complete if first.complete == second.complete else None
    problems = tuple(dict.fromkeys((*first.problems, *second.problems, "was delivered more than once")))
    deliveries = first.deliveries + second.deliveries
    return replace(first, complete=complete, rows=first.rows + second.rows, problems=problems, deliveries=deliveries)


def _declared(found: PartFacts | None, declared: PartFacts) -> PartFacts:
    """A found part with the manifest's words about it."""
    if found is None:
        return replace(declared, rows=0)
    problems = (*found.problems, *declared.problems)
    if declared.source_file not in (None, found.source_file):
        problems = (*problems, "names another file than its own")
    complete = declared.complete if found.complete is None else found.complete
    if None not in (found.complete, declared.complete) and found.complete != declared.complete:
        complete, problems = None, (*problems, "is declared complete and not complete")
    return replace(found, complete=complete, declared_rows=declared.declared_rows, problems=problems)


def _held_together(part: PartFacts, unreadable: set[str], *, is_counted: bool) -> PartFacts:
    """The part with what is wrong between its declared rows and those found."""
    problem = None
    if part.source_file in unreadable:
        problem = "is in a file that is unreadable"
    elif part.declared_rows is not None and (is_counted or part.source_file):
        if part.declared_rows != part.rows:
            problem = f"declares {_rows(part.declared_rows)}, {part.rows} were found"
    elif not is_counted and part.source_file is None and part.declared_rows != 0:
        problem = "names no file, so its rows cannot be counted"
    return part if problem is None else replace(part, problems=(*part.problems, problem))


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"
