"""The results of REDACT: the copy in numbers, and what was replaced without being understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat.transactions.whole_trail import FileGap


class Unknown(NamedTuple):
    """What was replaced as bytes: the kind (``token``, ``data`` or ``damage``), and which."""

    kind: str
    what: str


class UnknownShown(NamedTuple):
    """Something that was not understood, and was replaced as bytes."""

    kind: Annotated[str, "`token`, `data` or `damage`"]
    what: Annotated[str, "Its id, its type, or the part of a record"]
    number: Annotated[int, "How often"]


class RedactShown(NamedTuple):
    """REDACT: the summary."""

    title: Annotated[str, "The source"]
    target: Annotated[Path, "The first file of the copy"]
    files: Annotated[int, "Files of the copy"]
    gaps: Annotated[tuple[FileGap, ...], "Files of the source that are missing"]
    records: Annotated[int, "Records, as many as in the source"]
    size: Annotated[int, "Bytes, as many as in the source"]
    are_csns_kept: Annotated[bool, "Whether CSNs stay as they are, as others would not have their order"]
    unknown: Annotated[tuple[UnknownShown, ...], "What was not understood, and was replaced as bytes"]
    places: Annotated[int, "Places of damage", "damage"]
    damaged_bytes: Annotated[int, "Bytes of damage: all but zeros and the beginnings of records are replaced"]

    @property
    def status(self) -> ExitStatus:
        """FINDINGS if there was damage: between records, or in them."""
        is_damaged = self.places or any(unknown.kind == "damage" for unknown in self.unknown)
        return ExitStatus.FINDINGS if is_damaged else ExitStatus.OK
