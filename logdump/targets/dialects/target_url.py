"""The URL of a database, with its password apart, which no message shows."""

from __future__ import annotations

import os
import re
from typing import NamedTuple, Self
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlsplit

from logdump.targets.target import BadTarget
from trailformat.codec.remote.url import is_doubtful, secret_parameters, with_password

PASSWORD = "LOGDUMP_PASSWORD"  # noqa: S105 - the name of a variable
_SERVER = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*)(?::[0-9]*)?")
_CONTROL = re.compile(r"[\x00-\x20\x7f]")


class TargetUrl(NamedTuple):
    """A URL of a database, in parts.

    Attributes:
        scheme: its scheme.
        user, password: decoded; empty without one. The environment may have the password.
        server: host and port as they are written; several where a database takes several.
        name: the path without the slash before it, decoded: a database, a service or a file.
        query: the text of its parameters.
    """

    scheme: str
    user: str
    password: str
    server: str
    name: str
    query: str

    @classmethod
    def of(cls, text: str, scheme: str, password_in: str = PASSWORD) -> Self:
        """Return the parts of a URL. Raises BadTarget, which names no part that may be one of a password."""
        whole = with_password(text).removeprefix("jdbc:")
        wrong = BadTarget(
            f"{scheme}: the URL is not as in {scheme}://user@host/database; "
            "in a name or a password / ? # @ % are written as %2F %3F %23 %40 %25"
        )
        try:
            parts = urlsplit(whole)
        except ValueError:
            raise wrong from None
        user, at_sign, server = parts.netloc.rpartition("@")
        name, colon, password = user.partition(":")
        is_cut = bool(server) and not at_sign and "@" in parts.path + parts.query
        if (
            parts.fragment
            or is_cut
            or is_doubtful(whole)
            or _CONTROL.search(whole)
            or not all(map(_SERVER.fullmatch, server.split(",")))
        ):
            raise wrong
        given = unquote(password) if colon else os.environ.get(password_in, "")
        return cls(scheme, unquote(name), given, server, unquote(parts.path.removeprefix("/")), parts.query)

    @property
    def host(self) -> str | None:
        """The host, if there is one; not for several."""
        return urlsplit(f"//{self.server}").hostname

    @property
    def port(self) -> int | None:
        """The port, if one is given. Raises BadTarget for one that is none."""
        try:
            return urlsplit(f"//{self.server}").port
        except ValueError:
            raise BadTarget(f"{self.scheme}: the port of the target is not a number up to 65535") from None

    @property
    def parameters(self) -> dict[str, str]:
        """Its parameters by name."""
        return dict(parse_qsl(self.query))

    def for_driver(self, scheme: str) -> str:
        """Return the URL with another scheme and without the user's password, which a driver gets apart."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        query = f"?{self.query}" if self.query else ""
        return f"{scheme}://{user}{self.server}/{quote(self.name, safe='')}{query}"

    def harmless(self, text: str) -> str:
        """Return a message of a driver without the password."""
        values = [self.query[begin - 1 : end - 1] for begin, end in secret_parameters(f"?{self.query}")]
        for secret in filter(None, (self.password, *map(unquote, values), *map(unquote_plus, values))):
            text = _spellings(secret).sub("…", text)
        return text


def _spellings(text: str) -> re.Pattern[str]:
    """Return the pattern of a text each of whose characters may be written as in a URL."""
    coded = ["".join(f"%{byte:02x}" for byte in letter.encode(errors="replace")) for letter in text]
    return re.compile(
        "".join(f"(?:{re.escape(character)}|(?i:{code}))" for character, code in zip(text, coded, strict=True))
    )
