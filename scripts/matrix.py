"""``python -m scripts.matrix [PAIR…]``: the quick tests on pairs of a Python and releases of the packages it uses.

A pair is ``3.11-oldest`` or ``3.13-newest``. Each has an environment of its own in ``build/matrix``, where its result
is kept: a pair that has passed for this commit is not run again. Pythons that are not here are named and left out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = ROOT / "build" / "matrix"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST: dict[str, str | dict[str, str]] = {
    "construct": "2.10.70",
    "numpy": {"3.11": "2.0.*", "3.12": "2.0.*", "3.13": "2.1.*", "3.14": "2.3.*"},
    "textual": "8.2.5",
    "pyarrow": {"3.11": "18.*", "3.12": "18.*", "3.13": "18.*", "3.14": "22.*"},
    "duckdb": "1.5.*",
    "pyspark": "4.0.*",
}
"""The oldest release of each package that is supported, by Python where a newer one has no wheels of it."""
PAIRS = tuple(f"{python}-{packages}" for python in PYTHONS for packages in ("oldest", "newest"))


def main(*pairs: str) -> int:
    """Run the pairs that are named, or all; return 1 if one fails, 2 for a pair that there is not."""
    if unknown := [pair for pair in pairs if pair not in PAIRS]:
        sys.stderr.write(f"There is no pair {unknown[0]}, but {', '.join(PAIRS)}\n")
        return 2
    HOME.mkdir(parents=True, exist_ok=True)
    results = {pair: _result(pair) for pair in pairs or PAIRS}
    for pair, result in results.items():
        sys.stdout.write(f"{pair:12} {result}\n")
    return int(any(result.startswith("failed") for result in results.values()))


def _result(pair: str) -> str:
    """Return what came of a pair for this commit, in a few words; run it unless it has passed."""
    python, _, packages = pair.partition("-")
    kept = HOME / f"{pair}.json"
    commit = _commit()
    before = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    if commit and before.get("commit") == commit and before["result"].startswith("passed"):
        return f"{before['result']}, before"
    program = interpreter(python)
    if program is None:
        return "not run: this Python is not here"
    begin = time.monotonic()
    status = _run(pair, program, constraints(python) if packages == "oldest" else {})
    result = f"{'failed' if status else 'passed'} in {time.monotonic() - begin:.0f} s, see {HOME / pair}.log"
    kept.write_text(json.dumps({"commit": commit, "result": result}), "utf-8")
    return result


def constraints(python: str) -> dict[str, str]:
    """Return the oldest release of each package for a Python, such as 3.11."""
    return {name: release if isinstance(release, str) else release[python] for name, release in OLDEST.items()}


def interpreter(python: str) -> str | None:
    """Return the path of the program of a Python such as 3.11, of the search path or pyenv; None if it is not here."""
    named = shutil.which(f"python{python}")
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for program in (named, *sorted(map(str, versions.glob(f"{python}.*/bin/python")), reverse=True)):
        # pyenv leaves programs of the same name for versions that are not chosen
        if program and _answer(program, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])") == python:
            return program
    return None


def _run(pair: str, program: str, oldest: Mapping[str, str]) -> int:
    """Run ``make test-quick`` in the environment of a pair; return the exit status."""
    pinned = HOME / f"{pair}.txt"
    pinned.write_text("".join(f"{name}=={release}\n" for name, release in oldest.items()), "utf-8")
    command = ["make", "test-quick", f"VENV={HOME / pair}", f"PYTHON={program}"]
    environment = {**os.environ, "PIP_CONSTRAINT": str(pinned)}
    with (HOME / f"{pair}.log").open("wb") as log:
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=log, stderr=log, check=False)  # noqa: S603
    return done.returncode


def _commit() -> str:
    """Return the commit of the checkout; empty for one with changes, or without git."""
    if _answer("git", "status", "--porcelain"):
        return ""
    return _answer("git", "rev-parse", "HEAD")


def _answer(*command: str) -> str:
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
