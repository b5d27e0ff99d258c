"""Packed files: a compressed file or a file in an archive is read from an unpacked copy.

    lt000000001.gz               gzip; also bzip2, xz and zstd (which needs zstandard)
    trails.tar.gz/lt000000001    a file in a tar archive, compressed or not, or in a zip archive

The format is detected from the first bytes of a file, not from its name. A copy is kept for the next opening of the
same file; a file that has changed since is unpacked again. A compressed archive is unpacked once for all files in it.
"""

from __future__ import annotations

from trailformat.trail.packed.opening import (
    SUFFIXES,
    WHOLE,
    OpenedFile,
    entries_of,
    is_archive,
    is_file,
    is_special,
    known_size,
    members_of,
    open_unpacked,
    status_of,
    unpacked_head,
    unpacked_size,
)

__all__ = [
    "SUFFIXES",
    "WHOLE",
    "OpenedFile",
    "entries_of",
    "is_archive",
    "is_file",
    "is_special",
    "known_size",
    "members_of",
    "open_unpacked",
    "status_of",
    "unpacked_head",
    "unpacked_size",
]
