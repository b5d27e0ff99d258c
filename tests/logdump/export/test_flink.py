"""Flink's own readers of GoldenGate's and Debezium's JSON take the messages of drawn trails with full images.

``FLINK_LIB`` names the folder of Flink's jars: ``deps/lib`` of the package apache-flink-libraries 1.20.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.logdump.program import logdump
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

LIB = Path(os.environ.get("FLINK_LIB", "nowhere"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not LIB.is_dir() or shutil.which("java") is None, reason="needs Flink's jars in FLINK_LIB, Java"
    ),
]
COLUMNS = {
    "ID": ("INT64", "BIGINT"),
    "NAME": ("VARCHAR", "STRING"),
    "PRICE": ("INT64 with a scale", "DECIMAL(18, 2)"),
    "ANY_NUMBER": ("VARCHAR of a number", "DECIMAL(38, 6)"),
    "AT": ("DATETIME", "TIMESTAMP(6)"),
    "SIZE": ("DOUBLE", "DOUBLE"),
}
SCHEMA = ", ".join(f"`{name}` {sql}" for name, (_, sql) in COLUMNS.items())
Model = dict[int, tuple[Any, ...]]


def _values(draw: Random) -> tuple[Any, ...]:
    moment = datetime(1, 1, 1) + timedelta(  # noqa: DTZ001 - columns without a zone
        days=draw.randint(719_000, 766_000), seconds=draw.randint(0, 86_399)
    )
    values = (
        draw.choice(["", "Sencha", 'a "quote" \\', "玉露 😀", "line\nbreak\t", "null"]),
        Decimal(draw.randint(-(10**9), 10**9)).scaleb(-2),
        Decimal(draw.randint(-(10**30), 10**30)).scaleb(-6),
        moment.replace(microsecond=draw.choice([0, 120000, 123456])),
        draw.uniform(-1e9, 1e9),
    )
    return tuple(None if draw.random() < 0.2 else value for value in values)


def _drawn(draw: Random, folder: Path) -> tuple[Path, Model]:
    """A trail of all kinds of changes with full images, and its table at the end."""
    trail, model = Trail({"S.T": {name: kind for name, (kind, _) in COLUMNS.items()}}), Model()
    for number in range(60):
        kind = draw.choice(["insert", "insert", "change", "move", "delete"]) if model else "insert"
        key = draw.choice([*model]) if kind != "insert" else number
        old, new = (key, *model.get(key, ())), (key, *_values(draw))
        if kind == "insert":
            trail.insert("S.T", *new)
        elif kind == "change":
            trail.change("S.T", old, new)
        elif kind == "move":
            new = (number + 10_000, *new[1:])
            trail.move("S.T", old, new)
        else:
            trail.delete("S.T", *old)
        if kind != "insert":
            del model[key]
        if kind != "delete":
            model[int(new[0])] = new[1:]
    return trail.write(folder), model


def _read_by_flink(path: Path, form: str) -> Model:
    """The table that Flink has after all changes: each old row is taken away, which must be there, as it is."""
    source = Path(__file__).with_name("FlinkReads.java")
    quiet = ["-Dlog4j.configurationFile=none", "--add-opens=java.base/java.util=ALL-UNNAMED"]
    words = ["java", *quiet, "-cp", f"{LIB}/*", str(source), SCHEMA, form, str(path)]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    table = Model()
    for line in done.stdout.decode().removesuffix("\n").split("\n"):
        kind, key, *fields = line.split("\x1f")
        values = tuple(None if field == "\x1e" else field.replace("\x1d", "\n") for field in fields)
        if kind in ("-U", "-D"):
            assert table.pop(int(key)) == values
        else:
            table[int(key)] = values
    return table


def _shown(values: tuple[Any, ...]) -> tuple[str | None, ...]:
    """Values as Java prints them."""
    name, price, number, moment, size = values
    at = None if moment is None else moment.isoformat()
    if moment is not None and not moment.second and not moment.microsecond:
        at = f"{at}"[:-3]
    short = at[:-3] if at is not None and at.endswith("000") and "." in at else at
    return (
        name,
        None if price is None else f"{price:.2f}",
        None if number is None else f"{number:.6f}",
        short,
        size,
    )


@pytest.mark.parametrize("form", ["ogg", "debezium"])
def test_the_table_that_flink_has_is_the_model(form: str, tmp_path: Path) -> None:
    path, model = _drawn(Random(f"flink {form}"), tmp_path)
    target = tmp_path / "messages.json"
    answer = logdump("export", str(path), "--format", form, "-o", str(target))
    assert answer.status == 0
    table = _read_by_flink(target, f"{form}-json")
    floats = {key: (*row[:-1], None if row[-1] is None else float(row[-1])) for key, row in table.items()}
    assert floats == {key: _shown(row) for key, row in model.items()}


def test_flink_stops_at_a_truncate_as_the_note_says(tmp_path: Path) -> None:
    trail = Trail({"S.T": {name: kind for name, (kind, _) in COLUMNS.items()}})
    trail.insert("S.T", 1, *_values(Random("truncate")))
    trail.truncate("S.T")
    target = tmp_path / "messages.json"
    answer = logdump("export", str(trail.write(tmp_path)), "--format", "ogg", "-o", str(target))
    assert "Flink's ogg-json stops there" in answer.err
    with pytest.raises(AssertionError, match='Unknown "op_type" value "T"'):
        _read_by_flink(target, "ogg-json")
