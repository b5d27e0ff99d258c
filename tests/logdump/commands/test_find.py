from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.session import passing
from logdump.session import scan as session_scan
from logdump.session.events import Notice
from logdump.session.selection import Selection
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random, examples, part_of
from trailformat.scan import parallel

DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


def found(line: Line, commands: str) -> list[int]:
    line(commands)
    return line.rbas


def test_text_is_found_in_the_data_from_the_position_on(shop: Line) -> None:
    assert found(shop, "find gift wrap") == [2892]
    assert found(shop, "pos 2892; find gift wrap") == [2892]


def test_text_in_quotes_may_be_anything(shop: Line) -> None:
    assert found(shop, 'find "gift wrap"') == [2892]
    shop('find "next"')
    assert "next" in shop.failures[0].lines[0]


def test_case_matters_unless_b_stands_before_the_text(shop: Line) -> None:
    assert shop('find "GIFT WRAP"') == ['No record with "GIFT WRAP" found from RBA 0 to the end.']
    assert len(shop.failures) == 1
    assert found(shop, 'find b,"GIFT WRAP"') == [2892]


def test_text_that_is_not_ascii_is_found(shop: Line) -> None:
    assert found(shop, "find 玉露") == [2008]


@pytest.mark.parametrize("text", ["hex 53454e3031", "HEX 5345 4E30 31", 'hex "53454e3031"', "hex 0x53454e3031"])
def test_bytes_are_found(text: str, shop: Line) -> None:
    assert found(shop, f"find {text}") == [1811]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hex 123", "FIND: HEX: '123' is not a hex string; two digits make a byte."),
        ("hex zz", "FIND: HEX: 'zz' is not a hex string; two digits make a byte."),
        ("hex", "No record with hex found from RBA 0 to the end."),
    ],
)
def test_what_is_no_hex_is_refused_or_text(text: str, said: str, shop: Line) -> None:
    assert shop(f"find {text}")[0].startswith(said)
    assert len(shop.failures) == 1


def test_find_alone_and_next_look_on_and_previous_looks_back(shop: Line) -> None:
    walk = [found(shop, command) for command in ("find gift wrap", "find", "find previous", "find next")]
    assert walk == [[2892], [3987], [2892], [3987]]


def test_find_next_needs_a_search(shop: Line) -> None:
    assert shop("find next")[0].startswith("FIND has looked for nothing yet")


def test_nothing_found_is_said_and_keeps_the_position(shop: Line) -> None:
    shop("pos 2008; n")
    assert shop("find hojicha") == ["No record with hojicha found from RBA 2170 to the end."]
    assert (shop.session.cursor.current, shop.session.cursor.next) == (2008, 2170)
    assert shop("find previous") == ["No record with hojicha found from RBA 2008 to the beginning."]
    assert (shop.session.cursor.current, shop.session.cursor.next) == (2008, 2170)


def test_find_looks_through_the_filter_and_says_so(shop: Line) -> None:
    assert shop("filter include filename *.teas; find gift wrap")[-1].endswith("to the end through the filter.")


def _number(text: str | None) -> float:
    return float(text) if text else 0


@cache
def _records(path: Path) -> list[dict[str, Any]]:
    """The first hundred, as JSON has them."""
    answer = logdump("--format", "jsonl", "-c", f"open {path}; next 100").out.splitlines()
    return [item for item in map(json.loads, answer) if item["type"] == "record"]


@pytest.mark.parametrize(
    ("condition", "column", "holds"),
    [
        ("PRICE = 8.9", "PRICE", lambda text: _number(text) == 8.9),
        ("price = 8.90", "PRICE", lambda text: _number(text) == 8.9),
        ("teas.PRICE > 30", "PRICE", lambda text: _number(text) > 30),
        ("TEAHOUSE.TEAS.PRICE <= 31.50", "PRICE", lambda text: 0 < _number(text) <= 31.5),
        ("stock_kg <> 120 ", "STOCK_KG", lambda text: text not in (None, "120")),
        ("TEA_CODE = 'SEN01'", "TEA_CODE", lambda text: text == "SEN01"),
        ("grade=A", "GRADE", lambda text: text is not None and text.strip() == "A"),
        ("sales.note = null", "NOTE", lambda text: text is None),
        ("NOTE <> NULL", "NOTE", lambda text: text is not None),
        ("SOLD_AT < 2024-03-14 10:10", "SOLD_AT", lambda text: text is not None and text < "2024-03-14 10:10"),
    ],
)
@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_a_column_is_compared_by_its_definition(
    name: str, condition: str, column: str, holds: Callable[[str | None], bool], line: Line, trails: Path
) -> None:
    expected = [
        record["rba"]
        for record in _records(trails / name)
        if any(
            (c["name"] or "").upper() == column and holds(c["text"])
            for c in (record["before"] or []) + (record["after"] or [])
        )
    ]
    line(f"open {trails / name}")
    walk = found(line, f"find {condition}")
    while not (line("find next") and line.failures):
        walk += line.rbas
    assert walk == expected
    assert expected


