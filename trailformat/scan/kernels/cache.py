"""The compiled kernels in the user's cache directory, so that each machine compiles them once.

    $XDG_CACHE_HOME/logdump/kernels/<digest>.o

    offset  size    content
    0       32      SHA-256 of the rest
    32      ...     the names of the kernels, each with the number of its arguments, and LF;
                    an object file in the machine's own format

The digest covers the sources of the kernels, the numbers of the format that are compiled in, and what they are compiled
with and for: another version of anything is another file. A file that is not what was written, or that others could
have written, is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from trailformat.errors import CannotWrite
from trailformat.scan.kernels import constants
from trailformat.scan.kernels.private_folder import private_folder, read_private
from trailformat.trail.whole_file import WholeFile

_HERE = Path(__file__).parent
_SHA256_SIZE = 32


def kept(made_with: str, sources: Path = _HERE) -> Path | None:
    """The file of compiled kernels, there or not; None where others could write it: each process then compiles its own.

    ``made_with`` names the compiler and the processor, ``sources`` the folder of the kernels' sources.
    """
    digest = hashlib.sha256(f"{made_with} {constants.values()}".encode())
    for source in sorted({*_HERE.glob("*.py"), *sources.glob("*.py")}):
        digest.update(source.read_bytes())
    folder = private_folder("kernels")
    return folder / f"{digest.hexdigest()[:32]}.o" if folder else None


def read(path: Path) -> bytes | None:
    """The object file that was kept, or None."""
    kept_bytes = read_private(path) or b""
    code = kept_bytes[_SHA256_SIZE:]
    return code if hashlib.sha256(code).digest() == kept_bytes[:_SHA256_SIZE] else None


def keep(path: Path, code: bytes) -> None:
    """Keep an object file; where it cannot be written, every process compiles the kernels."""
    with contextlib.suppress(CannotWrite), WholeFile(path, replace=True, mode=0o600, is_durable=False) as file:
        file.write(hashlib.sha256(code).digest() + code)
