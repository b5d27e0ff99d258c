"""The file header of a copy: that of the source, or a rebuilt one."""

from __future__ import annotations

import enum
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from logdump.features.repair.file_survey import FileSurvey
from logdump.features.repair.model import CopiedHeader, HeaderOrigin
from logdump.features.save.header import own_header
from logdump.session.errors import CommandError
from trailformat import FileHeader, NotATrail, Record, TrailFile, make_file_header
from trailformat.codec.tokens import Token, TokenPlace, walk_tokens
from trailformat.records.file_header import (
    GROUPS,
    ORDER,
    SIGNATURE,
    TRAIL_INFO,
    HeaderField,
    HeaderGroup,
    HeaderToken,
    Value,
    replace_values,
)
from trailformat.records.record import make_file_header_record
from trailformat.trail.sequence import next_file, previous_file

_SEARCHED = 1 << 16
_TOKEN = 4
_SIGNATURE_AT = 2 * _TOKEN
"""Offset of the signature in a file header: the tokens of the first group and of the signature precede it."""
_OF_THE_FILE = ("CreationTime", "LOGBSN")
"""Values that cannot be taken from the header of another file."""
_OF_THE_END = ("FileSize", "LastCSN", "LastIOTime")
"""Values that a writer sets when it closes a file."""


class HeaderChoice(enum.Enum):
    """Treatment of the file header; AUTO keeps it if it decodes."""

    AUTO = "auto"
    KEEP = "keep"
    REBUILD = "rebuild"


class NewHeader(NamedTuple):
    """The header of a copy.

    Attributes:
        record: the rebuilt header; None if the source's header is kept or there is none.
        begin: RBA from which the source is copied.
        shown: the report on it.
    """

    record: Record | None
    begin: int
    shown: CopiedHeader


class HeaderPlan:
    """The header of the copy of one file.

    Args:
        trail: the file.
        survey: its damage.
        choice: the treatment of the header.
        given: the file whose header is used; if that has none, the copy has none.
    """

    def __init__(self, trail: TrailFile, survey: FileSurvey, choice: HeaderChoice, given: Path | None) -> None:
        self._path, self._choice, self._given = trail.path, choice, given
        self._given_header = _header_of(given) if given is not None else None
        self._begin, damage = trail.first_rba, survey.damage.at(0)
        header = trail.file_header
        self._own = header if header is not None and damage is None and _is_signed(header) else None
        self._is_lost = damage is not None or (self._begin > 0 and self._own is None)
        stop = damage.stop if damage is not None else self._begin
        self._bytes = trail.bytes[0 : min(stop, _SEARCHED)]

    def header(self, target: Path, name: str, first: Record | None, *, is_same: bool) -> NewHeader:
        """Return the header of the copy ``name`` at ``target``, whose first record of a transaction is ``first``.

        ``is_same``: the copy has the bytes of the file, which is as its header says.

        Raises:
            CommandError: the header can be neither kept nor rebuilt.
        """
        if self._choice is HeaderChoice.KEEP and self.has_header and self._own is None:
            raise CommandError(f"The file header of {self._path} is damaged: HEADER REBUILD makes another.")
        if not self.has_header:
            return NewHeader(None, self._begin, CopiedHeader(self._path, HeaderOrigin.NONE))
        if self._own is not None and self._choice is not HeaderChoice.REBUILD and self._given is None:
            return self._kept(self._own, is_same=is_same)
        base, source = self._base()
        known, dropped = _without_unknown(base)
        record = make_file_header_record(own_header(known, target, name, first))
        return NewHeader(record, self._begin, CopiedHeader(self._path, HeaderOrigin.REBUILT, source, dropped))

    def _kept(self, own: FileHeader, *, is_same: bool) -> NewHeader:
        """Return the header of the file; what it says about its end is not set if it is not true of the copy."""
        if is_same or all(own.get("TrailInfo", name) is None for name in _OF_THE_END):
            return NewHeader(None, 0, CopiedHeader(self._path, HeaderOrigin.KEPT))
        record = make_file_header_record(replace_values(own, "TrailInfo", dict.fromkeys(_OF_THE_END)))
        return NewHeader(record, self._begin, CopiedHeader(self._path, HeaderOrigin.KEPT, is_reopened=True))

    @property
    def has_header(self) -> bool:
        """True if the copy has a header: decided by the given file, else by the source."""
        if self._given is not None:
            return self._given_header is not None
        return self._own is not None or (self._is_lost and self._begins_with_one())

    def _begins_with_one(self) -> bool:
        """Return True if damage at the beginning was a file header, not a record, judged by neighbouring files too."""
        begins_with_record = self._bytes[:1] == b"G" or b"H" in (self._bytes[4:5], self._bytes[6:7])
        return not begins_with_record or SIGNATURE in self._bytes or self._neighbour() is not None

    def _base(self) -> tuple[FileHeader, Path | None]:
        """Return a header with all known values of the file, and the file that supplied the others, if any."""
        if self._own is not None and self._given is None:
            return self._own, None
        salvaged = _salvaged(self._bytes) if self._own is None else {}
        info = salvaged.get("TrailInfo", {})
        of_the_file = {name: self._own.get("TrailInfo", name) if self._own else info.get(name) for name in _OF_THE_FILE}
        if self._given_header is not None:
            return replace_values(self._given_header, "TrailInfo", of_the_file), self._given
        if (neighbour := self._neighbour()) is not None:
            return replace_values(neighbour[0], "TrailInfo", {**of_the_file, **info}), neighbour[1]
        if "Compatibility" not in info:
            raise CommandError(f"The file header of {self._path} is lost: HEADER FROM <file> takes that of another.")
        every = {field.name: info.get(field.name) for field in TRAIL_INFO.values()}
        return make_file_header({**salvaged, "TrailInfo": every}), None

    def _neighbour(self) -> tuple[FileHeader, Path] | None:
        """Return the header of the file before or after this one, and that file."""
        for path in (previous_file(self._path)[0], next_file(self._path)[0]):
            with suppress(NotATrail):
                if path is not None and (header := _header_of(path)) is not None:
                    return header, path
        return None


