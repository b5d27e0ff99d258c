"""Reading for a pane: a thread with a session of its own at the same file, so that nothing waits for the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.message import Message

from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.tui.reading.background import Background
from logdump.tui.reading.messages import ReadFailed
from trailformat import CannotRead, TrailError

Read = Callable[[Session], Message | None]


class Reader:
    """Answers questions about the open file with messages.

    Args:
        name: of the thread.
        settings: the switches of the session whose panes these are; never changed here.
        post: takes the messages, from any thread.
    """

    def __init__(self, name: str, settings: Settings, post: Callable[[Message], object]) -> None:
        self._background = Background(name)
        self._session = Session()
        self._session.settings = settings
        self._post = post

    @property
    def is_idle(self) -> bool:
        """Whether every question is answered."""
        return self._background.is_idle

    def open(self, path: Path | None) -> None:
        """Answer from this file from here on; from none when it is None or cannot be opened."""

        def open_it() -> None:
            self._session.close()
            if path is not None:
                self._answer(lambda session: self._opened(session, path))

        self._background.do("open", open_it)

    @staticmethod
    def _opened(session: Session, path: Path) -> None:
        session.open(path)

    def ask(self, key: str, read: Read) -> None:
        """Have ``read`` answer; a question still waiting under the same key is dropped."""

        def answer() -> None:
            if self._session.has_trail:
                self._answer(read)
            else:
                self._post(ReadFailed("The file cannot be read any more. OPEN opens it again, or another one."))

        self._background.do(key, answer)

    def _answer(self, read: Read) -> None:
        try:
            try:
                message = read(self._session)
            except CannotRead:
                # a file that was cut is read as it is now; any other failure comes again
                message = read(self._session)
        except (TrailError, CannotRead, OSError) as error:
            message = ReadFailed(str(error))
        if message is not None:
            self._post(message)

    def close(self) -> None:
        """End the thread and close the file."""
        self._background.do("close", self._session.close)
        self._background.close()
