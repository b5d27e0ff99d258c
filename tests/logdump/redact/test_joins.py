"""Values that are equal have equal substitutes, over tables, types and files; other values have others."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from logdump.features.redact.statements import StatementSubstitutes
from logdump.features.redact.substitutes import Substitutes
from logdump.features.redact.values import ValueSubstitutes
from logdump.notation.sql_tokens import STANDARD
from tests.logdump.program import logdump
from tests.logdump.redact.drawn_secrets import column_of
from tests.searching import Random, examples, in_turn
from tests.trailformat.samples import column, header, metadata_record, trail_of
from trailformat import ByteOrder, ColumnDefinition, Images, TableDefinition, TrailFile, make_column, make_record
from trailformat.codec import charsets
from trailformat.codec.charsets import CHARSETS
from trailformat.definitions.metadata import build_table
from trailformat.errors import TrailError
from trailformat.records.columns import PRESENT, Column
from trailformat.records.ddl import build_ddl, parse_ddl
from trailformat.records.record_header import COMPRESSED, INSERT, NAME_IS_INDEX
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.values import DATA_TYPES, Family, decode_value, encode_value

_BIG = ByteOrder.BIG
_NUMBERS = {
    "integer": column_of("ID", "integer"),
    "number": column_of("ID", "number"),
    "varchar": column_of("ID", "varchar"),
}


def _drawn_number(random: Random) -> Decimal:
    size = random.randint(1, 16)
    whole = random.randint(10 ** (size - 1), 10**size - 1) if random.random() < 0.9 else 0
    return Decimal(random.choice([1, -1]) * (100 * whole + random.choice([0, 0, 50, 37]))) / 100


@pytest.mark.parametrize("seed", range(examples(20)))
def test_numbers_join_over_types_and_keep_digits_and_sign(seed: int) -> None:
    random, substitutes = Random(seed), ValueSubstitutes(Substitutes())
    found: dict[Decimal, Decimal] = {}
    for number in {_drawn_number(random) for _ in range(40)}:
        others = set()
        for kind, definition in _NUMBERS.items():
            text = f"{number:f}".rstrip("0").rstrip(".") if "." in f"{number:f}" else f"{number:f}"
            value = number if kind == "integer" else text
            raw = PRESENT + encode_value(value, definition, _BIG)
            other = decode_value(Column(0, substitutes.of(raw, definition, _BIG, "utf-8")), definition, _BIG)
            assert other.problem is None, (kind, number)
            others.add(Decimal(str(other.value)))
        assert len(others) == 1, (number, others)
        other_number = others.pop()
        assert (other_number < 0) == (number < 0) or not number
        assert len(str(abs(int(other_number)))) == len(str(abs(int(number))))
        assert (other_number == int(other_number)) == (number == int(number))
        found[number] = other_number
    assert len(set(found.values())) == len(found)


_OF_ALL_TYPES = {
    **_NUMBERS,
    "double": column(data_type=143, scale=0),
    "tandem": column(data_type=141, scale=0),
    "packed": column(data_type=189, scale=2, internal_length=10, external_length=16),
    "zoned": column(data_type=153, scale=2, internal_length=16),
}


@pytest.mark.parametrize("seed", range(examples(8, short=2)))
def test_numbers_of_any_type_join_and_so_does_zero(seed: int) -> None:
    random, substitutes = Random(seed), ValueSubstitutes(Substitutes())
    drawn = [random.choice([1, -1]) * Decimal(random.randint(1, 10 ** random.randint(1, 12))) / 4 for _ in range(20)]
    for number in (Decimal(0), Decimal(1), Decimal(-9), *(round(each, 2) for each in drawn)):
        others = {}
        for kind, definition in _OF_ALL_TYPES.items():
            text = f"{number.normalize():f}"
            value = text if kind in ("number", "varchar") else float(number) if kind in ("double", "tandem") else number
            raw = PRESENT + encode_value(value, definition, _BIG)
            other = decode_value(Column(0, substitutes.of(raw, definition, _BIG, "utf-8")), definition, _BIG)
            others[kind] = Decimal(str(other.value))
        assert len(set(others.values())) == 1, (number, others)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 26, 300, 4096, 4097, 5000])
def test_a_permutation_gives_each_number_once(size: int) -> None:
    substitutes = Substitutes()
    assert sorted(substitutes.permuted(number, size, b"a") for number in range(size)) == [*range(size)]


def test_other_keys_and_other_forms_give_other_permutations() -> None:
    substitutes, other = Substitutes(), Substitutes()
    texts = [b"Sencha%04d" % number for number in range(50)]
    assert [substitutes.text(text) for text in texts] == [substitutes.text(text) for text in texts]
    assert not {substitutes.text(text) for text in texts} & {other.text(text) for text in texts}
    assert [substitutes.permuted(n, 10**6, b"a") for n in range(50)] != [
        substitutes.permuted(n, 10**6, b"b") for n in range(50)
    ]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_short_texts_stay_different(length: int) -> None:
    substitutes = Substitutes()
    texts = [bytes((65 + n // 676 % 26, 65 + n // 26 % 26, 65 + n % 26))[-length:] for n in range(26**length)][:3000]
    assert len({substitutes.text(text) for text in texts}) == len(set(texts))


def test_capitals_and_blanks_at_the_end_make_no_difference() -> None:
    substitutes = Substitutes()
    other = substitutes.text(b"green leaf")
    assert substitutes.text(b"GREEN LEAF") == other.upper() != other
    assert substitutes.text(b"green leaf   ") == other + b"   "
    assert substitutes.name(b"TEAS.LEAVES") == b".".join(map(substitutes.text, (b"TEAS", b"LEAVES")))


_SAME_IN = {
    "äöüßÄÖÜéñçøþæ": ["utf-8", "utf-16-be", "utf-16-le", "iso8859-1", "cp1252", "iso8859-15", "cp850", "cesu-8"],
    "яблокоЧАЙщэю": ["utf-8", "utf-16-be", "cp1251", "koi8-r", "iso8859-5", "cp866"],
    "ἀЁєїЉ": ["utf-8", "utf-16-le", "cesu-8"],
    "ςλόγοΣ€„": ["utf-8", "utf-16-be"],
    "茶叶的味道": ["utf-8", "utf-16-le", "gbk", "gb18030", "cp936"],
    "녹차홍차": ["utf-8", "utf-16-be", "cp949"],
    "plain 42!": ["utf-8", "utf-16-le", "iso8859-1", "cp1047", "gbk"],
}
"""Letters, and character sets that have all of their alphabet."""


@pytest.mark.parametrize("letters", _SAME_IN)
def test_a_text_has_one_substitute_in_all_character_sets_that_have_its_letters(letters: str) -> None:
    random, substitutes = Random(letters), Substitutes()
    for size in (1, 2, 5, 12, 40, 300):
        text = "".join(random.choices(letters + "bcdEF", k=size))
        others = set()
        for codec in _SAME_IN[letters]:
            for blanks in ("", "   "):
                data = charsets.encode(text + blanks, codec)
                other = substitutes.text_in(data, codec)
                assert len(other) == len(data)
                others.add(charsets.decode(other, codec).rstrip(" "))
        assert len(others) == 1, (text, others)
        small = substitutes.text_in(charsets.encode(text.swapcase(), "utf-8"), "utf-8").decode()
        if letters[0] in "äя" and "ß" not in text:
            assert small == others.pop().swapcase()


@pytest.mark.parametrize("word", ["Straße", "ЧАЙ", "茶", "ORDERS", "TEA_LEAF", "Ström7", "a", "Ελλάδα"])
def test_a_name_of_letters_is_replaced_as_the_value_that_it_is(word: str) -> None:
    substitutes = Substitutes()
    if "_" not in word:
        assert substitutes.name(word.encode()) == substitutes.text(word.encode())
    assert substitutes.name(f"{word}.{word}".encode()) == b".".join([substitutes.word(word.encode())] * 2)


@pytest.mark.parametrize(
    "value",
    [
        "Fine Tippy Golden",
        "2024-03-14 09:30:00",
        "12345.678",
        "a tea, from Uji",
        "xyz = abc",
        "it (was) so",
        "Straße 71 82",
    ],
)
@pytest.mark.parametrize("head", ["", "E"])
def test_a_literal_of_a_statement_is_replaced_as_the_value_that_it_is(head: str, value: str) -> None:
    """But one with a prefix, or with a mark that the statement has too: such a value becomes other words."""
    substitutes = Substitutes()
    statements = StatementSubstitutes(substitutes, frozenset(), (STANDARD,))
    data = statements.of(build_ddl([("C1", f"ALTER TABLE T MODIFY C DEFAULT {head}'{value}'")]))
    made = dict(parse_ddl(data))["C1"]
    is_value = f"{head}'{substitutes.text(value.encode()).decode()}'" in made
    assert is_value == (not head and not set(value) & set("=(),"))
    assert f"'{value}'" not in made


_CODECS = sorted({charset.codec for charset in CHARSETS.values() if charset.codec} | {"utf-8", "cesu-8", "cp1047"})


@pytest.mark.parametrize("codec", _CODECS)
def test_a_text_in_any_character_set_stays_one_of_as_many_bytes(codec: str) -> None:
    random, substitutes = Random(codec), Substitutes()
    letters = [
        chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0x250), *range(0x391, 0x450), *range(0x4E00, 0x4E40))
    ]
    usable = []
    for letter in letters:
        try:
            usable.append(letter) if charsets.decode(charsets.encode(letter, codec), codec) == letter else None
        except TrailError:
            continue
    if len(usable) < 20:
        pytest.skip(f"{codec} has no letters of their own bytes")
    texts = {"".join(random.choices(usable, k=random.randint(6, 40))) for _ in range(30)}
    others = set()
    for text in texts:
        data = charsets.encode(text, codec)
        if charsets.decode(data, codec) != text:
            continue
        other = substitutes.text_in(data, codec)
        assert len(other) == len(data)
        assert other != data
        assert len(charsets.decode(other, codec)) > 0
        others.add(other)
    assert len(others) > len(texts) // 2


def _values(random: Random, code: int, definition: ColumnDefinition) -> list[bytes]:
    """Stored values of a type: some that decode, some that do not."""
    family = DATA_TYPES[code].family
    size = DATA_TYPES[code].size or 8
    stored = [random.randbytes(size) for _ in range(6)]
    for _ in range(12):
        number = random.choice(
            [random.randint(-999, 999), random.randint(0, 10**5), Decimal(random.randint(1, 99999)) / 10]
        )
        moment = f"{random.randint(1900, 2090)}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"
        value: Any = {
            Family.DATETIME: random.choice(
                [moment, f"{moment}:12:30:45", "0000-00-00", "infinity", f"{moment}:11:09:07.25 Europe/Rome"]
            ),
            Family.INTERVAL: random.choice(["+01-02", "-03 04:05:06.500000", "12", "04:05"]),
            Family.TEXT: random.choice(["leaf", "12.50", "x" * 8, "garden of tea"]),
            Family.REAL: random.choice([0.0, 1.5, -2.25e20, 1 / 3, 7e-30]),
        }.get(family, number)
        try:
            if family in (Family.DATETIME, Family.INTERVAL):
                text = str(value).encode()
                stored.append(_BIG.encode(len(text), 2) + text if DATA_TYPES[code].is_variable else text)
            else:
                stored.append(encode_value(value, definition, _BIG))
        except TrailError:
            continue
    return stored


@pytest.mark.parametrize(("code", "scale"), in_turn(sorted(DATA_TYPES), [0, 2]))
def test_a_value_of_any_type_decodes_as_before_or_does_not_as_before(code: int, scale: int) -> None:
    """Of integers and decimals the sign stays, and of every value its size."""
    definition = column(data_type=code, scale=scale, sub_data_type=0, internal_length=13)
    random, substitutes = Random(f"{code} {scale}"), ValueSubstitutes(Substitutes())
    for stored in _values(random, code, definition):
        raw = PRESENT + stored
        other = substitutes.of(raw, definition, _BIG, "utf-8")
        assert len(other) == len(raw)
        before, after = (decode_value(Column(0, each), definition, _BIG) for each in (raw, other))
        assert (before.problem is None) == (after.problem is None), (before, after)
        assert type(before.value) is type(after.value) or Family.DATETIME is DATA_TYPES[code].family
        if isinstance(before.value, int | Decimal | float) and before.value and not math.isnan(before.value):
            assert (before.value < 0) == (after.value < 0)  # type: ignore[operator]


def _trail(folder: Path, name: str, keys: list[int]) -> Path:
    """A trail of two tables: the key of one is an integer, that of the other is a number as text."""
    whole = column_of("ID", "integer")._replace(scale=0)
    tables = {1: ("TEA.ORDERS", whole), 2: ("TEA.LINES", column_of("ORDER_ID", "number"))}
    records = [
        metadata_record(2, index, table, build_table(TableDefinition(1, 1, (key,)), _BIG))
        for index, (table, key) in tables.items()
    ]
    for key in keys:
        for index, (_, definition) in tables.items():
            value = encode_value(key, definition, _BIG)
            head = header(index, io_type=INSERT, partition=COMPRESSED | NAME_IS_INDEX, trans_ind=3)
            records.append(make_record(head, Images(None, (make_column(0, value),))))
    return trail_of(folder, *records, name=name)


def _keys(path: Path) -> dict[int, list[Decimal]]:
    found: dict[int, list[Decimal]] = {1: [], 2: []}
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        for record in trail.records():
            if record.images is not None and record.images.after and record.table_index is not None:
                value = decode_value(record.images.after[0], definitions.of(record).column(0), _BIG)
                found[record.table_index].append(Decimal(str(value.value)))
    return found


@pytest.mark.parametrize("seed", range(examples(5)))
def test_keys_join_over_tables_and_files(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    keys = [random.randint(1, 10 ** random.randint(1, 12)) for _ in range(20)]
    for number in (4, 5):
        _trail(tmp_path, f"tt{number:09}", keys[:: number - 3])
    copy = tmp_path / "copy"
    copy.mkdir()
    assert logdump("redact", str(tmp_path / "tt*"), "-o", str(copy)).status == 0
    first, second = (_keys(copy / f"tt{number:09}") for number in (4, 5))
    assert first[1] == first[2]
    assert second[1] == second[2] == first[1][::2]
    assert len(set(first[1])) == len(set(keys))
    assert all(key != other for key, other in zip(keys, first[1], strict=True) if key > 10**6)
