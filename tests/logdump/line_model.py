"""What line mode has to do, said once more over a list of records: no code of the program is used.

The records are those of ``tests.simulated.plain_reader``. A line is one command of those that this model knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.simulated.plain_reader import METADATA, PlainRecord, read_all

OUTSIDE = {METADATA, 150, 151, 152, 205}
"""Types that belong to no transaction."""
FIRST, LAST = (0, 3), (2, 3)
Test = Callable[[PlainRecord], bool]


def anything(_record: PlainRecord) -> bool:
    """Whether it is a record."""
    return True


class Refused(Exception):
    """The command fails, and nothing moves; the text is a part of what is said."""


@dataclass
class Place:
    """Where reading stands: the file by its number, where the next record begins (ends), and which was read last."""

    file: int = 0
    next: int = 0
    current: int = 0
    backwards: bool = False
    searched_back_to: int | None = None
    """The record that SFH PREV has found, as long as nothing has moved since; what is refused moves nothing."""
    found: int | None = None
    """That of FIND in the open file."""


@dataclass
class Mode:
    """Line mode over the files of a trail.

    Attributes:
        files: the records of each; ``paths`` are their names, as OPEN takes them.
        shown: the RBAs of the records that the last line has displayed; ``said``: parts of what it has printed.
        lines: the history.
        command_files: what OBEY reads, by the line that names it; ``obeyed`` are those being obeyed.
    """

    files: list[list[PlainRecord]]
    paths: list[str]
    at: Place = field(default_factory=Place)
    across: bool = False
    enabled: bool = True
    include: list[Test] = field(default_factory=list)
    exclude: list[Test] = field(default_factory=list)
    search: Test | None = None
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    command_files: dict[str, list[str]] = field(default_factory=dict)
    obeyed: list[str] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    failure: str | None = None

    def enter(self, line: str) -> None:
        """Enter a line."""
        self.shown, self.said, self.failure = [], [], None
        self.lines.append(line)
        if line.split(maxsplit=1)[0] == "fc":
            earlier = self._earlier(self.lines[:-1], line[2:].strip())
            if earlier is None or earlier.split()[0] == "fc":
                self.failure = ""
                return
            self.lines[-1] = earlier
            line = earlier
        self._run(line)

    def _run(self, line: str) -> None:
        if line in self.obeyed:
            self.failure = ""
        elif line in self.command_files:
            self.obeyed.append(line)
            self._obey(self.command_files[line])
            self.obeyed.pop()
        else:
            self._carry_out(line)

    def _obey(self, lines: list[str]) -> None:
        """The lines of a command file are not entered: FC means those that were, the OBEY itself the last."""
        rest = iter(lines)
        for line in filter(None, rest):
            if not line.startswith("fc"):
                self._carry_out(line)
                continue
            earlier = self._earlier(self.lines, line[2:].strip())
            if earlier is None:
                self.failure = ""
                continue
            next(rest)
            if earlier.startswith("fc"):
                self.failure = ""
            else:
                self._run(earlier)

    @staticmethod
    def _earlier(lines: list[str], wanted: str) -> str | None:
        if wanted.lstrip("-").isdigit():
            at = len(lines) + int(wanted) if wanted.startswith("-") else int(wanted) - 1
            return lines[at] if 0 <= at < len(lines) else None
        return next((line for line in reversed(lines) if line.startswith(wanted)), None)

    def _carry_out(self, line: str) -> None:
        word, *rest = line.split()
        before = replace(self.at)
        try:
            getattr(self, f"_{word}")(*rest)
        except Refused as refusal:
            found = before.found if self.at.file == before.file else None
            self.at = replace(before, found=found)
            self.failure = str(refusal)

    # reading

    @property
    def _records(self) -> list[PlainRecord]:
        return self.files[self.at.file]

    @property
    def _end(self) -> int:
        last = self._records[-1]
        return last.rba + last.length

    def _read_here(self) -> PlainRecord | None:
        for record in self._records:
            if (
                (record.rba + record.length == min(self.at.next, self._end))
                if self.at.backwards
                else record.rba == self.at.next
            ):
                self._stand_on(record)
                return record
        return None

    def _stand_on(self, record: PlainRecord) -> None:
        self.at.current = record.rba
        self.at.next = record.rba if self.at.backwards else record.rba + record.length
        self.at.searched_back_to = None

    def _move(self, rba: int) -> None:
        self.at.next = self.at.current = rba
        self.at.searched_back_to = None

    def _begin_file(self, file: int, *, at_end: bool) -> None:
        self.at = Place(file, backwards=self.at.backwards)
        if at_end:
            self._move(self._end)

    def _cross(self, *, backwards: bool) -> bool:
        file = self.at.file + (-1 if backwards else 1)
        if not self.across or not 0 <= file < len(self.files):
            return False
        self._begin_file(file, at_end=backwards)
        return True

    def _read(self, test: Test = anything, *, filtered: bool = True) -> PlainRecord | None:
        while True:
            record = self._read_here()
            if record is None and not self._cross(backwards=self.at.backwards):
                return None
            if record is not None and test(record) and (not filtered or self._passes(record)):
                return record

    def _passes(self, record: PlainRecord) -> bool:
        if not self.enabled:
            return True
        is_in = not self.include or any(test(record) for test in self.include)
        return is_in and not any(test(record) for test in self.exclude)

    def _show(self, record: PlainRecord | None) -> None:
        if record is None:
            raise Refused
        self.shown.append(record.rba)

    # commands

    def _open(self, path: str) -> None:
        """What is open is closed: reading begins anew, forward; marks, the search and the filter stay."""
        self.at = Place(self.paths.index(path))

    def _n(self, count: str = "1") -> None:
        for _ in range(int(count)):
            record = self._read()
            if record is None:
                return
            self._show(record)

    def _skip(self, count: str = "1", filtered: str = "") -> None:
        for _ in range(int(count)):
            if self._read(filtered=bool(filtered)) is None:
                return

    def _pos(self, *words: str) -> None:
        place = [word for word in words if word not in ("rev", "for")]
        if place:
            self._to(*place)
        if len(place) < len(words):
            self.at.backwards = "rev" in words

    def _to(self, place: str, what: str = "") -> None:
        records = self._records
        if place == "mark":
            file, rba = self._marked(what)
            self._go(file, rba)
        elif place == "csn":
            for file, every in enumerate(self.files):
                for record in every:
                    if record.csn and int(record.csn) >= int(what) and record.trans_ind in FIRST:
                        self._go(file, record.rba)
                        return
            raise Refused
        elif place == "time":
            is_row = next(record for record in self.files[0] if record.op)
            self._go(0, is_row.rba)
        elif place == "record":
            if int(what) >= len(records):
                raise Refused
            self._move(records[int(what)].rba)
        else:
            self._move(
                {"first": 0, "last": records[-1].rba, "eof": self._end}.get(place) or int(place.replace("first", "0"))
            )

    def _go(self, file: int, rba: int) -> None:
        """CSN, TIME and MARK read forward from there (HELP POSITION)."""
        if file != self.at.file:
            self._begin_file(file, at_end=False)
        self.at.backwards = False
        self._move(rba)

    def _marked(self, name: str) -> tuple[int, int]:
        if name not in self.marks:
            raise Refused
        return self.marks[name]

    def _mark(self, name: str) -> None:
        self.marks[name] = self.at.file, self.at.current

    def _sfh(self, direction: str = "") -> None:
        if not direction:
            self._sfh_next()
            return
        start = self.at.next if self.at.searched_back_to is None else self.at.searched_back_to
        while True:
            before = [record for record in self._records if record.rba < start]
            if before:
                break
            if not self._cross(backwards=True):
                raise Refused
            start = self._end
        self._stand_on(before[-1])
        self.at.searched_back_to = before[-1].rba
        self._show(before[-1])

    def _sfh_next(self) -> None:
        while True:
            after = [record for record in self._records if record.rba >= self.at.next]
            if after:
                break
            if not self._cross(backwards=False):
                raise Refused
        self._stand_on(after[0])
        self._show(after[0])

    def _sft(self, number: str) -> None:
        self._show(self._read(lambda record: record.io_type == int(number)))

    def _sfnt(self) -> None:
        self._show(self._read(_begins, filtered=False))

    def _sfet(self) -> None:
        if self._read(_ends, filtered=False) is None:
            raise Refused
        self._show(self._read(_is_transactional, filtered=False))

    def _sfmd(self) -> None:
        self._show(self._read(lambda record: record.io_type == METADATA, filtered=False))

    def _find(self, *words: str) -> None:
        back = words == ("prev",)
        if words and not back and words != ("next",):
            self.search = self._search(*words)
        if self.search is None:
            raise Refused("FIND has looked for nothing yet")
        start, was_backwards = self.at, self.at.backwards
        first = start.current if back else start.next
        if not back and was_backwards and start.next == start.current == start.found:
            first += next(record.length for record in self._records if record.rba == first)
        self._move(first)
        self.at.backwards = back
        record = self._read(self.search)
        self.at.backwards = was_backwards
        self._show(record)
        if record is not None:
            self._stand_on(record)
            self.at.found = record.rba

    def _search(self, what: str, sign: str = "", value: str = "") -> Test:
        if not sign:
            return lambda record: not record.is_header and what.encode() in record.data
        *table, column = what.split(".")
        name = ".".join(table)
        known = {(record.table, each.name) for every in self.files for record in every for each in record.columns}
        known &= {(record.table, each.name) for record in self._records for each in record.columns}
        fitting = {table for table, named in known if named == column and _is_named(table, name)}
        if not fitting:
            is_named = not name or any(_is_named(table, name) for table, _ in known)
            which = f"{name} with a column {column}" if is_named else name
            raise Refused(f"No table {which} is defined in this trail.")
        sides = (f"before_{column}", f"after_{column}")
        return lambda record: _is_named(record.table, name) and any(record.values.get(side) == value for side in sides)

    def _list(self, count: str) -> None:
        most = len(self._records) * 9 if count == "all" else int(count)
        for _ in range(most):
            record = self._read()
            if record is None:
                return
            self._show(record)

    def _begin(self, _time: str) -> None:
        """The first row of the file; ``_time`` is before all of them."""
        self.at.backwards = False
        self._move(next(record for record in self._records if record.op).rba)

    def _count(self) -> None:
        """Counts the file, or under ACROSS those after it too, and goes to the beginning."""
        counted = [record for records in self._files_from_here for record in records if self._passes(record)]
        self._move(0)
        self.said.append(f"has {len(counted)} record")

    def _check(self) -> None:
        self.said.append(f" {sum(map(len, self._files_from_here))} good records in ")

    @property
    def _files_from_here(self) -> list[list[PlainRecord]]:
        return self.files[self.at.file :] if self.across else [self._records]

    def _transactions(self) -> None:
        if self.enabled and (self.include or self.exclude):
            raise Refused("needs all records of the trail")
        self.said.append(f" {sum(map(_begins, self._every))} transactions, ")

    @property
    def _every(self) -> list[PlainRecord]:
        return [record for records in self.files for record in records]

    def _sql(self, *_words: str) -> None:
        """The records of the open file, or of all files under ACROSS; the position stays."""

    def _row(self, table: str, key: str) -> None:
        """The changes of a row in the file, or under ACROSS in those after it too; the position stays."""
        column, _, value = key.partition("=")
        sides = (f"before_{column}", f"after_{column}")
        for records in self._files_from_here:
            for record in records:
                is_of_row = record.table == table and any(record.values.get(side) == value for side in sides)
                if is_of_row and self._passes(record):
                    self.said.append(f":{record.rba} ")
        if not self.said:
            raise Refused

    def _safe(self) -> None:
        """Where the transaction begins that is open at the record displayed last; the position stays."""
        around = self._around(self.at.current)
        if around:
            self.said.append(f"Begins at  RBA {around[0][1].rba}")

    def _transaction(self, which: str) -> None:
        around = self._around(self.at.current)
        flat = self._flat
        place = self.at.file, self.at.current
        behind = (at for at, (file, record) in enumerate(flat) if (file, record.rba) >= place)
        here = next(behind, len(flat))
        if which in ("begin", "end"):
            if not around:
                raise Refused
            self._display(*around[0 if which == "begin" else -1])
        elif which == "next":
            self._display_if_near(
                [numbered for numbered in flat[here:] if _begins(numbered[1]) and numbered not in around][:1]
            )
        else:
            before = flat[: flat.index(around[0])] if around else flat[:here]
            self._display_if_near([numbered for numbered in before if _begins(numbered[1])][-1:])

    @property
    def _flat(self) -> list[tuple[int, PlainRecord]]:
        return [(file, record) for file, records in enumerate(self.files) for record in records]

    def _around(self, rba: int) -> list[tuple[int, PlainRecord]]:
        """The records of the transaction that is open at a record, over files; nothing between two."""
        flat = self._flat
        at = next((at for at, (file, record) in enumerate(flat) if file == self.at.file and record.rba == rba), None)
        if at is None and rba > self._records[-1].rba and self.at.file + 1 < len(self.files):
            at = sum(map(len, self.files[: self.at.file + 1]))  # what is open at the end goes on in the next file
        if at is None:
            return []
        rows = [(number, numbered) for number, numbered in enumerate(flat) if _is_transactional(numbered[1])]
        first = next((number for number, numbered in reversed(rows) if number <= at and _begins(numbered[1])), None)
        if first is None:
            return []
        last = next((number for number, numbered in rows if number >= first and _ends(numbered[1])), None)
        if last is None or last < at:
            return []
        return [numbered for number, numbered in rows if first <= number <= last]

    def _display_if_near(self, records: list[tuple[int, PlainRecord]]) -> None:
        if not records or (records[0][0] != self.at.file and not self.across):
            raise Refused
        self._display(*records[0])

    def _display(self, file: int, record: PlainRecord) -> None:
        """Display a record, if need be in another file of the trail."""
        if file != self.at.file:
            if not self.across:
                raise Refused
            self._begin_file(file, at_end=self.at.backwards)
        self._stand_on(record)
        self._show(record)

    def _sametable(self, direction: str) -> None:
        here = next((record for record in self._records if record.rba == self.at.current), None)
        if here is None or not here.table:
            raise Refused
        was_backwards, back = self.at.backwards, direction == "previous"
        self.at.backwards = back
        self._move(here.rba if back else here.rba + here.length)
        record = self._read(lambda record: record.table == here.table and record.io_type != METADATA, filtered=False)
        self.at.backwards = was_backwards
        self._show(record)
        if record is not None:
            self._stand_on(record)

    def _filter(self, *words: str) -> None:
        match words:
            case ("clear",):
                self.include, self.exclude = [], []
            case ("on" | "off" as state,):
                self.enabled = state == "on"
            case (which, what, value):
                kept = self.include if which == "include" else self.exclude
                kept.append(_criterion(what, value))

    def _across(self, state: str) -> None:
        self.across = state == "on"


def _criterion(what: str, value: str) -> Test:
    if what == "rectype":
        return lambda record: record.io_type == int(value)
    return lambda record: record.table == value


def _is_named(table: str, name: str) -> bool:
    """Whether a table is called so, with its schema or without."""
    parts, wanted = table.split("."), name.split(".")
    return not name or parts[-len(wanted) :] == wanted


def _is_transactional(record: PlainRecord) -> bool:
    return not record.is_header and record.io_type not in OUTSIDE


def _begins(record: PlainRecord) -> bool:
    return _is_transactional(record) and record.trans_ind in FIRST


def _ends(record: PlainRecord) -> bool:
    return _is_transactional(record) and record.trans_ind in LAST


def records_of(paths: list[Path], sign: str) -> Iterator[list[PlainRecord]]:
    """Those of each file."""
    for path in paths:
        yield list(read_all(path.read_bytes(), sign))
