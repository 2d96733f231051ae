"""The table that judges: for each kind of change its direction, its class, whom it hits, and why. The whole policy on one page.

`default` is the class under the default profile, `strict` under the consumer-strict one; the two others follow from the direction.
Where it is D, the change breaks the consumers who do not declare the tolerance, and nobody else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from contract_core.diff.kinds import ChangeKind, Class, Direction, Side

Tolerance = Literal["new_fields", "new_enum_values", "nulls", "wider_types", "empty_deliveries"]


@dataclass(frozen=True, slots=True)
class Row:
    """How one kind of change is judged.

    `asks_meaning` where only its author knows whether the meaning changed; `needs_process` where an approval of the contract's
    authority must name it; `is_fixed` where no profile sees it in another way.
    """

    direction: Direction
    default: Class | None
    strict: Class | None
    breaks: tuple[Side, ...]
    reason: str
    tolerance: Tolerance | None = None
    asks_meaning: bool = False
    needs_process: bool = False
    is_fixed: bool = False


def fixed(direction: Direction, verdict: Class, breaks: tuple[Side, ...], reason: str) -> Row:
    """A row that is the same in every profile."""
    return Row(direction, verdict, verdict, breaks, reason, is_fixed=True)


def upon_approval(direction: Direction, breaks: tuple[Side, ...], reason: str) -> Row:
    """A row that is refused until the authority has approved just this change, and is breaking then."""
    return Row(direction, Class.REFUSED, Class.REFUSED, breaks, reason, needs_process=True, is_fixed=True)


Is = ChangeKind
B, C, P, X = Class.BREAKING, Class.COMPATIBLE, Class.PATCH, Class.REFUSED
D = None  # depends on what consumers tolerate
TIGHTENS, LOOSENS, BOTH, NEUTRAL, UNDETERMINED = Direction
PRODUCER, CONSUMER, HISTORY, MEANING = ((side,) for side in Side)
EVERYBODY = (*PRODUCER, *CONSUMER)
DATA = (*PRODUCER, *HISTORY)

_REFUSED_NOW = "rows that were accepted are refused"
_NEW_VALUES = "values can appear that were never there"
_SEEN_BY_READERS = "published rows can be such that consumers never saw before"
_LATER = "consumers get less than they were promised"
_SAME_BYTES = "the same bytes mean something else"
_WORDS = "words only"
_NEW_COLUMN = "deliveries without the field are refused; a reader that knows all columns meets another one"

COMPATIBILITY: Mapping[ChangeKind, Row] = {
    # the table and its fields
    Is.CONTRACT_REMOVED: fixed(LOOSENS, B, CONSUMER, "the table is no longer promised"),
    Is.CONTRACT_RENAMED: fixed(BOTH, X, EVERYBODY, "another name is another table: add a contract and retire this one"),
    Is.FIELD_REMOVED: fixed(LOOSENS, B, CONSUMER, "queries that name the field fail"),
    Is.FIELD_REMOVED_AFTER_SUNSET: fixed(LOOSENS, B, CONSUMER, "queries that name the field fail; its sunset is over"),
    Is.FIELD_REMOVED_BEFORE_SUNSET: upon_approval(LOOSENS, CONSUMER, "the field is promised until its sunset"),
    Is.FIELD_NAME_REUSED: upon_approval(BOTH, MEANING, "old queries for an earlier field of this name would read the new one"),
    Is.FIELD_ADDED_OPTIONAL: Row(TIGHTENS, C, C, (), "who names their columns sees no difference"),
    Is.FIELD_ADDED_OPTIONAL_CLOSED: Row(TIGHTENS, D, D, CONSUMER, "a reader that knows all columns meets another one", "new_fields"),
    Is.FIELD_ADDED_REQUIRED: Row(TIGHTENS, B, C, DATA, "deliveries without the field are refused"),
    Is.FIELD_ADDED_REQUIRED_CLOSED: Row(TIGHTENS, B, D, (*EVERYBODY, *HISTORY), _NEW_COLUMN, "new_fields"),
    Is.FIELD_RENAMED: Row(BOTH, B, B, EVERYBODY, "queries that name the field fail, and so do deliveries under the old name"),
    Is.FIELD_RENAMED_WITH_ALIAS: Row(NEUTRAL, C, C, (), "the old name stays until its sunset"),
    Is.FIELD_REORDERED: Row(NEUTRAL, P, P, (), "columns are found by name"),
    Is.FIELD_DEPRECATED: Row(NEUTRAL, C, C, (), "the field stays until its sunset"),
    Is.FIELD_DEPRECATED_AT_SHORT_NOTICE: fixed(NEUTRAL, B, CONSUMER, "the sunset is nearer than the window that consumers were promised"),
    Is.FIELD_SUNSET_EARLIER: fixed(LOOSENS, B, CONSUMER, "the field leaves before the day that was announced"),
    Is.FIELD_SUNSET_LATER: fixed(TIGHTENS, C, (), "the field stays longer"),
    # types
    Is.TYPE_OPENED: Row(LOOSENS, C, D, CONSUMER, "other physical types of the family can appear", "wider_types"),
    Is.TYPE_CLOSED: Row(TIGHTENS, B, C, DATA, "deliveries in other physical types of the family are refused"),
    Is.TYPE_WIDENED: Row(LOOSENS, C, D, CONSUMER, "larger values can appear than a reader of the old type holds", "wider_types"),
    Is.TYPE_NARROWED: Row(TIGHTENS, B, C, DATA, "values that do not fit are refused"),
    Is.TYPE_SIGN_CHANGED: Row(BOTH, B, B, EVERYBODY, "negative values and large ones change places"),
    Is.TYPE_FLOAT_WIDENED: Row(LOOSENS, C, D, CONSUMER, "values compare differently with those of the old precision", "wider_types"),
    Is.TYPE_FLOAT_NARROWED: Row(BOTH, B, B, EVERYBODY, "digits are lost"),
    Is.TYPE_INTEGER_TO_FLOAT: Row(BOTH, B, B, (*CONSUMER, *MEANING), "whole numbers beyond 2^53 are no longer exact"),
    Is.TYPE_FLOAT_TO_INTEGER: Row(BOTH, B, B, PRODUCER, "fractions are refused"),
    Is.TYPE_DECIMAL_WIDENED: Row(LOOSENS, C, D, CONSUMER, "larger values can appear than a reader of the old type holds", "wider_types"),
    Is.TYPE_DECIMAL_NARROWED: Row(TIGHTENS, B, C, DATA, "values that do not fit are refused"),
    Is.TYPE_DECIMAL_SCALE_CHANGED: Row(BOTH, B, B, EVERYBODY, "other digits after the point: stored values must be rewritten"),
    Is.TYPE_DECIMAL_AND_FLOAT: Row(BOTH, B, B, EVERYBODY, "what was exact is rounded, or the other way round"),
    Is.TYPE_STRING_AND_OTHER: Row(BOTH, B, B, EVERYBODY, "text and values of another kind do not compare"),
    Is.TYPE_DATE_AND_TIMESTAMP: Row(BOTH, B, B, EVERYBODY, "a day is no moment"),
    Is.TYPE_TIMEZONE_CHANGED: Row(BOTH, B, B, MEANING, "the same reading is another moment"),
    Is.TYPE_TIME_UNIT_FINER: Row(LOOSENS, C, D, CONSUMER, "fractions can appear that a reader of the old unit cuts off", "wider_types"),
    Is.TYPE_TIME_UNIT_COARSER: Row(TIGHTENS, B, C, DATA, "finer moments do not fit"),
    Is.TYPE_BOOLEAN_AND_INTEGER: Row(BOTH, B, B, EVERYBODY, "true is no number"),
    Is.TYPE_SCALAR_AND_NESTED: Row(BOTH, B, B, EVERYBODY, "one value is no list and no record"),
    Is.TYPE_CHANGED: Row(BOTH, B, B, EVERYBODY, "values of one type do not stand for those of the other"),
    # nulls, presence, values
    Is.NULL_FORBIDDEN: Row(TIGHTENS, B, C, DATA, "rows with a null are refused"),
    Is.NULL_ALLOWED: Row(LOOSENS, D, B, CONSUMER, "nulls can appear where there were none", "nulls"),
    Is.NULL_ALLOWED_IN_KEY: fixed(LOOSENS, B, CONSUMER, "a row may have no identity any more"),
    Is.PRESENCE_REQUIRED: Row(TIGHTENS, B, C, PRODUCER, "deliveries without the field are refused"),
    Is.PRESENCE_OPTIONAL: Row(LOOSENS, D, B, CONSUMER, "whole deliveries can lack the field: it is null then", "nulls"),
    Is.ENUM_VALUE_ADDED: Row(LOOSENS, D, B, CONSUMER, "a reader that lists all values meets one it does not know", "new_enum_values"),
    Is.ENUM_VALUE_REMOVED: Row(TIGHTENS, B, C, DATA, "rows with the value are refused"),
    Is.ENUM_INTRODUCED: Row(TIGHTENS, B, C, DATA, "rows with other values are refused"),
    Is.ENUM_DROPPED: Row(LOOSENS, D, B, CONSUMER, "a reader that lists all values meets any other", "new_enum_values"),
    Is.BOUND_TIGHTENED: Row(TIGHTENS, B, C, DATA, _REFUSED_NOW),
    Is.BOUND_RELAXED: Row(LOOSENS, C, B, CONSUMER, _NEW_VALUES),
    Is.PATTERN_ADDED: Row(TIGHTENS, B, C, DATA, _REFUSED_NOW),
    Is.PATTERN_REMOVED: Row(LOOSENS, C, B, CONSUMER, _NEW_VALUES),
    Is.PATTERN_CHANGED: Row(UNDETERMINED, B, B, EVERYBODY, "nobody can tell which texts match now and did not before"),
    Is.LENGTH_TIGHTENED: Row(TIGHTENS, B, C, DATA, _REFUSED_NOW),
    Is.LENGTH_RELAXED: Row(LOOSENS, C, D, CONSUMER, "texts can appear that a reader has no room for", "wider_types"),
    Is.NAN_ALLOWED: Row(LOOSENS, C, B, CONSUMER, _NEW_VALUES),
    Is.NAN_FORBIDDEN: Row(TIGHTENS, B, C, DATA, _REFUSED_NOW),
    Is.WHITE_SPACE_TIGHTENED: Row(TIGHTENS, B, C, DATA, _REFUSED_NOW),
    Is.WHITE_SPACE_RELAXED: Row(LOOSENS, C, B, CONSUMER, _NEW_VALUES),
    Is.WARNING_ADDED: Row(TIGHTENS, C, C, (), "it only tells: nothing more is refused"),
    Is.WARNING_REMOVED: Row(LOOSENS, C, C, (), "it only told: nothing was refused"),
    Is.SEVERITY_RAISED: Row(TIGHTENS, B, C, DATA, "what was only told holds publication back"),
    Is.SEVERITY_LOWERED: fixed(LOOSENS, B, CONSUMER, "rows that break the promise are published"),
    # rules
    Is.RULE_ADDED: Row(TIGHTENS, B, C, DATA, _REFUSED_NOW),
    Is.RULE_REMOVED: Row(LOOSENS, C, B, CONSUMER, _SEEN_BY_READERS),
    Is.RULE_CHANGED: Row(UNDETERMINED, B, B, EVERYBODY, "nobody can tell which rows keep it now and did not before"),
    Is.RULE_TIGHTENED: Row(TIGHTENS, B, C, DATA, _REFUSED_NOW),
    Is.RULE_RELAXED: Row(LOOSENS, C, B, CONSUMER, _SEEN_BY_READERS),
    Is.RULE_RENAMED: Row(NEUTRAL, P, P, (), "the same rule; its history goes on under the new name"),
    Is.THRESHOLD_TIGHTENED: Row(TIGHTENS, B, C, PRODUCER, "deliveries that were accepted are refused"),
    Is.THRESHOLD_RELAXED: Row(LOOSENS, C, B, CONSUMER, "more may differ before anybody hears of it"),
    Is.UNIQUENESS_ADDED: Row(TIGHTENS, B, C, DATA, "rows that repeat the values are refused"),
    Is.UNIQUENESS_DROPPED: fixed(LOOSENS, B, CONSUMER, "joins on these fields multiply rows"),
    Is.UNIQUENESS_CHANGED: Row(BOTH, B, B, EVERYBODY, "other values are unique than before"),
    # meaning and identity
    Is.UNIT_CHANGED: Row(BOTH, B, B, MEANING, _SAME_BYTES),
    Is.UNIT_STATED: Row(NEUTRAL, C, C, (), "what was not said is said", asks_meaning=True),
    Is.UNIT_REMOVED: fixed(LOOSENS, B, MEANING, "nobody says any more what the number counts"),
    Is.SEMANTICS_CHANGED: Row(UNDETERMINED, P, P, MEANING, "only its author knows whether the meaning changed", asks_meaning=True),
    Is.SEMANTICS_STATED: Row(NEUTRAL, P, P, (), "what was not said is said"),
    Is.POPULATION_CHANGED: Row(UNDETERMINED, P, P, MEANING, "only its author knows whether other rows belong to it now", asks_meaning=True),
    Is.POPULATION_STATED: Row(NEUTRAL, P, P, (), "what was not said is said"),
    Is.GRAIN_CHANGED: Row(BOTH, B, B, MEANING, "a row stands for something else: counts and joins change"),
    Is.GRAIN_STATED: Row(NEUTRAL, P, P, (), "what was not said is said"),
    Is.ASSUMPTION_CHANGED: Row(UNDETERMINED, P, B, MEANING, "what no check proves is stated in another way", asks_meaning=True),
    Is.WORDS_EDITED: Row(NEUTRAL, P, P, (), _WORDS),
    Is.CLASSIFICATION_RAISED: fixed(NEUTRAL, B, CONSUMER, "who may not read the class loses the field"),
    Is.CLASSIFICATION_LOWERED: upon_approval(NEUTRAL, MEANING, "more people may read the field"),
    Is.KEY_CHANGED: Row(BOTH, B, B, EVERYBODY, "other rows count as the same one"),
    Is.KEY_ADDED: Row(TIGHTENS, B, C, DATA, "rows that repeat the values are refused"),
    Is.KEY_DROPPED: fixed(LOOSENS, B, CONSUMER, "joins on the key multiply rows"),
    Is.KEY_REORDERED: Row(NEUTRAL, P, P, (), "the same fields are unique together"),
    # status, people, the terms of change themselves
    Is.STATUS_ACTIVATED: Row(NEUTRAL, C, C, (), "the promise holds from now on"),
    Is.STATUS_DEPRECATED: Row(NEUTRAL, C, C, (), "the version is supported until its sunset"),
    Is.STATUS_DEPRECATED_AT_SHORT_NOTICE: fixed(NEUTRAL, B, CONSUMER, "the sunset is missing, or nearer than the promised window"),
    Is.STATUS_RETIRED: fixed(NEUTRAL, B, CONSUMER, "the promise ends"),
    Is.STATUS_TURNED_BACK: upon_approval(NEUTRAL, CONSUMER, "a promise that was given is not taken back: release a new version"),
    Is.SUNSET_EARLIER: fixed(LOOSENS, B, CONSUMER, "support ends before the day that was announced"),
    Is.SUNSET_LATER: fixed(TIGHTENS, C, (), "support lasts longer"),
    Is.PRODUCER_CHANGED: Row(NEUTRAL, P, P, (), "somebody else keeps the promise: both must agree"),
    Is.CONTACT_CHANGED: Row(NEUTRAL, P, P, (), _WORDS),
    Is.CONTACT_REMOVED: fixed(NEUTRAL, B, CONSUMER, "nobody can be told of a failure any more"),
    Is.CONSUMER_ADDED: Row(NEUTRAL, P, P, (), "the promise is made to one more"),
    Is.CONSUMER_REMOVED: Row(NEUTRAL, P, P, (), "nobody is removed to pass: they must agree, and this version is judged with them"),
    Is.CONSUMER_TERMS_CHANGED: Row(NEUTRAL, P, P, (), "counts from the next version on: the consumer must agree"),
    Is.CORRECTION_AUTHORITY_CHANGED: Row(NEUTRAL, P, P, (), "somebody else says from now on that published rows may be corrected"),
    Is.AUTHORITY_NAMED: Row(NEUTRAL, P, P, (), "can approve from now on what nobody could: all consumers must agree"),
    Is.CHANGE_TERMS_WEAKENED: upon_approval(NEUTRAL, CONSUMER, "what protects consumers is not loosened by those whom it binds"),
    Is.CHANGE_TERMS_STRENGTHENED: Row(NEUTRAL, P, P, (), "later versions are judged more strictly"),
    # delivery, service, enforcement
    Is.PART_REQUIRED: Row(TIGHTENS, B, C, PRODUCER, "deliveries without the part are refused"),
    Is.PART_NO_LONGER_REQUIRED: fixed(LOOSENS, B, (*CONSUMER, *MEANING), "totals lose a part and nobody sees it"),
    Is.PARTS_INTRODUCED: Row(TIGHTENS, B, C, PRODUCER, "deliveries without all parts are refused"),
    Is.PARTS_DROPPED: fixed(LOOSENS, B, (*CONSUMER, *MEANING), "totals lose parts and nobody sees it"),
    Is.PARTS_SOURCE_CHANGED: Row(UNDETERMINED, B, B, EVERYBODY, "what counts as a part is found in another way"),
    Is.COMPLETENESS_TIGHTENED: Row(TIGHTENS, B, C, PRODUCER, "deliveries without the declaration are refused"),
    Is.COMPLETENESS_LOOSENED: fixed(LOOSENS, B, (*CONSUMER, *MEANING), "nobody declares any more that nothing is missing"),
    Is.EMPTY_ALLOWED: Row(LOOSENS, D, B, CONSUMER, "a partition can be published without a row", "empty_deliveries"),
    Is.EMPTY_FORBIDDEN: Row(TIGHTENS, B, C, PRODUCER, "deliveries without a row are refused"),
    Is.ROW_COUNT_TIGHTENED: Row(TIGHTENS, B, C, PRODUCER, "deliveries that were accepted are refused"),
    Is.ROW_COUNT_RELAXED: Row(LOOSENS, C, B, CONSUMER, "fewer or more rows can be published than ever before"),
    Is.FRESHNESS_TIGHTENED: Row(TIGHTENS, C, C, PRODUCER, "the producer must deliver sooner"),
    Is.FRESHNESS_LOOSENED: Row(LOOSENS, B, B, CONSUMER, _LATER),
    Is.FRESHNESS_COLUMN_CHANGED: Row(UNDETERMINED, B, B, EVERYBODY, "age is measured by another moment"),
    Is.DEADLINE_EARLIER: Row(TIGHTENS, C, C, PRODUCER, "the producer must deliver sooner"),
    Is.DEADLINE_LATER: Row(LOOSENS, B, B, CONSUMER, _LATER),
    Is.DEADLINE_CHANGED: Row(UNDETERMINED, B, B, EVERYBODY, "the deadline falls on other days"),
    Is.RETENTION_SHORTENED: Row(LOOSENS, B, B, CONSUMER, "what was published can no longer be read back as far"),
    Is.RETENTION_LENGTHENED: Row(TIGHTENS, C, C, (), "what was published can be read back further"),
    Is.KEPT_ASIDE_CHANGED: Row(NEUTRAL, P, P, (), "nobody but the gate reads what is kept aside"),
    Is.KEPT_ASIDE_EXPOSED: upon_approval(NEUTRAL, MEANING, "values of classified fields would be copied"),
    Is.PARTITION_CHANGED: Row(BOTH, B, B, EVERYBODY, "other rows are delivered and replaced together"),
    Is.PARTITION_START_EARLIER: Row(NEUTRAL, P, P, (), "earlier partitions may be delivered too"),
    Is.PUBLICATION_MODE_CHANGED: Row(BOTH, B, B, CONSUMER, "snapshots and incremental readers see other changes than before"),
    Is.CORRECTIONS_CHANGED: Row(BOTH, B, B, CONSUMER, "published rows change, or no longer do"),
    Is.EXTRA_FIELDS_CLOSED: Row(TIGHTENS, B, C, PRODUCER, "deliveries with undeclared columns are refused"),
    Is.EXTRA_FIELDS_OPENED: Row(LOOSENS, D, D, CONSUMER, "undeclared columns are published", "new_fields"),
    Is.EXTRA_FIELDS_IGNORED: Row(LOOSENS, C, C, (), "undeclared columns are taken and not published"),
    Is.EXTRA_FIELDS_DROPPED: Row(LOOSENS, B, B, CONSUMER, "undeclared columns that were published are gone"),
    Is.DELIVERY_CHANGED: Row(BOTH, B, B, PRODUCER, "deliveries as they were cannot be read"),
    Is.DECODING_CHANGED: Row(BOTH, B, B, (*PRODUCER, *MEANING), "the same text becomes another value"),
    Is.ON_BREACH_RELAXED: fixed(LOOSENS, B, CONSUMER, "what was refused as a whole is published in part, or whole"),
    Is.ON_BREACH_TIGHTENED: Row(TIGHTENS, B, C, PRODUCER, "deliveries that were published are refused"),
    Is.BUDGET_RAISED: Row(LOOSENS, B, B, CONSUMER, "more rows may be missing from what is published"),
    Is.BUDGET_LOWERED: Row(TIGHTENS, B, B, PRODUCER, "deliveries that were published are refused"),
}  # fmt: skip
