"""A slice that is being read."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from logdump.arrow.records.errors import ValueTooLarge
from logdump.arrow.records.rows import Source
from logdump.spark.errors import BadTrail, located
from logdump.spark.report import report
from logdump.spark.source.options import Options
from logdump.spark.source.slice import Slice
from logdump.spark.source.source_definitions import definitions_of
from trailformat import TrailError, TrailFile
from trailformat.trail.row_definitions import RowDefinitions

if TYPE_CHECKING:
    from logdump.arrow.tables.row_lobs import RowLobs


class OpenSlice(Source):
    """A slice that is being read: its open file, and what the options make of parts that do not decode."""

    def __init__(self, trail: TrailFile, part: Slice, options: Options, wanted: frozenset[str] = frozenset()) -> None:
        super().__init__(trail)
        self.part = part
        self.options = options
        self.seqno, self.file_order, self.not_applied = part.seqno, part.file_order, part.not_applied
        self.explains_nulls = "problems" in wanted
        self.ends_at_undecodable = options.undecodable_ends
        before = part.before
        if before is not None and before.definitions is not None:
            trail.tables.resume(before.definitions)
        if before is not None and before.transaction is not None:
            self.carrier.resume(before.transaction)

    @property
    def path(self) -> str:
        """Path of the file, as it was planned."""
        return self.part.path

    @cached_property
    def definitions(self) -> RowDefinitions:
        """The definitions of rows: those of the trail, and of the file of ``sourceDefs`` where the trail has none.

        Raises:
            BadOption: that file cannot be read, or is no definitions file.
        """
        return definitions_of(self.trail, self.options)

    @cached_property
    def lobs(self) -> RowLobs:
        """The LOBs of its rows."""
        from logdump.arrow.tables.row_lobs import RowLobs  # noqa: PLC0415 - few reads need tables

        return RowLobs(self.trail)

    def undecodable(self, error: TrailError, *, is_cut: bool = False) -> None:
        """A part of a sound record cannot be decoded: a null; column ``problems`` says why, or the log does.

        Args:
            error: why, and where.
            is_cut: the record goes on in fragments: it is sound, and all of it is in ``raw``.

        Raises:
            BadTrail: option ``undecodable`` is ``fail``; of a cut record where column ``problems`` is not read.
        """
        text = located(error, self.path)
        if self.ends_at_undecodable and not (is_cut and self.explains_nulls):
            raise BadTrail(f"{text}; with option undecodable null it is null, and column problems says why") from None
        if not self.explains_nulls:
            report(text)

    def too_large(self, text: str) -> None:
        """Note a record that does not fit into a value: the value is null, and a line goes to the log.

        Raises:
            ValueTooLarge: under FAILFAST.
        """
        if self.options.mode == "FAILFAST":
            raise ValueTooLarge(text)
        report(text)
