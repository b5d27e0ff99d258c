"""Forms of several parameters.

Maybe(Number("<count>", least=1))                                   [<count>]
Alternatives(ON_OFF, Keyword("BLOCK", Number("<bytes>")))           {ON | OFF | BLOCK <bytes>}
AnyOrder(Wanted, {"lines": Number("<n>"), "all": Flag("ALL")})      [<n>] [ALL]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from logdump.language.command import Command, Origin
from logdump.language.parameters import Number, OneOf
from logdump.language.reader import ArgumentReader, Form
from logdump.language.words import plain
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session

T = TypeVar("T")


class _Nothing(Form[None]):
    """The form of a command without arguments."""

    surplus = "takes no arguments, but got {!r}."

    def fits(self, reader: ArgumentReader) -> bool:  # noqa: ARG002 - nothing is read
        return True

    def read(self, reader: ArgumentReader) -> None:
        pass


NOTHING = _Nothing()


class Maybe(Form[T | None]):
    """An optional form; HELP shows brackets if ``is_shown``. A switch, which alone shows its state, has none."""

    def __init__(self, form: Form[T], *, is_shown: bool = True) -> None:
        self.syntax = f"[{form.syntax}]" if is_shown else form.grouped
        self.surplus = form.surplus
        self._form = form

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the form fits."""
        return self._form.fits(reader)

    def read(self, reader: ArgumentReader) -> T | None:
        """Read its value, or return None."""
        if self._form.fits(reader):
            return self._form.read(reader)
        reader.decline(self._form)
        return None


class Sequence(Form[T]):
    """Several forms in order; ``make`` combines their values."""

    def __init__(self, make: Callable[..., T], *forms: Form[Any], surplus: str = "", ends: str = "") -> None:
        needed = next((index for index, form in enumerate(forms) if not isinstance(form, Maybe)), len(forms) - 1)
        self.syntax = " ".join(form.grouped for form in forms)
        self.surplus = surplus or self.surplus
        self.ends = ends
        self.is_open = forms[needed].is_open
        self._make = make
        self._forms = forms
        self._first = forms[: needed + 1]

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the first required form fits, or an optional one before it."""
        return bool(fitting(self._first, reader))

    def read(self, reader: ArgumentReader) -> T:
        """Read the values of all forms and combine them."""
        return self._make(*(form.read(reader) for form in self._forms))


class Keyword(Form[T]):
    """A keyword followed by a form; ``wrong`` is the error for another word where the keyword is required."""

    def __init__(self, spelling: str, form: Form[T], *, wrong: str = "") -> None:
        self._keyword = OneOf({spelling: None}, wrong)
        self._form = form
        self.syntax = f"{self._keyword.syntax} {form.grouped}"
        self.keywords = (spelling,)

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the keyword fits."""
        return self._keyword.fits(reader)

    def read(self, reader: ArgumentReader) -> T:
        """Return the value of the form after the keyword."""
        self._keyword.read(reader)
        reader.begin = reader.at
        return self._form.read(reader)


class Alternatives(Form[T]):
    """One of several forms; the error is that of the first unless ``wrong`` or ``missing`` is given."""

    def __init__(
        self, *forms: Form[T], syntax: str = "", wrong: str = "", missing: str = "", surplus: str = ""
    ) -> None:
        self.syntax = syntax or " | ".join(form.syntax for form in forms)
        self.is_choice = not syntax
        self.surplus = surplus or forms[0].surplus
        self._forms = forms
        self._wrong = wrong
        self._missing = missing

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if any form fits."""
        return bool(fitting(self._forms, reader))

    def read(self, reader: ArgumentReader) -> T:
        """Return the value of the form that fits."""
        forms, word = fitting(self._forms, reader), reader.word()
        if not forms and word is None and self._missing:
            raise reader.missing(self._missing)
        if not forms and word is not None and self._wrong:
            raise reader.wrong(self._wrong, word)
        return (forms or self._forms)[0].read(reader)


def fitting(forms: Iterable[Form[T]], reader: ArgumentReader) -> list[Form[T]]:
    """Return the forms that fit, those that accept any word last. All are tried, so that Tab offers each."""
    return sorted([form for form in forms if form.fits(reader)], key=lambda form: form.is_open)


class AnyOrder(Form[T]):
    """Options in any order; ``make`` combines their values by name. An option may be repeated only with the same value.

    Args:
        make: takes the values of the given options by keyword.
        options: by name; HELP shows each in brackets.
        more: further options, for which HELP shows ``others``.
        needed: the names of required options, and the error if one is missing.
        wrong: the error for a word that fits no option, which takes the place of ``{}``; by default the error of the
            first option.
        ends_phrases: True if the keywords of the options end a text or a time.
    """

    def __init__(
        self,
        make: Callable[..., T],
        options: Mapping[str, Form[Any]],
        more: Mapping[str, Form[Any]] | None = None,
        *,
        needed: Mapping[str, str] | None = None,
        wrong: str = "",
        others: str = "[<options>]",
        ends_phrases: bool = False,
    ) -> None:
        self.syntax = " ".join((*(f"[{form.syntax}]" for form in options.values()), *([others] if more else ())))
        self._make = make
        self._options = {**options, **(more or {})}
        self._wrong = wrong
        self._needed = needed or {}
        words = [word for form in self._options.values() for word in form.keywords]
        self._stops = OneOf(dict.fromkeys(words)) if ends_phrases else None

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if any option fits."""
        return bool(fitting(self._options.values(), reader))

    def read(self, reader: ArgumentReader) -> T:
        """Read the options and combine their values."""
        reader.keywords = self._stops
        values: dict[str, Any] = {}
        texts: dict[str, str] = {}
        while True:
            forms, word = self._that_fit(reader, values), reader.word()
            if word is None:
                for message in (text for name, text in self._needed.items() if name not in values):
                    raise reader.missing(message)
                return self._make(**values)
            reader.unoffered = [] if forms else [self._options[name] for name in values]
            if not forms and self._wrong:
                raise reader.wrong(self._wrong, word)
            form = forms[0] if forms else next(iter(self._options.values()))
            name = next(name for name, option in self._options.items() if option is form)
            start, expected = reader.at, [*reader.expected]
            value = form.read(reader)
            text = reader.text[start : reader.at].strip()
            if texts.setdefault(name, text).upper() != text.upper() and values[name] != value:
                is_begun = texts[name].upper().startswith(text.upper()) or reader.begins(expected)
                reader.is_unfinished = is_begun and reader.at == len(reader.text)
                raise ArgumentError(f"takes {texts[name]} or {text}, not both.")
            values[name] = value

    def _that_fit(self, reader: ArgumentReader, given: Mapping[str, Any]) -> list[Form[Any]]:
        """Return the options that fit. Those that are already given may be repeated, but are not offered."""
        free = fitting((form for name, form in self._options.items() if name not in given), reader)
        again = [form for name, form in self._options.items() if name in given and reader.comes(form)]
        return sorted([*free, *again], key=lambda form: form.is_open)


