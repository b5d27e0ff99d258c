"""Line mode: arguments, prompts, standard input, exit status."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from logdump import __version__
from logdump.commands import REGISTRY
from logdump.language.command import is_message
from logdump.language.execute import outputs_kept
from logdump.language.words import first_word, split_calls
from logdump.line import terminal
from logdump.line.line_mode import LineMode, PipedInput, Script, lines_of
from logdump.line.terminal import ArgumentParser, OutputLost
from logdump.notation.text import escape
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from logdump.session.session import Session, is_trail
from logdump.session.settings import OutputFormat
from trailformat.codec.environment import CACHED, UNPACKED, size_limit
from trailformat.codec.mapped_file import open_script
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of, place
from trailformat.codec.remote.url import is_url, keeping_secrets
from trailformat.errors import CannotRead, NotATrail
from trailformat.trail.packed import is_archive

with on_demand:
    import difflib

    from logdump.agents import start as agents
    from logdump.language import reader
    from logdump.line import interactive, verbs
    from logdump.line.verbs import completion, running, table
    from logdump.session import files
    from logdump.tui import start
    from trailformat.codec.remote import store
    from trailformat.trail import name_list, peek, sequence

if TYPE_CHECKING:
    from logdump.line.history_file import KeptHistory

_DESCRIPTION = """\
Read Oracle GoldenGate trail files: by a verb, or with Logdump's command language.

  logdump VERB FILE… [options]     data on standard output, messages on standard error; logdump VERB --help has examples
  logdump FILE | COMMAND           FILE is opened, or COMMAND runs; then commands of the terminal or of standard input
  logdump [FILE] -c COMMANDS       the same commands, without a prompt; -f FILE: those of a file
  logdump --tui FILE               the full-screen view

verbs:
"""
_EPILOG = """\
exit status of a verb, of -c and of -f: 0 all went well, 1 a command failed or found nothing, 2 wrong usage,
3 findings (diff, repair, recovery, ...), 4 no trail or bad data in it, or it cannot be read, 130 interrupted

FILE is a file, a folder, a wildcard, or a trail by its prefix. A file that is called like a verb or a command needs its
folder: ./count.

examples:
  logdump check dirdat/lt
  logdump safe dirdat/lt000000003 483,188,832
  logdump dirdat/lt000000003 -c 'count detail'"""


_STORAGE = "--storage"
_COMPARED = 2
"""Number of files that DIFF takes."""
_SQL_WORDS = 3
"""Number of words in ``sql <statement> <file>``."""


class _Script(argparse.Action):
    """Collects -c and -f in the order of the command line."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option_string: str | None = None,
    ) -> None:
        scripts = [*(namespace.scripts or []), (self.const, values)]
        namespace.scripts = scripts


def _parser(*, with_verbs: bool) -> argparse.ArgumentParser:
    parser = ArgumentParser(
        prog="logdump",
        usage="logdump VERB FILE… [options] | [FILE | COMMAND] [options]",
        description=_DESCRIPTION + "\n".join(_verbs() if with_verbs else ()),
        epilog=_EPILOG,
        formatter_class=_unsized,
        allow_abbrev=False,
    )
    parser.add_argument("command", nargs="*", metavar="FILE | COMMAND", help="what to open, or the first command")
    commands = "run commands separated by ';', without prompts"
    parser.add_argument("-c", dest="scripts", action=_Script, const="c", metavar="COMMANDS", help=commands)
    file = "run the commands of a file ('-': standard input)"
    parser.add_argument("-f", dest="scripts", action=_Script, const="f", metavar="FILE", help=file)
    formats = "show records as Logdump does (text), or everything as one JSON object per line (jsonl)"
    parser.add_argument("--format", choices=("text", "jsonl"), default="text", help=formats)
    screen = "show FILE in the full-screen view; a folder, a wildcard or nothing: the trails there"
    stop = "end -c and -f at the first command whose exit status is not 0"
    parser.add_argument("--stop", action="store_true", help=stop)
    parser.add_argument("--tui", action="store_true", help=screen)
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal (--tui)")
    storage = "an option of the store of a URL, as fsspec names it: endpoint_url=…, s3:anon=true; may be repeated"
    parser.add_argument(_STORAGE, action="append", metavar="KEY=VALUE", help=storage)
    parser.add_argument("--version", action="version", version=f"logdump {__version__}")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    return parser


