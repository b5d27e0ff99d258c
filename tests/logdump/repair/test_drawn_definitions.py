"""Rows of drawn trails mean in a copy what they meant: several definitions are lost, or stand as references."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logdump.program import logdump
from tests.searching import Random, examples
from tests.trailformat.samples import metadata_record, row, table_record, trail_of
from trailformat import Record, TrailFile

GARBAGE = b"no record at all, but bytes " * 4
NAMES = tuple(f"TEA.T{number}" for number in range(5))
_REFERENCE = 3


def _meant(paths: list[Path]) -> list[tuple[str, bytes]]:
    """The table and the text of each row."""
    found = []
    for path in paths:
        with TrailFile(path) as trail:
            rows = [(record, record.images) for record in trail.records() if not record.is_metadata]
            found += [
                (trail.name_of(record), images.after[0].raw[2:]) for record, images in rows if images and images.after
            ]
    return found


@pytest.mark.parametrize("seed", range(examples(60, short=12)))
def test_rows_after_references_keep_their_tables_in_one_file(seed: int, tmp_path: Path) -> None:
    """Each file defines tables in another order, some by references, which take the next index."""
    random = Random(seed)
    meant = []
    paths = []
    for number in range(random.randint(2, 3)):
        names = random.sample(NAMES, random.randint(2, len(NAMES)))
        records: list[Record] = [table_record(1, names[0])]
        highest = 1
        for name in names[1:]:
            if random.random() < 0.6:
                records.append(metadata_record(_REFERENCE, 1, name))
                highest += 1
            else:
                highest += random.randint(1, 3)
                records.append(table_record(highest, name))
            for _ in range(random.randint(0, 2)):
                text = b"%d %d" % (number, len(records))
                records.append(row(text, highest))
                meant.append((name, text))
        paths.append(trail_of(tmp_path, *records, name=f"tt{number:09}"))
    assert _meant(paths) == meant
    answer = logdump("-c", f'repair over "{tmp_path}/tt*" to "{tmp_path}/cp000000000" megabytes 1')
    assert answer.status == 0, answer.err
    assert _meant([tmp_path / "cp000000000"]) == meant


@pytest.mark.parametrize("seed", range(examples(60, short=12)))
def test_each_definition_that_is_lost_is_told(seed: int, tmp_path: Path) -> None:
    """Of the tables of a file some have lost their definition; nothing else has them."""
    random = Random(seed)
    tables = list(enumerate(random.sample(NAMES, random.randint(2, len(NAMES))), 1))
    lost = random.sample(tables, random.randint(1, len(tables)))
    records: list[Record | bytes] = [row(b"first", "TEA.NAMED")]
    for index, name in tables:
        records += [GARBAGE if (index, name) in lost else table_record(index, name), row(b"r%d" % index, "TEA.NAMED")]
    records += [row(b"x%d" % index, index) for index, _ in random.sample(tables, len(tables))]
    path = trail_of(tmp_path, *records)
    out = logdump("-c", f'repair over "{path}" to "{tmp_path}/cp000000000"', "--format", "jsonl").out
    summary = json.loads(out.splitlines()[-1])
    told = [text.split(" of ")[0] for text in summary["definitions_lost"] if text.startswith("table index")]
    assert sorted(told) == sorted(f"table index {index}" for index, _ in lost)
    kept = {f"x{index}".encode() for index, name in tables if (index, name) not in lost}
    assert {text for _, text in _meant([tmp_path / "cp000000000"]) if text[:1] == b"x"} == kept
