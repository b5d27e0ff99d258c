"""Line mode at a terminal: line editing, completion, and a history that the next session goes on with."""

from __future__ import annotations

import os
import sys

from logdump.events import Notice
from logdump.exit_status import ExitStatus
from logdump.history_file import UnusableHistory, history_path, load_history, save_history
from logdump.line_editor import LineEditor
from logdump.line_mode import BANNER, LineMode


class Interactive(LineMode):
    """Commands typed at a terminal; Ctrl+C ends a command, not the session."""

    def __init__(self, first: str = "") -> None:
        super().__init__(first)
        self._editor = LineEditor()
        self._history_path = history_path(os.environ)

    def _run(self) -> int:
        sys.stdout.write("\n".join(BANNER) + "\n")
        self._recall_history()
        if self._first:
            sys.stdout.write(f"{self.prompt}{self._first}\n")
            self._enter_and_remember(self._first)
        while not self.session.is_over:
            try:
                line = self._read(self.prompt)
                if line is None:
                    sys.stdout.write("\n")
                    break
                self._enter_and_remember(line)
            except KeyboardInterrupt:
                sys.stdout.write("\n")
        return ExitStatus.OK

    def _read(self, prompt: str) -> str | None:
        try:
            return input(prompt)
        except EOFError:
            return None

    def _enter_and_remember(self, line: str) -> None:
        try:
            self.enter(line)
        finally:
            self._editor.recall(self.session.history.lines)
            self._save_history()

    def _recall_history(self) -> None:
        if self._history_path is None:
            return
        try:
            self.session.history = load_history(self._history_path)
        except UnusableHistory as error:
            self._keep_no_history(f"{self._history_path} is left alone, and no history is kept: {error}.")
        self._editor.recall(self.session.history.lines)

    def _save_history(self) -> None:
        if self._history_path is None:
            return
        try:
            save_history(self._history_path, self.session.history)
        except OSError as error:
            self._keep_no_history(f"{self._history_path} cannot be written, no history is kept: {error.strerror}.")

    def _keep_no_history(self, why: str) -> None:
        self._history_path = None
        self._print(Notice((why,), ExitStatus.COMMAND_FAILED))
