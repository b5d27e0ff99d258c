"""The error of FILTER statements."""

from __future__ import annotations


class FilterError(ValueError):
    """A FILTER statement that cannot be carried out; the message says why and how to write it."""
