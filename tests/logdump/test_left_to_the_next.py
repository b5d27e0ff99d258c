"""What a command leaves to the next one, and one file to the next: where reading stands, and what rows mean."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from logdump.commands import scripts
from tests.logdump.line import Line
from tests.searching import in_turn
from tests.trailformat.samples import row, table_record, trail_of

MOVES = (
    *("pos rev; n", "pos rev; n 3", "pos rev; skip 2", "sfh prev", "sfh prev; sfh prev", "pos last", "pos record 4"),
    *("pos 3391", "pos 0", "pos mark here", "find prev", "pos csn 41882351", "pos time 2000-01-01"),
    *("transaction previous", "pos rev; sft 5", "pos rev; sfmd", "begin 2000-01-01"),
)


@pytest.mark.parametrize("move", MOVES)
def test_whatever_has_moved_the_position_after_an_export_the_next_one_begins_there(
    move: str, shop: Line, tmp_path: Path
) -> None:
    """Without a move it begins where the last one did."""
    shop("pos 3391; mark here; find ASS02; pos 0")
    shop(f"export jsonl to {tmp_path / 'all'}")
    shop(move)
    assert shop.failures == []
    here = shop.session.cursor.next
    shop(f"export jsonl to {tmp_path / 'next'}")
    shop(f"pos {here}; export jsonl to {tmp_path / 'again'}")
    written = [
        (tmp_path / name).read_bytes() if (tmp_path / name).exists() else b"" for name in ("all", "next", "again")
    ]
    assert written[1] == written[2]
    assert (written[1] == written[0]) == (here == 0)


COMMANDS = (
    *("export jsonl to T", "export csv to T", "export jsonl to T by table", "export csv to T by table"),
    *("export sql to T", "export parquet to T by table", "filter include value C0 > 0.01; export jsonl to T"),
)


_OF_NO_ROW = (b"--", b"BEGIN", b"COMMIT", b'"file"', b'"rba"')
"""Comments, statements around others, heads."""


def _rows_in(target: Path) -> list[bytes]:
    """The lines that were written, each with the name of its file; of Parquet the columns and their values."""
    import pyarrow.parquet as pq

    found: list[bytes] = []
    for path in sorted(target.iterdir()) if target.is_dir() else [target]:
        if path.suffix == ".parquet":
            found += [repr(sorted(table_row.items())).encode() for table_row in pq.read_table(path).to_pylist()]
        else:
            found += [line for line in path.read_bytes().splitlines() if not line.startswith(_OF_NO_ROW) and line]
    return found


@pytest.mark.parametrize(("command", "turned"), in_turn(COMMANDS, [False, True]))
def test_rows_of_files_read_one_after_the_other_are_those_of_each_alone(
    command: str, turned: bool, line: Line, tmp_path: Path
) -> None:
    """The same index means another table in the second file, behind another one at the same place."""
    pots = [table_record(9, "TEA.CUPS", columns=3), table_record(7, "TEA.POTS", columns=2), row(b"\0\0\0\0\0\0\0\1", 7)]
    leaves = [table_record(7, "TEA.LEAVES"), row(b"\0\0\0\0\0\0\0\2", 7), row(b"\0\0\0\0\0\0\0\3", 7)]
    files = [
        trail_of(tmp_path, *records, name=f"td00000000{number}")
        for number, records in enumerate((leaves, pots) if turned else (pots, leaves))
    ]
    alone: list[bytes] = []
    for number, path in enumerate(files):
        Line()(f"open {path}; {command.replace('T', str(tmp_path / f'alone{number}'), 1)}")
        alone += _rows_in(tmp_path / f"alone{number}")
    line(f"open {files[0]}; across on; {command.replace('T', str(tmp_path / 'both'), 1)}")
    assert line.failures == []
    assert sorted(_rows_in(tmp_path / "both")) == sorted(alone)
    assert len(alone) >= 2


def test_the_files_that_one_obey_leads_to_do_not_count_for_the_next(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "_MOST_FILES", 3)
    outer, inner = tmp_path / "outer.oby", tmp_path / "inner.oby"
    outer.write_text(f"obey {inner}\nobey {inner}\n")
    inner.write_text("reclen\n")
    for _ in range(4):
        assert line(f"obey {outer}") == ["Reclen is 140"] * 2


NAMED = (
    *(
        "open {}",
        "count detail {}",
        "save {}.new",
        "export jsonl to {}.new",
        "repair to {}.new",
        "obey {}.oby",
        "log to {}.log",
    ),
    *("diff {} {}", "files {}", "cd {}.d; cd", "check {}", "recovery over {}", "params {}.prm"),
    *("sourcedefs {}.def", "count log {}", "heartbeat over {}", "br begins {}.csv"),
)


@pytest.mark.parametrize("command", NAMED)
def test_a_tilde_in_a_name_is_the_home_folder(
    command: str, line: Line, trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trails)
    answers = []
    for name in ("~", str(tmp_path / "home")):
        home = tmp_path / "home"
        shutil.rmtree(home, ignore_errors=True)
        (home / "et000000000.d").mkdir(parents=True)
        shutil.copyfile(trails / "et000000000", home / "et000000000")
        (home / "et000000000.oby").write_text("reclen\n")
        monkeypatch.setenv("HOME", str(home))
        line(f"cd {trails}; open {trails / 'et000000000'}")
        shown = line(command.replace("{}", f"{name}/et000000000"))
        written = sorted(path.name for path in home.rglob("*"))
        answers.append(([re.sub(r"\d", "", text.replace(str(home), "~")) for text in shown], written))
        line("log stop")
    assert answers[0] == answers[1]
