"""Files and folders until they get their names, and checks of existing files of the same names."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import RemotePath
from trailformat.errors import CannotWrite, reason_of
from trailformat.trail.command_files import OUTCOMES
from trailformat.trail.whole_file.leftovers import close, create, create_folder, lock, make, sweep, temporary_path

with on_demand:
    import threading

    from trailformat.codec.remote import store

_NAME, _VALUE = "user.logdump", b"copy"


def mark_as_copy(file: int) -> None:
    """Mark an open file as a copy, if the file system supports extended attributes."""
    if hasattr(os, "setxattr"):
        with contextlib.suppress(OSError):
            os.setxattr(file, _NAME, _VALUE)


def is_copy(path: Path) -> bool:
    """Return True if a file is marked as a copy; False if that cannot be determined."""
    if hasattr(os, "getxattr"):
        with contextlib.suppress(OSError):
            return os.getxattr(path, _NAME, follow_symlinks=False) == _VALUE
    return False


_LONG = 1 << 23
"""Bytes from which on a file's blocks are freed in a thread, as that takes a while."""
_KINDS = ((stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"), (stat.S_ISREG, "a file"), (stat.S_ISDIR, "a folder"))


def kind_of(path: Path) -> str | None:
    """Return the kind of file at ``path``: ``a file``, ``a folder``, ``a device``, ``a link to …``; None without one.

    Raises:
        OSError: the kind cannot be determined.
        ValueError: it is not a path.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        return f"a link to {os.readlink(path)}"  # noqa: PTH115 - as it was written
    return next((kind for is_kind, kind in _KINDS if is_kind(mode)), "a device")


def check_target(path: Path, *, replace: bool, wanted: str = "a file") -> None:
    """Check that a file, or a folder if ``wanted`` is ``a folder``, may get this name.

    Raises:
        OSError: it may not; the message names the kind of the existing file.
        ValueError: it is not a path.
    """
    kind = kind_of(path)
    if kind is None or (kind == wanted and replace):
        return
    if kind == wanted:
        raise FileExistsError(errno.EEXIST, f"{wanted.removeprefix('a ')} exists already")
    raise FileExistsError(errno.EEXIST, f"it is {kind}; only {wanted} that is not a link can be replaced")


class StagedFiles:
    """The files of one writer, which get their names all together.

    Args:
        replace: True if existing files of these names may be replaced.
        mode: the permissions; None: those of any new file.
        is_durable: True if the files must survive a crash of the machine.
    """

    def __init__(self, *, replace: bool = False, mode: int | None = None, is_durable: bool = True) -> None:
        self._replace = replace
        self._mode = mode
        self._is_durable = is_durable
        self._writer = ""
        self._staged: list[tuple[Path, Path]] = []
        self._lock: int | None = None
        self._folder: Path | None = None

    def new(self, path: Path) -> BinaryIO:
        """Create the next file, with the final name ``path``; ``finish`` completes it.

        Raises:
            OSError, ValueError: the name is taken by a file that may not be replaced, or the file cannot be created.
        """
        check_target(path, replace=self._replace)
        if isinstance(path, RemotePath):
            return self._new_in_store(path)
        if self._lock is None:
            sweep(path.parent)
            self._writer, self._lock = make(path, create)
            self._staged.append((temporary_path(path, self._writer), path))
            return os.fdopen(os.dup(self._lock), "wb")
        handle = create(temporary_path(path, self._writer))
        self._staged.append((temporary_path(path, self._writer), path))
        return os.fdopen(handle, "wb")

    def _new_in_store(self, path: RemotePath) -> BinaryIO:
        """Create a local file that ``publish`` uploads to a store."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="logdump-"))
        temporary = self._folder / path.name
        self._staged.append((temporary, path))
        return os.fdopen(create(temporary), "wb")

    @property
    def paths(self) -> tuple[Path, ...]:
        """The temporary paths of the files."""
        return tuple(temporary for temporary, _ in self._staged)

    def finish(self, file: BinaryIO) -> None:
        """Sync (if durable) and close a complete file. Raises OSError."""
        file.flush()
        if self._is_durable:
            os.fsync(file.fileno())
        file.close()

    def publish(self) -> None:
        """Give every file its name, the first file last: if it exists, all do.

        Raises:
            OSError: this failed, and no file got its name; former files are restored or are in OUTCOMES.displaced.
        """
        if self._folder is not None:
            put_into_store(self._staged)
            OUTCOMES.named.extend(path for _, path in self._staged)
            self.discard()
            return
        named: list[Path] = []
        try:
            for temporary, path in reversed(self._staged):
                if self._replace and len(self._staged) > 1:
                    self._keep(path)
                self._name(temporary, path)
                named.append(path)
        except BaseException:
            self._take_back(named)
            raise
        if self._is_durable:
            OUTCOMES.named.extend(reversed(named))
        for temporary, path in self._staged:
            former = temporary_path(path, self._writer, "former")
            with _freed_in_a_thread(former):
                OUTCOMES.remove(former)
            OUTCOMES.remove(temporary)
        if self._is_durable:
            for folder in {path.parent for path in named}:
                sync_names(folder)
        self._staged.clear()
        self._unlock()

    def _keep(self, path: Path) -> None:
        """Keep the file that is about to be replaced under another name, until all files have their names."""
        check_target(path, replace=True)
        if not path.exists():
            return
        former = temporary_path(path, self._writer, "former")
        try:
            former.hardlink_to(path)
        except OSError:
            path.rename(former)  # a file system without hard links

    def _take_back(self, named: list[Path]) -> None:
        for _, path in self._staged:
            former = temporary_path(path, self._writer, "former")
            try:
                former.replace(path)
            except FileNotFoundError:
                if path in named:
                    OUTCOMES.remove(path)
            except OSError:
                OUTCOMES.displace(former, path)
            else:
                OUTCOMES.remove(former)  # replacing one link of a file by another does nothing

    def _name(self, temporary: Path, path: Path) -> None:
        """Give one file its permissions and its name; an existing file is replaced only if ``replace`` is set."""
        temporary.chmod(0o666 & ~_umask() if self._mode is None else self._mode)
        if self._replace:
            check_target(path, replace=True)
            with _freed_in_a_thread(path):
                temporary.replace(path)
            return
        try:
            path.hardlink_to(temporary)
        except OSError as error:
            if error.errno == errno.EEXIST or path.exists():
                raise
            temporary.rename(path)  # a file system without hard links

    def discard(self) -> None:
        """Remove the files without names."""
        for temporary, _ in reversed(self._staged):
            OUTCOMES.remove(temporary)
        if self._folder is not None:
            OUTCOMES.remove(self._folder)
            self._folder = None
        self._staged.clear()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            close(self._lock)
            self._lock = None


def put_into_store(files: Sequence[tuple[Path, Path]]) -> None:
    """Upload local files to a store, each as a whole, the first file last: if it exists, all do.

    Raises:
        OSError: this failed; the uploaded files that replaced no other are removed again.
    """
    done: list[RemotePath] = []
    try:
        for temporary, path in reversed(files):
            remote = cast("RemotePath", path)
            is_new = not remote.exists()
            store.store_of(remote.url).put(os.fspath(temporary), remote.url)
            done += [remote] if is_new else []
    except BaseException:
        for remote in done:
            with contextlib.suppress(OSError):
                remote.unlink()
        raise


class _Whole:
    """A file or folder that gets its name when the context is left without an exception; otherwise it is removed."""

    _path: Path

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._publish()
        except OSError as trouble:
            raise cannot_write(trouble, self._path) from trouble
        finally:
            self._discard()

    def _publish(self) -> None:
        raise NotImplementedError

    def _discard(self) -> None:
        raise NotImplementedError


class WholeFile(_Whole):
    """A file that gets its name when the context is left without an exception.

    Args:
        path: the target.
        replace: True if an existing file may be replaced.
        mode: the permissions; None: those of any new file.
        is_durable: True if it must survive a crash of the machine.

    Attributes:
        staged: the temporary path, for writers that need one.

    Raises:
        CannotWrite: the target exists, or cannot be created or written; no temporary file remains.
    """

    def __init__(self, path: Path, *, replace: bool = False, mode: int | None = None, is_durable: bool = True) -> None:
        self._path = path
        self._files = StagedFiles(replace=replace, mode=mode, is_durable=is_durable)
        try:
            self._file = self._files.new(path)
        except (OSError, ValueError) as error:
            self._files.discard()
            raise cannot_write(error, path) from error
        self.staged = self._files.paths[0]

    def _publish(self) -> None:
        self._files.finish(self._file)
        self._files.publish()

    def _discard(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        self._files.discard()

    def write(self, data: bytes) -> None:
        """Append bytes."""
        try:
            self._file.write(data)
        except OSError as error:
            raise cannot_write(error, self._path) from error


class WholeFolder(_Whole):
    """A folder that gets its name when all its files are complete; a context manager like WholeFile.

    Args:
        path: the target; an existing folder is replaced with all its contents, but not in a store.

    Attributes:
        staged: the temporary folder, for any process on this machine.

    Raises:
        CannotWrite: the target exists and is not a folder, or writing fails.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            check_target(path, replace=not isinstance(path, RemotePath), wanted="a folder")
            if isinstance(path, RemotePath):
                self._lock: int | None = None
                self.staged = Path(tempfile.mkdtemp(prefix="logdump-"))
                return
            sweep(path.parent)
            self._writer, self._lock = make(path, create_folder)
        except (OSError, ValueError) as error:
            raise cannot_write(error, path) from error
        self.staged = temporary_path(path, self._writer)

    def _discard(self) -> None:
        OUTCOMES.remove(self.staged)
        if self._lock is not None:
            close(self._lock)

    def _publish(self) -> None:
        if isinstance(self._path, RemotePath):
            files = sorted(file for file in self.staged.rglob("*") if file.is_file())
            put_into_store([(file, self._path / file.relative_to(self.staged)) for file in files])
            OUTCOMES.named.append(self._path)
            return
        for folder, _, names in os.walk(self.staged, onerror=_refuse):
            for name in names:
                _sync(Path(folder, name))
            sync_names(Path(folder))
        self.staged.chmod(0o777 & ~_umask())
        check_target(self._path, replace=True, wanted="a folder")
        if self._path.exists():
            self._replace()
        else:
            self.staged.rename(self._path)
            OUTCOMES.named.append(self._path)
        sync_names(self._path.parent)

    def _replace(self) -> None:
        former = temporary_path(self._path, self._writer, "former")
        handle = os.open(self._path, os.O_RDONLY)
        try:
            lock(handle)
            self._path.rename(former)
            try:
                self.staged.rename(self._path)
            except BaseException:
                self._put_back(former)
                raise
            OUTCOMES.named.append(self._path)
            OUTCOMES.remove(former)
        finally:
            close(handle)

    def _put_back(self, former: Path) -> None:
        try:
            former.rename(self._path)
        except OSError:
            OUTCOMES.displace(former, self._path)


@contextlib.contextmanager
def _freed_in_a_thread(path: Path) -> Iterator[None]:
    """A context in which a file loses its name; the blocks of a long file are freed in a thread, without waiting."""
    handle = None
    with contextlib.suppress(OSError):
        if os.name == "posix" and path.lstat().st_size >= _LONG:
            handle = os.open(path, os.O_RDONLY)
    try:
        yield
    finally:
        if handle is not None:
            _close_in_a_thread(handle)


def _close_in_a_thread(handle: int) -> None:
    try:
        threading.Thread(target=close, args=(handle,), name="logdump frees").start()
    except RuntimeError:  # no thread can be started
        close(handle)


def cannot_write(error: OSError | ValueError, path: Path) -> CannotWrite:
    """Return the CannotWrite for an error of the system."""
    if isinstance(error, BlockingIOError):
        return CannotWrite("another process is writing it now; run this again", path=path)
    return CannotWrite(reason_of(error), path=path)


def _refuse(error: OSError) -> None:
    raise error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sync_names(folder: Path) -> None:
    """Write the names in a folder to disk, if the system supports that."""
    with contextlib.suppress(OSError):
        _sync(folder)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
