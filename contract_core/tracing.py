"""Spans of OpenTelemetry around the stages of a delivery, where its API is installed; without it nothing is done and nothing imported.

Attributes are the contract's words, digests and counts: no value from the data, and of an error its class alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from types import ModuleType, TracebackType
from typing import Any, Self

_PREFIX = "contract_gate"


@contextmanager
def span(stage: str, **known: str | float | None) -> Iterator[None]:
    """A span `contract_gate.<stage>` with what is known when it begins; `tell` adds what is found out in it."""
    trace = _api()
    if trace is None:
        yield
        return
    tracer = trace.get_tracer(_PREFIX)
    told = tracer.start_as_current_span(f"{_PREFIX}.{stage}", record_exception=False, set_status_on_exception=False)
    with told as current, _Failing(current):
        tell(**known)
        yield


def tell(**found: str | float | None) -> None:
    """Attributes of the span that is open now; what is None is left out."""
    trace = _api()
    if trace is not None:
        told = {f"{_PREFIX}.{name}": value for name, value in found.items() if value is not None}
        trace.get_current_span().set_attributes(told)


class _Failing:
    """Marks a span as failed by the class of what was raised: a text may quote a value."""

    def __init__(self, current: Any) -> None:  # noqa: ANN401 - a span of a library that need not be there
        self.current = current

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        trace = _api()
        if kind is not None and trace is not None:
            self.current.set_attribute("error.type", kind.__name__)
            self.current.set_status(trace.StatusCode.ERROR)


@cache
def _api() -> ModuleType | None:
    with suppress(ModuleNotFoundError):
        return import_module("opentelemetry.trace")
    return None
