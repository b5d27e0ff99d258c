"""JSON and XML in indented lines: every character stays, each member has a line, and what is neither stays as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from logdump.tui.text.value_breaks import MOST_INDENTED, breaks_of
from tests.searching import Random, examples

_SCALARS = ("0", "-1.50", "12345678901234567890123.4567890", "1e400", "true", "null", "NaN", "-Infinity")
_STRINGS = ('""', '"a"', '"{[,:]}"', '"\\""', '"\\\\"', '"茶 \\u8336"', '"<a>"', '"a"')


def lines_of(text: str) -> list[str]:
    """The lines of a text, indented."""
    breaks = breaks_of(text)
    assert breaks is not None
    return [" " * indent + text[start:end] for indent, start, end in breaks.lines(0, len(text))]


def _json(draw: Random, depth: int) -> Iterator[tuple[int, str]]:
    """The lines of a drawn value with their levels, as somebody would write them by hand."""
    kind = draw.choice("{[") if depth and draw.random() < 0.7 else ""
    if not kind:
        yield 0, draw.choice(_SCALARS + _STRINGS)
        return
    members = [list(_json(draw, depth - 1)) for _ in range(draw.randrange(4))]
    closing = {"{": "}", "[": "]"}[kind]
    if not members:
        yield 0, f"{kind}{closing}"
        return
    yield 0, kind
    for number, member in enumerate(members):
        name = f"{draw.choice(_STRINGS)}:" if kind == "{" else ""
        comma = "," if number < len(members) - 1 else ""
        for index, (level, text) in enumerate(member):
            before, after = name if not index else "", comma if index == len(member) - 1 else ""
            yield level + 1, before + text + after
    yield 0, closing


@pytest.mark.parametrize("seed", range(examples(60)))
def test_each_member_and_item_of_json_has_a_line_with_its_own_letters(seed: int) -> None:
    draw = Random(f"json {seed}")
    drawn = [(0, "["), *((level + 1, text) for level, text in _json(draw, 4)), (0, "]")]
    blanks = ("", " ", "\n", "\r\n\t")
    text = "".join(draw.choice(blanks) + line for _, line in drawn)
    assert lines_of(text) == [" " * 2 * level + line for level, line in drawn]


def test_numbers_and_members_of_one_name_stay_as_they_are() -> None:
    text = '{"a":12345678901234567890.10,"a":1E+2, "b" : [ ] }'
    assert lines_of(text) == ["{", '  "a":12345678901234567890.10,', '  "a":1E+2,', '  "b" : [ ]', "}"]
    assert json.loads(text) != {}


def _xml(draw: Random, depth: int) -> Iterator[tuple[int, str]]:
    """The lines of a drawn element without text beside its elements."""
    name, attributes = draw.choice("abc"), draw.choice(("", ' x="1>2"', " y='&evil;\"'"))
    if not depth or draw.random() < 0.3:
        content = draw.choice(("", "text &amp; more", "<![CDATA[</a><b>]]>"))
        end = f"></{name}>" if not content else f">{content}</{name} >"
        yield 0, draw.choice((f"<{name}{attributes}{end}", f"<{name}{attributes}/>"))
        return
    yield 0, f"<{name}{attributes}>"
    for _ in range(draw.randrange(1, 4)):
        inside = _xml(draw, depth - 1) if draw.random() < 0.8 else iter([(0, draw.choice(("<!-- <a> -->", "<?p <?>")))])
        yield from ((level + 1, text) for level, text in inside)
    yield 0, f"</{name}>"


@pytest.mark.parametrize("seed", range(examples(60)))
def test_each_element_of_xml_has_a_line_and_nothing_is_expanded(seed: int) -> None:
    draw = Random(f"xml {seed}")
    head = draw.choice(([], ['<?xml version="1.0"?>'], ['<!DOCTYPE r [<!ENTITY evil "<a>">]>']))
    drawn = [*((0, text) for text in head), *_xml(draw, 4)]
    text = "".join(draw.choice(("", "\n  ")) + line for _, line in drawn)
    assert lines_of(text) == [" " * 2 * level + line for level, line in drawn]


def test_text_beside_elements_stays_with_them() -> None:
    assert lines_of("<p>one <b>two</b> three<i/></p>") == ["<p>one <b>two</b> three<i/>", "</p>"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "plain",
            "",
            "{no json}",
            '{"a"}',
            '{"a":1,}',
            "[1 2]",
            "[1]x",
            "[",
            "{]",
            '{"a":}',
            "[,]",
            '["a',
            "[01x]",
            "[}",
        ),
        *(
            "<a>",
            "<a></b>",
            "<a/>text",
            "text<a/>",
            "<!-- a -->",
            "<a",
            "<a><!--</a>",
            "< a/>",
            "<a b='></a>",
            "&lt;a/>",
        ),
    ],
)
def test_what_is_neither_stays_as_it_is(text: str) -> None:
    assert breaks_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000 + "]" * 200_000,
        "<a>" * 100_000 + "</a>" * 100_000,
        "[" + "[" * 100_000,
        "<!--" * 100_000,
        "<!DOCTYPE " + "]" * 100_000,
        "<a " + "'" * 100_001,
        "[" + " " * MOST_INDENTED + "]",
    ],
)
def test_no_text_takes_long_or_deep(text: str) -> None:
    breaks = breaks_of(text)
    for stretch in breaks.lines(0, len(text)) if breaks is not None else ():
        assert stretch.indent <= 40
