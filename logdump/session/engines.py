"""Engines that do the work of commands elsewhere: ``Settings.engine`` is the chosen one, None for this process."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple

from logdump.session.events import Event

Job = Callable[..., Generator[Event, None, Any]]
"""A generator of events; it returns the result of the job, None if this process has to do the work."""


class Engine(NamedTuple):
    """An engine as it registers itself.

    Attributes:
        title: name and place, as ENGINE prints them.
        jobs: jobs by the name of the command, which calls one with the session and its own arguments.
    """

    title: str
    jobs: Mapping[str, Job]


class Unsupported(Exception):
    """The message names something that an engine does not support."""
