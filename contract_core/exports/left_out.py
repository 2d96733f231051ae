"""What an export leaves out, in sentences. Each format says why for a promise; what no format asks about is said here."""

from collections.abc import Callable, Iterable, Mapping

from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import Severity
from contract_core.validation.obligations import Obligation, obligations_of

Why = Callable[[Obligation], str]
"""Why a format does not carry an obligation, or an empty text where it does."""

ONE_RECORD = "it is about all rows together, and the format describes one"
ABOUT_GROUPS = "it is about groups of rows, which the gate alone judges"
ABOUT_HISTORY = "it compares rows with what was published before, which the gate alone reads"
WHOLE_DELIVERY = "it is about a whole delivery, which the gate alone sees"
ONLY_WARNS = "it only warns, and the format can only refuse"
_MANY = 3
"""A rule that more fields than this carry is named once for all of them, where the reason is the same."""
_KEPT_BY_THE_GATE = "the format has no place for it"

DELIVERY_RULES = frozenset(
    {"unreadable", "not_object", "row_count", "partition", "contract", "unit", "coverage", "completeness"}
    | {"deadline", "freshness", "volume", "drift"}
)
TABLE_RULES = frozenset({"key", "unique", "duplicate_rows"})
BESIDE_THE_ROW: Mapping[str, str] = {"group": ABOUT_GROUPS, "history": ABOUT_HISTORY}
"""Why no format carries the rules that look beyond a record at others, by their labels."""
_TERMS = (
    "status", "sunset", "description", "domain", "purpose", "grain", "population", "owners", "delivery",
    "enforcement", "publication", "unverified", "changes",
)  # fmt: skip
_FIELD_TERMS = ("unit", "classification", "semantics", "description", "renamed_from", "sunset")


def beyond_one_record(obligation: Obligation) -> str:
    """Why a format that describes single records does not carry an obligation; empty where it is about one record."""
    if obligation.rule in DELIVERY_RULES:
        return WHOLE_DELIVERY
    if obligation.rule in BESIDE_THE_ROW:
        return BESIDE_THE_ROW[obligation.rule]
    return ONE_RECORD if obligation.rule in TABLE_RULES else ""


def only_warns(obligation: Obligation) -> str:
    """Why a format that knows no warnings leaves an obligation out; empty where a breach of it holds publication back."""
    return ONLY_WARNS if obligation.severity is Severity.WARN else ""


def sentences(
    contract: Contract, why: Why, carried: frozenset[str], partly: Iterable[tuple[str, str]] = ()
) -> tuple[str, ...]:
    """One sentence a reason: what is not carried, what is carried in part, and the terms outside of `carried` that are stated."""
    obligations = obligations_of(contract)
    whys = {obligation.id: why(obligation) for obligation in obligations}
    named_once = _named_once(obligations, whys)
    reasons: dict[str, list[str]] = {}
    for obligation in obligations:
        if reason := whys[obligation.id]:
            path = f"*.{obligation.rule}" if obligation.rule in named_once else obligation.id
            reasons.setdefault(reason, []).append(path)
    for path, reason in partly:
        reasons.setdefault(reason, []).append(path)
    stated = [*_stated_terms(contract, carried), *_stated_field_terms(contract.fields, carried)]
    if stated:
        reasons.setdefault(_KEPT_BY_THE_GATE, []).extend(stated)
    return tuple(f"{', '.join(map(_path, dict.fromkeys(paths)))}: {reason}" for reason, paths in reasons.items())


def _named_once(obligations: Iterable[Obligation], whys: Mapping[str, str]) -> frozenset[str]:
    """The rules that many fields have, and that are left out of all of them for one reason."""
    alike: dict[str, list[str]] = {}
    for item in obligations:
        if item.id.endswith(f".{item.rule}"):  # a rule of a field
            alike.setdefault(item.rule, []).append(whys[item.id])
    return frozenset(rule for rule, found in alike.items() if len(found) > _MANY and len(set(found)) == 1)


def _stated_terms(contract: Contract, carried: frozenset[str]) -> list[str]:
    defaults = Contract.model_fields
    stated = [name for name in _TERMS if name not in carried and getattr(contract, name) != defaults[name].default]
    is_silence_stated = contract.freshness is not None and contract.freshness.max_silence is not None
    return [*stated, "freshness.max_silence"] if is_silence_stated and "freshness" not in carried else stated


def _stated_field_terms(fields: Iterable[Field], carried: frozenset[str]) -> list[str]:
    missing = [name for name in _FIELD_TERMS if f"fields.{name}" not in carried]
    return [f"{field.name}.{name}" for field in fields for name in missing if getattr(field, name) is not None]


def _path(path: str) -> str:
    """A path on one line: the name of a rule may hold any sign."""
    return f"`{' '.join(path.split())}`"
