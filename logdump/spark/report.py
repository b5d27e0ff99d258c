"""The log of what a read passes over without ending: Spark keeps it in the logs of its workers."""

from __future__ import annotations

import logging

_LOG = logging.getLogger("logdump.spark")


def report(text: str) -> None:
    """One line about damage, a file left out, or a part of a record that is null because it cannot be decoded."""
    _LOG.warning("%s", text)
