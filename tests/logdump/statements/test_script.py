"""Which transactions of a trail a script has statements for, and where damage ends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.render.sql import DIALECTS, Script
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.transactions import FIRST, LAST, MIDDLE, ONLY

_GARBAGE = b"\x00\x01garbage between records\xff" * 3
_TABLE = table_record(1, "TEA.LEAVES")


def _row(trans_ind: int) -> Record:
    return row(trans_ind=trans_ind)


def _kinds(path: Path, rba: int = 0, *, takes_back: bool = False) -> list[str]:
    """What a script consists of; "damage" where that ends it."""
    found: list[str] = []
    with TrailFile(path) as trail:
        script = Script(trail, DIALECTS["ANSI"], takes_back=takes_back)
        try:
            found.extend(type(item).__name__ for item in script.items(rba))
        except TrailError:
            found.append("damage")
    return found


_ONE = ["Opening", "Statement", "Closing"]


@pytest.mark.parametrize("following", [[_GARBAGE, _row(LAST)], [_row(MIDDLE), _GARBAGE, _row(LAST)]])
def test_damage_in_the_file_that_a_transaction_goes_on_in_ends_the_script(
    following: list[Record | bytes], tmp_path: Path
) -> None:
    path = trail_of(tmp_path, _TABLE, _row(ONLY), _row(FIRST), name="tt000000000")
    trail_of(tmp_path, *following, _row(ONLY), name="tt000000001")
    assert _kinds(path) == [*_ONE, "Skipped", "damage"]
    assert _kinds(path, takes_back=True) == ["damage"]


@pytest.mark.parametrize("takes_back", [False, True])
def test_a_script_does_not_begin_at_damage_but_behind_it(tmp_path: Path, *, takes_back: bool) -> None:
    path = trail_of(tmp_path, _TABLE, _row(ONLY), _GARBAGE, _row(ONLY))
    damage = len(_TABLE.raw) + len(_row(ONLY).raw)
    assert _kinds(path, damage, takes_back=takes_back) == ["damage"]
    assert _kinds(path, damage + len(_GARBAGE), takes_back=takes_back) == _ONE
