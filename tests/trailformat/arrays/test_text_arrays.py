"""Arrays of texts say what decode_value says of each value, one by one.

Strings in one array are what lists of Python say of them.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.flavour import ORACLE_12
from tests.searching import examples
from tests.trailformat.arrays.stored import KINDS, raw_values
from trailformat import BadData, ByteOrder, Column, ColumnDefinition
from trailformat.arrays import StoredValues, Strings, TextArray, are_unequal, text_array
from trailformat.arrays.arrow import arrow_strings
from trailformat.codec.charsets import CHARSETS, UTF_8, decode, keeps_ascii
from trailformat.values import decode_value, plain_text

TEXTS = st.lists(st.none() | st.text(max_size=9))


def _texts(strings: Strings) -> list[str | None]:
    texts: list[str | None] = arrow_strings(strings).to_pylist()
    return texts


@given(texts=TEXTS, data=st.data())
def test_strings_are_taken_replaced_and_joined_as_in_a_list(texts: list[str | None], data: st.DataObject) -> None:
    strings = Strings.of(texts)
    assert _texts(strings) == texts
    numbers = data.draw(st.lists(st.integers(0, len(texts) - 1)) if texts else st.just([]))
    taken = strings.take(np.array(numbers, np.int64))
    assert _texts(taken) == [texts[number] for number in numbers]
    rows = sorted(set(numbers))
    others = data.draw(st.lists(st.none() | st.text(max_size=9), min_size=len(rows), max_size=len(rows)))
    expected = list(texts)
    for row, other in zip(rows, others, strict=True):
        expected[row] = other
    replaced = strings.replaced(np.array(rows, np.int64), Strings.of(others))
    assert _texts(replaced) == expected
    assert _texts(Strings.joined([strings, taken, Strings.nulls(2)])) == [*texts, *_texts(taken), None, None]


@given(texts=st.lists(st.sampled_from(["", "a", "b", "ab", "煎茶"])))
def test_distinct_strings_stand_once_in_the_order_of_their_first_places(texts: list[str]) -> None:
    distinct, numbers = Strings.of(texts).distinct()
    assert distinct == [*dict.fromkeys(text.encode() for text in texts)]
    assert [distinct[number].decode() for number in numbers.tolist()] == texts
    mask = Strings.of([*texts, None]).are_in([b"a", "煎茶".encode(), b""])
    assert mask.tolist() == [text in ("a", "煎茶", "") for text in [*texts, None]]


@pytest.mark.parametrize(
    "stored",
    [
        [b"abc", "煎".encode()],
        [],
        [b""],
        ["煎".encode()[:1], "煎".encode()[1:]],
        [b"\xff"],
        [b"\xed\xa0\x80"],
        [b"\xc0\x80"],
    ],
)
def test_each_string_is_a_text_or_none_is(stored: list[bytes]) -> None:
    def is_text(content: bytes) -> bool:
        try:
            content.decode()
        except UnicodeDecodeError:
            return False
        return True

    assert Strings.of(stored).are_utf_8() == all(map(is_text, stored))


@given(
    pairs=st.lists(
        st.binary(min_size=1, max_size=5).flatmap(
            lambda content: st.tuples(st.just(content), st.binary(min_size=len(content), max_size=len(content)))
        )
    )
)
def test_runs_of_bytes_are_compared_byte_by_byte(pairs: list[tuple[bytes, bytes]]) -> None:
    data = np.frombuffer(b"".join(old + new for old, new in pairs), np.uint8)
    sizes = np.array([len(old) for old, _ in pairs], np.int64)
    starts = 2 * (np.cumsum(sizes) - sizes)
    assert are_unequal(data, (starts, starts + sizes), sizes).tolist() == [old != new for old, new in pairs]


def test_more_bytes_than_offsets_count_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.arrays.strings.MOST_BYTES", 5)
    assert Strings.of(["abc", "de"]).nbytes == 5
    with pytest.raises(BadData, match="too much text for one array"):
        Strings.of(["abc", "def"])


_DEFINITION = ORACLE_12.sales.columns[0]
_MORE_KINDS: dict[str, dict[str, Any]] = {
    **KINDS,
    "INT64": {"data_type": 134, "scale": 0, "sub_data_type": 0},
    "INT64, scale 6": {"data_type": 134, "scale": 6, "sub_data_type": 0},
    "INT64, scale 7": {"data_type": 134, "scale": 7, "sub_data_type": 0},
    "INT64, scale -3": {"data_type": 134, "scale": -3, "sub_data_type": 0},
    "CHAR of numbers": {"data_type": 0, "sub_data_type": 2},
    "CHAR of bytes": {"data_type": 0, "sub_data_type": 4},
    "VARCHAR in UTF-16": {"data_type": 64, "sub_data_type": 1},
    "DATETIME VARYING": {"data_type": 191, "least_significant": 6},
    "ZONED": {"data_type": 152, "scale": 2},
    "TANDEM REAL": {"data_type": 140},
    "BIGNUM": {"data_type": 156},
}


def _stored(raws: list[bytes], little: list[bool]) -> StoredValues:
    sizes = np.array([len(raw) for raw in raws], np.int64)
    data = np.frombuffer(b"??" + b"".join(raws), np.uint8)
    return StoredValues(data, np.array(little), 2 + np.cumsum(sizes) - sizes, sizes)


def _expected(raw: bytes, definition: ColumnDefinition, order: ByteOrder, codec: str) -> tuple[str | None, str | None]:
    value = decode_value(Column(0, raw), definition, order, codec)
    return None if value.value is None else plain_text(value.value), value.problem


def _check(found: TextArray, expected: list[tuple[str | None, str | None]]) -> None:
    assert found.array.are_utf_8()
    arrow_strings(found.array).validate(full=True)
    assert _texts(found.array) == [text for text, _ in expected]
    assert found.problems == [(row, reason) for row, (_, reason) in enumerate(expected) if reason is not None]


@pytest.mark.parametrize("kind", _MORE_KINDS)
@settings(max_examples=examples(10, short=3), deadline=None)
@given(data=st.data())
def test_an_array_holds_the_text_of_each_value(kind: str, data: st.DataObject) -> None:
    definition = _DEFINITION._replace(**_MORE_KINDS[kind])
    codec = data.draw(st.sampled_from([UTF_8, "cp1252", "cp037", "utf-16-be", "cesu-8", "cp932", "utf-7"]))
    orders = data.draw(st.lists(st.sampled_from(ByteOrder), min_size=1, max_size=12))
    raws = [data.draw(raw_values(order)) for order in orders]
    found = text_array(_stored(raws, [order is ByteOrder.LITTLE for order in orders]), definition, codec)
    _check(found, [_expected(raw, definition, order, codec) for raw, order in zip(raws, orders, strict=True)])


@pytest.mark.parametrize("scale", range(9))
@pytest.mark.parametrize("number", [0, 1, -1, 10, -100, 123456789, 2**63 - 1, -(2**63)])
def test_integers_have_all_their_digits(number: int, scale: int) -> None:
    definition = _DEFINITION._replace(data_type=134, scale=scale, sub_data_type=0)
    raw = b"\0\0" + number.to_bytes(8, signed=True)
    _check(text_array(_stored([raw], [False]), definition), [_expected(raw, definition, ByteOrder.BIG, UTF_8)])


_NUMBERS = "0 -0 00 -1 +1 1. .5 -.5 0.50 -0.5 00.5 10 01 -01 1e3 1E-9 - . -. 1.2.3 1- --1 1_0 NaN -Infinity"


@pytest.mark.parametrize("text", [*_NUMBERS.split(), "", " 1", "1 ", "1" * 200, "1" * 201, "0." + "0" * 300])
def test_numbers_that_are_text_are_written_as_decimals(text: str) -> None:
    definition = _DEFINITION._replace(data_type=64, sub_data_type=2, scale=0)
    raw = b"\0\0" + len(text).to_bytes(2) + text.encode()
    _check(text_array(_stored([raw], [False]), definition), [_expected(raw, definition, ByteOrder.BIG, UTF_8)])


@pytest.mark.parametrize("fraction", ["", ".0", ".000000", ".5", ".000001", ".123456000"])
@pytest.mark.parametrize("moment", ["0001-01-01:00:00:00", "1969-12-31:23:59:59", "9999-12-31:23:59:59"])
def test_moments_have_microseconds_where_there_are_some(moment: str, fraction: str) -> None:
    definition = _DEFINITION._replace(data_type=192, most_significant=0, least_significant=6)
    raws = [b"\0\0" + (moment + fraction).encode(), b"\0\x002024-03-14:00:00:00"]
    expected = [_expected(raw, definition, ByteOrder.BIG, UTF_8) for raw in raws]
    _check(text_array(_stored(raws, [False, False]), definition), expected)


def test_each_distinct_value_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    def note(column: Column, *others: Any) -> Any:
        decoded.append(column.raw)
        return decode_value(column, *others)

    monkeypatch.setattr("trailformat.arrays.text_arrays.decode_value", note)
    definition = _DEFINITION._replace(data_type=143, sub_data_type=0)
    raws = [b"\0\0\x3f" + bytes(7), b"\0\0\x40" + bytes(7)] * 50
    assert len(text_array(_stored(raws, [False] * 100), definition).array) == 100
    assert sorted(decoded) == sorted(set(raws))


def test_a_value_longer_than_its_column_is_a_problem() -> None:
    definition = _DEFINITION._replace(data_type=0, sub_data_type=5, internal_length=3)
    found = text_array(_stored([b"\0\0abc", b"\0\0abcd"], [False, False]), definition)
    assert _texts(found.array) == ["abc", None]
    reason = "CHAR: value is longer than its column; expected at most 3 bytes; found 4 bytes"
    assert found.problems == [(1, reason)]


def test_ascii_stays_as_it_is_where_it_is_taken_without_decoding() -> None:
    text = "".join(chr(first) + chr(other) for first, other in product(range(128), repeat=2))
    codecs = {charset.codec for charset in CHARSETS.values() if charset.codec and keeps_ascii(charset.codec)}
    assert len(codecs) > 50
    assert {codec for codec in codecs if decode(text.encode(), codec) != text} == set()


def test_more_text_than_an_array_holds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.arrays.strings.MOST_BYTES", 100)
    definition = _DEFINITION._replace(data_type=64, sub_data_type=4)
    raw = b"\0\0" + (20).to_bytes(2) + bytes(20)
    with pytest.raises(BadData, match="too much text for one array"):
        text_array(_stored([raw] * 3, [False] * 3), definition)
