"""What is asked of a verb, and the steps that answer it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.language.words import split_commands
from logdump.session.errors import MissingFileError
from logdump.session.session import is_trail
from trailformat.codec.remote.path import place
from trailformat.codec.remote.url import is_url
from trailformat.trail.packed import entries_of, is_archive, is_file

_WILD = "*?"


class VerbStep(NamedTuple):
    """One command of a verb.

    Attributes:
        text: the command.
        prepares: whether it prepares what follows: its answer is not shown, and nothing follows where it fails.
        repeats: whether it asks for one more of what the step before it has shown; none is no failure.
    """

    text: str
    prepares: bool = False
    repeats: bool = False


class MisuseError(Exception):
    """What was asked makes no sense, for the reason that is its text."""


class VerbRequest(NamedTuple):
    """The words of a verb: the files, what else is no option, and the options."""

    files: tuple[str, ...]
    words: tuple[str, ...]
    options: argparse.Namespace

    @property
    def rest(self) -> str:
        """The words that are no files, as they stand in a command."""
        return " ".join(self.words)

    @property
    def named(self) -> str:
        """The files as one word of a command."""
        return quoted(",".join(self.files))

    def asks(self, name: str) -> bool:
        """Whether an option is given."""
        return getattr(self.options, name, None) not in (None, False, [])

    def trails(self) -> Iterator[tuple[Path, ...]]:
        """The files trail by trail, each in the order in which it was written. Raises as ``matching_files``."""
        file = place(self.files[0]).expanduser()
        if len(self.files) == 1 and is_file(file) and not is_archive(file):
            yield (file,)
            return
        from logdump.session.matching_files import matching_files  # noqa: PLC0415 - one file needs no search
        from trailformat.trail.sequence import trails_among  # noqa: PLC0415 - one file needs no search

        trails, others = trails_among(matching_files(",".join(self.files)))
        for names in trails:
            yield tuple(name.path for name in names)
        for path in others:
            yield (path,)


def is_source(word: str) -> bool:
    """Whether a word names a file, a trail, a folder, files by a wildcard, or is a URL, whatever is there."""
    path = place(word).expanduser()
    if is_url(word) or is_trail(word) or path.is_dir():
        return True
    if not any(one in path.name for one in _WILD):
        return False
    from logdump.notation.wildcard import matches  # noqa: PLC0415 - the shell puts files in place of most wildcards

    try:
        return any(matches(path.name, entry.name, case_sensitive=True) for entry in entries_of(path.absolute().parent))
    except OSError:
        return False


def no_such_file(name: str) -> MissingFileError:
    """The error for a name that is no source."""
    from logdump.session.near_files import near_files  # noqa: PLC0415 - where a file is not there

    near = near_files(place(name).expanduser())
    hint = (f"Did you mean {' or '.join(near)}?",) if near else ()
    return MissingFileError(f"{name}: No such file, folder or trail.", *hint)


def quoted(word: str) -> str:
    """A word of the shell as one of ours.

    Raises:
        MisuseError: no word of ours can spell it.
    """
    if '"' in word or not word.isprintable():
        raise MisuseError(f"no command can name {word!r}: it has a quotation mark or a control character")
    return f'"{word}"' if any(one.isspace() or one in ";," for one in word) or word.startswith("-") else word


def one_command(text: str, *, has_lines: bool = False) -> str:
    """A text that is one command, which may have several lines if that is said.

    Raises:
        MisuseError: it is several.
    """
    if split_commands(text) != [text.strip()] or ("\n" in text and not has_lines):
        raise MisuseError(f"{text!r} is not one command: put what holds a semicolon into double quotes")
    return text
