"""YAML text → plain values, and where each of them stands. Knows YAML's traps and nothing about contracts.

Refused here: duplicate keys, keys that are not text, tags, merge keys, several documents, aliases that explode,
deep nesting, numbers that are none or that YAML reads as another one than a person does. Floats become `Decimal`,
sequences tuples.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

import yaml

Path = tuple[str | int, ...]
Value = str | int | bool | Decimal | date | datetime | None | tuple["Value", ...] | dict[str, "Value"]

MAX_BYTES = 1 << 20
MAX_NODES = 50_000
MAX_DEPTH = 30
MAX_DIGITS = 400
_NESTED = 20 * MAX_DEPTH

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PREFIX = "tag:yaml.org,2002:"
_MISREAD_NUMBER = re.compile(r"[-+]?0[0-9_]+|.*:.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the text, counted from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Document:
    """What a YAML text holds, the node of each value and key, and what is wrong with it as YAML."""

    value: Value = None
    values_at: dict[Path, yaml.Node] = field(default_factory=dict)
    keys_at: dict[Path, yaml.Node] = field(default_factory=dict)
    problems: list[tuple[Mark, str, str]] = field(default_factory=list)

    def mark(self, path: Path) -> Mark:
        """Where the value at `path` stands; the nearest enclosing one where there is none."""
        return _nearest(self.values_at, path)

    def key_mark(self, path: Path) -> Mark:
        """Where the key that ends `path` stands."""
        return _nearest(self.keys_at, path)


def load_document(text: bytes) -> Document:
    """Read one YAML document; problems are collected in it, never raised."""
    document = Document()
    if len(text) > MAX_BYTES:
        document.problems.append(
            (Mark(1, 1), f"the file has {len(text):,} bytes, the limit is {MAX_BYTES:,}", "split it")
        )
        return document
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        document.problems.append((Mark(line, 1), "the file is not UTF-8", "save it as UTF-8"))
        return document
    root = _compose(decoded, document)
    if root is not None and not document.problems:
        document.value = _Reader(document).read(root, (), ())
    return document


def _compose(text: str, document: Document) -> yaml.Node | None:
    if not _nests_reasonably(text):
        document.problems.append((Mark(1, 1), f"the text is nested more than {MAX_DEPTH} deep", "write it flatter"))
        return None
    try:
        nodes = list(yaml.compose_all(text, Loader=_LOADER))
    except RecursionError:  # of the loader in Python, where there is none in C
        document.problems.append((Mark(1, 1), f"the text is nested more than {MAX_DEPTH} deep", "write it flatter"))
        return None
    except yaml.YAMLError as error:
        document.problems.append(_yaml_problem(error))
        return None
    if len(nodes) > 1:
        document.problems.append((_mark(nodes[1]), "a second document starts here", "write one contract per file"))
    if not nodes:
        document.problems.append((Mark(1, 1), "the file is empty", "write contract:, version: and fields:"))
    return nodes[0] if nodes else None


def _nests_reasonably(text: str) -> bool:
    if text.count("[") + text.count("{") > _NESTED and _deepest(text) > _NESTED:
        return False
    return max((len(line) - len(line.lstrip(" -")) for line in text.splitlines()), default=0) <= _NESTED


def _deepest(text: str) -> int:
    depth = deepest = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth = max(0, depth - 1)
    return deepest


def _yaml_problem(error: yaml.YAMLError) -> tuple[Mark, str, str]:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        place = Mark(mark.line + 1, mark.column + 1) if mark is not None else Mark(1, 1)
        return (
            place,
            f"not YAML: {error.problem or error.context}",
            "check indentation, quotes and brackets around here",
        )
    return Mark(1, 1), "not YAML: the text holds a character that YAML does not allow", "remove control characters"


def _mark(node: yaml.Node) -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1)


def _nearest(nodes: dict[Path, yaml.Node], path: Path) -> Mark:
    """Where the node at `path` begins, or the one at the nearest place that holds it; few of them are ever asked for."""
    while path and path not in nodes:
        path = path[:-1]
    return _mark(nodes[path]) if path in nodes else Mark(1, 1)


class _Reader:
    """Turns nodes into values, filling in the document's places and problems."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._constructor = yaml.constructor.SafeConstructor()
        self._nodes = 0
        self._readers: dict[str, Callable[[yaml.ScalarNode], Value]] = {
            _PREFIX + "str": lambda scalar: str(scalar.value),
            _PREFIX + "null": lambda _: None,
            _PREFIX + "bool": self._constructor.construct_yaml_bool,
            _PREFIX + "int": self._whole_number,
            _PREFIX + "float": _exact_number,
            _PREFIX + "timestamp": self._constructor.construct_yaml_timestamp,
        }

    def read(self, node: yaml.Node, path: Path, above: tuple[int, ...]) -> Value:
        self._nodes += 1
        self._document.values_at[path] = node
        if self._nodes > MAX_NODES:
            if self._nodes == MAX_NODES + 1:
                self._problem(node, f"aliases make more than {MAX_NODES:,} values of this file", "write the values out")
            return None
        if id(node) in above or len(above) > MAX_DEPTH:
            self._problem(
                node, f"the value contains itself or is nested more than {MAX_DEPTH} deep", "write it out, flatter"
            )
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, (*above, id(node)))
        if isinstance(node, yaml.SequenceNode):
            return self._sequence(node, path, (*above, id(node)))
        assert isinstance(node, yaml.ScalarNode), "YAML has three kinds of nodes"
        return self._scalar(node)

    def _problem(self, node: yaml.Node, what: str, hint: str) -> None:
        self._document.problems.append((_mark(node), what, hint))

    def _mapping(self, node: yaml.MappingNode, path: Path, above: tuple[int, ...]) -> Value:
        if node.tag != _PREFIX + "map":
            self._problem(node, f"the tag {node.tag} means nothing here", "remove it")
        values: dict[str, Value] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key is None:
                continue
            if key in values:
                first = _mark(self._document.keys_at[(*path, key)])
                self._problem(
                    key_node, f"'{key}' stands here a second time, first in line {first.line}", "keep one of them"
                )
                continue
            place = (*path, key)
            self._document.keys_at[place] = key_node
            values[key] = self.read(value_node, place, above)
        return values

    def _key(self, node: yaml.Node) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self._problem(node, "a list or mapping cannot be a key", "write a name")
            return None
        if node.tag == _PREFIX + "merge":
            self._problem(node, "merge keys are not part of the language", "write the values out")
            return None
        if node.tag != _PREFIX + "str":
            kind = node.tag.removeprefix(_PREFIX)
            self._problem(node, f"YAML reads the key {node.value} as {kind}, not as text", "write it in quotes")
            return None
        return str(node.value)

    def _sequence(self, node: yaml.SequenceNode, path: Path, above: tuple[int, ...]) -> Value:
        if node.tag != _PREFIX + "seq":
            self._problem(node, f"the tag {node.tag} means nothing here", "remove it")
        return tuple(self.read(item, (*path, index), above) for index, item in enumerate(node.value))

    def _scalar(self, node: yaml.ScalarNode) -> Value:
        reader = self._readers.get(node.tag)
        if reader is None:
            self._problem(node, f"the tag {node.tag} means nothing here", "remove it")
            return None
        try:
            return reader(node)
        except (
            ValueError,
            ArithmeticError,
            LookupError,
            AttributeError,
        ):  # PyYAML 6, where a tag does not fit its text
            self._problem(
                node, f"YAML cannot read {node.value[:40]} as the number or date it looks like", "write it in quotes"
            )
            return None

    def _whole_number(self, node: yaml.ScalarNode) -> Value:
        number = int(self._constructor.construct_yaml_int(node))
        if _MISREAD_NUMBER.fullmatch(node.value):
            self._problem(
                node,
                f"YAML reads {node.value[:40]} as {number}",
                "write it in quotes if it is text, else as a plain number",
            )
        if abs(number) >= 10**MAX_DIGITS:
            raise ValueError
        return number


def _exact_number(node: yaml.ScalarNode) -> Decimal:
    number = Decimal(node.value.replace("_", ""))
    if not number.is_finite() or len(number.as_tuple().digits) > MAX_DIGITS or abs(number.adjusted()) > MAX_DIGITS:
        raise ValueError
    return number
