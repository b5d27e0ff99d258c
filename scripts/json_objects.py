"""All JSON objects that logdump prints, found in the modules that define them."""

from __future__ import annotations

import importlib
from pathlib import Path

import logdump
from logdump.display.json_lines import BAD_RECORD, FILE_HEADER
from logdump.display.json_record import RECORD
from logdump.display.json_shape import Shape

_ROOT = Path(logdump.__file__).parent
_MODULES = [*sorted(_ROOT.glob("display/json_*.py")), *sorted(_ROOT.glob("features/*/json.py"))]


def _names() -> list[str]:
    return [".".join(("logdump", *path.relative_to(_ROOT).with_suffix("").parts)) for path in _MODULES]


def _found() -> list[Shape]:
    """Return each object once, in the order of the modules and of their lines."""
    shapes = [
        value for name in _names() for value in vars(importlib.import_module(name)).values() if isinstance(value, Shape)
    ]
    return [shape for shape in {id(shape): shape for shape in shapes}.values() if shape.members]


_ALL = _found()
SHAPES = tuple(shape for shape in _ALL if shape.event is not None or shape in (RECORD, FILE_HEADER, BAD_RECORD))
"""The objects that are printed on a line of their own; each begins with ``type``, the name of its shape."""
PARTS = tuple(shape for shape in _ALL if shape not in SHAPES)
"""The objects inside those."""