class Amount(Form[tuple[int, T]]):
    """A number of at least 1 and its unit.

    Args:
        units: the keywords after the number.
        wrong: the error for another word there; the number and the word take the places of ``{}``.
        missing: the error if there is no word; the number takes the place of ``{}``.
    """

    _number = Number("<n>", least=1)

    def __init__(self, units: Mapping[str, T], *, wrong: str, missing: str = "", syntax: str = "") -> None:
        self.syntax = syntax or f"{self._number.syntax} {OneOf(units).grouped}"
        self._units = units
        self._wrong = wrong
        self._missing = missing

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if a number is next."""
        return self._number.fits(reader)

    def read(self, reader: ArgumentReader) -> tuple[int, T]:
        """Read the number and its unit."""
        typed = reader.rest.split(maxsplit=1)[0]
        number = self._number.read(reader)
        wrong, missing = (text.replace("{}", typed, 1) for text in (self._wrong, self._missing))
        return number, OneOf(self._units, wrong, missing=missing).read(reader)


class RefusedKeyword(Form[None]):
    """A keyword that is refused here with the error ``wrong``, and not offered."""

    def __init__(self, spelling: str, wrong: str, error: type[CommandError] = ArgumentError) -> None:
        self._keyword = OneOf({spelling: None})
        self._wrong = wrong
        self._error = error

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the keyword is next."""
        return reader.comes(self._keyword)

    def read(self, reader: ArgumentReader) -> None:
        """Raise the error; the entered word takes the place of ``{}``."""
        raise self._error(self._wrong.format(reader.rest.split(maxsplit=1)[0]))


MOST = 2**31 - 1
"""Default upper bound of numeric settings."""


def switch(
    name: str,
    choice: OneOf[Any],
    summary: str,
    attribute: str,
    *,
    also: tuple[str, ...] = (),
    details: tuple[str, ...] = (),
    origin: Origin = Origin.LOGDUMP,
) -> Command[Any]:
    """Return a command that sets an attribute of the settings to a keyword's value, or shows the current keyword."""

    def run(session: Session, value: Any) -> Iterator[Event]:
        if value is not None:
            setattr(session.settings, attribute, value)
            return
        state = getattr(session.settings, attribute)
        yield say(f"{name} is {next(plain(word) for word, meant in choice.values.items() if meant == state)}")

    return Command(name, Maybe(choice, is_shown=False), summary, run, details, origin=origin, also=also)


def number_setting(
    names: str,
    number: Number,
    summary: str,
    attribute: str,
    label: str,
    *,
    details: tuple[str, ...] = (),
    is_silent: bool = False,
) -> Command[int | None]:
    """Return a command that shows a number of the settings, or sets it and, unless ``is_silent``, reports that."""

    def run(session: Session, value: int | None) -> Iterator[Event]:
        if value is not None:
            setattr(session.settings, attribute, value)
            if is_silent:
                return
        yield say(f"{label} {'is' if value is None else 'set to'} {getattr(session.settings, attribute)}")

    return Command(names, Maybe(number), summary, run, details)
