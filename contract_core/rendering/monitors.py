"""How far a monitored measure moved → words: movements, limits and counts, never the measure itself."""

from decimal import Decimal

from contract_core.rendering.counts import many
from contract_core.rendering.promises import limit_words, moved_words
from contract_core.validation.promise_kinds import QUANTILES, Measure, Steady
from contract_core.validation.report import Finding


def movement_words(finding: Finding) -> str:
    """By how much a measure moved, how much was allowed, and over how many partitions that was found."""
    promise = finding.obligation.promise
    assert isinstance(promise, Steady), "only monitors tell movements"
    told = [words for words in (_change(finding, promise), _deviation(finding, promise)) if words]
    partitions = finding.details["partitions"]
    return f"{_subject(finding, promise)} moved by {' and '.join(told)}, over {many(partitions, 'partition')}"


def moved_percent(finding: Finding) -> float | None:
    """The movement as a percentage, or in percentage points; None where nothing was compared, or it is infinite."""
    moved = finding.details.get("moved_basis_points")
    return None if moved is None else moved / 100


def _subject(finding: Finding, promise: Steady) -> str:
    """Which of several numbers moved; the values of an enum are the contract's own words."""
    place = finding.details["place"]
    if promise.measure is Measure.SHARES:
        return f"that of '{promise.values[place]}'"
    return f"the {QUANTILES[place]:.0%} quantile" if promise.measure is Measure.QUANTILES else "it"


def _change(finding: Finding, promise: Steady) -> str:
    if promise.limit is None:
        return ""
    moved = finding.details.get("moved_basis_points")
    by = "more than any percentage, from 0" if moved is None else moved_words(promise, Decimal(moved) / 10_000)
    return f"{by} (allowed {limit_words(promise)})"


def _deviation(finding: Finding, promise: Steady) -> str:
    limit = promise.terms.max_deviation
    if limit is None:
        return ""
    found = finding.details.get("deviation_hundredths")
    if found is None:
        return f"more than any number of robust standard deviations, since nothing had moved before (allowed {limit})"
    return f"{Decimal(found) / 100} robust standard deviations (allowed {limit})"
