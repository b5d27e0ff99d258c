from __future__ import annotations

from pathlib import Path

import pytest

from logdump.session.known_record import KnownRecord
from tests.logdump.line import Line
from tests.trailformat.samples import column, metadata_record, row, trail_of
from trailformat import ByteOrder, Record, TableDefinition
from trailformat.changes.transactions import is_transactional
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import BEGINS, ENDS


def _shown(line: Line) -> Record:
    return next(event.record for event in line.events if isinstance(event, KnownRecord))


def _all(line: Line) -> list[Record]:
    return list(line.session.trail.records())


def test_sft_finds_types_by_name_and_number(shop: Line) -> None:
    shop("sft delete")
    first = shop.rbas
    shop("pos 0; scanfortype 3")
    assert shop.rbas == first
    assert _shown(shop).header.io_type == 3


def test_sft_takes_a_table_behind_a_comma(shop: Line) -> None:
    shop("sft insert, *.sales")
    assert shop.session.trail.name_of(_shown(shop)) == "TEAHOUSE.SALES"


def test_sft_that_finds_nothing_leaves_the_position(shop: Line) -> None:
    shop("skip 3")
    before = shop.session.cursor.next
    assert shop("sft filerename") == [f"No record of type filerename found from RBA {before} to the end."]
    assert shop.session.cursor.next == before


def test_an_unknown_type_is_an_error(shop: Line) -> None:
    assert "SHOW RECTYPE" in shop("sft upserts")[0]


def test_sfts_finds_the_first_record_at_or_after_a_time(shop: Line) -> None:
    shop("sfts 2024-03-14 09:32:00")
    found = _shown(shop)
    earlier = [record for record in _all(shop) if record.rba < found.rba and not record.is_file_header]
    assert all(record.header.io_time < found.header.io_time for record in earlier)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot read ''."),
        ("whenever", "with Z or +hh:mm, not 'whenever'."),
        ("2024-02-30", "'2024-02-30' does not exist: the day is 1 to 29."),
        ("25:00", "'25:00' does not exist: the hour is 0 to 23."),
    ],
)
def test_sfts_refuses_what_is_no_time(text: str, why: str, shop: Line) -> None:
    said = shop(f"sfts {text}")[0]
    assert (said.startswith("SCANFORTIME: "), said.endswith(why), len(shop.failures)) == (True, True, 1), said


def test_sfr_finds_an_audit_rba(shop: Line) -> None:
    wanted = _all(shop)[-1].header.audit_rba
    shop(f"sfr {wanted}, {shop.session.trail.path}")
    assert _shown(shop).header.audit_rba == wanted


def test_sfr_opens_the_file_that_it_names(line: Line, trails: Path) -> None:
    line(f"sfr -1 {trails / 'et000000000'}")
    assert line.session.trail.path.name == "et000000000"
    assert line.rbas


def test_sfet_displays_the_first_record_of_the_next_transaction(shop: Line) -> None:
    rows = [record for record in _all(shop) if is_transactional(record)]
    end = next(at for at, record in enumerate(rows) if record.header.trans_ind in ENDS)
    shop("sfet")
    assert shop.rbas == [rows[end + 1].rba]


def test_sfnt_walks_from_one_beginning_to_the_next(shop: Line) -> None:
    begins = [record.rba for record in _all(shop) if is_transactional(record) and record.header.trans_ind in BEGINS]
    found = []
    while True:
        shop("sfnt")
        if shop.failures:
            break
        found += shop.rbas
    assert found == begins


@pytest.mark.parametrize(("text", "kinds"), [("", [1, 2, 2]), ("ddr", [1]), ("tdr", [2, 2]), ("tdr next", [2, 2])])
def test_sfmd_walks_over_definitions(text: str, kinds: list[int], shop: Line) -> None:
    found = []
    while not (shop(f"sfmd {text}") and shop.failures):
        found.append(_shown(shop).header.orig_node)
    assert found == kinds


def test_sfmd_finds_an_index(shop: Line) -> None:
    shop("sfmd tdr 2")
    assert _shown(shop).metadata_indexes == (1, 2)


