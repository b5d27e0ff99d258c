"""Which records: everything that answers with RBAs, in the order in which it shows the records."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from logdump.session.session import Session
from logdump.tables.session_options import read_options
from logdump.tui.reading.rows import ListRow, Matches, MatchingRows, RowKind, RowReader
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.logdump.questions.asker import EVERYTHING, FORWARD, Asker, is_body, opened, placed
from tests.logdump.questions.question import Feature, Question
from tests.logdump.tables import reads
from tests.simulated.plain_reader import PlainRecord
from trailformat import TrailFile

RBAs = list[int]
_RECORD_LINE = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\S+ .* Len +\d+ RBA (\d+)")


def printed(lines: Sequence[str]) -> RBAs:
    """The RBAs in the record lines of what is printed."""
    return [int(found[1]) for found in map(_RECORD_LINE.fullmatch, lines) if found]


def _next(path: Path, question: Question, _folder: Path) -> RBAs:
    return printed(placed(path, question)(f"n {question.most}"))


def _next_one_by_one(path: Path, question: Question, _folder: Path) -> RBAs:
    line, found = placed(path, question), RBAs()
    while len(found) < question.most and (shown := printed(line("n"))):
        found += shown
    return found


def _next_in_two_lots(path: Path, question: Question, _folder: Path) -> RBAs:
    line, first = placed(path, question), (question.limit or 8) // 2
    return printed(line(f"n {first}")) + printed(line(f"n {question.most - first}"))


def _after_skip_filter(path: Path, question: Question, _folder: Path) -> RBAs:
    """One record, and those that come when SKIP FILTER has moved over one."""
    line = placed(path, question)
    found = printed(line("n"))
    line(f"{question.place}; skip 1 filter")
    return found + printed(line(f"n {question.most - 1}"))


def _after_skip(path: Path, question: Question, _folder: Path) -> RBAs:
    line = opened(path, question)
    line(f"pos 0; skip {question.number or 0}; {'pos eof; ' * question.is_from_end} pos {_way(question)}")
    return printed(line(f"n {question.most}"))


def _way(question: Question) -> str:
    return "reverse" if question.is_backwards else "forward"


def _after_position_record(path: Path, question: Question, _folder: Path) -> RBAs:
    line = opened(path, question)
    line(f"pos eof; {f'pos record {question.number or 0};' * (not question.is_from_end)} pos {_way(question)}")
    return printed(line(f"n {question.most}"))


def _program(path: Path, question: Question, _folder: Path) -> RBAs:
    commands = f"{question.settings}; {question.place}; n {question.most}"
    return printed(logdump(str(path), "-c", commands).out.splitlines())


def _json_program(path: Path, question: Question, _folder: Path) -> RBAs:
    commands = f"{question.settings}; {question.place}; n {question.most}"
    lines = logdump(str(path), "--format", "jsonl", "-c", commands).out.splitlines()
    return [item["rba"] for item in map(json.loads, lines) if item["type"] in ("record", "file_header")]


def _api(path: Path, question: Question, _folder: Path) -> RBAs:
    with TrailFile(path) as trail:
        start = question.rba if question.number is not None else None
        walk = trail.records_backwards(start) if question.is_backwards else trail.records(question.rba)
        return [record.rba for record in islice(walk, question.limit)]


def _record_at(path: Path, question: Question, _folder: Path) -> RBAs:
    found, rba = RBAs(), question.rba
    with TrailFile(path) as trail:
        while len(found) < question.most and (record := trail.record_at(rba)) is not None:
            found.append(rba)
            rba += record.length
    return found


def matches_of(line: Line) -> Matches:
    """What the thread behind the screen's list finds, with the session that it has of its own."""
    matches, reader = Matches(line.session.filters.copy(), line.session.source_definitions), Session()
    reader.open(line.session.trail.path)
    list(matches.extend(reader))
    reader.close()
    return matches


def _screen(path: Path, question: Question, _folder: Path) -> RBAs:
    line = opened(path, question)
    with TrailFile(path) as trail:
        walk: RowReader | MatchingRows = RowReader(trail)
        if question.statements:
            walk = MatchingRows(RowReader(trail), matches_of(line), trail.size)
        start = trail.size if question.is_from_end else question.rba
        rows = _rows_before(walk, start) if question.is_backwards else _rows_from(walk, start)
        records = (row.rba for row in rows if row.kind in (RowKind.RECORD, RowKind.FILE_HEADER))
        return list(islice(records, question.limit))


def _rows_from(walk: RowReader | MatchingRows, rba: int) -> Iterator[ListRow]:
    row: ListRow | None = walk.containing(rba)
    while row is not None:
        yield row
        row = walk.after(row)


