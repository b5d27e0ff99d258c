"""Indexes kept as files: what comes back, and what is not taken for one."""

from __future__ import annotations

import json
import os
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.trailformat.index.reference import built, known
from tests.trailformat.samples import row, table_record, trail_of
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, TrailFile
from trailformat.index import IndexFolder, TrailIndex, build, index_of, keeping


@pytest.fixture
def folder(tmp_path: Path) -> IndexFolder:
    return IndexFolder(tmp_path / "cache" / "index")


def kept(folder: IndexFolder, path: Path) -> Path:
    """The file in which the index of a trail is kept."""
    index = built(path)
    with TrailFile(path) as trail:
        assert folder.keep(trail, index)
    (file,) = folder.folder.iterdir()
    return file


def recalled(folder: IndexFolder, path: Path) -> TrailIndex | None:
    with TrailFile(path) as trail:
        return folder.recall(trail)


@pytest.mark.parametrize("name", [name for name in names() if name[0] != "c"])
def test_an_index_comes_back_as_it_was(name: str, folder: IndexFolder) -> None:
    kept(folder, TRAILS / name)
    found = recalled(folder, TRAILS / name)
    assert found is not None
    assert known(found) == known(built(TRAILS / name))


def test_an_index_of_everything_goes_on_growing(tmp_path: Path, folder: IndexFolder) -> None:
    path = trail_of(tmp_path, *random.Random(1).choices(everything(ByteOrder.LITTLE)[:-1], k=900), row())
    kept(folder, path)
    found = recalled(folder, path)
    assert found is not None
    with path.open("ab") as file:
        file.write(row(name="NEW").raw)
    with TrailFile(path) as trail:
        for _ in build(trail, found):
            pass
    assert known(found) == known(built(path))


def test_places_alone_can_be_kept(tmp_path: Path, folder: IndexFolder) -> None:
    path = trail_of(tmp_path, row(), row())
    with TrailFile(path) as trail:
        for _ in build(trail, index_of(trail).places):
            pass
        assert folder.keep(trail, index_of(trail))
        found = folder.recall(trail)
        assert found is not None
        assert (found.records, found.covered) == (2, 0)


def test_only_its_owner_can_read_it(tmp_path: Path, folder: IndexFolder) -> None:
    file = kept(folder, trail_of(tmp_path, row()))
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder.folder.stat().st_mode & 0o777 == 0o700


def test_the_file_is_a_line_and_json(tmp_path: Path, folder: IndexFolder) -> None:
    path = trail_of(tmp_path, row())
    first, body = kept(folder, path).read_bytes().split(b"\n")
    assert first == b"logdump index 1 %08x" % zlib.crc32(body)
    state = json.loads(body)
    assert (state["path"], state["size"]) == (str(path), path.stat().st_size)


@pytest.mark.parametrize(
    "change",
    [
        lambda path: os.utime(path, ns=(1, 1)),
        lambda path: path.write_bytes(path.read_bytes() + row().raw),
        lambda path: path.write_bytes(row(b"other").raw * 2),
    ],
    ids=["another time", "another size", "other bytes"],
)
def test_another_state_of_the_trail_has_no_index(
    change: Callable[[Path], None], tmp_path: Path, folder: IndexFolder
) -> None:
    path = trail_of(tmp_path, row(), row())
    kept(folder, path)
    change(path)
    assert recalled(folder, path) is None


def test_other_bytes_with_the_size_and_time_of_before_do_not_fit(tmp_path: Path, folder: IndexFolder) -> None:
    path = trail_of(tmp_path, row(), row())
    kept(folder, path)
    status = path.stat()
    path.write_bytes(row().raw + row(io_time=1).raw)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert recalled(folder, path) is None


def test_two_trails_have_two_indexes(tmp_path: Path, folder: IndexFolder) -> None:
    paths = [trail_of(tmp_path, *[row()] * count, name=f"tt00000000{count}") for count in (1, 2)]
    for path in paths:
        with TrailFile(path) as trail:
            assert folder.keep(trail, built(path))
    assert [recalled(folder, path).records for path in paths] == [1, 2]  # type: ignore[union-attr]


@pytest.mark.parametrize("data", [row().raw[:-1], b"junk" * 5], ids=["half a record", "damage"])
def test_what_is_not_settled_is_not_kept(data: bytes, tmp_path: Path, folder: IndexFolder) -> None:
    path = trail_of(tmp_path, row(), data)
    with TrailFile(path) as trail:
        assert not folder.keep(trail, built(path))
        assert not folder.keep(trail, TrailIndex())
    assert not folder.folder.exists()


