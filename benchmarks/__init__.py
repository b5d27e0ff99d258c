"""How fast the bulk work is, beside its peers in the same run; never part of the tests' pass or fail."""

from __future__ import annotations
