"""``python -m tests.fuzz``: a campaign, or one input tried again."""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from pathlib import Path

from tests.fuzz.campaign import run
from tests.fuzz.fuzzer import try_again

HOME = Path(__file__).parents[2] / "build" / "fuzz"


def main() -> int:
    """Run what the arguments say; the exit status is 1 where an input failed."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="drawn anew unless given")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--home", type=Path, default=HOME, help="the folder of the corpus, the failures and the log")
    parser.add_argument("--input", type=Path, default=None, help="a file that is tried again")
    chosen = parser.parse_args()
    if chosen.input is not None:
        with tempfile.TemporaryDirectory() as work:
            try_again(chosen.input, Path(work))
        return 0
    seed = chosen.seed if chosen.seed is not None else secrets.randbits(32)
    return 1 if run(chosen.seconds, seed, chosen.workers, chosen.home).failures else 0


if __name__ == "__main__":
    sys.exit(main())
