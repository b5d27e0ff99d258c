from __future__ import annotations

from pathlib import Path

import pytest

from trailformat.codec.regular_file import user_folder


def test_a_variable_names_the_folder_of_each_kind() -> None:
    environment = {"XDG_CONFIG_HOME": "/u01/etc", "XDG_STATE_HOME": "/var/state"}
    folders = [user_folder(kind, environment) for kind in ("config", "state")]
    assert folders == [Path("/u01/etc/logdump"), Path("/var/state/logdump")]


@pytest.mark.parametrize("value", [None, "", "relative", "~/state"])
def test_without_an_absolute_path_the_folder_is_in_the_home_directory(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/tea")
    environment = {} if value is None else {"XDG_STATE_HOME": value}
    assert user_folder("state", environment) == Path("/home/tea/.local/state/logdump")


def test_without_a_home_directory_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert user_folder("state", {}) is None
