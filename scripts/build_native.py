"""The library of kernels: ``python -m scripts.build_native`` compiles them with numba and links them with ``cc``.

The library and its note are written to ``trailformat/native``, unless it has been built from these sources already. It
is compiled for an old processor that is fast enough, so that it runs on any machine of the kind, and needs no other
library. With ``--if-possible`` a missing numba or C compiler is no error: the package works without it, slowly.
``--machine aarch64`` compiles for another kind of machine, on Linux, and links with the C compiler for that one.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.metadata
import inspect
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from logdump import __version__
from trailformat.native.loaded import LIBRARY, NOTE, LibraryNote, read_note, source_digest

PACKAGE = Path(__file__).parents[1] / "trailformat"


class Machine(NamedTuple):
    """A kind of machine that kernels are compiled for.

    Attributes:
        name: as ``platform.machine()`` has it.
        processor: the oldest that runs the library, as LLVM calls it.
    """

    name: str
    processor: str

    @property
    def is_here(self) -> bool:
        """Whether this is the kind of machine that the build runs on."""
        return self.name == platform.machine()


MACHINES = {name: Machine(name, "x86-64-v2") for name in ("x86_64", "AMD64")}
"""Those of which an old processor has a name of its own."""
HERE = MACHINES.get(platform.machine(), Machine(platform.machine(), "generic"))
_STUB = Path(__file__).parent / "processor.c"
_ALONE = "-nostdlib -Wl,-z,defs -Wl,-z,now -Wl,-z,noexecstack".split()  # noqa: SIM905
"""Options of ELF linkers: no other library is needed, and no memory is both writable and executable."""


class CannotBuild(Exception):
    """A tool of the build is missing or fails; the message says which."""


def main(*arguments: str) -> int:
    """Build the library; return the exit status."""
    _, named, rest = " ".join(arguments).partition("--machine ")
    name = rest.split(" ")[0]
    try:
        build(MACHINES.get(name, Machine(name, "generic")) if named else HERE)
    except CannotBuild as error:
        for name in (LIBRARY, NOTE):
            (PACKAGE / name).unlink(missing_ok=True)  # a library of other sources is of no use
        sys.stderr.write(f"The kernels are not compiled, so large trails are read slowly: {error}\n")
        return 0 if "--if-possible" in arguments else 1
    return 0


def compiler(machine: Machine = HERE) -> str | None:
    """Return the path of the C compiler that links, None if there is none.

    It is that of $CC, or else ``cc``; for another kind of machine it has the name that Debian and others give it.
    """
    return shutil.which((os.environ.get("CC") or "cc") if machine.is_here else f"{machine.name}-linux-gnu-gcc")


def build(machine: Machine = HERE) -> None:
    """Build the library unless it exists; numba is then loaded in a way that it can do nothing else in this process.

    Raises:
        CannotBuild: a tool is missing or fails.
    """
    if is_built(machine):
        return
    linker = compiler(machine)
    if linker is None:
        name = "cc" if machine.is_here else f"{machine.name}-linux-gnu-gcc"
        raise CannotBuild(f"there is no C compiler ({name})")
    objects, kernels = _compiled(machine)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "kernels.so"
        _link(linker, objects, library)
        code = library.read_bytes()
    made_by = f"logdump {__version__}, numba {importlib.metadata.version('numba')}"
    note = LibraryNote(source_digest(), hashlib.sha256(code).hexdigest(), machine.processor, made_by, kernels)
    _put(PACKAGE / LIBRARY, code)
    _put(PACKAGE / NOTE, str(note).encode())


def is_built(machine: Machine = HERE) -> bool:
    """Return whether the library exists and was built from these sources for a kind of machine."""
    try:
        note = read_note((PACKAGE / NOTE).read_text(encoding="utf-8"))
        is_for_it = note.processor == machine.processor
        return is_for_it and note.sources == source_digest() and note.is_of((PACKAGE / LIBRARY).read_bytes())
    except (ImportError, OSError, UnicodeDecodeError):
        return False


def _put(path: Path, content: bytes) -> None:
    """Replace a file atomically: another process may have loaded the old one."""
    path.parent.mkdir(exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_bytes(content)
    new.replace(path)


def _link(linker: str, objects: bytes, library: Path) -> None:
    compiled = library.with_name("kernels.o")
    compiled.write_bytes(objects)
    alone = _ALONE if sys.platform.startswith("linux") else []
    command = [linker, "-shared", "-fPIC", "-O2", "-fno-stack-protector", *alone]
    command += ["-o", str(library), str(compiled), str(_STUB)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    if done.returncode:
        raise CannotBuild(f"{linker} fails: {done.stderr.strip()[-500:]}")


def _compiled(machine: Machine) -> tuple[bytes, dict[str, int]]:
    """Return the object code of all kernels, and the number of arguments of each by its name."""
    # numba reads these when it is loaded; without them it compiles for the processor here
    os.environ |= {
        "NUMBA_CPU_NAME": machine.processor if machine.is_here else "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_DISABLE_INTEL_SVML": "1",
    }
    try:
        # it replaces the functions for interpreted kernels
        sys.modules["trailformat.native.loads"] = importlib.import_module("trailformat.native.intrinsics")
        from trailformat.native.library import KERNELS  # noqa: PLC0415 - it loads numba
    except ImportError as error:
        raise CannotBuild(f"numba does not load ({error}); make native installs it") from error
    return _object_code(KERNELS, machine), {kernel.__name__: _argument_count(kernel) for kernel in KERNELS}


def _object_code(kernels: Sequence[Callable[..., int]], machine: Machine) -> bytes:
    """Return the object code of kernels, each under its own name, with no other exported symbols.

    A kernel takes int64 arguments and returns an int64. By numba's convention, the function of that name first takes
    two addresses, of the result and of an exception, which no kernel raises; it returns 0.
    """
    import llvmlite.binding as llvm  # noqa: PLC0415 - numba loads

    with contextlib.suppress(RuntimeError):
        # newer releases do this by themselves, and raise an error here
        llvm.initialize()
    if machine.is_here:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_default_triple()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(f"{machine.name}-unknown-linux-gnu")
    code = target.create_target_machine(cpu=machine.processor, features="", opt=3, reloc="pic", codemodel="default")
    whole = llvm.parse_assembly("")
    for kernel in kernels:
        whole.link_in(_module(kernel))
    # numba has compiled for this machine up to here, where integers and loads without alignment are the same for all
    whole.triple, whole.data_layout = target.triple, str(code.target_data)
    _hide_all_but(whole, {kernel.__name__ for kernel in kernels})
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(whole, llvm.create_pass_builder(code, llvm.create_pipeline_tuning_options()))
    return bytes(code.emit_object(whole))


def _hide_all_but(whole: Any, names: set[str]) -> None:
    for symbol in (*whole.functions, *whole.global_variables):
        if not symbol.is_declaration and symbol.name not in names:
            symbol.linkage = "internal"


def _argument_count(kernel: Callable[..., int]) -> int:
    return len(inspect.signature(kernel).parameters)


def _module(kernel: Callable[..., int]) -> Any:
    import llvmlite.binding as llvm  # noqa: PLC0415 - numba loads
    from numba import njit  # noqa: PLC0415 - a tool of the build

    arguments = ", ".join(["int64"] * _argument_count(kernel))
    options: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: Any = njit(f"int64({arguments})", **options)(kernel)
    (signature,) = compiled.signatures
    module = llvm.parse_assembly(compiled.inspect_llvm(signature))
    module.get_function(compiled.overloads[signature].fndesc.llvm_func_name).name = kernel.__name__
    return module


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
