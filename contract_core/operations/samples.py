"""A sample in a producer's own test, delivered files or a frame: judged by a contract, or held against known numbers.

Everything is done in a folder that the caller throws away; nothing that is published is read, and nothing is recorded.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.columns import column
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key
from contract_core.contract.promises import Enforcement, Monitors, Publication, RowCount
from contract_core.environment import Environment
from contract_core.errors import Problem, WrongUsageError
from contract_core.publication.submit import Judged, judge
from contract_core.validation.obligations import obligations_of

Sample = Sequence[Path] | pl.DataFrame | pl.LazyFrame
_NUMBERS = frozenset({Family.INTEGER, Family.NUMBER})
_UNORDERED = frozenset({Family.OBJECT, Family.ARRAY, Family.BINARY})
_CLOSE = 1e-9
_ROWS = "rows"
_AGGREGATES = ("sum", "min", "max", "nulls", "distinct")


@dataclass(frozen=True, slots=True)
class Moment:
    """When a sample was taken, and the moment as of which it is judged."""

    now: datetime
    as_of: datetime


def is_frame(sample: object) -> bool:
    """True for a frame of Polars; anything else has to be paths."""
    return isinstance(sample, pl.DataFrame | pl.LazyFrame)


def judge_delivery(contract: Contract, sample: Sample, partition: str | None, moment: Moment, folder: Path) -> Judged:
    """A whole delivery, judged as the gate does; a frame is judged in the types that it has.

    Raises WrongUsageError for a frame under a contract that asks for what no frame can hold, where required parts stand in
    another contract's table, and as a delivery does.
    """
    terms = contract.delivery
    if terms.parts is not None and terms.parts.required_from is not None:
        what = f"takes its required parts from the published table '{terms.parts.required_from.contract}', which no test has"
        hint = "judge the rows by themselves as a sample"
        raise WrongUsageError(Problem(f"contract '{contract.name}' {contract.version}", what, hint))
    is_declared = terms.manifest == "required" or (terms.parts is not None and terms.parts.source != "column")
    if is_frame(sample) and is_declared:
        what = "asks for parts or a manifest, which stand beside the rows, and a frame holds rows alone"
        hint = "give the delivered files, or judge the rows by themselves as a sample"
        raise WrongUsageError(Problem(f"contract '{contract.name}' {contract.version}", what, hint))
    return _judged(contract, sample, check_key(contract, partition), moment, folder)


def judge_rows(contract: Contract, sample: Sample, moment: Moment, folder: Path) -> Judged:
    """What a few rows can show: every field, its type, nulls and values, the rules and the key. Each breach of weight refuses."""
    return _judged(_of_rows(contract), sample, None, moment, folder)


def left_to_the_gate(contract: Contract) -> tuple[str, ...]:
    """The obligations that `judge_rows` does not judge, by their ids."""
    judged = obligations_of(_of_rows(contract))
    return tuple(item.id for item in obligations_of(contract) if item not in judged)


def _of_rows(contract: Contract) -> Contract:
    delivery = contract.delivery.model_copy(update={"partition": None, "parts": None, "manifest": "none", "due": None})
    milder = {
        "delivery": delivery,
        "rows": RowCount(),
        "history": (),
        "freshness": None,
        "publication": Publication(),
        "monitors": Monitors(),
    }
    return contract.model_copy(update=milder | {"enforcement": Enforcement()})


def _judged(contract: Contract, sample: Sample, partition: str | None, moment: Moment, folder: Path) -> Judged:
    environment = Environment.at(folder / "gate")
    if isinstance(sample, pl.DataFrame | pl.LazyFrame):
        paths: Sequence[Path] = [_written(sample, folder)]
        contract = _of_a_frame(contract)
    else:
        paths = sample
    delivery = collect_delivery(contract, paths, partition)
    candidate = take_candidate(contract, delivery, environment.candidates, received_at=moment.now)
    return judge(contract, candidate, environment, moment.as_of)


def _written(frame: pl.DataFrame | pl.LazyFrame, folder: Path) -> Path:
    path, rows = folder.absolute() / "frame.parquet", frame.lazy().collect()
    try:
        rows.write_parquet(path)
    except pl.exceptions.PolarsError as error:
        kind = type(error).__name__
    else:
        return path
    raise WrongUsageError(Problem("frame", f"has a column that no file can hold ({kind})", "give it a type of data"))


def _of_a_frame(contract: Contract) -> Contract:
    """The contract for rows that have types already: no text is decoded, so what the contract says of text is not asked."""
    format_ = contract.delivery.format.model_copy(update={"type": "parquet"})
    return contract.model_copy(update={"delivery": contract.delivery.model_copy(update={"format": format_})})


def differences(contract: Contract, candidate: Candidate, expected: Mapping[str, Any]) -> tuple[str, ...]:
    """Where a candidate of known input does not have the numbers that were expected of it: counts are told, values never.

    `expected` holds `rows`, and by field `sum`, `min`, `max`, `nulls` and `distinct` (nulls not counted). Raises WrongUsageError
    for anything else.
    """
    if not isinstance(expected, Mapping):
        raise WrongUsageError(Problem("expected", "is no mapping", "write {'rows': 3, 'sum': {'amount': 3}}"))
    asked = dict(enumerate(_asked(contract, expected)))
    source = candidate.scanned()
    found = source.select(**{str(place): _aggregate(contract, *key) for place, (key, _) in asked.items()})
    row = found.collect(engine="streaming").row(0, named=True)
    told = (_told(*key, expected=value, found=row[str(place)]) for place, (key, value) in asked.items())
    return tuple(difference for difference in told if difference)


def _asked(contract: Contract, expected: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Any]]:
    for kind, stated in expected.items():
        if kind == _ROWS:
            yield (_ROWS, ""), stated
            continue
        if kind not in _AGGREGATES or not isinstance(stated, Mapping):
            hint = f"write rows=3, or one of {', '.join(_AGGREGATES)} by field: sum={{'amount': 3}}"
            raise WrongUsageError(Problem("expected", f"'{kind}' is nothing that can be expected", hint))
        for name, value in stated.items():
            _refuse_unfit(contract, kind, name)
            yield (kind, name), value


def _refuse_unfit(contract: Contract, kind: str, name: str) -> None:
    if name not in contract.field_names:
        hint = f"fields: {', '.join(contract.field_names)}"
        raise WrongUsageError(Problem("expected", f"{kind}: '{name}' is no field of '{contract.name}'", hint))
    family = contract.field(name).type.family
    if (kind == "sum" and family not in _NUMBERS) or (kind in ("min", "max") and family in _UNORDERED):
        raise WrongUsageError(Problem("expected", f"'{name}' is {family}, which has no {kind}"))


def _aggregate(contract: Contract, kind: str, name: str) -> pl.Expr:
    match kind:
        case "sum":
            values = (
                column(name).cast(pl.Int128) if contract.field(name).type.family is Family.INTEGER else column(name)
            )
            return values.sum()
        case "min":
            return column(name).min()
        case "max":
            return column(name).max()
        case "nulls":
            return column(name).null_count()
        case "distinct":
            return column(name).drop_nulls().n_unique()
    return pl.len()


def _told(kind: str, name: str, *, expected: object, found: object) -> str:
    if _same(expected, found):
        return ""
    about = f"{kind} of '{name}'" if name else kind
    is_count = kind not in ("sum", "min", "max")
    return f"{about}: {expected} expected{f', {found} found' if is_count else ', and it is another value'}"


def _same(expected: Any, found: Any) -> bool:  # noqa: ANN401 - whatever a field holds
    if isinstance(expected, float) or isinstance(found, float):
        numbers = (int, float, Decimal)
        is_number = isinstance(expected, numbers) and isinstance(found, numbers)
        return is_number and math.isclose(float(expected), float(found), rel_tol=_CLOSE)
    return bool(expected == found)
