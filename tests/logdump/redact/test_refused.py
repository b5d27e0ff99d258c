"""What REDACT refuses, and what is there then: nothing new, and the source as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.redact import redacted_file
from logdump.features.redact.csns import CsnSubstitutes
from logdump.features.redact.substitutes import Substitutes
from tests.logdump.line import Line
from tests.logdump.program import ENVIRONMENT, logdump
from tests.searching import Random, examples
from tests.simulated.encryption import by_aes, encrypted, write_rows
from tests.trailformat.samples import row, trail_of
from trailformat import make_record
from trailformat.changes.csn import csn_key
from trailformat.records.record import LARGEST


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A trail of two files, in a folder of its own."""
    folder = tmp_path / "dirdat"
    folder.mkdir()
    for number in (0, 1):
        shutil.copy(TRAILS / f"st{number:09}", folder)
    return folder / "st000000000"


def _refused(source: Path, target: Path, *words: str) -> str:
    """Run it, and return what it says; nothing is written."""
    before = {path: path.read_bytes() for path in source.parent.parent.rglob("*") if path.is_file()}
    answer = logdump("redact", str(source), "-o", str(target), *words)
    assert answer.status not in (0, 3)
    assert {path: path.read_bytes() for path in source.parent.parent.rglob("*") if path.is_file()} == before
    return answer.err


def test_an_encrypted_trail(tmp_path: Path) -> None:
    plain = write_rows(tmp_path / "ee000000")
    secret = encrypted(plain, tmp_path / "ef000000", by_aes)
    assert "looks encrypted" in _refused(secret, tmp_path / "xx000000")


def test_the_second_file_alone_is_encrypted(tmp_path: Path) -> None:
    plain = write_rows(tmp_path / "ee000000")
    encrypted(plain, tmp_path / "ee000001", by_aes)
    assert "looks encrypted" in _refused(tmp_path / "ee*", tmp_path / "xx000000")


@pytest.mark.parametrize("name", ["st000000000", "st000000001", "st000000007"])
def test_a_target_in_the_trail_itself(source: Path, name: str) -> None:
    said = _refused(source.with_name("st*"), source.with_name(name), "--replace")
    assert "never writes over it" in said or "takes another name" in said


def test_the_source_under_another_name(source: Path, tmp_path: Path) -> None:
    os.link(source, tmp_path / "xx000000000")
    assert "never writes over it" in _refused(source, tmp_path / "xx000000000", "--replace")


def test_a_file_that_exists(source: Path, tmp_path: Path) -> None:
    (tmp_path / "xx000000000").write_bytes(b"other")
    assert "exists already" in _refused(source, tmp_path / "xx000000000")
    assert "is not known to be a copy" in _refused(source, tmp_path / "xx000000000", "--replace")


def test_several_files_and_a_name_without_a_number(source: Path, tmp_path: Path) -> None:
    assert "has no number" in _refused(source.with_name("st*"), tmp_path / "copy")


