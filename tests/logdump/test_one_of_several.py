"""First, last, next and nearest of three, in commands: whatever stands between them, and however they were written."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import pytest

from fixtures import TRAILS
from logdump.display.sql.decisions import SqlTable
from logdump.features.check.model import BadRowShown, GapShown
from logdump.features.explain.files import Surroundings, first_file
from logdump.features.explain.places import named_transaction
from logdump.features.transactions.model import TransactionListed
from logdump.parameters.model import Rule
from logdump.parameters.tree import Clause, ClauseOption
from logdump.session.defined_names import undefined_column
from logdump.tables.errors import BadTrail, FileChanged, SchemaChanged, carried_by
from tests.logdump.line import Line
from tests.trailformat.samples import column, header, metadata_record, row, table_record, trail_of
from tests.trailformat.test_applied import transaction
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import (
    ByteOrder,
    Images,
    Record,
    TableDefinition,
    TrailFile,
    make_column,
    make_file_header_record,
    make_record,
    make_token,
)
from trailformat.definitions.metadata import build_table
from trailformat.index import build, index_of
from trailformat.records.file_header import replace_values
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY

ORDERS = list(permutations(range(3)))


def _size(*records: Record | bytes) -> int:
    return sum(len(record.raw if isinstance(record, Record) else record) for record in records)


def _starts(records: list[Record | bytes]) -> list[int]:
    return [_size(*records[:at]) for at in range(len(records))]


def _group(csn: str, *names: str) -> list[Record]:
    """A transaction of rows of these tables."""
    tokens = [make_token("L", csn.encode()), make_token("6", b"1.1")]
    kinds = [FIRST, *[MIDDLE] * (len(names) - 2), LAST] if len(names) > 1 else [ONLY]
    rows = [row(b"leaf", name, trans_ind=kind) for name, kind in zip(names, kinds, strict=True)]
    return [make_record(rows[0].header, rows[0].data, tokens), *rows[1:]]


@pytest.mark.parametrize("others", [0, 1, 2])
def test_the_next_and_the_previous_record_of_a_table_are_the_nearest(others: int, line: Line, tmp_path: Path) -> None:
    """Three of a table, with others between, and tables whose names begin or end like it."""
    between = [row(name=name, trans_ind=ONLY) for name in ("TEA.LEAVESX", "XTEA.LEAVES")][:others]
    records: list[Record | bytes] = []
    for _ in range(3):
        records += [*between, row(name="TEA.LEAVES", trans_ind=ONLY)]
    path, places = trail_of(tmp_path, *records), _starts(records)[others :: others + 1]
    line(f"open {path}; position {places[1]}; n; sametable")
    assert line.session.cursor.current == places[2]
    line(f"position {places[1]}; n; sametable previous")
    assert line.session.cursor.current == places[0]


@pytest.mark.parametrize("lacking", [(), (0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)])
def test_columns_are_nameable_up_to_the_first_that_is_not(lacking: tuple[int, ...]) -> None:
    """Of three columns of a set, others that cannot be named being outside of it."""
    places = [1, 3, 4]
    lacks = [f"column {index}" if index in (0, 2) else None for index in range(6)]
    for at in lacking:
        lacks[places[at]] = f"lack {at}"
    columns = sum(1 << place for place in places)
    found = SqlTable.nameable(SimpleNamespace(lacks=lacks), columns)  # type: ignore[arg-type]
    if lacking:
        assert found == (sum(1 << place for place in places[: lacking[0]]), f"lack {lacking[0]}")
    else:
        assert found == (columns, None)


@pytest.mark.parametrize("lengths", list(permutations((1, 2, 3))))
def test_redo_begins_with_the_transaction_that_is_open_at_the_position_or_the_next(
    lengths: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """Three transactions, from each of their records and from what is between them."""
    names = ["TEA.ONE", "TEA.TWO", "TEA.THREE"]
    records: list[Record | bytes] = []
    owners = []
    for at, (name, length) in enumerate(zip(names, lengths, strict=True)):
        records += [row(b"", name="", io_type=150, trans_ind=ONLY), *_group(f"{at + 1}0", *[name] * length)]
        owners += [at] * (length + 1)
    path = trail_of(tmp_path, *records)
    for place, owner in zip(_starts(records), owners, strict=True):
        text = "\n".join(line(f"open {path}; position {place}; redo 1"))
        assert [name for name in names if name in text] == [names[owner]], place


@pytest.mark.parametrize("wrong", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_of_several_columns_that_do_not_decode_the_first_is_named(
    wrong: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """In each of three rows, a sound one between; columns stand in the row in the order of their indexes."""
    definition = TableDefinition(1, 1, tuple(column(f"C{number}") for number in range(3)))
    cells = tuple(make_column(at, b"\0\1" if at in wrong else bytes(8)) for at in range(3))
    sound = tuple(make_column(at, bytes(8)) for at in range(3))
    bad, good = (make_record(header(1, trans_ind=ONLY), Images(None, each)) for each in (cells, sound))
    records: list[Record | bytes] = [
        metadata_record(2, 1, "TEA.POTS", build_table(definition, ByteOrder.BIG)),
        bad,
        good,
        bad,
        bad,
    ]
    line(f"open {trail_of(tmp_path, *records)}; check values")
    starts = _starts(records)
    shown = [(event.rba, event.column) for event in line.events if isinstance(event, BadRowShown)]
    assert shown == [(starts[at], f"C{wrong[0]}") for at in (1, 3, 4)]


@pytest.mark.parametrize("sound", [1, 2])
def test_each_of_three_gaps_has_the_next_good_record(sound: int, line: Line, tmp_path: Path) -> None:
    records: list[Record | bytes] = [row(trans_ind=ONLY)]
    for _ in range(3):
        records += [GARBAGE, *[row(trans_ind=ONLY)] * sound]
    line(f"open {trail_of(tmp_path, *records)}; check")
    starts = _starts(records)
    shown = [(event.rba, event.next_good) for event in line.events if isinstance(event, GapShown)]
    assert shown == [(starts[at], starts[at + 1]) for at, record in enumerate(records) if record is GARBAGE]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("without", [(), (0,), (0, 1), (0, 1, 2)])
def test_a_place_without_a_file_is_in_the_first_file_of_the_first_folder_with_trails(
    without: tuple[int, ...], order: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three folders, the files of each made in any order."""
    monkeypatch.chdir(tmp_path)
    folders = [tmp_path / f"folder{number}" for number in range(3)]
    for at, folder in enumerate(folders):
        folder.mkdir()
        for number in () if at in without else order:
            trail_of(folder, row(), name=f"tt{number:09}")
    found = first_file(Surroundings(given=tuple(folders)))
    assert found == (folders[len(without)] / "tt000000000" if len(without) < 3 else None)
    assert (
        first_file(Surroundings(opened=folders[2] / "tt000000001", given=tuple(folders))) == folders[2] / "tt000000001"
    )


