"""The examples of the codec alone run, and do what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fixtures import TRAILS
from tests.logdump.program import ENVIRONMENT, ROOT, logdump

SOURCE = TRAILS / "et000000000"


def _run(name: str, *arguments: str) -> list[str]:
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py"), *arguments]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_reading_shows_the_changes_of_a_table_with_their_values() -> None:
    lines = _run("codec_read", str(SOURCE), "TEAHOUSE.SALES")
    assert lines[0] == "2722 Insert 500001, SEN01, 2024-03-14 10:02:11, 250, 22.25, NULL"
    assert len(lines) > 2
    assert all("Insert" in line or "Update" in line or "Delete" in line for line in lines)


def test_writing_makes_a_sound_trail_with_the_places_that_it_prints(tmp_path: Path) -> None:
    path = tmp_path / "tt000000000"
    lines = _run("codec_write", str(path))
    assert logdump("check", str(path)).status == 0
    assert [line.split()[-1] for line in lines] == ["Sencha", "Assam"]
    for line in lines:
        rba, tea = line.removeprefix("RBA ").split(": ")
        assert f"'{tea}'" in logdump("show", str(path), "--rba", rba, "--limit", "1").out


def test_bending_changes_one_column_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "xt000000000"
    (said,) = _run("codec_bend", str(SOURCE), str(target), "TEAHOUSE.TEAS", "ORIGIN", "Kyoto")
    assert said.endswith("records are others")
    assert int(said.split()[0]) > 1
    assert logdump("check", str(target)).out.count("22 good records") == 1
    before, after = (_run("codec_read", str(path), "TEAHOUSE.TEAS") for path in (SOURCE, target))
    assert "Kyoto" in " ".join(after)
    assert "Shizuoka" not in " ".join(after)
    assert [line.split()[1] for line in before] == [line.split()[1] for line in after]
    sales = [
        [line.split(" ", 1)[1] for line in _run("codec_read", str(path), "TEAHOUSE.SALES")] for path in (SOURCE, target)
    ]
    assert sales[0] == sales[1]
