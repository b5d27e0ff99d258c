"""Small trails of closed files with faults of several kinds, and what is wrong in them, counted while they are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tests.searching import Random
from tests.trailformat.samples import IO_TIME, header
from trailformat import Images, make_column, make_file_header, make_file_header_record, make_record, make_token
from trailformat.records.file_header import SIGNATURE, Value
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY, RESTART_ABEND

KINDS = ("none", "damage", "missing", "cut", "repeated", "headless", "short", "cut between", "longer", "open")
"""What may be wrong in a file; of ``repeated`` a cut transaction follows again, whole, which is right."""


def transaction(csn: int, records: int) -> list[bytes]:
    """The records of a transaction."""
    made = []
    for number in range(records):
        trans_ind = ONLY if records == 1 else FIRST if not number else LAST if number == records - 1 else MIDDLE
        tokens = (make_token("L", str(csn).encode()), make_token("6", f"5.1.{csn}".encode())) if not number else ()
        fields = header(trans_ind=trans_ind, io_time=IO_TIME + csn)
        made.append(make_record(fields, Images(None, (make_column(0, b"leaf %d" % number),)), tokens).raw)
    return made


def restart() -> bytes:
    """A RestartAbend."""
    return make_record(header("", io_type=RESTART_ABEND, trans_ind=ONLY, partition=0), b"").raw


def headed(number: int, body: bytes, last_csn: str | None, size: int | None = None) -> bytes:
    """A file with a header; closed with ``last_csn``, and with ``size`` in place of its own as FileSize."""
    values: dict[str, Value] = {
        "Signature": SIGNATURE,
        "Compatibility": 5,
        "CreationTime": IO_TIME - 1,
        "FileName": f"ff{number:09}",
        "Seqno": number,
        "FileSize": 1 if last_csn else None,
        "FirstCSN": None,
        "LastCSN": last_csn,
    }
    empty = make_file_header_record(make_file_header({"TrailInfo": values})).raw
    if last_csn:
        values["FileSize"] = size if size is not None else len(empty) + len(body)
    return make_file_header_record(make_file_header({"TrailInfo": values})).raw + body


@dataclass
class Expected:
    """What CHECK and the others have to find.

    ``mismatches`` are names of files and fields, and whether the end is missing;
    ``repeated`` is the number of cut transactions that follow again, whole.
    """

    damaged: int = 0
    missing: list[str] = field(default_factory=list)
    lost: int = 0
    restarts: int = 0
    begins_missing: int = 0
    mismatches: list[tuple[str, str, bool]] = field(default_factory=list)
    left_open: list[str] = field(default_factory=list)
    repeated: int = 0

    @property
    def status(self) -> int:
        """The exit status: 4 for damaged or missing bytes, 3 for transactions that are not whole."""
        if self.damaged or self.missing or self.mismatches:
            return 4
        return 3 if self.lost or self.begins_missing else 0


class Faulty:
    """Writes a trail in which the file with each number has the fault of a kind; the newest is not closed.

    ``csn`` is the last CSN used.
    """

    def __init__(self, folder: Path, random: Random, kinds: list[str]) -> None:
        self.expected = Expected()
        self._random, self._csn = random, 100
        for number, kind in enumerate(kinds):
            data = self._file(number, kind, is_newest=number == len(kinds) - 1)
            # what a file that was cut between its records leaves open is overtaken by what begins the next file
            self.expected.lost += kind == "cut between" and kinds[number + 1] != "missing"
            if data is not None:
                (folder / f"ff{number:09}").write_bytes(data)

    def _some(self) -> list[list[bytes]]:
        return [self._next_transaction() for _ in range(self._random.randint(2, 4))]

    def _next_transaction(self, least: int = 1) -> list[bytes]:
        self._csn += self._random.randint(1, 9)
        return transaction(self._csn, self._random.randint(least, 4))

    def _file(self, number: int, kind: str, *, is_newest: bool) -> bytes | None:
        """The bytes of a file, None if it is missing; what it lacks is added to ``expected``."""
        name, expected = f"ff{number:09}", self.expected
        before = b"".join(map(b"".join, self._some()))
        if kind == "missing":
            expected.missing.append(name)
            return None
        if kind == "damage":
            expected.damaged += 1
            before += b"\xee" * self._random.choice((1, 7, 400))
        elif kind in ("cut", "repeated"):
            cut = self._next_transaction(least=2)
            before += b"".join(cut[: self._random.randint(1, len(cut) - 1)]) + restart()
            before += b"".join(cut) if kind == "repeated" else b""
            expected.restarts += 1
            expected.lost += kind == "cut"
            expected.repeated += kind == "repeated"
        elif kind == "headless":
            headless = self._next_transaction(least=2)
            before += b"".join(headless[self._random.randint(1, len(headless) - 1) :])
            expected.begins_missing += 1
        inner = self._csn
        after = b"".join(map(b"".join, self._some()))
        whole = headed(number, before + after, str(self._csn))
        if is_newest or kind == "open":
            expected.left_open += [] if is_newest else [name]
            return headed(number, before + after, None)
        if kind == "short":
            stop = len(whole) - len(after)
            expected.mismatches += [(name, "FileSize", True), (name, "LastCSN", True)]
            return whole[:stop]
        if kind == "cut between":
            # FileSize alone: the last transaction has begun, and its CSN is that of the header
            last = self._next_transaction(least=3)
            body = before + after + b"".join(last)
            expected.mismatches.append((name, "FileSize", True))
            return headed(number, body, str(self._csn))[: -len(last[-1])]
        if kind == "longer":
            expected.mismatches += [(name, "FileSize", False), (name, "LastCSN", False)]
            return headed(number, before + after, str(inner), len(whole) - len(after))
        return whole
