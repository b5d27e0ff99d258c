from __future__ import annotations

import subprocess
import sys

import pytest

import trailformat


@pytest.mark.parametrize("name", trailformat.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(trailformat, name) is not None


def test_the_public_names_are_the_package_s_directory() -> None:
    assert dir(trailformat) == sorted(trailformat.__all__)


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'trailformat' has no attribute 'TrailFiles'"):
        _ = trailformat.TrailFiles


def test_the_codec_knows_nothing_of_the_houses_above_it() -> None:
    program = (
        "import sys, trailformat; [getattr(trailformat, name) for name in trailformat.__all__];"
        "print(sorted({'logdump', 'textual', 'pyspark', 'pyarrow', 'numpy', 'numba'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert answer.stdout == "[]\n"
