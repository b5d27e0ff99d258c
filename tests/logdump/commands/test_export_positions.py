"""EXPORT begins at the position, and leaves it where the next one goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.session.errors import ExitStatus
from tests.logdump.export.exported import FORMATS, rbas_in
from tests.logdump.line import Line


def _exported(shop: Line, format_: str, target: Path, words: str = "") -> bytes:
    shop(f"export {format_} to {target} {words}")
    return target.read_bytes() if target.exists() else b""


@pytest.mark.parametrize("format_", FORMATS)
def test_one_export_after_another_writes_the_whole_file(format_: str, shop: Line, tmp_path: Path) -> None:
    whole = _exported(shop, format_, tmp_path / "1")
    shop(f"export csv to {tmp_path / 'between'}; count")
    assert _exported(shop, format_, tmp_path / "2") == whole


@pytest.mark.parametrize("format_", FORMATS)
def test_a_position_that_is_set_after_an_export_counts(format_: str, shop: Line, tmp_path: Path) -> None:
    part = _exported(shop, format_, tmp_path / "1", f"!; pos 3391; export {format_} to {tmp_path / '1'} !")
    shop(f"export {format_} to {tmp_path / '2'}; pos 3391")
    assert _exported(shop, format_, tmp_path / "3") == part


@pytest.mark.parametrize("words", ["csv to T 12 records", "parquet to T 12 records", "sql to T 2 transactions"])
def test_a_limited_export_goes_on_where_the_last_one_ended(words: str, shop: Line, tmp_path: Path) -> None:
    shop(f"export {words.replace('T', str(tmp_path / '1'))}")
    here = shop.session.cursor.next
    assert 0 < here < shop.session.trail.size
    shop(f"export {words.replace('T', str(tmp_path / '2')).rsplit(maxsplit=2)[0]}")
    shop(f"pos {here}; export {words.replace('T', str(tmp_path / '3')).rsplit(maxsplit=2)[0]}")
    assert (tmp_path / "2").read_bytes() == (tmp_path / "3").read_bytes()


@pytest.mark.parametrize("format_", FORMATS)
def test_where_nothing_is_left_nothing_is_written(format_: str, shop: Line, tmp_path: Path) -> None:
    end = shop.session.trail.size
    assert shop(f"pos {end}; export {format_} to {tmp_path / 'out'}")[-1] == (
        f"Nothing is left to export from RBA {end} on. POSITION 0 goes to the beginning."
    )
    assert [one.status for one in shop.failures] == [ExitStatus.COMMAND_FAILED]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("position", ["pos 3391", "export csv to {other}"])
def test_an_export_that_fails_leaves_the_position(position: str, shop: Line, tmp_path: Path) -> None:
    shop(position.format(other=tmp_path / "other"))
    here = shop.session.cursor.next
    target = tmp_path / "no" / "folder"
    assert shop(f"export csv to {target}") == [f"Error: {target}: No such file or directory"]
    assert len(shop.failures) == 1
    assert shop.session.cursor.next == here
    shop(f"export csv to {tmp_path / 'out'}")
    begins = 0 if position != "pos 3391" else 3391
    assert [rba for rba in rbas_in(tmp_path / "out") if rba < begins] == []
    assert bool(begins) or rbas_in(tmp_path / "out")[0] == 1130


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet", "jsonl to T by table", "parquet to T by table"])
def test_half_a_record_at_the_end_is_exported_when_it_is_whole(format_: str, line: Line, tmp_path: Path) -> None:
    path = tmp_path / "ct000000000"
    path.write_bytes((TRAILS / "ct000000000").read_bytes())
    target = str(tmp_path / "out")
    words = format_.replace("T", target) if " " in format_ else f"{format_} to {target}"
    line(f"open {path}; export {words}")
    assert line.session.cursor.next == 5352
    path.write_bytes((TRAILS / "et000000000").read_bytes())
    line("n")
    assert line.rbas == [5352]
