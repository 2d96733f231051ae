"""The terms of a contract as facts, a label and a sentence each: delivery, freshness, enforcement, publication, change."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

from contract_core.contract.delivery_terms import ANY_FIELD, Due, Format, PartitionTerms, PartTerms, Period
from contract_core.contract.model import Contract, Tolerances
from contract_core.contract.promises import Severity
from contract_core.rendering.moments import length_words
from contract_core.rendering.people import correction_words, receiver_words
from contract_core.rendering.promises import due_words, promise_words
from contract_core.rendering.reports import budget_words
from contract_core.validation.obligations import obligations_of
from contract_core.validation.promise_kinds import Steady

Fact = tuple[str, str]
_MODES = {
    "replace_partition": "a delivery takes the place of its partition, or of the whole table where there are none",
    "upsert": "a row replaces the published row of its key, and new keys are added",
    "append": "rows are added, and a key that is published already is refused",
}
_EXTRA = {
    "reject": "refuse the delivery",
    "ignore": "are dropped",
    "keep": "are published beside the declared ones",
}
_PROFILES = {
    "default": "what refuses data or takes something from a consumer is breaking",
    "consumer_strict": "whatever loosens a promise is breaking too",
    "producer": "whatever tightens a promise is breaking, what loosens it is not",
    "full": "whatever tightens or loosens a promise is breaking",
}
_UNITS = {"hour": "hour", "day": "day", "week": "week (from Sunday)", "month": "month"}


def about(contract: Contract) -> tuple[Fact, ...]:
    """What the table is."""
    facts = {
        "Purpose": contract.purpose,
        "One row is": contract.grain,
        "Which rows": contract.population,
        "Domain": contract.domain,
        "Key": ", ".join(contract.key),
        "Undeclared columns": _EXTRA[contract.extra_fields],
    }
    return tuple((label, text) for label, text in facts.items() if text)


def delivery(contract: Contract) -> tuple[Fact, ...]:
    """What arrives, in which form, and when."""
    return tuple(_delivery(contract))


def promises(contract: Contract) -> tuple[Fact, ...]:
    """What a breach does, how rows are published, and what is kept."""
    return tuple(_promises(contract))


def change(contract: Contract) -> tuple[Fact, ...]:
    """What a later version is held to."""
    return tuple(_change(contract))


def tolerated(tolerances: Tolerances) -> tuple[str, ...]:
    """What a consumer lives with, in words."""
    return tuple(name.replace("_", " ") for name, is_borne in tolerances.model_dump().items() if is_borne)


def span(length: timedelta) -> str:
    """A length of time; whole days as such."""
    days = length // timedelta(days=1)
    if length == timedelta(days=days) and days:
        return f"{days:,} day{'' if days == 1 else 's'}"
    return length_words(length)


def share(value: Decimal) -> str:
    """A share or a relative change as a percentage, to the last digit."""
    percent = value * 100
    return f"{percent.normalize():f}%"


def _delivery(contract: Contract) -> Iterator[Fact]:
    terms = contract.delivery
    yield (
        "Lands in",
        terms.path or f"{contract.name}/{'{partition}/' if terms.partition and not terms.partition.split else ''}*",
    )
    yield "Format", _format(terms.format)
    yield from _decoding(terms.format)
    yield "Partitions", _partition(terms.partition) if terms.partition is not None else "none: a delivery is the table"
    if terms.parts is not None:
        yield "Required parts", _parts(terms.parts)
        if (known := terms.parts.completion) is not None:
            yield "A part is complete", f"{known.mechanism} (evidence: {known.evidence})"
    if terms.manifest != "none":
        yield "Manifest", f"{terms.manifest}: _manifest.json beside the files"
    yield "Corrections", "a delivery may correct rows that are published" if terms.corrections else "not announced"
    yield "Who authorises a correction", correction_words(contract)
    if terms.due is not None:
        yield "Due", _due(terms.due)


def _format(terms: Format) -> str:
    if terms.type != "csv":
        return terms.type
    delimiter = "tab" if terms.delimiter == "\t" else terms.delimiter
    return f"csv in {terms.encoding}; delimiter “{delimiter}”, quote “{terms.quote}”, decimal mark “{terms.decimal}”"


def _decoding(terms: Format) -> Iterator[Fact]:
    if not terms.is_text:
        return
    tokens = {"No value": terms.null_values, "True": terms.true_values, "False": terms.false_values}
    for label, by_field in tokens.items():
        yield f"Text for {label.lower()}", "; ".join(_tokens(field, texts) for field, texts in by_field.items())
    for field, formats in terms.dates.items():
        yield f"Dates of {field}", ", then ".join(formats)
    if terms.integral:
        yield "Whole numbers may be written 12.0", ", ".join(terms.integral)


def _tokens(field: str, texts: tuple[str, ...]) -> str:
    listed = ", ".join(f"“{text}”" for text in texts) or "none"
    return listed if field == ANY_FIELD else f"{field}: {listed}"


def _partition(terms: PartitionTerms) -> str:
    several = "; one delivery holds several" if terms.split else ""
    if terms.every is None:
        return f"one for each value of {terms.column}{several}"
    return f"one for each {_UNITS[terms.every]} of {terms.column}, {terms.timezone}, from {terms.start}{several}"


def _parts(terms: PartTerms) -> str:
    named = ", ".join(terms.required) or f"those that {_list(terms)} lists"
    days = "; ".join(f"{name} {_days(period)}" for name, period in terms.periods.items())
    return f"{named}{f', {days}' if days else ''} (told by {terms.column or terms.source})"


def _list(terms: PartTerms) -> str:
    source = terms.required_from
    return f"{source.field} of {source.contract}" if source is not None else f"{terms.required_file}"


def _days(period: Period) -> str:
    begins = f"from {period.valid_from}" if period.valid_from is not None else ""
    ends = f"until {period.valid_until}" if period.valid_until is not None else ""
    return " ".join(word for word in (begins, ends) if word)


def _due(terms: Due) -> str:
    return f"{due_words(terms)}{'' if terms.severity.value == 'error' else ' (only warns)'}"


def _promises(contract: Contract) -> Iterator[Fact]:
    enforcement, publication = contract.enforcement, contract.publication
    yield "On a breach", budget_words(contract)
    if enforcement.on_breach == "quarantine":
        kept = "the rows themselves" if enforcement.quarantine.rows == "kept" else "rules and row numbers alone"
        keep = enforcement.quarantine.keep
        yield "In quarantine", f"{kept}, for {span(keep) if keep is not None else '30 days'}"
    yield "Who is told of incidents", receiver_words(contract)
    yield "Rows", _rows(contract)
    if contract.freshness is not None:
        fresh = contract.freshness
        weight = "" if fresh.severity.value == "error" else " (only warns)"
        yield "Freshness", f"the newest {fresh.column} is at most {span(fresh.max_age)} old{weight}"
        if fresh.max_silence is not None:
            yield "Silence", f"something new is published every {span(fresh.max_silence)} at least{weight}"
    yield "Publication", _MODES[publication.mode]
    kept_long = {
        "Candidates stay": publication.keep_candidates,
        "Refused candidates stay": publication.keep_refused,
        "Replaced versions of the table stay": publication.keep_versions,
    }
    for label, length in kept_long.items():
        if length is not None:
            yield label, span(length)
    if publication.keep_newest:
        yield "Newest candidates that always stay", f"{publication.keep_newest:,}"
    yield from _comparisons(contract)


def _rows(contract: Contract) -> str:
    rows = contract.rows
    most = f" and at most {rows.max:,}" if rows.max is not None else ""
    return f"at least {rows.min:,}{most} in a delivery{'' if rows.severity.value == 'error' else ' (only warns)'}"


def _comparisons(contract: Contract) -> Iterator[Fact]:
    for item in obligations_of(contract):
        if isinstance(item.promise, Steady):
            label = "Volume" if item.field is None else f"Monitor of {item.field}"
            yield label, f"{promise_words(item.promise)}{'' if item.severity is Severity.ERROR else ' (only warns)'}"


def _change(contract: Contract) -> Iterator[Fact]:
    terms = contract.changes
    yield "Judged by", f"{terms.profile}: {_PROFILES[terms.profile]}"
    yield "Held against", "every supported version" if terms.transitive else "the version before"
    yield "After a breaking change", f"the old major version stays supported for {span(terms.window)}"
    if terms.approvals:
        yield "Also approve breaking changes", ", ".join(terms.approvals)
    told = {"Authority": terms.authority, "Migration": terms.migration, "Announced": terms.announce}
    for label, text in told.items():
        if text is not None:
            yield label, text
