"""Who can in effect read and change the places of an environment, as text and as a JSON document."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from contract_core.operations.effective_access import EVERYONE, FolderAccess, Grant, Right

_LEFT_OUT = "the superuser can do all of it; a file in a folder may be granted to fewer than the folder"


def access_lines(found: Iterable[FolderAccess]) -> Iterator[str]:
    """Each folder with its owner, and under it who can read and change it and why."""
    for item in found:
        listed = ", and an access list" if item.has_access_list else ""
        listed += "" if item.is_listed else "; what is in it cannot be seen from here"
        yield f"{item.place}  {item.path}  {item.mode} of {item.owner}, group {item.group}{listed}"
        for right in Right:
            who = item.who(right)
            yield f"    {right.value:7} {_named(who, item.but(right)) or 'nobody else'}"
            yield from (f"            {_why(grant)}" for grant in item.grants if grant.right is right)
    yield _LEFT_OUT


def _why(grant: Grant) -> str:
    return f"{_named(grant.who, grant.but)}: {grant.how}, {grant.through}"


def _named(who: Sequence[str], but: Sequence[str]) -> str:
    return ", ".join(who) + (f" but {', '.join(but)}" if but else "")


def access_document(found: Iterable[FolderAccess]) -> dict[str, Any]:
    """The same; `everyone` stands for whoever has an account, also one that is not listed."""
    return {
        "places": [
            {
                "place": item.place,
                "path": str(item.path),
                "owner": item.owner,
                "group": item.group,
                "mode": item.mode,
                "access_list": item.has_access_list,
                "listed": item.is_listed,
                **{right.value: _who(item, right) for right in Right},
                "why": [
                    {
                        "right": grant.right.value,
                        "who": list(grant.who),
                        "how": grant.how,
                        "but": list(grant.but),
                        "through": str(grant.through),
                    }
                    for grant in item.grants
                ],
            }
            for item in found
        ],
    }


def _who(item: FolderAccess, right: Right) -> dict[str, Any]:
    who = item.who(right)
    return {
        "everyone": EVERYONE in who,
        "but": list(item.but(right)),
        "accounts": [name for name in who if name != EVERYONE],
    }
