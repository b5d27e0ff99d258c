"""The arguments of COUNT: options in any order, separated by commas or blanks, and at last a trail file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from logdump.language.arguments import number, time_argument
from logdump.language.command import ArgumentError
from logdump.language.words import is_keyword, plain, split_words
from logdump.notation.times import TimeOffset
from logdump.operations.count import CountOptions

OPTIONS = ("DET[AIL]", "START[TIME]", "END[TIME]", "INT[ERVAL]", "LOG[TRAIL]", "FILE", "EFFECTIVE")
_MINUTE = 60_000_000
_MOST_MINUTES = 10 * 366 * 24 * 60


def parse_count_options(text: str, offset: TimeOffset) -> CountOptions:
    """The options in ``text``.

    Raises:
        ArgumentError: an unknown word, a missing or wrong value.
    """
    values: dict[str, list[str]] = {}
    for option, words in _groups(split_words(text.replace(",", " , "))):
        if option in values:
            raise ArgumentError(f"{option or 'a file name'} is given twice.")
        values[option] = words
    paths = values.get("", []) + values.get("DETAIL", []) + values.get("EFFECTIVE", [])
    if len(paths) > 1:
        raise ArgumentError(f"{' '.join(paths)!r} is not an option of COUNT; put a file name with blanks into quotes.")
    _check_path(paths)
    return CountOptions(
        detail="DETAIL" in values,
        effective="EFFECTIVE" in values,
        start=_time(values, "STARTTIME", offset),
        end=_time(values, "ENDTIME", offset),
        interval=_interval(values),
        logtrail=_one(values, "LOGTRAIL"),
        file=_one(values, "FILE"),
        path=paths[0] if paths else None,
    )


def _check_path(paths: list[str]) -> None:
    """Refuse a word that is no file and looks like an option."""
    from difflib import get_close_matches  # noqa: PLC0415 - needed for another file only

    for word in paths:
        near = get_close_matches(word.upper(), [plain(one) for one in OPTIONS], n=1, cutoff=0.7)
        if near and not Path(word).expanduser().exists():
            raise ArgumentError(f"{word!r} is neither an option nor a file; did you mean {near[0]}?")


def _groups(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each option with the words up to the next; words before the first option come under an empty name."""
    name, values = "", list[str]()
    for word in words:
        option = next((one for one in OPTIONS if is_keyword(word, one)), None)
        if option is None and word != ",":
            values.append(word)
            continue
        if name or values:
            yield name, values
        name, values = plain(option) if option else "", []
    if name or values:
        yield name, values


def _one(values: dict[str, list[str]], name: str) -> str | None:
    if name not in values:
        return None
    if len(values[name]) != 1:
        raise ArgumentError(f"{name} takes one value.")
    return values[name][0]


def _interval(values: dict[str, list[str]]) -> int:
    minutes = _one(values, "INTERVAL")
    return number(minutes, least=1, most=_MOST_MINUTES, what="a number of minutes") * _MINUTE if minutes else 0


def _time(values: dict[str, list[str]], name: str, offset: TimeOffset) -> int | None:
    if name not in values:
        return None
    try:
        return time_argument(" ".join(values[name]), offset)
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from error
