"""Paths of other file systems are refused by everything that reads or writes, and never become folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import BinaryType, StructField, StructType

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.language.execute import run_line
from logdump.session.events import Failure
from logdump.session.session import Session
from logdump.spark import TrailSource, save
from logdump.tables.errors import BadOption
from logdump.tables.named_files import source_definitions
from logdump.tables.options import Use, parse_options
from logdump.tables.paths import find_files, local_path

SAMPLE = TRAILS / "et000000000"
RAW = StructType([StructField("raw", BinaryType())])
FOREIGN = (
    "s3a:/bucket/out",
    "dbfs:/out",
    "ftp://host/lt000000000",
    "file://elsewhere/dirdat/lt",
    "file://elsewhere",
    "  dbfs:/out ",
)
STORES = (
    "s3a://bucket/out",
    "S3A://bucket/lt000000000",
    "hdfs://name:8020/lt*",
    "abfss://in@account.net/x",
    "gs://bucket",
    "  s3a://bucket/out ",
)
"""URLs that are read, and to which the jobs of Spark do not write."""


def _in_session(command: str) -> Callable[[str], Any]:
    def run(path: str) -> None:
        session = Session()
        session.open(SAMPLE)
        try:
            for event in run_line(session, REGISTRY, command.format(path)):
                if isinstance(event, Failure):
                    raise BadOption(event.lines[0])
        finally:
            session.close()

    return run


WAYS: dict[str, Callable[[str], Any]] = {
    "load": lambda path: find_files(parse_options({"path": path}, Use.READ)),
    "load of several": lambda path: find_files(parse_options({"path": f"{SAMPLE},{path}"}, Use.READ)),
    "load of a list": lambda path: find_files(parse_options({"paths": f'["{path}"]'}, Use.READ)),
    "readStream": lambda path: TrailSource({"path": path}).streamReader(RAW).initialOffset(),
    "sourceDefs": lambda path: source_definitions(parse_options({"sourceDefs": path}, Use.READ)),
    "df.write": lambda path: TrailSource({"path": path}).writer(RAW, overwrite=True),
    "target of save": lambda path: save(None, SAMPLE, path),  # type: ignore[arg-type]
    "source of save": lambda path: save(None, path, "out"),  # type: ignore[arg-type]
    "SAVE": _in_session("SAVE {} 1 RECORD"),
    "SAVE !": _in_session("SAVE {} !"),
    "EXPORT JSONL": _in_session("EXPORT JSONL TO {}"),
    "EXPORT BY TABLE": _in_session("EXPORT CSV TO {} REPLACE BY TABLE"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_path_of_another_file_system_is_refused_and_nothing_is_made(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in FOREIGN:
        (tmp_path / path.split("/", maxsplit=1)[0].strip()).mkdir(exist_ok=True)
        with pytest.raises(
            BadOption, match=r"only files of this machine's own paths|a path of this machine is file:///"
        ):
            WAYS[way](path)
    assert not list(tmp_path.glob("*/*"))


@pytest.mark.parametrize("way", ["sourceDefs", "df.write", "target of save"])
def test_spark_writes_to_no_store(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in STORES:
        with pytest.raises(BadOption, match="only files of this machine's own paths"):
            WAYS[way](path)


@pytest.mark.parametrize("given", ["file:{}", "file://{}", "FILE:///{}", "file://localhost{}", "{}", "  file:{} "])
def test_file_and_no_scheme_are_this_machine(given: str) -> None:
    assert local_path(given.format("/dirdat/lt")) == "/dirdat/lt"


@pytest.mark.parametrize("given", ["dirdat/lt*", "C:/dirdat", "10:30/lt", "backup:2026"])
def test_a_colon_alone_is_no_scheme(given: str) -> None:
    assert local_path(given) == given


def test_save_and_export_take_file_urls(tmp_path: Path) -> None:
    session = Session()
    session.open(SAMPLE)
    for command in (f"SAVE file://{tmp_path}/rt000000000 1 RECORD", f"EXPORT JSONL TO file:{tmp_path}/all.jsonl"):
        list(run_line(session, REGISTRY, command))
    session.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "rt000000000"]
