"""The position of a load, after which nothing was applied, is one of its trail, as any other position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from logdump.targets.positions import OtherTrail
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random, examples
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY

_LOAD = {
    "create": True,
    "load": {"S.T": pa.table({"ID": pa.array([], pa.int64()), "N": pa.array([], pa.int32())})},
    "load_csn": "200",
}


class _Drawn(NamedTuple):
    """A transaction; without an end if it is the last one of a trail that is being written."""

    csn: int
    rows: Sequence[tuple[int, int]]
    has_end: bool = True


def _transactions(random: Random, count: int, csn: int, first_key: int) -> Iterator[_Drawn]:
    for number in range(count):
        keys = range(first_key + 10 * number, first_key + 10 * number + random.randint(1, 3))
        yield _Drawn(csn + number, [(key, random.randrange(100)) for key in keys])


def _written(folder: Path, transactions: Sequence[_Drawn], more: bytes = b"") -> Path:
    trail = Trail({"S.T": {"ID": "INT64", "N": "INT32"}})
    for drawn in transactions:
        trail.csn = str(drawn.csn)
        for at, row in enumerate(drawn.rows):
            is_last = drawn.has_end and at == len(drawn.rows) - 1
            trail.role = (ONLY if is_last else FIRST) if at == 0 else LAST if is_last else MIDDLE
            trail.insert("S.T", *row)
    return trail.write(folder, more)


@pytest.mark.parametrize("number", range(examples(40)))
def test_another_trail_is_refused_and_its_own_is_gone_on_with(number: int, tmp_path: Path, apply: Apply) -> None:
    """Whether a transaction is open at its end, or half a record stands there, which Extract may write over."""
    random, place = Random(f"load {number}"), sqlite_place(tmp_path)
    before = [*_transactions(random, random.randint(2, 9), 101, 0)]
    after = [*_transactions(random, random.randint(1, 5), 201, 1000)]
    is_open = random.random() < 0.5
    half = random.choice([b"", b"", b"G\x01\x00"])
    at_load = [*before, after[0]._replace(has_end=False)] if is_open else before
    assert apply(_written(tmp_path / "a", at_load, half), place, "S.T", **_LOAD).rows == 0

    others: dict[str, Sequence[_Drawn]] = {
        "other transactions": [drawn._replace(csn=drawn.csn + 500) for drawn in [*before, *after]],
        "fewer of them": before[:-1],
        "one more before them": [*_transactions(random, 1, 100, 5000), *before, *after],
    }
    for name, other in others.items():
        path = _written(tmp_path / "b", other)
        with pytest.raises(OtherTrail, match=r"^nothing was written: the position of S\.T in the target \(CSN 200\)"):
            apply(path, place, "S.T")
        assert place.query("SELECT count(*) FROM t") == [(0,)], name

    written_over = [*_transactions(random, 2, 301, 3000)] if is_open and random.random() < 0.5 else after
    path = _written(tmp_path / "c", [*before, *written_over])
    rows = sorted(row for drawn in written_over for row in drawn.rows)
    assert apply(path, place, "S.T").rows == len(rows)
    assert sorted(place.query("SELECT id, n FROM t")) == rows


@pytest.mark.parametrize("given", [{}, _LOAD])
def test_a_trail_of_another_name_is_refused_and_adopted(given: dict[str, Any], tmp_path: Path, apply: Apply) -> None:
    random, place = Random("name"), sqlite_place(tmp_path)
    path = _written(tmp_path / "a", [*_transactions(random, 3, 101, 0)])
    apply(path, place, "S.T", **_LOAD)
    path = _written(tmp_path / "b", [*_transactions(random, 3, 101, 0), *_transactions(random, 2, 301, 100)])
    other = path.rename(path.with_name("rt000000000"))
    with pytest.raises(OtherTrail, match="is one of the trail tt, not of rt; adopt="):
        apply(other, place, "S.T", **given)
    apply(other, place, "S.T", **given, adopt="302")
    assert place.query("SELECT csn FROM logdump_position") == [("302",)]
    assert {key for (key,) in place.query("SELECT id FROM t")} < {*range(110, 120)}


def test_a_trail_whose_file_at_the_load_was_purged_is_gone_on_with(tmp_path: Path, apply: Apply) -> None:
    random, place = Random("purged"), sqlite_place(tmp_path)
    apply(_written(tmp_path / "a", [*_transactions(random, 3, 101, 0)]), place, "S.T", **_LOAD)
    path = _written(tmp_path / "b", [*_transactions(random, 2, 201, 0)])
    assert apply(path.rename(path.with_name("tt000000001")), place, "S.T").rows


def test_a_trail_that_does_not_reach_the_file_of_the_load_is_refused(tmp_path: Path, apply: Apply) -> None:
    """Nothing was purged: the numbers of the files began anew."""
    random, place = Random("numbers"), sqlite_place(tmp_path)
    path = _written(tmp_path / "a", [*_transactions(random, 3, 101, 0)])
    apply(path.rename(path.with_name("tt000000003")), place, "S.T", **_LOAD)
    with pytest.raises(OtherTrail, match=r"no record is there .there is no file 3.: this is another trail"):
        apply(_written(tmp_path / "b", [*_transactions(random, 3, 201, 0)]), place, "S.T")
