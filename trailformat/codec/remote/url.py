"""URLs of files in stores, and the credentials in them.

The text of a URL that is shown has no password and no query parameters that sign it. These are kept separately, in the
memory of the process, by the URL of the store or of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

SCHEMES = (
    *("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "hdfs", "webhdfs", "swebhdfs"),
    *("http", "https", "sftp", "memory"),
)
_URL = re.compile(rf"({'|'.join(SCHEMES)})://(.*)", re.IGNORECASE | re.DOTALL)
_QUERIED = ("http", "https")
_CONTAINERS = ("abfs", "abfss", "az")
"""Schemes in whose URLs the part before the @ is a container, not a user."""
_SECRET = re.compile(
    r"(?i)(x-amz-|x-goog-|awsaccesskeyid|signature|expires|policy|key-pair-id|sig$|se$|sp$|st$|sv$|sr$|spr$|skoid$|"
    r"sktid$|skt$|ske$|sks$|skv$|.*(token|secret|passw|pwd|credential|auth|key))"
)
_BEGIN_IN_TEXT = rf"\b(?:{'|'.join(SCHEMES)})://"
_PASSWORD_IN_TEXT = re.compile(rf'(?i)({_BEGIN_IN_TEXT}[^\s/:@"]*):[^\s/"]*@')
_URL_IN_TEXT = re.compile(rf"(?i){_BEGIN_IN_TEXT}(?:[^\s/\"]*@)?[^\s,;'\"]+")
"""A user and password may have every character of a line that ends no word: a comma, a semicolon, an apostrophe."""
_PASSWORD_WITH_SEPARATORS = re.compile(rf"(?i){_BEGIN_IN_TEXT}[^/:@]*:[^/]*@[^\s,;'\"]*")
"""A URL in a word without its quotes, whose password may have blanks and quotation marks."""
_QUERY_IN_TEXT = re.compile(r"(?i)(https?://[^\s?'\"]*)\?([^\s'\"]*)")


_OTHER_URL = re.compile(
    rf"(?i)\b(?:jdbc:|(?:postgres(?:ql)?|mysql|mariadb|oracle):|(?!(?:{'|'.join(SCHEMES)}|file)://)[a-z][a-z0-9+.-]*://)"
)
"""The beginning of a URL of anything else, such as a database, in a text."""
_ALONE = re.compile(r"(?i)(?:--?[a-z][a-z-]*=)?(?=[a-z][a-z0-9+.-]*:)")
"""What may be before a URL that is all of a word of the shell: it may have blanks and quotation marks."""
_WORD = re.compile(r'(?:"[^"]*"?|[^\s"])+')
"""A word of a line: blanks in double quotes are part of it, and so are doubled quotes in these."""
_QUOTED = re.compile(r'"((?:[^"]|"")*)"?')
_NEXT_COMMAND = re.compile(r'(?<=");[^@"]*$|;+$')
"""The end of a word that is no part of its URL: semicolons, with what follows one that is after a quotation mark."""
_BEFORE_USER = re.compile(r"(?i)(?!sqlite:///)(?:jdbc:)?[a-z][a-z0-9+.-]*:(?://|(?:thin|oci)8?:)?")
_SEPARATOR = re.compile(r"(?i):|%3a")
_SEPARATOR_OF_ORACLE = re.compile(r"(?i)[:/]|%3a")
"""Where a password begins after the user; ``user/password`` is Oracle's own way of writing."""
_PARAMETER = re.compile(r"[?&;]([^=&;?]*)=")
_SECRET_NAME = re.compile(r"(?i)pass|pwd|secret|token|credential|auth")


class Credentials(NamedTuple):
    """User and password of a URL."""

    user: str = ""
    password: str = ""


_credentials: dict[str, Credentials] = {}
_queries: dict[str, str] = {}
_others: dict[str, str] = {}
"""URLs of anything else with their passwords, by their texts without."""
_left_out: set[str] = set()
"""The words and URLs of the current line as they are kept, without the password or the signature that they had."""


