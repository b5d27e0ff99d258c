"""Where compiled kernels are kept: the user's cache directory, so that each machine compiles them once.

    $XDG_CACHE_HOME/logdump/kernels/<digest>.o

    offset  size    content
    0       32      SHA-256 of the rest
    32      ...     an object file in the machine's own format

The digest covers the sources of the kernels and what they are compiled with and for: another version of anything is
another file. A file that is not what was written, or that others could have written, is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from trailformat.errors import CannotWrite
from trailformat.scan.kernels.private_folder import private_folder, read_private
from trailformat.trail.whole_file import WholeFile

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_CONSTANTS = (
    "changes/transactions.py",
    "codec/layout.py",
    "codec/tokens.py",
    "definitions/metadata_kinds.py",
    "records/framing.py",
    "records/io_types.py",
    "records/record_header.py",
    "scan/batch.py",
)
"""Whose numbers the kernels are compiled with."""
_SHA256_SIZE = 32


def kept(made_with: str) -> Path | None:
    """Where the kernels stand, or would; None where others could write there: each process then compiles its own.

    ``made_with`` names the compiler and the processor.
    """
    digest = hashlib.sha256(made_with.encode())
    for source in [*sorted(_HERE.glob("*.py")), *(_ROOT / name for name in _CONSTANTS)]:
        digest.update(source.read_bytes())
    folder = private_folder("kernels")
    return folder / f"{digest.hexdigest()[:32]}.o" if folder else None


def read(path: Path) -> bytes | None:
    """The object file that was kept, or None."""
    kept_bytes = read_private(path) or b""
    code = kept_bytes[_SHA256_SIZE:]
    return code if hashlib.sha256(code).digest() == kept_bytes[:_SHA256_SIZE] else None


def keep(path: Path, code: bytes) -> None:
    """Keep an object file; where it cannot be written, the kernels are compiled anew in every process."""
    with contextlib.suppress(CannotWrite), WholeFile(path, replace=True, mode=0o600, is_durable=False) as file:
        file.write(hashlib.sha256(code).digest() + code)
