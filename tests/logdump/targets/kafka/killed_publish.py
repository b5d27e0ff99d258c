"""Runs ``publish`` in processes that are killed at drawn moments, each of which goes on where the last one was.

``python -m tests.logdump.targets.kafka.killed_publish DRIVER TRAIL URL KILLS JSON`` prints the moment of each kill;
JSON has the arguments.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from logdump.targets.kafka.broker import Broker
from logdump.targets.kafka.publisher import publish_run_of
from logdump.targets.kafka.request import PublishRunOptions
from tests.logdump.spark.targets.direct import DRIVERS
from tests.searching import Random

_MOMENTS = {"_send": range(1, 60), "flush": range(1, 6), "_commit": range(1, 4), "commit": range(1, 4)}
"""The steps before or after which processes are killed, and of which of them: messages are under way at each."""


def main(driver: str, path: str, url: str, kills: str, arguments: str) -> None:
    """Fork a process for each attempt, before this one has any thread."""
    random = Random(f"{kills} {driver}")
    for attempt in range(int(kills) + 1):
        step = random.choice([*_MOMENTS])
        moment, is_after = random.choice(_MOMENTS[step]), random.random() < 0.5
        child = os.fork()
        if not child:
            if attempt < int(kills):
                kill_at(step, moment, is_after=is_after)
            run = publish_run_of(DRIVERS[driver](random), path, url, PublishRunOptions.of("*", json.loads(arguments)))
            run.to_the_end()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(os.waitstatus_to_exitcode(status))
        sys.stdout.write(f"killed {'after' if is_after else 'before'} {step} {moment}\n")
        sys.stdout.flush()


def kill_at(step: str, moment: int, *, is_after: bool) -> None:
    """Have this process killed before or after so many steps of a kind."""
    method: Callable[..., Any] = getattr(Broker, step)
    made = 0

    def counting(broker: Broker, *given: Any) -> Any:
        nonlocal made
        made += 1
        if made == moment and not is_after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = method(broker, *given)
        if made == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(Broker, step, counting)


if __name__ == "__main__":
    main(*sys.argv[1:])
