"""Lines made of arrays of texts are what the csv and json of Python read back, and write."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="arrays need numpy")
pa = pytest.importorskip("pyarrow", reason="arrays need pyarrow")
arrays = pytest.importorskip("trailformat.arrays", reason="arrays need pyarrow and llvmlite")

from trailformat.arrays import (  # noqa: E402 - behind the check for them
    Escapes,
    Field,
    FieldForm,
    LineForm,
    count_lines,
    lines,
    write_lines,
)
from trailformat.scan.kernels.arguments import ABSENT, NULL  # noqa: E402 - likewise

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
    field = Field(form, pa.array(["", *texts], pa.string()).slice(1))
    is_ascii = escapes is Escapes.JSON_ASCII
    lines = [json.dumps({"text": text}, ensure_ascii=is_ascii, separators=(",", ":")) for text in texts]
    expected = "".join(f"{line}\n" for line in lines)
    assert _written(LineForm(b"", b"}\n"), [field], [False] * len(texts)) == expected


@given(texts=TEXTS)
@example(texts=[EVERY_BYTE, '"' * 99])
def test_csv_is_read_back_by_python(texts: list[str | None]) -> None:
    field = Field(FieldForm(b',"', b'"', b",NULL", escapes=Escapes.CSV), pa.array(texts, pa.string()))
    written = _written(LineForm(b"head", b"\r\n"), [field, field], [False] * len(texts))
    shown = ["NULL" if text is None else text for text in texts]
    assert list(csv.reader(io.StringIO(written, newline=""), strict=True)) == [["head", one, one] for one in shown]


def test_values_that_are_null_as_stored_are_listed_and_absent_ones_are_not() -> None:
    first, second = (FieldForm(b"<", b">", b"-", b".", name) for name in (b"first", b"second"))
    texts = pa.array(["a", "b", None, None], pa.string())
    fields = [
        Field(first, texts, np.array([1, 1, NULL, ABSENT], np.int32)),
        Field(second, None, np.array([ABSENT, NULL, NULL, ABSENT], np.int64)),
    ]
    form = LineForm(b"", b"\n", b"(", b",", b")", b"()")
    assert _written(form, fields, [False] * 4).splitlines() == ["<a>.()", "<b>-(second)", "--(first,second)", "..()"]


def test_a_row_that_is_skipped_has_no_line() -> None:
    field = Field(FieldForm(b"", b"\n"), pa.array(["a", "bc", "d"], pa.string()))
    found = write_lines(LineForm(b"", b""), [field], np.array([False, True, False]))
    assert (bytes(found.data), found.ends.tolist()) == (b"a\nd\n", [2, 2, 4])


@given(data=st.text('"\n#!\x00\x0b a\u00e9', max_size=60).map(str.encode), piece=st.integers(1, 24))
def test_line_breaks_in_quotes_end_no_line(data: bytes, piece: int) -> None:
    in_no_quotes = b"".join(data.split(b'"')[::2])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lines, "_READ", piece)
        assert count_lines(io.BytesIO(data), are_quoted=True) == in_no_quotes.count(b"\n")
        assert count_lines(io.BytesIO(data), are_quoted=False) == data.count(b"\n")
