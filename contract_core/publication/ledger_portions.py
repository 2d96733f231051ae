"""Which contracts of a ledger are read together, so that a thousand are read in few goes and memory does not grow with all of them."""

from collections.abc import Mapping, Sequence


def portions_of(contracts: Sequence[str], sizes: Mapping[str, int], most: int) -> Mapping[str, tuple[str, ...]]:
    """For each contract those of its portion, in their order: as many as have `most` entries together by `sizes`, and at least one."""
    found: dict[str, tuple[str, ...]] = {}
    portion: list[str] = []
    room = most
    for contract in dict.fromkeys(contracts):
        size = sizes.get(contract, 0)
        if portion and size > room:
            found |= dict.fromkeys(portion, tuple(portion))
            portion, room = [], most
        portion.append(contract)
        room -= size
    return found | dict.fromkeys(portion, tuple(portion))
