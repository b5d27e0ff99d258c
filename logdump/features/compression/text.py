"""COMPRESS as text: a line for each level, table and option."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers, as_read
from logdump.features.compression.model import Compression, CompressionShown, ImageSaving, ImagesShown, SurveyedRecords
from logdump.notation.text import amount, escape
from logdump.session.settings import Settings

_MEGABYTE = 1_000_000


def compression_lines(shown: CompressionShown, _settings: Settings) -> Iterator[str]:
    """Yield the assumptions, and the summary of the records."""
    yield f"Assumed: {shown.assumed}."
    over = f"blocks over {shown.threshold} bytes" if shown.threshold else "all blocks"
    yield f"{_surveyed(shown.surveyed)}: {over} are compressed; the trail at the other end keeps its size."
    yield from _limits(shown.surveyed, shown.others)
    yield "Oracle's ratio: typically at least 4:1, up to 10:1 in a test"


def result_lines(shown: Compression, _settings: Settings) -> Iterator[str]:
    """Yield the ratio of one level."""
    what = f"level {shown.level}" if shown.table is None else f"{escape(shown.table)} alone, level {shown.level}"
    compressed = f"{shown.blocks_compressed} of {amount(shown.blocks, 'block')} compressed"
    yield (
        f"  {what}: {shown.ratio:.1f}:1, {shown.bytes} bytes become {shown.compressed}, {shown.saved_share:.0%} less; "
        f"{compressed}{_tried(shown)}{_speed(shown)}"
    )
    if shown.is_incompressible:
        yield f"  The data do not compress ({shown.ratio:.2f}:1): encrypted?"


def _tried(shown: Compression) -> str:
    return f", from a sample of {shown.tried}" if shown.tried < shown.blocks_compressed else ""


def _speed(shown: Compression) -> str:
    if not shown.seconds:
        return ""
    return f", {shown.tried_bytes / shown.seconds / _MEGABYTE:.0f} MB/s here"


def images_lines(shown: ImagesShown, _settings: Settings) -> Iterator[str]:
    """Yield the assumptions, and the bytes by parts."""
    yield f"Assumed: {shown.assumed}."
    yield f"{_surveyed(shown.surveyed)}: {amount(shown.surveyed.bytes, 'byte')}"
    yield from _limits(shown.surveyed, shown.others)
    for name, size in shown.parts.items():
        yield f"  {name:<14} {size:>12} {_share(size, shown.surveyed.bytes):>5}"
    yield "  NOCOMPRESSUPDATES: not known, the columns that it adds are not in the trail"


def saving_lines(shown: ImageSaving, _settings: Settings) -> Iterator[str]:
    """Yield the saving of one option."""
    table = f"{escape(shown.table)}, " if shown.table is not None else ""
    if not shown.records:
        yield f"  {table}{shown.what}: no such record"
        return
    of = f"{amount(shown.saved, 'byte')} of {shown.bytes} less ({_share(shown.saved, shown.bytes)})"
    yield f"  {table}{shown.what}: {of}; {shown.judged} of {amount(shown.records, 'record')} could be judged"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "0%"


def _surveyed(surveyed: SurveyedRecords) -> str:
    which = " that pass the filter" if surveyed.is_filtered else ""
    title = f"{escape(surveyed.title)}{as_read(is_partial=surveyed.is_partial)}"
    return f"{title}, {amount(surveyed.records, 'record')}{which}"


def _limits(surveyed: SurveyedRecords, others: int) -> Iterator[str]:
    if surveyed.damaged:
        yield f"Damage at {amount(surveyed.damaged, 'place')}, see CHECK: its contents are left out."
    if others:
        yield f"{amount(others, 'further table')} or more are added up as one."


LINES: Renderers = {
    CompressionShown: compression_lines,
    Compression: result_lines,
    ImagesShown: images_lines,
    ImageSaving: saving_lines,
}
