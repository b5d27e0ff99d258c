"""What a target gets of a table: some of its columns, under other names, some of them masked.

Masks and columns are applied to the rows as they come, before anything is made of them: neither the target, nor what is
noted there, nor a message has what a mask hides.
"""

from __future__ import annotations

import datetime as dt
import difflib
import hmac
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

from logdump.notation.names import TablePart, plain_parts
from logdump.tables.change_columns import CHANGE_COLUMNS
from logdump.tables.errors import BadOption
from logdump.targets.run_options import RunOptions
from logdump.targets.target import AppliedPosition, BadTarget, Mask, SourceTable, value_text
from logdump.targets.writing import ABSENT

_SECRET = "LOGDUMP_MASK_KEY"  # noqa: S105 - the name of a variable
_FIXED = frozenset(column.name for column in CHANGE_COLUMNS)
_NO_MASKS = "none"
HIDDEN = "its value is masked"
"""The reason for a masked value that does not decode."""


class CopyRules(NamedTuple):
    """The columns, names and masks of tables, by the names of the tables as the trail spells them.

    Attributes:
        columns: the columns that are copied; all of a table that is not among them.
        rename: names in the target by column.
        mask: masks by column.
        secret: by what values are hashed; empty if none is.
    """

    columns: Mapping[str, Sequence[str]]
    rename: Mapping[str, Mapping[str, str]]
    mask: Mapping[str, Mapping[str, Mask]]
    secret: bytes = b""

    @classmethod
    def of(cls, options: RunOptions, tables: Collection[str]) -> CopyRules:
        """Return the rules of some options for these tables of the trail.

        Raises:
            BadOption: an option names a table that is none of them, or twice; or a secret is missing.
        """
        columns, rename, mask = (
            _of_tables(name, getattr(options, name), tables) for name in ("columns", "rename", "mask")
        )
        rules = cls(columns, rename, mask)
        if all(mask.kind != "hash" for masks in rules.mask.values() for mask in masks.values()):
            return rules
        secret = os.environ.get(_SECRET, "")
        if not secret:
            raise BadOption(
                f"mask: hash needs a secret in the variable {_SECRET}: without one the values could be found by trying"
            )
        return rules._replace(secret=secret.encode("utf-8", "surrogateescape"))

    def check(self, tables: Iterable[SourceTable]) -> None:
        """Check the rules against tables with all columns that they have anywhere in the trail.

        Raises:
            BadOption: a column does not exist, a key is left out or hidden, two columns would have one name, or a fixed
                value is not one of its column.
        """
        for table in tables:
            self._check_names(table)
            self.copied(table)

    def _check_names(self, table: SourceTable) -> None:
        own = [table.column(name) for name in table.columns]
        kept = self.columns.get(table.name)
        _check_columns("columns", table, kept or (), own)
        keys = [table.column(key) for key in table.keys]
        if kept is not None and (left := [key for key in keys if key.lower() not in map(str.lower, kept)]):
            raise BadOption(f"columns: {table.name}: the key column {left[0]} is not among them")
        for option, named in (("rename", self.rename), ("mask", self.mask)):
            _check_columns(option, table, named.get(table.name, {}), kept or own)
        for column, mask in self.mask.get(table.name, {}).items():
            if mask.kind != "hash" and column.lower() in map(str.lower, keys):
                raise BadOption(
                    f"mask: {table.name}: {column} is of the key, and rows could not be told apart: "
                    "a key may only be hashed"
                )

    def digest(self, table: str) -> str:
        """Return a text that differs where the masks of a table, or the secret of one that hashes, do."""
        masks = {column.lower(): mask for column, mask in self.mask.get(table, {}).items()}
        if not masks:
            return _NO_MASKS
        text = repr([(column, mask.kind, str(mask.value)) for column, mask in sorted(masks.items())])
        secret = self.secret if any(mask.kind == "hash" for mask in masks.values()) else b""
        return hmac.digest(secret, text.encode("utf-8", "surrogatepass"), "sha256").hex()

    def check_kept(self, positions: Mapping[str, AppliedPosition]) -> None:
        """Check that tables with a position have the masks with which their rows were written.

        Raises:
            BadTarget: a table has others: old and new rows of one value would differ, or show what was hidden.
        """
        for name, position in positions.items():
            if position.masks not in (None, self.digest(name)):
                raise BadTarget(
                    f"nothing was written: the rows of {name} in the target were written with other masks, or with "
                    f"another {_SECRET}: go on with those, or empty the table, delete its position and load it anew"
                )

    def copied(self, table: SourceTable) -> SourceTable:
        """Return a table as it is copied. Raises BadOption if two columns would have one name, or as check."""
        kept = self.columns.get(table.name)
        by_low = {table.column(name).lower(): name for name in table.columns}
        if kept is not None:
            by_low = {low: by_low[low] for low in map(str.lower, kept) if low in by_low}
        columns = {name: kind for name, kind in table.columns.items() if name in by_low.values()}
        targets = {by_low[low]: part for low, part in self._parts(table).items() if low in by_low}
        masks = {
            by_low[column.lower()]: mask
            for column, mask in self.mask.get(table.name, {}).items()
            if column.lower() in by_low
        }
        masks = {name: _with_value(table, name, mask) for name, mask in masks.items()}
        hashed = {name for name, mask in masks.items() if mask.kind == "hash"}
        columns |= dict.fromkeys(hashed, pa.string())
        copied = table._replace(
            columns=columns, numbers=(table.numbers & columns.keys()) - hashed, targets=targets, masks=masks
        )
        _check_unlike(copied)
        return copied

    def _parts(self, table: SourceTable) -> dict[str, TablePart]:
        """Return the new names by the lower-case names of columns. Raises BadOption for one of several parts."""
        parts = {}
        for column, given in self.rename.get(table.name, {}).items():
            own = plain_parts(given)
            if len(own) != 1 or not own[0].text:
                raise BadOption(
                    f'rename: {table.name}: {given} is no name of a column; in double quotes, as "a.b", it is one'
                )
            parts[column.lower()] = own[0]
        return parts

    def rows(self, table: SourceTable, rows: pa.Table) -> pa.Table:
        """Return rows of a table as they are copied: without the columns that are left out, and masked.

        A column that the definition has lost has no value to mask.
        """
        kept = [name for name in rows.column_names if name in table.columns or name in _FIXED]
        rows = self._without_names(table, rows.select(kept))
        for name, mask in table.masks.items():
            column = rows[name] if name in kept else None
            if column is not None and name not in table.former:
                rows = rows.set_column(kept.index(name), name, self._masked(table, name, column, mask))
        return rows

    def _without_names(self, table: SourceTable, rows: pa.Table) -> pa.Table:
        """Return rows that say of no column which is left out that they lack it: another may have its name now."""
        copied = self.columns.get(table.name)
        if copied is None or ABSENT not in rows.column_names or (absent := rows[ABSENT]).null_count == len(rows):
            return rows
        own = {name.lower() for name in copied}
        lists = [
            [name for name in names or () if table.column(name).lower() in own] or None for names in absent.to_pylist()
        ]
        return rows.set_column(rows.column_names.index(ABSENT), ABSENT, pa.array(lists, absent.type))

    def _masked(self, table: SourceTable, name: str, column: pa.ChunkedArray, mask: Mask) -> Any:
        kind = table.columns[name]
        if mask.kind == "null":
            return pa.nulls(len(column), kind)
        if mask.kind == "fixed":
            return pa.repeat(mask.value, len(column))
        is_number = pa.types.is_decimal(column.type) or mask.value
        texts: dict[Any, str | None] = {None: None}
        for value in column.unique().to_pylist():
            if value is not None:
                texts[value] = self._hash(Decimal(value) if is_number else value)
        return pa.array([texts[value] for value in column.to_pylist()], pa.string())

    def _hash(self, value: Any) -> str:
        return hmac.digest(self.secret, str(value_text(value)).encode("utf-8", "surrogatepass"), "sha256").hex()


