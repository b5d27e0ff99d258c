r"""DDL records (IOType 160): a text of items, laid out by ``spec.DDL_ITEMS``.

An item is ``,id='value',``; an id may have a key, ``C17('1')=`` or ``C18_2('1')=``. C1, the statement, comes last and
may be without quotes. (MySQL 21c transcript; ids, keys and escapes from GoldenGate's DDL package for Oracle.)

That package puts a backslash before each of ``\ ' , = ( )`` in a value, MySQL's Extract before none: a value counts as
escaped if every such character in it is. No Oracle trail with the escapes was seen. A value ends at a quote followed by
two bare commas, or by a comma and another item: an escaped value has no bare comma. The statement extends to the last
quote, whatever it contains.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from trailformat.codec.on_demand import on_demand
from trailformat.errors import CannotWrite

with on_demand:
    from trailformat import spec
    from trailformat.codec import layout

DDL_NAMES = {
    "B2": "object_id",
    "B3": "owner",
    "B4": "object",
    "B5": "object_type",
    "B6": "operation",
    "B7": "sequence",
    "B8": "history_table",
    "B9": "login_user",
    "C1": "statement",
    "C2": "scn",
    "C5": "marker_sequence",
    "C6": "marker_table",
    "C7": "version",
    "C8": "compatible_version",
    "C9": "valid",
    "C10": "instance_number",
    "C11": "instance_name",
    "C12": "master_owner",
    "C13": "master_name",
    "C14": "object_table",
    "C15": "to_ignore",
    "C17": "nls_parameter",
    "C18": "nls_value",
    "C19": "nls_count",
    "C20": "xmltype_table",
}
"""Meanings of the ids (GoldenGate's DDL package). MySQL has no marker: its C5 is a position in its log. C21 unknown."""

_STATEMENT = "C1"
_HEAD = r"[A-Z][0-9]{1,9}(?:_[0-9]{1,9})?(?:\('[^']*'\))?="
_VALUE = re.compile(rf",?({_HEAD})'((?:[^']++|'(?!,?\Z|,,|,{_HEAD}))*+)'(?:,|\Z)")
_WHOLE_STATEMENT = re.compile(rf",?{_STATEMENT}=(?:'(.*)',?|([^'].*|))\Z", re.DOTALL)
_ESCAPED = re.compile(rb"(?:[^\\',=()]++|\\[\\',=()])*+")
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_SPECIAL = re.compile(rb"[\\',=()]")


class DdlPlace(NamedTuple):
    """An item by its place: its id with key, and the offsets of its value in the data.

    The id is empty for a rest that cannot be parsed. ``is_quoted`` is True if the value is within quotes.
    """

    item: str
    begin: int
    end: int
    is_quoted: bool = True


def ddl_places(data: bytes) -> list[DdlPlace]:
    """Return the places of the items in order; a rest that cannot be parsed comes last, under an empty id.

    A statement without its closing quote is cut and counts as such a rest.
    """
    text = data.rstrip(b"\0").decode("latin-1")  # a character is a byte, and all marks are ASCII
    places: list[DdlPlace] = []
    position = 0
    while position < len(text):
        if match := _WHOLE_STATEMENT.match(text, position):
            is_quoted = match[1] is not None
            places.append(DdlPlace(_STATEMENT, *match.span(1 if is_quoted else 2), is_quoted))
            break
        match = (
            None if text.startswith((f"{_STATEMENT}=", f",{_STATEMENT}="), position) else _VALUE.match(text, position)
        )
        if match is None:
            places.append(DdlPlace("", position, len(text), is_quoted=False))
            break
        places.append(DdlPlace(match[1][:-1], *match.span(2)))
        position = match.end()
    return places


def parse_ddl(data: bytes) -> list[tuple[str, str]]:
    """Return the items in order, by id with key, as at the places of ``ddl_places``."""
    items = []
    for place in ddl_places(data):
        value = data[place.begin : place.end]
        items.append((_decoded(place.item.encode("latin-1")), _decoded(unescaped(value) if place.is_quoted else value)))
    return items


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def unescaped(value: bytes) -> bytes:
    """Return a value in quotes without the escapes of GoldenGate's DDL package, if it has them throughout."""
    return _ESCAPE.sub(rb"\1", value) if _ESCAPED.fullmatch(value) else value


def escaped(value: bytes) -> bytes:
    """Return a value with the escapes of GoldenGate's DDL package."""
    return _SPECIAL.sub(rb"\\\g<0>", value)


def ddl_name(item: str) -> str | None:
    """Return the meaning of an id, followed by its key unchanged; None if unknown."""
    bare = re.split(r"[_(]", item, maxsplit=1)[0]
    name = DDL_NAMES.get(bare)
    return None if name is None else name + item[len(bare) :]


def build_ddl(pairs: list[tuple[str, str]]) -> bytes:
    """Return the text of items, each quoted and escaped as in GoldenGate's DDL package.

    Raises:
        CannotWrite: an id is invalid, the statement is not the last item, or a text cannot be encoded.
    """
    for place, (key, _) in enumerate(pairs):
        if re.fullmatch(_HEAD, f"{key}=") is None or (key == _STATEMENT and place != len(pairs) - 1):
            raise CannotWrite("DDL: an item is out of place", expected="an id, C1 last", found=repr(key))
    items = [{"id": key.encode(), "value": layout.encode_text(value, "DDL")} for key, value in pairs]
    return layout.build(spec.DDL_ITEMS, items, "DDL")
