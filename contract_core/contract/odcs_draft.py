"""A native contract that is being written from a document of another standard: where each part came from, and what is left behind.

Every value of the document is either held or named: whatever no mapping took is told with the reason that the standard's
attribute has in `WITHOUT_PLACE`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from contract_core.contract.odcs_shape import shown
from contract_core.contract.yaml_document import Document, Path, Value

WITHOUT_PLACE: Mapping[str, str] = {
    "authoritativeDefinitions": "a contract has no links to definitions kept elsewhere",
    "businessImpact": "a promise has a severity and no business impact",
    "businessName": "a table has a description and no second name",
    "contractCreatedTs": "a contract has a version and no date of its own",
    "criticalDataElement": "a field has no mark for critical elements",
    "customProperties": "a contract has no properties beyond its own language",
    "dataProduct": "a contract belongs to a domain and to no product",
    "description": "only the contract, its fields, row rules and claims carry words of their own",
    "dimension": "a promise has a kind of its own and no quality dimension",
    "driver": "a promise has a severity and no driver",
    "encryptedName": "a field has one name",
    "examples": "a contract holds no values of the data",
    "id": "a contract is known by its name and has no other identifier",
    "items": "an array is one column; what is inside is not described",
    "maxItems": "an array is one column; what is inside is not described",
    "maxProperties": "an object is one column; what is inside is not described",
    "method": "how a promise is checked is the gate's own",
    "minItems": "an array is one column; what is inside is not described",
    "minProperties": "an object is one column; what is inside is not described",
    "physicalName": "a table and a column have one name",
    "price": "a contract has no price",
    "properties": "an object is one column; what is inside is not described",
    "relationships": "only a reference between named columns is held, as a claim that is not verified",
    "required": "an object is one column; what is inside is not described",
    "roles": "a contract names consumers and no rights of access",
    "schedule": "promises are checked with every delivery and have no schedule",
    "scheduler": "promises are checked with every delivery and have no schedule",
    "servers": "a contract says how rows are delivered, not where the table is served",
    "severity": "a claim that is not verified has no weight",
    "slaDefaultElement": "a promise names its own column",
    "slaProperties": "no promise of the language means this",
    "support": "a contract has one contact, that of its producer",
    "tags": "a contract has no tags",
    "team": "a contract names its producer and no members of a team",
    "tenant": "a contract belongs to a domain and to no tenant",
    "timezone": "only a timestamp has a time zone",
    "transformDescription": "a contract promises what is delivered, not how it was made",
    "transformLogic": "a contract promises what is delivered, not how it was made",
    "transformSourceObjects": "a contract promises what is delivered, not how it was made",
    "uniqueItems": "an array is one column; what is inside is not described",
}
_NO_PLACE = "the language has no attribute for it"
_NAMED_ONE_BY_ONE = 3


@dataclass(slots=True)
class Draft:
    """The native contract so far, and for each of its parts the place in the document that it came from."""

    value: dict[str, Value] = field(default_factory=dict)
    fields: list[dict[str, Value]] = field(default_factory=list)
    origins: dict[Path, Path] = field(default_factory=dict)

    def put(self, name: str, value: Value, origin: Path) -> None:
        """Set an attribute of the contract."""
        self.value[name] = value
        self.origins[(name,)] = origin

    def put_field(self, index: int, name: str, value: Value, origin: Path) -> None:
        """Set an attribute of a field."""
        while len(self.fields) <= index:
            self.fields.append({})
        self.fields[index][name] = value
        self.origins[("fields", index, name)] = origin

    def append(self, section: str, value: Value, origin: Path) -> None:
        """Add an item to a list of the contract, such as a rule."""
        listed = self.value.get(section, ())
        assert isinstance(listed, tuple), "sections hold lists"
        self.value[section] = (*listed, value)
        self.origins[(section, len(listed))] = origin

    def names(self) -> tuple[str, ...]:
        """The names of the fields so far."""
        return tuple(str(entry.get("name", "")) for entry in self.fields)

    def origin(self, path: Path) -> Path:
        """Where the part at `path` came from; the whole document where it came from nowhere."""
        while path and path not in self.origins:
            path = path[:-1]
        return self.origins.get(path, ())

    def whole(self) -> dict[str, Value]:
        """The contract as plain values."""
        return {**self.value, "fields": tuple(self.fields)}


@dataclass(slots=True)
class Account:
    """Which values of a document are held by the contracts that were made of it, and why the others are not."""

    document: Document
    held: set[Path] = field(default_factory=set)
    reasons: dict[Path, str] = field(default_factory=dict)
    remarks: dict[Path, str] = field(default_factory=dict)
    doubts: dict[Path, str] = field(default_factory=dict)
    fallback: str = _NO_PLACE

    def hold(self, path: Path) -> None:
        """The value at `path`, with all that is below it, is part of a contract."""
        self.held.add(path)

    def leave(self, path: Path, why: str) -> None:
        """The value at `path` is not part of a contract as it stands, for a reason of its own."""
        self.reasons.setdefault(path, why)

    def remark(self, path: Path, why: str) -> None:
        """The value at `path` is held, in a way that a person should know of."""
        self.remarks.setdefault(path, why)

    def doubt(self, path: Path, why: str) -> None:
        """The value at `path` is not part of the contract of one table; another one may hold it."""
        self.doubts.setdefault(path, why)

    def hold_nothing(self, why: str) -> None:
        """No contract came of the document, so that nothing of it is held."""
        for told in (self.held, self.reasons, self.remarks):
            told.clear()
        self.fallback = why

    def not_held(self) -> tuple[Path, ...]:
        """The places of all values that are not held as they stand."""
        return tuple(path for path, _ in leaves(self.document.value) if not self._is_held(path))

    def sentences(self) -> tuple[str, ...]:
        """Each thing that is not held, as "`path`: why"; what recurs many times is told once, with its number."""
        told: dict[tuple[str, str], list[str]] = {}
        for path, _ in leaves(self.document.value):
            if not self._is_held(path) or path in self.remarks:
                place, why = self._why(path)
                places = told.setdefault((_pattern(place), why), [])
                if (name := shown(self.document, place)) not in places:
                    places.append(name)
        return tuple(sentence for (pattern, why), places in told.items() for sentence in _told(pattern, why, places))

    def _is_held(self, path: Path) -> bool:
        above = list(_prefixes(path))
        return not any(prefix in self.reasons for prefix in above) and any(prefix in self.held for prefix in above)

    def _why(self, path: Path) -> tuple[Path, str]:
        for prefix in _prefixes(path):
            for told in (self.reasons, self.doubts, self.remarks):
                if prefix in told:
                    return prefix, told[prefix]
        for prefix in reversed(list(_prefixes(path))):
            if isinstance(prefix[-1], str) and prefix[-1] in WITHOUT_PLACE and not _is_holder(prefix):
                return prefix, WITHOUT_PLACE[prefix[-1]]
        return path, self.fallback


def leaves(value: Value, path: Path = ()) -> Iterator[tuple[Path, Value]]:
    """Every value of a document that says something, with its path; nothing and empty lists say nothing."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif value is not None:
        yield path, value


def _prefixes(path: Path) -> Iterator[Path]:
    return (path[:length] for length in range(1, len(path) + 1))


def _is_holder(path: Path) -> bool:
    """The columns of a table are described, and only those below a column are not."""
    return path[-1] == "properties" and len(path) == 3


def _pattern(path: Path) -> str:
    return ".".join("*" if isinstance(part, int) else part for part in path)


def _told(pattern: str, why: str, places: list[str]) -> Iterator[str]:
    if len(places) <= _NAMED_ONE_BY_ONE:
        yield from (f"`{place}`: {why}" for place in places)
    else:
        yield f"`{pattern}` ({len(places):,} places, first `{places[0]}`): {why}"
