"""Files and folders that appear complete or not at all.

    .lt000000.5f0c9d3b7a12-8e41c07d99ab.part      beside the target: its name, the machine, the writer

* A file gets the target's name when it is complete.
* Files of users are fsynced: the bytes before the file gets its name, and its folder before the writer is done.
  A cache, which can be made again at any time, is not (``is_durable=False``).
* A file replaces only a regular file that is not a link, and a folder only a folder.
* A failure before all files have their names leaves none of them; a failure after that changes nothing. Files that
  cannot be removed are in ``outcomes.OUTCOMES.left``, to be reported.
* The writer locks its files while it runs, and the system releases the locks with the process. Unlocked files of this
  user's writers on this machine are therefore abandoned: the next writer in the folder removes them. Without locks, and
  on other machines, they are kept.
"""

from __future__ import annotations

from trailformat.trail.whole_file.leftovers import sweep
from trailformat.trail.whole_file.staged import (
    StagedFiles,
    WholeFile,
    WholeFolder,
    cannot_write,
    check_target,
    is_copy,
    kind_of,
    mark_as_copy,
    sync_names,
)

__all__ = [
    "StagedFiles",
    "WholeFile",
    "WholeFolder",
    "cannot_write",
    "check_target",
    "is_copy",
    "kind_of",
    "mark_as_copy",
    "sweep",
    "sync_names",
]
