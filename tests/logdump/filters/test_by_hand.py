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
    return lambda one: not one.is_header and condition(one)


def csn(condition: Callable[[int], bool]) -> Condition:
    """The condition on the CSN of the transaction, where there is one."""
    return lambda one: one.csn is not None and condition(one.csn)


def value(name: str, condition: Callable[[Any], bool]) -> Condition:
    """The condition on what any image holds in a column."""
    return lambda one: any(condition(held) for held in one.values.get(name, ()))


def always(_one: object) -> bool:
    """Of every record."""
    return True


def never(_one: object) -> bool:
    """Of none."""
    return False


QUESTIONS: dict[str, Condition] = {
    "RECTYPE 5": of_rows(lambda one: one.io_type == INSERT),
    "RECTYPE 3, 160": of_rows(lambda one: one.io_type in {DELETE, DDL}),
    "RECTYPE 0": never,
    "IOTYPE Update": of_rows(lambda one: one.io_type == UPDATE),
    "IOTYPE 170": of_rows(lambda one: one.io_type == METADATA),
    "FILENAME tea.*": lambda one: one.name.upper().startswith("TEA."),
    "FILENAME *": lambda one: bool(one.name),
    "FILENAME $qa01.*, hr.jobs": lambda one: one.name.startswith("\\TRILL.") or one.name == "HR.JOBS",
    "FILENAME \\trill.*": lambda one: one.name.startswith("\\TRILL."),
    "FILENAME trill.*": never,
    "FILENAME tea.?ups": lambda one: one.name == "TEA.CUPS",
    "ANSINAME TEA.LEAVES": lambda one: one.name == "TEA.LEAVES",
    "ANSINAME TEA.CUPS, Tea.Leaves": lambda one: one.name in {"TEA.CUPS", "Tea.Leaves"},
    "RBA > 2000": lambda one: one.rba > 2000,
    "RBA 0": lambda one: one.rba == 0,
    "RBA <= 18446744073709551615": always,
    "RBA > 9223372036854775807": never,
    "RECLEN 6": lambda one: (one.header_size or len(one.data)) == 6,
    "RECLEN 0": lambda one: (one.header_size or len(one.data)) == 0,
    "RECLEN >= 8": lambda one: (one.header_size or len(one.data)) >= 8,
    "AUDITRBA 100": of_rows(lambda one: one.audit_rba == 100),
    "AUDITRBA < 100": of_rows(lambda one: one.audit_rba < 100),
    "AUDITRBA <= 100": of_rows(lambda one: one.audit_rba <= 100),
    "AUDITRBA > 65536": of_rows(lambda one: one.audit_rba > 65536),
    "AUDITRBA <> 211": of_rows(lambda one: one.audit_rba != 211),
    "AUDITRBA 4294967295": of_rows(lambda one: one.audit_rba == 0xFFFFFFFF),
    "TRANSIND first": of_rows(lambda one: one.trans_ind == FIRST),
    "TRANSIND >= 2": of_rows(lambda one: one.trans_ind >= LAST),
    "UNDOFLAG 1": of_rows(lambda one: one.undo_flag == 1),
    "SYSKEYLEN > 0": of_rows(lambda one: one.syskey_len > 0),
    "SYSKEY 107": lambda one: one.syskey_len == 4 and one.data[:4] == b"\0\0\0\x6b",
    "STARTTIME 2024-03-14 09:05": of_rows(lambda one: one.minute >= 5),
    "ENDTIME 2024-03-14 09:05": of_rows(lambda one: one.minute <= 5),
    "STRING Denver": lambda one: b"Denver" in one.data,
    "STRING BOTH Denver": lambda one: b"denver" in one.data.lower(),
    'STRING "Denver" 0:5': lambda one: one.data[:6] == b"Denver",
    'STRING "Denver" 2:7': lambda one: one.data[2:8] == b"Denver",
    'STRING "Denver" 7:12': lambda one: one.data[7:13] == b"Denver",
    'STRING "Denver" 1:12': lambda one: b"Denver" in one.data[1:13],
    'STRING B,"DENVER" 0:6, "key"': lambda one: one.data[:6].lower() == b"denver" or b"key" in one.data,
    "STRING Leaf": lambda one: b"Leaf" in one.data,
    "HEX 006b": lambda one: b"\0\x6b" in one.data,
    "HEX 0000006b 0:3": lambda one: one.data[:4] == b"\0\0\0\x6b",
    "HEX 00, 44": lambda one: b"\0" in one.data or b"D" in one.data,
    "INT16 258": lambda one: b"\1\2" in one.data,
    "INT16 513": lambda one: b"\2\1" in one.data,
    "INT32 107": lambda one: b"\0\0\0\x6b" in one.data,
    "INT64 107": lambda one: b"\0\0\0\0\0\0\0\x6b" in one.data,
    "INT64 -7": lambda one: b"\xff" * 7 + b"\xf9" in one.data,
    "CSN 101": csn(lambda number: number == 101),
    "CSN > 99": csn(lambda number: number > 99),
    "CSN < 100": csn(lambda number: number < 100),
    "CSN >= 0.100": csn(lambda number: number >= 100),
    "CSN <= 0x64": csn(lambda number: number <= 100),
    "CSN <> 100": csn(lambda number: number != 100),
    "CSN <> 4:1095": csn(always),
    "CSN > 4:1095": never,
    "GGSTOKEN LOGCSN": lambda one: "L" in one.tokens,
    "GGSTOKEN LOGCSN >= 101": csn(lambda number: number >= 101),
    "GGSTOKEN TRANID": lambda one: "6" in one.tokens,
    "GGSTOKEN TRANID 5.1.7": lambda one: one.xid == "5.1.7",
    "GGSTOKEN TRANID <> 5.1.7": lambda one: one.xid not in {None, "5.1.7"},
    "GGSTOKEN TRANID > w": lambda one: one.xid == "x",
    "GGSTOKEN ORAROWID": lambda one: "R" in one.tokens,
    f"GGSTOKEN ORAROWID AAAT{'y' * 14}": lambda one: one.tokens.get("R", b"")[4:5] == b"y",
    f"GGSTOKEN ORAROWID AAAT{'x' * 14}": lambda one: one.tokens.get("R", b"")[4:5] == b"x",
    "GGSTOKEN ORAROWID > AAATxz": lambda one: one.tokens.get("R", b"")[4:5] == b"y",
    "GGSTOKEN DDL two": lambda one: "D" in one.tokens,
    "GGSTOKEN DDL one,": never,
    "GGSTOKEN DDL <> three": lambda one: "D" in one.tokens,
    "GGSTOKEN DDL <> two": never,
    "GGSTOKEN ORATAG Denver": lambda one: one.tokens.get("t") == b"Denver",
    'GGSTOKEN ORATAG ""': lambda one: one.tokens.get("t") == b"",
    "GGSTOKEN ORATAG <> Denver": lambda one: one.tokens.get("t") == b"",
    "USERTOKEN TK-HOST": lambda one: "TK-HOST" in one.user,
    "USERTOKEN tk-host Denver": lambda one: one.user.get("TK-HOST") == "Denver",
    "USERTOKEN N > 9": lambda one: one.user.get("N") == "11",
    "USERTOKEN N Denver": lambda one: "n" in one.user,
    "USERTOKEN N <> Denver": lambda one: one.user.get("N") == "9",
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
    return [one.rba for one in records if one is not None and selection.accepts(one)]


def by_columns(trail: TrailFile, filters: FilterSet, size: int) -> list[int]:
    """The same in batches of ``size`` rows."""
    selection = Selection(trail, [filters], lambda: RowDefinitions(trail))
    batches: Iterator[Any] = (with_numpy(one) for one in scan(trail, batch_size=size))
    return [rba for batch in batches for rba in batch.rba[selection.rows(batch)].tolist()]


def with_numpy(batch: Batch) -> Batch:
    """The batch as a kernel makes it: columns of numpy."""
    columns = {one.name: np.array(getattr(batch, one.name)) for one in fields(batch) if one.name != "names"}
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
            found = [one for one in read if one is not None]
            assert [one.rba for one in found] == [one.rba for one in records]
            assert {one.order for one in found[1:]} == {order}
            assert [one.header.io_time for one in found[1:]] == [NINE + one.minute * MINUTE for one in records[1:]]


@pytest.mark.parametrize(("option", "order"), [one for one in in_turn(QUESTIONS, ByteOrder) if one not in LITTLE_TOO])
def test_an_option_means_what_the_condition_says(
    option: str, order: ByteOrder, trails: dict[ByteOrder, tuple[Path, list[Plain]]]
) -> None:
    path, records = trails[order]
    included = [one.rba for one in records if QUESTIONS[option](one)]
    left = [one.rba for one in records if not QUESTIONS[option](one)]
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
    expected = [one.rba for one in records if any(each in one.data for each in stored)]
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
    def passes(one: Plain) -> bool:
        meets, is_out = [QUESTIONS[each](one) for each in included], [QUESTIONS[each](one) for each in excluded]
        is_in = (all(meets) if matches[0] else any(meets)) if included else True
        return is_in and not ((all(is_out) if matches[1] else any(is_out)) if excluded else False)

    statements = [*included, *(f"EXCLUDE {each}" for each in excluded)]
    statements += [
        f"{which} MATCH {'ALL' if every else 'ANY'}" for which, every in zip(("INC", "EXC"), matches, strict=True)
    ]
    path, records = trails[ByteOrder.BIG]
    expected = [one.rba for one in records if passes(one)]
    with TrailFile(path) as trail:
        assert by_record(trail, told(statements)) == by_columns(trail, told(statements), size) == expected
