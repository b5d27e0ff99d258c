"""The fence around a process that works for agents: it reads below the roots and its own program, and writes nothing.

Two fences hold independently. Linux enforces the first one (Landlock), whatever the process runs, and without a moment
between check and use. The second one is a hook of Python on each opening, which every system has.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from logdump.agents.folders import Folders
from trailformat.codec.remote.path import path_of

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_SYSTEM = (
    *("/usr", "/lib", "/lib64", "/etc/localtime", "/etc/timezone", "/etc/ld.so.cache", "/dev/null", "/dev/urandom"),
    *("/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/self/cgroup", "/proc/self/mountinfo", "/proc/self/statm"),
    *("/proc/self/status", "/proc/self/maps", "/sys/fs/cgroup", "/sys/devices/system", "/nix/store", "/gnu/store"),
)
"""Files of a system that Python, numpy, Arrow and DuckDB read."""
_OF_STORES = ("/etc", "~/.aws", "~/.azure", "~/.config/gcloud", "~/.ssh")
"""Files that the clients of stores read in addition: certificates, names of hosts, credentials."""

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = frozenset(
    {
        *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
        *("os.chown", "os.utime", "os.setxattr", "os.removexattr", "os.lockf"),
    }
)
"""Events of Python whose first argument is a path that is changed."""
_STARTS = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile"})
_CONNECTS = frozenset({"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"})
_LISTS = frozenset({"os.listdir", "os.scandir"})


class Fence(NamedTuple):
    """What the process may do.

    Attributes:
        folders: the roots.
        scratch: the private folder for temporary files, which the starter of the process removes.
    """

    folders: Folders
    scratch: str

    @property
    def readable(self) -> tuple[str, ...]:
        """The files and folders that may be read, links resolved."""
        libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
        program = (*sys.path, sys.prefix, sys.base_prefix, sys.exec_prefix, *libraries)
        stores = (str(path_of(name)) for name in (_OF_STORES if self.folders.urls else ()))
        named = (*self.folders.paths, self.scratch, *filter(os.path.isabs, program), *_SYSTEM, *stores)
        return tuple(dict.fromkeys(os.path.realpath(path) for path in named if os.path.exists(path)))  # noqa: PTH110

    def close(self) -> bool:
        """Put up the fences around this process, for good; return whether the system enforces the first one."""
        readable = self.readable
        _limit()
        is_enforced = _enforce(readable, self.scratch, has_network=bool(self.folders.urls))
        sys.addaudithook(_hook(readable, self.scratch, has_network=bool(self.folders.urls)))
        return is_enforced


def _below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in roots)


def _hook(readable: Sequence[str], scratch: str, *, has_network: bool) -> Any:
    """Return the hook that raises PermissionError for what the fence does not allow."""
    writable = (scratch, os.devnull)

    def check(path: Any, roots: Sequence[str]) -> None:
        if isinstance(path, int) or path is None:
            return
        resolved = os.path.realpath(os.fsdecode(path))
        if not _below(resolved, roots):
            raise PermissionError(1, "it is not below the folders of this server", os.fsdecode(path))

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _mode, flags = arguments
            check(path, writable if isinstance(flags, int) and flags & _WRITES else readable)
        elif event in _LISTS:
            check(arguments[0], readable)
        elif event in _CHANGES:
            check(arguments[0], writable)
        elif event in _STARTS or (event in _CONNECTS and not has_network):
            raise PermissionError(1, "a call of an agent starts no program and uses no network")

    return hook


_MOST_DATA = 3 << 30
"""Bytes of memory that the process may ask for."""


def _limit() -> None:
    """Limit the memory of the process, and let it leave no dump of it."""
    if resource is None:
        return
    for kind, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, _MOST_DATA)):
        hard = resource.getrlimit(kind)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, allowed))


_DEATH_SIGNAL = 1
"""The request of prctl that names the signal for the end of the starter."""


def end_with(starter: int) -> None:
    """Let the system end this process with the one that has started it, if it can."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != starter:
        raise SystemExit(1)


_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The system calls of Landlock, which have one number on all processors but Alpha."""
_NO_NEW_PRIVILEGES = 38
_BENEATH = 1
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_ON_FILES = (1 << 0) | (1 << 1) | _READ_FILE | (1 << 14)
"""The accesses that a rule for a file may name: execute, write, read, truncate."""
_ACCESSES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}
"""The accesses to files that a version of Landlock knows; later ones know those of 3, and of devices."""
_NETWORK = 0b11
_FIRST_WITH_NETWORK = 4


def _enforce(readable: Sequence[str], scratch: str, *, has_network: bool) -> bool:
    """Let the system refuse all other accesses of this process; return whether it does."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        call = ctypes.CDLL(None, use_errno=True).syscall
    except (OSError, AttributeError):
        return False
    version: int = call(_CREATE, None, 0, 1)
    if version < 1:
        return False
    accesses = _ACCESSES.get(version, _ACCESSES[3])
    numbers = [accesses]
    if version >= _FIRST_WITH_NETWORK:
        numbers.append(0 if has_network else _NETWORK)
    attributes = struct.pack(f"={len(numbers)}Q", *numbers)
    rules = call(_CREATE, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        for path in readable:
            _allow(call, rules, path, _READ_FILE | _READ_FOLDER)
        _allow(call, rules, scratch, accesses)
        _allow(call, rules, os.devnull, accesses & _ON_FILES)
        is_bound = ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
        return bool(is_bound and call(_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def _allow(call: Any, rules: int, path: str, accesses: int) -> None:
    """Add a rule: these accesses to a file, or to a folder and what is below it."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what cannot be found needs no rule
    try:
        is_folder = os.path.isdir(path)  # noqa: PTH112 - a path of the system
        allowed = accesses if is_folder else accesses & _ON_FILES
        call(_ADD, rules, _BENEATH, struct.pack("=Qi", allowed, handle), 0)
    finally:
        os.close(handle)
