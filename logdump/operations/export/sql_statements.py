"""The statements of ordinary changes of rows, by columns: what :mod:`logdump.render.sql.statement` makes one by one.

Of what has no statement, or no ordinary one, only the numbers of the rows are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from logdump.arrow.tables.lines import LinePart
from logdump.arrow.tables.piece import Array
from logdump.notation.escape import escape
from logdump.operations.export.sql_literals import Literals
from logdump.render.sql.dialect import Dialect, Unwritable
from logdump.render.sql.large_objects import ObjectValue
from trailformat import ColumnDefinition
from trailformat.arrays import (
    Digits,
    Field,
    FieldForm,
    Image,
    LineForm,
    Strings,
    locate_columns,
    text_column,
    unequal,
    write_lines,
)
from trailformat.changes.row_changes import OPERATIONS
from trailformat.scan.kernels.arguments import ABSENT, GOOD, HAS_UNDECIDED, NULL, UNDECIDED
from trailformat.scan.rows import RowBytes
from trailformat.trail.row_definitions import RowDefinition

KINDS = ("INSERT", "DELETE", "UPDATE", "PK UPDATE")
"""The changes that have statements here."""
KIND_OF = np.array([KINDS.index(op) if (op := OPERATIONS.get(number)) in KINDS else -1 for number in range(256)])
"""IOType -> the number of its kind; -1 for others."""
_INSERT, _DELETE, _UPDATE, _PK_UPDATE = range(len(KINDS))
_HERE = "\0"
"""In place of a condition; no name holds it."""
_END = b";\n"
_OBJECT = min(ABSENT, NULL, UNDECIDED) - 1
"""In place of the size of a value that stands in a large object."""
_MOST_CELLS = 1 << 22
"""Of rows times columns at a time."""


class SqlTable(NamedTuple):
    """A table as statements name it.

    Attributes:
        name: quoted.
        columns: their definitions.
        names: those of its columns, quoted.
        found_by: the columns that find a row, by their numbers.
        condition: what stands before and behind the condition that finds a row.
        codec: of text in the character set of the database.
        plain: its name and those of its columns as comments have them; empty where they are not written here.
    """

    name: bytes
    columns: tuple[ColumnDefinition, ...]
    names: list[bytes]
    found_by: list[int]
    condition: tuple[bytes, bytes]
    codec: str
    plain: list[bytes]


def sql_table(known: RowDefinition, dialect: Dialect, *, has_comments: bool) -> SqlTable | None:
    """The table of rows with this definition; None where one of its names is not known, or cannot be written.

    ``has_comments`` where comments in place of its statements need not name the file.
    """
    if known.table is None or not known.table.columns:
        return None
    columns = known.table.columns
    try:
        name = dialect.table(known.name)
        names = [dialect.identifier(column.name).encode() for column in columns]
    except Unwritable:
        return None
    key = [number for number, column in enumerate(columns) if column.is_key]
    before, behind = (_HERE if key else dialect.one_of(name, _HERE)).encode().split(_HERE.encode())
    plain = [known.name, *(column.name for column in columns)]
    is_plain = has_comments and all(escape(one) == one and not one.endswith("-") for one in plain)
    return SqlTable(
        name.encode(),
        columns,
        names,
        key or [*range(len(columns))],
        (before, behind),
        known.charset,
        [one.encode() for one in plain] if is_plain else [],
    )


Objects = Mapping[tuple[bool, int], Mapping[int, ObjectValue]]


class TableChanges(NamedTuple):
    """Changes of the rows of one table.

    Attributes:
        table: the table.
        rows: the records, in order.
        is_second: a mask of those that are the after image of an update whose before image is the record before them.
        objects: large objects by image (whether the one before), column, and the number of the row in the batch.
    """

    table: SqlTable
    rows: RowBytes
    is_second: Array
    objects: Objects = {}  # noqa: RUF012 - of a tuple, and never changed


class Statements(NamedTuple):
    """Statements by columns.

    Attributes:
        part: the statements.
        remarks: comments in place of others; None where there are none.
        odd: the numbers of rows, in the batch, whose changes are to be written one by one.
    """

    part: LinePart
    remarks: LinePart | None
    odd: Array


def statements(changes: TableChanges, literals: Literals, *, takes_back: bool) -> Iterator[Statements]:
    """The statements of changes; needs nothing but what they hold, so that threads can do it."""
    kinds = KIND_OF[changes.rows.of("io_type")]
    for wanted in ((_INSERT,), (_DELETE,), (_UPDATE, _PK_UPDATE)):
        for at in _parts(np.flatnonzero(np.isin(kinds, wanted)), changes):
            part = changes._replace(rows=changes.rows.subset(at), is_second=changes.is_second[at])
            yield _Statements(part, literals).made(wanted[0], takes_back=takes_back)


def _parts(rows: Array, changes: TableChanges) -> Iterator[Array]:
    """Some rows of changes in parts, so that memory stays bounded; no update in two records is parted."""
    step = max(_MOST_CELLS // len(changes.table.columns), 2)
    begin = 0
    while begin < len(rows):
        end = begin + step
        end -= end < len(rows) and bool(changes.is_second[rows[end]])
        yield rows[begin:end]
        begin = end


class _Images:
    """Both images of changes.

    Attributes:
        odd: a mask of the rows whose statements are not made here.
        is_strange: a mask of those among them whose images do not come apart.
        firsts: the first records of updates in two.
    """

    def __init__(self, changes: TableChanges) -> None:
        self.spans = locate_columns(changes.rows, len(changes.table.columns))
        self.before, self.after = self.spans.before, self.spans.after
        self.odd: Array = self.spans.states != GOOD
        seconds = np.flatnonzero(changes.is_second)
        self.firsts = seconds - 1
        for places in (self.before.starts, self.before.sizes):
            places[:, seconds] = places[:, self.firsts]
        self.before.sizes[:, self.firsts] = ABSENT
        self.odd[seconds] |= self.odd[self.firsts]
        for image in (self.before, self.after):
            for index in np.flatnonzero(image.seen & HAS_UNDECIDED).tolist():
                self.odd |= image.sizes[index] == UNDECIDED
        placed = {key: _among(changes.rows.rows, values) for key, values in changes.objects.items()}
        self.objects = {key: values for key, values in placed.items() if values}
        for (is_before, index), values in self.objects.items():
            self._image(is_before).sizes[index, [*values]] = _OBJECT
        self.is_strange = self.odd.copy()

    def _image(self, is_before: bool) -> Image:  # noqa: FBT001 - part of a key
        return self.before if is_before else self.after

    def unequal(self, index: int) -> Array:
        """A mask of the rows both of whose images have a column, with different values."""
        mask = unequal(self.spans, index)
        old, new = (self.objects.get((is_before, index), {}) for is_before in (True, False))
        for place in {*old, *new}:
            if ABSENT not in (self.before.sizes[index, place], self.after.sizes[index, place]):
                mask[place] = self._stored(True, index, place) != self._stored(False, index, place)  # noqa: FBT003 - as above
        return mask

    def _stored(self, is_before: bool, index: int, place: int) -> bytes | None:  # noqa: FBT001 - as above
        """The bytes of a value; None for NULL."""
        values, image = self.objects.get((is_before, index), {}), self._image(is_before)
        if place in values:
            return values[place].value.data
        start, size = int(image.starts[index, place]), int(image.sizes[index, place])
        return bytes(self.spans.data[start : start + size]) if size >= 0 else None


class _Statements:
    """The statements of changes of one kind."""

    def __init__(self, changes: TableChanges, literals: Literals) -> None:
        self._table = changes.table
        self._rows = changes.rows
        self._literals = literals
        self._images = _Images(changes)
        self._is_key_changed = KIND_OF[changes.rows.of("io_type")] == _PK_UPDATE

    def made(self, kind: int, *, takes_back: bool) -> Statements:
        """The statements."""
        images = self._images
        image = images.before if (kind == _DELETE) else images.after
        if kind == _UPDATE:
            form, fields = self._take_back_update() if takes_back else self._repeat_update()
        elif (kind == _INSERT) != takes_back:
            form, fields = self._insert(image, is_whole=takes_back)
        else:
            form, fields = self._delete(image)
        odd = images.odd
        odd[images.firsts] = False
        skipped = odd.copy()
        skipped[images.firsts] = True
        part = self._part(form, fields, skipped)
        lost = self._no_before_image(skipped) if kind == _UPDATE and takes_back else None
        if lost is not None:
            odd &= np.diff(lost.ends, prepend=0) == 0
        return Statements(part, lost, self._rows.rows[odd])

    def _part(self, form: LineForm, fields: list[Field], skipped: Array) -> LinePart:
        lines = write_lines(form, fields, skipped)
        return LinePart(self._rows.rows, lines.data.data, lines.ends)

    def _no_before_image(self, odd: Array) -> LinePart | None:
        """Comments on the updates that cannot be taken back because the values before are not there."""
        images, plain = self._images, self._table.plain
        masks = [
            has & ~had if number not in self._key else np.zeros_like(has)
            for number, (had, has) in enumerate(zip(*map(self._masks, (images.before, images.after)), strict=True))
        ]
        is_lost = np.logical_or.reduce(masks) & odd & ~images.is_strange
        if not is_lost.any() or not plain:
            return None
        names = (_constant(name, mask) for name, mask in zip(plain[1:], masks, strict=True))
        fields = [
            Field(FieldForm(b""), Digits(self._rows.of("rba").astype(np.uint64))),
            _constant(b" PK", self._is_key_changed),
            _constant(b" UPDATE " + plain[0] + b": the trail has no before image of ", is_lost),
            *_separated(names, masks),
        ]
        return self._part(LineForm(b"-- RBA ", b"\n"), fields, ~is_lost)

    def _insert(self, image: Image, *, is_whole: bool) -> tuple[LineForm, list[Field]]:
        """INSERT of an image; ``is_whole`` where it must have all columns."""
        table = self._table
        masks = self._masks(image)
        has_all = np.logical_and.reduce(masks)
        self._images.odd |= ~has_all if is_whole else ~np.logical_or.reduce(masks)
        head = b"INSERT INTO " + table.name + b" ("
        values = [self._value(image, number, b"", b"NULL", mask) for number, mask in enumerate(masks)]
        if is_whole or has_all.all():
            head += b", ".join(table.names) + b") VALUES ("
            names: list[Field] = []
        else:
            plain = (_constant(name, mask) for name, mask in zip(table.names, masks, strict=True))
            names = [*_separated(plain, masks), _constant(b") VALUES (", np.ones(len(has_all), bool))]
        return LineForm(head, b")" + _END), [*names, *_separated(values, masks)]

    def _delete(self, image: Image) -> tuple[LineForm, list[Field]]:
        """DELETE of the row that an image shows."""
        before, behind = self._table.condition
        where = self._where([(image, self._masks(image))])
        return LineForm(b"DELETE FROM " + self._table.name + b" WHERE " + before, behind + _END), where

    def _repeat_update(self) -> tuple[LineForm, list[Field]]:
        """Every column that differs or whose old value is not known; a key that is only new did not change."""
        old, new = self._masks(self._images.before), self._masks(self._images.after)
        is_key_changed, key = self._is_key_changed, self._key
        only_new = [after & ~before for before, after in zip(old, new, strict=True)]
        changed = [
            self._images.unequal(number) | (mask & is_key_changed if number in key else mask)
            for number, mask in enumerate(only_new)
        ]
        same_key = [
            mask & ~is_key_changed if number in key else np.zeros_like(mask) for number, mask in enumerate(only_new)
        ]
        return self._update(self._images.after, changed, [(self._images.before, old), (self._images.after, same_key)])

    def _take_back_update(self) -> tuple[LineForm, list[Field]]:
        """Every column that differs; one that the after image lacks did not change."""
        old, new = self._masks(self._images.before), self._masks(self._images.after)
        for number, (before, after) in enumerate(zip(old, new, strict=True)):
            is_lost = after & ~before
            self._images.odd |= is_lost & self._is_key_changed if number in self._key else is_lost
        changed = [self._images.unequal(number) for number in range(len(old))]
        only_old = [before & ~after for before, after in zip(old, new, strict=True)]
        return self._update(self._images.before, changed, [(self._images.after, new), (self._images.before, only_old)])

    def _update(
        self, image: Image, changed: list[Array], found_by: list[tuple[Image, list[Array]]]
    ) -> tuple[LineForm, list[Field]]:
        """UPDATE of the changed columns to their values in an image."""
        table, (before, behind) = self._table, self._table.condition
        self._images.odd |= ~np.logical_or.reduce(changed)
        sets = [
            self._value(image, number, name + b" = ", name + b" = NULL", mask)
            for number, (name, mask) in enumerate(zip(table.names, changed, strict=True))
        ]
        where = _constant(b" WHERE " + before, np.ones(len(self._rows), bool))
        head = b"UPDATE " + table.name + b" SET "
        return LineForm(head, behind + _END), [*_separated(sets, changed), where, *self._where(found_by)]

    def _where(self, found_by: list[tuple[Image, list[Array]]]) -> list[Field]:
        """The condition that finds rows, by the values in one image and then in another, each of some columns."""
        for number in self._table.found_by:
            self._images.odd |= ~np.logical_or.reduce([has[number] for _, has in found_by])
        fields, masks = [], []
        for image, has in found_by:
            for number in self._table.found_by:
                name = self._table.names[number]
                field = self._value(image, number, name + b" = ", name + b" IS NULL", has[number])
                if isinstance(field.values, Strings) and field.sizes is not None:
                    is_null = self._literals.are_null(field.values) & has[number]
                    field = field._replace(sizes=np.where(is_null, NULL, field.sizes))
                fields.append(field)
                masks.append(has[number])
        return [*_separated(fields, masks, b" AND ")]

    def _value(self, image: Image, number: int, opening: bytes, null: bytes, wanted: Array) -> Field:
        """The literals of a column of an image for the rows of a mask; those without any become odd."""
        sizes = np.where(wanted, image.sizes[number], ABSENT)
        form = FieldForm(opening, null=null)
        is_object = sizes == _OBJECT
        if not ((sizes >= 0) | is_object).any():
            return Field(form, None, sizes)
        one = Image(image.starts[number : number + 1], sizes[np.newaxis], image.seen[number : number + 1])
        definition, codec = self._table.columns[number], self._table.codec
        found = text_column(self._images.spans, one, 0, definition, codec, self._literals.of(definition))
        self._images.odd[[problem.row for problem in found.problems]] = True
        if not is_object.any():
            return Field(form, found.array, sizes)
        places = np.flatnonzero(is_object).tolist()
        objects = self._images.objects[image is self._images.before, number]
        literals = [self._literals.single(definition, objects[place].value) for place in places]
        self._images.odd[places] |= [one is None for one in literals]
        array = found.array.replaced(np.array(places), Strings.of(literals))
        return Field(form, array, np.where(is_object, 0, sizes))

    @property
    def _key(self) -> list[int]:
        """The columns of the key; none where the table has none."""
        return [number for number in self._table.found_by if self._table.columns[number].is_key]

    @staticmethod
    def _masks(image: Image) -> list[Array]:
        """Masks of the rows whose image has each column."""
        return [sizes != ABSENT for sizes in image.sizes]


def _among(rows: Array, values: Mapping[int, ObjectValue]) -> dict[int, ObjectValue]:
    """The values that belong to some rows, by their places among these."""
    numbers = np.fromiter(values, np.int64)
    places = np.searchsorted(rows, numbers).clip(max=len(rows) - 1)
    is_there = rows[places] == numbers
    return {
        place: values[number]
        for place, number in zip(places[is_there].tolist(), numbers[is_there].tolist(), strict=True)
    }


def _constant(text: bytes, mask: Array) -> Field:
    """A text in the rows of a mask."""
    return Field(FieldForm(b"", null=text), None, np.where(mask, NULL, ABSENT))


def _separated(fields: Iterable[Field], masks: list[Array], separator: bytes = b", ") -> Iterator[Field]:
    """The fields with separators between those that rows have by their masks; fields that none has are left out."""
    is_begun = np.zeros(len(masks[0]), bool)
    for field, mask in zip(fields, masks, strict=True):
        if mask.any():
            if (needed := is_begun & mask).any():
                yield _constant(separator, needed)
            yield field
            is_begun |= mask
