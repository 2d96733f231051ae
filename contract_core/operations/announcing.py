"""Tells people, on the channels that the environment knows; what went wrong is told in words, and never with an address."""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from urllib.parse import quote

from contract_core.environment import Environment

_FROM_VARIABLE = "env:"
_PLACE = "{contact}"
_EMAIL = re.compile(r"[A-Za-z0-9_.%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
"""What can be put into the address of a channel: no second recipient, no parameter."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A way to people: its name may be told, its address is a secret."""

    name: str
    address: str = field(repr=False)


def announce(title: str, text: str, channel: str, environment: Environment, variables: Mapping[str, str]) -> str | None:
    """None once it is told on a channel, else why not."""
    found = _channel(channel, environment, variables)
    return found if isinstance(found, str) else send(title, text, found)


def channel_of(contact: str, environment: Environment, variables: Mapping[str, str]) -> Channel | str:
    """The channel on which a contact is told, or why there is none and what to add.

    It is the one of just that name; for an e-mail address `email`, whose address has a place for it; else `default`.
    """
    named = dict(environment.channels)
    if contact in named:
        return _channel(contact, environment, variables)
    if _EMAIL.fullmatch(contact) and "email" in named:
        found = _channel("email", environment, variables)
        if isinstance(found, str):
            return found
        if _PLACE in found.address:
            return Channel("email", found.address.replace(_PLACE, quote(contact, safe="")))
    if "default" in named:
        return _channel("default", environment, variables)
    more = f", 'email' (with {_PLACE} in its address)" if _EMAIL.fullmatch(contact) else ""
    unchosen = "" if environment.name else "no environment of environments.yaml is chosen (CONTRACT_GATE_ENV); "
    return f"{unchosen}no channel is named '{contact}'{more} or 'default': add one to channels: in environments.yaml"


def send(title: str, text: str, channel: Channel) -> str | None:
    """None once the channel took it, else why not."""
    if find_spec("apprise") is None:
        return "telling it needs apprise: install contract-gate[notify]"
    apprise = import_module("apprise")  # heavy, and there only where it was asked for
    told = apprise.Apprise()
    with _silence():
        try:
            if not told.add(channel.address):
                return f"the address of channel '{channel.name}' is none that apprise knows"
            is_told = told.notify(title=title, body=text, body_format=apprise.NotifyFormat.MARKDOWN)
        except Exception:  # noqa: BLE001 - services of apprise raise what they like, and a text of theirs may hold the address
            is_told = False
    return None if is_told else f"channel '{channel.name}' did not take it"


def _channel(name: str, environment: Environment, variables: Mapping[str, str]) -> Channel | str:
    address = dict(environment.channels).get(name)
    if address is None:
        return f"the environment names no channel '{name}': add it to channels: in environments.yaml"
    if not address.startswith(_FROM_VARIABLE):
        return Channel(name, address)
    variable = address.removeprefix(_FROM_VARIABLE)
    address = variables.get(variable, "")
    return Channel(name, address) if address else f"channel '{name}' has its address in {variable}, which is not set"


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
