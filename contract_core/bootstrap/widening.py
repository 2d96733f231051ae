"""A promise that the delivery itself breaks → the same draft with that promise widened or left out, and a sentence about it."""

from contract_core.bootstrap.draft import Draft, FieldDraft
from contract_core.contract.delivery_terms import Format
from contract_core.errors import CandidateUnreadableError, Problem
from contract_core.validation.report import Finding, ValidationReport

_LEFT_OUT = {
    "enum": ("enum",),
    "pattern": ("pattern",),
    "range": ("min", "max"),
    "length": ("min_length", "max_length"),
    "blank": ("not_blank",),
    "untrimmed": ("trimmed",),
}
_OF_A_TYPE = ("min", "max", "enum", "allow_nan")


def widened(draft: Draft, report: ValidationReport) -> Draft:
    """The draft that lets pass what this report found broken. Raises CandidateUnreadableError where nothing could make it pass."""
    for finding in report.breached():
        draft = _widened(draft, finding)
    return draft


def _widened(draft: Draft, finding: Finding) -> Draft:
    name = finding.obligation.field
    whole = {
        "key": (draft.without("key"), "the key is left out: rows share it"),
        "row_count": (draft.having(rows={"min": 0}), "a delivery without rows is allowed"),
        "extra_field": (draft.having(extra_fields="ignore"), "undeclared columns are let pass, and dropped"),
        "partition": (draft.without("delivery"), "the partition is left out: rows belong to others"),
    }
    if finding.rule in whole:
        changed, sentence = whole[finding.rule]
        return changed.telling(sentence)
    if name is None or name not in {item.name for item in draft.fields}:
        raise CandidateUnreadableError(
            Problem(f"obligation '{finding.id}'", "is broken, and no contract could allow it", finding.reason)
        )
    return _field_widened(draft, draft.field(name), finding)


def _field_widened(draft: Draft, item: FieldDraft, finding: Finding) -> Draft:
    count = f"{finding.breaches:,} of {finding.details.get('rows', 0):,} rows"
    match finding.rule:
        case "missing":
            return draft.with_field(item.having("some files or records lack it", required=False))
        case "null":
            return draft.with_field(item.having(f"{finding.breaches:,} nulls", nullable=True))
        case "not_finite":
            return draft.with_field(item.having(f"{count} are no finite number", allow_nan=True))
        case "type":
            return _retyped(draft, item, count)
        case rule:
            told = f"`{item.name}`: the rule '{rule}' is left out: {count} break it"
            return draft.with_field(item.without(*_LEFT_OUT[rule])).telling(told)


def _retyped(draft: Draft, item: FieldDraft, count: str) -> Draft:
    """Text that does not decode stays text; a column of several types cannot be declared at all."""
    is_csv = draft.format.get("type", Format().type) == "csv"
    if is_csv and item.terms["type"] != "string":
        told = f"`{item.name}` stays text: {count} do not decode as {item.terms['type']}"
        plain = FieldDraft(item.name, {**item.without(*_OF_A_TYPE).terms, "type": "string"})
        return draft.with_field(plain).telling(told)
    return draft.without_field(item.name).telling(f"`{item.name}` is left out: no one type takes all of its values")
