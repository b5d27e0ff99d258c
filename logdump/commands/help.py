"""The command HELP, generated from the registry, and the pages of the documents."""

from __future__ import annotations

import re
import site
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from logdump.language.command import AnyCommand, Command, Origin, Term
from logdump.language.forms import Maybe
from logdump.language.parameters import beginning
from logdump.language.reader import Context, Parameter
from logdump.language.words import last_word, split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session

_WIDTH, _LONGEST, _SCREEN = 26, 110, 80


_SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z])")
_TASKS = {
    "OPEN": "Open a trail, choose what is shown",
    "NEXT": "Read on, move, search",
    "SAFE": "Ask about a trail",
    "METADATA": "Definitions and values",
    "SAVE": "Write",
    "PARAMS": "Parameter files, DDL, messages",
    "NOTIFY": "Progress and statistics of COUNT",
    "FILTER": "Choose records",
    "DUMP": "Bytes, numbers and times",
    "ENV": "Settings and folders",
    "LOG": "The session, scripts, formats",
    "DECRYPT": "For old scripts; no effect here",
    "HELP": "Help",
}
"""Headings of the list of commands, by the first command under each."""
_LIST = "PAGES"
LIST = Path(__file__).with_name("commands.txt")
"""The lines of HELP, made by ``python -m scripts.update_docs``."""
_PAGE = re.compile(r"\| \[(?P<name>[\w-]+)\.md\]\([\w.-]+\) \| (?P<question>.+) \|")
_HEADING = re.compile(r"\| (?P<task>[A-Z][^|]+?) \| +\|")
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
_MEANING = re.compile(r"\| (?P<words>[^|]+) \| (?P<text>.+) \|")
_GLOSSARY = "glossary"
"""The page with the words of the format, a row for each."""


class Topic(NamedTuple):
    """A topic of HELP: a command, one of its terms, the first word of one of its forms, a page, or a meaning."""

    command: AnyCommand | None
    term: Term | None = None
    word: str = ""
    page: str = ""
    meaning: str = ""


class Topics(Parameter[list[Topic]]):
    """Pages, words of the format and commands; some terms of a command, or the first word of a form, may follow it."""

    is_phrase = True

    def parse(self, text: str, context: Context) -> list[Topic]:  # noqa: ARG002
        """Return the topics in order."""
        from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

        words, topics = split_words(text), list[Topic]()
        while words:
            if page := _page_called(words[0]):
                topics.append(Topic(None, page=page))
                words.pop(0)
                continue
            if not _is_command(words[0]) and (meaning := meaning_of(words[0])):
                topics.append(Topic(None, meaning=meaning))
                words.pop(0)
                continue
            command = REGISTRY.find(words.pop(0))
            terms = {spelling.upper(): term for term in command.terms() for spelling in term.words}
            if words and not terms and _forms(command, words[0]) and not _is_command(words[0]):
                topics.append(Topic(command, word=words.pop(0).upper()))
            elif not words or not terms:
                topics.append(Topic(command))
            elif words[0].upper() not in terms:
                raise CommandError(f"{command.name} has no option {words[0]}.", f"HELP {command.name} lists them.")
            while words and words[0].upper() in terms:
                topics.append(Topic(command, terms[words.pop(0).upper()]))
        return topics

    def begins(self, typed: str, context: Context) -> bool:
        """Return True if further text could complete the last word."""
        return bool(self.offers(typed, context))

    def offers(self, typed: str, context: Context) -> list[str]:  # noqa: ARG002
        """Return the terms of the command typed before; if it has none, all commands and PAGES."""
        from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

        start = last_word(typed)
        before = typed[:start].split()
        try:
            terms = REGISTRY.find(before[0]).terms() if before else ()
        except CommandError:
            terms = ()
        words = () if before else [word for words, _ in _glossary() for word in words if " " not in word]
        return beginning(typed[start:], [term.keyword for term in terms] or [*REGISTRY.words(), _LIST, *words])


def run_help(session: Session, topics: list[Topic] | None) -> Iterator[Event]:
    """List all commands by task, or explain commands and print pages."""
    width = session.width if session.standard_output is not None else None  # the screen breaks lines by itself
    if topics is None:
        yield say(*_fitting(_text_of(str(LIST)), width))
    for command, term, word, page, meaning in topics or ():
        if meaning:
            yield say(*wrap(meaning, min(width or _SCREEN, _SCREEN), subsequent_indent="  "))
            yield say(f"HELP {_GLOSSARY.upper()} has the other words.")
        elif command is None:
            yield say(*_fitting(_list_of_pages() if page == _LIST else _text_of(page), width))
        elif word:
            yield say(*_fitting(_of_word(command, word), width))
        else:
            yield say(*_fitting(explanation(command) if term is None else _of_term(term), width))


def list_of_commands(commands: Iterable[AnyCommand]) -> Iterator[str]:
    """Yield the lines of HELP without a topic, which LIST holds: so HELP loads no command."""
    for number, command in enumerate(commands):
        if command.name in _TASKS:
            yield from ([""] if number else [])
            yield f"{_TASKS[command.name]}:"
        yield line(command)
    yield from ("", f"HELP <command> explains one. HELP {_LIST} lists the pages of the documents by task.")


def _fitting(lines: Iterable[str], width: int | None) -> Iterator[str]:
    """Wrap lines to the width of the terminal, if there is one; continuation lines are indented."""
    for text in lines:
        if width is None or len(text) <= width:
            yield text
        else:
            indent = " " * (len(text) - len(text.lstrip()) + 2)
            yield from wrap(text, max(width, 20), subsequent_indent=indent, break_on_hyphens=False)