@pytest.mark.parametrize("case", range(examples(12)))
def test_of_tables_with_like_names_those_are_meant_whose_last_parts_are_the_name(
    case: int, line: Line, tmp_path: Path
) -> None:
    """With and without a schema: T is S.T and P.S.T, not S.XT, S.TX, S.X_T or T.OTHER."""
    random = Random(f"like names {case}")
    name, other = random.sample(["T", "TEAS", "A_B", "X1"], 2)
    names = [f"S.{name}", f"P.S.{name}", f"R.{name}", f"S.{other}{name}", f"S.{name}{other}", f"{name}.{other}"]
    names += [f"{other}S.{name}", f"S.{other}_{name}", f"{other}.{name}", f"S.{other}"]
    random.shuffle(names)
    trail, rbas = Trail({table: {"ID": "INT64"} for table in names}), dict[int, str]()
    for table in random.choices(names, k=10) + names:
        rbas[trail.rba] = table
        trail.insert(table, 1)
    path = trail.write(tmp_path)
    for asked in (name, f"S.{name}", f"s.{name.lower()}", other):
        wanted = [rba for rba, table in rbas.items() if f".{table}".endswith(f".{asked.upper()}")]
        line(f"open {path}")
        walk = found(line, f"find {asked}.ID = 1")
        while not (line("find next") and line.failures):
            walk += line.rbas
        assert walk == wanted, asked
        assert found(line, f"pos 0; filter clear; filter value {asked}.ID = 1; next all; filter clear") == wanted


def test_a_column_that_no_table_has_is_named(shop: Line) -> None:
    assert shop("find colour = green") == [
        "No table with a column COLOUR is defined in this trail.",
        'FIND "colour = green" looks for the text itself.',
    ]
    assert shop("find cups.price = 1")[0] == "No table CUPS is defined in this trail."


def test_a_trail_without_definitions_has_no_columns(line: Line, trails: Path) -> None:
    line(f"open {trails / 'ot000000'}")
    assert "This trail defines no tables" in line("find price = 1")[0]


def test_a_value_in_the_fragments_of_a_record_is_found(line: Line, trails: Path) -> None:
    line(f"open {trails / 'pt000000000'}; filter value origin = Uji")
    assert found(line, "find price = 31.5") == [2407]


def test_a_definitions_file_gives_an_old_trail_its_columns(line: Line, trails: Path) -> None:
    line(f"open {trails / 'ot000000'}; sourcedefs {DEFINITIONS}")
    walk = found(line, "find teas.tea_code = SEN01")
    assert walk
    assert line.session.trail.name_of(line.session.trail.record_at(walk[0])).endswith("TEAS")  # type: ignore[arg-type]
    said = line("pos 0; find sales.tea_code = nothing")
    assert (said[-1], len(line.failures)) == ("No record with sales.tea_code = nothing found from RBA 0 to the end.", 1)


def test_reading_in_reverse_still_finds_forwards_and_stays_in_reverse(shop: Line) -> None:
    shop("pos 2008; pos reverse")
    walk = [found(shop, command) for command in ("find gift wrap", "find next")]
    assert walk == [[2892], [3987]]
    assert shop.session.cursor.is_backwards
    assert shop("n")[1].endswith("RBA 3817")


def test_damage_on_the_way_is_told(line: Line, trails: Path) -> None:
    line(f"open {trails / 'gt000000000'}; find hojicha")
    assert line.failures[0].lines[0].startswith("Bad record found at RBA 3522")
    assert found(line, "sfh; find previous; find x2; find SEN01") != []


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("search", ["find nowhere-to-be-found", "find previous"])
def test_damage_on_the_way_leaves_the_direction_of_reading(
    search: str, direction: str, line: Line, trails: Path
) -> None:
    line(f"open {trails / 'gt000000000'}; find nowhere-to-be-found; position eof; position {direction}")
    if search != "find previous":
        line("position 0")
    said = line(search)
    assert said[0].startswith("Bad record found at RBA ")
    assert len(line.failures) == 1
    assert line.session.cursor.is_backwards == (direction == "reverse")


