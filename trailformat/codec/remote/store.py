"""Stores: object stores, HTTP servers, HDFS and SFTP, through ``fsspec``.

All requests to stores are made here, and only OSErrors are raised: temporary failures (a lost connection, a busy
server, a short response) are retried a few times, and no message shows a credential. Options come from the environment,
from URLs and from :func:`use_storage`.
"""

from __future__ import annotations

import base64
import errno
import json
import os
import stat
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, TypeVar, cast
from zlib import crc32

from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.url import StoreUrl, without_secrets
from trailformat.errors import TrailError

with on_demand:
    import aiohttp
    import fsspec

T = TypeVar("T")
ATTEMPTS = 5
"""Maximum number of attempts of a request."""
PAUSE = 0.2
"""Seconds before the second attempt, doubled before each further one."""
RECENT = 2.0
"""Seconds for which a response about a name, not about bytes, is reused."""
_TIMEOUT = 30
_BUSY = (408, 425, 429, 500, 502, 503, 504)
_BUSY_CODES = ("SlowDown", "RequestTimeout", "InternalError")
_FAILED = 300
_PARTIAL = 206
_TOO_SHORT = 416
_ELSEWHERE = errno.EPROTO, "it is in another region or at another endpoint"
_ANSWERS = {
    **dict.fromkeys((301, 302, 307, 308), _ELSEWHERE),
    **dict.fromkeys((401, 407), (errno.EACCES, "the store requires credentials")),
    403: (errno.EACCES, "the store refuses access"),
    404: (errno.ENOENT, ""),
    410: (errno.ENOENT, ""),
    _TOO_SHORT: (errno.ESTALE, "the file has become shorter"),
}
_UNREACHED = (errno.EHOSTUNREACH, errno.ETIMEDOUT)
_MOST_CAUSES = 8
_PASSING = (ConnectionError, TimeoutError, EOFError, InterruptedError)
_PASSING_NAMES = {
    *("ClientConnectionError", "ClientPayloadError", "ServerTimeoutError", "EndpointConnectionError"),
    *("ConnectTimeoutError", "ReadTimeoutError", "IncompleteReadError", "HTTPClientError", "ConnectionClosedError"),
    *("ResponseStreamingError", "FSTimeoutError", "SSHException", "ChunkedEncodingError", "ConnectionError", "Timeout"),
}
_WITHOUT_CREDENTIALS = {
    "NoCredentialsError",
    "PartialCredentialsError",
    "DefaultCredentialsError",
    "AuthenticationException",
}
_EXTRAS = {"gs": "gs", "abfs": "azure", "abfss": "azure", "az": "azure"}
"""The extra of logdump that a scheme needs, if another than ``remote``."""
_PROTOCOLS = {"s3a": "s3", "gcs": "gs", "swebhdfs": "webhdfs"}
_CHUNK = 1 << 20


class NoRangesError(OSError):
    """The server cannot serve a range of a file."""


class Facts(NamedTuple):
    """Properties of a file in a store: size in bytes or None, time of change in ns or 0, ETag or the like or ""."""

    size: int | None
    modified: int = 0
    tag: str = ""
    is_folder: bool = False

    def is_as(self, other: Facts) -> bool:
        """Return whether both are of one version; properties that one of them lacks are not compared."""
        return (
            self.size == other.size
            and (not self.tag or not other.tag or self.tag == other.tag)
            and (not self.modified or not other.modified or self.modified == other.modified)
        )


class Fetched(NamedTuple):
    """Bytes of a file and the facts of their version."""

    data: bytes
    facts: Facts


_options: dict[str, str] = {}
_stores: dict[tuple[Any, ...], Store] = {}
_lock = threading.Lock()


def use_storage(options: Mapping[str, str]) -> None:
    """Set options of stores by name, ``scheme:name`` for one scheme; dots in a name separate nested options."""
    _options.update(options)


def storage_options() -> dict[str, str]:
    """Return the options set by :func:`use_storage`."""
    return dict(_options)


