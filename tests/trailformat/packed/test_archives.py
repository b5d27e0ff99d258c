"""The files in an archive are those that ``tar`` and ``unzip`` extract, and none of them is outside it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import subprocess
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

from fixtures import TRAILS
from tests.logdump.program import logdump
from tests.searching import Random
from trailformat import NotATrail
from trailformat.trail.packed import entries_of, is_file, members_of, open_unpacked

NAMES = ("lt000000000", "./lt000000001", "d/lt000000002", "/srv/lt000000003", "//d/./lt000000004", "d//e/lt000000005")
LINKS = (
    "lt000000000",
    "../lt000000000",
    "e/lt000000005",
    "/srv/lt000000003",
    "/etc/hostname",
    "../../../etc/hostname",
    "../../d/lt000000002",
    "no",
)
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def drawn_tar(drawn: Random) -> bytes:
    """A tar archive of files, some of them twice or as links, folders and FIFOs."""
    data, names = io.BytesIO(), list[str]()
    with tarfile.open(fileobj=data, mode="w", format=drawn.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))) as archive:
        for number in range(drawn.randrange(1, 14)):
            kind = drawn.choice((*[tarfile.REGTYPE] * 6, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE))
            # GNU tar puts symbolic links into place last, so that each has a name of its own
            name = drawn.choice(NAMES) if kind != tarfile.SYMTYPE else f"{drawn.choice(('', 'd/'))}ln{number:07d}"
            # hard links lead to each kind of member too, but not to links that GNU tar puts into place last
            linked = (*LINKS, *names) if kind == tarfile.LNKTYPE else LINKS
            info = member(name, kind, drawn.choice(linked))
            if kind != tarfile.SYMTYPE or not info.linkname.startswith(("/", "..")):
                names.append(name)
            content = bytes([65 + number]) * drawn.randrange(1, 1200)
            info.size = len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def contents(archive: Path) -> dict[str, bytes]:
    """The files that an archive is a folder of, by their paths in it."""
    files = {}
    for path in members_of(archive):
        assert path.parent.is_relative_to(archive)
        assert is_file(path)
        assert path in entries_of(path.parent)
        file = open_unpacked(path).file
        files[str(path.relative_to(archive))] = file.read(0, file.status().st_size + 1)
        file.close()
    return files


def extracted(archive: Path, folder: Path) -> dict[str, bytes]:
    """The files that ``tar`` extracts: links count that lead to a file in the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    subprocess.run(["tar", "-C", folder, "-xf", archive], capture_output=True, check=False)
    paths = [path for path in folder.rglob("*") if path.is_file() and path.resolve().is_relative_to(folder)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.mark.parametrize("seed", range(30))
def test_the_files_in_a_tar_are_those_that_tar_extracts(seed: int, tmp_path: Path) -> None:
    drawn = Random(seed)
    data = drawn_tar(drawn)
    (tmp_path / "plain.tar").write_bytes(data)
    expected = extracted(tmp_path / "plain.tar", tmp_path / "out")
    suffix = drawn.choice([*COMPRESSORS])
    (tmp_path / f"a.tar{suffix}").write_bytes(COMPRESSORS[suffix](data))
    assert contents(tmp_path / f"a.tar{suffix}") == expected


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (tarfile.FIFOTYPE, "", {}),
        (tarfile.SYMTYPE, "x", {"d/target": b"in d", "e/target": b"in e"}),
        (tarfile.LNKTYPE, "nowhere", {"e/target": b"former"}),
    ],
)
def test_a_hard_link_makes_its_name_what_its_target_is(
    kind: bytes, text: str, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """A FIFO is no file, a symbolic link leads on from the new place, and what is not made replaces nothing."""
    files = {"d/x": b"in d", "e/x": b"in e", "e/target": b"former"}
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, content in files.items():
            info = member(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        archive.addfile(member("d/target", kind, text))
        archive.addfile(member("e/target", tarfile.LNKTYPE, "d/target"))
    assert contents(tmp_path / "a.tar") == {"d/x": b"in d", "e/x": b"in e", **expected}


ODD = {
    "/srv/x": "srv/x",
    "../x": "x",
    "../../d/x": "d/x",
    "d/../x": "x",
    "/../../x": "x",
    "./././x": "x",
    "C:/d/x": "C:/d/x",
    "C:\\d\\x": "C:\\d\\x",
    "d/\x1b[2Jx": "d/\x1b[2Jx",
}


@pytest.mark.parametrize("name", ODD)
def test_a_name_is_a_path_inside(name: str, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        info = member(name)
        info.size = 4
        archive.addfile(info, io.BytesIO(b"tar!"))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive_of_zip:
        archive_of_zip.writestr(name, b"zip!")
    assert contents(tmp_path / "a.tar") == {ODD[name]: b"tar!"}
    assert contents(tmp_path / "a.zip") == {ODD[name].replace("\\", "/"): b"zip!"}


def test_a_name_that_leads_up_replaces_no_proper_one(tmp_path: Path) -> None:
    for order, expected in ((("d/x", "../d/x"), b"0"), (("../d/x", "d/x"), b"1"), (("../d/x", "../../d/x"), b"1")):
        with tarfile.open(tmp_path / "a.tar", "w") as archive:
            for number, name in enumerate(order):
                info = member(name)
                info.size = 1
                archive.addfile(info, io.BytesIO(str(number).encode()))
        assert contents(tmp_path / "a.tar") == {"d/x": expected}


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".zip"])
def test_no_name_in_an_archive_opens_a_file_outside(suffix: str, tmp_path: Path) -> None:
    """Another trail has, on this machine, the very path that the member has."""
    outside = tmp_path / "srv" / "lt000000000"
    outside.parent.mkdir()
    shutil.copy(TRAILS / "at000000001", outside)
    archive = tmp_path / f"a{suffix}"
    data = (TRAILS / "at000000000").read_bytes()
    if suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as of_zip:
            of_zip.writestr(str(outside), data)
    else:
        with tarfile.open(archive, "w:gz" if "gz" in suffix else "w") as of_tar:
            info = member(str(outside))
            info.size = len(data)
            of_tar.addfile(info, io.BytesIO(data))
    inside = f"{archive}{outside}"
    for name in (str(archive), inside):
        done = logdump("count", name)
        assert f"LogTrail {inside} has 15 records" in done.out, done.err
    outside.unlink()
    assert "has 15 records" in logdump("-c", f"open {inside}; count").out


def zip_with_link(path: Path, target: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("d/lt000000000", b"first")
        info = zipfile.ZipInfo("d/lt000000001")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, target)


@pytest.mark.parametrize(
    ("target", "content"),
    [
        ("lt000000000", b"first"),
        ("../d/lt000000000", b"first"),
        ("./e/../lt000000000", b"first"),
        ("/etc/hostname", None),
        ("../../x", None),
        ("/d/lt000000000", None),
        ("../../d/lt000000000", None),
        ("../../../d/lt000000000", None),
        ("../../d/../d/lt000000000", None),
    ],
)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_link_is_the_member_that_it_names(kind: str, target: str, content: bytes | None, tmp_path: Path) -> None:
    archive = tmp_path / f"a.{kind}"
    if kind == "zip":
        zip_with_link(archive, target)
    else:
        with tarfile.open(archive, "w") as of_tar:
            info = member("d/lt000000000")
            info.size = 5
            of_tar.addfile(info, io.BytesIO(b"first"))
            of_tar.addfile(member("d/lt000000001", tarfile.SYMTYPE, target))
    if content is not None:
        assert contents(archive)["d/lt000000001"] == content
        return
    assert [*contents(archive)] == ["d/lt000000000"]
    with pytest.raises(NotATrail, match=r"it is a link to '.*', which is not a file in the archive"):
        open_unpacked(archive / "d/lt000000001")


def test_of_a_member_of_a_zip_that_stands_twice_the_last_counts(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for content in (b"first", b"second", b"third"):
            archive.writestr("lt000000000", content)
    assert contents(tmp_path / "a.zip") == {"lt000000000": b"third"}


def sound_tar() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for number in range(3):
            info = member(f"lt00000000{number}")
            info.size = 700
            archive.addfile(info, io.BytesIO(bytes([65 + number]) * 700))
    return data.getvalue()


def sound_zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"lt00000000{number}", Random(number).randbytes(700))
    return data.getvalue()


def damaged_archives() -> Iterator[tuple[str, bytes]]:
    tar, archive = sound_tar(), sound_zip()
    end = 3 * (512 + 1024)
    for place in (1, 511, 512, 700, 1535, 1536, 1537, 2048, 3072, end - 1, end, end + 1, end + 511):
        yield ".tar", tar[:place]
    for place in (0, 100, 512 + 1024, 2 * (512 + 1024) + 150):
        yield ".tar", tar[:place] + b"\xff" + tar[place + 1 :]
    yield ".tar", tar + tar
    yield ".tar", tar + b"junk"
    yield ".tar", tar[: end + 512] + b"x" * 512
    for place in (1, 30, 700, len(archive) - 30, len(archive) - 1):
        yield ".zip", archive[:place]
    yield ".zip", archive + b"junk"
    yield ".zip", archive + archive
    yield ".zip", archive + tar


@pytest.mark.parametrize("compressor", ["", ".gz", ".zst"])
def test_an_archive_is_whole_or_refused(compressor: str, tmp_path: Path) -> None:
    for number, (suffix, data) in enumerate(damaged_archives()):
        if suffix == ".zip" and compressor:
            continue
        path = tmp_path / f"a{number}{suffix}{compressor}"
        path.write_bytes(COMPRESSORS[compressor](data))
        with pytest.raises((NotATrail, NotADirectoryError)):
            members_of(path)
        with pytest.raises((NotATrail, NotADirectoryError)):
            open_unpacked(path / "lt000000000")
        done = logdump("count", str(path))
        assert (done.status, done.out) != (0, done.out), (number, done.out)


def test_padding_after_a_tar_is_read(tmp_path: Path) -> None:
    tar = sound_tar()
    for data in (tar + bytes(100_000), tar[: 3 * 1536 + 1024], tar[: 3 * 1536 + 512]):
        (tmp_path / "a.tar").write_bytes(data)
        assert [*contents(tmp_path / "a.tar")] == [f"lt00000000{number}" for number in range(3)]


@pytest.mark.parametrize("seed", range(40))
def test_a_changed_archive_never_crashes(seed: int, tmp_path: Path) -> None:
    drawn = Random(seed)
    data = bytearray(drawn.choice((sound_tar(), sound_zip(), drawn_tar(drawn))))
    for _ in range(drawn.randrange(1, 5)):
        place = drawn.choice((drawn.randrange(len(data)), drawn.randrange(600), len(data) - 1 - drawn.randrange(200)))
        data[place % len(data)] = drawn.choice((0, 255, 0x80, drawn.randrange(256)))
    path = tmp_path / f"a.{drawn.choice(('tar', 'zip'))}"
    path.write_bytes(data)
    try:
        paths = members_of(path)
    except (NotATrail, OSError):
        return
    for inside in paths:
        try:
            open_unpacked(inside).file.close()
        except (NotATrail, OSError):
            continue


def headers_without_end(kind: str) -> bytes:
    """The begin of a tar archive whose header, or whose names for all members, take two megabytes and more."""
    if kind == "map of holes":
        info = bytearray(member("x", tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT))
        hole = b"%011o\0" % 5
        info[386:495] = 8 * hole + b"\1" + b"%011o\0" % 9
        info[148:156] = 8 * b" "
        info[148:156] = b"%06o\0 " % sum(info)
        return bytes(info) + 5000 * (42 * hole + b"\1" + bytes(7))
    if kind == "names of all members":
        records = [b"99999 k%02d=%s\n" % (number, 99_988 * b"a") for number in range(21)]
        assert {len(record) for record in records} == {99_999}
        return b"".join(_block(tarfile.XGLTYPE, record) for record in records)
    if kind == "name after name":
        return 3000 * _block(tarfile.GNUTYPE_LONGNAME, b"abc\0")
    if kind == "long name after long name":
        return 30 * _block(tarfile.GNUTYPE_LONGNAME, bytes(100_000))
    # newer Pythons read such a header in pieces
    types = {"long name": tarfile.GNUTYPE_LONGNAME, "long link": tarfile.GNUTYPE_LONGLINK, "PAX": tarfile.XHDTYPE}
    return _block(types[kind], bytes(1 << 21))


def _block(kind: bytes, content: bytes) -> bytes:
    """A header of the tar archive with its content, and a member where it holds for all that follow."""
    info = member("x", kind)
    info.size = len(content)
    followed = member("y").tobuf() if kind == tarfile.XGLTYPE else b""
    return info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512) + followed


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("long name", "too long"),
        ("long link", "too long"),
        ("PAX", "too long"),
        ("map of holes", "too long"),
        ("names of all members", "too long"),
        ("name after name", "names follow names"),
        ("long name after long name", "too long"),
    ],
)
def test_a_header_of_megabytes_is_refused_before_it_is_in_memory(
    kind: str, reason: str, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"a.tar{suffix}"
    path.write_bytes(COMPRESSORS[suffix](headers_without_end(kind) + bytes(4096)))
    with pytest.raises(NotATrail, match=f"damaged header: .*{reason}"):
        members_of(path)


@pytest.mark.skipif(shutil.which("tar") is None, reason="GNU tar makes such archives")
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_file_with_holes_is_read_as_it_was(suffix: str, tmp_path: Path) -> None:
    source, drawn = tmp_path / "lt000000000", Random()
    with source.open("wb") as file:
        for at in sorted(drawn.sample(range(400), 60)):
            file.seek(at << 16)
            file.write(bytes([1 + at % 255]) * 4096)
    data = source.read_bytes()
    path = tmp_path / f"a.tar{suffix}"
    subprocess.run(["tar", "-S", "-C", tmp_path, "-cf", tmp_path / "a", source.name], check=True)
    path.write_bytes(COMPRESSORS[suffix]((tmp_path / "a").read_bytes()))
    assert contents(path) == {source.name: data}
