"""Spark's declarative pipelines: the recipe of docs/clusters.md as far as Spark goes without a format that merges."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest

from fixtures import TRAILS
from logdump.spark.jobs.java import missing_java
from tests.logdump.spark.test_changes import changes_in

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
HAS_AUTO_CDC = tuple(int(part) for part in pyspark.__version__.split(".")[:2]) >= (4, 3)
HISTORY = """

@dp.table
def teas_history():
    return spark.readStream.table("teas_changes")
"""


def _recipe() -> str:
    """The program in the documents, over a trail that is here."""
    text = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    [program] = [
        block for block in re.findall(r"```text\n(.*?)```", text, re.DOTALL) if "create_auto_cdc_flow" in block
    ]
    return str(program).replace("/mnt/dirdat/lt", str(TRAILS / "et000000000"))


def _run(command: str, folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("grpc_status")
    pytest.importorskip("yaml")
    if missing := missing_java():
        pytest.skip(missing)
    (folder / "code").mkdir()
    (folder / "code" / "teas.py").write_text(program)
    (folder / "spark-pipeline.yml").write_text(
        f"name: teas\nstorage: file://{folder}/storage\nlibraries:\n  - glob:\n      include: code/**\n"
    )
    tool = Path(pyspark.__file__).parent / "bin" / "spark-pipelines"
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run([str(tool), command], env=env, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not HAS_AUTO_CDC, reason="before Spark 4.3 there is no AUTO CDC")
def test_the_recipe_of_auto_cdc_is_a_sound_pipeline(tmp_path: Path) -> None:
    done = _run("dry-run", tmp_path, _recipe())
    assert "Run is COMPLETED" in done.stdout + done.stderr


@pytest.mark.skipif(not HAS_AUTO_CDC, reason="its stream of changes is that of AUTO CDC")
def test_the_changes_of_the_recipe_go_into_a_table(tmp_path: Path) -> None:
    program = _recipe()
    done = _run("run", tmp_path, program[: program.index("dp.create_streaming_table")] + HISTORY)
    assert "Run is COMPLETED" in done.stdout + done.stderr
    written = pq.read_table(tmp_path / "spark-warehouse" / "teas_history").to_pylist()
    meant = changes_in(TRAILS / "et000000000", "TEAHOUSE.TEAS", effective="true")
    assert [row["_sequence"] for row in sorted(written, key=lambda row: row["_sequence"])] == [
        row["_sequence"] for row in meant
    ]
