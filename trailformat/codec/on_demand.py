"""What is made at its first use: modules that are loaded when one of their names is used, and properties of objects.

One way to defer modules that are heavy or seldom needed:

    with on_demand:
        import numpy as np
        from logdump.display import values_text

Type checkers see plain imports. At run time each name is a proxy that imports the module when an attribute is read;
a missing package is an error only then. Only modules can be named, not what is in them.
"""

from __future__ import annotations

import builtins
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType, TracebackType
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")
_NAMES = "names of the module that imports it"
"""The key of a proxy's namespace, which no attribute of a module has."""


class _ModuleProxy(ModuleType):
    """A module that is imported when an attribute is read, and then takes the proxy's place in the importing module.

    Args:
        module: the name of the module.
        names: those of the module with the import statement.
    """

    def __init__(self, module: str, names: dict[str, object] | None = None) -> None:
        super().__init__(module)
        self.__dict__[_NAMES] = names

    def __getattr__(self, name: str) -> Any:
        module = self.__name__
        loaded = sys.modules.get(module)
        if loaded is None or _is_begun(loaded):
            loaded = import_module(module)  # it waits while another thread imports the module
        if not _is_begun(loaded):
            self._is_replaced_by(loaded)
        return getattr(loaded, name)

    def _is_replaced_by(self, loaded: ModuleType) -> None:
        names: dict[str, object] = self.__dict__[_NAMES] or {}
        for name, value in names.copy().items():  # a copy is made at once, whatever other threads import
            if value is self:
                names[name] = loaded
        self.__dict__[_NAMES] = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _ModuleProxy, (self.__name__,)


def _is_begun(module: ModuleType) -> bool:
    """Return whether a module is being imported: some of its names may be missing."""
    return getattr(getattr(module, "__spec__", None), "_initializing", False)


class _Package:
    """The result of an import of ``from package import module``."""

    def __init__(self, name: str, names: dict[str, object] | None) -> None:
        self._name, self._names = name, names

    def __getattr__(self, module: str) -> ModuleType:
        return _ModuleProxy(f"{self._name}.{module}", self._names)


class _OnDemand:
    """The context in which the import statements of a thread load nothing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._import = builtins.__import__
        self._thread = 0

    def __enter__(self) -> None:
        self._lock.acquire()
        self._import, self._thread = builtins.__import__, threading.get_ident()
        builtins.__import__ = self._proxy_of  # type: ignore[assignment]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        builtins.__import__ = self._import
        self._lock.release()

    def _proxy_of(
        self,
        name: str,
        globals_: dict[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        names: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if threading.get_ident() != self._thread:
            return self._import(name, globals_, locals_, names or (), level)
        return _Package(name, globals_) if names else _ModuleProxy(name, globals_)  # type: ignore[return-value]


on_demand = _OnDemand()
"""The context for imports of modules that are loaded at their first use."""


class Lazy(Generic[T]):
    """A property whose value is computed on first access and then kept in the object.

    It is ``functools.cached_property`` for millions of objects: without the lock that Python 3.11 takes there, and
    without ``__dict__``, which makes every attribute of the object slower.

    Args:
        func: computes the value for an object.
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        self.func = func
        self.__doc__ = func.__doc__
        self._name = func.__name__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object, kind: type) -> Self | T:
        if owner is None:
            return self
        value = self.make(owner)
        setattr(owner, self._name, value)
        return value

    def make(self, owner: Any) -> T:
        """Compute the value for an object."""
        return self.func(owner)
