"""Which records pass is what a plain condition on what was written says, record by record and by columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.filters import FilterSet, apply
from logdump.notation.times import GMT
from logdump.session.selection import Selection
from tests.searching import examples, in_turn
from trailformat import ByteOrder, TrailFile
from trailformat.scan import Batch, scan
from trailformat.trail.row_definitions import RowDefinitions

from .by_hand import DDL, DELETE, FIRST, INSERT, LAST, METADATA, MINUTE, NINE, UPDATE, Plain, trail_in

np = pytest.importorskip("numpy", reason="a filter by columns needs numpy")

Condition = Callable[[Plain], bool]
LITTLE_TOO = {(f"INT{number}", ByteOrder.LITTLE) for number in ("16 258", "16 513", "32 107", "64 107")}
"""An integer is sought in either order in a little-endian file, which has a test of its own."""


def of_rows(condition: Condition) -> Condition:
    """The condition on a record with a header; the file header has none."""
    return lambda record: not record.is_header and condition(record)


def csn(condition: Callable[[int], bool]) -> Condition:
    """The condition on the CSN of the transaction, where there is one."""
    return lambda record: record.csn is not None and condition(record.csn)


def value(name: str, condition: Callable[[Any], bool]) -> Condition:
    """The condition on what any image holds in a column."""
    return lambda record: any(condition(held) for held in record.values.get(name, ()))


def always(_record: object) -> bool:
    """Of every record."""
    return True


def never(_record: object) -> bool:
    """Of none."""
    return False


QUESTIONS: dict[str, Condition] = {
    "RECTYPE 5": of_rows(lambda record: record.io_type == INSERT),
    "RECTYPE 3, 160": of_rows(lambda record: record.io_type in {DELETE, DDL}),
    "RECTYPE 0": never,
    "IOTYPE Update": of_rows(lambda record: record.io_type == UPDATE),
    "IOTYPE 170": of_rows(lambda record: record.io_type == METADATA),
    "FILENAME tea.*": lambda record: record.name.upper().startswith("TEA."),
    "FILENAME *": lambda record: bool(record.name),
    "FILENAME $qa01.*, hr.jobs": lambda record: record.name.startswith("\\TRILL.") or record.name == "HR.JOBS",
    "FILENAME \\trill.*": lambda record: record.name.startswith("\\TRILL."),
    "FILENAME trill.*": never,
    "FILENAME tea.?ups": lambda record: record.name == "TEA.CUPS",
    "ANSINAME TEA.LEAVES": lambda record: record.name == "TEA.LEAVES",
    "ANSINAME TEA.CUPS, Tea.Leaves": lambda record: record.name in {"TEA.CUPS", "Tea.Leaves"},
    "RBA > 2000": lambda record: record.rba > 2000,
    "RBA 0": lambda record: record.rba == 0,
    "RBA <= 18446744073709551615": always,
    "RBA > 9223372036854775807": never,
    "RECLEN 6": lambda record: (record.header_size or len(record.data)) == 6,
    "RECLEN 0": lambda record: (record.header_size or len(record.data)) == 0,
    "RECLEN >= 8": lambda record: (record.header_size or len(record.data)) >= 8,
    "AUDITRBA 100": of_rows(lambda record: record.audit_rba == 100),
    "AUDITRBA < 100": of_rows(lambda record: record.audit_rba < 100),
    "AUDITRBA <= 100": of_rows(lambda record: record.audit_rba <= 100),
    "AUDITRBA > 65536": of_rows(lambda record: record.audit_rba > 65536),
    "AUDITRBA <> 211": of_rows(lambda record: record.audit_rba != 211),
    "AUDITRBA 4294967295": of_rows(lambda record: record.audit_rba == 0xFFFFFFFF),
    "TRANSIND first": of_rows(lambda record: record.trans_ind == FIRST),
    "TRANSIND >= 2": of_rows(lambda record: record.trans_ind >= LAST),
    "UNDOFLAG 1": of_rows(lambda record: record.undo_flag == 1),
    "SYSKEYLEN > 0": of_rows(lambda record: record.syskey_len > 0),
    "SYSKEY 107": lambda record: record.syskey_len == 4 and record.data[:4] == b"\0\0\0\x6b",
    "STARTTIME 2024-03-14 09:05": of_rows(lambda record: record.minute >= 5),
    "ENDTIME 2024-03-14 09:05": of_rows(lambda record: record.minute <= 5),
    "STRING Denver": lambda record: b"Denver" in record.data,
    "STRING BOTH Denver": lambda record: b"denver" in record.data.lower(),
    'STRING "Denver" 0:5': lambda record: record.data[:6] == b"Denver",
    'STRING "Denver" 2:7': lambda record: record.data[2:8] == b"Denver",
    'STRING "Denver" 7:12': lambda record: record.data[7:13] == b"Denver",
    'STRING "Denver" 1:12': lambda record: b"Denver" in record.data[1:13],
    'STRING B,"DENVER" 0:6, "key"': lambda record: record.data[:6].lower() == b"denver" or b"key" in record.data,
    "STRING Leaf": lambda record: b"Leaf" in record.data,
    "HEX 006b": lambda record: b"\0\x6b" in record.data,
    "HEX 0000006b 0:3": lambda record: record.data[:4] == b"\0\0\0\x6b",
    "HEX 00, 44": lambda record: b"\0" in record.data or b"D" in record.data,
    "INT16 258": lambda record: b"\1\2" in record.data,
    "INT16 513": lambda record: b"\2\1" in record.data,
    "INT32 107": lambda record: b"\0\0\0\x6b" in record.data,
    "INT64 107": lambda record: b"\0\0\0\0\0\0\0\x6b" in record.data,
    "INT64 -7": lambda record: b"\xff" * 7 + b"\xf9" in record.data,
    "CSN 101": csn(lambda number: number == 101),
    "CSN > 99": csn(lambda number: number > 99),
    "CSN < 100": csn(lambda number: number < 100),
    "CSN >= 0.100": csn(lambda number: number >= 100),
    "CSN <= 0x64": csn(lambda number: number <= 100),
    "CSN <> 100": csn(lambda number: number != 100),
    "CSN <> 4:1095": csn(always),
    "CSN > 4:1095": never,
    "GGSTOKEN LOGCSN": lambda record: "L" in record.tokens,
    "GGSTOKEN LOGCSN >= 101": csn(lambda number: number >= 101),
    "GGSTOKEN TRANID": lambda record: "6" in record.tokens,
    "GGSTOKEN TRANID 5.1.7": lambda record: record.xid == "5.1.7",
    "GGSTOKEN TRANID <> 5.1.7": lambda record: record.xid not in {None, "5.1.7"},
    "GGSTOKEN TRANID > w": lambda record: record.xid == "x",
    "GGSTOKEN ORAROWID": lambda record: "R" in record.tokens,
    f"GGSTOKEN ORAROWID AAAT{'y' * 14}": lambda record: record.tokens.get("R", b"")[4:5] == b"y",
    f"GGSTOKEN ORAROWID AAAT{'x' * 14}": lambda record: record.tokens.get("R", b"")[4:5] == b"x",
    "GGSTOKEN ORAROWID > AAATxz": lambda record: record.tokens.get("R", b"")[4:5] == b"y",
    "GGSTOKEN DDL two": lambda record: "D" in record.tokens,
    "GGSTOKEN DDL one,": never,
    "GGSTOKEN DDL <> three": lambda record: "D" in record.tokens,
    "GGSTOKEN DDL <> two": never,
    "GGSTOKEN ORATAG Denver": lambda record: record.tokens.get("t") == b"Denver",
    'GGSTOKEN ORATAG ""': lambda record: record.tokens.get("t") == b"",
    "GGSTOKEN ORATAG <> Denver": lambda record: record.tokens.get("t") == b"",
    "USERTOKEN TK-HOST": lambda record: "TK-HOST" in record.user,
    "USERTOKEN tk-host Denver": lambda record: record.user.get("TK-HOST") == "Denver",
    "USERTOKEN N > 9": lambda record: record.user.get("N") == "11",
    "USERTOKEN N Denver": lambda record: "n" in record.user,
    "USERTOKEN N <> Denver": lambda record: record.user.get("N") == "9",
    "VALUE QTY = 7": value("QTY", lambda held: held == 7),
    "VALUE qty > 7": value("QTY", lambda held: held != "" and held > 7),
    "VALUE QTY <> 7": value("QTY", lambda held: held not in {"", 7}),
    "VALUE QTY = NULL": value("QTY", lambda held: held == ""),
    "VALUE QTY <> NULL": value("QTY", lambda held: held != ""),
    'VALUE "qty" = 7': never,
    "VALUE NOTE = leaf": value("NOTE", lambda held: held == "leaf"),
    "VALUE NOTE = 'Leaf'": value("NOTE", lambda held: held == "Leaf"),
    "VALUE NOTE = 'Leaf '": value("NOTE", lambda held: held == "Leaf "),
    "VALUE NOTE IS NULL": value("NOTE", lambda held: held == ""),
    "VALUE QTY is  not  null": value("QTY", lambda held: held != ""),
    "VALUE NOTE > M": value("NOTE", lambda held: held > "M"),
    "VALUE NOTE = NULL": value("NOTE", lambda held: held == ""),
    "VALUE OTHER = NULL": never,
}


def by_record(trail: TrailFile, filters: FilterSet) -> list[int]:
    """The RBAs of the records that pass, each asked for itself."""
    selection = Selection(trail, [filters], lambda: RowDefinitions(trail))
    records = [trail.record_at(rba) for rba in trail.sound_rbas(0, trail.size)]
    return [record.rba for record in records if record is not None and selection.accepts(record)]


def by_columns(trail: TrailFile, filters: FilterSet, size: int) -> list[int]:
    """The same in batches of ``size`` rows."""
    selection = Selection(trail, [filters], lambda: RowDefinitions(trail))
    batches: Iterator[Any] = (with_numpy(record) for record in scan(trail, batch_size=size))
    return [rba for batch in batches for rba in batch.rba[selection.rows(batch)].tolist()]


def with_numpy(batch: Batch) -> Batch:
    """The batch as a kernel makes it: columns of numpy."""
    columns = {record.name: np.array(getattr(batch, record.name)) for record in fields(batch) if record.name != "names"}
    return Batch(**columns, names=batch.names)


def told(statements: Sequence[str]) -> FilterSet:
    """The filter after these statements."""
    filters = FilterSet()
    for statement in statements:
        apply(filters, statement, GMT)
    return filters


@pytest.fixture(scope="module")
def trails(tmp_path_factory: pytest.TempPathFactory) -> dict[ByteOrder, tuple[Path, list[Plain]]]:
    """The trail of either order with its records in plain words."""
    return {order: trail_in(tmp_path_factory.mktemp(order.name), order) for order in ByteOrder}


def test_the_records_are_what_the_plain_words_say(trails: dict[ByteOrder, tuple[Path, list[Plain]]]) -> None:
    for order, (path, records) in trails.items():
        with TrailFile(path) as trail:
            read = [trail.record_at(rba) for rba in trail.sound_rbas(0, trail.size)]
            found = [record for record in read if record is not None]
            assert [record.rba for record in found] == [record.rba for record in records]
            assert {record.order for record in found[1:]} == {order}
            assert [record.header.io_time for record in found[1:]] == [
                NINE + record.minute * MINUTE for record in records[1:]
            ]


@pytest.mark.parametrize(
    ("option", "order"), [record for record in in_turn(QUESTIONS, ByteOrder) if record not in LITTLE_TOO]
)
def test_an_option_means_what_the_condition_says(
    option: str, order: ByteOrder, trails: dict[ByteOrder, tuple[Path, list[Plain]]]
) -> None:
    path, records = trails[order]
    included = [record.rba for record in records if QUESTIONS[option](record)]
    left = [record.rba for record in records if not QUESTIONS[option](record)]
    with TrailFile(path) as trail:
        for (statement, expected), size in in_turn(((option, included), (f"EXCLUDE {option}", left)), (3, 1000)):
            filters = told([statement])
            assert by_record(trail, filters) == by_columns(trail, filters, size) == expected


@pytest.mark.parametrize(("option", "size"), [("INT16 258", 2), ("INT16 513", 2), ("INT32 107", 4), ("INT64 107", 8)])
def test_an_integer_of_a_little_endian_file_is_sought_in_both_orders(
    option: str, size: int, trails: dict[ByteOrder, tuple[Path, list[Plain]]]
) -> None:
    path, records = trails[ByteOrder.LITTLE]
    wanted = int(option.split()[1])
    stored = wanted.to_bytes(size, "big"), wanted.to_bytes(size, "little")
    expected = [record.rba for record in records if any(each in record.data for each in stored)]
    with TrailFile(path) as trail:
        assert by_record(trail, told([option])) == by_columns(trail, told([option]), 4) == expected


SOME = st.lists(st.sampled_from([*QUESTIONS]), max_size=3)


@settings(max_examples=examples(40))
@given(included=SOME, excluded=SOME, matches=st.tuples(st.booleans(), st.booleans()), size=st.sampled_from([1, 4, 99]))
def test_criteria_combine_as_their_conditions_do(
    included: list[str],
    excluded: list[str],
    matches: tuple[bool, bool],
    size: int,
    trails: dict[ByteOrder, tuple[Path, list[Plain]]],
) -> None:
    def passes(record: Plain) -> bool:
        meets, is_out = [QUESTIONS[each](record) for each in included], [QUESTIONS[each](record) for each in excluded]
        is_in = (all(meets) if matches[0] else any(meets)) if included else True
        return is_in and not ((all(is_out) if matches[1] else any(is_out)) if excluded else False)

    statements = [*included, *(f"EXCLUDE {each}" for each in excluded)]
    statements += [
        f"{which} MATCH {'ALL' if every else 'ANY'}" for which, every in zip(("INC", "EXC"), matches, strict=True)
    ]
    path, records = trails[ByteOrder.BIG]
    expected = [record.rba for record in records if passes(record)]
    with TrailFile(path) as trail:
        assert by_record(trail, told(statements)) == by_columns(trail, told(statements), size) == expected
