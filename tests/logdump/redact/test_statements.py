"""No name, literal or comment of DDL is left, be it a word of SQL or three digits; SQL and sizes of types are."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from logdump.features.redact.statements import OF_STATEMENTS
from tests.logdump.line import Line
from tests.logdump.redact.drawn_secrets import copies_of
from tests.logdump.redact.drawn_statements import PLAIN, WORDS, drawn_statements
from tests.searching import Random, all_in_turn, examples, in_turn
from tests.trailformat.samples import header, row, trail_of
from trailformat import ByteOrder, Record, TrailFile, decode_value, make_record, make_token, parse_ddl
from trailformat.records.ddl import build_ddl
from trailformat.records.record_header import COMPRESSED, DDL_OP, ONLY
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


def _copied(folder: Path, files: list[list[Record]]) -> list[TrailFile]:
    """The files of the copy of a trail."""
    for number, records in enumerate(files):
        trail_of(folder, *records, name=f"tt{number:09}")
    line = Line()
    line(f"redact over {folder / 'tt*'} to {folder / 'xx000000000'}")
    assert not line.failures
    line.session.close()
    return [TrailFile(folder / f"xx{number:09}") for number in range(len(files))]


def _ddl(*items: tuple[str, str]) -> Record:
    return make_record(header("", io_type=DDL_OP, partition=COMPRESSED), build_ddl([*items]))


NAMES = ["B3", "B4", "B8", "B9", "C6", "C12", "C13", "C14", "C20", "C18_2"]
"""Items with names, each in turn."""
NO_NAMES = ["B5", "B6", "C9", "C15"]


@pytest.mark.parametrize("item", [*NAMES, *NO_NAMES])
def test_a_word_of_sql_in_an_item_with_a_name_is_a_name_in_all_files(item: str, tmp_path: Path) -> None:
    """It is in a drawn one of three files, after and before a statement that has it where it may be a word of SQL."""
    random = Random(f"items {item}")
    for turn in range(2):
        word, other = random.sample(["ROLE", "LEVEL", "YEAR", "ZONE", "HASH"], 2)
        text = f"create view t as select 1 + {word.lower()} - 2 + {other.lower()} - 3 from u"
        files = [[_ddl(("B3", "X"), ("C1", text))] for _ in range(3)]
        files[random.choice([1, 2])].insert(turn, _ddl(("B3", "Y"), (item, word), ("C1", "drop view t")))
        (tmp_path / str(turn)).mkdir()
        for trail in _copied(tmp_path / str(turn), files):
            with trail:
                statements = [dict(parse_ddl(record.data))["C1"] for record in trail.records()]
            (copy,) = [statement for statement in statements if statement.startswith("create ")]
            assert f" {other.lower()} " in copy
            assert (f" {word.lower()} " in copy) == (item in NO_NAMES), copy


def _row(csn: str) -> Record:
    record = row(trans_ind=ONLY)
    return make_record(record.header, record.data, [make_token("L", csn.encode())])


@pytest.mark.parametrize("case", range(examples(8)))
def test_csns_of_all_files_get_others_with_their_distances(case: int, tmp_path: Path) -> None:
    """Three to five files, the CSNs of each of more digits than those before it, or of as many."""
    random = Random(f"csns {case}")
    sizes = [6, *sorted(random.choices([6, 8, 10, 13], k=random.randint(1, 3))), 15]
    files, csns, least = [], list[int](), 0
    for size in sizes:
        least = max(least, 10 ** (size - 1) + random.randrange(10 ** (size - 1)))
        own = [least := least + random.randint(1, 9) for _ in range(3)]
        files.append([_row(str(csn)) for csn in own])
        csns += own
    copies = list[str]()
    for trail in _copied(tmp_path, files):
        with trail:
            tokens = [token for record in trail.records() for token in record.gg_tokens if chr(token.id) == "L"]
        copies += [token.payload.decode() for token in tokens]
    others = [int(copy) for copy in copies]
    assert others == sorted(set(others))
    assert [len(copy) for copy in copies] == [len(str(csn)) for csn in csns]
    for (csn, following), (other, next_other) in zip(pairwise(csns), pairwise(others), strict=True):
        assert next_other - other == following - csn or len(str(csn)) != len(str(following))
    last = [(csn, other) for csn, other in zip(csns, others, strict=True) if len(str(csn)) == 15]
    assert all(csn != other for csn, other in last), "by chance once in many millions"
