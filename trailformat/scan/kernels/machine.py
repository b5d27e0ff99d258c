"""The machine that kernels are compiled for, and where those for it are kept."""

from __future__ import annotations

import contextlib
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from trailformat.scan.kernels import cache as kernel_cache


def _processor() -> tuple[str, str]:
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def this_machine() -> Any:
    """What llvmlite compiles and loads for."""
    with contextlib.suppress(RuntimeError):
        # newer releases do this by themselves, and say so with an error
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    name, features = _processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=name, features=features, opt=3, reloc="pic", codemodel="jitdefault", jit=True
    )


def kept_file(folder: Path) -> Path | None:
    """The file with the compiled kernels of a folder of sources, there or not; None where none may be kept."""
    return kernel_cache.kept(f"{llvmlite.__version__} {this_machine().triple} {_processor()}", folder)


@cache
def are_kept() -> bool:
    """Whether the kernels of the scan are kept, so that nothing needs to be compiled."""
    path = kept_file(Path(__file__).parent)
    return path is not None and path.exists()