class StoreUrl(NamedTuple):
    """The URL of a file or folder: its scheme, the host, bucket or container, and the path there."""

    scheme: str
    host: str
    key: str

    def __str__(self) -> str:
        return f"{self.store}/{self.key}" if self.key else self.store

    @property
    def store(self) -> str:
        """The URL of the store itself."""
        return f"{self.scheme}://{self.host}"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.key.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The URL of the parent folder."""
        return str(self._replace(key=self.key.rpartition("/")[0]))

    @property
    def query(self) -> str:
        """The parameters that sign the URL, never shown; empty if there are none."""
        return _queries.get(str(self), "")

    @property
    def credentials(self) -> Credentials:
        """User and password for the store, never shown."""
        return _credentials.get(self.store, Credentials())

    def keep(self, credentials: Credentials, query: str) -> None:
        """Keep the secrets of the URL for the life of the process."""
        given = Credentials(*credentials)
        if given.password or (given.user and self.store not in _credentials):
            _credentials[self.store] = given
        if query:
            _queries[str(self)] = query


def keeping_secrets(text: str) -> str:
    """Return an entered line or word without the passwords and signatures of its URLs, which are kept."""
    if ":" not in text:
        return text
    return _without_secrets_of(text)


def _noted(kept: str, entered: str) -> str:
    """Return what is kept of a URL or a word, and note it if something was left out."""
    if kept != entered:
        _left_out.add(_unquoted(kept))
    return kept


def lacks_secret(text: str) -> bool:
    """Return whether a text that was entered had a URL with a password or a signature, which was left out of it."""
    return any(kept in text for kept in _left_out)


def forget_left_out() -> None:
    """Begin with another line: what was left out of the ones before does not matter to it."""
    _left_out.clear()


def _without_secrets_of(text: str) -> str:
    if (alone := _ALONE.match(text)) is not None and _OTHER_URL.match(text, alone.end()):
        return alone[0] + _noted(_kept_password(url := text[alone.end() :]), url)
    if alone is not None and _PASSWORD_WITH_SEPARATORS.match(text, alone.end()):
        return _PASSWORD_WITH_SEPARATORS.sub(lambda match: _noted(str(url_of(match[0])), match[0]), text)
    text = _WORD.sub(lambda match: _noted_word(match[0]), text)
    return _URL_IN_TEXT.sub(lambda match: _noted(_kept_out(match[0]), match[0]), text)


def _noted_word(word: str) -> str:
    end = _NEXT_COMMAND.search(word)
    at = end.start() if end is not None and word.count('"', 0, end.start()) % 2 == 0 else len(word)
    return _noted(_word_without_password(word[:at]), word[:at]) + word[at:]


def _word_without_password(word: str) -> str:
    """Return a word of a line, with its quotes, without the password of a URL in it, which is kept.

    A quotation mark in it may be one of the line or of the password: what is either is left out.
    """
    begin = _OTHER_URL.search(word)
    if begin is None:
        plain = (
            _PASSWORD_WITH_SEPARATORS.sub(lambda match: str(url_of(match[0])), _unquoted(word)) if '"' in word else word
        )
        return word if plain == _unquoted(word) else '"' + plain.replace('"', '""') + '"'
    head, tail = word[: begin.start()], word[begin.start() :]
    is_quoted = head.count('"') % 2 == 1
    url = _unquoted('"' * is_quoted + tail)
    plain = _kept_password(url, without_password(_unquoted('"' * is_quoted + without_password(tail))))
    if plain == url:
        return word
    quote = '"' if is_quoted or re.search(r'[\s;"]', plain) else ""
    return head + quote * (not is_quoted) + plain.replace('"', '""') + quote


def _unquoted(text: str) -> str:
    return _QUOTED.sub(lambda match: match[1].replace('""', '"'), text)


def _kept_password(url: str, plain: str | None = None) -> str:
    plain = without_password(url) if plain is None else plain
    if plain != url:
        _others[plain] = url
    return plain


def without_password(url: str) -> str:
    """Return the URL of a database without the password in it, as it may be shown.

    Where it is doubtful which part is the password, all that may be one of it is left out: what is between the first
    colon and the last ``@``, and the values of parameters.
    """
    user = _password_in(url)
    shown, at = list[str](), 0
    for begin, end in sorted({user, *secret_parameters(url)}):
        if begin >= at:
            shown += [url[at:begin], "…" * ((begin, end) != user)]
        else:  # the @ may be one of the parameter, or the parameter one of the password
            shown[-1] = "…"
        at = max(at, end)
    return "".join([*shown, url[at:]])


def is_doubtful(url: str) -> bool:
    """Return whether several parts of a URL of a database may be its password, as with an @ after a slash."""
    begin, end = _password_in(url)
    return any(character in url[begin:end] for character in "/?#")


def _password_in(url: str) -> tuple[int, int]:
    """Return the offsets in a URL between which there may be a password, with the colon before it; equal if none."""
    match, end = _BEFORE_USER.match(url), url.rfind("@")
    if match is None or end < match.end():
        return 0, 0
    is_of_oracle = "oracle" in match[0].lower() or "//" not in match[0]
    begin = (_SEPARATOR_OF_ORACLE if is_of_oracle else _SEPARATOR).search(url, match.end(), end)
    return (begin.start(), end) if begin is not None else (0, 0)


def secret_parameters(url: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the values of parameters that may be passwords; each is one up to the name of another."""
    names, end = [*_PARAMETER.finditer(url)], 0
    for number, name in enumerate(names):
        if name.start() >= end and _SECRET_NAME.search(unquote(name[1])):
            end = next((other.start() for other in names[number + 1 :] if url[other.start()] == "&"), len(url))
            yield name.end(), end


