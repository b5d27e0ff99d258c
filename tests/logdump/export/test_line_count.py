"""The lines of large files are counted by parts as those of small ones, and as csv reads them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logdump.features.export import text_formats
from tests.kernels import needs_native

CHARACTERS = st.sampled_from(["\n", '""', '"a\nb"', "leaf", ",", "\x0b\x8a\x22", "\x01"])


@needs_native
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(CHARACTERS, max_size=30), chunk=st.integers(1, 40), is_quoted=st.booleans())
def test_parts_of_a_file_have_the_lines_of_all_of_it(
    texts: list[str], chunk: int, tmp_path: Path, *, is_quoted: bool
) -> None:
    path = tmp_path / "out"
    path.write_text("".join(texts), encoding="latin-1")
    with pytest.MonkeyPatch.context() as patched, path.open("rb") as file:
        expected = text_formats.count_lines(file, is_quoted=is_quoted)
        patched.setattr(text_formats, "_MANY_BYTES", 0)
        patched.setattr(text_formats, "_CHUNK", chunk)
        assert text_formats.count_lines(file, is_quoted=is_quoted) == expected


def test_line_breaks_in_quotes_end_no_line() -> None:
    text = '"a ""b""\r\nc",d\r\n,\r\n"",""\r\n'
    assert text_formats.count_lines(io.BytesIO(text.encode()), is_quoted=True) == len(
        list(csv.reader(io.StringIO(text)))
    )
