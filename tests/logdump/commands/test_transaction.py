from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.safe.model import SafePointShown
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.trailformat.samples import row, trail_of
from trailformat.changes.transactions import is_transactional
from trailformat.records.record_header import BEGINS, FIRST, LAST, MIDDLE, ONLY

ALTER = "  ALTER REPLICAT <group>, EXTSEQNO {}, EXTRBA {}"


def _open(line: Line, path: Path) -> Line:
    line(f"open {path}")
    return line


def test_safe_inside_tells_both_places_and_what_is_skipped(shop: Line) -> None:
    shop("pos 2008; n")
    said = shop("safe")
    assert (
        said[0]
        == "RBA 2008 of et000000000 is inside a transaction, 1 of 4 records before it: a restart there is not safe."
    )
    assert "             TEAHOUSE.SALES: 2 records, 2 Insert" in said
    assert said[1:5] == [
        "To apply the whole transaction again:",
        ALTER.format(0, 1811),
        "To skip it, 4 records (4 changes: TEAHOUSE.SALES 2 Insert, TEAHOUSE.TEAS 2 Insert):",
        ALTER.format(0, 3069),
    ]


def test_safe_is_about_the_record_displayed_last_or_the_position_set(shop: Line) -> None:
    displayed = shop("pos 2008; n; safe")[-11:]
    assert shop("pos 2008; safe")[-11:] == displayed
    assert shop("pos 0; safe 2008")[-11:] == displayed


def test_safe_leaves_the_position(shop: Line) -> None:
    shop("pos 2008; n; safe 4989")
    assert (shop.session.cursor.current, shop.session.cursor.next) == (2008, 2170)


def test_safe_at_a_beginning_says_that_it_is_one(shop: Line) -> None:
    assert (
        shop("safe 3391")[0] == "RBA 3391 of et000000000 begins a transaction: a restart there applies it again, whole."
    )


def test_safe_between_two_transactions_prints_that_place(shop: Line) -> None:
    assert shop("safe 1130")[1:] == ["ALTER REPLICAT <group>, EXTSEQNO 0, EXTRBA 1130"]


def test_safe_follows_a_transaction_into_the_next_file(line: Line, trails: Path) -> None:
    said = _open(line, trails / "st000000000")("safe 4528")
    assert f"  Ends at    RBA 1918 of {trails / 'st000000001'}, the first RBA after it" in said
    assert said[3:5] == [
        "To skip it, 2 records (2 changes: TEAHOUSE.SALES 1 Insert, TEAHOUSE.TEAS 1 FieldComp):",
        ALTER.format(1, 1918),
    ]
    said = _open(line, trails / "st000000001")("safe 1811")
    assert f"  Begins at  RBA 4528 of {trails / 'st000000000'}" in said
    assert said[2] == ALTER.format(0, 4528)


def test_safe_offers_no_place_behind_an_open_transaction(line: Line, trails: Path, tmp_path: Path) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes((trails / "et000000000").read_bytes()[:3522])
    said = _open(line, path)("safe 3391")
    assert "  Ends at    not in the trail yet: the transaction is open at the end of the trail" in said
    assert said[0].startswith("RBA 3391 of et000000000 begins a transaction whose end is not in the trail yet: ")
    assert said[1:3] == ["To apply it once its end is available:", ALTER.format(0, 3391)]
    assert not any(text.startswith("To skip it") for text in said)


def test_safe_with_damage_inside_fails_a_script(trails: Path) -> None:
    answer = logdump("-c", f"open {trails / 'ft000000000'}; safe 3391")
    assert answer.status == ExitStatus.BAD_DATA
    assert "Damage at RBA 3522 of" in answer.out
    assert "no end record: the next transaction begins at RBA 3629" in answer.out


def test_safe_of_a_sound_transaction_passes_a_script(trails: Path) -> None:
    assert logdump("-c", f"open {trails / 'et000000000'}; safe 2008").status == ExitStatus.OK


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("1811 2008", "SAFE: takes one RBA, but got '1811 2008'."),
        ("here", "SAFE: 'here' is not an RBA."),
        ("-1", "SAFE: '-1' is not an RBA."),
    ],
)
def test_safe_refuses_what_is_no_rba(arguments: str, why: str, shop: Line) -> None:
    assert (shop(f"safe {arguments}")[0], len(shop.failures)) == (why, 1)


def test_safe_yields_what_it_found(shop: Line) -> None:
    shop("safe 2008")
    (event,) = shop.events
    assert isinstance(event, SafePointShown)
    assert event.places.extent is not None
    assert event.places.extent.begin is not None
    assert event.places.extent.begin.rba == 1811


@pytest.mark.parametrize(
    ("position", "step", "found"),
    [
        (2008, "begin", 1811),
        (2008, "end", 2892),
        (2008, "next", 3069),
        (3522, "previous", 3260),
        (3629, "previous", 3391),
        (0, "next", 1811),
        (3260, "begin", 3260),
        (3260, "end", 3260),
    ],
)
def test_transaction_goes_to_records_of_transactions(position: int, step: str, found: int, shop: Line) -> None:
    shop(f"pos {position}; transaction {step}")
    assert shop.rbas == [found]
    assert shop.session.cursor.current == found