def _rows_before(walk: RowReader | MatchingRows, rba: int) -> Iterator[ListRow]:
    row = walk.before(rba)
    while row is not None:
        yield row
        row = walk.before(row.rba)


def export(line: Line, format_: str, target: Path, limit: int | None) -> bool:
    """Write what the session selects; False where nothing was left to write."""
    shown = line(f"export {format_} to {target} ! {'' if limit is None else f'{limit} records'}")
    assert not [failure for failure in line.failures if not failure.lines[0].startswith("Nothing is left")], (
        line.failures
    )
    return not line.failures and bool(shown)


def exported(path: Path, question: Question, folder: Path, format_: str) -> Path | None:
    """The file that EXPORT writes; None where nothing was left."""
    target = folder / format_.replace(" ", "_")
    return target if export(placed(path, question), format_, target, question.limit) else None


def _jsonl(path: Path, question: Question, folder: Path) -> RBAs:
    target = exported(path, question, folder, "jsonl")
    objects = map(json.loads, target.read_text().splitlines() if target else ())
    return [item["spot"]["rba"] if "spot" in item else item["rba"] for item in objects]


def csv_rows(target: Path | None) -> list[dict[str, str]]:
    """The rows of an export."""
    if target is None:
        return []
    with target.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def _csv(path: Path, question: Question, folder: Path) -> RBAs:
    return [int(row["rba"]) for row in csv_rows(exported(path, question, folder, "csv"))]


def arrow_table(path: Path, question: Question, folder: Path, format_: str) -> pa.Table:
    """What EXPORT PARQUET or ARROW writes; an empty table where nothing was left."""
    target = exported(path, question, folder, format_)
    if target is None:
        return pa.table({"rba": pa.array([], pa.int64())})
    with pa.OSFile(str(target)) as source:
        return pq.read_table(source) if format_ == "parquet" else pa.ipc.open_file(source).read_all()


def _parquet(path: Path, question: Question, folder: Path) -> RBAs:
    return RBAs(arrow_table(path, question, folder, "parquet")["rba"].to_pylist())


def _arrow(path: Path, question: Question, folder: Path) -> RBAs:
    return RBAs(arrow_table(path, question, folder, "arrow")["rba"].to_pylist())


def spark_rows(path: Path, question: Question, *columns: str, **options: object) -> list[reads.Row]:
    """What the tasks of a read in Spark find, in this process."""
    start = {} if question.number is None else {"startSeqno": int(path.name[2:]), "startRba": question.rba}
    return reads.rows(path, *columns, **read_options(opened(path, question).session), **start, **options)


def _spark(path: Path, question: Question, _folder: Path) -> RBAs:
    return [row["rba"] for row in spark_rows(path, question, "rba")]


def _spark_in_small_tasks(path: Path, question: Question, _folder: Path) -> RBAs:
    return [row["rba"] for row in spark_rows(path, question, "rba", maxPartitionBytes=700)]


def _rbas(records: Sequence[PlainRecord]) -> RBAs:
    return [record.rba for record in records]


def _rbas_of_bodies(records: Sequence[PlainRecord]) -> RBAs:
    return [record.rba for record in records if is_body(record)]


_SPARK = Feature.FILTER | Feature.START | Feature.CUT
_UNFILTERED = EVERYTHING & ~Feature.FILTER
RECORDS = {
    "NEXT": Asker(_next, _rbas, EVERYTHING),
    "NEXT one by one": Asker(_next_one_by_one, _rbas, EVERYTHING),
    "NEXT in two lots": Asker(_next_in_two_lots, _rbas, EVERYTHING),
    "NEXT behind SKIP": Asker(_after_skip, _rbas, EVERYTHING),
    "NEXT behind POSITION RECORD": Asker(_after_position_record, _rbas, EVERYTHING),
    "NEXT behind SKIP FILTER": Asker(_after_skip_filter, _rbas, EVERYTHING),
    "-c": Asker(_program, _rbas, EVERYTHING),
    "--format jsonl": Asker(_json_program, _rbas, EVERYTHING),
    "TrailFile.records": Asker(_api, _rbas, _UNFILTERED),
    "TrailFile.record_at": Asker(_record_at, _rbas, Feature.START | Feature.LIMIT),
    "the screen": Asker(_screen, _rbas, EVERYTHING),
    "EXPORT JSONL": Asker(_jsonl, _rbas, FORWARD),
    "EXPORT CSV": Asker(_csv, _rbas_of_bodies, FORWARD),
    "EXPORT PARQUET": Asker(_parquet, _rbas, FORWARD),
    "EXPORT ARROW": Asker(_arrow, _rbas, FORWARD),
    "Spark": Asker(_spark, _rbas, _SPARK),
    "Spark in small tasks": Asker(_spark_in_small_tasks, _rbas, _SPARK),
}
"""Every way to learn which records a question is about."""
