"""The commands, one module per topic; each lists its own in ``COMMANDS``."""

from __future__ import annotations

from logdump.commands import count, display, dump, env, files, help_, history, position, scan
from logdump.language.registry import Registry

_MODULES = (files, display, position, scan, count, dump, env, history, help_)

REGISTRY = Registry(command for module in _MODULES for command in module.COMMANDS)
"""Every command that a session knows."""