def store_of(url: StoreUrl) -> Store:
    """Return the store of a URL.

    Raises:
        OSError: a package that it needs is not installed, or its options are invalid.
    """
    key = (url.scheme, url.host, url.credentials, tuple(sorted(_options.items())), os.getpid())
    with _lock:
        if (store := _stores.get(key)) is None:
            store = _stores[key] = Store(url)
    return store


class Store:
    """A bucket, a container or a host.

    All methods raise OSError, with ENOENT if a name does not exist.
    """

    def __init__(self, url: StoreUrl) -> None:
        self.scheme = _PROTOCOLS.get(url.scheme, url.scheme)
        self.root = url.store
        self._answers: dict[str, tuple[float, Facts | OSError]] = {}
        self._listings: dict[str, tuple[float, dict[str, Facts]]] = {}
        self._down: tuple[float, OSError | None] = 0.0, None
        self._of_http = self.scheme in ("http", "https")
        try:
            self.fs = _file_system(url)
        except ImportError as error:
            extra = _EXTRAS.get(self.scheme, "remote")
            package = f": {error}" if error.name and not error.name.startswith("fsspec") else ""
            # with a number: errors without one have no text of their own
            raise OSError(errno.EINVAL, f"{url.scheme}:// needs pip install 'logdump[{extra}]'{package}") from error
        except Exception as error:
            raise _problem(error)[0] from error

    def status(self, url: StoreUrl, *, now: bool = False) -> os.stat_result:
        """Return the status of a file or folder, at most RECENT seconds old; ``now``: a new one."""
        return status_of(url, self.facts(url, now=now))

    def facts(self, url: StoreUrl, *, now: bool = False) -> Facts:
        """Return the facts of a file or folder, at most RECENT seconds old; ``now``: new ones."""
        name = str(url)
        if not now and (listed := self._listings.get(url.folder)) and time.monotonic() - listed[0] < RECENT:
            known = listed[1].get(url.name)
            if known is not None and known.size is not None:
                return known
        if not now and (answer := self._answers.get(name)) and time.monotonic() - answer[0] < RECENT:
            if isinstance(answer[1], OSError):
                raise answer[1]
            return answer[1]
        result: Facts | OSError
        try:
            result = self._answered(lambda: self._look(url))
        except OSError as error:
            result = error
        self._answers[name] = time.monotonic(), result
        if isinstance(result, OSError):
            raise result
        return result

    def names(self, folder: StoreUrl) -> list[str]:
        """Return the names in a folder."""
        listed = self._answered(lambda: self._list(folder))
        self._listings[str(folder)] = time.monotonic(), listed
        return list(listed)

    def fetch(self, url: StoreUrl, start: int, stop: int) -> Fetched:
        """Return all bytes from ``start`` to before ``stop``.

        Raises:
            NoRangesError: the server cannot serve ranges of files.
        """

        def fetched() -> Fetched:
            result = self._fetch(url, start, stop)
            if len(result.data) != stop - start:
                raise EOFError(f"received {len(result.data)} of {stop - start} bytes")
            return result

        return self._tried(fetched)

    def copy_whole(self, url: StoreUrl, write: Callable[[bytes], object]) -> None:
        """Pass all bytes of a file to ``write``, in order; without retries, since passed bytes cannot be taken back."""
        try:
            with self._opened(url) as file:
                while chunk := file.read(_CHUNK):
                    write(chunk)
        except TrailError:
            raise
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            raise _problem(error)[0] from error
        except Exception as error:
            raise _problem(error)[0] from error

    def put(self, local: str, url: StoreUrl) -> None:
        """Store a local file under a name, atomically where the store allows it."""
        self._forget(url)
        if self._of_http:
            raise OSError(errno.EROFS, "nothing can be written to an HTTP server")
        name = self._name(url)
        if self.scheme in ("s3", "gs", "abfs", "abfss", "az", "memory"):
            self._tried(lambda: self.fs.put_file(local, name))
            return
        temporary = f"{name.rpartition('/')[0]}/.{url.name}.{os.getpid()}.tmp"
        try:
            self._tried(lambda: self.fs.put_file(local, temporary))
            self._tried(lambda: self._renamed(temporary, name))
        except OSError:
            if self.fs.exists(temporary):
                self.fs.rm_file(temporary)
            raise

    def remove(self, url: StoreUrl) -> None:
        """Remove a file."""
        self._forget(url)
        self._tried(lambda: self.fs.rm_file(self._name(url)))

    def _renamed(self, temporary: str, name: str) -> None:
        if self.scheme == "sftp":
            self.fs.ftp.posix_rename(temporary, name)
            return
        if self.fs.exists(name):
            self.fs.rm_file(name)
        self.fs.mv(temporary, name)

    def _forget(self, url: StoreUrl) -> None:
        self._answers.pop(str(url), None)
        self._listings.pop(url.folder, None)

    def _name(self, url: StoreUrl) -> str:
        """Return the name of a file in the form that ``fsspec`` expects."""
        if self._of_http:
            shown = f"{url.store}/{url.key}"
            return shown + (("&" if "?" in shown else "?") + url.query if url.query else "")
        if self.scheme in ("sftp", "hdfs", "webhdfs"):
            return f"/{url.key}"
        host = url.host.partition("@")[0] if self.scheme in ("abfs", "abfss", "az") else url.host
        return f"/{host}/{url.key}" if self.scheme == "memory" else f"{host}/{url.key}".rstrip("/")

    def _answered(self, ask: Callable[[], T]) -> T:
        """Return the response about a name; for RECENT seconds after a server is unreachable, raise its error again."""
        moment, problem = self._down
        if problem is not None and time.monotonic() - moment < RECENT:
            raise problem
        try:
            return self._tried(ask)
        except OSError as error:
            if error.errno in _UNREACHED:
                self._down = time.monotonic(), error
            raise

    def _tried(self, work: Callable[[], T]) -> T:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return work()
            except NoRangesError:
                raise
            except Exception as error:
                problem, passes = _problem(error)
                if not passes:
                    raise problem from error
                if attempt == ATTEMPTS:
                    problem.strerror = f"{problem.strerror or problem}, {ATTEMPTS} attempts"
                    raise problem from error
            time.sleep(PAUSE * 2 ** (attempt - 1))
        raise AssertionError

    def _look(self, url: StoreUrl) -> Facts:
        if self._of_http:
            return cast("Facts", self._run(self._look_by_http(url)))
        if not url.key and self.scheme != "memory":
            self._list(url)
            return Facts(0, is_folder=True)
        info = self.fs.info(self._name(url), refresh=True) if self.scheme == "s3" else self.fs.info(self._name(url))
        return _facts(info)

    def _list(self, folder: StoreUrl) -> dict[str, Facts]:
        name = self._name(folder)
        if self._of_http:
            urls = self.fs.ls(name.rstrip("/") + "/", detail=False)
            start = name.partition("?")[0].rstrip("/") + "/"
            entries = (url.removeprefix(start).rstrip("/") for url in urls if url.startswith(start))
            return {entry: Facts(None) for entry in sorted(entries) if entry and "/" not in entry}
        refresh = {"refresh": True} if self.scheme == "s3" else {}
        listed = {
            str(info["name"]).rstrip("/").rpartition("/")[2]: _facts(info)
            for info in self.fs.ls(name, detail=True, **refresh)
            if str(info["name"]).strip("/") != name.strip("/")
        }
        if not listed and self.scheme not in ("s3", "gs", "abfs", "abfss", "az") and not self.fs.isdir(name):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return dict(sorted(listed.items()))

    def _fetch(self, url: StoreUrl, start: int, stop: int) -> Fetched:
        if self._of_http:
            return cast("Fetched", self._run(self._fetch_by_http(url, start, stop)))
        if self.scheme == "s3":
            return cast("Fetched", self._run(self._fetch_from_s3(url, start, stop)))
        name = self._name(url)
        if self.scheme == "webhdfs":
            data = self._fetch_from_webhdfs(name, start, stop)
        elif self.scheme == "sftp":
            with self.fs.open(name, "rb") as file:
                data = b"".join(file.readv([(start, stop - start)]))  # readv requests all blocks at once
        elif self.scheme == "hdfs":
            with self.fs.open(name, "rb") as file:
                file.seek(start)
                data = file.read(stop - start)
        else:
            data = self.fs.cat_file(name, start=start, end=stop)
        return Fetched(data, _facts(self.fs.info(name)))  # after the bytes, so that the facts are not older

    def _fetch_from_webhdfs(self, name: str, start: int, stop: int) -> bytes:
        """Return the bytes alone: a file of ``fsspec`` fetches 5 MB more, and returns the text of an error as bytes."""
        answer = self.fs._call("OPEN", path=name, offset=start, length=stop - start, redirect=False)  # noqa: SLF001
        if "Location" in answer.headers:
            answer = self.fs.session.get(self.fs._apply_proxy(answer.headers["Location"]), timeout=_TIMEOUT)  # noqa: SLF001
            answer.raise_for_status()
        return bytes(answer.content)

    def _opened(self, url: StoreUrl) -> Any:
        return self.fs.open(self._name(url), "rb", **({"block_size": 0} if self._of_http else {}))

    def _run(self, work: Any) -> Any:
        from fsspec.asyn import sync  # noqa: PLC0415 - most files are local

        return sync(self.fs.loop, _awaited, work)

    async def _look_by_http(self, url: StoreUrl) -> Facts:
        session = await self.fs.set_session()
        arguments = dict(self.fs.kwargs)
        headers = {**arguments.pop("headers", {}), "Accept-Encoding": "identity"}
        name = self.fs.encode_url(self._name(url))
        async with session.head(name, headers=headers, allow_redirects=True, **arguments) as answer:
            if answer.status < _FAILED and (answer.content_length is not None or _is_page(answer)):
                return _facts_of_answer(answer)
        async with session.get(name, headers={**headers, "Range": "bytes=0-0"}, **arguments) as answer:
            answer.raise_for_status()
            return _facts_of_answer(answer)

    async def _fetch_by_http(self, url: StoreUrl, start: int, stop: int) -> Fetched:
        session = await self.fs.set_session()
        arguments = dict(self.fs.kwargs)
        headers = {**arguments.pop("headers", {}), "Accept-Encoding": "identity", "Range": f"bytes={start}-{stop - 1}"}
        async with session.get(self.fs.encode_url(self._name(url)), headers=headers, **arguments) as answer:
            answer.raise_for_status()
            if answer.status != _PARTIAL:
                raise NoRangesError("the server does not support range requests")
            facts = _facts_of_answer(answer)
            _see_that_it_reaches(facts, stop)
            return Fetched(await answer.content.readexactly(stop - start), facts)

    async def _fetch_from_s3(self, url: StoreUrl, start: int, stop: int) -> Fetched:
        answer = await self.fs._call_s3(  # noqa: SLF001 - its public methods return no ETag with the bytes
            "get_object", Bucket=url.host, Key=url.key, Range=f"bytes={start}-{stop - 1}"
        )
        size = int(answer["ContentRange"].rpartition("/")[2])
        facts = Facts(size, int(answer["LastModified"].timestamp()) * 1_000_000_000, answer["ETag"])
        try:
            _see_that_it_reaches(facts, stop)
            return Fetched(await answer["Body"].read(), facts)
        finally:
            answer["Body"].close()


