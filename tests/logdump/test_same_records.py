"""One filter selects one set of records: NEXT both ways, COUNT, SAVE, EXPORT, REDO, the list and Spark agree."""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump import saving, selection
from logdump.events import CountShown, StatementShown
from logdump.filters import OPTIONS, nonstop_options
from logdump.session import Session
from logdump.spark_engine import read_options
from logdump.tui.matching import Matches
from tests.logdump.line import Line
from tests.logdump.spark.reads import rows
from tests.searching import examples
from trailformat import TrailFile
from trailformat.scan import Engine, is_available

DEFINITIONS = Path(__file__).parents[1] / "transcripts" / "obey" / "teahouse.def"
FILES = ["et000000000", "el000000000", "ot000000", "ol000000", "nh000000", "pt000000000", "mt000000000", "dl000000000"]
SOURCES = ["off", str(DEFINITIONS), f"{DEFINITIONS} override"]

COMPARED = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
VALUES = st.sampled_from(
    ["STOCK_KG > 0", "TEA_CODE = SEN01", 'tea_code >= "GYO02"', "PRICE < 9", "NAME <> NULL", "ORIGIN = NULL", "X = 1"]
)
NAMES = st.sampled_from(["TEAHOUSE.TEAS", "teahouse.t*", "*sales", "*", "NOBODY.*"])
TIMES = st.sampled_from([f"2024-03-14 09:{minute}:00" for minute in range(29, 36)])
TOKENS = st.sampled_from(["TRANID", "LOGCSN", "ORAROWID", "TRANID = 5.1.8801", "LOGCSN > 41882317", "xff"])
TEXTS = st.sampled_from(['"SEN01"', '"e"', 'BOTH "sen01"', '"S" 4:10'])
TERMS = {
    "RECTYPE": st.sampled_from(["insert", "3, fieldcomp", "5", "delete", "170"]),
    "FILENAME": NAMES,
    "ANSINAME": NAMES,
    "STRING": TEXTS,
    "HEX": st.sampled_from(["53454e, 00ff", "0000 0:1"]),
    "INT16": st.sampled_from(["5", "0"]),
    "INT32": st.sampled_from(["5", "-1"]),
    "INT64": st.sampled_from(["5", "-1"]),
    "STARTTIME": TIMES,
    "ENDTIME": TIMES,
    "CSN": st.builds("{} {}".format, COMPARED, st.sampled_from(["41882317", "41882320", "41882385", "7"])),
    "GGSTOKEN": TOKENS,
    "USERTOKEN": st.sampled_from(["TKN-HOST", "TKN-NONE"]),
    "AUDITRBA": st.builds("{} {}".format, COMPARED, st.sampled_from(["211", "212"])),
    "IOTYPE": st.sampled_from(["insert", "5"]),
    "RBA": st.builds("{} {}".format, COMPARED, st.sampled_from(["0", "1500", "3000"])),
    "RECLEN": st.builds("{} {}".format, COMPARED, st.sampled_from(["60", "80"])),
    "TRANSIND": st.sampled_from(["first", "last", "only", "middle"]),
    "SYSKEY": st.sampled_from(["0", "<> 1"]),
    "SYSKEYLEN": st.sampled_from(["0", "> 1"]),
    "UNDOFLAG": st.sampled_from(["= 0", "= 1"]),
    "VALUE": VALUES,
}
CRITERIA = st.sampled_from([*sorted(TERMS), *["VALUE"] * len(TERMS)]).flatmap(
    lambda option: st.builds(f"{{}} {option} {{}}".format, st.sampled_from(["INCLUDE", "EXCLUDE"]), TERMS[option])
)
MATCHES = st.sampled_from(["MATCH ANY", "MATCH ALL", "EXCLUDE MATCH ALL"])
FILTERS = st.builds(lambda criteria, match: [*criteria, match], st.lists(CRITERIA, min_size=1, max_size=3), MATCHES)