def test_a_file_that_no_longer_goes_by_its_name_is_not_kept(tmp_path: Path, folder: IndexFolder) -> None:
    path = trail_of(tmp_path, row())
    index = built(path)
    with TrailFile(path) as trail:
        path.rename(tmp_path / "aside")
        assert not folder.keep(trail, index)
        trail_of(tmp_path, row())
        assert not folder.keep(trail, index)
        assert folder.recall(trail) is None
    assert not folder.keep(trail, index)


def test_a_large_index_is_not_kept(tmp_path: Path, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST_BYTES", 500)
    path = trail_of(tmp_path, *[table_record(1, "A")] * 50)
    with TrailFile(path) as trail:
        assert not folder.keep(trail, built(path))


def test_of_many_indexes_the_oldest_go(tmp_path: Path, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST_FILES", 2)
    paths = [trail_of(tmp_path, row(), name=f"tt00000000{number}") for number in range(4)]
    for number, path in enumerate(paths):
        with TrailFile(path) as trail:
            assert folder.keep(trail, built(path))
        for file in folder.folder.iterdir():
            if file.stat().st_mtime_ns > 1 << 40:
                os.utime(file, ns=(number + 1, number + 1))
    assert [recalled(folder, path) is not None for path in paths] == [False, False, True, True]


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    path = trail_of(tmp_path, row())
    folder = IndexFolder(tmp_path / "cache" / "index")
    with TrailFile(path) as trail:
        assert not folder.keep(trail, built(path))
        assert folder.recall(trail) is None


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = trail_of(tmp_path, row())
    file = kept(folder, path)
    before = file.read_bytes()
    with path.open("ab") as more:
        more.write(row().raw)

    def full(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", full)
    with TrailFile(path) as trail:
        assert not folder.keep(trail, built(path))
    assert {one: one.read_bytes() for one in folder.folder.iterdir()} == {file: before}


def test_damaged_bytes_are_no_index(tmp_path: Path, folder: IndexFolder) -> None:
    path = trail_of(tmp_path, row(), table_record(1, "A"), row(name=1))
    file = kept(folder, path)
    whole = file.read_bytes()
    chance = random.Random(1)
    for _ in range(200):
        data = bytearray(whole[: chance.choice([len(whole), chance.randrange(len(whole))])])
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        file.write_bytes(data)
        assert recalled(folder, path) is None
    file.unlink()
    os.mkfifo(file)
    assert recalled(folder, path) is None


def test_an_index_that_lacks_definitions_is_not_kept(
    tmp_path: Path, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trailformat.index.places.MOST_METADATA", 1)
    path = trail_of(tmp_path, table_record(1, "A"), table_record(2, "B"))
    with TrailFile(path) as trail:
        assert not folder.keep(trail, built(path))


def nodes(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value, as container and key."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [(value, key) for key in keys] + [one for key in keys for one in nodes(value[key])]


STRANGE: list[Any] = [None, -1, 1 << 70, 1.5, True, "x", "AAAA", [], {}, [[]], {"x": 1}, "\ud800"]


def test_any_other_content_is_no_index_or_one_that_says_nothing_wrong_about_places(
    tmp_path: Path, folder: IndexFolder
) -> None:
    path = trail_of(tmp_path, *[row(), table_record(1, "A"), row(name=1), row(trans_ind=0)] * 2)
    file = kept(folder, path)
    body = file.read_bytes().split(b"\n")[1]
    for number in range(len(nodes(json.loads(body)))):
        for strange in STRANGE:
            state = json.loads(body)
            container, key = nodes(state)[number]
            container[key] = strange
            changed = json.dumps(state).encode()
            file.write_bytes(b"logdump index 1 %08x\n" % zlib.crc32(changed) + changed)
            found = recalled(folder, path)
            if found is not None:
                with TrailFile(path) as trail:
                    assert found.rba_of(trail, 1) in {row().length, None}


def test_json_that_is_nested_without_end_is_no_index(tmp_path: Path, folder: IndexFolder) -> None:
    path = trail_of(tmp_path, row())
    file = kept(folder, path)
    body = b"[" * 200_000
    file.write_bytes(b"logdump index 1 %08x\n" % zlib.crc32(body) + body)
    assert recalled(folder, path) is None
