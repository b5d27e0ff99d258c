"""An encrypted trail is named as such where files are judged, and what needs no key is shown as ever."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from logdump.features.check.model import CheckShown
from logdump.features.recovery.model import TrailFileShown
from tests.logdump.line import Line
from tests.logdump.tui.drive import WIDE, Screen, drive
from tests.simulated.encryption import by_aes, encrypted, write_rows

SAID = "record data looks encrypted"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rows(tmp_path_factory.mktemp("encrypted") / "ee000000")


@pytest.fixture(scope="module")
def ciphered(plain: Path) -> Path:
    return encrypted(plain, plain.with_name("ee000001"), by_aes)


def test_check_names_the_encrypted_files_among_several(line: Line, plain: Path, ciphered: Path) -> None:
    """The second file has the transactions of the first again: RECOVERY says more of that."""
    said = line(f"check {plain.with_name('ee*')}")[1:]
    assert said[-1] == f"{ciphered}: {SAID}"
    assert all("see RECOVERY" in text for text in said[:-1])
    (shown,) = (event for event in line.events if isinstance(event, CheckShown))
    assert shown.encrypted == (ciphered,)


def test_an_encrypted_file_is_no_damage(line: Line, ciphered: Path) -> None:
    line(f"open {ciphered}; check")
    (shown,) = (event for event in line.events if isinstance(event, CheckShown))
    assert (shown.gaps, shown.status) == (0, 0)


def test_recovery_marks_it_in_its_list_of_files(line: Line, ciphered: Path) -> None:
    shown = line(f"open {ciphered}; recovery files")
    files = {event.path.name: event.looks_encrypted for event in line.events if isinstance(event, TrailFileShown)}
    assert files == {"ee000000": False, "ee000001": True}
    assert [SAID in text for text in shown if text.startswith(str(ciphered.parent))] == [False, True]


@pytest.mark.parametrize("target", ["jsonl", "csv", "sql"])
def test_export_says_so_behind_what_it_wrote(target: str, line: Line, ciphered: Path, tmp_path: Path) -> None:
    line(f"open {ciphered}")
    assert line(f"export {target} to {tmp_path / 'out'}")[-1] == f"{ciphered}: {SAID}"


def test_export_over_files_names_the_encrypted_ones(line: Line, plain: Path, ciphered: Path, tmp_path: Path) -> None:
    line(f"across on; open {plain}")
    shown = line(f"export jsonl to {tmp_path / 'out'}")
    assert [text for text in shown if SAID in text] == [f"{ciphered}: {SAID}"]


@pytest.mark.parametrize("which", [(0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2), ()])
@pytest.mark.parametrize("begin", [0, 1])
def test_export_names_each_encrypted_file_that_it_has_read(
    which: tuple[int, ...], begin: int, line: Line, plain: Path, ciphered: Path, tmp_path: Path
) -> None:
    for number in range(3):
        shutil.copy(ciphered if number in which else plain, tmp_path / f"ef{number:06}")
    line(f"across on; open {tmp_path / f'ef{begin:06}'}")
    shown = line(f"export jsonl to {tmp_path / 'out'}")
    said = [f"{tmp_path / f'ef{number:06}'}: {SAID}" for number in which if number >= begin]
    assert [text for text in shown if SAID in text] == said


@pytest.mark.parametrize("search", ["Denver", "HEX 4711", "TEAHOUSE.TEAS.STOCK_KG = -5"])
def test_find_that_finds_nothing_says_so(search: str, line: Line, plain: Path, ciphered: Path) -> None:
    line(f"open {ciphered}")
    shown = line(f"find {search}")[1:]
    undecided = [text for text in shown if "matches is not known" in text]
    assert [text for text in shown if text not in undecided] == [f"{ciphered}: {SAID}"]
    assert len(undecided) == ("=" in search), "values that are encrypted cannot be compared"
    line(f"open {plain}")
    assert len(line(f"find {search}")) == 1


def test_values_of_a_row_say_so(line: Line, plain: Path, ciphered: Path) -> None:
    said = "The record data of this file looks encrypted."
    line(f"open {ciphered}; values on")
    shown = line("n 20")
    refused = [at for at, text in enumerate(shown) if text.startswith("Values cannot be shown")]
    assert refused
    assert all(shown[at + 1].startswith("?'") for at in refused), "the bytes"
    assert [at + 2 for at in refused] == [at for at, text in enumerate(shown) if text == said]
    line(f"open {plain}")
    assert said not in line("n 20")


def test_export_of_readable_rows_says_nothing_of_it(line: Line, plain: Path, tmp_path: Path) -> None:
    line(f"open {plain}")
    assert SAID not in "".join(line(f"export jsonl to {tmp_path / 'out'}"))


def test_the_title_of_the_screen_says_so(ciphered: Path) -> None:
    async def steps(screen: Screen) -> None:
        assert SAID in screen.text.splitlines()[0]

    drive(steps, ciphered, size=WIDE)


def test_counts_and_names_are_those_of_the_plain_trail(line: Line, plain: Path, ciphered: Path) -> None:
    def counted(path: Path) -> list[str]:
        line(f"open {path}")
        return [text for text in line("count") if "bytes" not in text.lower() and str(path) not in text]

    assert counted(ciphered) == counted(plain)
