"""Without the packages of a store, every verb names the extra that brings them."""

from __future__ import annotations

import sys

import pytest

from logdump.session.errors import ExitStatus
from tests.logdump.program import logdump

NEEDED = {
    "s3://bucket/x": ("fsspec", "remote"),
    "https://host/x": ("aiohttp", "remote"),
    "sftp://host/x": ("paramiko", "remote"),
    "webhdfs://host/x": ("requests", "remote"),
    "gs://bucket/lt": ("gcsfs", "gs"),
    "abfs://container@account/lt": ("adlfs", "azure"),
}
VERBS = ("count", "check", "list", "info", "doctor", "tables", "recovery", "transactions")


@pytest.mark.parametrize("url", NEEDED)
def test_a_missing_package_is_one_line_of_pip(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package, extra = NEEDED[url]
    monkeypatch.setitem(sys.modules, package, None)
    for module in [name for name in sys.modules if name.startswith("fsspec.implementations.")]:
        monkeypatch.delitem(sys.modules, module)
    for arguments in (*([verb, url] for verb in VERBS), ["-c", f"open {url}"], ["-c", f"count {url}*"]):
        done = logdump(*arguments)
        assert f"needs pip install 'logdump[{extra}]'" in done.out + done.err, (arguments, done)
        assert ": None" not in done.out + done.err.replace("halted; None", "")
        assert done.status == ExitStatus.BAD_DATA, arguments
