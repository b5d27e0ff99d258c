"""Stored values of a column hold where the comparison of the decoded value holds."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.filters import value_masks
from logdump.filters.comparison import Comparison, ValueComparison
from logdump.filters.value_masks import StoredComparison
from tests.searching import examples, in_turn
from tests.trailformat.samples import BOTH
from tests.trailformat.values.kinds import KINDS, of
from trailformat import ByteOrder, CannotWrite, Column, ColumnDefinition
from trailformat.arrays import StoredValues
from trailformat.codec.charsets import BY_NAME
from trailformat.records.columns import NULL, PRESENT
from trailformat.values import Plain, decode_value, encode_value, plain_text
from trailformat.values.comparing import Operand

np = pytest.importorskip("numpy", reason="kernels need numpy")
NAMED = dict(KINDS) | {
    name: KINDS[like]._replace(definition=definition)
    for name, like, definition in (
        ("VARCHAR of a number with a scale", "INT64 with a scale", of(64, 30, scale=2, sub=3)),
        ("CHAR", "VARCHAR", of(0, 12)),
        ("CHAR of a number", "INT32", of(0, 20, sub=2)),
        ("INT64 with a scale below 0", "INT64", of(134, 8, scale=-2)),
        ("INT32 with a scale", "INT32", of(132, 4, scale=9)),
        ("REAL", "DOUBLE", of(142, 4)),
        ("TANDEM REAL", "TANDEM DOUBLE", of(140, 4)),
        ("CHAR in EBCDIC", "VARCHAR in EBCDIC", of(0, 24, charset=1072)),
        ("VARCHAR in UTF-16LE", "VARCHAR in UTF-16", of(64, charset=BY_NAME["UTF-16LE"])),
        ("VARCHAR in GBK", "VARCHAR", of(64, charset=BY_NAME["GBK"])),
        ("VARCHAR of a number in EBCDIC", "INT32", of(64, sub=2, charset=1072)),
        ("DECIMAL TSE of 30 digits", "VARCHAR of a number", of(154, 40, scale=6)),
        ("DECIMAL PACKED of 30 digits", "VARCHAR of a number", of(189, 20, scale=6)),
        ("INTERVAL FRACTION", "INTERVAL SECOND TO FRACTION", of(208)),
        ("VARCHAR of an unknown character set", "VARCHAR", of(64, charset=31_999)),
        ("a type that is not known", "VARCHAR", of(77)),
    )
}
STRANGE = [
    NULL,
    NULL + b"\0\0",
    PRESENT,
    b"",
    b"\0",
    b"\0\1abc",
    *(
        PRESENT + text
        for text in (
            b"\0",
            b"\0\2ab",
            b"\2\0ab",
            b"\0\3ab",
            b"\x7f\xf8" + bytes(6),
            b"\x7f\xf0" + bytes(6),
            b"\xff\xf0" + bytes(6),
            b"\x80" + bytes(7),
            bytes(8),
            b"a" * 13,
            b"\x12\x3c",
            b"\x1d",
            b"\x1f\x2c",
            b"\xa1\x2b",
            b"\x12\x34",
            bytes(20) + b"\x1b",
            b"\x99" * 9 + b"\x9d",
            b"\xf1\xf2\xc3",
            b"9" * 19,
            b"0" * 30 + b"7p",
        )
    ),
]
WORDS = """
a leaf leaf\0 caf\u00e9 \u00e9 \uffff \U00010000 0 -0.0 007 +7 1e3 1. .5 - 1_0 12345678901234567890 0.1234567 nan -inf
1e400 -0 2024-03-14 2024-03-14:09:30:00 2024-03-14:09:30:00.5 2024-03-14T09:30:00.1234567 2024-03-14:07:30:00+00:00
2024-03-14T09:30:00+02:00 09:30:00 0000-00-00 2024-02-30 2024-03-14:24:00:00 infinity X'00ff' 00ff
{12 12} J1 M +12 12- 1.50000000 1.1234567 1:2
-1:02:3.5 1:2:3:4:5 1234567 .5 1.. 1:-2
"""
TEXTS = [
    *WORDS.split(),
    "",
    "  ",
    "a  ",
    "2024-03-14 09:30:00 +02:00",
    "3 04:05:06.5",
    "- 1",
    " -3 04:05:06 ",
    "1 2",
    "+ \0",
]
BAD_TEXTS = [
    b"\xff",
    b"caf\xe9",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xe2\x82",
    b"\xf4\x90\x80\x80",
    b"a\x80",
    b"\xf0\x9f\x8d\xb5",
]


def stored(value: Plain, definition: ColumnDefinition, order: ByteOrder) -> bytes | None:
    """A column with the value; None where the type does not take it."""
    try:
        return PRESENT + encode_value(value, definition, order)
    except CannotWrite:
        return None


def columns_of(definition: ColumnDefinition, values: list[Plain], order: ByteOrder) -> list[bytes]:
    """The columns with these values, and those that hold none or are out of the ordinary."""
    texts = [text.encode() for text in TEXTS] + BAD_TEXTS
    written = [*texts, *(order.encode(len(text), 2) + text for text in texts)]
    return [content for value in values if (content := stored(value, definition, order)) is not None] + [
        *STRANGE,
        *(PRESENT + text for text in written),
    ]


def held(
    comparison: ValueComparison, definition: ColumnDefinition, columns: list[bytes], order: ByteOrder
) -> list[bool]:
    """Which of the columns hold."""
    ends = np.cumsum([len(column) for column in columns])
    view = np.frombuffer(b"".join(columns) or b"\0", np.uint8)
    little = np.full(len(columns), order is ByteOrder.LITTLE)
    values = StoredValues(
        view, little, ends - [len(column) for column in columns], np.array([len(column) for column in columns])
    )
    mask: list[bool] = StoredComparison(comparison, definition, "utf-8").matching(values).tolist()
    return mask


@pytest.mark.parametrize("name", NAMED)
@settings(max_examples=examples(4, short=2))
@given(data=st.data())
def test_it_holds_as_the_decoded_value_does(name: str, data: st.DataObject) -> None:
    definition, order = NAMED[name].definition, data.draw(st.sampled_from(BOTH))
    values = data.draw(st.lists(NAMED[name].values, min_size=1, max_size=6))
    wanted = data.draw(st.sampled_from([*map(plain_text, values), *TEXTS, None]))
    signs = [Comparison.EQUAL, Comparison.NOT_EQUAL] if wanted is None else list(Comparison)
    columns = columns_of(definition, values, order)
    decoded = [decode_value(Column(3, column), definition, order, "utf-8") for column in columns]
    for sign in signs:
        criterion = ValueComparison(sign, Operand(wanted))
        expected = [criterion.holds(value, definition) for value in decoded]
        assert held(criterion, definition, columns, order) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("INT64 with a scale", Decimal("-7.25")),
        ("UINT64", 1 << 63),
        ("VARCHAR", "blütenweiß"),
        ("VARCHAR of a number", Decimal("12.5")),
    ],
)
def test_an_ordinary_value_is_not_decoded_by_itself(name: str, value: Plain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_masks, "decode_value", None)
    definition = NAMED[name].definition
    column = stored(value, definition, ByteOrder.BIG)
    assert column is not None
    for sign, holds in ((Comparison.EQUAL, True), (Comparison.GREATER, False), (Comparison.LESS_OR_EQUAL, True)):
        criterion = ValueComparison(sign, Operand(plain_text(value)))
        assert held(criterion, definition, [column], ByteOrder.BIG) == [holds]


@pytest.mark.parametrize(
    ("value", "name"),
    in_turn([0.1, -0.1, 1.1, -1.1, 0.3, 1e30, -3e-30], ["DOUBLE", "REAL", "TANDEM DOUBLE", "TANDEM REAL"]),
)
def test_the_next_float_is_another_one(name: str, value: float) -> None:
    definition = NAMED[name].definition
    column = stored(value, definition, ByteOrder.BIG)
    assert column is not None
    number = int.from_bytes(column[2:], "big")
    # the exponent of Tandem's is in the last nine bits
    step = 1 << 9 if name.startswith("TANDEM") else 1
    near = [(number + difference * step).to_bytes(len(column) - 2, "big") for difference in range(-2, 3)]
    columns = [PRESENT + near_value for near_value in near]
    decoded = [decode_value(Column(3, column_data), definition, ByteOrder.BIG) for column_data in columns]
    assert name.startswith("TANDEM") or len({decoded_value.value for decoded_value in decoded}) == len(columns)
    for wanted in map(plain_text, [decoded_value.value for decoded_value in decoded]):
        for sign in Comparison:
            criterion = ValueComparison(sign, Operand(wanted))
            assert held(criterion, definition, columns, ByteOrder.BIG) == [
                criterion.holds(decoded_value, definition) for decoded_value in decoded
            ]