def _of_tables(option: str, given: Mapping[str, Any], tables: Collection[str]) -> dict[str, Any]:
    """Return the values of an option by the tables as the trail spells them."""
    spelled = {name.lower(): name for name in tables}
    values: dict[str, Any] = {}
    for name, value in given.items():
        own = name if name in tables else spelled.get(name.lower())
        if own is None:
            raise BadOption(f"{option}: not among the tables: {name[:80]}{_near(name, tables)}")
        if own in values:
            raise BadOption(f"{option}: {own} is named twice")
        values[own] = value
    return values


def _check_columns(option: str, table: SourceTable, given: Iterable[str], known: Sequence[str]) -> None:
    there = {name.lower() for name in known}
    if unknown := [name for name in given if name.lower() not in there]:
        raise BadOption(f"{option}: {table.name} has no column {unknown[0][:80]}{_near(unknown[0], known)}")


def _near(name: str, known: Iterable[str]) -> str:
    spelled = {known_name.lower(): known_name for known_name in known}
    near = difflib.get_close_matches(name.lower(), spelled, n=1)
    return f"; did you mean {spelled[near[0]]}?" if near else ""


def _check_unlike(table: SourceTable) -> None:
    """Check that no two columns have one name in the target, case aside. Raises BadOption."""
    columns: dict[str, str] = {}
    for name in table.columns:
        low, own = table.target(name).text.lower(), table.column(name)
        if low in columns:
            raise BadOption(f"rename: {table.name}: {columns[low]} and {own} would both be {table.target(name).text}")
        columns[low] = own


def _with_value(table: SourceTable, name: str, mask: Mask) -> Mask:
    """Return a mask whose value is one of its column in Arrow if fixed, else whether a hashed text is a number.

    Raises:
        BadOption: a fixed value is none of its column.
    """
    if mask.kind == "hash":
        return Mask("hash", name in table.numbers)
    if mask.kind != "fixed":
        return mask
    kind, given = table.columns[name], mask.value
    try:
        value = _read(kind, given, is_number=name in table.numbers)
        return Mask("fixed", pa.scalar(value, kind))
    except (ValueError, TypeError, ArithmeticError, pa.ArrowException):
        own = "a number" if name in table.numbers else str(kind)
        raise BadOption(f"mask: {table.name}: {table.column(name)} is {own}, not {str(given)[:80]!r}") from None


def _read(kind: pa.DataType, given: Any, *, is_number: bool) -> Any:
    """Return a value for a column. Raises ValueError, TypeError or ArithmeticError if it is none."""
    if isinstance(given, bool):
        raise TypeError
    if not isinstance(given, str):
        return str(given) if pa.types.is_string(kind) else given
    if is_number:
        Decimal(given)
    readers = (
        (pa.types.is_integer, int),
        (pa.types.is_decimal, Decimal),
        (pa.types.is_floating, float),
        (pa.types.is_date, dt.date.fromisoformat),
        (pa.types.is_timestamp, dt.datetime.fromisoformat),
        (pa.types.is_binary, bytes.fromhex),
    )
    read: Any = next((reader for is_kind, reader in readers if is_kind(kind)), str)
    value = read(given)
    if isinstance(value, dt.datetime) and (value.tzinfo is not None) != (kind.tz is not None):
        value = value.replace(tzinfo=dt.UTC) if kind.tz is not None else value.astimezone(dt.UTC).replace(tzinfo=None)
    return value