def test_sfmd_tells_the_definition_in_force_whatever_stands_behind_it(tmp_path: Path, line: Line) -> None:
    name = "TEA.LEAVES"
    tdr = metadata_record(2, 1, name, build_table(TableDefinition(1, 1, (column(),)), ByteOrder.BIG))
    again = metadata_record(2, 1, name, build_table(TableDefinition(1, 1, (column("COST"),)), ByteOrder.BIG))
    path = trail_of(tmp_path, tdr, row(name=1), row(name=1), again, row(name=1))
    line(f"open {path}")
    starts = [record.rba for record in line.session.trail.records()]
    for position, in_force in zip(starts, [0, 0, 0, 3, 3], strict=True):
        line(f"pos {position}")
        line("sfmd tdr 1")
        assert line.rbas == [starts[in_force]]
    line("pos 0; n; sfmd tdr 1 next")
    assert line.rbas[-1] == starts[3]
    line("pos eof rev; sfmd tdr 1")
    assert line.rbas == [starts[3]]
    line("sfmd tdr 1")
    assert line.rbas == [starts[0]]


def test_sfh_steps_over_damage(line: Line, trails: Path) -> None:
    line(f"open {trails / 'gt000000000'}")
    while not line("n 1") or not line.failures:
        assert line.rbas
    bad = line.session.cursor.next
    line("sfh")
    assert line.rbas[0] > bad


def test_sfh_prev_twice_steps_back_one_record(shop: Line) -> None:
    rbas = [record.rba for record in _all(shop)]
    shop("n 5; sfh prev")
    assert shop.rbas[-1] == rbas[4]
    shop("sfh prev")
    assert shop.rbas == [rbas[3]]


def test_sfh_prev_behind_sfh_shows_the_same_record_again(shop: Line) -> None:
    rbas = [record.rba for record in _all(shop)]
    shop("n 5; sfh")
    assert shop.rbas[-1] == rbas[5]
    shop("sfh prev")
    assert shop.rbas == [rbas[5]]


def test_begin_stands_at_the_first_row_of_its_time(shop: Line) -> None:
    shop("begin 2024-03-14 09:32:00")
    rows = [record for record in _all(shop) if is_transactional(record)]
    moment = next(record for record in rows if record.rba >= shop.session.cursor.next).header.io_time
    assert all(record.header.io_time < moment for record in rows if record.rba < shop.session.cursor.next)


def test_begin_after_everything_stands_at_the_end(shop: Line) -> None:
    shop("begin 2099-01-01")
    assert shop.session.cursor.next == shop.session.trail.size


def test_a_scan_obeys_the_filter(shop: Line) -> None:
    shop("filter filename *.sales; sft insert")
    assert shop.session.trail.name_of(_shown(shop)) == "TEAHOUSE.SALES"


def test_a_scan_runs_backwards_when_reading_does(shop: Line) -> None:
    deletes = [record.rba for record in _all(shop) if not record.is_file_header and record.header.io_type == 3]
    shop("pos eof; pos rev; sft delete")
    assert shop.rbas == [deletes[-1]]


@pytest.mark.parametrize(
    "command",
    [
        "sfr -1 {}",
        "sfr 108466, {}",
        "sft insert, {}",
        "sfts 2000-01-01, {}",
        "count file {}",
        "filter include filename {}; n 3",
    ],
)
@pytest.mark.parametrize("content", [b"", b"no trail", None], ids=["empty", "text", "trail"])
def test_a_file_that_is_called_like_a_table_changes_no_answer(
    command: str, content: bytes | None, shop: Line, trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word is taken for a trail where it is named like one."""
    monkeypatch.chdir(tmp_path)
    for table in ("TEAHOUSE.SALES", "SALES", "nothing"):
        answers = []
        for is_there in (False, True):
            if is_there:
                (tmp_path / table).write_bytes((trails / "et000000000").read_bytes() if content is None else content)
            shop(f"open {trails / 'et000000000'}; filter clear")
            answers.append((shop(command.format(table)), shop.rbas, shop.session.trail.path))
        assert answers[0] == answers[1]
