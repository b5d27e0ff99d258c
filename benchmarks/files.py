"""A trail of many files compared with one file: ``python -m benchmarks.files --files 100 --megabytes 2``.

Prints the seconds of both and the ratio of throughput, the best of three with a warm page cache; the aim is half the
rate of the one file. Both have the same records; each small file begins with a file header and the definitions of the
large one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.generate import CACHE, large_trail
from benchmarks.measure import best
from logdump.commands import REGISTRY
from logdump.language.execute import run_line
from logdump.notation.times import GMT, format_timestamp
from logdump.session.events import Failure
from logdump.session.session import Session
from trailformat import FileHeader, TrailFile
from trailformat.changes.transaction_context import transaction_at
from trailformat.changes.transactions import own_transaction
from trailformat.codec.mapped_file import copied
from trailformat.records.file_header import Value, replace_values
from trailformat.records.record import make_file_header_record

_AIM = 0.5
_MEGABYTE = 1_000_000


class Line(NamedTuple):
    """Commands to time, and the number of times to run them, so that the time is long enough."""

    label: str
    commands: str
    times: int = 1


class Goal(NamedTuple):
    """The CSN and the time of a transaction near the end."""

    csn: str
    time: str


LINES = (
    Line("COUNT DETAIL", "count detail"),
    Line("CHECK", "check"),
    Line("RECOVERY", "recovery"),
    Line("COUNT EFFECTIVE", "count effective"),
    Line("SAVE", "save {saved} !"),
    Line("POSITION CSN", "position csn {csn}", 20),
    Line("POSITION TIME", "position time {time}", 20),
)


def cut(path: Path, size: int) -> list[Path]:
    """Split a file into files of about this size, each with a header of its own and the definitions of the first."""
    folder = path.parent / f"in-files-of-{size}"
    if not folder.exists():
        folder.mkdir()
        with TrailFile(path) as trail:
            bounds = list(_bounds(trail, size))
            definitions = copied(trail.buffer, trail.first_rba, bounds[0])
            for number, (first, stop) in enumerate(pairwise(bounds)):
                head = make_file_header_record(_header(trail, first, number)).raw
                (folder / f"bt{number:09}").write_bytes(head + definitions + copied(trail.buffer, first, stop))
    return sorted(folder.iterdir())


def _header(trail: TrailFile, rba: int, number: int) -> FileHeader:
    """Return the file header of the file with this number, which begins with the row at this RBA."""
    first = trail.record_at(rba)
    assert first is not None
    assert trail.file_header is not None
    values: dict[str, Value] = {
        "Seqno": number,
        "FirstCSN": transaction_at(trail, rba).csn,
        "FirstIOTime": first.header.io_time,
        "LastCSN": None,
        "LastIOTime": None,
    }
    return replace_values(trail.file_header, "TrailInfo", values)


def _bounds(trail: TrailFile, size: int) -> Iterator[int]:
    """Yield the RBAs at which the rows begin and the files end."""
    rba = next(record.rba for record in trail.records() if not record.is_file_header and not record.is_metadata)
    while rba < trail.size:
        yield rba
        rba = trail.next_good_header(rba + size) or trail.size
    yield trail.size


def goal_in(path: Path) -> Goal:
    """Return the first transaction that begins in a file."""
    with TrailFile(path) as trail:
        for record in trail.records():
            csn = own_transaction(record).csn if not record.is_file_header else None
            if csn is not None:
                return Goal(csn, format_timestamp(record.header.io_time, GMT))
    raise LookupError(f"{path} begins no transaction")


def seconds_of(line: Line, path: Path, goal: Goal) -> float:
    """Return the seconds of the fastest of three runs in one session, from the beginning of the first file."""
    session = Session()
    text = line.commands.format(saved=path.parent.with_name("saved"), **goal._asdict())

    def run() -> None:
        for _ in range(line.times):
            _run(session, f'open "{path}"; across on; {text}')

    try:
        _run(session, "timeoffset gmt")
        return best(run)
    finally:
        session.end()


def _run(session: Session, text: str) -> None:
    for event in run_line(session, REGISTRY, text):
        failed = isinstance(event, Failure)
        if failed:
            raise LookupError(str(event))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files", description="Measure a trail of many files.")
    parser.add_argument("--files", type=int, default=100, help="how many files (default 100)")
    parser.add_argument("--megabytes", type=int, default=2, help="the size of each (default 2)")
    options = parser.parse_args(arguments)
    trail = large_trail(options.files * options.megabytes)
    paths = cut(trail.path, options.megabytes * _MEGABYTE)
    goal = goal_in(paths[len(paths) * 9 // 10])
    print(f"{trail.size / 1e6:.0f} MB in one file and in {len(paths)}, {CACHE}; best of 3, warm page cache\n")
    print(f"{'line':20}{'one file':>10}{'files':>10}{'ratio':>8}  aim {_AIM}")
    timed = partial(seconds_of, goal=goal)
    for line in LINES:
        single, many = timed(line, trail.path), timed(line, paths[0])
        verdict = "reached" if single / many >= _AIM else "missed"
        print(f"{line.label:20}{single:10.3f}{many:10.3f}{single / many:8.2f}  {verdict}")


if __name__ == "__main__":
    main()
