"""DEBUG: in Logdump it enters the debugger; here it shows what a bug report needs."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator

from logdump import __version__
from logdump.language.command import Command
from logdump.language.forms import NOTHING
from logdump.session.events import Event, say
from logdump.session.session import Session

_PACKAGES = ("construct", "textual", "numpy", "pyspark", "pyarrow")


def run_debug(_session: Session, _arguments: None) -> Iterator[Event]:
    """Show the versions of all components."""
    yield say(
        "DEBUG is for support only, and there is no debugger to enter. For a bug report:",
        f"logdump {__version__}, Python {platform.python_version()} ({platform.python_implementation()})",
        f"{platform.system()} {platform.release()}, {platform.machine()}, {sys.byteorder}-endian",
        ", ".join([*_package_versions(), _kernels()]),
    )


def _kernels() -> str:
    from trailformat.native.loaded import library_note, why_interpreted  # noqa: PLC0415 - of this command only

    if why := why_interpreted():
        return f"kernels interpreted ({why})"
    note = library_note()
    return f"kernels for {note.processor} (made by {note.made_by})"


def _package_versions() -> Iterator[str]:
    from importlib import metadata  # noqa: PLC0415 - it loads the email package

    for name in _PACKAGES:
        try:
            yield f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            yield f"{name} not installed"


COMMANDS = (Command("DEBUG", NOTHING, "Show what a bug report needs; there is no debugger", run_debug),)