async def _awaited(work: Any) -> Any:
    return await work


def _see_that_it_reaches(facts: Facts, stop: int) -> None:
    if facts.size is not None and facts.size < stop:
        raise OSError(errno.ESTALE, _ANSWERS[_TOO_SHORT][1])


def _is_page(answer: Any) -> bool:
    return bool(answer.content_type == "text/html" or str(answer.url.path).endswith("/"))


def _facts_of_answer(answer: Any) -> Facts:
    headers = answer.headers
    size: int | None = None
    if "Content-Range" in headers:
        total = headers["Content-Range"].rpartition("/")[2]
        size = int(total) if total.isdecimal() else None
    elif headers.get("Content-Encoding", "identity") in ("identity", ""):
        size = answer.content_length
    changed = headers.get("Last-Modified")
    modified = int(parsedate_to_datetime(changed).timestamp()) * 1_000_000_000 if changed else 0
    return Facts(size, modified, headers.get("ETag", "").removeprefix("W/"), _is_page(answer))


def _facts(info: Mapping[str, Any]) -> Facts:
    """Return the facts in a file entry of ``fsspec``."""
    changed = next(
        (
            info[key]
            for key in ("LastModified", "mtime", "modified", "updated", "last_modified", "modificationTime", "created")
            if info.get(key)
        ),
        0,
    )
    if hasattr(changed, "timestamp"):
        changed = changed.timestamp()
    elif isinstance(changed, str):
        changed = 0
    elif changed > 1e11:
        changed /= 1000  # milliseconds, of WebHDFS
    tag = next((str(info[key]) for key in ("ETag", "etag", "md5Hash", "content_md5") if info.get(key)), "")
    return Facts(info.get("size") or 0, int(changed * 1000) * 1_000_000, tag, info.get("type") == "directory")


