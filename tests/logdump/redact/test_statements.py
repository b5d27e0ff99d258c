"""No name, literal or comment of DDL is left, be it a word of SQL or three digits; SQL and sizes of types are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from logdump.features.redact.statements import OF_STATEMENTS
from tests.logdump.line import Line
from tests.logdump.redact.drawn_secrets import copies_of
from tests.logdump.redact.drawn_statements import PLAIN, WORDS, drawn_statements
from tests.searching import all_in_turn, examples, in_turn
from tests.trailformat.samples import header, trail_of
from trailformat import ByteOrder, TrailFile, decode_value, make_record, parse_ddl
from trailformat.records.ddl import build_ddl
from trailformat.records.record_header import COMPRESSED, DDL_OP
from trailformat.trail.row_definitions import RowDefinitions

DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
COPIES = 8
"""A digit is the same by chance in all of them once in 43 million times."""


def test_the_drawn_names_are_words_that_would_stay() -> None:
    assert {word.encode() for word in WORDS} <= OF_STATEMENTS
    assert not {word.encode() for word in PLAIN} & OF_STATEMENTS


@pytest.mark.parametrize(("are_words", "order", "seed"), all_in_turn((True, False), ByteOrder, range(examples(24))))
def test_each_piece_of_a_statement_stays_or_does_not(
    are_words: bool,
    order: ByteOrder,
    seed: int,
    tmp_path: Path,
) -> None:
    """Words stay where no name is one of them."""
    drawn = drawn_statements(tmp_path, seed, order, are_words=are_words)
    source, copies = drawn.path.read_bytes(), copies_of(drawn.path, tmp_path, COPIES)
    for at, data, kind in drawn.places:
        assert source[at : at + len(data)] == data
        others = {copy[at : at + len(data)] for copy in copies}
        if kind in ("secret", "prose"):
            assert others != {data}, (data, source[max(0, at - 60) : at + 60])
        elif kind == "keep" and not are_words:
            assert others == {data}, (data, source[max(0, at - 60) : at + 60])
    for copy in copies:
        check_joins(drawn.places, copy, {name.encode() for name in drawn.drawn.names.values()})


def check_joins(places: tuple[tuple[int, bytes, str], ...], copy: bytes, names: set[bytes]) -> None:
    """Each name has one substitute, wherever it is, without regard to capitals; and others have others."""
    found: dict[bytes, set[bytes]] = {}
    for at, data, kind in places:
        if kind == "secret" and data.upper() in names:
            found.setdefault(data.upper(), set()).add(copy[at : at + len(data)].upper())
    assert all(len(others) == 1 for others in found.values()), found
    assert len(found) > len(names) // 2
    assert len({next(iter(others)) for others in found.values()}) == len(found)


@pytest.mark.parametrize(("order", "seed"), in_turn(ByteOrder, range(examples(8))))
def test_names_and_literals_of_ddl_join_with_definitions_and_values(
    order: ByteOrder, seed: int, tmp_path: Path
) -> None:
    drawn = drawn_statements(tmp_path, seed, order)
    copies_of(drawn.path, tmp_path, 1)
    found, values = [], list[str]()
    with TrailFile(tmp_path / "copy0" / drawn.path.name) as trail:
        definitions, name = RowDefinitions(trail), ""
        for record in trail.records():
            if record.is_file_header:
                continue
            if record.is_metadata:
                name = record.name
            elif record.header.io_type == DDL_OP:
                found.append(dict(parse_ddl(record.data)))
            elif record.images is not None and record.images.after:
                own = definitions.of(record)
                values = [str(decode_value(each, own.column(each.index), order).value) for each in record.images.after]
    assert {f"{items['B3']}.{items['B4']}" for items in found} == {name.upper()}
    assert len(values) == 2
    for value in values:
        assert sum(re.search(rf"\b{value}\b", items["C1"]) is not None for items in found) >= 2, (value, found)


@pytest.mark.parametrize("is_used", [True, False])
def test_names_of_a_definitions_file_are_names(tmp_path: Path, *, is_used: bool) -> None:
    text = DEFINITIONS.read_text("utf-8")
    (tmp_path / "tea.def").write_text(re.sub(r"^NAME ", "ROLE ", text, flags=re.MULTILINE), "utf-8")
    head = header("", io_type=DDL_OP, partition=COMPRESSED)
    ddl = make_record(head, build_ddl([("B3", "X"), ("C1", "create view t as select 1 + role - 2 from u")]))
    path = trail_of(tmp_path, ddl)
    line = Line()
    line(f"sourcedefs {tmp_path / 'tea.def'}" if is_used else "sourcedefs off")
    line(f"open {path}; redact to {tmp_path / 'xx000000000'}")
    line.session.close()
    with TrailFile(tmp_path / "xx000000000") as copy:
        statement = dict(parse_ddl(next(iter(copy.records())).data))["C1"]
    assert statement.startswith("create view ")
    assert (" role " in statement) == (not is_used)