slow = settings(
    max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(params=[Engine.PYTHON, Engine.NUMBA], ids=["records", "columns"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands go record by record, or all by columns."""
    engine: Engine = request.param
    if not is_available(engine):
        pytest.skip("numba is not installed")
    for module in ("trailformat.scan", "logdump.commands.count", "logdump.tui.matching"):
        monkeypatch.setattr(f"{module}.choose_engine", lambda _size: engine)
    monkeypatch.setattr(selection, "_NEARBY", 1)
    monkeypatch.setattr(saving, "_NEARBY", 1)


def session(name: str, source: str, statements: list[str]) -> Line:
    line = Line()
    line(f"timeoffset gmt; open {TRAILS / name}; sourcedefs {source}")
    for statement in statements:
        line(f"filter {statement}")
        assert not line.failures, statement
    return line


def by_next(line: Line) -> list[int]:
    line("pos 0; n 1000")
    return line.rbas


def by_next_in_reverse(line: Line) -> list[int]:
    line("pos eof; pos reverse; n 1000")
    found = line.rbas[::-1]
    line("pos forward; pos 0")
    return found


def by_count(line: Line) -> int:
    line("count")
    return next(event.counted.total.records for event in line.events if isinstance(event, CountShown))


def records_at(trail: TrailFile, rbas: list[int]) -> list[bytes]:
    """The bytes of the records there but for metadata, which SAVE adds to."""
    records = [trail.record_at(rba) for rba in rbas]
    return [one.raw for one in records if one is not None and not one.is_metadata]


def saved(line: Line, target: Path) -> tuple[int, list[bytes]]:
    """How many records SAVE tells of, and the bytes of those that are no metadata."""
    told = line(f"pos 0; save {target} !")[-1]
    if not target.exists() or not target.stat().st_size:
        return 0, []
    with TrailFile(target) as trail:
        copied = [record.rba for record in trail.records() if not record.is_file_header]
        return int(re.findall(r"[0-9]+", told)[0]), records_at(trail, copied)


def by_screen(line: Line) -> list[int]:
    """What the thread behind the list finds, with the session that it has of its own."""
    current, reader = line.session, Session()
    matches = Matches(current.filters.copy(), current.source_definitions)
    reader.open(current.trail.path)
    list(matches.extend(reader))
    reader.close()
    return matches.rbas.tolist()


def redone(line: Line) -> list[tuple[int, ...]]:
    """The records of each change that REDO does not leave out."""
    line("pos 0; redo 1000")
    shown = [event.statement.change for event in line.events if isinstance(event, StatementShown)]
    return [tuple(record.rba for record in change.records) for change in shown]


@cache
def all_redone(name: str, source: str) -> list[tuple[int, ...]]:
    """The records of each change of a file that REDO tells, without a filter."""
    return redone(session(name, source, []))


def exported(line: Line, format_: str, target: Path) -> list[int]:
    line(f"pos 0; export {format_} to {target} !")
    assert not line.failures
    if format_ == "JSONL":
        objects = [json.loads(one) for one in target.read_text().splitlines()]
        return [one["spot"]["rba"] if "spot" in one else one["rba"] for one in objects]
    if format_ == "CSV":
        with target.open(newline="") as file:
            return [int(row["rba"]) for row in csv.DictReader(file)]
    if format_ == "PARQUET":
        return [int(rba) for rba in pq.read_table(target, columns=["rba"])["rba"].to_pylist()]
    return [int(rba) for rba in pa.ipc.open_file(target).read_all()["rba"].to_pylist()]


def by_spark_tasks(line: Line) -> list[int]:
    """What the tasks of a read in Spark find, in this process."""
    return [row["rba"] for row in rows(line.session.trail.path, "rba", **read_options(line.session))]


def test_every_option_of_filter_is_drawn() -> None:
    words = {word for option in OPTIONS if option not in nonstop_options.OPTIONS for word in option.words}
    assert words - {"FILE", "LOGCSN"} == TERMS.keys()


@pytest.mark.usefixtures("engine")
@slow
@given(name=st.sampled_from(FILES), source=st.sampled_from(SOURCES), filters=FILTERS)
def test_every_command_sees_the_same_records(name: str, source: str, filters: list[str], tmp_path: Path) -> None:
    line = session(name, source, filters)
    expected = by_next(line)
    bodies = expected[expected[:1] == [0] and line.session.trail.file_header is not None :]
    assert by_next_in_reverse(line) == expected
    assert by_count(line) == len(expected)
    assert by_screen(line) == expected
    assert by_spark_tasks(line) == expected
    assert redone(line) == [rbas for rbas in all_redone(name, source) if set(rbas) & set(expected)]
    for format_ in ("JSONL", "PARQUET", "ARROW"):
        assert exported(line, format_, tmp_path / format_) == expected, format_
    assert exported(line, "CSV", tmp_path / "CSV") == bodies
    assert saved(line, tmp_path / "zz000000000") == (len(bodies), records_at(line.session.trail, bodies))
    line.session.close()
