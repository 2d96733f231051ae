"""Which fields could be the key: the smallest combination of up to three that no two rows share and that is never null."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import polars as pl

from contract_core.bootstrap.draft import Draft
from contract_core.bootstrap.evidence import Facts
from contract_core.candidate.columns import columns_of
from contract_core.contract.logical_type import LogicalType
from contract_core.validation.shares import hash_of

_WIDEST, _CONSIDERED, _HEAD = 3, 16, 20_000
_TRIED = 8
_CERTAIN = 3  # of numbers at random, e^-3 or one set in twenty has no two alike
_BEYOND_MEASURES = 10**12
_RANK = {"string": 0, "integer": 1, "date": 2, "timestamp": 3}
_IN_COMPANY = {"string": 0, "date": 1, "timestamp": 2, "integer": 3}  # where whole numbers are mostly measurements


def with_key(draft: Draft, rows: pl.LazyFrame, facts: Mapping[str, Facts]) -> Draft:
    """The draft with a key, where there is one; of several of one size, the one whose values make the fewest combinations."""
    count = next(iter(facts.values())).rows if facts else 0
    names = _candidates(draft, facts)
    if count < 2 or not names:
        return draft
    families = _families(draft)
    head = rows.select(columns_of(names)).head(_HEAD).collect(engine="streaming")
    for size in range(1, _WIDEST + 1):
        likely = [chosen for chosen in combinations(names, size) if _may_tell_apart(chosen, facts, count)]
        likely.sort(key=lambda chosen: _order(chosen, facts, families))
        unique = [chosen for chosen in likely if _distinct(head.lazy(), chosen) == head.height]
        found = next(_unique(rows, unique, count), None) if count > head.height else next(iter(unique), None)
        if found is not None:
            return draft.having(_note(count, size, len(unique) - 1), key=found)
    return draft


def _note(count: int, size: int, others: int) -> str:
    word = "field" if size == 1 else "combination"
    more = f"; {others:,} other {word} does too" if others == 1 else f"; {others:,} other {word}s do too"
    return f"key: tells all {count:,} rows apart{more if others else ''}"


def _candidates(draft: Draft, facts: Mapping[str, Facts]) -> tuple[str, ...]:
    """Fields that could be part of a key: always there, of a type that is compared exactly, and of more than one value."""
    families = _families(draft)
    usable = [
        name
        for name, found in facts.items()
        if families[name] in _RANK and not found.nulls and not found.absent and found.distinct > 1
    ]
    likeliest = sorted(usable, key=lambda name: _IN_COMPANY[families[name]])[:_CONSIDERED]
    return tuple(name for name in facts if name in likeliest)


def _families(draft: Draft) -> dict[str, str]:
    return {item.name: LogicalType.parse(str(item.terms["type"])).family.value for item in draft.fields}


def _order(names: Sequence[str], facts: Mapping[str, Facts], families: Mapping[str, str]) -> tuple[int, int]:
    """What is tried first: one field by its type alone, several by how few combinations their values make."""
    if len(names) == 1:
        return 0, _RANK[families[names[0]]]
    return _most(names, facts), sum(_IN_COMPANY[families[name]] for name in names)


def _may_tell_apart(names: Sequence[str], facts: Mapping[str, Facts], count: int) -> bool:
    """False where all combinations of the values (estimates) are fewer than the rows, and for one number that may be unique by chance."""
    if len(names) == 1 and _is_chance(facts[names[0]], count):
        return False
    return 1.2 ** len(names) * _most(names, facts) >= count


def _most(names: Sequence[str], facts: Mapping[str, Facts]) -> int:
    """How many combinations of the values there are; a key has hardly more than there are rows, measurements have many."""
    return math.prod(facts[name].distinct for name in names)


def _is_chance(found: Facts, count: int) -> bool:
    """True where so few whole numbers of such a range would often differ even if they were measurements."""
    if found.low is None or found.high - found.low > _BEYOND_MEASURES:
        return False
    return bool(count * (count - 1) < _CERTAIN * 2 * (found.high - found.low + 1))


def _unique(rows: pl.LazyFrame, likely: Sequence[tuple[str, ...]], count: int) -> Iterator[tuple[str, ...]]:
    return (names for names in likely[:_TRIED] if _distinct(rows, names) == count)


def _distinct(rows: pl.LazyFrame, names: Sequence[str]) -> int:
    """How many different rows there are, by their hashes: never too many, so that what is found unique is."""
    return int(rows.select(hash_of(columns_of(names)).n_unique()).collect(engine="streaming").item())