def _verbs() -> Iterator[str]:
    """Return a line for each verb, and for what is called as one: name and summary."""
    summaries = [*((verb.name, verb.summary) for verb in table.VERBS), *verbs.PROGRAMS.items()]
    return (f"  {name:<14}{summary}" for name, summary in summaries)


def _unsized(prog: str) -> argparse.HelpFormatter:
    """Return a formatter for argparse, which makes one per argument; with a fixed width it does not load shutil."""
    return argparse.HelpFormatter(prog, width=80)


def _script_lines(scripts: Iterable[tuple[str, str]], first: str) -> Iterator[str]:
    if first:
        yield first
    for kind, text in scripts:
        if kind == "c":
            yield from text.splitlines()
        elif text == "-":
            yield from lines_of(sys.stdin)
        else:
            with os.fdopen(open_script(Path(text)), encoding="utf-8", errors="backslashreplace") as file:
                yield from lines_of(file)


def _mode(scripts: list[tuple[str, str]] | None, first: str, words: list[str]) -> LineMode:
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if scripts is not None or _is_all(words, at_terminal=at_terminal):
        return _batch(scripts or [], first)
    if not at_terminal:
        return PipedInput(first)
    return interactive.Interactive(first, _go_full_screen)


def _is_all(words: list[str], *, at_terminal: bool) -> bool:
    """Return whether the command line is a whole run: a one-shot command, or without a terminal a mistake."""
    if not words or names_a_file(words):
        return False
    try:
        return REGISTRY.find(first_word(words[0])[0]).is_one_shot
    except CommandError:
        return not at_terminal


def _is_file(word: str) -> bool:
    """Return whether a word is the path of a file and not a command."""
    return place(word).is_file() and not REGISTRY.knows(word)


def _unknown(word: str) -> str | None:
    """Return the message if a first word is neither command nor file, with the nearest verbs, commands or files."""
    calls = split_calls(word)
    if names_a_file([word]) or (calls and REGISTRY.knows(calls[0][0])):
        return None
    known = [*verbs.NAMES, *verbs.PROGRAMS, *(name.lower() for name in REGISTRY.words())]
    near = (files.near_files(path_of(word)) if word else []) or [
        *difflib.get_close_matches(word.lower(), verbs.NAMES, n=1, cutoff=0.6),
        *difflib.get_close_matches(word.lower(), dict.fromkeys(known), n=3, cutoff=0.6),
    ]
    near = [*dict.fromkeys(near)][:3]
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"logdump: {word} is not a verb, a command or a file. {hint}logdump --help lists the verbs.\n"


_MOST_NAMES = 5
"""Maximum number of trails that a message names."""
_READS_A_FILE = ("PARAMS", "SOURCEDEFS")
"""Commands whose argument is a file that is no trail."""


def _not_a_verb(words: list[str]) -> str | None:
    """Return the message if a command that is no verb has a trail as its argument, which it does not take."""
    if len(words) < _COMPARED or names_a_file(words) or not REGISTRY.knows(words[0]):
        return None
    command, rest = REGISTRY.find(words[0]), words[1:]
    if command.is_one_shot:
        return None
    from logdump.line.verbs.options import is_source  # noqa: PLC0415 - as above

    is_valid = (
        reader.parse_partial(command.form, " ".join(map(_quoted, rest)), reader.Context()).validity
        is reader.Validity.VALID
    )
    named = [word for word in rest if is_source(word)]
    if not named or (is_valid and not (command.name in _READS_A_FILE and _is_trail_file(named[0]))):
        return None
    return f"logdump: {words[0]} is a command, not a verb: logdump {named[0]} -c '{words[0]} …'\n"


def _is_trail_file(word: str) -> bool:
    try:
        return is_trail(word) and peek.peek(place(word)) is not None
    except CannotRead:
        return False


def _holds_files(word: str) -> bool:
    try:
        return path_of(word).is_dir() or is_archive(path_of(word))
    except (OSError, ValueError, NotATrail):
        return False


