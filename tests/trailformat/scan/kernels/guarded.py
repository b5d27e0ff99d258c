"""Kernels run on memory that ends in a page which nothing may touch, before it and behind it.

What a kernel is given, by its description, is copied for each call to the end of such memory, or to its beginning; what
it has written is copied back. As a program this does so for all kernels: a byte too far ends it, and the file named by
the first argument holds the name of the kernel. The kernel that a second argument names is given a byte less of all.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from logdump.arrow.without_pandas import leave_out_pandas
from tests.trailformat.scan.kernels.guarded_memory import Guard, ints, longs, octets
from trailformat.arrays.stored import WIDTHS
from trailformat.native.arrays import arguments as arrays
from trailformat.native.constants import KIND_RECORD
from trailformat.native.loaded import Kernel, kernels
from trailformat.native.scan import arguments as scan

Ends = list[int]


def _shifted(guard: Guard, data: int, first: int, end: int) -> int:
    """``data`` so that the bytes from one offset to another, and no others, are there."""
    return guard.given(data + first, max(0, end - first)) - first


def _spanned(guard: Guard, data: int, starts: Sequence[int], ends: Sequence[int]) -> int:
    """The same for regions; empty ones do not count."""
    filled = [(start, end) for start, end in zip(starts, ends, strict=True) if end > start]
    first, end = (min(start for start, _ in filled), max(end for _, end in filled)) if filled else (0, 0)
    return _shifted(guard, data, first, end)


def _names(guard: Guard, tables: int) -> tuple[int, int]:
    """The table of names; and how many keys it has given."""
    about = longs(tables, scan.TABLES_SIZE)
    slots = longs(about[scan.SLOTS], scan.SLOT_SIZE * (about[scan.MASK] + 1))
    used = [scan.SLOT_SIZE * number for number, taken in enumerate(slots[scan.HASH :: scan.SLOT_SIZE]) if taken]
    words = 0
    for start in (slots[at + scan.START] for at in used):
        while octets(about[scan.WORDS] + 8 * start + 7, 1)[0]:
            start += 1  # noqa: PLW2901 - walks over the words of a name
        words = max(words, start + 1)
    keys = [0, *(slots[at + scan.KEY] for at in used), *longs(about[scan.BY_INDEX], about[scan.INDEXES])]
    sizes = {scan.SLOTS: 8 * len(slots), scan.WORDS: 8 * words, scan.BY_INDEX: 8 * about[scan.INDEXES], scan.FLAGS: 256}
    return guard.table(tables, sizes, scan.TABLES_SIZE), max(keys) + 1


def _run(guard: Guard, args: Ends) -> int:
    """What ``fill`` and ``count`` share; the number of keys."""
    data, limit, state = args[0], args[1], args[5]
    args[0] = _shifted(guard, data, longs(state, scan.STATE_SIZE)[scan.RBA], limit)
    args[5] = guard.given(state, 8 * scan.STATE_SIZE)
    args[6], keys = _names(guard, args[6])
    return keys


def _fill(guard: Guard, args: Ends) -> None:
    _run(guard, args)
    args[7] = guard.table(
        args[7], {0: scan.OCTETS * args[4], 1: 4 * scan.INTS * args[4], 2: 8 * scan.LONGS * args[4]}, 3
    )


def _count(guard: Guard, args: Ends) -> None:
    keys, most = _run(guard, args), args[4]
    words = longs(args[7], scan.COUNTING_SIZE)
    numbers = max(about >> 1 for about in longs(words[scan.ABOUT], keys)) + 1
    sizes = {scan.GROUPS: 8 * scan.GROUP_SIZE * words[scan.ROOM], scan.PLACES: 8 * most}
    args[7] = guard.table(args[7], {**sizes, scan.ABOUT: 8 * keys, scan.MARKS: 8 * numbers}, scan.COUNTING_SIZE)


def _count_rows(guard: Guard, args: Ends) -> None:
    rows = args[2]
    widths = {at: rows * (1 if at < scan.R_TABLE else 8) for at in range(scan.COUNTED_COLUMNS)}
    args[0] = guard.table(args[0], widths, scan.COUNTED_COLUMNS)
    args[1] = guard.given(args[1], rows)
    args[3], args[4] = guard.given(args[3], 8 * scan.STATE_SIZE), guard.given(args[4], 256)
    keys = 1 + max(longs(longs(args[0], scan.COUNTED_COLUMNS)[scan.R_TABLE], rows))
    words = longs(args[5], scan.COUNTING_SIZE)
    numbers = max(about >> 1 for about in longs(words[scan.ABOUT], keys)) + 1
    sizes = {scan.GROUPS: 8 * scan.GROUP_SIZE * words[scan.ROOM], scan.ABOUT: 8 * keys, scan.MARKS: 8 * numbers}
    args[5] = guard.table(args[5], sizes, scan.COUNTING_SIZE)


def _find(guard: Guard, args: Ends) -> None:
    args[0] = _shifted(guard, args[0], args[1], args[2])
    args[3], args[4] = (guard.given(address, args[5]) for address in args[3:5])


def _next_frame(guard: Guard, args: Ends) -> None:
    args[0] = _shifted(guard, args[0], args[1], args[3])


def _find_metadata(guard: Guard, args: Ends) -> None:
    args[0] = _shifted(guard, args[0], longs(args[4], 1)[0], args[2])
    args[4], args[5] = guard.given(args[4], 16), guard.given(args[5], 8 * args[6])


def _of_tokens(guard: Guard, args: Ends) -> None:
    """The bytes and the columns of ``own_tokens`` and ``mark_rows``; rows without a ``T`` are given no bytes."""
    rows = args[2]
    words = longs(args[1], scan.TOKEN_COLUMNS)
    kinds, sizes = octets(words[scan.T_KIND], rows), ints(words[scan.T_SIZE], rows)
    places = zip(longs(words[scan.T_RBA], rows), ints(words[scan.T_OFFSET], rows), strict=True)
    starts = [rba + offset for rba, offset in places]
    ends = [at + size * (kind == KIND_RECORD) for at, size, kind in zip(starts, sizes, kinds, strict=True)]
    args[0] = _spanned(guard, args[0], starts, ends)
    widths = dict.fromkeys((scan.T_KIND, scan.T_ORDER), 1)
    widths |= {scan.T_RBA: 8, scan.T_OFFSET: 4, scan.T_SIZE: 4}
    args[1] = guard.table(args[1], {at: width * rows for at, width in widths.items()}, scan.TOKEN_COLUMNS)


def _own_tokens(guard: Guard, args: Ends) -> None:
    _of_tokens(guard, args)
    rows = args[2]
    args[3] = guard.given(args[3], 8 * 4 * rows)


def _mark_rows(guard: Guard, args: Ends) -> None:
    _of_tokens(guard, args)
    args[4] = guard.given(args[4], args[2])


def _gather(guard: Guard, args: Ends) -> None:
    count = args[4]
    places, sizes, starts = (longs(address, count) for address in args[1:4])
    args[0] = _spanned(guard, args[0], places, [at + size for at, size in zip(places, sizes, strict=True)])
    end = max((start + max(0, size) for start, size in zip(starts, sizes, strict=True)), default=0)
    args[1:4] = [guard.given(address, 8 * count) for address in args[1:4]]
    args[5] = guard.given(args[5], end)


_region_ends: dict[int, list[int]] = {}
"""The ends of the regions that ``count_fields`` was given last, by the address of their first fields."""


def _count_fields(guard: Guard, args: Ends) -> None:
    regions = args[4]
    ends = _region_ends[args[6]] = list(longs(args[2], regions))
    args[0] = _spanned(guard, args[0], longs(args[1], regions), ends)
    for at, size in ((1, 8 * regions), (2, 8 * regions), (3, regions), (6, 8 * (regions + 1)), (7, regions)):
        args[at] = guard.given(args[at], size)


def _take_fields(guard: Guard, args: Ends) -> None:
    regions, first = args[3], longs(args[5], args[3] + 1)
    total = first[regions]
    starts, ends = longs(args[1], regions), _region_ends[args[5]]
    taken = [at for at in range(regions) if first[at + 1] > first[at]]
    args[0] = _spanned(guard, args[0], [starts[at] for at in taken], [ends[at] for at in taken])
    for at, size in ((1, 8 * regions), (2, regions), (5, 8 * (regions + 1)), *((at, 8 * total) for at in (6, 7, 8))):
        args[at] = guard.given(args[at], size)


def _pick_columns(guard: Guard, args: Ends) -> None:
    regions = args[4]
    args[0] = _spanned(guard, args[0], longs(args[1], regions), longs(args[2], regions))
    for at, size in ((1, 8), (2, 8), (3, 1), (5, 8), (6, 8), (7, 8), (8, 1)):
        args[at] = guard.given(args[at], size * regions)


def _locate(guard: Guard, args: Ends) -> None:
    rows, words = args[4], longs(args[5], scan.IMAGE_SIZE)
    args[0] = _spanned(guard, args[0], longs(args[1], rows), longs(args[2], rows))
    columns, width = words[scan.I_COLUMNS], 8 if words[scan.I_WIDE] else 4
    sizes = {scan.I_STARTS: width * columns * rows, scan.I_SIZES: width * columns * rows, scan.I_SEEN: columns}
    args[5] = guard.table(args[5], sizes, scan.IMAGE_SIZE)
    for at, size in ((1, 8 * rows), (2, 8 * rows), (3, rows), (6, rows)):
        args[at] = guard.given(args[at], size)


def _read_headers(guard: Guard, args: Ends) -> None:
    """Of each record its frame, its header, and the trailer, no more."""
    rows = args[3]
    starts, orders = longs(args[1], rows), octets(args[2], rows)
    ends = [at + _record_length(args[0] + at, little) for at, little in zip(starts, orders, strict=True)]
    args[0] = _spanned(guard, args[0], starts, ends)
    for at, size in ((1, 8 * rows), (2, rows), (4, 8 * rows), (5, rows)):
        args[at] = guard.given(args[at], size)


def _measure(guard: Guard, args: Ends) -> None:
    """Of each record all its bytes; a state, a cell and a place for what is described, and marks for all indexes."""
    run = longs(args[2], scan.MEASURE_SIZE)
    rows, words = run[scan.X_STOP], longs(args[1], scan.MEASURED_COLUMNS)
    kinds, orders = octets(words[scan.M_KIND], rows), octets(words[scan.M_ORDER], rows)
    starts = [rba for rba, kind in zip(longs(words[scan.M_RBA], rows), kinds, strict=True) if kind == KIND_RECORD]
    little = [order for order, kind in zip(orders, kinds, strict=True) if kind == KIND_RECORD]
    first = sum(kind == KIND_RECORD for kind in kinds[: run[scan.X_ROW]])
    ends = [at + _record_length(args[0] + at, order) for at, order in zip(starts[first:], little[first:], strict=True)]
    args[0] = _spanned(guard, args[0], starts[first:], ends)
    widths = dict.fromkeys(range(scan.M_TABLE), 1) | {scan.M_TABLE: 8, scan.M_RBA: 8}
    widths |= {scan.M_DATA_OFFSET: 4, scan.M_DATA_SIZE: 4}
    args[1] = guard.table(args[1], {at: width * rows for at, width in widths.items()}, scan.MEASURED_COLUMNS)
    places = longs(args[4], scan.KEY_SIZE * run[scan.X_KEYS])
    cells = max((start + max(room, 0) for start, room in zip(places[::2], places[1::2], strict=True)), default=0)
    sizes = {2: 8 * scan.MEASURE_SIZE, 3: 256, 4: 8 * len(places), 5: 8 * scan.CELL_SIZE * max(cells, 0)}
    for at, size in {**sizes, 6: 8 << 16, 7: rows}.items():
        args[at] = guard.given(args[at], size)


def _record_length(address: int, little: int) -> int:
    head = bytes(octets(address, 6))
    is_wide = head[1] & 0x40 and head[1] != 0xFF
    return int.from_bytes(head[2 : 6 if is_wide else 4], "little" if little else "big")


def _column(guard: Guard, args: Ends) -> None:
    args[0] = guard.given(args[0], 8 * arrays.COLUMN_SIZE, is_table=True)
    _give_column(guard, longs(args[0], arrays.COLUMN_SIZE))


def _give_column(guard: Guard, words: Any, *, by_words: bool = False) -> None:
    """The values of a column, all data where they are read by words, and what tells where they stand."""
    rows, width, numbers = words[arrays.C_ROWS], *((8, longs) if words[arrays.C_WIDE] else (4, ints))
    starts, sizes = numbers(words[arrays.C_STARTS], rows), numbers(words[arrays.C_SIZES], rows)
    if by_words:
        words[arrays.C_DATA] = _shifted(guard, words[arrays.C_DATA], 0, words[arrays.C_DATA_END])
    else:
        ends = [start + size for start, size in zip(starts, sizes, strict=True)]
        words[arrays.C_DATA] = _spanned(guard, words[arrays.C_DATA], starts, ends)
    for place, size in ((arrays.C_STARTS, width * rows), (arrays.C_SIZES, width * rows), (arrays.C_LITTLE, rows)):
        words[place] = guard.given(words[place], size)


def _make_columns(guard: Guard, args: Ends) -> None:
    """As much room as the values take, and SPARE."""
    _plain["make_columns"](*args)
    count, size = args[1], arrays.COLUMN_SIZE
    room = 0
    for taken in longs(args[3], arrays.RESULT_SIZE * count)[arrays.R_SIZE :: arrays.RESULT_SIZE]:
        end = -(-room // arrays.ALIGNED) * arrays.ALIGNED
        room = end + taken
    args[0] = guard.given(args[0], 8 * size * count, is_table=True)
    for number in range(count):
        words = longs(args[0] + 8 * size * number, size)
        rows, width = words[arrays.C_ROWS], WIDTHS.get(words[arrays.C_FORM])
        _give_column(guard, words, by_words=width is None)
        words[arrays.C_VALID] = guard.given(words[arrays.C_VALID], (rows + 7) >> 3)
        place, taken = (arrays.C_OFFSETS, 4 * (rows + 1)) if width is None else (arrays.C_OUT, width * rows)
        words[place] = guard.given(words[place], taken)
    args[2] = guard.given(args[2], room + arrays.SPARE)
    args[3] = guard.given(args[3], 8 * arrays.RESULT_SIZE * count)


def _unmarked(guard: Guard, args: Ends) -> None:
    rows = args[3]
    starts, sizes = longs(args[1], rows), longs(args[2], rows)
    args[0] = _spanned(guard, args[0], starts, [at + size for at, size in zip(starts, sizes, strict=True)])
    args[1], args[2] = (guard.given(address, 8 * rows) for address in args[1:3])


def _write_lines(guard: Guard, args: Ends) -> None:
    """As much room as the lines take, and SPARE."""
    room = _plain["write_lines"](*args) + arrays.SPARE
    words = longs(args[0], arrays.LINE_SIZE)
    rows, fields = words[arrays.L_ROWS], words[arrays.L_FIELDS] + words[arrays.L_LAST]
    size = arrays.FIELD_SIZE
    table = longs(words[arrays.L_TABLE], size * fields)
    places = list(words[arrays.L_HEAD :])
    for at in range(0, len(table), size):
        places += table[at + arrays.F_OPENING : at + size]
    texts = max(map(sum, zip(places[::2], places[1::2], strict=True))) + arrays.SPARE
    listed = {arrays.L_TEXTS: texts, arrays.L_SKIPPED: rows, arrays.L_TABLE: 8 * len(table)}
    args[0] = guard.table(args[0], {at: listed[at] for at in (arrays.L_TEXTS, arrays.L_SKIPPED)}, arrays.LINE_SIZE)
    copy = guard.given(words[arrays.L_TABLE], listed[arrays.L_TABLE], is_table=True)
    longs(args[0], arrays.LINE_SIZE)[arrays.L_TABLE] = copy
    parts, members = rows, 0
    for number in range(fields):
        field = longs(copy + 8 * size * number, size)
        if field[arrays.F_KIND] == arrays.LIST:
            parts, members = longs(field[arrays.F_OFFSETS], rows + 1)[rows], field[arrays.F_DATA]
            _give_list(guard, field, rows)
        else:
            _give_field(guard, field, parts if members else rows)
            members = max(members - 1, 0)
    args[1], args[2] = guard.given(args[1], room), guard.given(args[2], 8 * rows)


def _give_list(guard: Guard, field: Any, rows: int) -> None:
    field[arrays.F_OFFSETS] = guard.given(field[arrays.F_OFFSETS], 8 * (rows + 1))
    if field[arrays.F_VALID]:
        field[arrays.F_VALID] = guard.given(field[arrays.F_VALID], (rows + 7) >> 3)


def _give_field(guard: Guard, field: Any, rows: int) -> None:
    kind, places = field[arrays.F_KIND], field[arrays.F_PLACES]
    values = rows if not places else max(ints(places, rows), default=-1) + 1
    if places:
        field[arrays.F_PLACES] = guard.given(places, 4 * rows)
    if kind == arrays.NUMBER:
        field[arrays.F_DATA] = guard.given(field[arrays.F_DATA], 8 * values)
    elif kind == arrays.HEX:
        starts, sizes = longs(field[arrays.F_OFFSETS], rows), longs(field[arrays.F_SIZES], rows)
        ends = [at + size for at, size in zip(starts, sizes, strict=True)]
        field[arrays.F_DATA] = _spanned(guard, field[arrays.F_DATA], starts, ends)
        field[arrays.F_OFFSETS] = guard.given(field[arrays.F_OFFSETS], 8 * rows)
    elif field[arrays.F_OFFSETS]:
        offsets = ints(field[arrays.F_OFFSETS], values + 1)
        if field[arrays.F_DATA]:
            field[arrays.F_DATA] = _shifted(guard, field[arrays.F_DATA], offsets[0], offsets[values])
        field[arrays.F_OFFSETS] = guard.given(field[arrays.F_OFFSETS], 4 * len(offsets))
    for at, size in (
        (arrays.F_VALID, (values + 7) >> 3),
        (arrays.F_SIZES, (8 if field[arrays.F_WIDE] else 4) * rows),
    ):
        if field[at]:
            field[at] = guard.given(field[at], size)


def _spell_values(guard: Guard, args: Ends) -> None:
    """As much room as the values take, with the text before one that is not taken, and SPARE."""
    rows = longs(args[0], arrays.COLUMN_SIZE)[arrays.C_ROWS]
    words = longs(args[1], arrays.SPELLING_SIZE)
    places = list(words[arrays.P_OPENING :])
    texts = max(map(sum, zip(places[::2], places[1::2], strict=True))) + arrays.SPARE
    odd = {arrays.P_ODD: 256} if words[arrays.P_ODD] else {}
    if words[arrays.P_CELLS]:
        odd[arrays.P_CELLS] = 1 << 16
    form, stored = words[arrays.P_FORM], sum(max(0, size) for size in _sizes(args[0]))
    longest = {arrays.SPELL_INTEGERS: 48, arrays.SPELL_MOMENTS: 32, arrays.SPELL_SHORT_BYTES: 32}.get(form, 0)
    is_hex = form in (arrays.SPELL_BYTES, arrays.SPELL_SHORT_BYTES)
    grown = stored * (2 if is_hex else 0 if longest else 1 + words[arrays.P_DOUBLES_QUOTES])
    room = rows * (longest + texts) + grown
    _column(guard, args)
    args[1] = guard.table(args[1], {arrays.P_TEXTS: texts, **odd}, arrays.SPELLING_SIZE)
    args[2], args[3] = guard.given(args[2], 4 * (rows + 1)), guard.given(args[3], (rows + 7) >> 3)
    args[4], args[5] = guard.given(args[4], room + arrays.SPARE), guard.given(args[5], 8 * arrays.FOUND_SIZE)


def _sizes(column: int) -> Sequence[int]:
    words = longs(column, arrays.COLUMN_SIZE)
    numbers = longs if words[arrays.C_WIDE] else ints
    return list(numbers(words[arrays.C_SIZES], words[arrays.C_ROWS]))


def _join_runs(guard: Guard, args: Ends) -> None:
    count = args[1]
    sizes = longs(args[0], 2 * count)[1::2]
    args[0] = guard.given(args[0], 16 * count, is_table=True)
    runs = longs(args[0], 2 * count)
    for at in range(0, 2 * count, 2):
        runs[at] = guard.given(runs[at], runs[at + 1])
    args[2] = guard.given(args[2], sum(sizes))


def _count_lines(guard: Guard, args: Ends) -> None:
    args[0], args[2] = guard.given(args[0], args[1]), guard.given(args[2], 24)


_plain: dict[str, Kernel] = {}
"""The kernels as they are."""

CONTRACTS: dict[str, Callable[[Guard, Ends], object]] = {
    "fill": _fill,
    "count": _count,
    "count_rows": _count_rows,
    "find": _find,
    "next_frame": _next_frame,
    "own_tokens": _own_tokens,
    "gather": _gather,
    "mark_rows": _mark_rows,
    "count_fields": _count_fields,
    "take_fields": _take_fields,
    "pick_columns": _pick_columns,
    "locate": _locate,
    "measure": _measure,
    "read_headers": _read_headers,
    "find_metadata": _find_metadata,
    "unmarked": _unmarked,
    "make_columns": _make_columns,
    "drop_high_bytes": _column,
    "write_lines": _write_lines,
    "join_runs": _join_runs,
    "spell_values": _spell_values,
    "spell_short_values": _spell_values,
    "count_lines": _count_lines,
}
"""For each kernel what puts guarded copies in the places of its arguments."""


def guarded(name: str, kernel: Kernel, guard: Guard, note: Callable[[str], object], kept_back: int = 0) -> Kernel:
    """A kernel that runs on guarded memory, so many bytes less than described; its name is noted before."""

    def run(*given: int) -> int:
        note(name)
        args, guard.kept_back = list(given), kept_back
        CONTRACTS[name](guard, args)
        result = kernel(*args)
        guard.take_back()
        return result

    return run


def main(report: Path, short_of: str = "") -> None:
    """Run all kernels guarded, one of them short of a byte; prints how often each was called."""
    leave_out_pandas()
    from tests.trailformat.scan.kernels import guarded_work

    calls: Counter[str] = Counter()
    with report.open("wb", buffering=0) as file:

        def note(name: str) -> None:
            calls[name] += 1
            os.pwrite(file.fileno(), name.ljust(_WIDTH).encode(), 0)

        library, plain = kernels(), dict(kernels())
        _plain.update(plain)
        for at_end in (True, False):
            guard = Guard(at_end=at_end)
            library.update((name, guarded(name, plain[name], guard, note, int(name == short_of))) for name in plain)
            guarded_work.use_every_kernel(turn=int(at_end))
    sys.stdout.write(json.dumps(calls))


_WIDTH = 32

if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
