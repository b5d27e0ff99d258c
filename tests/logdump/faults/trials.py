"""Each command with each of its calls failed in turn; a process of its own, which forks one for each trial.

    python -m tests.logdump.faults.trials FOLDER SEED MOST MANY [TEXT]

FOLDER is there for it alone; MOST is how many trials each command gets, drawn from SEED, 0: all of them; MANY the same
for those of which many calls fail; TEXT is in the names of the commands that are tried. It prints one line of JSON for
each command.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import json
import os
import re
import shutil
import sys
import traceback
from pathlib import Path
from typing import Any, NamedTuple

from fixtures import TRAILS
from tests.logdump.faults.commands import COMMANDS, MANY, Tried
from tests.logdump.faults.layer import CUTS, Call, Layer, trials
from tests.searching import Random

EXAMPLE = Path(__file__).parents[3] / "tests" / "logdump" / "faults" / "example.prm"
Contents = dict[str, bytes]


class Done(NamedTuple):
    """What a run gave: its status (-1: a traceback, or a signal), what it said, the files there, its calls,
    and the modules that it loaded."""

    status: int
    out: str
    err: str
    files: Contents
    calls: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()


_FORMER = re.compile(r"^\.(.+)\.\w+-[0-9a-f]{12}\.former")


class Bench:
    """A folder in which one command runs again and again.

    Attributes:
        good: the run in which nothing failed.
    """

    good: Done

    def __init__(self, folder: Path, tried: Tried) -> None:
        self._work, self._said = folder / "work", folder / "said"
        self._tried = tried
        self.inputs = {name: (TRAILS / name if name != EXAMPLE.name else EXAMPLE).read_bytes() for name in tried.files}
        self._former: Contents = {}
        if tried.former:
            former = self.run(Layer(), tried.line.removesuffix("!").replace("replace", ""))
            self._former = {name: data[:-1] for name, data in former.files.items() if name not in self.inputs}

    def run_well(self) -> Done:
        """Run it with nothing that fails, and keep that to compare with.

        What is imported is no call of a command's: what the command loads is loaded here, and it runs again.
        """
        self.good = self.run(Layer())
        if self.good.loaded:
            for name in self.good.loaded:
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
            self.good = self.run(Layer())
        return self.good

    def run(
        self, layer: Layer | None = None, line: str = "", *, failing: Call | None = None, failure: str = ""
    ) -> Done:
        """Run it once in a fresh folder."""
        self.lay_out()
        trails = tuple(self._work / name for name in self._tried.files if name != EXAMPLE.name)
        layer = layer or Layer(failing, failure, trails)
        self._said.mkdir(exist_ok=True)
        known = set(sys.modules)
        child = os.fork()
        if not child:
            self._child(layer, line or self._tried.line, known)
        _, ended = os.waitpid(child, 0)
        said = {name: steady((self._said / name).read_text(errors="replace")) for name in ("out", "err")}
        status = os.waitstatus_to_exitcode(ended)
        calls, loaded = (
            tuple((self._said / name).read_text().split()) if status >= 0 else () for name in ("calls", "loaded")
        )
        is_odd = status < 0 or "Traceback" in said["err"] + said["out"] or "Exception ignored" in said["err"]
        files = contents(self._work)
        if self._tried.line.startswith("log to"):
            files = {name: steady(data.decode()).encode() for name, data in files.items() if name not in self.inputs}
            files.update(self.inputs)
        return Done(-1 if is_odd else status, said["out"], said["err"], files, calls, loaded)

    def lay_out(self) -> None:
        """Make the folder anew, with nothing but what the command finds there."""
        shutil.rmtree(self._work, ignore_errors=True)
        self._work.mkdir(parents=True)
        for name, data in {**self.inputs, **self._former}.items():
            path = self._work / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            os.utime(path, (1, 1))

    def _child(self, layer: Layer, line: str, known: set[str]) -> None:
        os.chdir(self._work)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(self._said / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        write, leave = os.write, os._exit
        calls, loaded = (
            os.open(self._said / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) for name in ("calls", "loaded")
        )
        sys.stderr = os.fdopen(2, "w", closefd=False)
        status = 1
        try:
            from logdump.cli import main

            layer.put()
            status = main(["-c", f"timeoffset gmt; open {self._tried.files[0]}; {line}"])
            sys.stdout.flush()
        except BaseException:  # noqa: BLE001 - whatever comes is what is looked for
            traceback.print_exc()
        sys.stderr.flush()
        write(calls, " ".join(layer.calls).encode())
        write(loaded, " ".join(name for name in sys.modules if name not in known).encode())
        leave(status)

    def after_cut(self, failure: str, read: int = 0) -> Done:
        """The answer where the trails were cut before, but for the first ``read`` files of them."""
        whole = dict(self.inputs)
        for name in self._tried.files[read:]:
            if name == EXAMPLE.name:
                continue
            self.inputs[name] = b"" if failure == "empty" else whole[name][: len(whole[name]) // 2]
        try:
            return self.run(Layer())
        finally:
            self.inputs = whole

    def complaint(self, done: Done, failure: str) -> str | None:
        """What is wrong with a run in which a call failed; None: nothing."""
        if done.status < 0:
            return "traceback"
        found, wanted, before = (self._made(files) for files in (done.files, self.good.files, self._former))
        inputs = {name: data for name, data in done.files.items() if name in self.inputs}
        if failure not in CUTS and inputs != self.inputs:
            return "the trail was changed"
        said = done.out + done.err
        left = {name for name in {**found, **before} if name.split("/")[0] not in self._targets}
        if unnamed := [name for name in left if name.split("/")[0] not in said]:
            return f"left behind, and not named: {unnamed}"
        target = {name: data for name, data in found.items() if name not in left}
        if "could not be put back" in said:
            target = {**target, **{_FORMER.sub(r"\1", name): found[name] for name in left}}
        if self._tried.line.startswith("log to"):
            return None if done.status or target == wanted else "the log is not whole, and the status is 0"
        if failure in CUTS and not self._is_as_before(done, target):
            return self._of_cut(done, target, failure)
        return self._of_target(done, target, wanted, before)

    def _is_as_before(self, done: Done, target: Contents) -> bool:
        return (done.out, target) == (self.good.out, self._made(self.good.files))

    def _of_cut(self, done: Done, target: Contents, failure: str) -> str | None:
        """A trail that was cut gives an error of ours, or what it gives where it was cut before."""
        wanted, before = self._made(self.good.files), self._former
        if "the file was truncated" in done.out + done.err and target in (wanted, before):
            return None if done.status else "an error, and status 0"
        if target == wanted and done.status and "was written completely before this" in done.out + done.err:
            return None
        is_partial = target in (wanted, before) and "partial, without a verdict" in done.out + done.err
        if done.status and (is_partial or (target == before and "it is not kept" in done.err)):
            return None
        after = self.after_cut(failure)
        later = (self.after_cut(failure, read) for read in range(1, len(self._tried.files)))
        for later_run in itertools.chain([after], later):
            if (done.out, target, done.status) == (later_run.out, self._made(later_run.files), later_run.status):
                return None
        # the line is OPEN and others, each of which may come before the cut or after it
        is_known = target in (wanted, before, self._made(after.files)) and (done.status or not self.good.status)
        are_mixed = made_of_lines if "; " in self._tried.line else is_joined
        if is_known and are_mixed(done.out, self.good.out, after.out):
            return None
        return "the answers are neither those of before nor those of after"

    def _of_target(self, done: Done, target: Contents, wanted: Contents, before: Contents) -> str | None:
        said = done.out + done.err
        if target not in (wanted, before):
            return "the target is neither absent nor whole"
        is_same = target == wanted and done.out == self.good.out
        is_told = any(word in said for word in ("cannot", "Error", "error", "denied", "[Errno", "could not be removed"))
        if not done.status:
            return None if is_same and (is_told or done.err == self.good.err) else "status 0, and another answer"
        if not is_same and not is_told:
            return "no word"
        is_told_to_stand = "was written completely before" in said or any(name in done.out for name in self._targets)
        if target == wanted != before and done.status != self.good.status and not is_told_to_stand:
            return "the target stands, and nothing says so"
        return None

    @property
    def _targets(self) -> set[str]:
        return {name.split("/")[0] for name in self._made(self.good.files)}

    def _made(self, files: Contents) -> Contents:
        return {name: data for name, data in files.items() if name not in self.inputs}


_UNSTEADY = re.compile(r"\d+ MB/s|lookup time +\d+|(?:1970|20[23]\d)/\d\d/\d\d \d\d:\d\d:\d\d[.\d]+")


def is_joined(text: str, first: str, last: str) -> bool:
    """Whether a text is the first lines of ``first`` and the last of ``last``: the cut came between commands."""
    joints = [at for at in range(len(text) + 1) if not at or text[at - 1] == "\n"]
    return any(first.startswith(text[:at]) and last.endswith(text[at:]) for at in joints)


def made_of_lines(text: str, first: str, last: str) -> bool:
    """Whether each line of a text is the beginning of one of the others: each command may look more than once."""
    known = [*first.splitlines(), *last.splitlines()]
    return all(any(line.startswith(begun) for line in known) for begun in text.splitlines())


def steady(text: str) -> str:
    """What was said, without what each run says otherwise."""
    return _UNSTEADY.sub("~", text)


def contents(folder: Path) -> Contents:
    """The files below a folder, by their paths; an empty folder has none."""
    found: Contents = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[name + "/"] = b""
    return found


def use_columns() -> None:
    """Have columns used wherever they can be."""
    numbers = {
        "logdump.commands.position": ("_MANY", "_ROW_BYTES"),
        "logdump.features.export.text_formats": ("_MANY_BYTES",),
    }
    for module, names in numbers.items():
        for name in names:
            setattr(importlib.import_module(module), name, 0)


def run(folder: Path, tried: Tried, chance: Random, most: int) -> dict[str, Any]:
    """The trials of one command."""
    bench = Bench(folder, tried)
    good = bench.run_well()
    chosen = list(trials(good.calls))
    if most and len(chosen) > most:
        chosen = sorted(chance.sample(chosen, most))
    failures = []
    for failing, failure in chosen:
        done = bench.run(failing=failing, failure=failure)
        if (complaint := bench.complaint(done, failure)) is not None:
            said = (done.err[-600:] or done.out[-300:]).strip()
            failures.append([*failing, failure, complaint, done.status, said])
    about = {"command": tried.name, "status": good.status, "err": good.err[-300:]}
    return {**about, "calls": len(good.calls), "trials": len(chosen), "failures": failures}


def _needs_kernels(tried: Tried) -> bool:
    return "parquet" in tried.line or "arrow" in tried.line


def main() -> None:
    """See the module."""
    folder, seed, most, many, *text = sys.argv[1:]
    os.environ.update(TZ="GMT", LOGDUMP_HISTORY="")
    gc.disable()  # else each fork goes through what this process has loaded, and so copies it
    chosen = [tried for tried in COMMANDS if not text or text[0] in tried.name]
    for columns in (False, True):
        if columns:
            use_columns()
        for tried in sorted(chosen, key=_needs_kernels):
            if tried.columns is columns:
                number = int(many if tried.name in MANY else most)
                report = run(Path(folder), tried, Random(f"{seed} {tried.name}"), number)
                sys.stdout.write(json.dumps(report) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