def status_of(url: StoreUrl, facts: Facts) -> os.stat_result:
    """Return facts as a stat result; device and inode are checksums of host and path."""
    mode = stat.S_IFDIR | 0o555 if facts.is_folder else stat.S_IFREG | 0o444
    host = f"{_PROTOCOLS.get(url.scheme, url.scheme)}://{url.host}"
    seconds = facts.modified // 1_000_000_000
    inode = crc32(url.key.encode("utf-8", "surrogateescape")) << 32 | crc32(
        url.key[::-1].encode("utf-8", "surrogateescape")
    )
    return os.stat_result(
        (mode, inode, crc32(host.encode()), 1, 0, 0, facts.size or 0, seconds, seconds, seconds),
        {"st_mtime_ns": facts.modified},
    )


def _file_system(url: StoreUrl) -> Any:
    """Return the file system of ``fsspec`` for a URL's scheme, host and options."""
    scheme = _PROTOCOLS.get(url.scheme, url.scheme)
    options: dict[str, Any] = {}
    for name, value in _options.items():
        of, colon, plain = name.partition(":")
        if not colon or of in (scheme, url.scheme):
            _set(options, plain if colon else name, value)
    user, password = url.credentials
    host, _, port = url.host.rpartition("@")[2].partition(":")
    if scheme in ("sftp", "hdfs", "webhdfs"):
        options |= {"host": host} | ({"port": int(port)} if port.isdecimal() else {})
        user = user or url.host.rpartition("@")[0]
        names = ("username", "password") if scheme == "sftp" else ("user", "password")
        options |= {name: credential for name, credential in zip(names, (user, password), strict=True) if credential}
        if url.scheme == "swebhdfs":
            options["use_https"] = True
    elif scheme == "s3":
        options |= {name: credential for name, credential in (("key", user), ("secret", password)) if credential}
        settings = options.setdefault("config_kwargs", {})
        options["config_kwargs"] = {
            "connect_timeout": _TIMEOUT // 3,
            "read_timeout": _TIMEOUT,
            "retries": {"max_attempts": 0},
            **settings,
        }
    elif scheme in ("http", "https"):
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_TIMEOUT // 3, sock_read=_TIMEOUT)
        options["client_kwargs"] = {"timeout": timeout, **options.get("client_kwargs", {})}
        if user or password:
            basic = base64.b64encode(f"{user}:{password}".encode()).decode()
            options["headers"] = {**options.get("headers", {}), "Authorization": f"Basic {basic}"}
    elif scheme in ("abfs", "abfss", "az") and "@" in url.host:
        options.setdefault("account_name", url.host.partition("@")[2].partition(".")[0])
    # its own caches would return outdated facts, and share one instance between two users
    options["skip_instance_cache"] = True
    if scheme != "sftp":  # has no such cache, and passes unknown options to its library
        options["use_listings_cache"] = False
    return _adapted(fsspec.filesystem("https" if scheme == "http" else scheme, **options), scheme)


