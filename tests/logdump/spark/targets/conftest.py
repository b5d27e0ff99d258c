"""The targets, and ``apply`` without a JVM."""

from __future__ import annotations

from tests.logdump.spark.targets.direct import apply
from tests.logdump.spark.targets.places import place

__all__ = ["apply", "place"]
