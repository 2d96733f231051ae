"""Two versions of a contract → every difference between them as facts, in the contract's order; none twice, none left out."""

from collections.abc import Iterator

from contract_core.contract.model import Contract, Field
from contract_core.diff.change import Change
from contract_core.diff.contract_changes import contract_changes
from contract_core.diff.field_changes import Pair, field_changes
from contract_core.diff.following import followed
from contract_core.diff.kinds import ChangeKind

__all__ = ["Change", "find_changes", "reused_names"]


def find_changes(old: Contract, new: Contract) -> tuple[Change, ...]:
    """Every difference; the same contract in another spelling has none."""
    renamed = _declared_renames(old, new)
    return (*_fields(old, new, renamed), *contract_changes(followed(old, renamed), new))


def _fields(old: Contract, new: Contract, renamed: dict[str, str]) -> Iterator[Change]:
    for field in old.fields:
        after = new.field(renamed.get(field.name, field.name)) if _stays(field, new, renamed) else None
        if after is None:
            yield _removed(field, old, new, renamed)
            continue
        if after.name != field.name:
            yield Change(ChangeKind.FIELD_RENAMED, f"fields.{field.name}", f"is called '{after.name}' now", field.name)
        yield from field_changes(Pair(field, after, old))
    for field in new.fields:
        if field.name not in old.field_names and field.name not in renamed.values():
            yield from _added(field, old, new)
    yield from _order(old, new, renamed)


def _declared_renames(old: Contract, new: Contract) -> dict[str, str]:
    """From the older name to the newer one, where neither name stands in both versions; of two that claim one name, the first."""
    gone = [name for name in old.field_names if name not in new.field_names]
    claims = [field for field in reversed(new.fields) if field.name not in old.field_names]
    return {field.renamed_from: field.name for field in claims if field.renamed_from in gone}


def _stays(field: Field, new: Contract, renamed: dict[str, str]) -> bool:
    return field.name in new.field_names or field.name in renamed


def _removed(field: Field, old: Contract, new: Contract, renamed: dict[str, str]) -> Change:
    kind = ChangeKind.FIELD_REMOVED if field.sunset is None else ChangeKind.FIELD_REMOVED_AFTER_SUNSET
    what = "is gone" if field.sunset is None else f"is gone; its sunset is {field.sunset}"
    suspected = _suspected(field, old, new, renamed)
    hint = (
        f"if it is called '{suspected.name}' now, say renamed_from: {field.name} there; consumers lose it either way"
        if suspected
        else ""
    )
    return Change(kind, f"fields.{field.name}", what, field.name, hint)


def _suspected(field: Field, old: Contract, new: Contract, renamed: dict[str, str]) -> Field | None:
    """The one new field that promises just what the lost one promised, where exactly one was lost that is like it."""
    come = [item for item in new.fields if item.name not in old.field_names and item.name not in renamed.values()]
    gone = [item for item in old.fields if not _stays(item, new, renamed)]
    alike = [item for item in come if _promise(item) == _promise(field)]
    rivals = [item for item in gone if _promise(item) == _promise(field)]
    return alike[0] if len(alike) == 1 and len(rivals) == 1 else None


def _promise(field: Field) -> Field:
    return field.model_copy(
        update={"name": "", "renamed_from": None, "sunset": None, "description": None, "semantics": None}
    )


_ADDED = {
    (True, True): ChangeKind.FIELD_ADDED_REQUIRED_CLOSED,
    (True, False): ChangeKind.FIELD_ADDED_REQUIRED,
    (False, True): ChangeKind.FIELD_ADDED_OPTIONAL_CLOSED,
    (False, False): ChangeKind.FIELD_ADDED_OPTIONAL,
}
"""By whether the field must be there, and whether the published table had the declared columns alone."""


def _added(field: Field, old: Contract, new: Contract) -> Iterator[Change]:
    """Another name beside the older one is a column more, and judged as one."""
    path = f"fields.{field.name}"
    if field.renamed_from in old.field_names and field.renamed_from in new.field_names:
        what = f"'{field.renamed_from}' stays beside it for now"
        yield Change(ChangeKind.FIELD_RENAMED_WITH_ALIAS, path, what, field.renamed_from)
    kind = _ADDED[field.required, old.extra_fields != "keep"]
    yield Change(kind, path, "must be there" if field.required else "may be there", field.name)


def _order(old: Contract, new: Contract, renamed: dict[str, str]) -> Iterator[Change]:
    common = [renamed.get(name, name) for name in old.field_names if name in renamed or name in new.field_names]
    if common != [name for name in new.field_names if name in common]:
        yield Change(ChangeKind.FIELD_REORDERED, "fields", "stand in another order")


def reused_names(new: Contract, last: Contract, earlier: tuple[Contract, ...]) -> tuple[Change, ...]:
    """Fields that the last version had not and an earlier one had, for something else."""
    found: list[Change] = []
    for field in (item for item in new.fields if item.name not in last.field_names):
        others = [old for old in earlier if field.name in old.field_names and _is_other(old.field(field.name), field)]
        if others:
            what = f"was another field in version {others[-1].version}"
            found.append(Change(ChangeKind.FIELD_NAME_REUSED, f"fields.{field.name}", what, field.name))
    return tuple(found)


def _is_other(before: Field, after: Field) -> bool:
    return (before.type, before.unit, before.semantics) != (after.type, after.unit, after.semantics)
