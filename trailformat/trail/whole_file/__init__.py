"""Files and folders that appear whole or not at all.

    .lt000000.5f0c9d3b7a12-8e41c07d99ab.part      beside the target: its name, the machine, the writer

* What is written takes the target's name when it is complete.
* What a user keeps is fsynced: its bytes before it takes its name, and the folder of that name before the writer is
  done. A cache, which can be made again at any time, is not (``is_durable=False``).
* Only a regular file that is no link is ever replaced, and only a folder by a folder.
* A failure before all names are given leaves none of them; one after that changes nothing. What cannot be removed then
  is among OUTCOMES.left, to be told.
* The writer locks what it writes as long as it lives, and the system lets go of the lock with the process. What this
  user's writers on this machine have left unlocked is therefore abandoned: the next writer in that folder removes it.
  Where nothing can be locked, and on other machines, it stays.
"""

from __future__ import annotations

from trailformat.trail.whole_file.copies import is_copy, mark_as_copy
from trailformat.trail.whole_file.leftovers import sweep
from trailformat.trail.whole_file.outcomes import OUTCOMES
from trailformat.trail.whole_file.staged import (
    StagedFiles,
    WholeFile,
    WholeFolder,
    cannot_write,
    check_target,
    kind_of,
    sync_names,
)

__all__ = [
    "OUTCOMES",
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