def test_ctrl_c_keeps_the_position(shop: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    shop("pos 2008; n")

    def interrupted(_self: object, _record: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(Selection, "rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shop("find hojicha")
    assert (shop.session.cursor.current, shop.session.cursor.next) == (2008, 2170)
    assert not shop.session.cursor.is_backwards


@pytest.mark.parametrize(
    ("case", "search"), [*enumerate(["find SEN01; find; find", "find price > 1; find; find", "find hex 0000; find"])]
)
def test_columns_find_what_records_find(case: int, search: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def walk(path: Path) -> tuple[list[str], int]:
        line = Line()
        line(f"timeoffset gmt; open {path}")
        shown = [text for command in (*search.split("; "), "find previous") for text in line(command)]
        position = line.session.cursor.next
        line.session.close()
        return shown, position

    paths = part_of(sorted(path for path in TRAILS.iterdir() if path.suffix != ".md"), case)
    expected = [walk(path) for path in paths]
    monkeypatch.setattr(session_scan, "_LARGEST", 1)
    monkeypatch.setattr(parallel, "PIECE", 700)
    monkeypatch.setattr(passing, "BATCH_SIZE", 4)
    assert [walk(path) for path in paths] == expected


def values_found(line: Line, text: str) -> list[int]:
    """The RBAs that FIND and FIND NEXT show from the beginning on."""
    line(f"pos first; find {text}")
    found = line.rbas
    while line.rbas:
        line("find next")
        found = [*found, *line.rbas]
    return found


@pytest.mark.parametrize(
    ("word", "columns"),
    [("31.5", ["AMOUNT"]), ("31.50", ["AMOUNT"]), ("9.4", ["PRICE"]), ("120", ["STOCK_KG"]), ("0500002", ["SALE_ID"])],
)
def test_a_number_is_found_as_text_or_as_a_value(word: str, columns: list[str], shop: Line) -> None:
    """Numbers are binary in a trail; those that are stored as text are found as text too."""
    expected = set(values_found(shop, f'"{word}"')).union(*(values_found(shop, f"{name} = {word}") for name in columns))
    others = {
        rba
        for name in ("PRICE", "AMOUNT", "STOCK_KG", "GRAMS", "SALE_ID")
        for rba in values_found(shop, f"{name} = {word}")
    }
    assert values_found(shop, word) == sorted(expected | others)
    assert expected


def test_it_is_said_which_column_has_the_number(shop: Line) -> None:
    shop("pos first; find 9.4")
    assert [event.lines for event in shop.events if isinstance(event, Notice)] == [
        ("9.4 is the value of PRICE, not text in the record: FIND PRICE = 9.4 looks for such values alone.",)
    ]
    shop("pos first; find 500002")
    assert [event for event in shop.events if isinstance(event, Notice)] == []


def test_what_is_no_value_either_is_said(shop: Line) -> None:
    shop("pos first; find 4611")
    [failure] = shop.failures
    where = f"from RBA {shop.session.cursor.next} to the end"
    assert failure.lines[0] == f"No record with 4611 found {where}, as text or as the value of a column."
    shop("pos first; find nowhere")
    assert shop.failures[0].lines[0].endswith("to the end.")


@pytest.mark.parametrize("text", ["NOTE IS NULL", "note is  null", "SALES.NOTE is null"])
def test_is_null_is_a_condition(text: str, shop: Line) -> None:
    assert values_found(shop, text) == values_found(shop, "NOTE = NULL") != []
    assert values_found(shop, "NOTE IS NOT NULL") == values_found(shop, "NOTE <> NULL") != []
    assert values_found(shop, '"NOTE IS NULL"') == []


@pytest.mark.parametrize("word", ["NEXT", "PREVIOUS", "HEX 00", "31.5", "TEA_CODE = SEN01"])
def test_in_quotes_it_is_text(word: str, shop: Line) -> None:
    shop(f'pos first; find "{word}"')
    assert [failure.lines[0] for failure in shop.failures] == [
        f'No record with "{word}" found from RBA {shop.session.cursor.next} to the end.'
    ]
