"""What the header of a closed file says about its end, held against the file.

    FileSize 6985, LastCSN 1363522    set when the writer closes the file; not set (info ff) before
    6,985 bytes, last CSN 1363522     a whole file; with fewer bytes or an older CSN its end is missing

FileSize is the size in bytes (a header of release 11.1 and ENV of the same file: 6985). LastCSN is the CSN of the last
record; of a transaction that continues in the next file no evidence says whether it counts, so either value is right.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trailformat.changes.csn import csn_key
from trailformat.changes.transactions import TransactionRole, own_transaction, role_of
from trailformat.errors import TrailError

if TYPE_CHECKING:
    from trailformat.records.file_header import FileHeader
    from trailformat.trail.file import TrailFile
    from trailformat.transactions.whole_trail import WholeTrail

_MOST_RECORDS = 1024
"""Maximum number of records at the end of a file that are read for its last CSN; without one LastCSN is not checked."""


class HeaderMismatch(NamedTuple):
    """A value of the file header that the file contradicts.

    Attributes:
        path: the file.
        field: FileSize or LastCSN.
        declared, actual: the value in the header, and that of the file.
        is_short: True if the end of the file is missing; False if it has more than the header says.
    """

    path: Path
    field: str
    declared: str
    actual: str
    is_short: bool

    @property
    def text(self) -> str:
        """Both values and what they mean."""
        has, missing, more = _TEXTS[self.field]
        means = missing if self.is_short else more
        return f"{self.field} of the header is {self.declared}, {has} {self.actual}: {means}"


_TEXTS = {
    "FileSize": ("the size of the file", "its end is missing", "bytes were added after it was closed"),
    "LastCSN": ("the last CSN of the file", "its end is missing", "records were added after it was closed"),
}


def mismatches_of(trail: TrailFile) -> tuple[HeaderMismatch, ...]:
    """Return the values of the header that the file contradicts; empty without a header or if it is not closed.

    Raises:
        CannotRead: the file can no longer be read.
    """
    header = trail.file_header
    if header is None:
        return ()
    sizes, csns = _size_mismatch(trail, header), _csn_mismatch(trail, header)
    return tuple(mismatch for mismatch in (sizes, csns) if mismatch is not None)


def mismatches_in(whole: WholeTrail) -> tuple[HeaderMismatch, ...]:
    """Return those of all files of a trail.

    Raises:
        CannotRead: a file can no longer be read.
    """
    mismatches: list[HeaderMismatch] = []
    for ordinal in range(len(whole)):
        if (trail := whole.open(ordinal)) is not None:
            with trail:
                mismatches += mismatches_of(trail)
    return tuple(mismatches)


def is_left_open(header: FileHeader) -> bool:
    """Return True if a header has the values that a writer sets when it closes the file, and they are not set."""
    tokens = [token for group in header.groups if group.name == "TrailInfo" for token in group.tokens]
    ends = [token for token in tokens if token.name in _TEXTS]
    return bool(ends) and all(token.token.is_unset for token in ends)


def _size_mismatch(trail: TrailFile, header: FileHeader) -> HeaderMismatch | None:
    declared, actual = header.get("TrailInfo", "FileSize"), trail.size
    if not isinstance(declared, int) or declared <= 0 or declared == actual:
        return None
    return HeaderMismatch(trail.path, "FileSize", str(declared), str(actual), actual < declared)


def _csn_mismatch(trail: TrailFile, header: FileHeader) -> HeaderMismatch | None:
    declared = header.last_csn
    key = csn_key(declared) if declared is not None else None
    if declared is None or key is None:
        return None
    newest, last_ended = _last_csns(trail)
    for actual, is_short in ((newest, True), (last_ended, False)):
        other = csn_key(actual) if actual is not None else None
        if actual is None or other is None or other.kind != key.kind:
            continue
        if (other.parts < key.parts) if is_short else (other.parts > key.parts):
            return HeaderMismatch(trail.path, "LastCSN", declared, actual, is_short)
    return None


def _last_csns(trail: TrailFile) -> tuple[str | None, str | None]:
    """Return the CSN of the last transaction that begins in a file, and that of the last one that is whole in it.

    Each is None if damage or more than ``_MOST_RECORDS`` records are before its first record.
    """
    newest, has_ended = None, False
    with suppress(TrailError):
        for record in islice(trail.records_backwards(), _MOST_RECORDS):
            role = role_of(record)
            has_ended |= TransactionRole.ENDS in role
            if TransactionRole.BEGINS in role:
                csn = own_transaction(record).csn
                newest = newest or csn
                if has_ended:
                    return newest, csn
    return newest, None
