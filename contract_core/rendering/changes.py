"""Changes of a contract, their verdicts and what is missing → text, a JSON document, and Markdown for a review."""

from collections.abc import Iterator, Sequence
from typing import Any

from contract_core.diff.judging import Verdict
from contract_core.diff.kinds import Class
from contract_core.diff.release import Successor
from contract_core.errors import on_one_line

_ORDER = (Class.REFUSED, Class.BREAKING, Class.COMPATIBLE, Class.PATCH)
_MARKS = {Class.REFUSED: "refused", Class.BREAKING: "breaking", Class.COMPATIBLE: "compatible", Class.PATCH: "patch"}
_MARGIN = " " * 14
NOT_SEEN = "only what the contract declares is compared; that the data mean what they meant before is not seen here"
"""Said with every answer: a gate that passes is no proof that business rules stayed the same."""


def successor_lines(successor: Successor) -> Iterator[str]:
    """One contract: the outcome in the first line, then each change by weight, then all that is missing and what to do."""
    yield _headline(successor)
    for verdict in _by_weight(successor.verdicts):
        yield f"  {_MARKS[verdict.verdict]:<10}  {told(verdict)}"
        if verdict.change.hint:
            yield f"{_MARGIN}{verdict.change.hint}"
    yield from (f"  note        {note}" for note in successor.notes)
    for missing in successor.missing:
        yield f"  missing     {missing.what}"
        yield f"{_MARGIN}{missing.hint}"
    if successor.draft is not None:
        yield f"  record      {successor.draft.place}, beside the contract, as a whole:"
        yield from (f"{_MARGIN}{line}" for line in successor.draft.text.splitlines())
    given = [name for name, is_given in successor.approvals if is_given]
    if given:
        yield f"  approved    by {', '.join(given)} (changes {successor.digest})"


def _headline(successor: Successor) -> str:
    outcome = "pass" if successor.passes else "fail"
    if successor.before is None:
        return f"{outcome}: {successor.contract} {successor.after}, the first version"
    counts = {item: sum(verdict.verdict is item for verdict in successor.verdicts) for item in _ORDER}
    told_counts = ", ".join(f"{count} {item}" for item, count in counts.items() if count) or "no change"
    versions = (
        f"{successor.before} → {successor.after or 'gone'}" if successor.after != successor.before else successor.after
    )
    needs = "" if successor.required_version == successor.before else f"; needs {successor.required_version} or more"
    return f"{outcome}: {successor.contract} {versions}: {told_counts} (profile {successor.profile}){needs}"


def told(verdict: Verdict) -> str:
    """One change in one line: where, what, why it matters, and whom it breaks."""
    change = verdict.change
    broken = f"; breaks {', '.join(verdict.consumers)}" if verdict.consumers else ""
    return f"{change.path} {change.what} ({change.kind}): {verdict.reason}{broken}"


def _by_weight(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return sorted(verdicts, key=lambda verdict: _ORDER.index(verdict.verdict))


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """One change as JSON."""
    change = verdict.change
    document: dict[str, Any] = {
        "kind": change.kind.value,
        "path": change.path,
        "what": change.what,
        "direction": verdict.direction.value,
        "class": verdict.verdict.value,
        "breaks": [side.value for side in verdict.breaks],
        "consumers": list(verdict.consumers),
        "reason": verdict.reason,
    }
    extra = {"hint": change.hint, "asks": verdict.asks}
    return document | {name: text for name, text in extra.items() if text}


def successor_document(successor: Successor) -> dict[str, Any]:
    """One contract as JSON; `verdict` is `pass` where nothing is missing."""
    return {
        "contract": successor.contract,
        "from": successor.before,
        "to": successor.after,
        "profile": successor.profile,
        "changes": [verdict_document(verdict) for verdict in successor.verdicts],
        "required_version": successor.required_version,
        "changes_digest": successor.digest,
        "approvals": dict(successor.approvals),
        "missing": [{"what": item.what, "do": item.hint} for item in successor.missing],
        "record": None if successor.draft is None else {"place": successor.draft.place, "text": successor.draft.text},
        "notes": list(successor.notes),
        "verdict": "pass" if successor.passes else "fail",
    }


def successors_markdown(successors: Sequence[Successor]) -> str:
    """A summary for a review: one table of changes per contract, and what is missing as a list to tick off."""
    lines = ["## Contract changes", ""]
    for successor in successors:
        lines += [f"### {_safe(_headline(successor))}", ""]
        if successor.verdicts:
            lines += ["| | change | why | breaks |", "|---|---|---|---|"]
            lines += [_row(verdict) for verdict in _by_weight(successor.verdicts)]
            lines.append("")
        lines += [f"- [ ] **{_safe(item.what)}**: {_safe(item.hint)}" for item in successor.missing]
        lines += [f"- {_safe(note)}" for note in successor.notes]
        lines += [""] * bool(successor.missing or successor.notes)
    return "\n".join([*lines, f"_{NOT_SEEN}._", ""])


def _row(verdict: Verdict) -> str:
    change = verdict.change
    cells = (
        _MARKS[verdict.verdict],
        f"{change.path} {change.what}",
        verdict.reason,
        ", ".join(verdict.consumers),
    )
    return f"| {' | '.join(_safe(cell) for cell in cells)} |"


def _safe(text: str) -> str:
    """Text that stays text in Markdown: names and patterns of a contract may hold anything."""
    flat = " ".join(on_one_line(text).split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    marked = "".join(f"\\{letter}" if letter in r"\`*_{}[]|#!~" else letter for letter in flat)
    return marked.replace("@", "@\u200b")  # so that nobody is called to a review by a contract
