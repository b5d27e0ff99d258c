"""The same under every option of FILTER and with definitions files: everything answers as NEXT does."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.filters import OPTIONS, criteria
from tests.logdump.questions.changes import redone
from tests.logdump.questions.contents import BYTES
from tests.logdump.questions.numbers import NUMBERS
from tests.logdump.questions.question import Question, answer
from tests.logdump.questions.records import RECORDS
from tests.searching import examples
from tests.simulated.plain_reader import PlainRecord, read_all

DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
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
    max_examples=examples(6, short=2), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@cache
def records_of(name: str) -> list[PlainRecord]:
    """The records of a file, by the reader of the bytes."""
    return list(read_all((TRAILS / name).read_bytes(), "<" if name[1] == "l" else ">"))


def passing(name: str, question: Question, folder: Path) -> set[int]:
    """Where the records stand that NEXT stops at, from the first to the last."""
    everything = Question(statements=question.statements, source=question.source)
    return set(RECORDS["NEXT"].ask(TRAILS / name, everything, folder))


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, Question]:
    """A file, and a question about it."""
    name = draw(st.sampled_from(FILES))
    records = records_of(name)
    number = draw(st.none() | st.integers(0, len(records) - 1))
    limit = draw(st.none() | st.integers(1, len(records)))
    place = number, 0 if number is None else records[number].rba, limit, draw(st.booleans())
    return name, Question(*place, draw(FILTERS), source=draw(st.sampled_from(SOURCES)))


@cache
def all_redone(name: str, source: str) -> list[tuple[int, ...]]:
    """The records of each change of a file that REDO tells, without a filter."""
    return redone(TRAILS / name, Question(source=source))


def test_every_option_of_filter_is_drawn() -> None:
    words = {word for option in OPTIONS if option not in criteria.NONSTOP for word in option.words}
    assert words - {"FILE", "LOGCSN"} == TERMS.keys()


@pytest.mark.usefixtures("engine")
@slow
@given(asked=questions())
def test_all_answer_as_next_does(asked: tuple[str, Question], tmp_path: Path) -> None:
    name, question = asked
    found = passing(name, question, tmp_path)
    for table in (RECORDS, NUMBERS, BYTES):
        for title, asker in table.items():
            if asker.understands(question):
                about = answer(records_of(name), question, lambda record: record.rba in found, asker.counts)
                assert asker.ask(TRAILS / name, question, tmp_path) == asker.expects(about), title


@slow
@given(asked=questions())
def test_redo_tells_the_changes_of_the_records_that_next_stops_at(asked: tuple[str, Question], tmp_path: Path) -> None:
    name, question = asked
    found = passing(name, question, tmp_path)
    assert redone(TRAILS / name, question) == [rbas for rbas in all_redone(name, question.source) if found & set(rbas)]
