"""FC: which earlier command is meant, and how an edit line typed under it changes it.

    > timeoffset local
    ..           rgmt
    timeoffset gmt

Each edit works on the characters of the command right above it; blanks leave what is above them alone. The letters may
be in either case. A line may hold several edits, from left to right:

* ``d`` deletes the character above it, ``dd`` two. Another edit may follow at once.
* ``i<text>`` inserts before the character above the ``i``. The text runs to ``//`` or to the end of the edit line.
* ``r<text>`` replaces the rest of the command. The text runs to the end of the edit line: ``r`` is the last edit.
* Anything else overwrites one for one. The text runs to ``//``, to two blanks in a row or to the end; a single blank
  in it leaves the character above alone, and i, r, d within it are plain text.

Beyond the end of the command, inserting and overwriting fill the gap with blanks. ``//`` between two edits only ends
the first one; at the start or the end of the edit line it cancels everything, see :func:`cancels`.

Sources: manual FC, whose examples settle that ``r`` replaces the rest; manual GGSCI FC, where ``extract extjd``
overwrites although it holds an r and a d; ``//`` as a separator is that of FC on NonStop (SAFECOM). Where text ends
without ``//`` is not documented.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_EDITS = re.compile(
    r"//|(?P<delete>d+)|i(?P<insert>.*?)(?=//|\Z)|r(?P<replace>.*)|(?P<overwrite>(?:(?!//)[^ ])+(?: (?:(?!//)[^ ])+)*)",
    re.IGNORECASE | re.DOTALL,
)


def apply_edit(line: str, edit: str) -> str:
    """Apply ``edit`` to ``line``; both start in the same column. An edit of blanks changes nothing."""
    parts: list[str] = []
    at = 0  # the column of ``line`` that comes next
    for match in _EDITS.finditer(edit):
        if match[0] == "//":
            continue
        column = match.start()
        parts.append(line[at:column])
        if match["delete"]:
            at = match.end()
            continue
        parts.append(" " * (column - max(at, len(line))))
        at = column
        if match["insert"] is not None:
            parts.append(match["insert"])
        elif match["replace"] is not None:
            parts.append(match["replace"])
            at = len(line)
        else:
            parts.append(_overwrite(line[at:], match["overwrite"]))
            at = match.end()
    parts.append(line[at:])
    return "".join(parts)


def _overwrite(above: str, text: str) -> str:
    """The text, with each blank replaced by the character above it."""
    return "".join(old if new == " " else new for old, new in zip(above.ljust(len(text)), text, strict=False))


def cancels(edit: str) -> bool:
    """Return True if an edit line cancels the edit: it starts or ends with ``//``."""
    words = edit.strip()
    return words.startswith("//") or words.endswith("//")


def find_command(history: Sequence[str], argument: str, first: int = 1) -> str | None:
    """The command that FC's argument means; None when there is none.

    ``history`` holds the commands before this FC; ``first`` is the number of the oldest. No argument is the last
    command, ``n`` number n, ``-n`` the one n lines before this FC, and anything else the last one that starts with that
    text, in any case. Source: manual FC.
    """
    wanted = argument.strip().lower()
    if re.fullmatch(r"-?[0-9]{1,18}", wanted):
        position = int(wanted)
        index = len(history) + position if wanted.startswith("-") else position - first
        return history[index] if 0 <= index < len(history) else None
    return next((line for line in reversed(history) if line.lstrip().lower().startswith(wanted)), None)
