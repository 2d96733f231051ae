"""Changes and what is missing, at their line of the contract file → annotations of GitHub Actions and a SARIF document."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from contract_core.contract.yaml_document import Document, Mark, Path, load_document
from contract_core.diff.compatibility import COMPATIBILITY
from contract_core.diff.kinds import Class
from contract_core.diff.release import Successor
from contract_core.rendering.changes import NOT_SEEN, told

_LEVELS = {Class.REFUSED: "error", Class.BREAKING: "error", Class.COMPATIBLE: "notice", Class.PATCH: "notice"}
_SARIF = {"error": "error", "warning": "warning", "notice": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MISSING = "release_incomplete"


@dataclass(frozen=True, slots=True)
class Located:
    """One thing to say about one place of a contract file: its level is `error`, `warning` or `notice`."""

    level: str
    rule: str
    text: str
    file: str
    mark: Mark


def located(successor: Successor, file: str, text: bytes) -> tuple[Located, ...]:
    """Every change and everything that is missing, at its place in the file of the new version.

    Where the version passes all the same, a breaking change only warns: somebody agreed to it.
    """
    document = load_document(text)
    found = [
        Located(
            _level(verdict.verdict, passes=successor.passes),
            verdict.change.kind.value,
            told(verdict),
            file,
            _mark(document, verdict.change.path),
        )
        for verdict in successor.verdicts
    ]
    version = document.mark(("version",))
    found += [Located("error", _MISSING, f"{item.what}\n{item.hint}", file, version) for item in successor.missing]
    return tuple(found)


def _level(verdict: Class, *, passes: bool) -> str:
    level = _LEVELS[verdict]
    return "warning" if passes and level == "error" else level


def _mark(document: Document, dotted: str) -> Mark:
    """Where a path of a change stands in the file; for what is gone, where it would stand."""
    return document.mark(_path(document, dotted))


def _path(document: Document, dotted: str) -> Path:
    value: Any = document.value
    path: list[str | int] = []
    rest = dotted
    while rest:
        step = _step(value, rest)
        if step is None:
            break
        key, length = step
        path.append(key)
        value, rest = value[key], rest[length:].removeprefix(".")
    return tuple(path)


def _step(value: Any, rest: str) -> tuple[str | int, int] | None:  # noqa: ANN401 - a node of YAML
    """The key, or the place in a list by its newer or older name, with which the rest of the path begins; names may hold dots."""
    if isinstance(value, dict):
        named: list[tuple[str | int, str]] = [(key, key) for key in value if isinstance(key, str)]
    elif isinstance(value, tuple):
        named = [
            (place, str(item[known_by]))
            for known_by in ("name", "renamed_from")
            for place, item in enumerate(value)
            if isinstance(item, dict) and known_by in item
        ]
    else:
        return None
    fitting = [(key, len(name)) for key, name in named if rest == name or rest.startswith(f"{name}.")]
    return max(fitting, key=lambda pair: pair[1], default=None)


def github_lines(found: Sequence[Located]) -> Iterator[str]:
    """The commands by which GitHub Actions shows a line of a file in a review."""
    for item in found:
        place = f"file={_property(item.file)},line={item.mark.line},col={item.mark.column},title={_property(item.rule)}"
        yield f"::{item.level} {place}::{_message(item.text)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def sarif_document(found: Sequence[Located]) -> dict[str, Any]:
    """The same as SARIF 2.1.0, the format that code scanning reads."""
    known = {kind.value: row.reason for kind, row in COMPATIBILITY.items()} | {_MISSING: "the release lacks something"}
    rules = [{"id": rule, "shortDescription": {"text": known[rule]}} for rule in sorted({item.rule for item in found})]
    driver = {"name": "contract-gate", "fullDescription": {"text": NOT_SEEN}, "rules": rules}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_sarif_result(item) for item in found]}],
    }


def _sarif_result(item: Located) -> dict[str, Any]:
    region = {"startLine": item.mark.line, "startColumn": item.mark.column}
    location = {"artifactLocation": {"uri": _uri(item.file)}, "region": region}
    return {
        "ruleId": item.rule,
        "level": _SARIF[item.level],
        "message": {"text": item.text.replace("](", "] (")},  # SARIF reads links in plain text too
        "locations": [{"physicalLocation": location}],
    }


def _uri(file: str) -> str:
    """The file as a reference of RFC 3986, relative where the file is: names may hold blanks, % and letters of any script."""
    quoted = quote(os.fsencode(file))
    return f"file://{quoted}" if file.startswith("/") else quoted
