"""The bundle: no file in it needs a newer glibc than 2.28, and it runs where there is nothing else.

``make bundle`` makes it; without one in dist the tests of the file itself are skipped. They need root, as an empty root
and a /tmp that nothing can be run from are made by a mount of their own.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from logdump import __version__
from scripts.bundle import interpreter, sources, symbols
from scripts.bundle.__main__ import main
from scripts.bundle.archive import write_archive
from tests.searching import Random
from tests.test_documents import ROOT

BUNDLES = sorted((ROOT / "dist").glob(f"logdump-{__version__}-*linux-x86_64.tar.gz"))
TRAILS = ROOT / "fixtures" / "trails"
MOST_BYTES = 60_000_000
"""Of the small one, packed."""
needs_a_bundle = pytest.mark.skipif(not BUNDLES, reason="there is no bundle in dist: make bundle")
needs_root = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="only root can mount")


@pytest.fixture(scope="module", params=BUNDLES, ids=lambda path: path.name)
def archive(request: pytest.FixtureRequest) -> Path:
    """Each bundle in dist."""
    path: Path = request.param
    return path


@pytest.fixture(scope="module")
def unpacked(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a bundle, on a path with blanks."""
    place = tmp_path_factory.mktemp("a place with blanks")
    return unpack(archive, place)


def unpack(archive: Path, place: Path) -> Path:
    subprocess.run(["tar", "-xzf", str(archive), "-C", str(place)], check=True)
    (folder,) = (path for path in place.iterdir() if path.name.startswith("logdump-"))
    return folder


