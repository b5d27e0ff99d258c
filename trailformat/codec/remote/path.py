"""Paths of files in stores: ``s3://bucket/dirdat/lt000000001`` as a Path that queries the store, not the system."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from pathlib import Path, PosixPath
from typing import Any, Self
from urllib.parse import unquote_to_bytes

from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.url import Credentials, StoreUrl, url_of
from trailformat.errors import NotATrail

with on_demand:
    from trailformat.codec.remote import store

_FILE_URL = "file:///"


class RemotePath(PosixPath):
    """The URL of a file or folder in a store, as a Path whose methods query the store."""

    @property
    def url(self) -> StoreUrl:
        """The path as a StoreUrl."""
        scheme, host = (*self.parts[:2], "", "")[:2]
        return StoreUrl(scheme.removesuffix(":"), host, "/".join(self.parts[2:]))

    @property
    def top(self) -> Self:
        """The top folder of the store."""
        return type(self)(*self.parts[:2])

    def __str__(self) -> str:
        if not self.parts:
            return "."
        return f"{self.parts[0]}//{'/'.join(self.parts[1:])}"

    def __fspath__(self) -> str:
        return str(self)

    def __bytes__(self) -> bytes:
        return os.fsencode(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (str(self), self.url.credentials, self.url.query)

    def as_posix(self) -> str:
        """Return the URL."""
        return str(self)

    def as_uri(self) -> str:
        """Return the URL."""
        return str(self)

    def is_absolute(self) -> bool:
        """Return True."""
        return True

    def absolute(self) -> Self:
        """Return the path itself."""
        return self

    def expanduser(self) -> Self:
        """Return the path itself."""
        return self

    def resolve(self, strict: bool = False) -> Self:  # noqa: ARG002, FBT001, FBT002 - as in Path
        """Return the path itself: a store has no links."""
        return self

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:  # noqa: ARG002 - as in Path
        """Return the status from the store, at most a few seconds old. Raises OSError."""
        return store.store_of(self.url).status(self.url)

    def lstat(self) -> os.stat_result:
        """Like ``stat``: a store has no links."""
        return self.stat()

    def exists(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - as in Path
        """Return whether the store has a file or folder of this name; False if the store cannot be reached."""
        return self._mode() is not None

    def is_file(self) -> bool:
        """Return whether the store has a file of this name; False if the store cannot be reached."""
        mode = self._mode()
        return mode is not None and stat.S_ISREG(mode)

    def is_dir(self) -> bool:
        """Return whether the store has a folder of this name; False if the store cannot be reached."""
        mode = self._mode()
        return mode is not None and stat.S_ISDIR(mode)

    def is_symlink(self) -> bool:
        """Return False: a store has no links."""
        return False

    def samefile(self, other_path: str | os.PathLike[str]) -> bool:
        """Return whether both paths are the same file."""
        return os.path.samestat(self.stat(), place(other_path).stat())

    def iterdir(self) -> Generator[Self, None, None]:
        """Yield the entries of a folder, by name. Raises OSError."""
        yield from [self / name for name in store.store_of(self.url).names(self.url)]

    def unlink(self, missing_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - as in Path
        """Remove the file from the store. Raises OSError."""
        if not missing_ok or self.exists():
            store.store_of(self.url).remove(self.url)

    def _mode(self) -> int | None:
        try:
            return self.stat().st_mode
        except (OSError, ValueError):
            return None


def _again(text: str, credentials: Credentials, query: str) -> RemotePath:
    """Return the path in another process, with the credentials and query of its URL."""
    path = RemotePath(text)
    path.url.keep(credentials, query)
    return path


def place(name: str | os.PathLike[str]) -> Path:
    """Return the path of a name: a RemotePath if it is the URL of a store."""
    if isinstance(name, Path):
        return name
    text = os.fspath(name)
    url = url_of(text)
    return RemotePath(f"{url.scheme}:", url.host, url.key) if url is not None else Path(text)


def path_of(word: str | os.PathLike[str]) -> Path:
    """Return the path that a word of a user names: ``~`` and ``~user`` are home folders.

    As in the shell, the word is the name itself if there is no such user, or no home folder. A Path is always one of
    this machine. A ``file:///`` URL names a file by its bytes, ``%0A`` for a line feed: each name has such a word.

    Raises:
        NotATrail: the word is empty, as that of a variable of a script which is not set.
    """
    if word == "":
        raise NotATrail("an empty name names no file")
    if isinstance(word, str) and word.startswith(_FILE_URL):
        return Path(os.fsdecode(unquote_to_bytes(word[len(_FILE_URL) - 1 :])))
    path = place(word)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def absolute(path: Path) -> Path:
    """Return ``path`` made absolute, without dots; links stay, as the user named them."""
    return path if isinstance(path, RemotePath) else Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows links
