"""Names of tables as small integers: the keys in a batch's column ``table``.

A row's header holds a name, or an index that means the latest definition before the row (``table_definitions.py``).
Both become a key. One key never stands for two names; two keys may have one name, when a scan that starts inside a
file meets an index before its definition: what it means is looked up when the name is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from trailformat.definitions.metadata import REFERENCE, TABLE
from trailformat.records.record_header import name_text

NO_NAME = 0
"""The key of rows without a name."""
NOT_YET = -1
"""In place of the key of an index that has to be looked up again."""
_LARGEST_INDEX = 0xFFFF
_MOST_REFERENCES = 1 << 12
"""How many references one scan remembers until the indexes before its start are known."""


class NeedsEarlier(Exception):
    """The meaning of an index stands before the start of a scan that cannot look there."""


class _Index(NamedTuple):
    """A table index that is explained before the scan's start, or by one of so many references behind it."""

    table_index: int
    references: int


class _Reference(NamedTuple):
    """A reference whose own index is not known yet; ``highest`` is that of the TDRs before it in the scan.

    ``table_index`` is that of the TDR it refers to, ``key`` that of its name.
    """

    highest: int
    table_index: int
    key: int


class Names:
    """The keys of one scan.

    Args:
        earlier: gives the names of the file up to where this scan starts; None when it starts at the beginning.
        by_definition: whether an index has a key of its own behind each definition of it.
    """

    def __init__(self, earlier: Callable[[], Names] | None = None, *, by_definition: bool = False) -> None:
        self._earlier = earlier
        self._by_definition = by_definition
        self._found: Names | None = None
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
        """The name of a key; empty for key 0 and for an index without a definition, as ``TrailFile.name_of``.

        Raises:
            NotATrail: it needs a look at the file before the scan's start, and the file is closed.
            NeedsEarlier: it needs that look, and the scan is of a piece of a file only.
        """
        text = self._texts[key]
        return text if isinstance(text, str) else self._before(text.table_index)

    def is_awaited(self, key: int) -> bool:
        """Whether a key is that of such an index."""
        return self.awaited_index(key) is not None

    def is_first(self, kind: int, index: int) -> bool:
        """Whether a metadata record with this OrigNode and TDR index gives an index its first meaning in this scan."""
        return kind == REFERENCE or (kind == TABLE and (index in self._awaited or index not in self._by_index))

    def awaited_index(self, key: int) -> int | None:
        """The table index of a key that only what stands before the scan's start may explain; None for every other."""
        text = self._texts[key]
        return None if isinstance(text, str) else text.table_index

    def unknown_index(self, key: int) -> int | None:
        """The table index of a key without a definition before it; None for every other key."""
        text = self._texts[key]
        if isinstance(text, str):
            return None
        return text.table_index if self._earlier is None or not self._previous().defines(text.table_index) else None

    def settle(self, earlier: Names) -> None:
        """Take over all that ``earlier`` says, the settled names of the file up to this scan's start; it ended here."""
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
        """The references by their own indexes, now that the highest index before the scan is known.

        The values are their order, from 1 on, and the keys of their names.
        """
        found: dict[int, tuple[int, int]] = {}
        for order, reference in enumerate(self._references, 1):
            highest = max(highest, reference.highest)
            highest = (highest if highest >= 0 else reference.table_index) + 1
            found[highest] = order, reference.key
            self._by_index.setdefault(highest, reference.key)
        self._highest = max(self._highest, highest)
        return found

    def key_of_text(self, name: bytes) -> int:
        """The key of a stored name, without its NUL."""
        key = self._by_bytes.get(name)
        if key is None:
            text = name_text(name)
            key = self._by_bytes[name] = self._key_of(text)
        return key

    def key_of_index(self, index: int) -> int:
        """The key of what a table index means now."""
        key = self._by_index.get(index)
        if key is None:
            key = self._by_index[index] = self._new(_Index(index, len(self._references)))
            self._awaited.add(index)
        return key

    def set(self, index: int, text: str) -> None:
        """Let a table index mean the table called ``text`` from here on."""
        self._bind(index, self._key_of(text))

    def define(self, kind: int, index: int, key: int) -> dict[int, int]:
        """Take in a metadata record with this OrigNode, TDR index and key of its name.

        Returns the keys of the indexes that mean something else from here on, or NOT_YET. A reference takes the next
        free index, which may be one that no row can hold.
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
        """Take in a reference whose index follows from those before the scan's start: it may be any that is awaited."""
        if len(self._references) == _MOST_REFERENCES:
            raise NeedsEarlier
        self._references.append(_Reference(self._highest, index, key))
        awaited, self._awaited = self._awaited, set()
        for one in awaited:
            del self._by_index[one]
        return dict.fromkeys(awaited, NOT_YET)

    def defines(self, index: int) -> bool:
        """Whether there is a definition of ``index`` up to where this scan has come."""
        if index in self._by_index and index not in self._awaited:
            return True
        return self._earlier is not None and self._previous().defines(index)

    def at_end(self, index: int) -> str:
        """The name that ``index`` means where this scan has come to; empty without a definition."""
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
        if self._found is None:
            self._found = self._earlier() if self._earlier is not None else Names()
        return self._found

    def _highest_index(self) -> int:
        if self._earlier is None:
            return self._highest
        return max(self._highest, self._previous()._highest_index())  # noqa: SLF001 - the same class
