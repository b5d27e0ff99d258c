"""Lists of names with commas: a name that is there as it is typed is that one, whatever else is there."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.searching import Random
from trailformat.errors import NotATrail
from trailformat.trail.name_list import list_of, names_in

PARTS = ("a", "b", "a,b", ",", "a,", ",b", "a,b,a", "l,", "lt", "b b", "a*")


def _drawn_tree(random: Random, top: Path) -> list[str]:
    """Folders and trails with commas in their names, of which others are parts; the names that are there."""
    names: set[str] = set()
    for _ in range(random.randrange(1, 7)):
        folder = "/".join(random.choices(PARTS, k=random.randrange(1, 3)))
        trail = random.choice(("lt", "a,", ",b", "xt"))
        (top / folder).mkdir(parents=True, exist_ok=True)
        (top / folder / f"{trail}000000000").touch()
        names |= {folder, f"{folder}/{trail}", f"{folder}/{trail}000000000"}
    return sorted(names)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_absolute", [True, False])
def test_a_name_that_is_there_is_that_one_and_a_list_is_read_back(
    seed: int, is_absolute: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    for number in range(12):
        top = tmp_path / str(number)
        top.mkdir()
        monkeypatch.chdir(top)
        there = [f"{top}/{name}" if is_absolute else name for name in _drawn_tree(random, top)]
        for name in there:
            assert [*names_in(name)] == [name]
            assert [*names_in(f" {name} ")] == [name]
        for _ in range(6):
            names = random.choices(there, k=random.randrange(1, 5))
            try:
                text = list_of(names)
            except NotATrail:  # another name is there that looks like the list
                assert any("," in name for name in there)
                continue
            assert [Path(name) for name in names_in(text)] == [*map(Path, names)], names


@pytest.mark.parametrize("seed", range(4))
def test_names_without_commas_are_a_list_however_they_are_there(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    for _ in range(50):
        names = ["".join(random.choices("abc/*.xl", k=random.randrange(1, 9))) for _ in range(random.randrange(1, 6))]
        assert [*names_in(",".join(names))] == names
        assert [*names_in(" , ".join(["", *names, ""]))] == names


@pytest.mark.parametrize("folder", ["a,b", "a,b,c"])
@pytest.mark.parametrize("there", [*itertools.product((True, False), (True, False))])
def test_a_trail_that_is_not_there_yet_is_in_its_folder(
    folder: str, there: tuple[bool, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``a,b/lt`` is in the folder a,b unless both a and b/lt are there."""
    monkeypatch.chdir(tmp_path)
    first, _, last = folder.rpartition(",")
    (tmp_path / folder).mkdir()
    (tmp_path / last).mkdir()
    for name, is_there in zip((first, f"{last}/lt000000000"), there, strict=True):
        if is_there:
            (tmp_path / name).touch()
    assert [*names_in(f"{folder}/lt")] == ([first, f"{last}/lt"] if all(there) else [f"{folder}/lt"])


def test_a_long_list_is_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a,b").touch()
    names = [f"lt{number:09d}" for number in range(20_000)]
    assert [*names_in(",".join([*names, "a,b"]))] == [*names, "a,b"]
    assert len([*names_in("a," * 20_000)]) == 20_000