def test_transaction_next_and_previous_walk_over_all_beginnings(shop: Line) -> None:
    records = shop.session.trail.records()
    begins = [record.rba for record in records if is_transactional(record) and record.header.trans_ind in BEGINS]
    forwards: list[int] = []
    while not (shop("transaction next") and shop.failures):
        forwards += shop.rbas
    assert forwards == begins
    backwards: list[int] = []
    while not (shop("transaction previous") and shop.failures):
        backwards += shop.rbas
    assert backwards == begins[-2::-1]


@pytest.mark.parametrize("step", ["begin", "end"])
def test_transaction_needs_one_to_be_in(step: str, shop: Line) -> None:
    assert shop(f"pos 0; transaction {step}")[-1] == "RBA 0 is between two transactions."


def test_transaction_names_the_file_it_is_in(line: Line, trails: Path) -> None:
    said = _open(line, trails / "st000000001")("pos 1811; transaction begin")
    assert said[-1] == f"It is at RBA 4528 of {trails / 'st000000000'}: OPEN that file."


def test_transaction_previous_stays_in_the_file(line: Line, tmp_path: Path) -> None:
    trail_of(tmp_path, row(trans_ind=ONLY), row(trans_ind=FIRST), name="tt000000000")
    path = trail_of(tmp_path, row(trans_ind=MIDDLE), row(trans_ind=LAST), name="tt000000001")
    said = _open(line, path)(f"pos {row().length}; transaction previous")
    assert said[-1] == f"No previous transaction from RBA {row().length} to the beginning."


def test_transaction_previous_does_not_find_the_end_of_one_that_began_in_the_file_before(
    line: Line, trails: Path
) -> None:
    said = _open(line, trails / "st000000001")("pos 1811; transaction previous")
    assert said[-1] == "No previous transaction from RBA 1811 to the beginning."


@pytest.mark.parametrize(("name", "where"), [("st000000000", ""), ("st000000003", ": {}/st000000002 is missing")])
def test_transaction_begin_says_when_the_beginning_is_not_here(
    name: str, where: str, line: Line, trails: Path, tmp_path: Path
) -> None:
    if where:
        (tmp_path / "st000000000").write_bytes((trails / "st000000000").read_bytes())
    (tmp_path / name).write_bytes((trails / "st000000001").read_bytes())
    said = _open(line, tmp_path / name)("pos 1811; transaction begin")
    assert said[-1] == f"The beginning of the transaction is not here{where.format(tmp_path)}."


def test_transaction_end_says_that_it_is_not_written_yet(line: Line, trails: Path, tmp_path: Path) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes((trails / "et000000000").read_bytes()[:3522])
    said = _open(line, path)("pos 3391; transaction end")
    assert said[-1] == "The end of the transaction is not here: it is open at the end of the trail."


def test_transaction_says_which_words_it_takes(shop: Line) -> None:
    assert shop("transaction")[0] == "TRANSACTION: takes BEGIN, END, NEXT or PREVIOUS."


@pytest.mark.parametrize("arguments", ["first", "next next"])
def test_transaction_refuses_other_words(arguments: str, shop: Line) -> None:
    said = shop(f"transaction {arguments}")[0]
    assert said == f"TRANSACTION: {arguments!r} is not one of BEGIN, END, NEXT, PREVIOUS."
    assert len(shop.failures) == 1


def test_sametable_walks_over_the_records_of_one_table(shop: Line) -> None:
    trail = shop.session.trail
    sales = [
        record.rba for record in trail.records() if not record.is_metadata and trail.name_of(record).endswith("SALES")
    ]
    shop(f"pos {sales[0]}; n")
    found = []
    while not (shop("sametable next") and shop.failures):
        found += shop.rbas
    assert found == sales[1:]
    found = []
    while not (shop("sametable previous") and shop.failures):
        found += shop.rbas
    assert found == sales[-2::-1]


def test_sametable_goes_past_the_filter(shop: Line) -> None:
    shop("pos 2008; n")
    expected = shop("sametable next") and shop.rbas
    shop("filter exclude filename TEAHOUSE.*; pos 2008; sametable next")
    assert shop.rbas == expected != []


def test_sametable_that_finds_nothing_leaves_the_position(shop: Line) -> None:
    said = shop("pos 5352; n; sametable next")
    assert (said[-1], len(shop.failures)) == ("No record of TEAHOUSE.SALES found from RBA 5453 to the end.", 1)
    assert (shop.session.cursor.current, shop.session.cursor.next) == (5352, 5453)


def test_sametable_keeps_the_read_direction(shop: Line) -> None:
    shop("pos 2722; pos reverse; sametable next")
    assert shop.session.cursor.is_backwards
    assert shop("n")[1].endswith("RBA 2722")


def test_sametable_needs_a_table(shop: Line) -> None:
    assert shop("pos 0; sametable next")[-1] == "No record of a table at RBA 0."
