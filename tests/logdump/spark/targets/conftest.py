"""The targets."""

from __future__ import annotations

from tests.logdump.spark.targets.places import place

__all__ = ["place"]
