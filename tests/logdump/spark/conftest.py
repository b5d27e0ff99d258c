"""One Spark session for all tests of a run; without Java they are skipped."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from logdump.spark.jobs.java import missing_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_PRELOADING = str(Path(__file__).with_name("preloading"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local session of two slots that takes up failed tasks again."""
    if missing := missing_java():
        pytest.skip(missing)
    from logdump.spark import session

    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setenv("PYTHONPATH", _PRELOADING, prepend=os.pathsep)
        started = session(
            "local[2,4]",
            spark_sql_warehouse_dir=str(tmp_path_factory.mktemp("warehouse")),
            spark_python_daemon_module="tests.logdump.spark.killing_daemon",
        )
    yield started
    started.stop()
