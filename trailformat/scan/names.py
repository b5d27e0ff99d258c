"""Names of tables as small integers: the keys in a batch's column ``table``.

A row's header holds a name, or an index that means the latest definition before the row (``table_definitions.py``).
Both become a key. One key never stands for two names; two keys may have one name, when a scan that starts inside a
file meets an index before its definition: what it means is looked up when the name is needed.
"""

from __future__ import annotations

from collections.abc import Callable

from trailformat.definitions.metadata_kinds import REFERENCE, TABLE
from trailformat.records.record_header import name_text

NO_NAME = 0
"""The key of rows without a name."""
_LARGEST_INDEX = 0xFFFF


class NeedsEarlier(Exception):
    """The meaning of an index stands before the start of a scan that cannot look there."""


class Names:
    """The keys of one scan.

    Args:
        earlier: gives the names of the file up to where this scan starts; None when it starts at the beginning.
    """

    def __init__(self, earlier: Callable[[], Names] | None = None) -> None:
        self._earlier = earlier
        self._found: Names | None = None
        self._texts: list[str | int] = [""]
        self._by_bytes: dict[bytes, int] = {b"": NO_NAME}
        self._by_text: dict[str, int] = {"": NO_NAME}
        self._by_index: dict[int, int] = {}
        self._awaited: set[int] = set()
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
        return text if isinstance(text, str) else self._before(text)

    def unknown_index(self, key: int) -> int | None:
        """The table index of a key without a definition before it; None for every other key."""
        text = self._texts[key]
        if isinstance(text, str):
            return None
        return text if self._earlier is None or not self._previous().defines(text) else None

    def settle(self, earlier: Names) -> None:
        """Take over all that ``earlier`` says, the settled names of the file up to this scan's start; it ended here."""
        self._earlier = None
        for key, text in enumerate(self._texts):
            if isinstance(text, int) and earlier.defines(text):
                self._texts[key] = earlier.at_end(text)
                self._awaited.discard(text)
        for index in earlier._by_index.keys() - self._by_index.keys():
            if earlier.defines(index):
                self._by_index[index] = self._key_of(earlier.at_end(index))
        self._highest = max(self._highest, earlier._highest)

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
            key = self._by_index[index] = self._new(index)
            self._awaited.add(index)
        return key

    def set(self, index: int, text: str) -> None:
        """Let a table index mean the table called ``text`` from here on."""
        self._bind(index, self._key_of(text))

    def define(self, kind: int, index: int, key: int) -> int | None:
        """Take in a metadata record with this OrigNode, TDR index and key of its name; returns the index it defines.

        A reference takes the next free index, which may be one that no row can hold.
        """
        if kind == REFERENCE:
            highest = max(self._highest_index(), -1)
            index = (highest if highest >= 0 else index) + 1
        elif kind != TABLE:
            return None
        self._bind(index, key)
        return index if index <= _LARGEST_INDEX else None

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

    def _new(self, text: str | int) -> int:
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
