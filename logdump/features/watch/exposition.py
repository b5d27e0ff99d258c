"""Metrics as text: Prometheus' classic form, and OpenMetrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from logdump.notation.text import escape

CLASSIC = "text/plain; version=0.0.4; charset=utf-8"
OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_TOTAL = "_total"


class Sample(NamedTuple):
    """A value of a metric, and its labels."""

    labels: dict[str, str]
    value: float


class Metric(NamedTuple):
    """A metric: its name, whose end is that of a counter if it is one, its help, its samples."""

    name: str
    help: str
    samples: list[Sample]

    @property
    def is_counter(self) -> bool:
        """True if it only grows."""
        return self.name.endswith(_TOTAL)


def exposed(metrics: Iterable[Metric], *, is_open_metrics: bool = False) -> str:
    """Return metrics as the text of a page; those without samples are left out."""
    lines = (line for metric in metrics if metric.samples for line in _lines(metric, is_open_metrics=is_open_metrics))
    return "".join(f"{line}\n" for line in (*lines, *["# EOF"] * is_open_metrics))


def _lines(metric: Metric, *, is_open_metrics: bool) -> Iterator[str]:
    name = metric.name.removesuffix(_TOTAL) if is_open_metrics else metric.name
    yield f"# HELP {name} {_escaped(metric.help, quotes=is_open_metrics)}"
    yield f"# TYPE {name} {'counter' if metric.is_counter else 'gauge'}"
    for labels, value in metric.samples:
        pairs = ",".join(f'{label}="{_escaped(label_value(text), quotes=True)}"' for label, text in labels.items())
        yield f"{metric.name}{{{pairs}}} {_number(value)}" if pairs else f"{metric.name} {_number(value)}"


def label_value(text: str) -> str:
    """Return a text as the value of a label: without control characters, and another one for each text."""
    return escape(text.replace("\\", "\\\\"))


def _escaped(text: str, *, quotes: bool) -> str:
    """Return a printable text in the escapes of the form."""
    text = text.replace("\\", "\\\\")
    return text.replace('"', '\\"') if quotes else text


def _number(value: float) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def wants_open_metrics(accept: str) -> bool:
    """Return True if an Accept header prefers OpenMetrics to plain text."""
    qualities = {"application/openmetrics-text": 0.0, "text/plain": 0.0}
    for part in accept.split(","):
        kind, *parameters = (word.strip() for word in part.split(";"))
        if kind.lower() in qualities:
            quality = next((word[2:] for word in parameters if word.startswith("q=")), "1")
            try:
                qualities[kind.lower()] = max(qualities[kind.lower()], float(quality))
            except ValueError:
                continue
    return 0 < qualities["application/openmetrics-text"] >= qualities["text/plain"]
