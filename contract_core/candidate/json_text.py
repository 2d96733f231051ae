"""JSON text ↔ values, exactly: numbers keep the digits they were written with, and what JSON does not allow is refused.

Python's json module does the parsing; it would take NaN, let the last of two equal keys win and round long numbers.
"""

import json
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from contract_core.candidate.text_lines import Unreadable

_MAX_EXPONENT = 400
_DEEPEST = 256


_TOO_DEEP = f"nests deeper than {_DEEPEST} levels"


class _RefusedError(Exception):
    """Something that Python's json takes and JSON does not have."""


class WholeNumber(str):
    """A JSON number without fraction and exponent, as written."""

    __slots__ = ()


class FractionalNumber(str):
    """A JSON number with a fraction or an exponent, as written."""

    __slots__ = ()


def parsed_json(text: str, line: int | None = None, around: int = 0) -> Any:  # noqa: ANN401 - JSON enters here
    """The one JSON value in `text`, which is line `line` of its file or else the whole of it.

    The value of a field nests at most 256 deep, in every format; `around` counts what stands around it in the text.
    Raises Unreadable with a reason that names the line where it is known and holds nothing of the text.
    """
    where = f"line {line} " if line else ""
    try:
        value = _DECODER.decode(text)
    except _RefusedError as refused:
        raise Unreadable(f"{where}{refused}") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"line {line or error.lineno} is not well-formed JSON") from None
    except RecursionError:
        raise Unreadable(f"{where}{_TOO_DEEP}") from None
    deepest = _DEEPEST + around
    if text.count("[") + text.count("{") > deepest and _is_deeper(value, deepest):
        raise Unreadable(f"{where}{_TOO_DEEP}")
    return value


def is_json(text: str, kind: type) -> bool:
    """True where `text` is one JSON object (`dict`) or array (`list`), by the same reading as everywhere."""
    try:
        return type(parsed_json(text)) is kind
    except Unreadable:
        return False


def json_text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """The value as JSON without blanks, keys in their order, numbers as they were written."""
    match value:
        case WholeNumber() | FractionalNumber():
            return str(value)
        case dict():
            texts = map(json_text, value.values())  # one frame a level: Python counts them
            return "{" + ",".join(map("{}:{}".format, map(_quoted, value), texts)) + "}"
        case list():
            return "[" + ",".join(map(json_text, value)) + "]"
        case str():
            return _quoted(value)
        case _:
            return {None: "null", True: "true", False: "false"}[value]


def plain_digits(number: str) -> str:
    """A number without its exponent, every digit kept; numbers of absurd size stay as they are."""
    try:
        exact = Decimal(number)
    except InvalidOperation:
        return number
    exponent = exact.as_tuple().exponent
    return f"{exact:f}" if isinstance(exponent, int) and abs(exponent) <= _MAX_EXPONENT else number


def is_unicode(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """False for text with half a surrogate pair, which JSON can write and no other place can hold."""
    if not isinstance(value, str) or value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def unicode_text(text: str) -> str:
    """The text, half surrogate pairs written out as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def _is_deeper(value: Any, deepest: int) -> bool:  # noqa: ANN401 - any JSON value
    """True where arrays and objects stand within each other more than `deepest` times."""
    level = [value] if type(value) in (dict, list) else []
    for _ in range(deepest):
        inner = (item.values() if type(item) is dict else item for item in level)
        level = [item for items in inner for item in items if type(item) in (dict, list)]
    return bool(level)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=not is_unicode(text))


def _refuse_constant(_: str) -> NoReturn:
    raise _RefusedError("holds NaN or an infinity, which JSON does not have")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RefusedError("repeats a key within one object")
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys,
    parse_int=WholeNumber,
    parse_float=FractionalNumber,
    parse_constant=_refuse_constant,
)
