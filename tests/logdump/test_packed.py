"""A trail that is compressed, or lies in an archive, gives the answers of one that is not."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import zstandard

from fixtures import TRAILS
from logdump.session import reading
from logdump.session.files import file_state
from logdump.tables.stream_walk import GrowingTrail
from tests.logdump.program import logdump
from trailformat import NotATrail, TrailFile
from trailformat.codec.environment import UNPACKED
from trailformat.trail import command_files
from trailformat.trail.packed import opening
from trailformat.trail.sequence import TrailName, TrailSequence, next_file, previous_file
from trailformat.transactions.whole_trail import FileGap, WholeTrail, gaps_among

NAMES = [f"at00000000{number}" for number in range(3)]
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}
QUESTIONS = [
    "n; n; pos 2722; n; pos last; pos reverse; n",
    "count detail",
    "across on; count detail; pos 0; sfet; sft insert; find CHUN01",
    "check",
    "recovery",
    "pos 2722; safe; transaction end; explain restart",
    "filter include filename teahouse.teas; n 5; count",
    "across on; redo; undo",
    "export jsonl to -",
    "across on; filter include filename teahouse.teas; export csv to -",
    "across on; sql select op, count(*) from records group by all order by all",
    "metadata",
    "diff {trail}",
    "br",
]


def in_folder(folder: Path, *suffixes: str) -> Path:
    """A trail each of whose files has its suffix, or all of them one."""
    for name, suffix in zip(NAMES, suffixes * (len(NAMES) // len(suffixes)), strict=True):
        data = (TRAILS / name).read_bytes()
        (folder / f"{name}{suffix}").write_bytes(COMPRESSORS[suffix](data) if suffix else data)
    return folder


def in_folder_of(folder: Path, suffix: str) -> Path:
    return in_folder(folder, suffix)


def in_tar(folder: Path, suffix: str) -> Path:
    archive = folder / f"trails.tar{suffix}"
    with tarfile.open(archive, "w:gz" if suffix else "w") as file:
        for name in NAMES:
            file.add(TRAILS / name, f"./{name}")
    return archive


def in_zip(folder: Path) -> Path:
    archive = folder / "trails.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name in NAMES:
            file.write(TRAILS / name, name)
    return archive


PACKED: dict[str, tuple[Callable[[Path], Path], str]] = {
    **{suffix: (partial(in_folder_of, suffix=suffix), suffix) for suffix in COMPRESSORS},
    "tar": (partial(in_tar, suffix=""), ""),
    "tar.gz": (partial(in_tar, suffix=".gz"), ""),
    "zip": (in_zip, ""),
}
"""What packs the trail, and the suffix of its files."""


def answers(folder: Path, suffix: str, question: str) -> str:
    """What a question about the trail prints, as if it lay in no folder and were not packed."""
    trail = folder / f"{NAMES[0]}{suffix}"
    done = logdump("-c", f"open {trail}; {question.format(trail=trail)}")
    lines = [line for line in done.out.splitlines() if not line.startswith("It is packed")]
    shown = "\n".join(lines).replace(str(folder), "").replace(f"{folder.name}/", "")
    for compressor in COMPRESSORS:
        shown = shown.replace(compressor, "")
    return shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trail in folders, as it is, packed, and packed in part, and in an archive."""
    folder = tmp_path_factory.mktemp("packed")
    for name, suffixes in (("plain", [""]), ("packed", [".gz"]), ("mixed", [".gz", "", ".bz2"])):
        (folder / name).mkdir()
        in_folder(folder / name, *suffixes)
    in_tar(folder, ".gz")
    return folder


@pytest.mark.parametrize(
    "question", [*QUESTIONS, "info", "nexttrail; nexttrail; count", "row teahouse.teas tea_code=sen01"]
)
def test_each_command_gives_the_answer_of_the_trail_that_is_not_packed(question: str, folder: Path) -> None:
    """All files of it are packed, or lie in an archive, or some of them are packed."""
    expected = answers(folder / "plain", "", question)
    if question in QUESTIONS:
        assert "\n" in expected
        assert answers(folder / "packed", ".gz", question) == expected
        assert answers(folder / "trails.tar.gz", "", question) == expected
    assert answers(folder / "mixed", ".gz", question) == expected


