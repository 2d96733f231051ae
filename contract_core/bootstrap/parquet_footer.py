"""Which columns a Parquet file declares to be free of nulls: the schema in its footer, which Polars 2.1 does not tell.

Only as much of the compact Thrift protocol is read as the list of schema elements needs; all else is passed over.
"""

import struct
from pathlib import Path
from typing import Any

from contract_core.candidate.columnar import PARQUET_MAGIC

_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_SCHEMA, _REPETITION, _NAME, _CHILDREN = 2, 3, 4, 5
_REQUIRED = 0
_DEEPEST = 40


class NotUnderstood(Exception):  # noqa: N818 - a fact about one footer, never seen outside this package
    """The footer is no list of schema elements as the format describes it."""


def required_columns(path: Path) -> frozenset[str]:
    """The top-level columns that can hold no null; raises NotUnderstood where the footer does not say."""
    try:
        elements = _Reader(_footer(path)).struct(0).get(_SCHEMA, [])
        return frozenset(_required(elements))
    except (IndexError, struct.error, UnicodeDecodeError, TypeError, AttributeError, KeyError):
        raise NotUnderstood from None


def _footer(path: Path) -> bytes:
    tail = len(PARQUET_MAGIC) + 4
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - tail))
        (length,) = struct.unpack("<I", stream.read(4))
        if length + tail > size:
            raise NotUnderstood
        stream.seek(size - tail - length)
        return stream.read(length)


def _required(elements: list[dict[int, Any]]) -> list[str]:
    """The names of the root's own children that are required; what stands below a child is passed over."""
    names, place = [], 1
    for _ in range(elements[0].get(_CHILDREN, 0)):
        element = elements[place]
        if element.get(_REPETITION) == _REQUIRED:
            names.append(element[_NAME].decode())
        place = _after(elements, place)
    return names


def _after(elements: list[dict[int, Any]], place: int) -> int:
    """The place of the next sibling: the elements stand in depth-first order."""
    open_children = 1
    while open_children:
        open_children += elements[place].get(_CHILDREN, 0) - 1
        place += 1
    return place


class _Reader:
    """A place in the bytes of a compact Thrift structure."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._place = 0

    def struct(self, depth: int) -> dict[int, Any]:
        """The fields of one structure by their numbers."""
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401 - any value of the protocol
        if depth > _DEEPEST:
            raise NotUnderstood
        match kind:
            case _ if kind in (_TRUE, _FALSE, _BYTE):
                return self._byte()
            case _ if kind in (_I16, _I32, _I64):
                return self._signed()
            case _ if kind == _DOUBLE:
                return self._bytes(8)
            case _ if kind == _BINARY:
                return self._bytes(self._varint())
            case _ if kind in (_LIST, _SET):
                return self._list(depth)
            case _ if kind == _STRUCT:
                return self.struct(depth + 1)
            case _:
                return self._map(depth)

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = self._varint() if head >> 4 == 15 else head >> 4
        return [self._value(head & 15, depth + 1) for _ in range(size)]

    def _map(self, depth: int) -> None:
        size = self._varint()
        kinds = self._byte() if size else 0
        for _ in range(size):
            self._value(kinds >> 4, depth + 1)
            self._value(kinds & 15, depth + 1)

    def _byte(self) -> int:
        self._place += 1
        return self._content[self._place - 1]

    def _bytes(self, size: int) -> bytes:
        if self._place + size > len(self._content):
            raise NotUnderstood
        self._place += size
        return self._content[self._place - size : self._place]

    def _varint(self) -> int:
        number, shift = 0, 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 70:
                raise NotUnderstood

    def _signed(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)
