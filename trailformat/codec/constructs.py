"""The package construct, loaded with the first layout that is made: most readers of records need none."""

from __future__ import annotations

from typing import Any


class _Constructs:
    """Its names."""

    def __getattr__(self, name: str) -> Any:
        import construct  # noqa: PLC0415 - loading it is a third of the start of a command

        return getattr(construct, name)


c: Any = _Constructs()