@pytest.mark.parametrize("kind", PACKED)
def test_files_packed_in_each_way_are_one_trail(kind: str, tmp_path: Path) -> None:
    pack, suffix = PACKED[kind]
    folder = pack(tmp_path)
    paths = TrailSequence(folder / f"{NAMES[1]}{suffix}").paths
    assert [path.name for path in paths] == [f"{name}{suffix}" for name in NAMES]
    for path, name in zip(paths, NAMES, strict=True):
        with TrailFile(path) as trail, TrailFile(TRAILS / name) as plain:
            assert trail.packing is not None
            assert trail.size == plain.size
            assert [record.raw for record in trail.records()] == [record.raw for record in plain.records()]


def test_of_a_file_that_lies_there_twice_the_plain_one_counts(tmp_path: Path) -> None:
    in_folder(tmp_path, ".gz")
    (tmp_path / NAMES[1]).write_bytes((TRAILS / NAMES[1]).read_bytes())
    assert [path.name for path in TrailSequence(tmp_path / "at").paths] == [
        f"{NAMES[0]}.gz",
        NAMES[1],
        f"{NAMES[2]}.gz",
    ]
    assert next_file(tmp_path / NAMES[1]) == (tmp_path / f"{NAMES[2]}.gz", None)
    assert next_file(tmp_path / f"{NAMES[0]}.gz") == (tmp_path / NAMES[1], None)


def test_a_suffix_is_no_part_of_the_number() -> None:
    name = TrailName.parse("dirdat/lt000000009.gz")
    assert name == TrailName(Path("dirdat"), "lt", 9, 9, ".gz")
    assert name is not None
    assert name.next.path == Path("dirdat/lt000000010.gz")


def test_a_missing_file_is_named_as_it_was_written(tmp_path: Path) -> None:
    in_folder(tmp_path, ".gz")
    first, missing, last = (tmp_path / f"{name}.gz" for name in NAMES)
    missing.unlink()
    plain = tmp_path / NAMES[1]
    names = [name for path in (first, last) if (name := TrailName.parse(path))]
    assert next_file(first) == previous_file(last) == (None, plain)
    assert gaps_among([first, last]) == (FileGap(plain, plain, last),)
    assert WholeTrail([first, last]).missing_before(1) == GrowingTrail(names).missing_before(1) == plain
    lines = [f"open {first}; across on; count", f"open {first}; nexttrail", f"recovery over {tmp_path}/at*"]
    for said in (logdump("-c", line) for line in lines):
        assert str(plain) in said.out + said.err
        assert missing.name not in said.out + said.err


def test_a_packed_file_that_changes_is_unpacked_again(tmp_path: Path) -> None:
    path = tmp_path / "et000000000.gz"
    for name in ("at000000000", "at000000001"):
        path.write_bytes(gzip.compress((TRAILS / name).read_bytes()))
        with TrailFile(path) as trail:
            assert trail.size == (TRAILS / name).stat().st_size


def test_a_packed_file_of_equal_size_that_is_rewritten_within_the_second_is_unpacked_again(tmp_path: Path) -> None:
    path, second = tmp_path / "lt000000000.gz", 1_700_000_000_000_000_000
    whole = (TRAILS / "et000000000").read_bytes()
    contents = [whole.replace(b"Uji", town) for town in (b"Uji", b"Edo", b"Ise")]
    for number, content in enumerate(contents):
        path.write_bytes(gzip.compress(content, compresslevel=0, mtime=0))
        os.utime(path, ns=(second, second + number))
        with TrailFile(path) as trail:
            assert trail.bytes[0 : trail.size] == content


def test_a_packed_file_is_what_it_was_until_it_is_replaced(tmp_path: Path) -> None:
    path = in_folder(tmp_path, ".gz") / f"{NAMES[0]}.gz"
    with TrailFile(path) as trail:
        assert file_state(trail) == (trail.size, False, False, tmp_path / f"{NAMES[1]}.gz")
        (tmp_path / "new").write_bytes(b"another")
        (tmp_path / "new").replace(path)
        assert file_state(trail).is_replaced


