"""Lines of the records of batches, made from the bytes of the file by columns.

Rows of tables are read where they are, many of a table together; so are pieces of LOBs. What needs more than its own
bytes, its definition and the other half of its update is stated (:mod:`.stated`), and so are few rows of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from logdump.arrow.tables.group import Piece, pieces, split_by_definition
from logdump.display.header_texts import shown_texts, shown_times
from logdump.display.listing.lines import CellTexts, FixedFields, ShownColumn, made_lines
from logdump.display.listing.stated import kind_text, stated_part
from logdump.display.listing.values import UNICODE_MARKS, spelling_of
from logdump.display.record_row import (
    LARGEST,
    NO_DIFFERENCE,
    RecordKind,
    RecordRow,
    before_image_note,
    is_significant,
    kind_of_type,
    piece_note,
    unknown_piece_note,
)
from logdump.notation.text import as_field, escape
from logdump.notation.times import TimeOffset
from logdump.session.scan import FoundRows
from logdump.session.session import Session
from trailformat import Record
from trailformat.arrays import Image, Numbered, Strings, locate_columns, text_column, unequal
from trailformat.arrays.lines import LinePart, merged
from trailformat.changes.row_changes import FULL
from trailformat.native.scan.arguments import ABSENT, GOOD, HAS_UNDECIDED, UNDECIDED
from trailformat.records.columns import PieceHeader
from trailformat.records.record_header import LARGE_OBJECT, PLACES
from trailformat.scan import RECORD
from trailformat.scan.rows import (
    NONE,
    LobPieces,
    has_columns,
    has_unknown_tokens,
    headers_of,
    lob_pieces,
    related_rows,
)
from trailformat.scan.rows.definitions import header_positions, learn_definitions
from trailformat.scan.rows.row_bytes import Array
from trailformat.trail.row_definitions import RowDefinition

FEW = 16
"""Number of rows of a table below which they are stated: columns cost as much for one row as for some dozens."""
_MANY = 1 << 12
"""Number of records from which on a table of all characters is worth making."""
_MOST_CELLS = 1 << 20
"""Maximum of rows times columns at a time: each cell takes some bytes, even if it is absent."""
_IS_ROW = np.array(
    [
        kind_of_type(number) in (RecordKind.INSERT, RecordKind.UPSERT, RecordKind.UPDATE, RecordKind.DELETE)
        for number in range(256)
    ]
)
_IS_UPDATE = np.array([kind_of_type(number) is RecordKind.UPDATE for number in range(256)])
_IS_FULL = np.array([number in FULL for number in range(256)])
_KINDS = [*RecordKind]
_KIND_NAMES = Strings.of(map(kind_text, _KINDS))
_KIND_NUMBERS = np.array([_KINDS.index(kind_of_type(number)) for number in range(256)], np.int32)


class ListedPart(NamedTuple):
    """Lines of records, in order, and the numbers of the records in their batch; each line has its end."""

    data: bytes | memoryview
    rows: Array


class Lister:
    """Makes the lines of the records of one file, which come in its order.

    Args:
        session: the session that reads the file.
        facts_of: returns the facts of a record, with the columns shown.
        columns: names of the columns shown, in capitals; None: the key and what changed.
        has_file: True if a line begins with the name of the file.
    """

    def __init__(
        self,
        session: Session,
        facts_of: Callable[[Record], RecordRow],
        columns: frozenset[str] | None = None,
        *,
        has_file: bool = False,
    ) -> None:
        self._session, self._facts_of, self._columns = session, facts_of, columns
        self._trail, self._transactions = session.trail, session.cursor.transactions
        self._definitions = session.row_definitions
        self._file = session.trail.path.name if has_file else ""

    def parts(self, rows: FoundRows) -> Iterator[ListedPart]:
        """Yield the lines of records of a batch, in parts.

        Raises:
            CannotRead: the file can no longer be read.
        """
        batch = rows.batch
        learn_definitions(self._trail, batch)
        other = related_rows(batch).other
        others = other[rows.rows]
        wanted = np.union1d(rows.rows, others[others >= 0]) if (others >= 0).any() else rows.rows
        texts = shown_texts(rows.owners.csns, as_field), shown_texts(rows.owners.xids, as_field)
        for piece in pieces(self._trail, batch, wanted, rows.owners):
            part = _Part(piece, rows.rows, other, texts, self._session.settings.time_offset)
            if len(part.numbers):
                yield self._made(part)

    def _made(self, part: _Part) -> ListedPart:
        lines = list[LinePart]()
        for group, known in self._bounded(part):
            if part.is_piece[group[0]]:
                source: TableRows | PieceRows = PieceRows(part, group, known)
                name = self._trail.name_of(part.rows.record(int(group[0]), self._trail.path))
            elif known.table is not None:
                source, name = TableRows(part, group, known, self._columns), known.name
            else:
                continue
            part.is_stated[group[~source.is_irregular]] = False
            skipped = source.is_irregular | ~part.is_listed[group]
            file = as_field(self._file).encode() if self._file else b""
            lines.append(made_lines(source, part.fixed(group, name), part.rows.rows[group], skipped, file))
        stated = np.flatnonzero(part.is_stated & part.is_listed)
        facts = [self._stated(part, row) for row in stated.tolist()]
        offset = self._session.settings.time_offset
        lines += stated_part(facts, offset, part.rows.rows[stated], self._file)
        self._learned(part, int(np.flatnonzero(part.is_listed)[-1]))
        return ListedPart(merged(lines), part.numbers)

    def _bounded(self, part: _Part) -> Iterator[tuple[Array, RowDefinition]]:
        """Yield the indexes of rows of one definition, as many as take bounded memory, with the definition."""
        for group in part.groups():
            known = self._definitions.of(part.rows.record(int(group[0]), self._trail.path))
            most = max(1, _MOST_CELLS // max(len(known.table.columns) if known.table is not None else 0, 1))
            yield from ((group[begin : begin + most], known) for begin in range(0, len(group), most))

    def _stated(self, part: _Part, row: int) -> RecordRow:
        return self._facts_of(self._learned(part, row))

    def _learned(self, part: _Part, row: int) -> Record:
        """Return a record, whose transaction is known from now on."""
        record = part.rows.record(row, self._trail.path)
        self._transactions.learn(record, part.owners.of_row(int(part.rows.rows[row])))
        return record


class _Part:
    """Some rows of a batch.

    Attributes:
        rows: the rows, with the other halves of their updates.
        owners: the transactions of the batch.
        numbers: the numbers in the batch of the rows that are listed; ``is_listed`` is a mask of them.
        halves: for each row the index of the other half of its update; NONE without one, or if it is not here.
        is_row, is_piece: masks of the rows of tables that can be read by columns, and of the pieces of LOBs.
        pieces: the headers of pieces; None without any.
        is_stated: a mask of the rows that are not read by columns.
    """

    def __init__(
        self, piece: Piece, listed: Array, other: Array, texts: tuple[Strings, Strings], offset: TimeOffset
    ) -> None:
        rows = self.rows = piece.rows
        self.owners, self._texts = piece.owners, texts
        self.is_listed = np.isin(rows.rows, listed, assume_unique=True)
        self.numbers = rows.rows[self.is_listed]
        wanted = other[rows.rows]
        place = np.minimum(np.searchsorted(rows.rows, wanted), len(rows) - 1)
        is_here = rows.rows[place] == wanted
        self.halves = np.where(is_here, place, NONE)
        self._io_type = rows.of("io_type")
        self._headers = headers_of(rows)
        is_record = rows.kind == RECORD
        is_row = is_record & _IS_ROW[self._io_type] & ~self._headers.is_continued
        is_row &= (rows.of("data_size") <= LARGEST) & ((wanted == NONE) | is_here)
        is_row &= ~_IS_FULL[self._io_type] | has_columns(rows)
        is_row &= ~has_unknown_tokens(rows)
        self.is_row = is_row
        self.is_piece = is_record & (self._io_type == LARGE_OBJECT)
        self.pieces = self._look_at_pieces() if self.is_piece.any() else None
        self.is_stated = np.ones(len(rows), bool)
        self._times = shown_times(rows.of("io_time"), offset)

    def _look_at_pieces(self) -> LobPieces:
        """Return the headers of the rows that are pieces of LOBs; those of other rows have no meaning."""
        chosen = np.flatnonzero(self.is_piece)
        rows = self.rows.subset(chosen)
        rec_count = rows.view[header_positions(rows.view, rows.starts) + PLACES["rec_count"].start]
        headers = lob_pieces(rows, self._headers.is_continued[chosen], rec_count)
        place = np.zeros(len(self.rows), np.int64)
        place[chosen] = np.arange(len(chosen))
        return LobPieces(
            PieceHeader._make(np.asarray(values)[place] for values in headers.numbers), headers.is_sound[place]
        )

    def groups(self) -> Iterator[Array]:
        """Yield the indexes of rows, and of pieces of LOBs, that have one definition, if there are enough of them."""
        for mask in (self.is_row, self.is_piece):
            chosen = np.flatnonzero(mask)
            if len(chosen):
                subset = self.rows.subset(chosen)
                for part in split_by_definition(subset, self._headers.table_index[chosen]):
                    if len(part) >= FEW:
                        yield chosen[part]

    def fixed(self, group: Array, table: str) -> FixedFields:
        """Return the fixed fields of rows of a table."""
        owner = np.asarray(self.owners.index)[self.rows.rows[group]].astype(np.int32)
        return FixedFields(
            self.rows.of("rba")[group],
            Numbered(self._times.texts, self._times.numbers[group]),
            Numbered(_KIND_NAMES, _KIND_NUMBERS[self._io_type[group]]),
            Numbered(Strings.of([as_field(table)]), np.zeros(len(group), np.int32)),
            *(Numbered(texts, owner) for texts in self._texts),
        )


class TableRows:
    """Rows of a table, read where they are, as the source of lines.

    Attributes:
        is_irregular: a mask of the rows whose facts must be stated.
    """

    def __init__(self, part: _Part, group: Array, known: RowDefinition, columns: frozenset[str] | None) -> None:
        rows, self._codec = part.rows.subset(group), known.charset
        self._are_many = len(part.numbers) >= _MANY
        definitions = known.table.columns if known.table is not None else ()
        self._spans = spans = locate_columns(rows, len(definitions))
        images = spans.before, spans.after
        self.is_irregular = spans.states != GOOD
        for image in images:
            for index in np.flatnonzero(image.seen & HAS_UNDECIDED).tolist():
                self.is_irregular |= image.sizes[index] == UNDECIDED
        is_first, is_second = self._join(part.halves[group], group, rows.is_little)
        order = sorted(range(len(definitions)), key=lambda index: not definitions[index].is_key)
        self._order, self._definitions = order, [definitions[index] for index in order]
        self.columns = [ShownColumn(escape(definition.name), definition.is_key) for definition in self._definitions]
        self.had, self.has = (image.sizes[order] != ABSENT for image in images)
        self.changed = np.zeros(self.had.shape, bool)
        for place in np.flatnonzero((self.had & self.has).any(axis=1)).tolist():
            self.changed[place] = unequal(spans, order[place])
        self.is_update = _IS_UPDATE[rows.of("io_type")]
        is_key = np.array([column.is_key for column in self.columns], bool)[:, np.newaxis]
        shows_all = ~(self.is_update & self.has.any(axis=0))
        is_shown = is_significant(is_key, shows_all, self.changed, self.had) & (self.had | self.has)
        is_same = self.is_update & ~is_first & ~(is_shown & (~is_key | self.changed)).any(axis=0)
        is_shown &= is_key | ~is_first
        if columns is not None:
            is_chosen = [definition.name.upper() in columns for definition in self._definitions]
            is_shown &= np.array(is_chosen, bool)[:, np.newaxis]
        self.shown = is_shown
        rbas = rows.of("rba")[is_second].tolist()
        notes = Strings.of([NO_DIFFERENCE, *map(before_image_note, rbas), None])
        numbers = np.full(len(rows), len(notes) - 1, np.int32)
        numbers[is_same] = 0
        numbers[is_first] = np.arange(1, len(rbas) + 1)
        self.notes: Numbered | None = Numbered(notes, numbers) if (numbers < len(notes) - 1).any() else None

    def _join(self, halves: Array, group: Array, is_little: Array) -> tuple[Array, Array]:
        """Give both halves of an update the images of both; return masks of first and second halves, in order.

        A half without the other one among these rows is odd; so are both if one is.
        """
        is_first, is_second = np.zeros((2, len(group)), bool)
        halved = np.flatnonzero(halves != NONE)
        if not len(halved):
            return is_first, is_second
        place = np.minimum(np.searchsorted(group, halves[halved]), len(group) - 1)
        is_alike = (group[place] == halves[halved]) & (is_little[place] == is_little[halved])
        self.is_irregular[halved[~is_alike]] = True
        halved, place = halved[is_alike], place[is_alike]
        first, second = halved[halved < place], place[halved < place]
        before, after = self._spans.before, self._spans.after
        for places in (before.starts, before.sizes):
            places[:, second] = places[:, first]
        for places in (after.starts, after.sizes):
            places[:, first] = places[:, second]
        is_irregular = self.is_irregular[first] | self.is_irregular[second]
        self.is_irregular[first], self.is_irregular[second] = is_irregular, is_irregular
        is_first[first], is_second[second] = True, True
        return is_first, is_second

    def cells(self, column: int, wanted: Array, *, is_before: bool) -> CellTexts:
        """Return the values of a column before or after, for the rows of a mask."""
        index, image = self._order[column], self._spans.before if is_before else self._spans.after
        sizes = np.where(wanted & ~self.is_irregular, image.sizes[index], ABSENT)
        if not (sizes >= 0).any():
            return CellTexts(None, sizes)
        masked = Image(image.starts[index : index + 1], sizes[np.newaxis], image.seen[index : index + 1])
        spelling = spelling_of(UNICODE_MARKS, is_key=self.columns[column].is_key, are_many=self._are_many)
        texts = text_column(self._spans, masked, 0, self._definitions[column], self._codec, spelling)
        return CellTexts(texts.array, sizes)


class PieceRows:
    """Pieces of LOBs of a table as the source of lines: each has a note alone.

    Attributes:
        is_irregular: a mask of the rows whose facts must be stated: none.
    """

    def __init__(self, part: _Part, group: Array, known: RowDefinition) -> None:
        count = len(group)
        self.columns: list[ShownColumn] = []
        self.had = self.has = self.changed = self.shown = np.zeros((0, count), bool)
        self.is_update = self.is_irregular = np.zeros(count, bool)
        assert part.pieces is not None  # noqa: S101 - there are pieces
        sizes = part.rows.of("data_size")[group].tolist()
        of = part.pieces.numbers
        headers = (np.asarray(values)[group].tolist() for values in (of.column, of.number, of.pieces))
        notes = [
            escape(piece_note(known, (column, number, of_lob), size) if is_sound else unknown_piece_note(size)).rstrip()
            for is_sound, column, number, of_lob, size in zip(
                part.pieces.is_sound[group].tolist(), *headers, sizes, strict=True
            )
        ]
        self.notes: Numbered | None = Numbered(Strings.of(notes), np.arange(count, dtype=np.int32))

    def cells(self, column: int, wanted: Array, *, is_before: bool) -> CellTexts:
        """Never called: there are no columns."""
        raise NotImplementedError
