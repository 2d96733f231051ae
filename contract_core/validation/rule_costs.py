"""What each rule costs when it is asked by itself: to find the dear one. A judgement asks all of them in one pass, for less."""

from dataclasses import replace
from time import perf_counter, process_time

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.validation.obligations import Obligation
from contract_core.validation.past import NOTHING_KNOWN, Past
from contract_core.validation.plan import Inquiry, inquiry_of
from contract_core.validation.query import ask
from contract_core.validation.report import RuleCost


def rule_costs(contract: Contract, candidate: Candidate, past: Past = NOTHING_KNOWN) -> tuple[RuleCost, ...]:
    """Every obligation that the candidate's rows are asked for, in the contract's order; each takes a pass of its own.

    What a contract's quarantine makes of broken rows is left aside, and so is the count of the parts, which belongs to no rule.
    """
    inquiry = _counting_alone(inquiry_of(contract, candidate, past))
    without = _cost(inquiry, [], past)
    found = ((item.id, _cost(inquiry, [item], past)) for item in inquiry.asked)
    return tuple(
        RuleCost(name, *(max(0.0, one - nothing) for one, nothing in zip(spent, without, strict=True)))
        for name, spent in found
    )


def _counting_alone(inquiry: Inquiry) -> Inquiry:
    terms = inquiry.subject.contract.enforcement.model_copy(update={"on_breach": "fail"})
    contract = inquiry.subject.contract.model_copy(update={"enforcement": terms})
    return replace(inquiry, subject=replace(inquiry.subject, contract=contract))


def _cost(inquiry: Inquiry, obligations: list[Obligation], past: Past) -> tuple[float, float]:
    begun, cpu_begun = perf_counter(), process_time()
    ask(inquiry.rows, obligations, inquiry.subject, past)
    return perf_counter() - begun, process_time() - cpu_begun