def test_a_copy_is_kept_for_the_next_who_opens_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = in_folder(tmp_path, ".gz") / f"{NAMES[0]}.gz"
    with TrailFile(path):
        pass
    monkeypatch.setattr(opening, "unpacked", None)
    with TrailFile(path) as trail:
        assert trail.twin().size == (TRAILS / NAMES[0]).stat().st_size


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (gzip.compress((TRAILS / NAMES[0]).read_bytes())[:-200], "cannot be unpacked"),
        (gzip.compress((TRAILS / NAMES[0]).read_bytes())[:30] + b"\xff" * 90, "cannot be unpacked"),
        (b"BZh9 no bzip2", "cannot be unpacked"),
        (b"\xfd7zXZ\0 no xz", "cannot be unpacked"),
        (b"\x28\xb5\x2f\xfd no zstd", "cannot be unpacked"),
        (b"PK\x03\x04 no zip", "cannot be unpacked"),
        (gzip.compress(b""), "empty"),
        (gzip.compress(b"no trail at all"), "no"),
    ],
    ids=["cut", "damaged", "bzip2", "xz", "zstd", "zip", "empty", "no trail"],
)
def test_what_cannot_be_unpacked_is_no_trail(data: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "lt000000000.gz"
    path.write_bytes(data)
    with pytest.raises(NotATrail, match=problem):
        TrailFile(path)


def test_a_small_file_that_unpacks_to_more_than_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lt000000000.gz"
    path.write_bytes(gzip.compress(bytes(3 << 20)))
    monkeypatch.setenv(UNPACKED, str(2 << 20))
    with pytest.raises(NotATrail, match="more than 2,097,152 bytes"):
        TrailFile(path)


def test_unpacking_shows_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_FIRST", -1)
    path = in_folder(tmp_path, ".gz") / f"{NAMES[0]}.gz"
    told: list[reading.ReadSoFar] = []
    with command_files.observed(reading.ReadProgress(told.append, str)), TrailFile(path):
        pass
    assert [(progress.path, progress.percent) for progress in told] == [(path, 100)]


def test_an_archive_itself_says_what_to_open(tmp_path: Path) -> None:
    with pytest.raises(NotATrail, match=r"zip archive: open a file in it, trails.zip/at000000000"):
        TrailFile(in_zip(tmp_path))
    with pytest.raises(NotATrail, match=r"tar archive: open a file in it, trails.tar.gz/at000000000"):
        TrailFile(in_tar(tmp_path, ".gz"))


@pytest.mark.parametrize("folder", ["", "dirdat/"])
def test_an_archive_stands_for_the_trail_files_in_it(folder: str, tmp_path: Path) -> None:
    archive = tmp_path / "all.tgz"
    with tarfile.open(archive, "w:gz") as file:
        for name in NAMES:
            file.add(TRAILS / name, f"{folder}{name}")
    counted = logdump("count", str(archive)).out
    assert "3 files, has 30 records" in counted


def test_a_member_that_is_not_there_is_named_with_those_near_it(tmp_path: Path) -> None:
    archive = in_zip(tmp_path)
    done = logdump("-c", f"open {archive}/at00000000; exit")
    assert "at00000000" in done.out + done.err
    with pytest.raises(NotATrail, match="No such file"):
        TrailFile(archive / "et000000000")


def test_names_in_an_archive_reach_no_terminal_raw(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("\x1b[2Jlt000000000", b"x")
    done = logdump("-c", f"open {archive}")
    assert "\x1b" not in done.out + done.err


def test_what_is_written_onto_a_packed_file_is_refused_or_whole(tmp_path: Path) -> None:
    path = in_folder(tmp_path, ".gz") / f"{NAMES[0]}.gz"
    before = path.read_bytes()
    done = logdump("-c", f"open {path}; save {path} all")
    assert path.read_bytes() == before, done.out
