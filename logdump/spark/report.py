"""What is passed over without ending a read is told to the log: Spark's worker logs keep it."""

from __future__ import annotations

import logging

_LOG = logging.getLogger("logdump.spark")


def report(text: str) -> None:
    """One line about damage, a file left out, or a part of a record that is null because it cannot be decoded."""
    _LOG.warning("%s", text)
