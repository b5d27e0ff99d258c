"""``logdump.apply`` in this process while its database is killed: the tables are those of the source at each moment."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import logdump
from tests.logdump.spark.targets.bank import NAMES, batch_size
from tests.logdump.spark.targets.outages import Server, held, killed
from tests.logdump.spark.targets.places import Place
from tests.searching import IS_LONG, Random
from tests.simulated.five_tables import BankStates, bank_trail

__all__ = ["killed"]


def test_the_target_equals_the_model_after_each_outage(killed: tuple[Server, Place], tmp_path: Path) -> None:
    """The server dies in the middle of a commit's work, and comes back after a moment; each row is inserted once."""
    server, place = killed
    trail, states, random = tmp_path / "trail", BankStates(), Random(3)
    trail.mkdir()
    _, extract = bank_trail(trail, 300 if IS_LONG else 40, seed=23, states=states, roll_chance=0.1)
    moments, outages = list[str](), list[threading.Thread]()

    def die(seconds: float) -> None:
        time.sleep(seconds)
        server.crash()
        time.sleep(0.4)
        server.restart()

    def crash(_progress: logdump.ApplyProgress) -> None:
        for outage in outages:
            outage.join()
        moments.append(held(states, place))
        if len(moments) in (1, 3):
            outages.append(threading.Thread(target=die, args=(random.random() / 20,)))
            outages[-1].start()

    most = batch_size(trail, 8)
    done = logdump.apply(f"{trail}/sm*", place.url, [*NAMES], batch=most, once=True, progress=crash)
    for outage in outages:
        outage.join()
    assert len(moments) > 3
    assert moments[-1] == held(states, place) == extract.csn == done.csn
