"""An archive of a folder that is the same, byte for byte, for the same files."""

from __future__ import annotations

import gzip
import os
import tarfile
from pathlib import Path


def write_archive(folder: Path, target: Path) -> int:
    """Write a folder, under its own name, to a compressed archive, whole or not at all; return the size of its files.

    The files belong to root, have the time of SOURCE_DATE_EPOCH, and may be read by all and written by their owner.
    """
    time = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    sizes: list[int] = []

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = time
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        sizes.append(entry.size)
        return entry

    new = target.with_name(f"{target.name}.new")
    with (
        new.open("wb") as file,
        gzip.GzipFile("", "wb", mtime=time, fileobj=file) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        archive.add(folder, folder.name, recursive=False, filter=plain)
        for path in sorted(folder.rglob("*")):
            archive.add(path, str(path.relative_to(folder.parent)), recursive=False, filter=plain)
    new.replace(target)
    return sum(sizes)
