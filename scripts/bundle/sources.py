"""The sources of Debian that the bundle is built from: which ones, and how they are fetched.

apt fetches them and proves their origin; the digests in ``sources.toml`` prove that they are those that were tried.
What lies in the folder already is not fetched again, so that a folder can be brought along.
"""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_RECIPES = Path(__file__).with_name("sources.toml")
_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
_SUITE, _OLD_SUITE = "trixie", "bullseye"
C_LIBRARY = ("libc6",)
"""Packages of the C library that tests put into a root of their own; nothing of it is in the bundle."""
CXX_LIBRARY = ("libstdc++6", "libgcc-s1", "gcc-10-base")
"""Packages of the C++ library that wheels need, and its licence; this release's need no newer glibc than 2.18."""
OPENSSL = ("libssl-dev",)
"""Package of OpenSSL 1.1.1 as archives, for Python's module ssl: pyarrow imports it, nothing in the bundle uses it."""


class CannotBundle(Exception):
    """A source or a tool is missing, or a step fails; the message says which."""


class Source(NamedTuple):
    """A source package, and how its part of the bundle is built.

    Attributes:
        package: its name at Debian.
        file: the name of the file of the sources as its authors publish them.
        sha256: of that file, in hex.
        licence: the path of the licence in it.
        build: lines for the shell.
        patches: what the names of Debian's patches that are applied begin with.
    """

    name: str
    package: str
    file: str
    sha256: str
    licence: str
    build: str
    patches: Sequence[str] = ()


def every_source() -> list[Source]:
    """Return the sources in the order in which they are built."""
    return [Source(**source) for source in tomllib.loads(_RECIPES.read_text("utf-8"))["source"]]


def fetch(source: Source, folder: Path) -> Path:
    """Return the path of the file of a source, which is fetched unless it is there.

    Raises:
        CannotBundle: it cannot be fetched, or it is another file than the one that was tried.
    """
    path = folder / source.file
    if not (path.is_file() and (not source.patches or _patches_file(source, folder))):
        # a missing description of the package is no error: the digest is known
        _apt(folder, "source", "--download-only", source.package)
    if not path.is_file():
        raise CannotBundle(
            f"{source.file} of Debian's package {source.package} cannot be fetched; put it into {folder}"
        )
    if hashlib.sha256(path.read_bytes()).hexdigest() != source.sha256:
        raise CannotBundle(f"{path} is not the file whose SHA-256 is in {_RECIPES}")
    return path


def fetch_packages(names: Sequence[str], folder: Path) -> list[Path]:
    """Return the paths of binary packages of Debian's old release, which are fetched unless they are there.

    Raises:
        CannotBundle: one cannot be fetched.
    """
    for name in names:
        if not any(folder.glob(f"{name}_*_amd64.deb")):
            _apt(folder, "download", name)
    missing = [name for name in names if not any(folder.glob(f"{name}_*_amd64.deb"))]
    if missing:
        raise CannotBundle(f"Debian's {', '.join(missing)} of {_OLD_SUITE} cannot be fetched; put it into {folder}")
    return [max(folder.glob(f"{name}_*_amd64.deb")) for name in names]


def extract_packages(names: Sequence[str], folder: Path, target: Path) -> list[Path]:
    """Extract binary packages, each below a folder of its name; return these folders. Raises as ``fetch_packages``."""
    extracted = []
    for package in fetch_packages(names, folder):
        extracted.append(target / package.name.partition("_")[0])
        extracted[-1].mkdir(parents=True, exist_ok=True)
        if run(["dpkg-deb", "--extract", str(package.absolute()), str(extracted[-1].absolute())], folder):
            raise CannotBundle(f"{package} cannot be unpacked")
    return extracted


def unpack(source: Source, folder: Path, target: Path) -> Path:
    """Unpack a source below a folder and apply its patches; return the folder with its files.

    Raises:
        CannotBundle: it is not one folder, a patch is missing or does not fit.
    """
    target.mkdir(parents=True)
    with tarfile.open(fetch(source, folder)) as archive:
        archive.extractall(target, filter="tar")
    found = list(target.iterdir())
    if len(found) != 1:
        raise CannotBundle(f"{source.file} holds {len(found)} files and folders; it has to hold one folder")
    if source.patches:
        _patch(source, folder, found[0])
    return found[0]


def _patches_file(source: Source, folder: Path) -> Path | None:
    return max(folder.glob(f"{source.file.partition('.orig.')[0]}-*.debian.tar.*"), default=None)


def _patch(source: Source, folder: Path, tree: Path) -> None:
    path = _patches_file(source, folder)
    if path is None:
        raise CannotBundle(f"Debian's patches of {source.package} cannot be fetched; put them into {folder}")
    with tarfile.open(path) as archive:
        archive.extractall(tree, filter="data")
    patches = tree / "debian" / "patches"
    names = (patches / "series").read_text("utf-8").split("\n")
    chosen = [name.strip() for name in names if name.startswith(tuple(source.patches))]
    for name in chosen:
        command = ["patch", "--silent", "--strip=1", "--input", str(patches / name)]
        if run(command, tree):
            raise CannotBundle(f"Debian's patch {name} does not fit {source.file}")


def run(command: Sequence[str], folder: Path, log: Path | None = None) -> int:
    """Run a command in a folder; its output goes to the log, else to the terminal; return its exit status."""
    if log is None:
        return subprocess.run(command, cwd=folder, check=False).returncode  # noqa: S603 - our own command
    with log.open("ab") as out:
        done = subprocess.run(command, cwd=folder, check=False, stdout=out, stderr=out)  # noqa: S603 - our own command
    return done.returncode


def _apt(folder: Path, *words: str) -> None:
    """Run apt-get in a folder, with lists of its own: the machine's stay as they are.

    Raises:
        CannotBundle: this machine does not know where Debian's packages are.
    """
    home = (folder / "apt").absolute()
    options = {
        "Dir::Etc::sourcelist": home / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": home / "lists",
        "Dir::State::status": "/dev/null",
        "Dir::Cache": home / "cache",
        "APT::Sandbox::User": "root",
    }
    command = ["apt-get", "--quiet=2", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    if not (home / "sources.list").is_file():
        for part in ("lists/partial", "cache/archives/partial"):
            (home / part).mkdir(parents=True, exist_ok=True)
        (home / "sources.list").write_text(_sources_list(), "utf-8")
        run([*command, "update"], folder)
    run([*command, *words], folder)


def _sources_list() -> str:
    question = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian", "Created-By: Packages"]
    try:
        done = subprocess.run(question, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    except FileNotFoundError:
        raise CannotBundle("the sources are Debian's, and there is no apt-get to fetch them") from None
    main = [line for line in done.stdout.split() if line.rstrip("/").endswith("/debian")]
    if not main:
        raise CannotBundle("apt-get does not know where Debian's packages are")
    return (
        f"deb-src [signed-by={_KEYS}] {main[0]} {_SUITE} main\n"
        f"deb [signed-by={_KEYS} arch=amd64] {main[0]} {_OLD_SUITE} main\n"
    )
