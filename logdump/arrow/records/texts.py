"""Parts of records as text, for all rows together: tokens, and the values of the columns of images."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from logdump.arrow.records.errors import ValueTooLarge, place
from logdump.arrow.records.rows import Array, DefinitionGroups, Rows
from trailformat import BadData, ColumnDefinition, TrailError
from trailformat.arrays import StoredValues, Strings, text_array
from trailformat.codec.tokens import ROWID
from trailformat.records.record import LARGEST, UserTokens, parse_user_tokens
from trailformat.scan.rows import Fields, tokens_in
from trailformat.scan.rows.definitions import are_wide
from trailformat.trail.row_definitions import RowDefinition
from trailformat.values import data_type_of

_USER = ord("U")
_ROW_ID_SIZE = 18
_FRAME, _WIDE_FRAME = 4, 6
_NOT_ASCII = 0x80


def gg_parts(rows: Rows) -> Fields:
    """Return the positions of the GGS tokens of the rows; computed once, for all columns that need them."""
    if "gg_tokens" not in rows.walked:
        rows.walked["gg_tokens"] = tokens_in(rows.view, *rows.payload("token"), rows.is_little)
    fields: Fields = rows.walked["gg_tokens"]
    return fields


def row_ids(rows: Rows) -> Strings:
    """Return the ORAROWID of each row; null if it has none."""
    parts = gg_parts(rows)
    index, region = _first_of(parts, ROWID)
    texts = Strings.at(rows.view, parts.start[index], np.minimum(parts.size[index], _ROW_ID_SIZE))
    unsound, ids = np.flatnonzero(~parts.is_sound), Strings.nulls(len(rows))
    if (texts.data >= _NOT_ASCII).any():
        unsound = np.union1d(unsound, region)
    elif len(region):
        ids = ids.replaced(region, texts)
    return ids.replaced(unsound, Strings.of(_row_id_of(rows, row) for row in unsound.tolist())) if len(unsound) else ids


def _row_id_of(rows: Rows, row: int) -> str | None:
    try:
        return rows.record(row).row_id
    except TrailError as error:
        rows.source.undecodable(error)
        return None


def _first_of(parts: Fields, number: int) -> tuple[Array, Array]:
    """Return the indexes of the first token with this id in each region that has one, and these regions."""
    index = np.flatnonzero(parts.number == number)
    region, first = np.unique(parts.region[index], return_index=True)
    return index[first], region


def user_tokens_by_row(rows: Rows) -> dict[int, UserTokens | TrailError]:
    """Return the user tokens of the rows that have some, or their error; computed once."""
    if "user_tokens" not in rows.walked:
        rows.walked["user_tokens"] = _user_tokens_by_row(rows)
    tokens: dict[int, UserTokens | TrailError] = rows.walked["user_tokens"]
    return tokens


def _user_tokens_by_row(rows: Rows) -> dict[int, UserTokens | TrailError]:
    parts = bodies(rows)
    index, region = _first_of(parts, _USER)
    tokens: dict[int, UserTokens | TrailError] = {}
    for row, start, size in zip(region.tolist(), parts.start[index].tolist(), parts.size[index].tolist(), strict=True):
        tokens[row] = _parsed(rows.view[start : start + size].tobytes()) if size <= LARGEST else _read(rows, row)
    tokens |= {row: _read(rows, row) for row in np.flatnonzero(~parts.is_sound).tolist()}
    return tokens


def _read(rows: Rows, row: int) -> UserTokens | TrailError:
    try:
        return rows.record(row).user_tokens
    except TrailError as error:
        return error


def bodies(rows: Rows) -> Fields:
    """Return the positions of the top-level tokens of the records; computed once."""
    if "bodies" not in rows.walked:
        rows.walked["bodies"] = _bodies(rows)
    parts: Fields = rows.walked["bodies"]
    return parts


def _bodies(rows: Rows) -> Fields:
    begins, length = rows.starts, rows.of("length")
    info = rows.view[np.minimum(begins + 1, len(rows.view) - 1)]
    frame = np.where(are_wide(info), _WIDE_FRAME, _FRAME)
    starts, ends = np.where(rows.is_record, begins + frame, 0), np.where(rows.is_record, begins + length - frame, 0)
    return tokens_in(rows.view, starts, ends, rows.is_little)


def _parsed(data: bytes) -> UserTokens | TrailError:
    try:
        return parse_user_tokens(data)
    except TrailError as error:
        return error


_MOST_BYTES = (1 << 31) - 1
"""Maximum size of an array of texts."""
_FEW = 1 << 15
"""Numbers below this sort faster as int16."""


class ValueProblem(NamedTuple):
    """An undecodable value: its row, the name of its column, the reason."""

    row: int
    column: str
    reason: str


class ImageTexts(NamedTuple):
    """The columns of images.

    Attributes:
        names: names of the columns of all definitions.
        columns: for each part the index of its column in ``names``, -1 if no definition has it.
        texts: values as text.
        places: for each part the index of its value in ``texts``.
        problems: undecodable values.
    """

    names: list[str]
    columns: Array
    texts: Strings
    places: Array
    problems: list[ValueProblem]


_Texts = tuple[Strings, Array, list[tuple[int, str]]]


class _Pool:
    """The columns of all definitions of some rows, concatenated and grouped by how they are decoded."""

    def __init__(self, known: DefinitionGroups) -> None:
        self.names: list[str] = []
        self.kinds: dict[tuple[object, ...], tuple[int, ColumnDefinition, str]] = {}
        self.kind: list[int] = []
        self.first, self.count = np.zeros((2, len(known.definitions) + 1), np.int64)
        for number, definition in enumerate(known.definitions):
            columns = definition.table.columns if definition.table else ()
            self.first[number], self.count[number] = len(self.names), len(columns)
            self.names += [column.name for column in columns]
            self.kind += [self._kind(column, definition) for column in columns]

    def places(self, group: Array, number: Array) -> Array:
        """Return the indexes of columns, given their definitions and their numbers in these; -1 if missing."""
        return np.where(number < self.count[group], self.first[group] + number, -1)

    def _kind(self, column: ColumnDefinition, known: RowDefinition) -> int:
        key = (
            column.data_type,
            0 if data_type_of(column).is_variable else column.internal_length,
            column.charset,
            column.native_type,
            column.sub_data_type,
            column.most_significant,
            column.least_significant,
            column.scale,
            known.charset,
        )
        return self.kinds.setdefault(key, (len(self.kinds), column, known.charset))[0]


def image_texts(rows: Rows, parts: Fields, known: DefinitionGroups, row: Array) -> ImageTexts:
    """Return the values of the columns at ``parts``, null without a definition; ``row`` is the row of each part.

    Raises:
        ValueTooLarge: the text does not fit into an array.
    """
    pool = _Pool(known)
    column = pool.places(known.group[row], parts.number)
    kind = np.array([*pool.kind, -1])[column]
    try:
        texts, places, undecoded = _decoded(rows, parts, rows.is_little[row], kind, pool)
    except TrailError as error:
        raise too_large(rows, error.problem) from None
    problems = sorted((part, pool.names[column[part]], reason) for part, reason in undecoded)
    return ImageTexts(
        pool.names, column, texts, places, [ValueProblem(int(row[part]), *rest) for part, *rest in problems]
    )


def _decoded(rows: Rows, parts: Fields, little: Array, kind: Array, pool: _Pool) -> _Texts:
    if len(pool.kinds) < _FEW:
        kind = kind.astype(np.int16)
    order = np.argsort(kind, kind="stable")
    ends = np.searchsorted(kind[order], np.arange(-1, len(pool.kinds)), side="right")
    arrays = [Strings.nulls(int(ends[0]))]
    problems: list[tuple[int, str]] = []
    for (_, definition, codec), begin, end in zip(pool.kinds.values(), ends[:-1], ends[1:], strict=True):
        chosen = order[begin:end]
        if len(chosen):
            stored = StoredValues(rows.view, little[chosen], parts.start[chosen], parts.size[chosen])
            texts = text_array(stored, definition, codec)
            arrays.append(texts.array)
            problems += [(int(chosen[problem.row]), problem.reason) for problem in texts.problems]
    _check_size(arrays)
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return Strings.joined(arrays), places, problems


def _check_size(arrays: list[Strings]) -> None:
    if sum(array.nbytes for array in arrays) > _MOST_BYTES:
        raise BadData("too much text for one array")


def too_large(rows: Rows, problem: str) -> ValueTooLarge:
    """Return the error that the values of the rows do not fit into an array."""
    where = place(rows.source.path, int(rows.of("rba")[0]))
    return ValueTooLarge(f"{where}: {problem} from the values of {len(rows)} records; take a smaller batchBytes")
