"""A frame judged by itself, where nothing is taken for good, recorded or published: the caller stores it, or does not."""

from datetime import datetime
from pathlib import Path

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.handed_over import written_frame
from contract_core.contract.delivery_terms import Format
from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.errors import NotYetSupportedError, Problem
from contract_core.publication.submit import Judged, take_and_judge


def refuse_beyond_frames(contract: Contract, *, is_partition_known: bool = True) -> None:
    """Raise NotYetSupportedError for what a frame alone cannot be held to, so that nothing is enforced by half."""
    delivery, monitors = contract.delivery, contract.monitors
    asked = {
        "history": bool(contract.history),
        "monitors": monitors != type(monitors)(),
        "delivery.parts": delivery.parts is not None,
        "delivery.manifest": delivery.manifest == "required",
        "delivery.partition": delivery.partition is not None and not is_partition_known,
        "delivery.partition.split": delivery.partition is not None and delivery.partition.split,
        "enforcement.on_breach: quarantine": contract.enforcement.on_breach == "quarantine",
    }
    hint = "give the asset to build_contract_assets as its candidate, which can"
    problems = [
        Problem(f"contract '{contract.name}' {contract.version}", f"{name} cannot be enforced on a frame alone", hint)
        for name, is_asked in asked.items()
        if is_asked
    ]
    if problems:
        raise NotYetSupportedError(*problems)


def judge_frame(contract: Contract, value: object, partition: str | None, as_of: datetime, folder: Path) -> Judged:
    """What the gate would say of these rows. They are written to `folder` once, and the candidate is gone with that folder."""
    typed = as_frames(contract)
    path = written_frame(typed, value, folder)
    delivery = collect_delivery(typed, [path], partition)
    return take_and_judge(typed, delivery, Environment.at(folder / "judged"), as_of, as_of)


def frame_file(contract: Contract, folder: Path) -> Path:
    """Where `judge_frame` has written the rows that it judged."""
    return folder / f"{contract.name}.parquet"


def as_frames(contract: Contract) -> Contract:
    """The same promises about rows that come as a typed frame, however the contract has its files written."""
    delivery = contract.delivery.model_copy(update={"format": Format(type="parquet"), "path": None})
    return contract.model_copy(update={"delivery": delivery})
