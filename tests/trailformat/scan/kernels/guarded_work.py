"""Work for every kernel: the fixtures, damaged copies of them, and values good and bad."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from fixtures import TRAILS
from tests.searching import IS_LONG, Random, examples, part_of, some_trails
from tests.trailformat.arrays.stored import KINDS
from tests.trailformat.samples import BOTH, column, header, row, table_record, trail_of
from trailformat import ByteOrder, NotATrail, Record, TrailFile, make_record
from trailformat.arrays import (
    BytesAt,
    DecodePath,
    Digits,
    Escapes,
    Field,
    FieldForm,
    LineForm,
    Numbered,
    Parts,
    ShortForm,
    Strings,
    TextForm,
    ValueSpelling,
    joined_runs,
    line_breaks,
    locate_columns,
    text_column,
    write_lines,
)
from trailformat.arrays.column_check import ColumnCheck
from trailformat.arrays.columns import column_arrays
from trailformat.arrays.stored import StoredValues
from trailformat.arrays.text_arrays import text_array
from trailformat.codec.tokens import LOGCSN
from trailformat.native.scan.arguments import NULL
from trailformat.scan import Workers, kernel_run, scan
from trailformat.scan.counting import CountBounds, CountFiller, RowCount
from trailformat.scan.measuring import measured_batches
from trailformat.scan.position import first_position
from trailformat.scan.row_tokens import rows_with_token
from trailformat.scan.rows import RowBytes, headers_of
from trailformat.scan.rows.images import column_of, image_regions, images_of, tokens_in
from trailformat.scan.scanning import Scanning, occurrences
from trailformat.trail import file
from trailformat.trail.resync import next_sound
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.tracker import TransactionTracker

_BATCH, _WINDOW = 16, 300
_DAMAGED = ("et000000000", "el000000000", "ot000000", "nl000000", "yt000000000")
_COPIES = 6
_TEXTS = (
    b"",
    b"1",
    b"\x12\x3c",
    b"-1 2:3:4.5 ",
    b"-",
    b".",
    b"-12.50",
    b"123456789012345678901",
    b"2024-03-14",
    b"2024-03-1",
    b"2024-03-14:10:00",
    b"2024-03-14:10:00:00",
    b"2024-03-14:10:00:00.",
    b"2024-03-14 10:00:00.123456789",
    b"2024-03-14 10:00:00 +05:30",
    b"2024-03-14 10:00:00.123456 -05:30",
    b"\xe2\x82",
    b"\0\1",
    b"\0\0\0\1",
    b"\0\0\0\0\0\0\0\1",
    b"long enough for several words",
    b"it's 'quoted'",
    "é".encode(),
)
_ODD = (np.arange(256) == 1).view(np.uint8)
_FORM = TextForm(
    (b"<", b">"), (b"longer than a word <", b">"), undecidable=_ODD, is_printable=True, doubles_quotes=True
)
_QUOTED = ValueSpelling(dict.fromkeys(DecodePath, _FORM), lambda _: None)
_CUT = ShortForm(6, b"~", head=2, cells=np.ones(1 << 16, np.uint8))
_SHORT = TextForm((b"<", b">"), (b"<", b"~> "), undecidable=_ODD, doubles_quotes=True, short=_CUT)
_SHORTENED = [
    ValueSpelling(
        dict.fromkeys((DecodePath.TEXT, DecodePath.ASCII, DecodePath.BYTES), _SHORT._replace(short=short)),
        lambda _: None,
    )
    for short in (_CUT, _CUT._replace(cells=None, is_bare=True))
]


def use_every_kernel(turn: int) -> None:
    """Read trails, in windows so small that many a record goes beyond one, and values by the kernels alone.

    The short form reads half of the trails, and each text in one byte order; turns 0 and 1 together do it all.
    """
    kernel_run.CAPACITY, file._FAR = _WINDOW, 1
    with tempfile.TemporaryDirectory() as folder:
        paths = [*some_trails(TRAILS.iterdir(), __name__), *_damaged(Path(folder))]
        for path in part_of(paths, turn, 2):
            with contextlib.suppress(NotATrail), TrailFile(path) as trail:
                _read(trail)
        for path in _at_the_last_index(Path(folder)):
            with TrailFile(path) as trail:
                _read(trail)
        _write_every_line()
        text = np.frombuffer(b"twenty bytes of text", np.uint8)
        joined_runs([text, text[3:]], np.array([0, 1, 0]), np.array([0, 2, 19]), np.array([16, 9, 20]))
        _write_every_kind()
        for order in BOTH:
            _make_arrays(Path(folder), order, turn)


def _damaged(folder: Path) -> Iterator[Path]:
    """Copies with some bytes changed, cut somewhere."""
    random = Random(1)
    for name in _DAMAGED:
        data = (TRAILS / name).read_bytes()
        for number in range(examples(_COPIES, short=3)):
            changed = bytearray(data[: random.randrange(len(data) // 2, len(data))])
            for _ in range(random.randrange(12)):
                changed[random.randrange(len(changed))] = random.choice((0, 1, 4, 0x80, 0xFF, random.randrange(256)))
            path = folder / f"{name[:2]}{number:06}"
            path.write_bytes(changed)
            yield path


def _at_the_last_index(folder: Path) -> Iterator[Path]:
    """Trails whose first record has the last table index for which there is room at first, or one of the next two."""
    for order, beyond in product(BOTH, range(-1, 2)):
        index = kernel_run._INDEXES + beyond
        defines, uses = table_record(index, "TEA.LEAVES", order), row(name=index, order=order)
        for number, records in enumerate(((defines, uses, defines), (uses, defines, uses))):
            yield trail_of(folder, *records, name=f"in{number}{beyond + 1}{BOTH.index(order)}000000")


def _read(trail: TrailFile) -> None:
    data, size = trail.buffer, trail.size
    tracker = TransactionTracker(trail)
    for batch in scan(trail, batch_size=_BATCH):
        tracker.of(batch)
        rows_with_token(batch, data, LOGCSN)
        records = np.flatnonzero(np.asarray(batch.kind) == 0)
        for at in range(0, len(records), 8):
            _look_at_rows(RowBytes(data, batch, records[at : at + 8]))
    _check(trail)
    _count(trail)
    for value in (b"SHIZ", b"nowhere"):
        list(occurrences(value, data, 0, size))
        list(occurrences(value, data, max(0, size - 600), size, any_case=True))
    trail.metadata_rbas(0, size)
    for start in range(0, size, 311):
        next_sound(trail.bytes[0:size], start, size)


def _check(trail: TrailFile) -> None:
    """Measure all rows, and hold them to their definitions."""
    check = ColumnCheck(trail, RowDefinitions(trail))
    with Workers(1) as workers:
        for measured in measured_batches(trail, workers, _BATCH):
            list(check.faults(measured))


def _count(trail: TrailFile) -> None:
    for _ in Scanning(trail, first_position(trail), None, lambda names: CountFiller(names, CountBounds())):
        pass
    rows = RowCount(CountBounds())
    for batch in scan(trail, batch_size=_BATCH):
        for _ in rows.of(batch, np.asarray(batch.rba) % 3 > 0):
            pass


def _look_at_rows(rows: RowBytes) -> None:
    headers_of(rows)
    images_of(rows)
    column_of(rows, np.arange(len(rows)) % 3)
    spans = locate_columns(rows, 4)
    for image in (spans.before, spans.after):
        column_arrays(spans, image, [column()] * len(image.seen))
    tokens = rows.payload("token")
    tokens_in(rows.view, *tokens, rows.is_little)


def _write_every_line() -> None:
    """Lines that end in a character of every size, in every way of escaping."""
    texts = [
        "",
        None,
        "plain words and more of them",
        '"\\',
        "\t\x01\x7f",
        "é",
        "€",
        "\U0010ffff",
        "eight by" * 3 + "€",
    ]
    for escapes, size in product(Escapes, (np.int32, np.int64)):
        form = FieldForm(b"<", b">", b"NULL", b".", b"name", escapes)
        for text in (*texts, texts):
            values = ["", *text] if isinstance(text, list) else ["", text]
            sizes = np.array([NULL if value is None else len(value) for value in values[1:]], size)
            field = Field(form, Strings.of(values[1:]), sizes)
            line, none = LineForm(b"head", b"\n", b"(", b",", b")", b"()"), np.zeros(len(sizes), np.bool_)
            write_lines(line, [field, field], none)
            write_lines(line, [field], none, last=field)


def _write_every_kind() -> None:
    """Lists of every size of texts, bytes and numbers, with and without a row that has none."""
    for size in range(20):
        line_breaks(np.full(size, ord('"\n'[size % 2]), np.uint8))
    texts, data = Strings.of(["", "leaf", None, "tea, tea"]), np.arange(60, dtype=np.uint8)
    form = FieldForm(b"<", b">", b"NULL", b".", b";")
    for sizes in ([0], [1, 0, 7], [4, 3, 11, 0]):
        first = np.concatenate(([0], np.cumsum(sizes)))
        parts = np.arange(first[-1])
        values = Numbered(texts, parts.astype(np.int32) % 4)
        fields = [
            Field(form, BytesAt(data, 3 * parts), parts % 4),
            Field(form, values),
            Field(form, Digits((7**parts).astype(np.uint64), parts % 3 != 1)),
        ]
        for present in (np.ones(len(sizes), bool), np.arange(len(sizes)) != 1):
            listed = Field(form, Parts(first, fields, present))
            write_lines(LineForm(b"", b"\n"), [listed, listed], ~present)


def _make_arrays(folder: Path, order: ByteOrder, turn: int) -> None:
    """Arrays of each kind of column, of each value by itself and of all."""
    values = [value for text in _TEXTS for value in (b"\0\0" + text, b"\0\0" + order.encode(len(text), 2) + text)]
    values += [b"\xff\xff", b"", b"\0", b"\0\1"]
    path = trail_of(folder, *(_row(value, order) for value in values), name=f"va00000{BOTH.index(order)}")
    with TrailFile(path) as trail:
        (batch,) = scan(trail)
        every = np.arange(len(values))
        alone = every if IS_LONG else every[(every // 2 + BOTH.index(order) + turn) % 2 == 0]
        for rows in (every, *alone.reshape(-1, 1)):
            _arrays_of(RowBytes(trail.buffer, batch, rows))


def _row(value: bytes, order: ByteOrder) -> Record:
    return make_record(header(order=order), b"\0\0" + order.encode(len(value), 2) + value, order=order)


def _arrays_of(rows: RowBytes) -> None:
    spans = locate_columns(rows, 1)
    regions = image_regions(rows.view, rows.row_data)
    starts, sizes = regions.starts[1] + 4, regions.ends[1] - regions.starts[1] - 4
    for name, kind in KINDS.items():
        definition = column(**kind)
        column_arrays(spans, spans.after, [definition])
        for spelling in (_QUOTED, *_SHORTENED):
            text_column(spans, spans.after, 0, definition, spelling=spelling)
        if len(rows) == 1 and name != "VARCHAR":
            continue
        text_array(StoredValues(rows.view, spans.little, starts, sizes), definition)