def _file_in_folder(word: str) -> str | None:
    """Return the first file of the only trail in a folder or an archive; None if the word is none, or has no trail.

    Raises:
        CommandError: it has several trails.
    """
    if is_url(word) or not _holds_files(word) or (os.sep not in word and REGISTRY.knows(word)):
        return None
    try:
        trails, _ = sequence.trails_among(files.matching_files(word))
    except MissingFileError:
        return None
    if len(trails) > 1:
        names = ", ".join(names[0].prefix for names in trails)
        raise CommandError(
            f"{word} has {len(trails)} trails, {names}: name one, as {place(word) / trails[0][0].prefix}"
        )
    first, number = trails[0][0].path, len(trails[0])
    if number > 1:
        text = f"{word} has {number} files: {first.name} is opened, ACROSS ON continues in those after it"
        terminal.write_line(escape(text), is_narration=True)
    return str(first)


def _shell_made_several(words: list[str]) -> str | None:
    """Return advice if the shell has expanded a wildcard to several files where a command takes one name; else None."""
    names = [*takewhile(_is_file, reversed(words))][::-1]
    verb = words[: len(words) - len(names)]
    if len(names) <= (_COMPARED if verb[:1] and verb[0].upper() == "DIFF" else 1):
        return None
    if not verb:
        return (
            f"only one file can be opened, {len(names)} are given: "
            "open the first; ACROSS ON continues in the following files"
        )
    begin = "".join(first for first, *_ in takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False)))
    line = " ".join([*verb, f"'{begin}*'" if _fits_only(f"{begin}*", names) else "'<wildcard>'"])
    return f"{len(names)} files are given for one name: put the wildcard into quotes, logdump {line}"


def _with_statement_last(words: list[str]) -> list[str]:
    """Return ``sql <statement> <file> …`` in the command's order: files after OVER, statement last."""
    if len(words) < _SQL_WORDS or words[0].upper() != "SQL" or words[1].upper() == "OVER":
        return words
    return [words[0], "OVER", name_list.list_of(words[2:]), words[1]]


def _fits_only(wildcard: str, names: list[str]) -> bool:
    try:
        return {path.absolute() for path in files.matching_files(wildcard)} == {
            place(name).absolute() for name in names
        }
    except CommandError:
        return False


def _go_full_screen(session: Session, history: KeptHistory) -> None:
    start.go_on(session, history)


def _batch(scripts: list[tuple[str, str]], first: str) -> Script:
    """Return a script; whether it exports to standard output is decided before its first command prints anything."""
    if ("f", "-") in scripts:
        return Script(_script_lines(scripts, first))
    lines = list(_script_lines(scripts, first))  # a pipe is read once
    return Script(lines, output_is_data=any(map(_is_data, lines)))


def _is_data(line: str) -> bool:
    """Return whether an EXPORT in this line writes its data to standard output."""
    if "EXPORT" not in line.upper():
        return False
    from logdump.features.export.command import writes_to_standard_output  # noqa: PLC0415 - few lines have one

    return writes_to_standard_output(line)


def main(argv: list[str] | None = None) -> int:
    """Run ``logdump``; returns the exit status."""
    _prepare_streams()
    if (status := _guarded(_see_limits)) is not None:
        return status
    words = _without_storage(sys.argv[1:] if argv is None else argv)
    arguments = [
        word if before == "-c" else keeping_secrets(word)  # a line keeps what is its own when it runs
        for before, word in zip(("", *words), words, strict=False)
    ]
    if arguments and (status := _guarded(lambda: _run_verb(arguments))) is not None:
        return status
    return _guarded(lambda: _run_mode(*_command_line(arguments))) or ExitStatus.OK


def _see_limits() -> None:
    """Raise CannotRead if an environment variable for a limit is no size, once, before anything is read."""
    for variable in (UNPACKED, CACHED):
        size_limit(variable)


def _without_storage(arguments: list[str]) -> list[str]:
    """Set the options of stores, for verbs and all else; returns the other arguments. Raises SystemExit on misuse."""
    rest, given = [], {}
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name != _STORAGE:
            rest.append(word)
            continue
        option = value if equals else next(words, "")
        key, equals, value = option.partition("=")
        if not key or not equals:
            terminal.write_line(escape(f"logdump: {_STORAGE} takes KEY=VALUE"), is_narration=True)
            raise SystemExit(ExitStatus.USAGE)
        given[key] = value
    if given:
        store.use_storage(given)
    return rest


