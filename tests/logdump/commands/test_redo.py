"""REDO and UNDO at the prompt."""

from __future__ import annotations

from pathlib import Path

from tests.logdump.line import Line


def test_redo_prints_the_transaction_at_the_position(shop: Line) -> None:
    shop("pos 3391")
    assert shop("redo ansi") == [
        "-- Transaction 5.4.8804 CSN 41882368 2024/03/14 09:34:00.000.000, RBA 3391 to 3629, 2 records",
        "START TRANSACTION;",
        'UPDATE "TEAHOUSE"."TEAS" SET "STOCK_KG" = 310 WHERE "TEA_CODE" = \'ASS02\';',
        "COMMIT;",
    ]


def test_a_position_inside_a_transaction_means_all_of_it(shop: Line) -> None:
    shop("pos 3391; next")
    assert "RBA 3391 to 3629" in shop("undo ansi")[0]


def test_the_position_moves_past_the_last_transaction(shop: Line) -> None:
    shop("pos 3391; redo 2")
    assert shop("pos") == ["Reading forward from RBA 3987"]


def test_undo_takes_the_last_transaction_back_first(shop: Line) -> None:
    shop("pos 3069")
    begins = [line for line in shop("undo 3 oracle") if line.startswith("-- Transaction")]
    assert [line.split()[2] for line in begins] == ["5.4.8804", "5.3.8803", "5.2.8802"]


def test_what_cannot_be_undone_says_why(shop: Line) -> None:
    shop("pos 5352")
    assert shop("undo ansi")[2:4] == [
        "-- RBA 5352 TRUNCATE TEAHOUSE.SALES: a truncate: the trail has none of the rows that went",
        "-- 1 of the changes above could not be written: think before you commit.",
    ]


def test_the_filter_leaves_changes_out_and_says_so(shop: Line) -> None:
    shop("filter include filename TEAHOUSE.SALES")
    shop("pos 4989")
    assert shop("redo")[-2:] == ["-- The filter left out 1 changes of this transaction.", "COMMIT;"]


def test_a_transaction_without_end_is_not_committed(line: Line, trails: Path, tmp_path: Path) -> None:
    cut = tmp_path / "et000000000"
    cut.write_bytes((trails / "et000000000").read_bytes()[:2700])
    line(f"open {cut}")
    shown = line("redo")
    assert "to the end of the file" in shown[0]
    assert shown[-1].startswith("-- The file ends before this transaction does")


def test_a_word_that_is_no_dialect_is_refused(shop: Line) -> None:
    shop("redo 2 sqlserver")
    assert "'sqlserver' is no number of transactions" in shop.failures[0].lines[0]


def test_a_name_cannot_end_the_comment_it_stands_in(line: Line, trails: Path) -> None:
    line(f"open {trails / 'et000000000'}")
    line("pos 0")
    assert all(one.isprintable() for one in line("undo 50"))
