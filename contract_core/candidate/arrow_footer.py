"""The footer of an Arrow file: do the blocks that it names lie inside the file? Polars 2.1 trusts it and panics.

Only as much of the format is read as that needs: the two lists of blocks in the FlatBuffers table `Footer`.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

ARROW_MAGIC = b"ARROW1"
_DICTIONARIES, _RECORD_BATCHES = 2, 3
_TAIL = struct.Struct("<i6s")
_BLOCK = struct.Struct("<qi4xq")


def is_consistent(path: Path) -> bool:
    """True where the file ends as an Arrow file does and every block of rows that its footer names is inside it."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        stream.seek(max(0, size - _TAIL.size))
        length, magic = _TAIL.unpack(stream.read(_TAIL.size))
        end = size - _TAIL.size - length
        if magic != ARROW_MAGIC or length <= 0 or end < len(ARROW_MAGIC):
            return False
        stream.seek(end)
        footer = stream.read(length)
    try:
        return all(
            offset >= 0 and metadata > 0 and body >= 0 and offset + metadata + body <= end
            for field in (_DICTIONARIES, _RECORD_BATCHES)
            for offset, metadata, body in _blocks(footer, field)
        )
    except struct.error:
        return False


def _blocks(footer: bytes, field: int) -> Iterator[tuple[int, int, int]]:
    """The blocks in one list of the footer; raises struct.error where an offset leads out of it."""
    (table,) = struct.unpack_from("<I", footer)
    (back,) = struct.unpack_from("<i", footer, table)
    layout = table - back
    if layout < 0:
        raise struct.error
    (layout_size,) = struct.unpack_from("<H", footer, layout)
    place = 4 + 2 * field
    if place + 2 > layout_size:
        return
    (offset,) = struct.unpack_from("<H", footer, layout + place)
    if offset == 0:
        return
    (ahead,) = struct.unpack_from("<I", footer, table + offset)
    start = table + offset + ahead
    (count,) = struct.unpack_from("<I", footer, start)
    for index in range(count):
        yield _BLOCK.unpack_from(footer, start + 4 + index * _BLOCK.size)