def _run_verb(arguments: list[str]) -> int | None:
    """Run the verb that the arguments begin with; None if they do not begin with one."""
    if arguments[0] == "completion" and not is_trail("completion"):
        return _print_completion(arguments[1:])
    if arguments[0] == "mcp" and not is_trail("mcp"):
        return agents.run_mcp(arguments[1:])
    is_pasted = is_message(arguments[0]) and not place(arguments[0]).exists()
    if not (verbs.verb_in(arguments) or is_pasted):
        return None
    if not is_pasted:
        return running.run_verb(arguments[0].lower(), arguments[1:])
    terminal.write_line(escape("A message of GoldenGate: EXPLAIN takes it."), is_narration=True)
    return running.run_verb("explain", arguments)


def _print_completion(shells: list[str]) -> int:
    if len(shells) != 1 or shells[0] not in completion.SHELLS:
        names = ", ".join(completion.SHELLS)
        terminal.write_line(escape(f"logdump: completion takes one of {names}"), is_narration=True)
        return ExitStatus.USAGE
    terminal.write_lines([escape(line) for line in completion.SHELLS[shells[0]]()])
    terminal.flush()
    return ExitStatus.OK


def _command_line(arguments: list[str]) -> tuple[argparse.Namespace, str]:
    """Return the options and the first command, which may be empty."""
    parser = _parser(with_verbs="-h" in arguments or "--help" in arguments)
    options = parser.parse_args(arguments)
    if options.tui:
        if options.scripts:
            parser.error("--tui takes neither -c nor -f")
        return options, ""
    try:
        options.command[:1] = [_file_in_folder(word) or word for word in options.command[:1]]
    except CommandError as error:
        parser.exit(ExitStatus.USAGE, f"logdump: {error}\n")
    if options.command and not options.scripts and (unknown := _unknown(options.command[0])) is not None:
        parser.exit(ExitStatus.USAGE, unknown)
    if not options.scripts and (message := _not_a_verb(options.command)) is not None:
        parser.exit(ExitStatus.USAGE, message)
    options.command = _with_statement_last(options.command)
    if (advice := _shell_made_several(options.command)) is not None:
        parser.error(advice)
    first = " ".join(_quoted(word) for word in options.command)
    if names_a_file(options.command):
        first = f"OPEN {first}"
    return options, first


def _run_mode(options: argparse.Namespace, first: str) -> int:
    if options.tui:
        return start.start(options.command, mouse=not options.no_mouse)
    mode = _mode(options.scripts, first, options.command)
    mode.session.settings.format = OutputFormat[options.format.upper()]
    mode.session.settings.stops_at_failure = options.stop
    if sys.stdout.isatty():
        mode.session.width = shutil.get_terminal_size().columns
    status = mode.run()
    terminal.flush()
    return status


def _guarded(run: Callable[[], int | None]) -> int | None:
    """Call ``run``; an error of the streams or the system becomes a message and an exit status."""
    try:
        try:
            return run()
        except SystemExit:  # of --help, whose text is not written yet
            terminal.flush()
            raise
    except BrokenPipeError:
        terminal.give_up_output()
        return ExitStatus.OK
    except OutputLost as error:
        terminal.give_up_output()
        lines = f"logdump: standard output cannot be written: {error}", *outputs_kept()
        terminal.write_lines(tuple(map(escape, lines)), is_narration=True)
        return ExitStatus.COMMAND_FAILED
    except (OSError, CannotRead) as error:
        terminal.write_line(escape(f"logdump: {error}"), is_narration=True)
        return ExitStatus.USAGE
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED


def _prepare_streams() -> None:
    """Make the standard streams accept any text; closed ones are replaced, standard output by one that fails."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None and name == "stdout":
            sys.stdout = terminal.closed_stream()
        elif stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - it stays open
        else:
            stream.reconfigure(errors="backslashreplace")


def names_a_file(words: list[str]) -> bool:
    """Return whether the first word is a path, or the name of a trail here and not a command."""
    if not words:
        return False
    if os.sep in words[0] or (os.altsep and os.altsep in words[0]):
        return True
    return not REGISTRY.knows(words[0]) and is_trail(words[0])


def _quoted(word: str) -> str:
    """Return a word of the shell, which has removed its quotes, as a word of a command line: paths are quoted again."""
    is_split = any(char.isspace() or char == ";" for char in word)
    return f'"{word}"' if is_split and '"' not in word and place(word).exists() else word
