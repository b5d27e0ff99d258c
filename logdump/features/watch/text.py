"""The page of WATCH ONCE."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers
from logdump.features.watch.exposition import exposed
from logdump.features.watch.model import MetricsShown
from logdump.session.settings import Settings


def _lines(shown: MetricsShown, _settings: Settings) -> Iterator[str]:
    yield from exposed(shown.metrics).splitlines()


LINES: Renderers = {MetricsShown: _lines}
