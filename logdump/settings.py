"""What is switched on: the state that ENV shows."""

from __future__ import annotations

import enum
import types

from logdump.release import DEFAULT_RELEASE, Release
from logdump.times import LOCAL, TimeOffset


class Detail(enum.Enum):
    """DETAIL: no columns, their lengths, or their bytes too."""

    OFF = "Off"
    ON = "On"
    DATA = "Data"


class Level(enum.Enum):
    """How much of a block is shown: nothing, its summary, or all of it."""

    OFF = "Off"
    ON = "On"
    DETAIL = "Detail"


class Settings(types.SimpleNamespace):
    """The switches of a session; ``reclen`` in bytes. Those not given stand at Logdump's defaults."""

    ghdr: bool = False
    detail: Detail = Detail.OFF
    usertoken: Level = Level.OFF
    ggstoken: Level = Level.OFF
    headertoken: Level = Level.OFF
    fileheader: Level = Level.OFF
    reclen: int = 140
    time_offset: TimeOffset = LOCAL
    release: Release = DEFAULT_RELEASE
