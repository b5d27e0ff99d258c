"""The library of kernels: made when the package is built, used only where it is whole and made of these sources."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path

import pytest

import trailformat
from fixtures import TRAILS
from scripts import build_native
from tests.kernels import needs_native
from tests.laws.imports import home_of, imported, modules
from trailformat.native import constants
from trailformat.native.loaded import LIBRARY, NOTE, SOURCES, kernels, read_note, source_digest

ROOT = Path(__file__).parents[4]
TRAIL = TRAILS / "et000000000"
ROWS = 22
ROOM = "trailformat.native."
LOADS = "trailformat.native.loads"


WHY = """
from trailformat.native.loaded import why_interpreted
print(why_interpreted())
"""
CHOICE = f"""
from trailformat import TrailFile
from trailformat.scan import scan
from trailformat.native.loaded import why_interpreted
with TrailFile({str(TRAIL)!r}) as trail:
    rows = sum(len(batch.rba) for batch in scan(trail))
print(rows, why_interpreted())
"""
EXPORT_AND_READ = f"""
import sys
from logdump.cli import main
main(["-c", "open {TRAIL}; export parquet to {{target}} by table replace"])
from tests.logdump.tables.reads import rows
assert rows({str(TRAIL)!r})
print({{{{"numba", "llvmlite"}}}} & set(sys.modules))
"""


def run(program: str, home: Path, *path: Path) -> str:
    """The last line that a program prints, its modules looked for in ``path`` first."""
    environment = {"HOME": str(home), "TMPDIR": str(home), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, [*path, ROOT]))
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=home, env=environment, timeout=120)
    return done.stdout.strip().splitlines()[-1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, with its library."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "trailformat", copy / "trailformat")  # with its bytecode, which nobody else would keep
    return copy


@needs_native
@pytest.mark.parametrize(("program", "expected"), [(CHOICE, f"{ROWS} None"), (EXPORT_AND_READ, "set()")])
def test_nothing_is_compiled_and_nothing_is_kept_in_an_empty_home(
    program: str, expected: str, home: Path, tmp_path: Path
) -> None:
    assert run(program.format(target=tmp_path / "out"), home) == expected
    assert list(home.iterdir()) == []


def test_one_module_of_the_package_names_a_tool_of_the_build() -> None:
    tools = re.compile(r"^\s*(?:import|from) (?:numba|llvmlite)\b", re.MULTILINE)
    naming = {path for path in (ROOT / "trailformat").rglob("*.py") if tools.search(path.read_text(encoding="utf-8"))}
    assert {path.relative_to(ROOT / "trailformat").as_posix() for path in naming} == {"native/intrinsics.py"}


def test_the_functions_that_are_compiled_are_those_that_are_interpreted() -> None:
    names = [
        set(
            re.findall(
                r"^(?:def )?([a-z]+[0-9]*)(?: = |\()",
                (ROOT / "trailformat/native" / name).read_text(encoding="utf-8"),
                re.MULTILINE,
            )
        )
        for name in ("intrinsics.py", "loads.py")
    ]
    assert names[0] == names[1] > {"u8", "i64", "put64", "store16", "inlined"}


def _removed(package: Path) -> None:
    for name in (LIBRARY, NOTE):
        (package / name).unlink(missing_ok=True)


def _without_its_note(package: Path) -> None:
    (package / NOTE).unlink()


def _without_code(package: Path) -> None:
    (package / LIBRARY).unlink()


def _cut(package: Path) -> None:
    with (package / LIBRARY).open("r+b") as file:
        file.truncate(30_000)


def _changed(package: Path) -> None:
    code = bytearray((package / LIBRARY).read_bytes())
    code[0x2000] ^= 1
    (package / LIBRARY).write_bytes(code)


def _with_a_torn_note(package: Path) -> None:
    (package / NOTE).write_bytes(b"sources \xff\nkernel fill\n")


def _of_other_sources(package: Path) -> None:
    with (package / SOURCES[2] / "bytes.py").open("a", encoding="utf-8") as file:
        file.write("# another kernel\n")


def _with_another_source(package: Path) -> None:
    (package / SOURCES[0] / "more.py").write_text("MORE = 1\n", encoding="utf-8")


def _of_other_numbers(package: Path) -> None:
    path = package / "records" / "record_header.py"
    text = path.read_text(encoding="utf-8")
    assert "NAME_IS_INDEX = " in text
    path.write_text(f"{text}\nNAME_IS_INDEX += 16\n", encoding="utf-8")


def _foreign(package: Path) -> None:
    """No library at all, though its note calls it whole."""
    note = read_note((package / NOTE).read_text(encoding="utf-8"))
    (package / LIBRARY).write_bytes(b"no library")
    whole = note._replace(library=hashlib.sha256(b"no library").hexdigest())
    (package / NOTE).write_text(str(whole), encoding="utf-8")


def _of_another_machine(package: Path) -> None:
    """A whole library, as in a wheel for it that was unpacked here."""
    code = bytearray((package / LIBRARY).read_bytes())
    code[18:20] = b"\xb7\0" if platform.machine() == "x86_64" else b"\x3e\0"
    note = read_note((package / NOTE).read_text(encoding="utf-8"))
    (package / LIBRARY).write_bytes(code)
    (package / NOTE).write_text(str(note._replace(library=hashlib.sha256(code).hexdigest())), encoding="utf-8")


@needs_native
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_removed, "the kernel library was not built"),
        (_without_its_note, "the kernel library was not built"),
        (_without_code, "the kernel library was not built"),
        (_cut, r"the kernel library does not match its note \(checksum\)"),
        (_changed, r"the kernel library does not match its note \(checksum\)"),
        (_with_a_torn_note, "the note of the kernel library cannot be read"),
        (_of_other_sources, "the kernel library was built from other sources"),
        (_with_another_source, "the kernel library was built from other sources"),
        (_of_other_numbers, "the kernel library was built from other sources"),
        (_of_another_machine, rf"the kernel library is for \w+, and this machine is {platform.machine()}"),
        (_foreign, ".*(?:file too short|invalid ELF header|not a mach-o|no library).*"),
    ],
)
def test_a_library_that_is_not_that_of_the_sources_is_not_used(
    spoil: Callable[[Path], None], why: str, package: Path, home: Path
) -> None:
    spoil(package / "trailformat")
    assert re.fullmatch(why, run(WHY, home, package))


@needs_native
@pytest.mark.skipif(build_native.compiler() is None, reason="there is no C compiler")
def test_a_processor_that_lacks_something_is_left_to_the_interpreter(package: Path, home: Path) -> None:
    library, source = package / "trailformat" / LIBRARY, home / "old.c"
    source.write_text("int runs_here(void) { return 0; }\n", encoding="utf-8")
    command = [str(build_native.compiler()), "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True, timeout=60)
    note = read_note((package / "trailformat" / NOTE).read_text(encoding="utf-8"))
    whole = note._replace(library=hashlib.sha256(library.read_bytes()).hexdigest())
    (package / "trailformat" / NOTE).write_text(str(whole), encoding="utf-8")
    said = run(CHOICE, home, package)
    assert said == f"{ROWS} the kernel library needs a processor like {note.processor}"


def _zipped(package: Path, *names: str) -> Path:
    """The packages of a folder with their bytecode, which would else be made at each start."""
    archive = package / "package.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(path for name in names for path in (package / name).rglob("*.*")):
            if path.parent.name != "__pycache__":
                file.write(path, path.relative_to(package))
                bytecode = Path(cache_from_source(path))
                if path.suffix == ".py" and bytecode.exists():
                    file.write(bytecode, path.with_suffix(".pyc").relative_to(package))
    return archive


@needs_native
def test_a_zip_is_read_by_the_kernels_of_its_own_version(package: Path, home: Path) -> None:
    """The library is loaded from a copy that is gone at once."""
    assert run(CHOICE, home, _zipped(package, "trailformat")) == f"{ROWS} None"
    assert list(home.iterdir()) == []
    with (package / "trailformat/native/scan/fill.py").open("a") as file:
        file.write("# another version\n")
    assert run(WHY, home, _zipped(package, "trailformat")) == "the kernel library was built from other sources"


def test_a_zip_without_one_is_read_by_the_interpreter(package: Path, home: Path) -> None:
    _removed(package / "trailformat")
    assert run(CHOICE, home, _zipped(package, "trailformat")) == f"{ROWS} the kernel library was not built"


TABLE_READ = f"""
from logdump.arrow.without_pandas import leave_out_pandas
leave_out_pandas()
import logdump
from logdump.arrow.records.schema import Selected
from logdump.tables.defined_tables import table_meant
from logdump.tables.options import Use, parse_options
from logdump.tables.planner import plan
from logdump.tables.reader import read
from logdump.tables.slices import Request
from logdump.tables.table_columns import table_columns
options = parse_options({{"path": {str(TRAIL)!r}, "rowsOf": "TEAHOUSE.TEAS"}}, Use.READ)
column = table_columns(table_meant(options)[1], options)["after_NAME"]
request = Request((Selected("after_NAME", column),), options)
print(".zip" in logdump.__file__, sum(batch.num_rows for lot in plan(options) for batch in read(lot, request)))
"""


@needs_native
def test_a_table_is_read_from_a_zip(package: Path, home: Path) -> None:
    """What Spark's --py-files has: every kernel of every module, arrays included."""
    shutil.copytree(ROOT / "logdump", package / "logdump")
    is_zip, rows = run(TABLE_READ, home, _zipped(package, "logdump", "trailformat")).split()
    assert (is_zip, int(rows) > 0) == ("True", True)