def _is_signed(header: FileHeader) -> bool:
    return header.get("TrailInfo", "Signature") == SIGNATURE


def _header_of(path: Path) -> FileHeader | None:
    """Return the header of a file; None without a signed one. Raises NotATrail."""
    with TrailFile(path) as trail:
        header = trail.file_header
    return header if header is not None and _is_signed(header) else None


def _without_unknown(header: FileHeader) -> tuple[FileHeader, tuple[str, ...]]:
    """Return a header without the tokens that have no known name, and the names of those."""
    groups, dropped = [], []
    for group in header.groups:
        if not group.name:
            dropped.append(f"group {group.token.id:02x}")
            continue
        known = tuple(token for token in group.tokens if token.field is not None)
        dropped += [f"{group.name} {token.token.id:02x}" for token in group.tokens if token.field is None]
        groups.append(HeaderGroup(group.token, known))
    return FileHeader(tuple(groups)), tuple(dropped)


def _salvaged(data: bytes) -> dict[str, dict[str, Value]]:
    """Return the readable values in the remains of a file header, by group and name."""
    groups: dict[str, dict[str, Value]] = {}
    begin = data.find(SIGNATURE) - _SIGNATURE_AT
    if begin < 0:
        return groups
    for number, _, start, size in _readable(data, begin, len(data)):
        group = GROUPS.get(number)
        if group is None or group.name in groups:
            break
        groups[group.name] = _values(data, start, start + size, group.fields)
    return groups or {"TrailInfo": _values(data, begin + _TOKEN, len(data), TRAIL_INFO)}


def _values(data: bytes, start: int, stop: int, fields: dict[int, HeaderField]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    highest = -1
    for number, info, offset, size in _readable(data, start, stop):
        field = fields.get(number)
        if number <= highest or (field is not None and field.size not in (0, size)):
            break
        highest = number
        if field is not None:
            value = HeaderToken(Token(number, info, data[offset : offset + size]), field).value
            values[field.name] = None if isinstance(value, bytes) and field.name != "Signature" else value
    return values


def _readable(data: bytes, start: int, stop: int) -> list[TokenPlace]:
    """Return the tokens before the first that does not fit."""
    places, end = walk_tokens(data, start, stop, ORDER)
    return places[:-1] if end > stop else places
