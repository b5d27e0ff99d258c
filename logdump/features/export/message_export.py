"""EXPORT JSONL … DEBEZIUM and OGG: a message for each change, in the order of the trail. It needs pyarrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from logdump.arrow.tables.group import Piece, TableBatches, blocks
from logdump.arrow.tables.layout import ALL
from logdump.arrow.tables.row_lobs import RowLobs
from logdump.arrow.tables.update_halves import UpdateHalves
from logdump.features.export.files import OpenFiles, TextFile
from logdump.features.export.target import ExportOptions, ExportTally
from logdump.features.export.text_export import Spelling, TextExport
from logdump.notation.text import amount
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from logdump.tables.messages.blocks import MessageForm, MessageRows, Scene, messages_of
from logdump.tables.messages.forms import forms_of
from trailformat import TrailName


class MessageLines(NamedTuple):
    """The lines of the messages of a block, and their number; the other fields are those of Messages."""

    data: bytes
    rows: int
    records: int
    left_out: Counter[int]
    problems: list[tuple[int, str, str]]
    truncates: list[int]


class MessageExport(TextExport[MessageLines]):
    """Export of changes as messages, one line each."""

    _made = MessageLines

    def __init__(self, session: Session, options: ExportOptions, tally: ExportTally, spelling: Spelling) -> None:
        super().__init__(session, options, tally, spelling)
        self._forms = forms_of(options.messages, has_truncates=options.truncates)
        self._truncates = 0

    def report(self) -> Iterator[Event]:
        """Yield the number of messages written, and the problems."""
        yield from self._tally.report(self._options.target_name, by_table=False, kind="change")
        if not self._truncates:
            return
        truncates, are = amount(self._truncates, "truncate"), "is" if self._truncates == 1 else "are"
        if self._options.messages == "ogg":
            yield Notice((f"{truncates} {are} written with op_type T: Flink's ogg-json stops there",), ExitStatus.OK)
        elif not self._options.truncates:
            line = f"{truncates} {are} not written, as by Debezium unless it is configured: TRUNCATES writes them"
            yield Notice((line,), ExitStatus.FINDINGS)

    def _jobs_of_pieces(self) -> Callable[[Piece], Iterator[Callable[[], MessageLines]]]:
        trail = self._session.trail
        name, lobs = TrailName.parse(trail.path), RowLobs(trail)
        halves = UpdateHalves(trail, self._session.definitions_of)
        batches = TableBatches(trail, self._session.row_definitions, self._tally.leave_out)
        scene = Scene.of(trail, name.seqno if name is not None else None)

        def jobs(piece: Piece) -> Iterator[Callable[[], MessageLines]]:
            for groups in blocks(batches.groups(piece)):
                block = [MessageRows.of(group, lobs, halves) for group in groups]
                yield partial(_lines_of, block, self._forms(block), scene)

        return jobs

    def _writing(self, files: OpenFiles[TextFile], lines: MessageLines) -> Callable[[], None]:
        for problem in lines.problems:
            self._tally.add_problem(*problem)
        for io_type, records in lines.left_out.items():
            self._tally.leave_out(io_type, records)
        self._tally.split += lines.rows - lines.records
        self._truncates += len(lines.truncates)
        return partial(self._write, files, lines)

    def _write(self, files: OpenFiles[TextFile], lines: MessageLines) -> None:
        files.of(ALL).append(lines.data, lines.rows)
        self._make_room(files)


def _lines_of(block: list[MessageRows], form: MessageForm, scene: Scene) -> MessageLines:
    made = messages_of(block, form, scene)
    text = "".join(f"{message.value}\n" for message in made.messages)
    return MessageLines(text.encode(), len(made.messages), *made[1:])
