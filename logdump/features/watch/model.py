"""The result of WATCH: the metrics of one look at the trails."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from logdump.features.watch.exposition import Metric


class MetricsShown(NamedTuple):
    """WATCH ONCE: the metrics of some trails."""

    metrics: Annotated[tuple[Metric, ...], "By name"]
