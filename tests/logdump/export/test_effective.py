"""EXPORT … EFFECTIVE: what a Replicat does not apply is in no format, and the rest is."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.export.exported import rbas_in
from tests.logdump.export.rows import table_of
from tests.logdump.line import Line

NOT_APPLIED = {"at000000000": (2722, 2913, 3939), "at000000001": (), "at000000002": (2363, 2797)}
"""The records of transactions that a restart has cut, or that are open at the end, by file."""


def _rbas(path: Path, kind: str) -> list[int]:
    paths = sorted(path.iterdir()) if path.is_dir() else [path]
    if kind == "arrow":
        return sorted(rba for file in paths for rba in table_of(file, kind)["rba"].to_pylist())
    return sorted(rba for file in paths for rba in rbas_in(file))


@pytest.mark.parametrize("name", NOT_APPLIED)
@pytest.mark.parametrize("form", ["", "by table"])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "arrow"])
def test_what_is_not_applied_is_left_out_of_each_format(
    kind: str, form: str, name: str, line: Line, tmp_path: Path
) -> None:
    line(f"open {TRAILS / name}; export {kind} to {tmp_path / 'all'} {form}")
    line(f"open {TRAILS / name}; export {kind} to {tmp_path / 'applied'} {form} effective")
    assert not line.failures
    everything, applied = (_rbas(tmp_path / which, kind) for which in ("all", "applied"))
    assert applied == [rba for rba in everything if rba not in NOT_APPLIED[name]]
    assert {*NOT_APPLIED[name]} <= {*everything}


def test_the_next_export_has_everything_again(line: Line, tmp_path: Path) -> None:
    line(f"open {TRAILS / 'at000000000'}; export jsonl to {tmp_path / 'applied'} effective")
    line(f"pos 0; export jsonl to {tmp_path / 'all'}")
    assert {*_rbas(tmp_path / "all", "jsonl")} - {*_rbas(tmp_path / "applied", "jsonl")} == {
        *NOT_APPLIED["at000000000"]
    }


def test_a_table_alone_and_a_limit_are_of_what_is_applied(line: Line, tmp_path: Path) -> None:
    line(f"open {TRAILS / 'at000000000'}; filter include filename TEAHOUSE.TEAS; filter exclude rectype Metadata")
    line("filter match all")
    asked = ("", "effective", "2 records", "2 records effective")
    for number, words in enumerate(asked):
        line(f"pos 0; export csv to {tmp_path / str(number)} one table {words}")
        assert not line.failures
    everything, applied, two, two_applied = (rbas_in(tmp_path / str(number)) for number in range(len(asked)))
    assert applied == [rba for rba in everything if rba not in NOT_APPLIED["at000000000"]] != everything
    assert (two, two_applied) == (everything[:2], applied[:2])
