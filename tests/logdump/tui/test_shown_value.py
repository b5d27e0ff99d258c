"""A value in windows: all of it is shown, every match is found, wherever lines end and windows begin."""

from __future__ import annotations

import re

import pytest

from logdump.tui.text import shown_value
from logdump.tui.text.shown_value import Hit, ShownValue, ValuePart
from tests.searching import Random, examples

_LETTERS = "aAbB茶ß\n {}<>\\\x1b"


@pytest.fixture(autouse=True)
def _small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_value, "MOST_SHOWN", 64)


def _drawn(draw: Random) -> list[ValuePart]:
    texts = ["".join(draw.choices(_LETTERS, k=draw.randrange(200))) for _ in range(draw.randrange(1, 4))]
    return [
        ValuePart(f"part {number}", "", draw.choice((text, text.encode())), text.encode(errors="replace"))
        for number, text in enumerate(texts)
    ]


@pytest.mark.parametrize("seed", range(examples(40)))
def test_the_windows_show_each_character_once(seed: int) -> None:
    draw = Random(f"windows {seed}")
    parts, is_hex = _drawn(draw), draw.random() < 0.5
    value = ShownValue(parts, is_hex=is_hex, is_indented=draw.random() < 0.5)
    contents = [part.data if is_hex else part.value for part in parts]
    seen = [[0] * len(content) for content in contents]
    for window in range(value.windows):
        titles = set()
        for line, place in value.lines(window, None):
            for at in range(place.start, place.end):
                assert value.window_of(place.part, at) == window
                seen[place.part][at] += 1
            titles |= {line.text.split(",")[0]} if place.start == place.end else set()
        assert titles & {part.name for part in parts}
    for content, counts in zip(contents, seen, strict=True):
        ends = [content[at : at + 1] in ("\n", b"") for at in range(len(content))]
        assert all(count == 1 or (is_end and not count) for count, is_end in zip(counts, ends, strict=True))


@pytest.mark.parametrize("seed", range(examples(40)))
def test_each_match_is_found_in_its_order_and_then_the_first_again(seed: int) -> None:
    draw = Random(f"matches {seed}")
    parts = _drawn(draw)
    value = ShownValue(parts, is_hex=False, is_indented=True)
    needle = "".join(draw.choices("aAbB茶 ", k=draw.randrange(1, 3)))
    expected = []
    for number, part in enumerate(parts):
        if isinstance(part.value, str):
            found = re.finditer(f"(?=({re.escape(needle)}))", part.value, re.IGNORECASE)
        else:  # case does not matter in ASCII
            found = re.finditer(b"(?=(" + re.escape(needle.encode()) + b"))", part.value, re.IGNORECASE)  # type: ignore[assignment]
        expected += [Hit(number, match.start(1), match.end(1)) for match in found]
    place, again = (0, 0), []
    for hit in [*expected, *expected[:1]]:
        found_hit, is_again = value.find(needle, *place)
        assert found_hit == hit
        again.append(is_again)
        place = hit.part, hit.start + 1
        window = value.window_of(hit.part, hit.start)
        marked = [
            line for line, _ in value.lines(window, hit) if any("match" in s or "field" in s for _, s in line.pieces)
        ]
        assert marked
    assert again == [False] * len(expected) + [True] * bool(expected)
    if not expected:
        assert value.find(needle, 0, 0) == (None, False)


def test_pairs_of_hex_digits_are_bytes_too() -> None:
    value = ShownValue([ValuePart("x", "", b"", b"\x00\xca\xfe CAFE")], is_hex=True, is_indented=True)
    assert value.find("ca fe", 0, 0)[0] == Hit(0, 1, 3)
    assert value.find("CAFE", 0, 2)[0] == Hit(0, 4, 8)


def test_what_follows_of_a_long_value_is_said() -> None:
    value = ShownValue([ValuePart("after", "", "x" * 150, b"")], is_hex=False, is_indented=True)
    assert [next(iter(value.lines(window, None)))[0].text for window in range(value.windows)] == [
        "after, characters 1 to 64 of 150",
        "after, characters 65 to 128 of 150",
        "after, characters 129 to 150 of 150",
    ]
