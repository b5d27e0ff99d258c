"""One S3 server for the session; an HTTP server, a folder in memory and an environment for each test."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from uuid import uuid4

import pytest

from tests.logdump.stores.servers import CREDENTIALS, TrailServer, serving
from trailformat.codec.remote import store, url


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing that one test tells a store is known to the next, and nobody waits long."""
    monkeypatch.setattr(store, "PAUSE", 0.01)
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    yield
    for known in (store._stores, store._options, url._credentials, url._queries):
        known.clear()


@pytest.fixture(scope="session", autouse=True)
def _descriptions_of_services_are_read_once() -> Iterator[None]:
    """Each client of S3 lists and parses those of Amazon anew, which takes longer than most tests."""
    from botocore.loaders import JSONFileLoader, Loader

    loader, known = JSONFileLoader(), Loader()
    load, listed = cache(loader.load_file), Loader.list_available_services
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JSONFileLoader, "load_file", lambda _, path: load(path))
        patch.setattr(Loader, "list_available_services", lambda _, type_name: listed(known, type_name))
        yield


@pytest.fixture
def web() -> Iterator[TrailServer]:
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@cache
def _client(server: str) -> Any:
    import boto3

    names = {name.lower(): value for name, value in CREDENTIALS.items() if "KEY" in name}
    return boto3.client("s3", endpoint_url=server, region_name=CREDENTIALS["AWS_DEFAULT_REGION"], **names)


@pytest.fixture
def s3(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bucket, as ``s3://bucket``, found by the environment."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_server)
    bucket = f"trails-{uuid4().hex}"
    _client(s3_server).create_bucket(Bucket=bucket)
    return f"s3://{bucket}"


@pytest.fixture
def put(s3_server: str) -> Callable[[str, bytes], None]:
    """Puts the bytes of an object."""
    client = _client(s3_server)

    def put(url: str, data: bytes) -> None:
        bucket, _, key = url.removeprefix("s3://").partition("/")
        client.put_object(Bucket=bucket, Key=key, Body=data)

    return put


@pytest.fixture
def memory() -> Iterator[Callable[[str, bytes], None]]:
    """Puts the bytes of a file into the memory of the process, as ``memory://…``."""
    import fsspec

    system = fsspec.filesystem("memory")

    def put(url: str, data: bytes) -> None:
        system.pipe("/" + url.removeprefix("memory://"), data)

    yield put
    system.store.clear()
    system.pseudo_dirs[:] = [""]
