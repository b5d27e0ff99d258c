"""Each byte of a packed trail is unpacked once, whatever is asked, and what is kept has a limit."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.session.errors import ExitStatus
from tests.logdump.program import logdump
from tests.searching import Random
from trailformat import NotATrail, TrailFile
from trailformat.codec.environment import UNPACKED
from trailformat.codec.mapped_file import InputFile
from trailformat.trail.packed import copies, entries_of, members_of, opening, streams

FILES = 66
"""More than any number of files that were kept at once."""
KINDS = ("tar.gz", "tar", "zip", "gz")
QUESTIONS = (
    *("tar.gz|count|{}", "zip|check|{}", "tar|list|{}", "gz|info|{}", "tar.gz|recovery|{}", "zip|transactions|{}"),
    *("tar.gz|-c|open {first}; nexttrail; nexttrail; n; recovery", "gz|-c|open {first}; across on; count; sfet"),
    *("zip|diff|{}|{}", "gz|sql|select count(*) n from records|{}", "tar.gz|doctor|{}"),
)
"""The kind of archive, and what is asked of it."""
Trail = tuple[Path, str, int]
"""What is named for all files, the first file, and the bytes of all files."""


@pytest.fixture(scope="module")
def data() -> list[bytes]:
    """The files of a trail whose numbers follow each other."""
    original = (TRAILS / "at000000000").read_bytes()
    return [original] * FILES


@pytest.fixture(params=KINDS)
def trail(request: pytest.FixtureRequest, data: list[bytes], tmp_path: Path) -> Trail:
    path, size = tmp_path / f"trails.{request.param}", sum(map(len, data))
    names = [f"d/lt{number:09d}" for number in range(FILES)]
    if request.param == "gz":
        (tmp_path / "d").mkdir()
        packed = gzip.compress(data[0])
        for name in names:
            (tmp_path / f"{name}.gz").write_bytes(packed)
        return tmp_path / "d", f"{tmp_path}/{names[0]}.gz", size
    if request.param == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, content in zip(names, data, strict=True):
                archive.writestr(name, content)
        return path, f"{path}/{names[0]}", size
    with (
        tarfile.open(path, "w:gz", compresslevel=1) if request.param == "tar.gz" else tarfile.open(path, "w") as of_tar
    ):
        for name, content in zip(names, data, strict=True):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            of_tar.addfile(info, io.BytesIO(content))
    return path, f"{path}/{names[0]}", size


class Counts:
    """Bytes that went through decompressors and into copies."""

    decompressed = copied = 0


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counts:
    """Count from nothing: no copy is kept."""
    counts, decompress, add = Counts(), streams.decompressed, copies.Copies.add

    class Counted:
        def __init__(self, source: streams.ByteReader) -> None:
            self._source = source

        def read(self, size: int) -> bytes:
            data = self._source.read(size)
            counts.decompressed += len(data)
            return data

    def counted_add(*arguments: object, **more: object) -> copies.UnpackedCopy:
        copy = add(*arguments, **more)  # type: ignore[arg-type]
        counts.copied += copy.status.st_size
        return copy

    monkeypatch.setattr(streams, "decompressed", lambda *arguments: Counted(decompress(*arguments)))
    monkeypatch.setattr(copies.Copies, "add", counted_add)
    monkeypatch.setattr(opening, "_process", opening._Process())
    return counts


@pytest.mark.parametrize(("trail", "question"), [question.split("|", 1) for question in QUESTIONS], indirect=["trail"])
def test_each_byte_is_unpacked_once(question: str, trail: Trail, counts: Counts) -> None:
    named, first, size = trail
    done = logdump(*question.replace("{}", str(named)).replace("{first}", first).split("|"))
    assert done.status in (ExitStatus.OK, ExitStatus.FINDINGS), done.err
    assert done.out
    assert counts.copied == size
    assert counts.decompressed <= 1.3 * size + (1 << 17)


def test_all_files_of_a_folder_of_packed_files_are_kept(trail: Trail, counts: Counts, data: list[bytes]) -> None:
    named = trail[0]
    paths = sorted(members_of(named) if named.is_file() else entries_of(named))
    for _ in range(2):
        for path, expected in zip(paths, data, strict=True):
            with TrailFile(path) as file:
                assert file.bytes[0 : len(expected)] == expected
                assert file.size == len(expected)
        assert counts.copied == trail[2]


def distinct(number: int, size: int = 30_000) -> bytes:
    """Bytes of a member that no other has."""
    return Random(number).randbytes(size)


def archive_of(folder: Path, contents: list[bytes]) -> list[Path]:
    """The members of a compressed archive."""
    with tarfile.open(folder / "a.tar.gz", "w:gz", compresslevel=1) as archive:
        for number, content in enumerate(contents):
            info = tarfile.TarInfo(f"lt{number:09d}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return [folder / "a.tar.gz" / f"lt{number:09d}" for number in range(len(contents))]


def kept_bytes() -> int:
    return sum(volume.size for volume in opening._process.copies._volumes)


@pytest.mark.usefixtures("counts")
@pytest.mark.parametrize("seed", range(4))
def test_what_is_kept_has_a_limit_and_an_open_file_stays_what_it_is(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Members and compressed files are opened in a drawn order, some stay open while others take their place."""
    drawn, contents = Random(seed), [distinct(number) for number in range(12)]
    paths = archive_of(tmp_path, contents)
    for number in range(12, 20):
        contents.append(distinct(number))
        paths.append(tmp_path / f"gz{number}")
        paths[-1].write_bytes(gzip.compress(contents[-1], 1))
    limit = drawn.choice((40_000, 100_000, 250_000))
    monkeypatch.setenv(UNPACKED, str(limit))
    opened: dict[int, InputFile] = {}
    for _ in range(60):
        number = drawn.randrange(len(paths))
        file = opening.open_unpacked(paths[number]).file
        if number in opened:
            opened.pop(number).close()
        opened[number] = file
        assert kept_bytes() <= limit + 30_000 + 2 * 4096
        for other in drawn.sample([*opened], min(len(opened), 3)):
            start, size = drawn.randrange(30_100), drawn.randrange(40_000)
            assert opened[other].read(start, size) == contents[other][start : start + size]
            source = opened[other].source(30_000, paths[other], None)
            target = bytearray(size)
            count = opened[other].read_into(source, memoryview(target), start, None)
            assert target[:count] == contents[other][start : start + size]
    for file in opened.values():
        file.close()


