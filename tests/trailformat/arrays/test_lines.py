"""Lines made of arrays of texts are what the csv and json of Python read back, and write."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="arrays need numpy")
arrays = pytest.importorskip("trailformat.arrays", reason="arrays need numpy")

from trailformat.arrays import (  # noqa: E402 - behind the check for them
    BytesAt,
    Digits,
    Escapes,
    Field,
    FieldForm,
    LineForm,
    Numbered,
    Parts,
    Strings,
    write_lines,
)
from trailformat.native.scan.arguments import ABSENT, NULL  # noqa: E402 - likewise

TEXTS = st.lists(st.none() | st.text(max_size=30), min_size=1, max_size=9)
EVERY_BYTE = "".join(map(chr, range(0x180))) + "\ud7ff\ue000\uffff\U00010000\U0010ffff"


def _written(form: LineForm, fields: list[Field], skipped: list[bool]) -> str:
    found = write_lines(form, fields, np.array(skipped))
    assert found.ends[-1] == len(found.data)
    return bytes(found.data).decode()


@given(texts=TEXTS, escapes=st.sampled_from([Escapes.JSON, Escapes.JSON_ASCII]))
@example(texts=[EVERY_BYTE, EVERY_BYTE[::-1]], escapes=Escapes.JSON)
@example(texts=[EVERY_BYTE, EVERY_BYTE[::-1]], escapes=Escapes.JSON_ASCII)
def test_json_is_written_as_python_does(texts: list[str | None], escapes: Escapes) -> None:
    form = FieldForm(b'{"text":"', b'"', b'{"text":null', escapes=escapes)
    field = Field(form, Strings.of(texts))
    is_ascii = escapes is Escapes.JSON_ASCII
    lines = [json.dumps({"text": text}, ensure_ascii=is_ascii, separators=(",", ":")) for text in texts]
    expected = "".join(f"{line}\n" for line in lines)
    assert _written(LineForm(b"", b"}\n"), [field], [False] * len(texts)) == expected


@given(texts=TEXTS)
@example(texts=[EVERY_BYTE, '"' * 99])
def test_csv_is_read_back_by_python(texts: list[str | None]) -> None:
    field = Field(FieldForm(b',"', b'"', b",NULL", escapes=Escapes.CSV), Strings.of(texts))
    written = _written(LineForm(b"head", b"\r\n"), [field, field], [False] * len(texts))
    shown = ["NULL" if text is None else text for text in texts]
    assert list(csv.reader(io.StringIO(written, newline=""), strict=True)) == [["head", text, text] for text in shown]


def test_lines_without_fields_are_their_head_and_tail() -> None:
    assert _written(LineForm(b"DELETE", b";\n"), [], [False, True, False]) == "DELETE;\nDELETE;\n"


def test_values_that_are_null_as_stored_are_listed_and_absent_ones_are_not() -> None:
    first, second = (FieldForm(b"<", b">", b"-", b".", name) for name in (b"first", b"second"))
    texts = Strings.of(["a", "b", None, None])
    fields = [
        Field(first, texts, np.array([1, 1, NULL, ABSENT], np.int32)),
        Field(second, None, np.array([ABSENT, NULL, NULL, ABSENT], np.int64)),
    ]
    form = LineForm(b"", b"\n", b"(", b",", b")", b"()")
    assert _written(form, fields, [False] * 4).splitlines() == ["<a>.()", "<b>-(second)", "--(first,second)", "..()"]


def test_a_last_field_comes_after_the_list_of_nulls() -> None:
    first, last = FieldForm(b"<", b">", b"-", b".", b"first"), FieldForm(b" ", b"!", b"?")
    field = Field(first, Strings.of(["a", None, None]), np.array([1, NULL, ABSENT]))
    found = write_lines(
        LineForm(b"", b"\n", b"(", b",", b")", b"()"),
        [field],
        np.zeros(3, bool),
        last=Field(last, Strings.of(["x", None, "y"])),
    )
    assert bytes(found.data).decode().splitlines() == ["<a>() x!", "-(first)?", ".() y!"]


def test_a_row_that_is_skipped_has_no_line() -> None:
    field = Field(FieldForm(b"", b"\n"), Strings.of(["a", "bc", "d"]))
    found = write_lines(LineForm(b"", b""), [field], np.array([False, True, False]))
    assert (bytes(found.data), found.ends.tolist()) == (b"a\nd\n", [2, 2, 4])


@given(texts=TEXTS)
@example(texts=[EVERY_BYTE, '"' * 99])
def test_json_in_csv_is_what_csv_makes_of_json(texts: list[str | None]) -> None:
    values = Strings.of(texts)
    inner = FieldForm(b'""', b'""', b"null", escapes=Escapes.JSON_IN_CSV)
    listed = Field(
        FieldForm(b'"[', b']"', b"", b'"[]"', b","),
        Parts(np.array([0, len(texts)]), [Field(inner, values)], np.ones(1)),
    )
    written = _written(LineForm(b"", b"\r\n"), [listed], [False])
    assert list(csv.reader(io.StringIO(written, newline=""), strict=True)) == [
        [json.dumps(texts, ensure_ascii=False, separators=(",", ":"))]
    ]


@given(
    numbers=st.lists(st.none() | st.integers(0, 2**64 - 1) | st.sampled_from([9, 10, 99, 100, 2**64 - 1]), min_size=1),
    data=st.lists(st.binary(max_size=20), min_size=1),
)
def test_numbers_are_written_in_digits_and_bytes_in_hex(numbers: list[int | None], data: list[bytes]) -> None:
    digits = Field(
        FieldForm(b"", b",", b"null,"),
        Digits(
            np.array([number or 0 for number in numbers], np.uint64),
            np.array([number is not None for number in numbers]),
        ),
    )
    assert _written(LineForm(b"", b""), [digits], [False] * len(numbers)) == "".join(
        "null," if number is None else f"{number}," for number in numbers
    )
    sizes = np.array([*map(len, data)])
    bytes_at = BytesAt(np.frombuffer(b"".join(data), np.uint8), np.cumsum(sizes) - sizes)
    written = _written(LineForm(b"", b","), [Field(FieldForm(b""), bytes_at, sizes)], [False] * len(data))
    assert written == "".join(f"{content.hex()}," for content in data)


def test_texts_are_taken_by_their_numbers_and_lists_have_rows_of_their_own() -> None:
    texts = Numbered(Strings.of(["a", None, "c"]), np.array([2, 0, 1, 2], np.int32))
    members = [Field(FieldForm(b"", b"=", b"-="), texts), Field(FieldForm(b""), Strings.of("wxyz"))]
    listed = FieldForm(b"[", b"]", b"none", b"empty", b";")
    parts = Parts(np.array([0, 1, 1, 1, 4]), members, np.array([True, True, False, True]))
    ends = Field(FieldForm(b"|"), Strings.of("1234"))
    lines = _written(LineForm(b"", b"\n"), [Field(listed, parts), ends, Field(listed, parts)], [False] * 4).splitlines()
    assert lines == ["[c=w]|1[c=w]", "empty|2empty", "none|3none", "[a=x;-=y;c=z]|4[a=x;-=y;c=z]"]