def answer(program: Path | str, *words: str, **options: object) -> tuple[int, str]:
    done = subprocess.run([str(program), *words], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    return done.returncode, done.stdout + done.stderr


def expected(*words: str, folder: Path = TRAILS) -> tuple[int, str]:
    """What the program of this checkout answers."""
    return answer(sys.executable, "-m", "logdump", *words, cwd=folder)


@pytest.mark.slow
@needs_a_bundle
def test_no_file_needs_a_newer_c_library_than_is_promised(unpacked: Path) -> None:
    """The table of versions that readelf prints is the oracle of our own reading."""
    files = list(symbols.programs_and_libraries(unpacked))
    assert len(files) > 10
    for path in files:
        done = subprocess.run(["readelf", "-V", str(path)], capture_output=True, text=True, check=True)
        needed = [tuple(map(int, found)) for found in re.findall(r"\bGLIBC_(\d+)\.(\d+)", done.stdout)]
        assert max(needed, default=(0, 0)) <= symbols.highest_glibc(path) <= interpreter.GLIBC, path


@pytest.mark.slow
@needs_a_bundle
def test_every_library_that_a_file_needs_is_there(unpacked: Path) -> None:
    """Of the C library it has none; all else that was left out is needed by none that is in it."""
    files = list(symbols.programs_and_libraries(unpacked))
    there = {path.name for path in unpacked.rglob("*") if ".so" in path.name} | {"ld-linux-x86-64.so.2"}
    there |= {f"lib{name}.so.6" for name in ("c", "m")}
    there |= {f"lib{name}" for name in ("dl.so.2", "pthread.so.0", "rt.so.1", "util.so.1", "resolv.so.2")}
    for path in files:
        done = subprocess.run(["readelf", "-d", str(path)], capture_output=True, text=True, check=True)
        needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", done.stdout))
        assert needed <= there, (path, needed - there)


@pytest.mark.slow
@needs_a_bundle
def test_the_one_with_arrow_and_duckdb_answers_sql(archive: Path, unpacked: Path) -> None:
    if "full" not in archive.name:
        pytest.skip("of the full one")
    program, trail = unpacked / "logdump", str(TRAILS / "et000000000")
    for words in (["sql", trail, "SELECT count(*) AS n FROM records"], ["export", trail, "--format", "jsonl"]):
        assert answer(program, *words, env={}) == expected(*words)


@pytest.mark.slow
@needs_a_bundle
def test_the_one_with_arrow_writes_parquet_and_workbooks(archive: Path, unpacked: Path, tmp_path: Path) -> None:
    if "full" not in archive.name:
        pytest.skip("of the full one")
    program, trail = unpacked / "logdump", str(TRAILS / "et000000000")
    for name in ("a.parquet", "a.xlsx"):
        status, text = answer(program, "export", trail, "-o", str(tmp_path / name), env={})
        assert (status, (tmp_path / name).stat().st_size > 0) == (0, True), text


@pytest.mark.slow
@needs_a_bundle
def test_it_is_one_folder_that_all_may_read_and_its_owner_alone_may_write(archive: Path) -> None:
    with tarfile.open(archive) as opened:
        entries = opened.getmembers()
    assert {entry.name.partition("/")[0] for entry in entries} == {archive.name.removesuffix("-linux-x86_64.tar.gz")}
    assert {(entry.uid, entry.gid, entry.mode) for entry in entries} <= {(0, 0, 0o755), (0, 0, 0o644)}
    assert [entry.name for entry in entries if not (entry.isfile() or entry.isdir())] == []
    assert "full" in archive.name or archive.stat().st_size <= MOST_BYTES
    names = {entry.name.partition("/")[2] for entry in entries}
    assert {"logdump", "LICENSE", "README.txt", "licences/contents.txt"} <= names


@pytest.mark.slow
@needs_a_bundle
def test_each_part_has_its_licence(unpacked: Path) -> None:
    """What contents.txt names is there; each package but ours has the file that its own metadata name, or a field."""
    lines = (unpacked / "licences" / "contents.txt").read_text("utf-8").splitlines()
    assert len(lines) > len(sources.every_source()) + 5
    for line in lines:
        where = line.rpartition(" ")[2].rpartition(", ")[2]
        path = unpacked / where if where.endswith(".dist-info") else unpacked / "licences" / where
        assert path.exists(), line
        if path.is_dir():
            about = (path / "METADATA").read_text("utf-8")
            assert re.search(r"^(License|License-Expression|Classifier: License)", about, re.MULTILINE), line


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with the C library of this machine, places for a bundle and the samples, and nothing else."""
    folder = tmp_path_factory.mktemp("root")
    for name in ("proc", "tmp", "trails", "bundle", "lib64"):
        (folder / name).mkdir()
    listed = subprocess.run(["ldd", sys.executable], capture_output=True, text=True, check=True).stdout
    loader = next(Path(word) for word in listed.split() if word.startswith("/lib64/ld-linux"))
    library = next(Path(word) for word in listed.split() if word.endswith("/libc.so.6")).parent
    shutil.copy2(loader.resolve(), folder / "lib64" / loader.name)
    for name in ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1"):
        target = folder / library.relative_to("/") / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2((library / name).resolve(), target)
    return folder


def in_root(root: Path, folder: Path, *words: str, line: str = "") -> tuple[int, str]:
    """Run the program in the root, whose bundle and samples are read-only, without a network or any variable.

    Nothing can be run from its /tmp. ``line`` is run by the shell before, outside of the root.
    """
    mounts = (
        f"mount --bind '{folder}' '{root}/bundle' && mount -o remount,bind,ro '{root}/bundle'",
        f"mount --bind '{TRAILS}' '{root}/trails' && mount -o remount,bind,ro '{root}/trails'",
        f"mount -t tmpfs -o noexec,size=9m none '{root}/tmp'",
        line or "true",
        f"exec env -i {shutil.which('chroot')} '{root}' /bundle/logdump \"$@\"",
    )
    command = ["unshare", "--mount", "--net", "sh", "-c", " && ".join(mounts), "sh", *words]
    return answer(command[0], *command[1:])


QUESTIONS = (
    ("count", "et000000000"),
    ("check", "ft000000000"),
    ("list", "et000000000"),
    ("export", "et000000000", "--format", "csv", "--table", "TEAHOUSE.TEAS"),
    ("export", "et000000000", "--format", "sql"),
    ("recovery", "at000000000"),
    ("-c", "open et000000000; n; n; filter include op insert; n"),
)


@pytest.mark.slow
@needs_a_bundle
@needs_root
@pytest.mark.parametrize("proc", ["true", "mount -t proc none '{root}/proc'"])
def test_in_an_empty_root_it_answers_as_the_checkout_does(root: Path, unpacked: Path, proc: str) -> None:
    for words in QUESTIONS:
        inside = [re.sub(r"\b([a-z]t\d{9})", r"/trails/\1", word) for word in words]
        status, text = in_root(root, unpacked, *inside, line=proc.format(root=root))
        right, here = expected(*words)
        assert (status, text.replace("/trails/", "")) == (right, here.replace(f"{TRAILS}/", "")), words


@pytest.mark.slow
@needs_a_bundle
@needs_root
def test_in_an_empty_root_it_has_its_kernels_and_its_pages(root: Path, unpacked: Path) -> None:
    status, text = in_root(root, unpacked, "debug")
    assert status == 0
    assert "kernels for x86-64" in text
    assert in_root(root, unpacked, "help", "remote.md")[0] == 0


@pytest.mark.slow
@needs_a_bundle
@needs_root
def test_another_user_runs_it_by_a_link_from_any_folder(unpacked: Path, tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents, *unpacked.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    link = tmp_path / "l d"
    link.symlink_to(unpacked / "logdump")
    status, text = answer(link, "--version", user=65534, cwd="/", env={})
    assert (status, text) == (0, f"logdump {__version__}\n")
    shutil.copy2(TRAILS / "et000000000", tmp_path / "et000000000")
    (tmp_path / "et000000000").chmod(0o644)
    found = answer(link, "count", "et000000000", user=65534, cwd=tmp_path, env={})
    assert found == expected("count", "et000000000", folder=tmp_path)


@pytest.mark.slow
@needs_a_bundle
def test_what_a_host_has_set_for_other_programs_is_no_obstacle(unpacked: Path, tmp_path: Path) -> None:
    """The libraries of GoldenGate and Oracle, another Python, and a module in the current folder."""
    for name in ("libstdc++.so.6", "libgcc_s.so.1"):
        (tmp_path / name).write_text("no library", "utf-8")
    for name in ("logdump", "numpy", "json", "os"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('another module')", "utf-8")
    home = {"LD_LIBRARY_PATH": str(tmp_path), "PYTHONPATH": str(tmp_path), "PYTHONHOME": str(tmp_path)}
    words = ("count", str(TRAILS / "et000000000"))
    assert answer(unpacked / "logdump", *words, cwd=tmp_path, env=home) == expected(*words)


@pytest.mark.slow
@needs_a_bundle
def test_unpacked_twice_or_over_what_an_older_one_has_left_it_is_as_new(archive: Path, tmp_path: Path) -> None:
    folder = unpack(archive, tmp_path)
    first = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for path in Random(57).sample([path for path in sorted(first) if path.suffix in (".py", ".pyc", ".so")], 300):
        (folder / path).write_bytes(b"of an older one")
    assert unpack(archive, tmp_path) == folder
    assert {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()} == first
    assert answer(folder / "logdump", "count", "et000000000", cwd=TRAILS) == expected("count", "et000000000")


def _some_files(folder: Path, order: list[str], when: float, umask: int) -> Path:
    """A folder with the same files, made in an order, at a time, with more or fewer permissions."""
    before = os.umask(umask)
    try:
        for name in order:
            (folder / "made" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "made" / name).write_text(f"of {name}", "utf-8")
            os.utime(folder / "made" / name, (when, when))
        (folder / "made" / order[0]).parent.chmod(0o700)
        (folder / "made" / "program").chmod(0o711)
    finally:
        os.umask(before)
    return folder / "made"


def test_the_same_files_make_the_same_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    names = ["a/b", "a/c", "z", "program", "m/n/o"]
    made = []
    for number, umask in enumerate((0o022, 0o077)):
        (tmp_path / str(number)).mkdir()
        drawn = Random(number).sample(names, len(names))
        folder = _some_files(tmp_path / str(number), drawn, time.time() - number * 1000, umask)
        assert write_archive(folder, tmp_path / f"{number}.tar.gz") == sum(len(f"of {name}") for name in names)
        made.append((tmp_path / f"{number}.tar.gz").read_bytes())
    assert made[0] == made[1]
    with tarfile.open(tmp_path / "0.tar.gz") as archive:
        modes = {entry.name: (entry.mode, entry.uid, entry.mtime) for entry in archive}
    assert modes["made/program"] == (0o755, 0, 1700000000)
    assert modes["made/z"] == (0o644, 0, 1700000000)
    assert modes["made/a"] == (0o755, 0, 1700000000)


def test_an_archive_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "old.tar.gz").write_bytes(b"old")
    folder = _some_files(tmp_path, ["program", "b"], 0, 0o022)
    (folder / "b").unlink()
    (folder / "b").mkdir()
    (folder / "pipe").symlink_to(folder / "program")
    with pytest.raises(FileNotFoundError):
        write_archive(folder / "no such", tmp_path / "old.tar.gz")
    assert (tmp_path / "old.tar.gz").read_bytes() == b"old"


def test_the_highest_version_is_by_number_and_of_any_place_in_the_file(tmp_path: Path) -> None:
    random = Random(28)
    for number in range(20):
        versions = [(2, random.randrange(2, 45)) for _ in range(random.randrange(1, 5))]
        parts = [b"GLIBC_%d.%d\0" % version + random.randbytes(random.randrange(50)) for version in versions]
        (tmp_path / "library").write_bytes(b"\x7fELF" + b"GLIBC_PRIVATE\0GLIBCXX_3.4.30\0" + b"".join(parts))
        assert symbols.highest_glibc(tmp_path / "library") == max(versions), number
    (tmp_path / "library").write_bytes(b"\x7fELF GLIBCXX_3.4.30")
    assert symbols.highest_glibc(tmp_path / "library") == (0, 0)


def test_files_of_machine_code_are_found_by_what_is_in_them(tmp_path: Path) -> None:
    for name, content in {"a/one": b"\x7fELF1", "two.so": b"\x7fELF2", "text.so": b"GROUP", "empty.so": b""}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link").symlink_to("two.so")
    assert [path.name for path in symbols.programs_and_libraries(tmp_path)] == ["one", "two.so"]


def _source(folder: Path, **changed: Any) -> sources.Source:
    """A source package in a folder, with two patches of Debian's of which one is to be applied."""
    (folder / "thing-1").mkdir()
    (folder / "thing-1" / "file").write_text("one\n", "utf-8")
    patches = folder / "debian" / "patches"
    patches.mkdir(parents=True)
    (patches / "series").write_text("# CVE-none\nmoves-files.diff\nCVE-1.patch\n", "utf-8")
    for name, word in (("moves-files.diff", "moved"), ("CVE-1.patch", str(changed.pop("becomes", "mended")))):
        (patches / name).write_text(f"--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+{word}\n", "utf-8")
    for name, tree in (("thing_1.orig.tar.gz", "thing-1"), ("thing_1-2.debian.tar.xz", "debian")):
        mode: Any = "w:" + name.rpartition(".")[2]
        with tarfile.open(folder / name, mode) as archive:
            archive.add(folder / tree, tree)
    digest = hashlib.sha256((folder / "thing_1.orig.tar.gz").read_bytes()).hexdigest()
    source = sources.Source("thing", "thing", "thing_1.orig.tar.gz", digest, "file", "true", ("CVE-",))
    return source._replace(**changed)


def _no_apt(*words: object) -> None:
    raise AssertionError(words)


def test_a_source_that_is_there_is_not_fetched_but_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = _source(tmp_path)
    monkeypatch.setattr(sources, "_apt", _no_apt)
    tree = sources.unpack(source, tmp_path, tmp_path / "build")
    assert (tree / "file").read_text("utf-8") == "mended\n"


@pytest.mark.parametrize(
    ("lost", "changed", "words"),
    [
        ("thing_1.orig.tar.gz", {}, "cannot be fetched"),
        ("thing_1-2.debian.tar.xz", {}, "patches of thing cannot be fetched"),
        ("", {"sha256": "0" * 64}, "is not the file"),
    ],
)
def test_a_source_that_is_missing_or_another_one_is_refused(
    lost: str, changed: dict[str, object], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = _source(tmp_path, **changed)
    asked: list[object] = []
    monkeypatch.setattr(sources, "_apt", lambda *words: asked.append(words))
    (tmp_path / lost).unlink() if lost else None
    with pytest.raises(sources.CannotBundle, match=words):
        sources.unpack(source, tmp_path, tmp_path / "build")
    assert bool(asked) == bool(lost)


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is Debian's")
def test_packages_are_extracted_each_into_a_folder_of_its_name(tmp_path: Path) -> None:
    names = ("first", "second-dev")
    for name in names:
        control = tmp_path / "made" / name / "DEBIAN" / "control"
        control.parent.mkdir(parents=True)
        about = {"Package": name, "Version": "1", "Architecture": "amd64", "Maintainer": "us", "Description": "x"}
        control.write_text("".join(f"{key}: {word}\n" for key, word in about.items()), "utf-8")
        (control.parents[1] / "file").write_text(name, "utf-8")
        target = tmp_path / f"{name}_1_amd64.deb"
        subprocess.run(["dpkg-deb", "--build", control.parents[1], target], check=True, capture_output=True)
    folders = sources.extract_packages(names, tmp_path, tmp_path / "out" / "of it")
    assert [folder.name for folder in folders] == [*names]
    assert [(folder / "file").read_text("utf-8") for folder in folders] == [*names]
    (tmp_path / "first_1_amd64.deb").write_bytes(b"no package")
    with pytest.raises(sources.CannotBundle, match="cannot be unpacked"):
        sources.extract_packages(names, tmp_path, tmp_path / "again")


def test_a_patch_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    source = _source(tmp_path)
    with tarfile.open(tmp_path / "thing_1-3.debian.tar.xz", "w:xz") as archive:
        (tmp_path / "debian" / "patches" / "CVE-1.patch").write_text(
            "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-two\n+mended\n", "utf-8"
        )
        archive.add(tmp_path / "debian", "debian")
    with pytest.raises(sources.CannotBundle, match=r"CVE-1\.patch does not fit"):
        sources.unpack(source, tmp_path, tmp_path / "build")


def test_every_source_is_named_once_and_python_is_built_last() -> None:
    every = sources.every_source()
    assert len({source.name for source in every}) == len(every)
    assert every[-1].package == f"python{interpreter.PYTHON}"
    assert [source.name for source in every if not re.fullmatch("[0-9a-f]{64}", source.sha256)] == []


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    """The launcher, in a folder whose Python says how it was called."""
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    folder = tmp_path / "a folder"
    python = folder / "python" / "bin" / f"python{interpreter.PYTHON}"
    python.parent.mkdir(parents=True)
    python.write_text(
        '#!/bin/sh\nfor word; do printf "<%s>" "$word"; done; echo "$PYTHONPATH$PYTHONHOME$OTHER"\n', "utf-8"
    )
    python.chmod(0o755)
    source = Path(interpreter.__file__).with_name("launcher.c")
    subprocess.run([compiler, "-Wall", "-Werror", "-o", str(folder / "logdump"), str(source)], check=True)
    return folder / "logdump"


def test_the_launcher_hands_on_each_word_and_no_setting_of_another_python(launcher: Path, tmp_path: Path) -> None:
    words = ["count", "", "a b", "-c", "open 'x'; n", "é", "*"]
    expected_text = "".join(f"<{word}>" for word in ["-I", "-m", "logdump", *words])
    settings = {**os.environ, "PYTHONPATH": "p", "PYTHONHOME": "h", "OTHER": "o"}
    (tmp_path / "link").symlink_to(launcher)
    for program in (launcher, tmp_path / "link", "./link"):
        assert answer(program, *words, env=settings, cwd=tmp_path) == (0, f"{expected_text}o\n")


def test_a_launcher_without_its_python_says_so(launcher: Path) -> None:
    shutil.rmtree(launcher.parent / "python")
    status, text = answer(launcher)
    assert status == 1
    assert text == f"logdump: {launcher.parent}/python/bin/python{interpreter.PYTHON}: No such file or directory\n"


def test_an_unknown_bundle_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("small") == 2
    assert capsys.readouterr().err == "There is no bundle small.\n"