def with_password(url: str) -> str:
    """Return the URL of a database with the password that was kept when it was entered, if there was one."""
    return _others.get(url, url)


def _kept_out(text: str) -> str:
    url = url_of(text)
    return text if url is None or without_secrets(text) == text else str(url) + "/" * text.endswith("/")


def kept() -> tuple[dict[str, Credentials], dict[str, str]]:
    """Return all kept credentials and queries, for another process."""
    return dict(_credentials), dict(_queries)


def keep_all(credentials: Mapping[str, Credentials], queries: Mapping[str, str]) -> None:
    """Keep the credentials and queries of another process."""
    _credentials.update(credentials)
    _queries.update(queries)


def is_url(text: str) -> bool:
    """Return whether a name is the URL of a store."""
    return "://" in text and _URL.fullmatch(text) is not None


def url_of(text: str) -> StoreUrl | None:
    """Return the URL in a name, and keep its credentials; None if it is not the URL of a store."""
    match = _URL.fullmatch(text) if "://" in text else None
    if match is None:
        return None
    scheme, rest, query = match[1].lower(), match[2], ""
    user, at_sign, rest = _parted_user(rest)
    if scheme in _QUERIED:
        rest, query = _parted_query(rest)
    plain, _, key = rest.partition("/")
    host = f"{user}{at_sign}{plain}"
    credentials = Credentials()
    if at_sign and scheme not in _CONTAINERS:
        name, colon, password = user.partition(":")
        credentials = Credentials(unquote(name), unquote(password))
        host = plain if (colon and scheme in _QUERIED) or not name else f"{name}@{plain}"
    url = StoreUrl(scheme, host or "default", "/".join(part for part in key.split("/") if part))
    url.keep(credentials, query)
    return url


def _parted_user(rest: str) -> tuple[str, str, str]:
    """Return user and password, an @ if there are any, and what follows them in a URL without its scheme."""
    user, at_sign, _ = rest.partition("/")[0].rpartition("@")
    if not at_sign or ("?" in user and ":" not in user.partition("?")[0]):
        return "", "", rest
    return user, at_sign, rest[len(user) + 1 :]


def _parted_query(rest: str) -> tuple[str, str]:
    """Return the URL with its public parameters, and the secret parameters."""
    before, mark, query = rest.partition("?")
    parameters = query.split("&") if mark else []
    secret = [parameter for parameter in parameters if _SECRET.match(parameter.partition("=")[0])]
    public = [parameter for parameter in parameters if parameter not in secret]
    return before + ("?" + "&".join(public) if public else ""), "&".join(secret)


def without_secrets(text: str) -> str:
    """Return a text without passwords and signatures in URLs; known ones are removed everywhere."""
    if "://" in text:
        text = _PASSWORD_IN_TEXT.sub(r"\1@", text)
        text = _QUERY_IN_TEXT.sub(lambda match: match[0] if not _signs(match[2]) else _parted(match[0]), text)
    for secret in {credentials.password for credentials in _credentials.values()} | set(_queries.values()):
        text = text.replace(secret, "…") if secret else text
    return text


def _signs(query: str) -> bool:
    return any(_SECRET.match(parameter.partition("=")[0]) for parameter in query.split("&"))


def _parted(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{_parted_query(rest)[0]}"
