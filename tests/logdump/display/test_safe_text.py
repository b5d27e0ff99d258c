"""SAFE about transactions made by hand: each way in which one begins, ends and lacks a part, and hostile names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from logdump.display.json_shape import exact
from logdump.features.safe.json import SAFE_POINT
from logdump.features.safe.model import SafePointShown
from logdump.features.safe.text import safe_lines
from logdump.notation.text import amount
from logdump.session.settings import Settings
from tests.logdump.extents import BEFORE, HERE, NEXT, OPEN, OVERTAKEN, WHOLE
from trailformat.records.record_header import DELETE, INSERT, NO_TRANSACTION, RESTART_ABEND, Transaction
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Damage, Ended, Extent, Restart
from trailformat.transactions.restart_places import CopyPlace, RestartPlaces

_ESCAPES = "\x1b[2J\nB"
_CUT = WHOLE._replace(
    after=FilePosition(HERE, 450),
    ended=Ended.CUT,
    marker=Restart(FilePosition(HERE, 400), RESTART_ABEND),
    has_end=False,
)
_LOST = WHOLE._replace(begin=None, first=FilePosition(HERE, 200), records=2)
_TO = "  ALTER REPLICAT <group>, EXTSEQNO {}, EXTRBA {}"

_SKIP = "To skip it, 3 records (3 changes: SHOP.SALES 1 Delete, 1 Insert, SHOP.TEAS 1 Insert):"
_SKIP_REST = _SKIP.replace("3 records", "2 records")
_UNFINISHED = "A record that is not complete begins at RBA 9 of dirdat/et000000008, 3 bytes: more may follow."


def _places(extent: Extent | None, rba: int, path: Path) -> RestartPlaces:
    """Around a place, where the transaction stands once."""
    whole = extent if extent is not None and extent.is_whole else None
    damage = next((span for span in extent.damage if not span.is_partial), None) if extent is not None else None
    after = extent.after if extent is not None else None
    skipped = extent.tables if extent is not None and after is not None else {}
    return RestartPlaces(FilePosition(path, rba), extent, (), whole, after, damage=damage, skipped=skipped)


def _lines(places: RestartPlaces) -> list[str]:
    return list(safe_lines(SafePointShown(places), Settings()))


def _said(extent: Extent | None, rba: int = 100, path: Path = HERE) -> list[str]:
    return _lines(_places(extent, rba, path))


def _json(extent: Extent | None, rba: int = 100, path: Path = HERE) -> dict[str, Any]:
    found: dict[str, Any] = exact(SAFE_POINT.build(SafePointShown(_places(extent, rba, path))))
    return found


def test_the_whole_answer_at_the_beginning() -> None:
    assert _said(WHOLE) == [
        "RBA 100 of et000000007 begins a transaction: a restart there applies it again, whole.",
        "To apply the whole transaction again:",
        _TO.format(7, 100),
        _SKIP,
        _TO.format(7, 400),
        "Transaction 5.2.88, CSN 4188",
        "  Begins at  RBA 100",
        "  Last at    RBA 300",
        "  Ends at    RBA 400, the first RBA after it",
        "             SHOP.SALES: 2 records, 1 Delete, 1 Insert",
        "             SHOP.TEAS: 1 record, 1 Insert",
    ]


@pytest.mark.parametrize(
    ("extent", "rba", "verdict"),
    [
        (WHOLE, 100, "RBA 100 of et000000007 begins a transaction: a restart there applies it again, whole."),
        (
            WHOLE._replace(before=2),
            300,
            "RBA 300 of et000000007 is inside a transaction, 2 of 3 records before it: a restart there is not safe.",
        ),
        (
            WHOLE._replace(begin=FilePosition(BEFORE, 100), before=1),
            100,
            "RBA 100 of et000000007 is inside a transaction, 1 of 3 records before it: a restart there is not safe.",
        ),
        (
            _LOST._replace(records=1),
            200,
            "RBA 200 of et000000007 is inside a transaction, 0 of 1 record before it: a restart there is not safe.",
        ),
        (_CUT, 100, "RBA 100 of et000000007 begins a transaction that is never applied: a restart there is safe."),
        (OVERTAKEN, 100, "RBA 100 of et000000007 begins a transaction that is never applied: a restart there is safe."),
        (
            OPEN,
            100,
            (
                "RBA 100 of et000000007 begins a transaction whose end is not in the trail yet: "
                "a restart there applies it once its end is available."
            ),
        ),
        (
            OPEN._replace(missing=NEXT),
            100,
            (
                "RBA 100 of et000000007 begins a transaction whose end is not in the trail: "
                "a restart there applies it once its end is available."
            ),
        ),
        (
            _CUT._replace(before=1),
            200,
            "RBA 200 of et000000007 is inside a transaction, 1 of 3 records before it: a restart there is not safe.",
        ),
    ],
)
def test_the_verdict(extent: Extent, rba: int, verdict: str) -> None:
    assert _said(extent, rba)[0] == verdict
    assert _json(extent, rba)["safe"] is ("inside" not in verdict)


def test_between_two_transactions_the_place_itself_is_printed() -> None:
    assert _said(None, 400) == [
        "RBA 400 of et000000007 is between two transactions: a restart there loses nothing and repeats nothing.",
        "ALTER REPLICAT <group>, EXTSEQNO 7, EXTRBA 400",
    ]
    assert _said(None, 400, Path("copy.bin"))[1] == "ALTER REPLICAT <group>, EXTSEQNO <n>, EXTRBA 400"


@pytest.mark.parametrize(
    ("extent", "advice"),
    [
        (
            _CUT,
            ["To restart before it (Replicat drops the cut part):", _TO.format(7, 100), _SKIP, (7, 450)],
        ),
        (
            OVERTAKEN,
            ["To restart before it (Replicat drops the cut part):", _TO.format(7, 100), _SKIP, (7, 400)],
        ),
        (OPEN, ["To apply it once its end is available:", _TO.format(7, 100)]),
        (_LOST, [_SKIP_REST, (7, 400)]),
        (_LOST._replace(ended=Ended.OVERTAKEN), [_SKIP_REST, (7, 400)]),
        (
            WHOLE._replace(begin=FilePosition(BEFORE, 900), after=FilePosition(NEXT, 50)),
            ["To apply the whole transaction again:", _TO.format(6, 900), _SKIP, (8, 50)],
        ),
    ],
)
def test_the_advice(extent: Extent, advice: list[str | tuple[int, int]]) -> None:
    expected = [_TO.format(*part) if isinstance(part, tuple) else part for part in advice]
    said = _said(extent)
    assert said[1 : said.index("Transaction 5.2.88, CSN 4188")] == expected


@pytest.mark.parametrize(
    ("extent", "lines"),
    [
        (WHOLE._replace(begin=FilePosition(BEFORE, 900)), ["  Begins at  RBA 900 of dirdat/et000000006"]),
        (_LOST, ["  Begins at  unknown: its first record is lost"]),
        (
            _LOST._replace(missing=BEFORE),
            ["  Begins at  not in the trail: dirdat/et000000006 is missing"],
        ),
        (WHOLE._replace(last=None), ["  Last at    no record of it can be read"]),
        (WHOLE._replace(last=FilePosition(NEXT, 30)), ["  Last at    RBA 30 of dirdat/et000000008"]),
        (
            _CUT,
            ["  Ends at    no end record. Cut by RestartAbend at RBA 400: a Replicat drops it"],
        ),
        (
            OVERTAKEN,
            ["  Ends at    no end record: the next transaction begins at RBA 400: a Replicat drops it"],
        ),
        (
            OVERTAKEN._replace(ended=Ended.DAMAGE, after=FilePosition(NEXT, 5)),
            ["  Ends at    no end record: the next transaction begins at RBA 5 of dirdat/et000000008"],
        ),
        (OPEN, ["  Ends at    not in the trail yet: the transaction is open at the end of the trail"]),
        (
            OPEN._replace(missing=NEXT),
            ["  Ends at    not in the trail: dirdat/et000000008 is missing"],
        ),
        (
            OPEN._replace(begin=None, missing=BEFORE),
            ["  Ends at    not in the trail yet: the transaction is open at the end of the trail"],
        ),
        (
            WHOLE._replace(transaction=NO_TRANSACTION),
            ["Transaction without TRANID, CSN not known"],
        ),
        (WHOLE._replace(tables={"": Counter({INSERT: 2})}), ["             (no name): 2 records, 2 Insert"]),
        (
            WHOLE._replace(damage=(Damage(HERE, 200, 17, is_partial=False), Damage(NEXT, 9, 3, is_partial=True))),
            [
                (
                    "Damage at RBA 200 of dirdat/et000000007, 17 bytes: "
                    "the records after it may belong to another transaction."
                ),
                _UNFINISHED,
            ],
        ),
    ],
)
def test_the_rest(extent: Extent, lines: list[str]) -> None:
    said = _said(extent)
    assert [text for text in said if text in lines] == lines


def _copied(extent: Extent, *again: Extent, asked: int = 100, others: int = 0) -> RestartPlaces:
    """Around a place in a transaction that comes again."""
    whole = next(found_extent for found_extent in again if found_extent.is_whole)
    return RestartPlaces(FilePosition(HERE, asked), extent, again, whole, again[-1].after, others, skipped=whole.tables)


_COPY = WHOLE._replace(begin=FilePosition(HERE, 450), first=FilePosition(HERE, 450), after=FilePosition(NEXT, 90))


def test_what_is_cut_and_comes_again_is_left_out_behind_its_whole_copy() -> None:
    assert _lines(_copied(_CUT, _COPY))[:6] == [
        "RBA 100 of et000000007 begins a transaction that is cut here and has a whole copy: a restart there is safe.",
        "To apply it (Replicat drops the cut part and applies the copy):",
        _TO.format(7, 100),
        "Extract wrote the transaction again, complete, at RBA 450.",
        _SKIP,
        _TO.format(8, 90),
    ]


def test_of_several_copies_each_is_named_and_what_else_is_left_out_is_said() -> None:
    cut = _CUT._replace(begin=FilePosition(HERE, 450), first=FilePosition(HERE, 450))
    copy = _COPY._replace(begin=FilePosition(NEXT, 7), first=FilePosition(NEXT, 7))
    assert _lines(_copied(_CUT, cut, copy, others=2))[3:8] == [
        "Extract wrote the transaction again, but not complete, at RBA 450.",
        "Extract wrote the transaction again, complete, at RBA 7 of dirdat/et000000008.",
        _SKIP,
        _TO.format(8, 90),
        "That also skips 2 transactions that a Replicat would apply.",
    ]


def test_a_copy_after_a_later_transaction_is_not_applied() -> None:
    late = CopyPlace(FilePosition(HERE, 450), FilePosition(NEXT, 90), 3, is_whole=True, is_late=True)
    lines = _lines(RestartPlaces(FilePosition(HERE, 100), _CUT, whole=_COPY, late=(late,)))
    assert lines[1] == "To restart before it (Replicat drops the cut part):"
    assert lines[3] == (
        "Extract wrote the transaction again, complete, at RBA 450, after a later transaction. "
        "Replicat skips copies, unless it runs with NOFILTERDUPTRANSACTIONS."
    )


def test_a_place_after_the_last_record_of_what_is_cut_is_safe_itself() -> None:
    assert _lines(_copied(_CUT._replace(before=3), _COPY, asked=400))[:4] == [
        "RBA 400 of et000000007 is after the last record of a transaction that has no end: a restart there is safe.",
        _TO.format(7, 400),
        "To apply it (Replicat drops the cut part and applies the copy):",
        _TO.format(7, 100),
    ]


def test_where_damage_comes_first_a_replicat_abends() -> None:
    damage = Damage(HERE, 400, 20, is_partial=False)
    places = RestartPlaces(FilePosition(HERE, 400), damage=damage)
    safe = "RBA 400 of et000000007 is between two transactions: a restart there loses nothing and repeats nothing"
    assert _lines(places) == [
        f"{safe}, but the Replicat then abends at the damage at RBA 400.",
        f"Damage at RBA 400 of {HERE}, 20 bytes: the records after it may belong to another transaction.",
    ]
    elsewhere = places._replace(damage=damage._replace(path=NEXT, rba=0))
    assert _lines(elsewhere)[0] == f"{safe}, but the Replicat then abends at the damage at RBA 0 of {NEXT}."
    assert exact(SAFE_POINT.build(SafePointShown(places)))["damage"] == [
        {"file": "dirdat/et000000007", "rba": 400, "length": 20, "partial": False}
    ]
    inside = _said(WHOLE._replace(ended=Ended.DAMAGE, damage=(damage._replace(rba=200),)))
    assert inside[:3] == [
        "RBA 100 of et000000007 begins a transaction with damage inside: a Replicat abends at it.",
        "To restart before it:",
        _TO.format(7, 100),
    ]


def test_damage_stands_before_the_transaction() -> None:
    said = _said(WHOLE._replace(damage=(Damage(HERE, 200, 17, is_partial=False),)))
    assert said[5].startswith("Damage at RBA 200")
    assert said[6].startswith("Transaction")


def test_text_of_a_trail_and_names_of_files_are_harmless() -> None:
    odd = Path(f"dir{_ESCAPES}/et000000007")
    hostile = WHOLE._replace(
        transaction=Transaction(_ESCAPES, _ESCAPES),
        begin=FilePosition(odd, 1),
        last=FilePosition(odd, 2),
        after=FilePosition(odd, 3),
        tables={_ESCAPES: Counter({INSERT: 1})},
        damage=(Damage(odd, 4, 5, is_partial=False), Damage(odd, 6, 7, is_partial=True)),
    )
    others = (
        hostile._replace(begin=None, missing=odd),
        hostile._replace(after=None, missing=odd),
        hostile._replace(marker=Restart(FilePosition(odd, 9), RESTART_ABEND), ended=Ended.CUT),
        hostile._replace(has_end=False, ended=Ended.OVERTAKEN),
    )
    for extent in (hostile, *others):
        said = _said(extent)
        assert all(text.isprintable() for text in said)
        assert sum("\\x1b[2J" in text for text in said) >= 5


def test_the_answer_as_json() -> None:
    marked = _CUT._replace(damage=(Damage(HERE, 200, 17, is_partial=False),), missing=NEXT, before=1)
    place = {"file": "dirdat/et000000007", "seqno": 7}
    alter = "ALTER REPLICAT <group>, EXTSEQNO 7, EXTRBA {}"
    tables = [
        {
            "table": "SHOP.SALES",
            "records": 2,
            "types": [
                {"io_type": DELETE, "io_type_name": "Delete", "records": 1},
                {"io_type": INSERT, "io_type_name": "Insert", "records": 1},
            ],
        },
        {
            "table": "SHOP.TEAS",
            "records": 1,
            "types": [{"io_type": INSERT, "io_type_name": "Insert", "records": 1}],
        },
    ]
    assert _json(marked, 200) == {
        "file": "dirdat/et000000007",
        "rba": 200,
        "safe": False,
        "csn": "4188",
        "xid": "5.2.88",
        "begin": {**place, "rba": 100, "alter": alter.format(100)},
        "last": {**place, "rba": 300, "alter": alter.format(300)},
        "end": {**place, "rba": 450, "alter": alter.format(450)},
        "after": {**place, "rba": 450, "alter": alter.format(450)},
        "leave_out": {**place, "rba": 450, "alter": alter.format(450)},
        "skipped": tables,
        "lost_bytes": 0,
        "others_left_out": 0,
        "again": [],
        "copy_of": None,
        "has_end": False,
        "ended": "cut",
        "marker": {**place, "rba": 400, "alter": alter.format(400)},
        "records": 3,
        "records_before": 1,
        "tables": tables,
        "damage": [{"file": "dirdat/et000000007", "rba": 200, "length": 17, "partial": False}],
        "missing": "dirdat/et000000008",
    }


def test_between_two_transactions_json_has_the_place_alone() -> None:
    answer = _json(None, 400)
    told = {name: value for name, value in answer.items() if value is not None}
    assert told == {"file": "dirdat/et000000007", "rba": 400, "safe": True, "others_left_out": 0, "again": []} | {
        "skipped": [],
        "lost_bytes": 0,
    }
    assert len(answer) == 23


def test_what_a_transaction_lacks_is_null_in_json() -> None:
    answer = _json(OPEN._replace(begin=None, last=None))
    assert [answer[name] for name in ("begin", "last", "after", "marker", "missing")] == [None] * 5
    unnamed = _json(WHOLE._replace(begin=FilePosition(Path("copy.bin"), 100)))["begin"]
    assert unnamed["seqno"] is None


@pytest.mark.parametrize(("number", "text"), [(0, "0 records"), (1, "1 record"), (2, "2 records")])
def test_a_number_of_records(number: int, text: str) -> None:
    assert amount(number, "record") == text
