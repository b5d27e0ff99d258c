"""Statements of the seeds that need a trail of their own: values that are not set, what a rollback leaves, sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.bounded_recovery.model import LongTransactionShown
from logdump.features.compression.model import Compression, CompressionShown
from tests.logdump.commands.test_params import objects
from tests.logdump.line import Line
from tests.simulated.bounded_recovery import HOUR, Worked, iso, write_trail
from tests.trailformat.samples import row, trail_of
from trailformat import make_file_header, make_file_header_record
from trailformat.records.file_header import SIGNATURE, TRAIL_INFO

UNSET = {field.name: field.size for field in TRAIL_INFO.values() if field.size and field.name != "Signature"}


@pytest.mark.parametrize("name", UNSET)
def test_a_token_without_a_value_has_its_default_bytes_and_is_null(name: str, line: Line, tmp_path: Path) -> None:
    header = make_file_header({"TrailInfo": {"Signature": SIGNATURE, name: None}})
    path = trail_of(tmp_path, make_file_header_record(header), row())
    said = line(f"open {path}; fileheader detail; n")
    (shown,) = [one for one in said if one.startswith("TokenID") and f" {name} " in one]
    assert shown.split("Info ")[1].split() == ["xff", "Length", str(UNSET[name])]
    (found,) = [one for one in objects(f"open {path}", "n") if one["type"] == "file_header"]
    assert set(found["trail_info"].values()) == {SIGNATURE.hex(), None}


@pytest.mark.parametrize("version", [1, 4, 6])
def test_compatibility_is_that_of_the_header_as_getenv_returns_it(version: int, line: Line, tmp_path: Path) -> None:
    header = make_file_header({"TrailInfo": {"Signature": SIGNATURE, "Compatibility": version}})
    path = trail_of(tmp_path, make_file_header_record(header), row())
    (found,) = [one for one in objects(f"open {path}", "n") if one["type"] == "file_header"]
    assert found["trail_info"]["compatibility"] == version
    said = line(f"open {path}; fileheader detail; n")
    place = next(number for number, one in enumerate(said) if " Compatibility " in one)
    assert said[place + 1].split()[0] == f"{version:04x}"


def test_what_is_rolled_back_is_in_no_trail_and_what_is_committed_is_open_until_then(
    line: Line, tmp_path: Path
) -> None:
    history = [
        Worked(2, (HOUR, 2 * HOUR), 9 * HOUR),
        Worked(3, (HOUR,), 8 * HOUR, is_committed=False),
        Worked(4, (HOUR,), None),
        *(Worked(10 + number, (number * HOUR // 2,), number * HOUR // 2) for number in range(22)),
    ]
    committed, rolled_back, open_one = (one.xid for one in history[:3])

    def long(command: str) -> dict[str | None, int | None]:
        line(command)
        found = [one.began for one in line.events if isinstance(one, LongTransactionShown)]
        return {one.xid: one.end for one in found}

    path = tmp_path / "begins.csv"
    path.write_text(f"xid,begin,end\n{rolled_back},{iso(HOUR)},{iso(8 * HOUR)}\n{open_one},{iso(HOUR)},\n")
    line(f"open {write_trail(tmp_path / 'br000000000', history)}")
    assert set(long("br longer 3h")) == {committed}
    with_begins = long(f"br longer 3h begins {path}")
    assert set(with_begins) == {committed, rolled_back, open_one}
    assert with_begins[open_one] is None


@pytest.mark.parametrize("options", ["level 1", "level 9 threshold 0", "level 6 block 400", "level 6 flush commit"])
def test_compression_changes_no_byte_of_the_trail_and_its_size_is_that_of_its_records(options: str, shop: Line) -> None:
    path = shop.session.trail.path
    before = path.read_bytes()
    shop(f"compress {options}")
    (shown,) = [one for one in shop.events if isinstance(one, CompressionShown)]
    sizes = {one.bytes for one in shop.events if isinstance(one, Compression)}
    assert shown.surveyed.records == len(list(shop.session.trail.records()))
    assert sizes == {shown.surveyed.bytes} == {len(before)}
    assert path.read_bytes() == before