def _adapted(system: Any, scheme: str) -> Any:
    if scheme == "s3":
        system.retries = 1  # attempts are counted here
    elif scheme == "sftp":
        system.ftp = _ChannelOfThread(system.client.open_sftp)
    return system


class _ChannelOfThread:
    """One SFTP channel per thread: threads that share a channel may receive each other's responses."""

    def __init__(self, opened: Callable[[], Any]) -> None:
        self._opened = opened
        self._of = threading.local()

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self._of, "channel"):
            self._of.channel = self._opened()
        return getattr(self._of.channel, name)


def _set(options: dict[str, Any], name: str, text: str) -> None:
    """Set an option by its dotted name; a value in JSON is decoded."""
    *folders, last = name.split(".")
    for folder in folders:
        options = options.setdefault(folder, {})
    try:
        options[last] = json.loads(text) if text[:1] in "{[tfn" else text
    except ValueError:
        options[last] = text


def _problem(error: BaseException) -> tuple[OSError, bool]:
    """Return the OSError for any error of a library, without credentials, and whether a retry may succeed."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and len(chain) < _MOST_CAUSES:
        chain.append(cause)
    names = {kind.__name__ for exception in chain for kind in type(exception).__mro__}
    answered = next((answer for exception in chain if (answer := _of_answer(exception)) is not None), None)
    is_late = any(isinstance(exception, TimeoutError) for exception in chain) or any(
        "Timeout" in name for name in names
    )
    if "RecursionError" in names:  # botocore looks for the bucket's region without end
        problem: OSError = OSError(*_ELSEWHERE)
    elif names & _WITHOUT_CREDENTIALS:
        problem = PermissionError(errno.EACCES, f"the store requires credentials: {_text(error)}")
    elif answered is not None:
        return answered
    elif isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError):
        return type(error)(error.errno or errno.ENOENT, os.strerror(error.errno or errno.ENOENT)), False
    elif isinstance(error, PermissionError):
        problem = PermissionError(errno.EACCES, f"the store refuses access: {_text(error)}")
    elif any(isinstance(exception, _PASSING) for exception in chain) or names & _PASSING_NAMES:
        what = "the server does not answer in time" if is_late else "the connection to the server is lost or refused"
        return OSError(errno.ETIMEDOUT if is_late else errno.EHOSTUNREACH, f"{what}: {_text(chain[-1])}"), True
    else:
        number = error.errno if isinstance(error, OSError) and error.errno else errno.EIO
        problem = OSError(number, _text(error))
    return problem, False


def _of_answer(error: BaseException) -> tuple[OSError, bool] | None:
    """Return the OSError for the status of a response, and whether a retry may succeed; None without a response."""
    answer, code = getattr(error, "response", None), ""
    if isinstance(answer, dict):
        status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        code = str(answer.get("Error", {}).get("Code", ""))
    else:
        status = getattr(error, "status", None) or getattr(answer, "status_code", None)
        if type(error).__name__ == "HttpError":  # of Google's
            status = status or getattr(error, "code", None)
    if not isinstance(status, int) or status < _FAILED:
        return None
    number, text = _ANSWERS.get(status, (errno.EPROTO, "the server refuses it"))
    passes = status in _BUSY or code in _BUSY_CODES
    if passes:
        number, text = errno.EBUSY, "the server is busy or fails"
    said = f"{status} {code}" if code and not code.isdecimal() else str(status)
    return OSError(number, f"{text} ({said})" if number != errno.ENOENT else os.strerror(number)), passes


def _text(error: BaseException) -> str:
    return without_secrets(getattr(error, "strerror", None) or str(error) or type(error).__name__)