@needs_native
def test_the_note_names_every_kernel_and_its_arguments() -> None:
    note = read_note((ROOT / "trailformat" / NOTE).read_text(encoding="utf-8"))
    assert [*note.kernels] == [*kernels()]
    assert (note.kernels["fill"], note.kernels["drop_high_bytes"]) == (8, 1)
    assert read_note(str(note)) == note
    assert note.made_by.startswith("logdump ")


def test_the_digest_goes_by_numbers_and_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    before = source_digest()
    assert before == source_digest(Path(trailformat.__path__[0]))
    monkeypatch.setattr(constants, "HEADER_SIZE", 35)
    assert source_digest() != before


def test_kernels_take_numbers_only_from_what_the_digest_covers() -> None:
    sources = [path.read_text(encoding="utf-8") for name, path in modules().items() if name.startswith(ROOM)]
    uses = [{*map(home_of, imported(ast.parse(source)))} for source in sources]
    compiled = [used for used in uses if LOADS in used]
    assert compiled
    assert {name for used in compiled for name in used if name is not None and not name.startswith(ROOM)} == set()


def _told(*command: str) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]}")
    path = ROOT / "trailformat" / LIBRARY
    return subprocess.run([*command, str(path)], capture_output=True, text=True, check=True, timeout=60).stdout


@needs_native
def test_it_needs_nothing_from_another_library() -> None:
    assert _told("nm", "--dynamic", "--undefined-only") == ""
    assert "(NEEDED)" not in _told("readelf", "--dynamic", "--wide")


@needs_native
def test_it_shows_the_kernels_and_nothing_else() -> None:
    shown = {line.split()[-1] for line in _told("nm", "--dynamic", "--defined-only").splitlines()}
    assert shown == {*kernels(), "runs_here"}


@needs_native
def test_no_part_of_it_is_both_written_and_run() -> None:
    told = _told("readelf", "--program-headers", "--wide")
    flags = re.findall(r"^ +(?:LOAD|GNU_STACK) +(?:0x\w+ +){5}([RWE ]+?) +0x\w+$", told, re.MULTILINE)
    assert {*flags} == {"R", "R E", "RW"}