def _folder_of_pages() -> Path:
    """Return the folder of the pages, in a checkout or in the installed package.

    Raises:
        CommandError: the pages are not installed.
    """
    installed = [Path(base) / "share" / "doc" / "logdump" for base in (sysconfig.get_path("data"), site.getuserbase())]
    for folder in (Path(__file__).parents[2] / "docs", *installed):
        if (folder / "bounded-recovery.md").is_file():
            return folder
    raise CommandError("The pages of the documents are not installed.", "They are in the folder docs of the source.")


def _page_called(word: str) -> str:
    """Return the path of the page that a word names, PAGES for the list of pages, empty for any other word.

    A page with the name of a command needs the suffix .md.

    Raises:
        CommandError: there is no such page, or the pages are not installed, and the word ends in .md.
    """
    if word.upper() == _LIST:
        return _LIST
    name = word.lower()
    if not re.fullmatch(r"[a-z-]+(\.md)?", name) or (not name.endswith(".md") and _is_command(word)):
        return ""
    stem = name.removesuffix(".md")
    try:
        pages = {path.stem: path for path in _folder_of_pages().rglob("*.md")}
    except CommandError:
        if name.endswith(".md"):
            raise
        return ""
    if stem in pages:
        return str(pages[stem])
    if name.endswith(".md"):
        raise CommandError(f"There is no page {name}.", f"HELP {_LIST} lists them.")
    return ""


def _text_of(page: str) -> list[str]:
    return Path(page).read_text(encoding="utf-8").splitlines()


def meaning_of(word: str) -> str:
    """Return what the glossary says of a word of the format, however it is hyphenated; empty if it has not the word."""
    asked = {_plain(word), _plain(word).removesuffix("s")} - {""}
    meanings = (meaning for words, meaning in _glossary() if asked & set(map(_plain, words)))
    return next(meanings, "")


def _glossary() -> Iterator[tuple[list[str], str]]:
    """Yield the words of each row of the glossary, and a line with its meaning; nothing if it is not installed."""
    try:
        rows = list(map(_MEANING.fullmatch, _text_of(str(_folder_of_pages() / f"{_GLOSSARY}.md"))))
    except (CommandError, OSError):
        return
    for row in rows:
        if row is not None and row["words"] != "Word":
            yield row["words"].split(", "), f"{row['words']}: {re.sub(r'[*`]', '', row['text'])}"


def _plain(word: str) -> str:
    return re.sub(r"[\W_]", "", word).lower()


def _list_of_pages() -> Iterator[str]:
    """Yield the pages by task, each with the question that it answers."""
    for text in _text_of(str(_folder_of_pages() / "README.md")):
        if heading := _HEADING.fullmatch(text):
            yield f"{heading['task']}:"
        elif page := _PAGE.fullmatch(text):
            question = _LINK.sub(r"\1", page["question"])
            yield f"  {page['name']:<18} {question}"
    yield "HELP <page> prints one; HELP <page>.md where a command has the same name."


def _is_command(word: str) -> bool:
    from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

    try:
        REGISTRY.find(word)
    except CommandError:
        return False
    return True


def _forms(command: AnyCommand, word: str) -> list[str]:
    """Return the forms of a command that begin with a word."""
    text, forms, depth = command.syntax.partition(" ")[2], [""], 0
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == "|" and depth == 0:
            forms.append("")
        else:
            forms[-1] += character
    return [form.strip() for form in forms if form.split()[:1] == [word.upper()]]


def _of_word(command: AnyCommand, word: str) -> Iterator[str]:
    """Yield the forms that begin with a word, then the sentences of the details that contain it."""
    for form in _forms(command, word):
        yield f"{command.name} {form} - {command.summary}"
    sentences = [
        sentence for sentence in _SENTENCE.split(" ".join(command.details)) if re.search(rf"\b{word}\b", sentence)
    ]
    yield from wrap(" ".join(sentences), _LONGEST, initial_indent="     ", subsequent_indent="     ")


def line(command: AnyCommand) -> str:
    """Return the line of a command in HELP: its syntax in 26 columns, a dash, its summary."""
    return f"{command.syntax:<{_WIDTH}} - {command.summary}"


def explanation(command: AnyCommand) -> Iterator[str]:
    """Yield all lines of HELP <command>."""
    yield line(command)
    for detail in command.details:
        yield f"     {detail}"
    width = max((len(term.keyword) for term in command.terms()), default=0)
    for term in command.terms():
        yield f"       {term.keyword:<{width}}  {term.summary}"
    if command.origin is Origin.OURS:
        yield "     Not a command of Oracle's Logdump."


def _of_term(term: Term) -> Iterator[str]:
    """Yield all lines of HELP <command> <term>."""
    yield f"{term.syntax} - {term.summary}"
    synonyms = [word for word in term.words if word != term.keyword]
    if synonyms:
        yield f"     also: {', '.join(synonyms)}"
    yield f"     Example: {term.example}"


_TOPICS = Topics(syntax="<command> [<option>] | <page> | PAGES | <word>")
COMMANDS = (
    Command(
        "HELP",
        Maybe(_TOPICS),
        "List the commands, explain one, or print a page of the documents",
        run_help,
        details=(f"HELP {_LIST} lists the pages by task. <word> is one of the format, such as TRANSIND or HDR-IND.",),
        is_one_shot=True,
        also=("?",),
    ),
)
