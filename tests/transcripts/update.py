"""Write every .out again, or those whose names are given."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.transcripts.play import SCRIPTS, play


def update(script: Path) -> bool:
    """Write the answer to one script; returns whether it changed."""
    with tempfile.TemporaryDirectory() as folder:
        answer = play(script, Path(folder))
    golden = script.with_suffix(".out")
    changed = not golden.exists() or golden.read_text(encoding="utf-8") != answer
    if changed:
        golden.write_text(answer, encoding="utf-8")
    return changed


def main() -> None:
    """Update, and tell what changed."""
    for script in SCRIPTS:
        if (not sys.argv[1:] or script.stem in sys.argv[1:]) and update(script):
            sys.stdout.write(f"{script.stem}.out\n")


if __name__ == "__main__":
    main()
