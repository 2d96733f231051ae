"""How much of an Open Data Contract Standard document is still there after it was read as contracts and written again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from contract_core.contract.odcs import read_odcs
from contract_core.contract.odcs_columns import DEFAULTS
from contract_core.contract.odcs_draft import leaves
from contract_core.contract.odcs_tables import contract_name
from contract_core.contract.yaml_document import Path, Value, load_document
from contract_core.exports.odcs import odcs_document


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """How many values a document has, and the paths of those that are not there as they stood."""

    total: int
    lost: tuple[Path, ...]

    @property
    def kept(self) -> int:
        """How many values are there as they stood."""
        return self.total - len(self.lost)


def round_trip(text: bytes, source: str) -> RoundTrip:
    """What becomes of the values of a document on their way through our model and back.

    An attribute that is absent counts as its default by the standard. Raises InvalidContractError for what is no document.
    """
    before = load_document(text).value
    contracts = read_odcs(text, source).contracts
    after = {contract.name: load_document(odcs_document(contract).text.encode()).value for contract in contracts}
    return RoundTrip(sum(1 for _ in leaves(before)), tuple(_lost_of_document(_mapping(before), after)))


def _lost_of_document(before: Mapping[str, Value], after: Mapping[str, Value]) -> Iterator[Path]:
    written = [_mapping(document) for document in after.values()]
    for attribute, value in before.items():
        if attribute == "schema" and isinstance(value, tuple):
            for index, table in enumerate(map(_mapping, value)):
                document = _mapping(after.get(contract_name(str(table.get("name")))))
                yield from _lost(dict(table), _first(document.get("schema")), ("schema", index))
        else:
            ways = [tuple(_lost(value, document.get(attribute), (attribute,))) for document in written]
            everywhere = set.intersection(*map(set, ways)) if isinstance(value, tuple) and ways else set().union(*ways)
            yield from everywhere if ways else (path for path, _ in leaves(value, (attribute,)))


def _lost(before: Value, after: Value, path: Path) -> Iterator[Path]:
    if isinstance(before, dict):
        for name, value in before.items():
            present = _mapping(after).get(name)
            if not (present is None and name in DEFAULTS and DEFAULTS[name] == value):
                yield from _lost(value, present, (*path, name))
    elif isinstance(before, tuple):
        yield from _lost_of_list(before, after if isinstance(after, tuple) else (), path)
    elif before is not None and (before != after or isinstance(before, bool) is not isinstance(after, bool)):
        yield path


def _lost_of_list(before: tuple[Value, ...], after: tuple[Value, ...], path: Path) -> Iterator[Path]:
    """Each item against the one that has most of it, wherever in the list it stands now."""
    free = list(after)
    for index, item in enumerate(before):
        ways = [(tuple(_lost(item, other, (*path, index))), place) for place, other in enumerate(free)]
        best = min(ways, key=lambda way: (len(way[0]), way[1]), default=None)
        if best is None or len(best[0]) == sum(1 for _ in leaves(item)):
            yield from (place for place, _ in leaves(item, (*path, index)))
            continue
        yield from best[0]
        del free[best[1]]


def _mapping(value: Value) -> Mapping[str, Value]:
    return value if isinstance(value, dict) else {}


def _first(value: Value) -> Value:
    return value[0] if isinstance(value, tuple) and value else None