@pytest.mark.parametrize("order", ORDERS)
def test_the_transaction_of_a_text_is_the_first_that_it_names(order: tuple[int, ...]) -> None:
    csns = ["30", "10", "20"]
    text = ", then ".join(f"CSN {csns[at]} of XID {at}.2.3" for at in order)
    named = named_transaction(f"CSN: Not Available. {text}")
    assert named is not None
    assert (named.csn, named.xid) == (csns[order[0]], f"{order[0]}.2.3")


@pytest.mark.parametrize("order", ORDERS)
def test_of_options_with_one_word_the_first_holds(order: tuple[int, ...]) -> None:
    options = tuple(
        ClauseOption(word, line=at) for at, word in enumerate(["OTHER", *(f"W{at}" for at in (*order, *order))])
    )
    clause = Clause(True, options, Rule(Path("ext.prm"), 1, ""))
    for at, number in enumerate(order, 1):
        assert clause.option(f"W{number}") == options[at]
    assert clause.option("NONE") is None


@pytest.mark.parametrize("order", ORDERS)
def test_a_column_that_is_not_defined_is_answered_with_the_nearest_first(
    order: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """Of three columns, defined in any order."""
    names = ["STOCK_KG", "STOCK", "PRICE"]
    definition = TableDefinition(1, 1, tuple(column(names[at]) for at in order))
    path = trail_of(tmp_path, metadata_record(2, 1, "TEA.POTS", build_table(definition, ByteOrder.BIG)), row(name=1))
    line(f"open {path}")
    sentence = undefined_column(line.session, "STOK") or ""
    assert "STOCK" in sentence
    assert sentence.find("STOCK") < max(sentence.find("STOCK_KG"), 0) or "STOCK_KG" not in sentence
    assert "PRICE" not in sentence


@pytest.mark.parametrize("order", ORDERS)
def test_a_name_of_two_characters_opens_the_first_file(order: tuple[int, ...], line: Line, tmp_path: Path) -> None:
    for number in order:
        trail_of(tmp_path, row(), name=f"tt{number + 4:09}")
    line(f"open {tmp_path}/tt")
    assert line.session.trail.path.name == "tt000000004"


@pytest.mark.parametrize("order", ORDERS)
def test_of_the_errors_that_a_text_of_spark_names_the_last_counts(order: tuple[int, ...]) -> None:
    kinds = [BadTrail, FileChanged, SchemaChanged]
    text = "\n".join(f"pyspark.errors: {kinds[at].__module__}.{kinds[at].__name__}: problem {at}" for at in order)
    error = carried_by(f"Traceback\n{text}\nCaused by: java.lang.Exception")
    assert type(error) is kinds[order[-1]]
    assert str(error) == f"problem {order[-1]}"


@pytest.mark.parametrize("order", ORDERS)
def test_the_tables_of_a_transaction_come_with_the_most_records_first(
    order: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    names = [f"TEA.T{at}" for at in order for _ in range(at + 1)]
    line(f"open {trail_of(tmp_path, *_group('10', *names))}; transactions")
    (shown,) = (event for event in line.events if isinstance(event, TransactionListed))
    assert list(shown.tables.items()) == [("TEA.T2", 3), ("TEA.T1", 2), ("TEA.T0", 1)]


@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_the_header_of_a_copy_begins_with_the_first_transaction_that_is_copied(
    damaged: int, line: Line, tmp_path: Path
) -> None:
    """The first of three transactions are damaged."""
    groups = [transaction(f"{at}0", f"1.{at}") for at in (1, 2, 3)]
    with TrailFile(TRAILS / "at000000000") as trail:
        assert trail.file_header is not None
        head = make_file_header_record(replace_values(trail.file_header, "TrailInfo", {"FirstCSN": "5"}))
    parts = [GARBAGE if at < damaged else record for at, group in enumerate(groups) for record in group]
    path = trail_of(tmp_path, head, table_record(1, "TEA.POTS"), *parts)
    line(f"open {path}; repair to {tmp_path}/rr000000000 header rebuild")
    with TrailFile(tmp_path / "rr000000000") as copy:
        assert copy.file_header is not None
        assert copy.file_header.get("TrailInfo", "FirstCSN") == f"{damaged + 1}0"


@pytest.mark.parametrize("damaged", [(), (1,), (2,), (1, 3), (1, 2, 3)])
def test_the_last_sound_record_before_each_byte(damaged: tuple[int, ...], line: Line, tmp_path: Path) -> None:
    """Four records, damage before some of them; that is no record, and what is in it neither."""
    parts: list[Record | bytes] = []
    for at in range(4):
        parts += [*([GARBAGE] if at in damaged else []), row(b"leaf" * (at + 1), trans_ind=ONLY)]
    line(f"open {trail_of(tmp_path, *parts)}")
    trail, starts = line.session.trail, _starts(parts)
    sound = [start for start, part in zip(starts, parts, strict=True) if part is not GARBAGE]
    places = index_of(trail).places
    for _ in build(trail, places):
        pass
    for rba in range(1, trail.size + 1):
        expected = max((start for start in sound if start < rba), default=None)
        assert places.sound_before(trail, rba) == expected
    for rba in (*starts[1:], trail.size):
        assert line.session.cursor.good_header_before(rba) == max(start for start in sound if start < rba)
