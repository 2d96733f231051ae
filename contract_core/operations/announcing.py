"""Tells people of a release, on the channel that the contract names and the environment knows; what went wrong is told in words."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

from contract_core.environment import Environment

_FROM_VARIABLE = "env:"


def announce(title: str, text: str, channel: str, environment: Environment, variables: Mapping[str, str]) -> str | None:
    """None once it is told, else why not. The address of a channel is a secret, and stands in no answer."""
    address = dict(environment.channels).get(channel)
    if address is None:
        return f"the environment names no channel '{channel}': add it to channels: in environments.yaml"
    if address.startswith(_FROM_VARIABLE):
        variable = address.removeprefix(_FROM_VARIABLE)
        address = variables.get(variable, "")
        if not address:
            return f"channel '{channel}' has its address in {variable}, which is not set"
    if find_spec("apprise") is None:
        return "telling it needs apprise: install contract-gate[notify]"
    return _told(title, text, channel, address)


def _told(title: str, text: str, channel: str, address: str) -> str | None:
    apprise = import_module("apprise")  # heavy, and there only where it was asked for
    told = apprise.Apprise()
    with _silence():
        if not told.add(address):
            return f"the address of channel '{channel}' is none that apprise knows"
        is_told = told.notify(title=title, body=text, body_format=apprise.NotifyFormat.MARKDOWN)
    return None if is_told else f"channel '{channel}' did not take it"


@contextmanager
def _silence() -> Iterator[None]:
    """What apprise and its HTTP library log holds addresses."""
    loggers = [logging.getLogger(name) for name in ("apprise", "urllib3.connectionpool")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, was_disabled in zip(loggers, before, strict=True):
            logger.disabled = was_disabled
