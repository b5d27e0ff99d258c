"""What every JVM of the tests begins with: few settings, and the classes of Spark as one JVM has loaded them before.

Until its first answer a JVM spends more than half of its processor time on loading classes from Spark's archives,
unless it finds them in an archive of its own kind (class data sharing). ``make`` writes that archive once for each Java
and each Spark; a JVM that cannot use it says nothing and loads them as always.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
_FOLDER = ROOT / "build"
_PATIENCE = 900
_JVM = (
    # ready soon, and no class verified again, a fifth of what a JVM begins with
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "-XX:-BytecodeVerificationLocal",
    # no code that is compiled for a query of ten rows, few partitions, no web page
    "-Dspark.sql.codegen.factoryMode=NO_CODEGEN",
    "-Dspark.sql.codegen.wholeStage=false",
    "-Dspark.sql.shuffle.partitions=2",
    "-Dspark.ui.enabled=false",
)
_PROGRAM = """
import sys, tempfile
from pyspark import SparkContext
from logdump.spark import session

with tempfile.TemporaryDirectory() as folder:
    spark = session("local[2]", spark_sql_warehouse_dir=folder)
    java = SparkContext._gateway.proc
    rows = spark.read.format("trail").load(sys.argv[1])
    rows.createOrReplaceTempView("records")
    counted = "select op, count(*) n, max(rba) m, row_number() over (order by op) k from records group by op"
    joined = f"with c as ({counted}) select c.*, r.csn from c join records r on r.op = c.op order by n limit 3"
    spark.sql(joined).collect()
    spark.createDataFrame([(1, "a")], "n int, t string").write.parquet(folder + "/rows")
    stream = spark.readStream.format("trail").load(sys.argv[1]).writeStream.trigger(availableNow=True)
    counting = stream.foreachBatch(lambda batch, _: batch.count()).option("checkpointLocation", folder + "/at")
    counting.start().awaitTermination()
    spark.stop()
java.stdin.close()
java.wait()
"""
"""Uses what the tests use; at the end it waits for the JVM, which writes its archive."""


def environment() -> dict[str, str]:
    """Return the variables for a process that starts a JVM of Spark, with the archive if there is one.

    No folder with files may be in the path of classes, so the settings are words of the command and no file.
    """
    folder = _FOLDER / "no-settings-of-spark"
    folder.mkdir(parents=True, exist_ok=True)
    archive = _archive()
    words = [*_JVM, f"-XX:SharedArchiveFile={archive}", "-Xlog:disable"] if archive and archive.exists() else _JVM
    return {"SPARK_CONF_DIR": str(folder), "SPARK_SUBMIT_OPTS": " ".join(words)}


def make() -> None:
    """Write the archive if there is none for this Java and this Spark; what an older one was of is removed."""
    archive = _archive()
    if archive is None or archive.exists():
        return
    for old in _FOLDER.glob("spark-*.jsa"):
        old.unlink()
    new = archive.with_suffix(".new")
    words = [*_JVM, f"-XX:ArchiveClassesAtExit={new}", "-Xlog:disable"]
    given = {**os.environ, **environment(), "SPARK_SUBMIT_OPTS": " ".join(words)}
    command = [sys.executable, "-W", "ignore", "-c", _PROGRAM, str(ROOT / "fixtures" / "trails" / "et000000000")]
    try:
        subprocess.run(command, cwd=ROOT, env=given, check=True, capture_output=True, timeout=_PATIENCE)  # noqa: S603
        new.rename(archive)
    except (OSError, subprocess.SubprocessError):
        new.unlink(missing_ok=True)


def _archive() -> Path | None:
    """Return where the archive for this Java and this Spark is; None without them."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else None)
    try:
        spark = metadata.distribution("pyspark")
    except metadata.PackageNotFoundError:
        return None
    if found is None:
        return None
    java = Path(found).resolve()
    made_of = f"{java} {java.stat().st_mtime_ns} {spark.version} {spark.locate_file('pyspark')} {_JVM} {_PROGRAM}"
    return _FOLDER / f"spark-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}.jsa"


if __name__ == "__main__":
    make()
