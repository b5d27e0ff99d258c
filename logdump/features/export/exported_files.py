"""The files of one export: the open file, and with ACROSS the files after it until the limit is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.features.export.options import ExportOptions
from logdump.features.export.tally import ExportTally
from logdump.session.across import over_files
from logdump.session.session import Session
from trailformat import TrailFile


def exported_files(
    session: Session, options: ExportOptions, tally: ExportTally, close: Callable[[TrailFile], None] = TrailFile.close
) -> Iterator[TrailFile]:
    """The files, each of which the session reads while it is handled. Arguments and errors as ``over_files``."""
    for trail in over_files(session, close):
        yield trail
        if options.stop is not None or tally.selected == options.records:
            return
