"""The columns in the images of drawn rows, held against a count by hand: whatever the batches and their size."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from logdump.features.doctor import images as doctor_images
from logdump.features.doctor.images import ImageSurvey
from tests.searching import Random, examples
from tests.trailformat.samples import column, header, metadata_record, trail_of
from trailformat import ByteOrder, Images, Record, TrailFile, make_column, make_record
from trailformat.definitions.metadata import KEY, TableDefinition, build_table
from trailformat.records.record_header import (
    DELETE,
    FIELD_COMP,
    INSERT,
    MIDDLE,
    PREFIX_SIZES,
    UNIFIED_UPDATE,
    UPDATE_COMP,
)
from trailformat.scan import scan
from trailformat.trail.row_definitions import RowDefinitions

_OPS = {INSERT: "INSERT", FIELD_COMP: "UPDATE", UNIFIED_UPDATE: "UPDATE", DELETE: "DELETE"}
_SIDES = {INSERT: ("after",), FIELD_COMP: ("after",), UNIFIED_UPDATE: ("before", "after"), DELETE: ("before",)}
_COLUMNS, _KEYS = 4, (0, 2)


@pytest.mark.parametrize("case", range(examples(80, short=20)))
def test_images_and_lacking_keys_are_those_of_the_rows(
    case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(case)
    monkeypatch.setattr(doctor_images, "_MOST_CELLS", random.choice((1, 8, 1 << 21)))
    columns = [column(f"C{number}", flags=KEY if number in _KEYS else 0) for number in range(_COLUMNS)]
    table = metadata_record(2, 3, "TEA.POTS", build_table(TableDefinition(1, 1, tuple(columns)), ByteOrder.BIG))
    records, rows = [table], []
    rba = table.length
    for _ in range(random.randint(1, 12)):
        io_type = random.choice([*_OPS])
        drawn = {side: random.randint(1, _COLUMNS) for side in _SIDES[io_type]}
        present = {side: sorted(random.sample(range(_COLUMNS), size)) for side, size in drawn.items()}
        made = {side: tuple(make_column(at, b"1") for at in numbers) for side, numbers in present.items()}
        images = Images(made.get("before"), made.get("after"), PREFIX_SIZES.get(io_type, 0))
        before_after = ord("B" if io_type == DELETE else "A")
        record = make_record(header(3, io_type=io_type, before_after=before_after), images)
        records.append(record)
        rows.append((rba, _OPS[io_type], present))
        rba += record.length
    path = trail_of(tmp_path, *records)
    with TrailFile(path) as trail:
        survey = ImageSurvey(RowDefinitions)
        for batch in scan(trail, batch_size=random.choice((1, 3, 100))):
            survey.take(trail, batch)
    (told,) = survey.tables()
    assert (told.table, told.columns, told.keys) == ("TEA.POTS", _COLUMNS, ("C0", "C2"))
    assert told.position.rba == rows[0][0]
    counts = {(told_images.op, told_images.side): told_images for told_images in told.images}
    assert counts.keys() == {(op, side) for _, op, present in rows for side in present}
    for (op, side), shown_images in counts.items():
        own = [(rba, present[side]) for rba, its, present in rows if its == op and side in present]
        lengths = [len(numbers) for _, numbers in own]
        assert (shown_images.records, shown_images.least, shown_images.most) == (len(own), min(lengths), max(lengths))
        assert (shown_images.whole, shown_images.keys) == (
            lengths.count(_COLUMNS),
            sum(numbers == [*_KEYS] for _, numbers in own),
        )
        assert shown_images.position.rba == own[lengths.index(min(lengths))][0]
    lacking = [(rba, op, {*_KEYS} - set().union(*present.values())) for rba, op, present in rows]
    numbers = Counter(op for _, op, lacks in lacking if lacks)
    assert {lack.op: lack.records for lack in told.lacks} == dict(numbers)
    for lack in told.lacks:
        own_lacks = [(rba, lacks) for rba, op, lacks in lacking if op == lack.op and lacks]
        assert lack.position.rba == own_lacks[0][0]
        assert {*lack.columns} == {f"C{number}" for _, lacks in own_lacks for number in lacks}


_HALF, _REST, _ROW, _OTHER = (
    make_record(header("TEA.POTS", io_type=io_type, before_after=ord(side), trans_ind=MIDDLE), b"pot")
    for io_type, side in ((FIELD_COMP, "B"), (FIELD_COMP, "A"), (INSERT, "A"), (UPDATE_COMP, "A"))
)
_PARTS: dict[str, list[Record | bytes]] = {
    "whole": [_HALF, _REST],
    "lone": [_HALF, _ROW],
    "lone, before a half of another type": [_HALF, _OTHER],
    "damaged": [_HALF, b"no record at all, but bytes " * 4, _ROW],
    "row": [_ROW],
}


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("case", range(examples(24, short=6)))
def test_a_before_image_is_lone_if_a_row_follows_that_is_none_of_it(case: int, size: int, tmp_path: Path) -> None:
    """Damage may have been its after image, wherever a batch ends."""
    random = Random(f"{size} {case}")
    names = [random.choice([*_PARTS]) for _ in range(random.randint(1, 8))]
    lone, rba, records = [], 0, list[Record | bytes]()
    for name in names:
        lone += [rba] * name.startswith("lone")
        records += _PARTS[name]
        rba += sum(part.length if isinstance(part, Record) else len(part) for part in _PARTS[name])
    with TrailFile(trail_of(tmp_path, *records)) as trail:
        survey = ImageSurvey(RowDefinitions)
        for batch in scan(trail, batch_size=size):
            survey.take(trail, batch)
    assert ([position.rba for position in survey.lone], survey.lone_number) == (lone, len(lone))