def test_with_little_room_an_archive_in_order_is_read_few_times(
    counts: Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = [distinct(number) for number in range(40)]
    paths = archive_of(tmp_path, contents)
    monkeypatch.setenv(UNPACKED, "640000")  # room for 10 of the 40 at once
    for path, content in zip(paths, contents, strict=True):
        file = opening.open_unpacked(path).file
        assert file.read(0, 40_000) == content
        file.close()
    assert counts.decompressed <= 6 * 40 * 31_000


def test_a_member_beyond_the_limit_is_refused_and_others_are_read(
    counts: Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(UNPACKED, "100k")
    paths = archive_of(tmp_path, [distinct(0, 10_000), distinct(1, 200_000), distinct(2, 10_000)])
    for number in (0, 2, 0):
        opening.open_unpacked(paths[number]).file.close()
    with pytest.raises(NotATrail, match="more than 102,400 bytes"):
        opening.open_unpacked(paths[1])
    assert counts.copied


def test_a_damaged_member_is_refused_and_others_are_read(counts: Counts, tmp_path: Path) -> None:
    sound = gzip.compress(distinct(0))
    paths = archive_of(tmp_path, [sound, sound[:-9], sound + b"junk", sound])
    for number in (1, 2, 1):
        with pytest.raises(NotATrail, match="it cannot be unpacked"):
            opening.open_unpacked(paths[number])
    for number in (0, 3):
        file = opening.open_unpacked(paths[number]).file
        assert file.read(0, 1 << 20) == distinct(0)
        file.close()
    assert counts.copied == 2 * 30_000


def test_a_file_that_is_written_anew_within_a_second_is_unpacked_again(tmp_path: Path) -> None:
    """It is the same file for the system, of the same size; its time differs by less than a second."""
    path, moment = tmp_path / "lt000000000.gz", 1_700_000_000_123_456_789
    for number, time in enumerate((moment, moment + 1_000, moment + 500_000_000)):
        content = bytes([65 + number]) * 3000
        with path.open("r+b" if number else "wb") as file:
            file.write(gzip.compress(content, 0, mtime=0))
        os.utime(path, ns=(time, time))
        opened = opening.open_unpacked(path).file
        assert opened.read(0, 4000) == content
        opened.close()


def test_a_forked_process_writes_no_bytes_into_the_copies_of_its_parent(counts: Counts, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"f{number}").write_bytes(gzip.compress(distinct(number)))
    opening.open_unpacked(tmp_path / "f0").file.close()
    child = os.fork()
    if not child:
        opening.open_unpacked(tmp_path / "f1").file.close()
        os._exit(0)
    os.waitpid(child, 0)
    file = opening.open_unpacked(tmp_path / "f2").file
    assert file.read(0, 40_000) == distinct(2)
    file.close()
    assert counts.copied == 60_000
