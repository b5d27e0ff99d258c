"""The text of a parameter file: of regular files only, and of no more than a megabyte."""

from __future__ import annotations

import os
import re
from pathlib import Path

from logdump.parameters.errors import ParameterError, ParameterPlace
from trailformat.codec.regular_file import open_regular

MOST_BYTES = 1 << 20
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def read_text(path: Path, place: ParameterPlace | None = None) -> str:
    """The text of a file; what is not UTF-8 is taken for Latin-1. ``place`` is that of the INCLUDE that names it.

    Raises:
        ParameterError: it is not there, no regular file, too large, or no text.
    """
    where = place or ParameterPlace(path, 1)
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ParameterError(where, f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ParameterError(where, f"{path} cannot be read: {error}") from error
    if len(data) > MOST_BYTES:
        raise ParameterError(where, f"{path} is larger than 1 MB")
    if found := _CONTROL.search(data):
        line = data.count(b"\n", 0, found.start()) + 1
        raise ParameterError(ParameterPlace(path, line), f"byte x{found[0].hex()} is no text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def found_from(name: str, place: ParameterPlace) -> Path:
    """The file that an INCLUDE names: beside the including file, or from the folder above, which holds ``dirprm``.

    Raises:
        ParameterError: no file can have such a name.
    """
    try:
        path = Path(name).expanduser()
        folder = place.path.parent
        candidates = (folder / path, folder.parent / path)
        return next((one for one in candidates if one.exists()), candidates[0])
    except (OSError, RuntimeError, ValueError) as error:
        raise ParameterError(place, f"{name} cannot be read: {error}") from error
