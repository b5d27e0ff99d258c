"""Columns of CSNs and XIDs meet what each of them meets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.filters import Comparison
from logdump.filters.text_columns import csn_holds
from tests.searching import in_turn
from trailformat.scan import StringColumn

np = pytest.importorskip("numpy", reason="columns of texts need numpy")

DIGITS = st.text("0123456789", min_size=1, max_size=3)
FORMS = st.sampled_from(["{}", "{}:{}", "00000000000000000{}:000000000{}", "{}/{}", "0000000{}/{}", "0x{}", "b.{}:{}"])
CSNS = st.one_of(
    st.builds(lambda form, first, second: form.format(first, second), FORMS, DIGITS, DIGITS),
    st.text("0aF:/ \0x.", max_size=4),
    st.sampled_from(["9" * 18, "1" + "0" * 18, "0" * 22 + "9" * 18, "9" * 41, "\u0663", "ffffffff/0", "FFFFFFFF/1"]),
)
WANTED = st.sampled_from(["12", "0x1f", "0.26", "4:109", "a.4:109", "1F/00000002", "0000000a:0000000b:000c", "9" * 19])
COMPARISONS = st.sampled_from(Comparison)


def column(texts: list[bytes | None], known: dict[int, str | None]) -> StringColumn:
    sizes = np.array([-1 if text is None else len(text) for text in texts], dtype=np.int64)
    starts = np.cumsum(np.maximum(sizes, 0)) - np.maximum(sizes, 0)
    return StringColumn(b"".join(text for text in texts if text is not None), starts, sizes, known)


@given(st.lists(CSNS | st.none(), max_size=30), st.lists(CSNS | st.none(), max_size=3), WANTED, COMPARISONS)
def test_csns(stored: list[str | None], known: list[str | None], wanted: str, comparison: Comparison) -> None:
    from logdump.filters.text_columns import csns_hold

    bytes_of = [None if text is None else text.encode() for text in stored]
    csns = column([*[None] * len(known), *bytes_of], dict(enumerate(known)))
    assert list(csns) == known + stored == [csns[number] for number in range(len(csns))]
    expected = [csn_holds(comparison, text, wanted) for text in known + stored]
    assert csns_hold(comparison, wanted, csns).tolist() == expected


@pytest.mark.parametrize(("comparison", "wanted"), in_turn(Comparison, ["12", "9" * 18, "4:1095", "1F/00000002"]))
def test_many_lengths(comparison: Comparison, wanted: str) -> None:
    from logdump.filters.text_columns import csns_hold

    texts = [zeros * "0" + text for zeros in range(70) for text in ("12", "13", "4:1095", "4:0", "1F/2", "1f/00000003")]
    csns = column([text.encode() for text in texts], {})
    assert csns_hold(comparison, wanted, csns).tolist() == [csn_holds(comparison, text, wanted) for text in texts]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("123456789012345679", "123456789012345678"),
        ("0" * 20 + "1" + "0" * 18, "12"),
        ("11" + "0" * 16 + "12", "12"),
        ("9" * 40, "9" * 18),
    ],
)
def test_long_numbers_are_compared_to_the_last_digit(text: str, wanted: str) -> None:
    from logdump.filters.text_columns import csns_hold

    csns = column([text.encode()], {})
    assert csns_hold(Comparison.GREATER, wanted, csns).tolist() == [True]
    assert csns_hold(Comparison.EQUAL, wanted, csns).tolist() == [False]


NO_CSNS = [
    "1a",
    "a1",
    ":5",
    "5:",
    ":",
    "4:1a",
    "a:5",
    "4:5:",
    "/1",
    "1/",
    "/",
    "1G/2",
    "4;5",
    "4 5",
    "1F:2",
    "-1",
    "+1",
]


@pytest.mark.parametrize(("text", "wanted"), in_turn(NO_CSNS, ["12", "4:1095", "1F/00000002"]))
def test_what_only_looks_like_a_csn_is_unequal_and_neither_less_nor_greater(text: str, wanted: str) -> None:
    from logdump.filters.text_columns import csns_hold

    asked = Comparison.LESS, Comparison.GREATER, Comparison.EQUAL, Comparison.NOT_EQUAL
    found = [csns_hold(comparison, wanted, column([text.encode()], {})).tolist() for comparison in asked]
    assert found == [[False], [False], [False], [True]]


@pytest.mark.parametrize("comparison", Comparison)
def test_texts_whose_bytes_are_known(comparison: Comparison) -> None:
    from logdump.filters.text_columns import texts_hold

    def holds(text: str | None) -> bool:
        return text is not None and comparison.holds(text, "5.1.88")

    texts = column([None, None, b"5.1.88", None, b"", b"5.1.89", b"5.1.8", b"\xff.1.88"], {0: "5.1.88", 1: "6"})
    expected = [holds(text) for text in texts]
    assert texts_hold(comparison, b"5.1.88", texts, holds).tolist() == expected
    assert texts_hold(comparison, None, texts, holds).tolist() == expected


def test_bytes_that_are_no_text_are_escaped() -> None:
    texts = column([b"a\xffb", "Köln".encode()], {})
    assert list(texts) == [texts[0], texts[1]] == ["a\\xffb", "Köln"]
