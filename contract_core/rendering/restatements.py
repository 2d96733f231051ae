"""What a delivery changes of what is published, in words and as JSON: counts alone, as the ledger has them."""

from collections.abc import Iterator, Mapping
from typing import Any

from contract_core.rendering.counts import many, plural

_NAMED = 3
_PPM_PER_PERCENT = 10_000
_KEYS = ("keys_added", "keys_removed", "keys_restated")
_BY_NAME = {"fields": "field:", "touched": "touched:", "relative_change_ppm": "relative_change_ppm:"}


def restated_document(restated: Mapping[str, int]) -> dict[str, Any] | None:
    """The counts as JSON: of keys only where the contract has one; None where nothing is corrected."""
    if not restated:
        return None
    rows = {name: restated[name] for name in ("rows_before", "rows_after")}
    keys = {name: restated.get(name) for name in (*_KEYS, "keys_repeated")}
    return rows | keys | {name: _named(restated, prefix) for name, prefix in _BY_NAME.items()}


def restated_words(restated: Mapping[str, int]) -> str:
    """How many published rows a delivery replaces, and what it changes of them; empty where nothing is corrected."""
    if not restated:
        return ""
    before, after = restated["rows_before"], restated["rows_after"]
    by = f" by {after:,}" if after != before else ""
    changes = _change_words(restated)
    return f"replaces {before:,} published {plural(before, 'row')}{by}{': ' if changes else ''}{changes}"


def restated_lines(restated: Mapping[str, int]) -> Iterator[str]:
    """The same below a report."""
    if restated:
        yield f"    {restated_words(restated)}"


def most_restated(restated: Mapping[str, int]) -> tuple[tuple[str, int, int | None], ...]:
    """Each field with the number of keys of which it changed and its relative change in parts per million; the most changed first."""
    by = _named(restated, _BY_NAME["relative_change_ppm"])
    fields = sorted(_named(restated, _BY_NAME["fields"]).items(), key=lambda item: (-item[1], item[0]))
    return tuple((name, count, by.get(name)) for name, count in fields)


def _change_words(restated: Mapping[str, int]) -> str:
    """What became of the keys; nothing for a contract without one."""
    if "keys_restated" not in restated:
        return ""
    found = [(restated[name], word) for name, word in zip(_KEYS, ("added", "removed", "restated"), strict=True)]
    told = [(count, word) for count, word in found if count]
    words = [f"{count:,} {word}" for count, word in told] or ["no key changed"]
    if told:
        count, word = told[0]
        words[0] = f"{many(count, 'key')} {word}"
    if restated["keys_restated"]:
        words[-1] += _field_words(restated)
    repeated = restated.get("keys_repeated", 0)
    words += [f"{repeated:,} that stand more than once were not compared"] if repeated else []
    return ", ".join(words)


def _field_words(restated: Mapping[str, int]) -> str:
    fields = most_restated(restated)
    told = [f"{name} {count:,}{_by_words(ppm)}" for name, count, ppm in fields[:_NAMED]]
    more = f" and {len(fields) - _NAMED:,} more" if len(fields) > _NAMED else ""
    return f" ({', '.join(told)}{more})"


def _by_words(ppm: int | None) -> str:
    return "" if ppm is None else f" by {percent_words(ppm)}"


def percent_words(ppm: int) -> str:
    """Parts per million as per cent, without trailing zeros."""
    return f"{ppm / _PPM_PER_PERCENT:,.4f}".rstrip("0").rstrip(".") + "%"


def _named(restated: Mapping[str, int], prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): count for name, count in restated.items() if name.startswith(prefix)}
