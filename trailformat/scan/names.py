"""Names of tables as small integers: the keys in a batch's column ``table``.

A row's header holds a name, or an index that means the latest definition before the row (``table_definitions.py``).
Both become a key. A key has one name. Two keys may have the same name: a scan that starts inside a file finds rows
whose index was defined before its start; the name of such a key is looked up when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from trailformat.records.record_header import REFERENCE, TABLE, name_text

NO_NAME = 0
"""The key of rows without a name."""
NOT_YET = -1
"""In place of a key: the key of the index must be looked up again."""
_LARGEST_INDEX = 0xFFFF
_MOST_REFERENCES = 1 << 12
"""Maximum number of references that one scan keeps until the indexes before its start are known."""


class NeedsEarlier(Exception):
    """An index is defined before the start of a scan that cannot look there."""


class _Index(NamedTuple):
    """A table index that is defined before the scan's start, or by one of the first ``references`` references in it."""

    table_index: int
    references: int


class _Reference(NamedTuple):
    """A reference whose own index is not known yet.

    Attributes:
        highest: the highest index that the scan has defined before it; -1 if none.
        table_index: the index of the TDR it refers to.
        key: the key of its name.
    """

    highest: int
    table_index: int
    key: int


class Names:
    """The keys of one scan and their names.

    Args:
        earlier: returns the names of the file up to the start of this scan; None if it starts at the beginning.
        by_definition: True if each definition of an index gets a new key, even with the same name.
    """

    def __init__(self, earlier: Callable[[], Names] | None = None, *, by_definition: bool = False) -> None:
        self._earlier = earlier
        self._by_definition = by_definition
        self._names_before: Names | None = None
        self._texts: list[str | _Index] = [""]
        self._by_bytes: dict[bytes, int] = {b"": NO_NAME}
        self._by_text: dict[str, int] = {"": NO_NAME}
        self._by_index: dict[int, int] = {}
        self._awaited: set[int] = set()
        self._references: list[_Reference] = []
        self._highest = -1

    def __len__(self) -> int:
        """The number of keys; they count from 0."""
        return len(self._texts)

    def __getitem__(self, key: int) -> str:
        """Return the name of a key; empty for key 0 and for an index without a definition, like ``TrailFile.name_of``.

        Raises:
            NotATrail: the definition is before the scan's start, and the file is closed.
            NeedsEarlier: the definition is before the scan's start, and this scan may read only its range.
        """
        text = self._texts[key]
        return text if isinstance(text, str) else self._before(text.table_index)

    def is_awaited(self, key: int) -> bool:
        """Return True if the key is that of an index defined before the scan's start, or not at all."""
        return self.awaited_index(key) is not None

    def is_first(self, kind: int, index: int) -> bool:
        """Return True if this OrigNode and TDR index may be the first definition of their index in this scan.

        Always so for a reference, whose own index may not be known.
        """
        return kind == REFERENCE or (kind == TABLE and (index in self._awaited or index not in self._by_index))

    def awaited_index(self, key: int) -> int | None:
        """Return the table index of a key that may be defined only before the scan's start; None for other keys."""
        text = self._texts[key]
        return None if isinstance(text, str) else text.table_index

    def unknown_index(self, key: int) -> int | None:
        """Return the table index of a key if no definition precedes its rows in the file; None for other keys.

        Raises like ``__getitem__``.
        """
        text = self._texts[key]
        if isinstance(text, str):
            return None
        return text.table_index if self._earlier is None or not self._previous().defines(text.table_index) else None

    def settle(self, earlier: Names) -> None:
        """Resolve the keys by ``earlier``: the settled names of the file up to this scan's start."""
        self._earlier = None
        referring = self._settled_references(max(-1, earlier._highest))
        for key, text in enumerate(self._texts):
            if isinstance(text, _Index):
                order, named = referring.get(text.table_index, (0, NO_NAME))
                if 0 < order <= text.references:
                    self._texts[key] = self._texts[named]
                elif earlier.defines(text.table_index):
                    self._texts[key] = earlier.at_end(text.table_index)
        self._awaited = {index for index in self._awaited if self.is_awaited(self._by_index[index])}
        for index in earlier._by_index.keys() - self._by_index.keys():
            if earlier.defines(index):
                self._by_index[index] = self._key_of(earlier.at_end(index))

    def _settled_references(self, highest: int) -> dict[int, tuple[int, int]]:
        """Bind the references to their own indexes, now that the highest index before the scan is known.

        Return for each index the ordinal of its reference, from 1, and the key of its name.
        """
        references: dict[int, tuple[int, int]] = {}
        for order, reference in enumerate(self._references, 1):
            highest = max(highest, reference.highest)
            highest = (highest if highest >= 0 else reference.table_index) + 1
            references[highest] = order, reference.key
            self._by_index.setdefault(highest, reference.key)
        self._highest = max(self._highest, highest)
        return references

    def key_of_text(self, name: bytes) -> int:
        """Return the key of a stored name, given without its NUL."""
        key = self._by_bytes.get(name)
        if key is None:
            text = name_text(name)
            key = self._by_bytes[name] = self._key_of(text)
        return key

    def key_of_index(self, index: int) -> int:
        """Return the key of the current definition of a table index."""
        key = self._by_index.get(index)
        if key is None:
            key = self._by_index[index] = self._new(_Index(index, len(self._references)))
            self._awaited.add(index)
        return key

    def set(self, index: int, text: str) -> None:
        """Bind a table index to the name ``text`` from here on."""
        self._bind(index, self._key_of(text))

    def define(self, kind: int, index: int, key: int) -> dict[int, int]:
        """Add a metadata record with this OrigNode, TDR index and key of its name.

        Return the new key, or NOT_YET, of each index whose meaning changes here. A reference takes the next free
        index; one above 65535 is not returned, because no row can hold it.
        """
        if kind == REFERENCE:
            try:
                highest = max(self._highest_index(), -1)
            except NeedsEarlier:
                return self._refer(index, key)
            index = (highest if highest >= 0 else index) + 1
        elif kind != TABLE:
            return {}
        if self._by_definition:
            key = self._new(self._texts[key])
        self._bind(index, key)
        return {index: key} if index <= _LARGEST_INDEX else {}

    def _refer(self, index: int, key: int) -> dict[int, int]:
        """Add a reference whose own index depends on those before the scan's start: it may be any awaited index."""
        if len(self._references) == _MOST_REFERENCES:
            raise NeedsEarlier
        self._references.append(_Reference(self._highest, index, key))
        awaited, self._awaited = self._awaited, set()
        for awaited_index in awaited:
            del self._by_index[awaited_index]
        return dict.fromkeys(awaited, NOT_YET)

    def defines(self, index: int) -> bool:
        """Return True if the file defines ``index`` before the current position of the scan."""
        if index in self._by_index and index not in self._awaited:
            return True
        return self._earlier is not None and self._previous().defines(index)

    def at_end(self, index: int) -> str:
        """Return the name of ``index`` at the current position of the scan; empty without a definition."""
        key = self._by_index.get(index)
        if key is None:
            return self._before(index)
        return self[key]

    def _key_of(self, text: str) -> int:
        key = self._by_text.get(text)
        if key is None:
            key = self._by_text[text] = self._new(text)
        return key

    def _bind(self, index: int, key: int) -> None:
        self._highest = max(self._highest, index)
        self._by_index[index] = key
        self._awaited.discard(index)

    def _new(self, text: str | _Index) -> int:
        self._texts.append(text)
        return len(self._texts) - 1

    def _before(self, index: int) -> str:
        return self._previous().at_end(index) if self._earlier is not None else ""

    def _previous(self) -> Names:
        if self._names_before is None:
            self._names_before = self._earlier() if self._earlier is not None else Names()
        return self._names_before

    def _highest_index(self) -> int:
        if self._earlier is None:
            return self._highest
        return max(self._highest, self._previous()._highest_index())  # noqa: SLF001 - the same class
