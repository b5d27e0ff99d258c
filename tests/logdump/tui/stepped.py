"""A view that is stepped from outside its event loop, and whose threads can be held: before they work, or before they
answer."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from inspect import isawaitable
from pathlib import Path
from typing import Any

import pytest
from textual.message import Message
from textual.pilot import Pilot

from logdump.line.history_file import KeptHistory
from logdump.session.session import Session
from logdump.tui.app import TrailApp
from logdump.tui.reading.background import Background, Job
from tests.logdump.tui.resting import come_to_rest
from tests.logdump.tui.twin import painted

THREADS = (
    *("commands", "rows", "record", "poll", "index", "filter", "timeline", "strip", "open transactions"),
    *("start page", "findings"),
)


class Threads:
    """The view's threads by name; a held one works no longer, or keeps its answers to itself."""

    def __init__(self) -> None:
        self._gates = {name: threading.Event() for name in THREADS}
        self._answers: dict[str, list[tuple[Callable[[Message], object], Message]]] = {}
        self._threads: dict[str, Background] = {}
        self._do = Background.do
        for gate in self._gates.values():
            gate.set()

    def do(self, background: Background, key: str, job: Job) -> None:
        """In place of :meth:`Background.do`: the job waits as long as its thread is held."""
        name = _name(background._thread)
        self._threads[name] = background

        def held() -> None:
            self._gates[name].wait()  # until it is released, however slow the machine is
            job()

        self._do(background, key, held)

    def answer(self, post: Callable[[Message], object], message: Message) -> bool:
        """Take an answer of the current thread, or keep it as long as that is held."""
        kept = self._answers.get(_name(threading.current_thread()))
        if kept is None:
            return bool(post(message))
        kept.append((post, message))
        return True

    @property
    def held(self) -> set[str]:
        """The names of those that are held either way."""
        return {name for name, gate in self._gates.items() if not gate.is_set()} | set(self._answers)

    def hold_work(self, name: str) -> None:
        """Have a thread begin nothing."""
        self._gates[name].clear()

    def hold_answers(self, name: str) -> None:
        """Have a thread's answers come late."""
        self._answers.setdefault(name, [])

    def release(self, name: str) -> None:
        """Let a thread go on, and its answers through, in their order."""
        for post, message in self._answers.pop(name, []):
            post(message)
        self._gates[name].set()

    def release_all(self) -> None:
        """Let all go on."""
        for name in THREADS:
            self.release(name)

    @property
    def are_idle(self) -> bool:
        """Whether every thread that is not held is done."""
        return all(background.is_idle or not self._gates[name].is_set() for name, background in self._threads.items())


def _name(thread: threading.Thread) -> str:
    return thread.name.removeprefix("logdump ")


class Noted(TrailApp):
    """A view that notes, in their order, what goes to its session: lines, and rows that the user stands on."""

    CSS_PATH = str(Path(sys.modules[TrailApp.__module__].__file__ or "").with_name("layout.tcss"))

    def __init__(self, session: Session, threads: Threads) -> None:
        self._held = threads
        self.asked: list[tuple[str, tuple[Any, ...], int]] = []
        super().__init__(session, "", KeptHistory(None))
        for name in ("submit", "stand_at", "cross"):
            setattr(self.mode, name, self._noted(name, getattr(self.mode, name)))

    def _noted(self, name: str, act: Callable[..., None]) -> Callable[..., None]:
        def noted(*arguments: Any, **options: Any) -> None:
            self.asked.append((name, (*arguments, *options.values()), self.model.state.opened))
            act(*arguments, **options)

        return noted

    def post_message(self, message: Message) -> bool:
        """Post it, unless it comes late."""
        return self._held.answer(super().post_message, message)


class Stepped:
    """A running view, each step of which ends when nothing moves any more.

    Attributes:
        app: the view.
        threads: its threads.
    """

    def __init__(self, session: Session, size: tuple[int, int]) -> None:
        self.threads = Threads()
        self._patch = pytest.MonkeyPatch()
        threads = self.threads

        def do(background: Background, key: str, job: Job) -> None:
            threads.do(background, key, job)

        self._patch.setattr(Background, "do", do)
        self._runner = asyncio.Runner()
        self.app = Noted(session, self.threads)
        self._running = self.app.run_test(size=size)
        self.pilot: Pilot[None] = self._runner.run(self._running.__aenter__())

    def run(self, *acts: Callable[[], object]) -> None:
        """Do something in the loop of the view, and wait until that has no more consequences."""
        self._runner.run(self._step(acts))

    def painted(self) -> list[str]:
        """The lines of the screen, what is typed left out."""
        return self._runner.run(painted(self.app, self._rest))

    async def _step(self, acts: Sequence[Callable[[], object]]) -> None:
        for act in acts:
            result = act()
            if isawaitable(result):
                await result
        await self._rest()

    async def _rest(self) -> None:
        await come_to_rest(lambda: self.threads.are_idle or self.app.mode.is_asking)

    def close(self) -> None:
        """End the view, whatever its threads do."""
        self.threads.release_all()
        try:
            self._runner.run(self._rest())  # an answer that comes while the view ends would find no widgets
            self._runner.run(self._running.__aexit__(None, None, None))
        finally:
            self._runner.close()
            self._patch.undo()