def test_a_record_that_is_too_large(tmp_path: Path) -> None:
    head = row().header
    (tmp_path / "dirdat").mkdir()
    path = trail_of(tmp_path / "dirdat", row(), make_record(head, b"leaf" * (LARGEST // 4)), row())
    assert "too large to be redacted" in _refused(path, tmp_path / "xx000000000")


def test_a_copy_that_differs_in_more_than_values_is_deleted(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redacted_file, "_filled", lambda data: data)
    damaged = bytearray(source.read_bytes())
    damaged[1500] ^= 0x10
    source.write_bytes(damaged)
    monkeypatch.setattr(redacted_file, "first_difference", lambda *_: 1500)
    assert "at RBA 1500: it is deleted" in _refused(source, tmp_path / "xx000000000")


def test_several_files_keep_the_distance_of_their_numbers(source: Path, tmp_path: Path) -> None:
    source.with_name("st000000001").rename(source.with_name("st000000003"))
    assert logdump("redact", str(source.with_name("st*")), "-o", str(tmp_path / "xx000000010")).status == 0
    assert sorted(path.name for path in tmp_path.glob("xx*")) == ["xx000000010", "xx000000013"]
    info = logdump("-c", f"open {tmp_path / 'xx000000013'}; fileheader detail; next")
    assert "000000013" in info.out


def test_the_source_is_not_changed_and_the_position_stays(source: Path, tmp_path: Path) -> None:
    line, before = Line(), source.read_bytes()
    line(f"open {source}; n 3; redact to {tmp_path / 'xx000000000'}")
    assert not line.failures
    assert source.read_bytes() == before
    assert line("n") != []
    line.session.close()


def test_a_run_that_is_killed_leaves_nothing(source: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from logdump.features.redact.command import Redaction\n"
        "Redaction._prove = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from logdump.cli import main\n"
        f"main(['redact', {str(source)!r}, '-o', {str(tmp_path / 'xx000000000')!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False)
    assert done.returncode < 0
    assert not (tmp_path / "xx000000000").exists()
    assert logdump("redact", str(source), "-o", str(tmp_path / "xx000000000")).status == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".", "xx"))] == ["xx000000000"]


_FORMS: dict[str, Callable[[int], str]] = {
    "a number": lambda n: str(10**9 + n),
    "numbers of several lengths": lambda n: str(n * n * n),
    "MySQL": lambda n: f"{n // 40:020}:{n * 37:015}",
    "MySQL's file": lambda n: f"teahouse-bin.{n // 40:06}:{10000 + n:05}",
    "PostgreSQL": lambda n: f"{n // 9:08X}/{n * 7919:08X}",
    "SQL Server": lambda n: f"{n // 50:08x}:{n * 31:08x}:{n % 9:04x}",
    "wrap.base": lambda n: f"3.{1000000 + n * 17}",
}


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("seed", range(examples(5, short=1)))
def test_csns_keep_their_order(form: str, seed: int) -> None:
    random, write = Random(f"{form} {seed}"), _FORMS[form]
    csns = [write(number) for number in sorted(random.sample(range(1, 2000), 30))]
    substitutes = CsnSubstitutes(csns, lambda name: name and b"Q" * (len(name) - 1) + b".")
    others = [substitutes.of_text(csn) for csn in csns]
    keys = [csn_key(other or "") for other in others]
    assert not substitutes.are_kept
    assert [len(other or "") for other in others] == [len(csn) for csn in csns]
    assert all(key is not None for key in keys)
    assert sorted(keys, key=lambda key: key.parts if key else ()) == keys
    assert {key.kind for key in keys if key} == {csn_key(csns[0]).kind}  # type: ignore[union-attr]
    assert "teahouse" not in "".join(map(str, others))


_KEPT = (["4:95", "4:1095", "5:3"], ["0007", "12"], ["0.4294967290", "1.0000000001"])


@pytest.mark.parametrize("csns", _KEPT)
def test_csns_that_would_not_keep_their_order_stay(csns: list[str]) -> None:
    substitutes = CsnSubstitutes(csns, lambda name: name)
    assert substitutes.are_kept
    assert [substitutes.of_text(csn) for csn in csns] == csns


@pytest.mark.parametrize("host", ["prodhost-bin.", "pr.od-----host.", "prod!!host#1.", "."])
@pytest.mark.parametrize("form", ["{}:{}", "{:06}:{:05}"])
def test_the_name_of_a_binary_log_never_stays(host: str, form: str) -> None:
    """It holds a host's name, and has no part in the order: whether the numbers stay or not."""
    csns = [host + form.format(*numbers) for numbers in ((4, 95), (4, 1095), (5, 3))]
    substitutes = CsnSubstitutes(csns, Substitutes().name)
    others = [substitutes.of_text(csn) or "" for csn in csns]
    assert substitutes.are_kept == (form == "{}:{}")
    assert [len(other) for other in others] == [len(csn) for csn in csns]
    keys = [csn_key(other) for other in others]
    assert {key.kind if key else None for key in keys} == {"MySQL position"}
    assert sorted(keys, key=lambda key: key.parts if key else ()) == keys
    assert not [word for word in ("prod", "host") if any(word in other for other in others)]
    assert len({other[: len(host)] for other in others}) == 1


@pytest.mark.slow
def test_memory_does_not_depend_on_the_size(tmp_path: Path) -> None:
    sizes = []
    for number in (50_000, 100_000):
        path = trail_of(
            tmp_path,
            b"".join(row(b"%09d" % row_number * 20).raw for row_number in range(number)),
            name=f"tt{number:09}",
        )
        code = (
            "from logdump.cli import main\n"
            f"main(['redact', {str(path)!r}, '-o', {str(path) + 'x000000000'!r}])\n"
            "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
        )
        done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=True, text=True)
        sizes.append(int(done.stdout.split()[-1]))
    assert sizes[1] - sizes[0] < 10_000, "kilobytes: the kept substitutes have a limit"
