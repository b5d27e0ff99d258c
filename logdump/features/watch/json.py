"""The object of WATCH ONCE."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import Shape, member
from logdump.features.watch.model import MetricsShown

SAMPLE = Shape(
    "sample",
    "A value of a metric.",
    (member("labels", "object of string", "Its labels", "labels"), member("value", "number", "The value", "value")),
)
METRIC = Shape(
    "metric",
    "A metric of WATCH.",
    (
        member("name", "string", "Its name, as Prometheus has it", "name"),
        member("help", "string", "What it is", "help"),
        member("samples", "list of sample", "Its values", SAMPLE.each("samples")),
    ),
)
METRICS = Shape("metrics", "WATCH ONCE: the metrics of some trails.", fields(MetricsShown, Metric=METRIC), MetricsShown)
