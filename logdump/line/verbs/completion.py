"""Completion scripts for bash, zsh and fish, generated from the table of verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.line.verbs import PROGRAMS
from logdump.line.verbs.table import VERBS, Verb


def _flags(verb: Verb) -> list[str]:
    return ["--help", *(flag for option in verb.known_options.values() for flag in option.flags)]


def _names() -> str:
    return " ".join([*(verb.name for verb in VERBS), *PROGRAMS])


def _bash() -> Iterator[str]:
    yield "_logdump() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" words=""'
    yield "    if [[ $COMP_CWORD -eq 1 && $word != -* ]]; then"
    yield f'        words="{_names()}"'
    yield "    elif [[ $word == -* ]]; then"
    yield '        case "${COMP_WORDS[1]}" in'
    for verb in VERBS:
        yield f'            {verb.name}) words="{" ".join(_flags(verb))}" ;;'
    yield '            *) words="-c -f --format --stop --tui --no-mouse --version --help" ;;'
    yield "        esac"
    yield "    fi"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield '    [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))'
    yield "}"
    yield "complete -o filenames -F _logdump logdump"


def _zsh() -> Iterator[str]:
    yield "#compdef logdump"
    yield "_logdump() {"
    yield "    local -a verbs"
    yield "    verbs=("
    for name, summary in (*((verb.name, verb.summary) for verb in VERBS), *PROGRAMS.items()):
        yield f"        '{name}:{_told(summary)}'"
    yield "    )"
    yield "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then"
    yield "        _describe verb verbs; _files; return"
    yield "    fi"
    yield "    case $words[2] in"
    for verb in VERBS:
        yield f"        {verb.name}) [[ $words[CURRENT] == -* ]] && compadd -- {' '.join(_flags(verb))} || _files ;;"
    yield "        *) _files ;;"
    yield "    esac"
    yield "}"
    yield "compdef _logdump logdump"


def _fish() -> Iterator[str]:
    for name, summary in PROGRAMS.items():
        yield f"complete -c logdump -n __fish_is_first_arg -a {name} -d '{_told(summary)}'"
    for verb in VERBS:
        yield f"complete -c logdump -n __fish_is_first_arg -a {verb.name} -d '{_told(verb.summary)}'"
        for option in verb.known_options.values():
            spelled = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
            after = f"__fish_seen_subcommand_from {verb.name}"
            yield f"complete -c logdump -n '{after}' {spelled} -d '{_told(option.help)}'"


def _told(text: str) -> str:
    """Return a text without the characters that end a quoted description of a shell."""
    return text.replace("'", "").replace(":", ",")


SHELLS: dict[str, Callable[[], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""The functions that yield the lines of the completion script, by shell."""
